"""Large plain models step as under ``mj_step``: the solver by blocks solves the same problem."""

from __future__ import annotations

import ctypes
from typing import Any

import mujoco
import numpy as np
import pytest

from unibody.core.engine.plain import make_plain_worlds
from unibody.core.engine.rules.callbacks import libmujoco

DT = 0.004
_STATE = int(mujoco.mjtState.mjSTATE_INTEGRATION)
# Both stop where the cost's gradient is 1e-12 of the inertia; masses here span a factor of 10, so
# that accelerations agree to about 1e-9 of their size, 1e3 m/s^2 at most, and speeds to DT of that.
AGREEMENT = 1e-8


def _model(cone: str = "pyramidal", integrator: str = "implicitfast") -> Any:
    """Eight boxes in a heap, and three driven chains with limits whose tips are tied together."""
    bodies = [
        f'<body pos="{0.1 * (k % 2)} 0 {0.15 + 0.25 * k}"><freejoint/>'
        f'<geom type="box" size=".1 .08 .1" density="{200 * (1 + k % 3)}" friction=".{k + 1}"/>'
        "</body>"
        for k in range(8)
    ]
    motors, ties = [], []
    for chain in range(3):
        text = ""
        for link in range(4, -1, -1):
            place = f"{1 + chain} 0 1" if link == 0 else "0 0 -.15"
            text = (
                f'<body name="b{chain}{link}" pos="{place}"><joint name="j{chain}{link}"'
                f' type="hinge" axis="0 1 0" range="-40 40" damping=".1"/>'
                f'<geom type="capsule" size=".03" fromto="0 0 0 0 0 -.15"/>{text}</body>'
            )
        bodies.append(text)
        motors.append(f'<position joint="j{chain}0" kp="20" kv="1"/>')
        if chain:
            ties.append(f'<connect body1="b{chain - 1}4" body2="b{chain}4" anchor="0 0 -.15"/>')
    return mujoco.MjModel.from_xml_string(
        f"""<mujoco><option cone="{cone}" integrator="{integrator}" tolerance="1e-12"/>
        <worldbody><geom type="plane" size="5 5 1"/>{"".join(bodies)}</worldbody>
        <equality>{"".join(ties[:1])}</equality><actuator>{"".join(motors)}</actuator></mujoco>"""
    )


def _beside(worlds: Any, model: Any, steps: int) -> float:
    """Largest difference to ``mj_step`` of positions and velocities after one step, of many."""
    other = mujoco.MjData(model)
    state = np.zeros(mujoco.mj_stateSize(model, _STATE))
    worst = 0.0
    for step in range(steps):
        worlds.ctrl[:] = 0.5 * np.sin(0.1 * step)
        mujoco.mj_getState(model, worlds.data, state, _STATE)
        mujoco.mj_setState(model, other, state, _STATE)
        worlds.step(DT)
        mujoco.mj_step(model, other)
        for name in ("qpos", "qvel"):
            worst = max(worst, float(abs(getattr(worlds, name)[0] - getattr(other, name)).max()))
    return worst


@pytest.mark.parametrize("cone", ["pyramidal", "elliptic"])
@pytest.mark.parametrize("integrator", ["implicitfast", "Euler"])
def test_each_step_of_a_heap_ends_where_mj_step_ends(
    cone: str, integrator: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = _model(cone, integrator)
    assert model.nv >= 60
    worlds: Any = make_plain_worlds(model, mujoco.MjData(model), 1, "cpu")
    assert _beside(worlds, model, 150) < AGREEMENT
    assert worlds.data.ncon > 8
    monkeypatch.setattr(mujoco, "mj_step", None)
    worlds.step(DT)  # without it


@pytest.mark.parametrize("condim", [1, 4, 6])
def test_contacts_of_all_dimensions_are_solved_for_as_by_mj_step(condim: int) -> None:
    model = _model()
    model.geom_condim[:] = condim  # the larger one of two geoms counts
    worlds: Any = make_plain_worlds(model, mujoco.MjData(model), 1, "cpu")
    assert _beside(worlds, model, 60) < AGREEMENT
    assert set(worlds.data.contact.dim) == {condim}


def test_what_the_solver_by_blocks_does_not_know_is_left_to_mj_step() -> None:
    for field, value in (
        ("solver", mujoco.mjtSolver.mjSOL_CG),
        ("jacobian", mujoco.mjtJacobian.mjJAC_DENSE),
        ("integrator", mujoco.mjtIntegrator.mjINT_RK4),
        ("noslip_iterations", 3),
        ("enableflags", int(mujoco.mjtEnableBit.mjENBL_ENERGY)),
        ("disableflags", int(mujoco.mjtDisableBit.mjDSBL_CONSTRAINT)),
    ):
        model = _model()
        worlds: Any = make_plain_worlds(model, mujoco.MjData(model), 1, "cpu")
        setattr(model.opt, field, value)  # by a script, after the solver was made
        assert _beside(worlds, model, 40) == 0.0, field


def test_a_control_callback_of_a_script_is_called_in_each_step() -> None:
    model = _model()
    worlds: Any = make_plain_worlds(model, mujoco.MjData(model), 1, "cpu")
    called: list[Any] = []
    before = mujoco.get_mjcb_control()
    mujoco.set_mjcb_control(lambda m, d: called.append(d))
    try:
        worlds.step(DT)
    finally:
        mujoco.set_mjcb_control(before)
    assert len(called) == 1


@pytest.mark.parametrize("disabled", [0, int(mujoco.mjtDisableBit.mjDSBL_ACTUATION)])
def test_a_control_callback_of_another_library_is_called_where_mj_step_calls_it(
    disabled: int,
) -> None:
    model = _model()
    model.opt.disableflags |= disabled
    data = mujoco.MjData(model)
    worlds: Any = make_plain_worlds(model, data, 1, "cpu")
    called: list[tuple[int, int]] = []
    callback = ctypes.CFUNCTYPE(None, ctypes.c_int64, ctypes.c_int64)(
        lambda m, d: called.append((m, d))
    )
    slot = ctypes.c_void_p.in_dll(libmujoco(), "mjcb_control")
    before = slot.value
    slot.value = ctypes.cast(callback, ctypes.c_void_p).value
    try:
        worlds.step(DT)
        found = len(called)
        mujoco.mj_step(model, data)
    finally:
        slot.value = before
    assert found == len(called) - found == (0 if disabled else 1)
    assert called == [(model._address, data._address)] * len(called)
