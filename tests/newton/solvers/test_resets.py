"""Worlds of SolverMuJoCo that begin anew, options of 1.x, and gravity of what is in all worlds."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import warp as wp

from unibody import newton
from unibody.errors import NotSupportedError
from unibody.newton import solvers
from unibody.newton.solvers.flags import ModelFlags, StateFlags


def _hinges(worlds: int = 3) -> Any:
    one: Any = newton.ModelBuilder(gravity=0.0)
    link = one.add_link(mass=1.0, inertia=np.eye(3))
    one.add_articulation([one.add_joint_revolute(-1, link, axis="z", armature=0.0)])
    one.joint_q[:], one.joint_qd[:] = [0.5], [1.0]
    builder = newton.ModelBuilder(gravity=0.0)
    builder.replicate(one, worlds)
    return builder.finalize(device="cpu")


@pytest.mark.parametrize("backend", ["cpu", "warp"])
def test_chosen_worlds_begin_anew_and_the_others_go_on(backend: str) -> None:
    model = _hinges()
    solver = solvers.SolverMuJoCo(model, backend=backend)
    before, after = model.state(), model.state()
    solver.step(before, after, None, None, 0.1)
    solver.mjw_data.qacc_warmstart.fill_(7.0)
    mask = wp.array([True, False, True, False], dtype=bool, device="cpu")
    solver.reset(after, mask)
    assert after.joint_q.numpy() == pytest.approx([0.5, 0.6, 0.5], abs=1e-6)
    assert solver.mjw_data.qacc_warmstart.numpy().ravel().tolist() == [0.0, 7.0, 0.0]
    after.joint_q.fill_(2.0)
    solver.reset(after, None, StateFlags.JOINT_QD)
    assert after.joint_q.numpy().tolist() == [2.0, 2.0, 2.0]
    with pytest.raises(ValueError, match=r"world_count \+ 1"):
        solver.reset(after, wp.array([True, False, True], dtype=bool, device="cpu"))


@pytest.mark.parametrize("backend", ["cpu", "warp"])
def test_a_reset_is_taken_over_at_once_where_states_are_not(backend: str) -> None:
    model = _hinges()
    solver = solvers.SolverMuJoCo(model, backend=backend, update_data_interval=0)
    before, after = model.state(), model.state()
    for _ in range(2):
        solver.step(before, after, None, None, 0.1)
    solver.reset(after, wp.array([False, True, False, False], dtype=bool, device="cpu"))
    solver.step(after, before, None, None, 0.1)
    assert before.joint_q.numpy() == pytest.approx([0.8, 0.6, 0.8], abs=1e-5)


def test_options_that_do_not_exist_are_refused_by_name() -> None:
    model = _hinges()
    for name, value in (("enable_sleeping", True), ("strict_capacity", True), ("nvmax", 4)):
        with pytest.raises(NotSupportedError, match=name):
            solvers.SolverMuJoCo(model, **{name: value})
    with pytest.raises(TypeError, match="njmax_nnz must be an integer"):
        solvers.SolverMuJoCo(model, njmax_nnz=1.5)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="no_such_option"):
        solvers.SolverMuJoCo(model, no_such_option=False)


def test_roots_that_may_not_switch_stay_dynamic() -> None:
    model = _hinges()
    solver = solvers.SolverMuJoCo(model, kinematic_switchable_roots=False)
    model.body_flags.fill_(2)
    with pytest.raises(ValueError, match="before creating the solver"):
        solver.notify_model_changed(ModelFlags.BODY_PROPERTIES)


def test_states_with_arrays_in_namespaces_are_copied_with_them() -> None:
    builder: Any = newton.ModelBuilder()
    builder.request_state_attributes("mujoco:qfrc_actuator")
    link = builder.add_link(mass=1.0)
    builder.add_articulation([builder.add_joint_revolute(-1, link)])
    model = builder.finalize(device="cpu")
    first, second = model.state(), model.state()
    first.mujoco.qfrc_actuator.fill_(3.0)
    second.assign(first)
    assert second.mujoco.qfrc_actuator.numpy().tolist() == [3.0]
    del second.mujoco.qfrc_actuator
    with pytest.raises(ValueError, match="mujoco:qfrc_actuator"):
        second.assign(first)
