"""Momentum and energy of each solver, with damping off."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pytest
import warp as wp

from unibody import newton
from unibody.newton import solvers

SOLVERS: dict[str, tuple[Any, dict[str, Any]]] = {
    "mujoco": (solvers.SolverMuJoCo, {"use_mujoco_cpu": True}),
    "mujoco-warp": (solvers.SolverMuJoCo, {"backend": "warp"}),
    "xpbd": (solvers.SolverXPBD, {"angular_damping": 0.0, "iterations": 20}),
    "semi-implicit": (solvers.SolverSemiImplicit, {"angular_damping": 0.0}),
    "featherstone": (solvers.SolverFeatherstone, {"angular_damping": 0.0}),
    "vbd": (solvers.SolverVBD, {"iterations": 20}),
}
START = (0.3, -0.2, 0.5, 0.5, 1.0, -0.4)  # m/s, rad/s
WEIGHT = 9.81  # of the pendulum [N]


class Measured(NamedTuple):
    """Of all bodies: momentum, angular momentum about the origin, energy."""

    momentum: np.ndarray
    spin: np.ndarray
    energy: float


def _measured(model: Any, state: Any, gravity: float) -> Measured:
    momentum, spin, energy = np.zeros(3), np.zeros(3), 0.0
    rows = zip(
        state.body_q.numpy().astype(float),
        state.body_qd.numpy().astype(float),
        model.body_mass.numpy(),
        model.body_inertia.numpy(),
        strict=True,
    )
    for pose, velocity, mass, inertia in rows:
        turn = np.array(wp.quat_to_matrix(wp.quat(*pose[3:]))).reshape(3, 3)
        own = turn @ inertia @ turn.T @ velocity[3:]
        momentum += mass * velocity[:3]
        spin += np.cross(pose[:3], mass * velocity[:3]) + own
        energy += 0.5 * (mass * velocity[:3] @ velocity[:3] + velocity[3:] @ own)
        energy += mass * gravity * pose[2]
    return Measured(momentum, spin, energy)


def _before_and_after(
    name: str, builder: Any, steps: int, dt: float, gravity: float = 0.0
) -> tuple[Measured, Measured]:
    kind, options = SOLVERS[name]
    builder.color()
    model = builder.finalize(device="cpu")
    solver = kind(model, **options)
    now, after = model.state(), model.state()
    newton.eval_fk(model, model.joint_q, model.joint_qd, now)
    before = _measured(model, now, gravity)
    for _ in range(steps):
        now.clear_forces()
        solver.step(now, after, model.control(), None, dt)
        now, after = after, now
    return before, _measured(model, now, gravity)


@pytest.mark.parametrize("name", SOLVERS)
def test_a_body_that_turns_freely_keeps_momentum_angular_momentum_and_energy(name: str) -> None:
    builder = newton.ModelBuilder(gravity=0.0)
    body = builder.add_body(mass=2.0, inertia=np.diag([0.1, 0.2, 0.25]))
    builder.joint_qd[:6] = builder.body_qd[body] = START
    before, after = _before_and_after(name, builder, 1000, 1e-3)
    # A first-order step misses a rotation by (1.2 rad/s dt)^2 / 2: 7e-4 in 1000 steps. Velocities
    # of SolverVBD are differences of poses in single precision, 6e-8 / dt a step: 4e-3 of a walk.
    first_order, walk = 7e-4, 4e-3 if name == "vbd" else 0.0
    assert after.momentum == pytest.approx(before.momentum, abs=1e-5 + 0.02 * walk)
    size = np.linalg.norm(before.spin)
    assert np.linalg.norm(after.spin - before.spin) < (first_order + walk) * size
    assert abs(after.energy - before.energy) < (first_order + walk) * before.energy


def _pendulum() -> Any:
    """A bob of 1 kg on an arm of 1 m that begins level, at rest."""
    builder = newton.ModelBuilder()
    body = builder.add_link(
        xform=((1.0, 0.0, 0.0), (0.0, 0.0, 0.0, 1.0)), mass=1.0, inertia=np.diag([0.1, 0.2, 0.25])
    )
    arm = wp.transform((-1.0, 0.0, 0.0), wp.quat_identity())
    hinge = builder.add_joint_revolute(-1, body, axis="y", child_xform=arm, armature=0.0)
    builder.add_articulation([hinge])
    return builder


@pytest.mark.parametrize("name", ["mujoco", "mujoco-warp", "featherstone"])
def test_the_energy_of_a_pendulum_misses_by_the_time_step_alone(name: str) -> None:
    missed = []
    for dt, steps in ((2e-3, 250), (1e-3, 500)):
        before, after = _before_and_after(name, _pendulum(), steps, dt, WEIGHT)
        missed.append(abs(after.energy - before.energy))
    # A symplectic step of first order is off by dt times the power of the weight over two: 9.81 N
    # at 3 m/s at most; half the step halves it.
    assert missed[1] < 0.5e-3 * WEIGHT * 3.0
    assert missed[0] / missed[1] == pytest.approx(2.0, rel=0.05)


@pytest.mark.parametrize(("name", "most"), [("xpbd", 0.12), ("vbd", 0.015)])
def test_solvers_that_work_in_rounds_lose_little_of_a_pendulums_energy_and_gain_none(
    name: str, most: float
) -> None:
    # What the rounds of a step leave of a correction is lost; more rounds lose less.
    before, after = _before_and_after(name, _pendulum(), 500, 1e-3, WEIGHT)
    assert -most * WEIGHT < after.energy - before.energy < 1e-3 * WEIGHT
