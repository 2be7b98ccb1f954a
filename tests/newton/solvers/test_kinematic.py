"""Kinematic bodies: scripts move them, and nothing else does."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import warp as wp

from unibody import newton
from unibody.newton import solvers
from unibody.newton.enums import BodyFlags
from unibody.newton.solvers.flags import SolverNotifyFlags

DT = 1.0 / 240.0
WRENCH = np.array([20.0, -15.0, 10.0, 0.5, -0.4, 0.3], np.float32)
SOLVERS: dict[str, Any] = {
    "mujoco": solvers.SolverMuJoCo,
    "mujoco on warp": lambda model: solvers.SolverMuJoCo(model, backend="warp"),
    "xpbd": solvers.SolverXPBD,
    "featherstone": solvers.SolverFeatherstone,
    "vbd": solvers.SolverVBD,
    "semi-implicit": lambda model: solvers.SolverSemiImplicit(model, angular_damping=0.0),
}


def _pose(x: float) -> wp.transform:
    return wp.transform((x, 0.0, 0.0), wp.quat_identity())


def _one(is_kinematic: bool = True) -> Any:
    builder = newton.ModelBuilder(gravity=-9.81)
    body = builder.add_body(mass=1.0, inertia=np.eye(3), is_kinematic=is_kinematic)
    builder.body_qd[body] = wp.spatial_vector(0.5, 0.0, 0.0, 0.0, 0.0, 1.0)
    builder.joint_qd[:] = [0.5, 0.0, 0.0, 0.0, 0.0, 1.0]
    builder.color()
    return builder.finalize(device="cpu")


def _push(state: Any, body: int) -> None:
    forces = np.zeros((len(state.body_f), 6), np.float32)
    forces[body] = WRENCH
    state.body_f.assign(forces)


@pytest.mark.parametrize("name", SOLVERS)
def test_a_kinematic_body_is_after_a_step_where_the_script_put_it(name: str) -> None:
    model = _one()
    solver = SOLVERS[name](model)
    before, after = model.state(), model.state()
    for _ in range(5):
        _push(before, 0)
        solver.step(before, after, None, None, DT)
        before, after = after, before
    assert np.array_equal(before.body_q.numpy(), model.body_q.numpy())
    # a step of MuJoCo works velocities of bodies out from those of joints, in float32
    assert np.allclose(before.body_qd.numpy()[0], [0.5, 0.0, 0.0, 0.0, 0.0, 1.0], atol=1e-6)


@pytest.mark.parametrize("name", SOLVERS)
def test_a_body_that_turns_dynamic_moves_by_forces_and_back_again_not(name: str) -> None:
    model = _one()
    solver = SOLVERS[name](model)
    before, after = model.state(), model.state()
    speeds = []
    for flag in (BodyFlags.KINEMATIC, BodyFlags.DYNAMIC, BodyFlags.KINEMATIC):
        model.body_flags.fill_(int(flag))
        solver.notify_model_changed(SolverNotifyFlags.BODY_PROPERTIES)
        for _ in range(4):
            _push(before, 0)
            solver.step(before, after, None, None, DT)
            before, after = after, before
        speeds.append(before.body_qd.numpy()[0, 0])
    # four steps of 20 N on 1 kg; float32
    assert np.allclose(speeds, [0.5, 0.5 + 20.0 * 4 * DT, 0.5 + 20.0 * 4 * DT], rtol=1e-4)


@pytest.mark.parametrize("name", sorted(SOLVERS.keys() - {"semi-implicit"}))
def test_what_hangs_on_a_kinematic_root_moves_as_on_a_fixed_one(name: str) -> None:
    ends = []
    for fixed in (True, False):
        builder = newton.ModelBuilder(gravity=-9.81)
        root = builder.add_link(mass=0.1, inertia=0.1 * np.eye(3), is_kinematic=not fixed)
        bob = builder.add_link(_pose(0.5), mass=3.0, inertia=0.1 * np.eye(3))
        first = builder.add_joint_fixed(-1, root) if fixed else builder.add_joint_free(root)
        more = {"parent_xform": wp.transform(), "child_xform": _pose(-0.5), "armature": 0.0}
        joints = [first, builder.add_joint_revolute(root, bob, axis="y", **more)]
        builder.add_articulation(joints)
        builder.color()
        model = builder.finalize(device="cpu")
        solver = SOLVERS[name](model)
        before, after = model.state(), model.state()
        for _ in range(24):
            before.clear_forces()
            solver.step(before, after, None, None, DT)
            before, after = after, before
        ends.append(before.body_q.numpy()[1, :3])
    assert ends[1][2] < -0.02  # it falls
    # XPBD and VBD correct the fixed joint a part at a time; elsewhere both roots are at rest
    assert np.allclose(ends[0], ends[1], atol=5e-3 if name in {"xpbd", "vbd"} else 1e-5)


def test_mujoco_has_massless_kinematic_bodies_and_those_on_joints() -> None:
    builder = newton.ModelBuilder(gravity=-9.81)
    root = builder.add_link(is_kinematic=True)
    builder.add_articulation([builder.add_joint_revolute(-1, root, axis="z")])
    box = builder.add_body(_pose(0.0), mass=1.0, inertia=np.eye(3))
    builder.add_shape_box(root, hx=0.5, hy=0.5, hz=0.1)
    builder.add_shape_sphere(box, wp.transform((0.0, 0.0, 0.2), wp.quat_identity()), radius=0.1)
    model = builder.finalize(device="cpu")
    solver = solvers.SolverMuJoCo(model)
    before, after = model.state(), model.state()
    for step in range(240):
        q = before.joint_q.numpy()
        q[0] = 0.001 * step
        before.joint_q.assign(q)
        solver.step(before, after, None, None, DT)
        before, after = after, before
    assert before.joint_q.numpy()[0] == pytest.approx(0.239)
    # MuJoCo's contacts are soft: a ball of 1 kg sinks in by less than 1 cm, and stays
    assert abs(before.body_q.numpy()[box, 2]) < 1e-2


def test_only_roots_are_kinematic_and_flags_are_one_of_two() -> None:
    builder = newton.ModelBuilder()
    root, child = builder.add_link(mass=1.0), builder.add_link(mass=1.0, is_kinematic=True)
    joints = [builder.add_joint_free(root), builder.add_joint_revolute(root, child)]
    with pytest.raises(ValueError, match="Only root bodies"):
        builder.add_articulation(joints)
    builder = newton.ModelBuilder()
    builder.add_body(mass=1.0, key="both")
    builder.body_flags[0] = int(BodyFlags.ALL)
    with pytest.raises(ValueError, match=r"'both'.*is 3.*DYNAMIC.*KINEMATIC"):
        builder.finalize(device="cpu")


def test_kinematics_of_chosen_bodies_leave_the_others() -> None:
    builder = newton.ModelBuilder()
    for held in (True, False):
        builder.add_body(mass=1.0, is_kinematic=held)
    model = builder.finalize(device="cpu")
    state = model.state()
    q = state.joint_q.numpy()
    q[[0, 7]] = 2.0
    state.joint_q.assign(q)
    newton.eval_fk(
        model, state.joint_q, state.joint_qd, state, body_flag_filter=BodyFlags.KINEMATIC
    )
    assert state.body_q.numpy()[:, 0].tolist() == [2.0, 0.0]
