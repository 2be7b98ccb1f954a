"""SolverVBD of rigid bodies and cables, against closed forms."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
import warp as wp

from unibody import newton
from unibody.errors import InvalidArgumentError, NotSupportedError
from unibody.newton.solvers import SolverVBD

LEVEL = (0.0, 0.0, 0.0, 1.0)


def _run(builder: Any, steps: int, dt: float, gravity: bool = True, **options: Any) -> Any:
    builder.color()
    model = builder.finalize(device="cpu")
    if not gravity:
        model.set_gravity((0.0, 0.0, 0.0))
    solver = SolverVBD(model, **options)
    now, after = model.state(), model.state()
    for _ in range(steps):
        now.clear_forces()
        contacts = model.collide(now) if model.shape_count else None
        solver.step(now, after, None, contacts, dt)
        now, after = after, now
    return now


def _cantilever(segments: int, bend: float, damping: float) -> tuple[Any, list[int]]:
    """A cable along x, 1 m long, 0.1 kg, its first segment held."""
    builder = newton.ModelBuilder()
    points, turns = newton.utils.create_straight_cable_points_and_quaternions(
        (0.0, 0.0, 1.0), (1.0, 0.0, 0.0), 1.0, segments
    )
    shape = newton.ModelBuilder.ShapeConfig(density=0.0, has_shape_collision=False)
    bodies, _ = builder.add_rod(
        points,
        turns,
        radius=0.01,
        cfg=shape,
        stretch_stiffness=1e6,
        bend_stiffness=bend,
        bend_damping=damping,
    )
    length = 1.0 / segments
    for body in bodies[1:]:
        builder.body_mass[body] = 0.1 * length
        builder.body_inv_mass[body] = 1.0 / builder.body_mass[body]
        inertia = np.eye(3) * 0.1 * length * length**2 / 12.0
        builder.body_inertia[body] = wp.mat33(*inertia.reshape(-1))
        builder.body_inv_inertia[body] = wp.mat33(*np.linalg.inv(inertia).reshape(-1))
    return builder, bodies


def _hanging_chain(segments: int, rigidity: float, load: float) -> float:
    """How far the end of a chain of links hangs [m], whose hinges bend by M l / EI.

    Args:
        segments: Links, of which the first is held level; all are 1 m long together.
        rigidity: EI [N m^2].
        load: Weight of a link [N].
    """
    length, bends = 1.0 / segments, np.zeros(segments - 1)
    for _ in range(200):
        angles = np.cumsum(bends)
        hinges = np.concatenate([[0.0], np.cumsum(np.cos(angles) * length)])
        middles = hinges[:-1] + np.cos(angles) * length / 2.0
        moments = [np.sum(load * (middles[i:] - hinges[i])) for i in range(segments - 1)]
        bends = 0.5 * bends + 0.5 * np.array(moments) * length / rigidity
    return float(np.sum(np.sin(np.cumsum(bends))) * length)


def test_a_cable_that_is_held_at_one_end_sags_as_a_beam() -> None:
    segments, rigidity = 6, 0.6
    builder, bodies = _cantilever(segments, rigidity, 0.1)
    state = _run(builder, 600, 1.0 / 240.0, iterations=20)
    pose = wp.transform(*state.body_q.numpy()[bodies[-1]])
    tip = wp.transform_point(pose, wp.vec3(0.0, 0.0, 1.0 / segments))
    # Rounds that have not converged let it sag: with ten links 0.1 % for 30 rounds.
    expected = _hanging_chain(segments, rigidity, 0.981 / 6.0)
    assert 1.0 - tip[2] == pytest.approx(expected, rel=0.01)
    assert np.abs(state.body_qd.numpy()).max() < 0.02


def test_bodies_on_joints_swing_with_the_period_of_a_pendulum() -> None:
    builder = newton.ModelBuilder()
    body = builder.add_link(
        xform=((math.sin(0.1), 0.0, -math.cos(0.1)), LEVEL), mass=1.0, inertia=np.eye(3) * 1e-3
    )
    back = wp.transform((-math.sin(0.1), 0.0, math.cos(0.1)), wp.quat_identity())
    joint = builder.add_joint_revolute(-1, body, axis="y", child_xform=back)
    builder.add_articulation([joint])
    # T = 2 pi sqrt((I + m l^2) / (m g l)); after half of it the bob is on the other side.
    half = math.pi * math.sqrt((1e-3 + 1.0) / 9.81)
    steps = 2000
    state = _run(builder, steps, half / steps, iterations=20)
    pose = state.body_q.numpy()[0]
    # Implicit Euler damps by dt w^2 T / 4: 0.1 % of 0.1 m; the amplitude adds 0.06 % to the period.
    assert pose[:3] == pytest.approx([-math.sin(0.1), 0.0, -math.cos(0.1)], abs=1.5e-3)


def test_fixed_bodies_move_as_one_and_keep_their_momentum() -> None:
    builder = newton.ModelBuilder()
    first = builder.add_body(mass=1.0, inertia=np.eye(3) * 0.1)
    second = builder.add_link(xform=((1, 0, 0), LEVEL), mass=3.0, inertia=np.eye(3) * 0.3)
    half = wp.transform((0.5, 0.0, 0.0), wp.quat_identity())
    joint = builder.add_joint_fixed(
        first, second, parent_xform=half, child_xform=wp.transform_inverse(half)
    )
    builder.joint_articulation[joint] = builder.joint_articulation[0]
    builder.body_qd[first] = (0.0, 0.0, 2.0, 0.0, 0.0, 0.0)
    builder.body_qd[second] = (0.0, 0.0, 2.0, 0.0, 0.0, 0.0)
    builder.body_qd[second] = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    state = _run(builder, 100, 1e-3, gravity=False, iterations=20)
    q, qd = state.body_q.numpy(), state.body_qd.numpy()
    # Forces at a joint are equal and opposite once its rounds have converged.
    assert qd[0, 2] * 1.0 + qd[1, 2] * 3.0 == pytest.approx(2.0, rel=2e-2)
    assert np.linalg.norm(q[1, :3] - q[0, :3]) == pytest.approx(1.0, abs=1e-2)
    assert qd[0, 3:] == pytest.approx(qd[1, 3:], abs=0.05)


@pytest.mark.parametrize(("mu", "slides"), [(0.3, True), (0.8, False)])
def test_a_box_slides_on_a_slope_that_is_steeper_than_its_friction(mu: float, slides: bool) -> None:
    builder = newton.ModelBuilder()
    builder.default_shape_cfg.ke, builder.default_shape_cfg.kd = 1e4, 1e-2
    builder.default_shape_cfg.mu = mu
    lean = wp.quat_from_axis_angle(wp.vec3(0.0, 1.0, 0.0), math.atan(0.5))
    normal = wp.quat_rotate(lean, wp.vec3(0.0, 0.0, 1.0))
    builder.add_shape_plane(plane=(*normal, 0.0), width=0.0, length=0.0)
    body = builder.add_body(xform=wp.transform(normal * 0.1, lean))
    builder.add_shape_box(body, hx=0.2, hy=0.2, hz=0.1)
    state = _run(builder, 200, 1.0 / 400.0, iterations=20, friction_epsilon=0.01)
    way = np.linalg.norm(state.body_q.numpy()[0, :3] - np.array(normal) * 0.1)
    # a = g (sin - mu cos) for half a second; what holds creeps below friction_epsilon.
    ideal = 0.5 * 9.81 * (0.5 - mu) / math.sqrt(1.25) * 0.5**2 if slides else 0.0
    assert way == pytest.approx(ideal, abs=0.012)


def test_a_body_without_mass_stays_where_the_script_puts_it() -> None:
    builder = newton.ModelBuilder()
    held = builder.add_link(xform=((0.0, 0.0, 1.0), LEVEL))
    hung = builder.add_link(xform=((0.0, 0.0, 0.5), LEVEL), mass=1.0, inertia=np.eye(3) * 0.01)
    above = wp.transform((0.0, 0.0, 0.5), wp.quat_identity())
    builder.add_articulation([builder.add_joint_ball(held, hung, child_xform=above)])
    builder.body_qd[held] = (3.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    state = _run(builder, 100, 1e-2, iterations=10)
    assert state.body_q.numpy()[held, :3] == pytest.approx([0.0, 0.0, 1.0])
    # m g / k: 10 N by the least stiffness of joints, 1e4 N/m
    assert state.body_q.numpy()[hung, :3] == pytest.approx([0.0, 0.0, 0.5], abs=1e-3)


def test_what_rigid_bodies_lack_is_named() -> None:
    builder = newton.ModelBuilder()
    body = builder.add_body(mass=1.0, inertia=np.eye(3))
    with pytest.raises(ValueError, match="color"):
        SolverVBD(builder.finalize(device="cpu"))
    builder.color()
    model = builder.finalize(device="cpu")
    with pytest.raises(NotSupportedError, match="dahl"):
        SolverVBD(model, rigid_enable_dahl_friction=True)
    with pytest.raises(NotSupportedError, match="rigid_magic"):
        SolverVBD(model, rigid_magic=1)
    with pytest.raises(InvalidArgumentError, match="rigid_avbd_beta"):
        SolverVBD(model, rigid_avbd_beta=-1.0)
    joint = builder.add_joint_distance(-1, body, max_distance=1.0)
    assert joint >= 0
    builder.joint_articulation[joint] = -1
    with pytest.raises(NotSupportedError, match="distance"):
        SolverVBD(builder.finalize(device="cpu"))


def test_contacts_begin_soft_and_stiffen_round_by_round() -> None:
    builder = newton.ModelBuilder(gravity=0.0)
    builder.default_shape_cfg.ke, builder.default_shape_cfg.kd = 1e6, 0.0
    builder.add_ground_plane()
    ball = builder.add_body(xform=wp.transform((0.0, 0.0, 0.09), wp.quat_identity()), mass=1.0)
    builder.add_shape_sphere(ball, radius=0.1)
    builder.color()
    model = builder.finalize(device="cpu")
    now, after = model.state(), model.state()
    contacts = model.collide(now)
    solver = SolverVBD(model, iterations=1, rigid_contact_k_start=50.0, rigid_avbd_beta=1e4)
    mass, dt, depth, k = float(model.body_mass.numpy()[0]), 0.01, 0.01, 50.0
    speed = 0.0
    for _ in range(2):
        solver.step(now, after, None, contacts, dt)
        now, after = after, now
        solver.set_rigid_history_update(False)  # the contacts are those of before
        # one round of Newton's method: (m / dt^2 + k) way = m v / dt + k depth, from where v leads
        way = speed * dt
        way += k * max(depth - way, 0.0) / (mass / dt**2 + k)
        depth, speed = depth - way, way / dt
        k += 1e4 * max(depth, 0.0)
        # ways of 1e-5 m at a height of 0.1 m, in float32
        assert now.body_qd.numpy()[0, 2] == pytest.approx(speed, rel=1e-2)


def test_a_plate_that_a_script_moves_carries_what_lies_on_it() -> None:
    builder = newton.ModelBuilder()
    builder.default_shape_cfg = newton.ModelBuilder.ShapeConfig(mu=1.0, ke=1e5, kd=0.0)
    plate = builder.add_body(mass=0.0)
    cfg = newton.ModelBuilder.ShapeConfig(mu=1.0, ke=1e5, kd=0.0, density=0.0)
    builder.add_shape_box(plate, hx=0.5, hy=0.5, hz=0.05, cfg=cfg)
    box = builder.add_body(xform=wp.transform((0.0, 0.0, 0.15), wp.quat_identity()))
    builder.add_shape_box(box, hx=0.1, hy=0.1, hz=0.1)
    builder.color()
    model = builder.finalize(device="cpu")
    solver, speed, dt = SolverVBD(model, iterations=30), 0.1, 1.0 / 240.0
    state, after = model.state(), model.state()
    for step in range(20):
        poses = state.body_q.numpy()
        poses[plate, 0] = speed * step * dt
        state.body_q.assign(poses)
        solver.step(state, after, None, model.collide(state), dt)
        state, after = after, state
    # friction gives it the plate's speed within 0.01 s of 9.81 m/s^2; below 0.01 m/s it creeps
    assert state.body_qd.numpy()[box, 0] == pytest.approx(speed, abs=1e-3)
    assert state.body_q.numpy()[box, 0] == pytest.approx(19 * speed * dt, abs=1e-3)


@pytest.mark.parametrize("radius", [1e-4, 4242.0])
def test_bodies_of_any_size_fall_as_one(radius: float) -> None:
    builder = newton.ModelBuilder()
    builder.add_shape_sphere(builder.add_body(), radius=radius)
    builder.color()
    model = builder.finalize(device="cpu")
    solver, now, after = SolverVBD(model), model.state(), model.state()
    for _ in range(2):
        solver.step(now, after, None, None, 0.001)
        now, after = after, now
    # two steps of g dt; a velocity is a difference of places over the step
    assert now.body_qd.numpy()[0] == pytest.approx([0, 0, -0.01962, 0, 0, 0], abs=1e-5)


def test_the_axis_of_a_hinge_stays_however_far_it_has_turned() -> None:
    builder = newton.ModelBuilder(gravity=0.0)
    wheel = builder.add_link(mass=1.0, inertia=wp.mat33(np.eye(3) * 0.01))
    joint = builder.add_joint_revolute(-1, wheel, axis=(0.0, 0.0, 1.0))
    builder.add_articulation([joint])
    builder.color()
    model = builder.finalize(device="cpu")
    solver, now, after = SolverVBD(model, iterations=5), model.state(), model.state()
    now.body_qd.assign(np.array([[0.0, 0.0, 0.0, 0.0, 0.0, 10.0]], np.float32))
    tilts = []
    for _ in range(120):  # two and a half turns
        now.body_f.assign(np.array([[0.0, 0.0, 0.0, 0.5, 0.0, 0.0]], np.float32))
        solver.step(now, after, None, None, 1.0 / 60.0 / 4.0)
        now, after = after, now
        x, y = now.body_q.numpy()[0, 3:5]
        tilts.append(2.0 * float(np.hypot(x, y)))
    # the lock is a spring of more than 1e4 N m/rad; what it has not yet got it gets in later rounds
    assert max(tilts) < 2e-3
    assert abs(now.body_qd.numpy()[0, 5]) == pytest.approx(10.0, abs=0.2)
