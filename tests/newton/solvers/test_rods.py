"""Rods of SolverVBD against the theory of beams."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
import warp as wp

from unibody import newton
from unibody.newton.builder import later_rods
from unibody.newton.rod import Rod
from unibody.newton.solvers import SolverVBD

RADIUS, LENGTH, COUNT = 0.02, 1.0, 10
MODULUS, SHEAR = 1e7, 4e6
MOMENT = math.pi * RADIUS**4 / 4.0
DAMPING = 7.0  # N m s/rad: that of the slowest vibration, 3.5 rad/s, is critical
DT, STEPS = 1 / 60, 360  # ten times as long as it takes to fall off


def _held_rod(**more: Any) -> tuple[Any, list[int]]:
    """A rod along x whose first segment is held; its free part is `LENGTH` long."""
    segment = LENGTH / COUNT
    rod = Rod.create_straight(
        (-0.5 * segment, 0.0, 0.0),
        (1.0, 0.0, 0.0),
        LENGTH + 0.5 * segment,
        segment_count=COUNT,
        radius=RADIUS,
        **(more or {"youngs_modulus": MODULUS, "shear_modulus": SHEAR}),
    )
    builder = newton.ModelBuilder(gravity=0.0)
    builder.default_shape_cfg.density = 1000.0
    bodies, _ = later_rods.add_rod_object(
        builder, rod=rod, bend_damping=DAMPING, wrap_in_articulation=False
    )
    builder.body_mass[bodies[0]] = builder.body_inv_mass[bodies[0]] = 0.0
    builder.body_inertia[bodies[0]] = builder.body_inv_inertia[bodies[0]] = wp.mat33()
    builder.color()
    return builder.finalize(device="cpu", skip_validation_joints=True), bodies


def _at_rest(model: Any, wrench: tuple[float, ...], tip: int) -> np.ndarray:
    """Poses after a load on the last segment, held until it no longer moves."""
    solver = SolverVBD(model, iterations=150)
    now, after = model.state(), model.state()
    forces = np.zeros((model.body_count, 6), np.float32)
    forces[tip] = wrench
    for _ in range(STEPS):
        now.body_f.assign(forces)
        solver.step(now, after, None, None, DT)
        now, after = after, now
    return now.body_q.numpy()


def test_a_rod_bends_as_a_cantilever() -> None:
    model, bodies = _held_rod()
    force = 0.05
    poses = _at_rest(model, (0.0, 0.0, -force, 0.0, 0.0, 0.0), bodies[-1])
    x, z = poses[-1, 0], poses[-1, 2]
    # Euler-Bernoulli: F x^3 / (3 E I). Ten segments leave 0.5 %, the rest are rounds and steps.
    assert z == pytest.approx(-force * x**3 / (3.0 * MODULUS * MOMENT), rel=0.03)


def test_a_rod_twists_as_a_shaft() -> None:
    model, bodies = _held_rod()
    torque = 0.02
    poses = _at_rest(model, (0.0, 0.0, 0.0, torque, 0.0, 0.0), bodies[-1])
    first, last = (wp.quat(*poses[body, 3:].tolist()) for body in (bodies[0], bodies[-1]))
    turn = last * wp.quat_inverse(first)
    # T L / (G J), between the middles of the first and the last segment
    length = poses[-1, 0] - poses[0, 0]
    expected = torque * length / (SHEAR * 2.0 * MOMENT)
    assert 2.0 * math.atan2(turn[0], turn[3]) == pytest.approx(expected, rel=0.03)


def test_stated_rigidities_are_those_of_a_section() -> None:
    area = math.pi * RADIUS**2
    of_material = Rod(
        [(0, 0, 0), (1, 0, 0)], radius=RADIUS, youngs_modulus=MODULUS, shear_modulus=SHEAR
    ).section()
    assert of_material == pytest.approx(
        (MODULUS * area, 0.9 * SHEAR * area, MODULUS * MOMENT, SHEAR * 2.0 * MOMENT)
    )
    rod = Rod(
        [(0, 0, 0), (1, 0, 0), (1, 0, 3)],
        stretch_rigidity=8.0,
        shear_rigidity=6.0,
        bend_rigidity=4.0,
        twist_rigidity=2.0,
    )
    builder = newton.ModelBuilder()
    bodies, joints = later_rods.add_rod_object(builder, rod=rod, twist_stiffness=7.0)
    assert (len(bodies), len(joints)) == (2, 1)
    # the joint acts over two metres, from the middle of one segment to that of the other
    assert builder.joint_target_ke[-6:] == [3.0, 3.0, 4.0, 2.0, 2.0, 7.0]
    start = builder.joint_q_start[joints[0]]
    assert builder.joint_q[start : start + 3] == pytest.approx([0.0] * 3, abs=1e-6)
    model = builder.finalize(device="cpu")
    state = model.state()
    newton.eval_fk(model, model.joint_q, model.joint_qd, state)
    assert np.allclose(state.body_q.numpy(), model.body_q.numpy(), atol=1e-5)


def test_a_rod_that_is_straight_at_rest_straightens() -> None:
    points = [(math.sin(a), 0.0, 1.0 - math.cos(a)) for a in np.linspace(0.0, 1.0, 5)]
    rod = Rod(points, rest_straight=True, radius=RADIUS)
    builder = newton.ModelBuilder(gravity=0.0)
    later_rods.add_rod_object(builder, rod=rod, bend_stiffness=1.0, bend_damping=0.1)
    builder.color()
    model = builder.finalize(device="cpu")
    poses = _at_rest(model, (0.0,) * 6, 0)
    axes = [np.array(wp.quat_rotate(wp.quat(*q), wp.vec3(0, 0, 1))) for q in poses[:, 3:].tolist()]
    assert axes[0] @ axes[-1] > 0.9999  # it began at 0.75 rad, whose cosine is 0.73


def test_rods_that_do_not_fit_are_refused_by_name() -> None:
    line = [(0, 0, 0), (1, 0, 0), (2, 0, 0)]
    for given, told in (
        ({"points": [(0, 0, 0)]}, "at least 2 points"),
        ({"points": [(0, 0, 0), (0, 0, 0)]}, "finite length"),
        ({"points": line, "edges": [(0, 3)]}, "indices"),
        ({"points": line, "edges": [(0, 1), (1, 0)]}, "duplicates"),
        ({"points": line, "closed": True}, "coincide"),
        ({"points": line, "quaternions": [(0, 0, 0, 1)] * 2}, "align"),
        ({"points": line, "youngs_modulus": 1.0}, "radius is required"),
        ({"points": line, "bend_rigidity": 1.0}, "together"),
        ({"points": line, "rest_points": line[:2]}, "3 points"),
    ):
        with pytest.raises(ValueError, match=told):
            Rod(**given)


def test_segments_whose_frames_are_a_little_off_lie_along_the_rod() -> None:
    points = [(0.0, 0.0, 1.0), (1.0, 0.0, 1.0), (1.5, 0.9, 1.0)]
    tilt = wp.quat_from_axis_angle(wp.vec3(0.0, 0.0, 1.0), 0.02)
    turns = [tilt * wp.quat(*turn.tolist()) for turn in Rod(points).quaternions]
    found: dict[str, list[Any]] = {"com": [], "start": []}
    for origin, segments in found.items():
        builder = newton.ModelBuilder()
        bodies, _ = later_rods.add_rod_object(
            builder, rod=Rod(points, quaternions=turns, radius=0.01), body_frame_origin=origin
        )
        for body in bodies:
            pose = builder.body_q[body]
            middle = wp.transform_point(pose, builder.body_com[body])
            segments.append([*middle, *wp.transform_vector(pose, wp.vec3(0.0, 0.0, 1.0))])
    length = math.hypot(0.5, 0.9)
    expected = [[0.5, 0.0, 1.0, 1.0, 0.0, 0.0], [1.25, 0.45, 1.0, 0.5 / length, 0.9 / length, 0.0]]
    # single precision
    np.testing.assert_allclose(found["com"], expected, atol=1e-6)
    np.testing.assert_allclose(found["start"], expected, atol=1e-6)


def test_without_load_frames_that_are_a_little_off_do_not_bend_a_rod() -> None:
    line = [(0.0, 0.0, 0.0), (0.0, 0.0, 1.0), (0.0, 0.0, 2.0)]
    tilts = [wp.quat_from_axis_angle(wp.vec3(1.0, 0.0, 0.0), angle) for angle in (0.02, -0.02)]
    builder = newton.ModelBuilder()
    _, joints = later_rods.add_rod_object(builder, rod=Rod(line, rest_quaternions=tilts))
    start = builder.joint_q_start[joints[0]]
    rest = builder.joint_rest_q[start + 3 : start + 7]
    assert rest == pytest.approx([0.0, 0.0, 0.0, 1.0], abs=1e-6)
