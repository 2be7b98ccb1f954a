"""Tiles of bodies of SolverVBD move as the kernels move them one by one."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import warp as wp

from unibody import newton
from unibody.newton.builder import later_rods
from unibody.newton.solvers import SolverVBD

DT, STEPS = 1 / 240, 3
# Both sum the same in single precision in another order: 1e-7 of 2 m, which chains of joints that
# turn freely amplify a hundred times in three steps, over the time step in velocities.
PLACES, VELOCITIES = 3e-5, 3e-5 / DT


def _chain(kind: str) -> Any:
    """A chain of 20 boxes that hangs from the world at one end, joined in one way or in all."""
    builder = newton.ModelBuilder()
    inertia = wp.mat33(*(np.diag([0.001, 0.002, 0.003])).reshape(-1))
    bodies = [
        builder.add_link(
            xform=wp.transform((0.1 * n, 0.0, 0.0), wp.quat_identity()),
            mass=0.1,
            inertia=inertia,
            com=wp.vec3(0.01, 0.02, 0.0),
        )
        for n in range(20)
    ]
    kinds = ("cable", "fixed", "ball", "rod") if kind == "all" else (kind,)
    ends = {
        "parent_xform": wp.transform((0.05, 0.0, 0.0), wp.quat(0.0, 0.6, 0.0, 0.8)),
        "child_xform": wp.transform((-0.05, 0.0, 0.0), wp.quat(0.0, 0.6, 0.0, 0.8)),
    }
    joints = [builder.add_joint_ball(-1, bodies[0], child_xform=ends["child_xform"])]
    for n in range(1, len(bodies)):
        name, pair = kinds[n % len(kinds)], (bodies[n - 1], bodies[n])
        if name == "rod":
            gains = {"bend_stiffness": 0.5, "twist_stiffness": 0.3, "bend_damping": 0.01}
            joints.append(later_rods.add_joint_rod(builder, *pair, **ends, **gains))
        elif name == "cable":
            more = {"stretch_stiffness": 1e4, "bend_stiffness": 0.5, "bend_damping": 1e-2}
            joints.append(builder.add_joint_cable(*pair, **ends, **more))
        else:
            joints.append(getattr(builder, f"add_joint_{name}")(*pair, **ends))
    builder.add_articulation(joints)
    builder.color()
    return builder.finalize(device="cpu", skip_validation_joints=True)


def _moved(kind: str, *, tiles: bool, disabled: int = -1, **options: Any) -> Any:
    model = _chain(kind)
    model.joint_enabled.assign(np.arange(model.joint_count) != disabled)
    solver = SolverVBD(model, iterations=8, **options)
    assert solver._bodies is not None and solver._bodies.rods is not None
    if not tiles:
        solver._bodies.rods = None
    now, after = model.state(), model.state()
    for _ in range(STEPS):
        solver.step(now, after, None, None, DT)
        now, after = after, now
    return now


@pytest.mark.parametrize("compliant", [False, True])
@pytest.mark.parametrize("kind", ["cable", "fixed", "ball", "rod", "all"])
def test_tiles_move_bodies_as_kernels_do(kind: str, compliant: bool) -> None:
    options = {"rigid_compliant_alm": compliant}
    tiled = _moved(kind, tiles=True, **options)
    plain = _moved(kind, tiles=False, **options)
    np.testing.assert_allclose(tiled.body_q.numpy(), plain.body_q.numpy(), atol=PLACES)
    np.testing.assert_allclose(tiled.body_qd.numpy(), plain.body_qd.numpy(), atol=VELOCITIES)
    assert np.abs(plain.body_qd.numpy()).max() > 0.5


def test_tiles_give_the_same_bits_twice() -> None:
    first, second = (_moved("all", tiles=True).body_q.numpy().tobytes() for _ in range(2))
    assert first == second


def test_a_disabled_joint_does_not_hold_in_tiles() -> None:
    tiled, plain = (_moved("cable", tiles=tiles, disabled=10) for tiles in (True, False))
    np.testing.assert_allclose(tiled.body_q.numpy(), plain.body_q.numpy(), atol=PLACES)
    held = _moved("cable", tiles=True)
    assert np.abs(tiled.body_q.numpy() - held.body_q.numpy()).max() > 10.0 * PLACES


def test_bodies_with_free_axes_keep_their_kernels() -> None:
    builder = newton.ModelBuilder()
    body = builder.add_link(mass=1.0, inertia=wp.mat33(*np.eye(3).reshape(-1)))
    builder.add_articulation([builder.add_joint_revolute(-1, body, axis=(0.0, 1.0, 0.0))])
    builder.color()
    solver = SolverVBD(builder.finalize(device="cpu"))
    assert solver._bodies is not None and solver._bodies.rods is None
