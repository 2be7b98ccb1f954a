"""SolverSemiImplicit: momentum, energy, contacts, and gradients against differences."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import warp as wp

from unibody import newton
from unibody.errors import NotSupportedError
from unibody.newton import solvers

IDENTITY = (0.0, 0.0, 0.0, 1.0)


def _run(model: Any, steps: int, dt: float, collide: bool = False, **options: Any) -> Any:
    solver = solvers.SolverSemiImplicit(model, **options)
    now, after = model.state(), model.state()
    for _ in range(steps):
        now.clear_forces()
        contacts = model.collide(now) if collide else None
        solver.step(now, after, None, contacts, dt)
        now, after = after, now
    return now


def _momentum(model: Any, state: Any) -> tuple[np.ndarray, np.ndarray]:
    """Linear momentum, and angular momentum about the origin."""
    linear, angular = np.zeros(3), np.zeros(3)
    for k in range(model.body_count):
        pose = wp.transform(*state.body_q.numpy()[k])
        rotation = np.array(wp.quat_to_matrix(wp.transform_get_rotation(pose))).reshape(3, 3)
        com = np.array(wp.transform_point(pose, wp.vec3(*model.body_com.numpy()[k])))
        v, w = np.split(state.body_qd.numpy()[k], 2)
        mass = model.body_mass.numpy()[k]
        linear += mass * v
        spin = rotation @ model.body_inertia.numpy()[k] @ rotation.T @ w
        angular += mass * np.cross(com, v) + spin
    return linear, angular


def _chain(add: Callable[[Any, int, int], int], gravity: float = 0.0) -> Any:
    builder = newton.ModelBuilder(gravity=gravity)
    first = builder.add_body(xform=((0, 0, 0), IDENTITY), mass=1.0, inertia=np.eye(3) * 0.1)
    second = builder.add_link(xform=((1, 0, 0), IDENTITY), mass=2.0, inertia=np.eye(3) * 0.2)
    joint = add(builder, first, second)
    builder.joint_articulation[joint] = 0
    builder.joint_qd[:6] = [0.1, 0.2, 0.3, 0.5, 1.0, -0.4]
    model = builder.finalize(device="cpu", skip_validation_joints=True)
    newton.eval_fk(model, model.joint_q, model.joint_qd, model)
    return model


_ANCHORS = {
    "parent_xform": wp.transform((0.5, 0.0, 0.0), wp.quat_identity()),
    "child_xform": wp.transform((-0.5, 0.0, 0.0), wp.quat_identity()),
}
JOINTS: dict[str, Callable[[Any, int, int], int]] = {
    "fixed": lambda b, p, c: b.add_joint_fixed(p, c, **_ANCHORS),
    "ball": lambda b, p, c: b.add_joint_ball(p, c, **_ANCHORS),
    "revolute": lambda b, p, c: b.add_joint_revolute(p, c, axis="z", target_ke=5.0, **_ANCHORS),
    "prismatic": lambda b, p, c: b.add_joint_prismatic(p, c, axis="x", target_ke=5.0, **_ANCHORS),
    "distance": lambda b, p, c: b.add_joint_distance(
        p, c, min_distance=-1.0, max_distance=0.01, **_ANCHORS
    ),
}


@pytest.mark.parametrize("kind", JOINTS)
def test_joints_keep_the_momentum_of_what_they_join(kind: str) -> None:
    model = _chain(JOINTS[kind])
    before = _momentum(model, model.state())
    after = _momentum(model, _run(model, 500, 1e-3, angular_damping=0.0))
    # Forces act at two anchors that springs hold together: a gap of 1 mm at 10 N turns by 1e-2 Nm.
    assert after[0] == pytest.approx(before[0], abs=1e-4)
    assert after[1] == pytest.approx(before[1], abs=1e-2)


def test_a_body_that_turns_freely_keeps_its_energy_and_angular_momentum() -> None:
    builder = newton.ModelBuilder(gravity=0.0)
    builder.add_body(mass=1.0, inertia=np.diag([0.1, 0.2, 0.25]))
    builder.body_qd[0] = (0.0, 0.0, 0.0, 1.0, 2.0, 0.5)
    model = builder.finalize(device="cpu")
    state = _run(model, 1000, 1e-3, angular_damping=0.0)
    # Of first order: dt times the largest speed, squared, over one second.
    assert _momentum(model, state)[1] == pytest.approx(_momentum(model, model.state())[1], abs=5e-3)


def test_a_pendulum_of_springs_keeps_its_energy() -> None:
    builder = newton.ModelBuilder()
    link = builder.add_link(mass=1.0, inertia=np.eye(3) * 0.01)
    joint = builder.add_joint_revolute(-1, link, axis="y", child_xform=((0, 0, 0.5), IDENTITY))
    builder.add_articulation([joint])
    builder.joint_q[0] = 1.0
    model = builder.finalize(device="cpu")
    newton.eval_fk(model, model.joint_q, model.joint_qd, model)

    def energy(state: Any) -> float:
        v, w = np.split(state.body_qd.numpy()[0].astype(float), 2)
        return float(0.5 * v @ v + 0.005 * w @ w + 9.81 * state.body_q.numpy()[0, 2])

    # The anchor's spring sags by m g / ke = 1 mm, and its damper takes what that swings with.
    state = _run(model, 2000, 5e-4, angular_damping=0.0)
    assert energy(state) == pytest.approx(energy(model.state()), abs=0.02)


def test_a_ball_rests_at_the_depth_where_its_spring_holds_it() -> None:
    builder = newton.ModelBuilder()
    builder.default_shape_cfg.ke, builder.default_shape_cfg.kd = 1e4, 1000.0
    builder.add_ground_plane()
    body = builder.add_body(xform=((0, 0, 0.2), IDENTITY))
    builder.add_shape_sphere(body, radius=0.2)
    model = builder.finalize(device="cpu")
    state = _run(model, 2000, 1e-3, collide=True)
    weight = float(model.body_mass.numpy()[0]) * 9.81
    # Both surfaces are thicker by 0.01 mm; float32 heights of 0.2 m.
    assert state.body_q.numpy()[0, 2] == pytest.approx(0.2 + 2e-5 - weight / 1e4, abs=2e-5)


def test_contacts_that_ask_for_forces_get_them() -> None:
    builder = newton.ModelBuilder()
    builder.default_shape_cfg.ke, builder.default_shape_cfg.kd = 1e4, 200.0
    builder.request_contact_attributes("force")
    builder.add_ground_plane()
    builder.add_shape_sphere(builder.add_body(xform=((0, 0, 0.199), IDENTITY)), radius=0.2)
    model = builder.finalize(device="cpu")
    state = model.state()
    contacts = model.collide(state)
    solvers.SolverSemiImplicit(model).step(state, model.state(), None, contacts, 1e-3)
    # On the ground, which is shape 0: downwards, ke times the depth.
    assert contacts.force.numpy()[0, 2] == pytest.approx(-1e4 * (1e-3 + 2e-5), rel=1e-3)


def test_a_joint_force_of_a_control_is_not_left_in_the_state() -> None:
    model = _chain(JOINTS["revolute"])
    state, control = model.state(), model.control()
    control.joint_f.fill_(3.0)
    solvers.SolverSemiImplicit(model).step(state, model.state(), control, None, 1e-3)
    assert not state.body_f.numpy().any()


def test_a_joint_of_a_cable_is_refused_by_its_number() -> None:
    builder = newton.ModelBuilder()
    link = builder.add_link(mass=1.0)
    builder.add_articulation([builder.add_joint_cable(-1, link)])
    with pytest.raises(NotSupportedError, match="joint 0 of kind CABLE"):
        solvers.SolverSemiImplicit(builder.finalize(device="cpu"))


def _ball(b: Any) -> None:
    b.default_shape_cfg.ke, b.default_shape_cfg.kd, b.default_shape_cfg.kf = 1e3, 5.0, 10.0
    b.add_ground_plane()
    b.add_shape_sphere(b.add_body(xform=((0, 0, 0.3), IDENTITY)), radius=0.2)
    b.body_qd[0] = (1.0, 0.0, -2.0, 0.0, 1.0, 0.0)


def _box(b: Any) -> None:
    _ball(b)
    b.shape_type[1] = newton.GeoType.BOX
    b.shape_scale[1] = (0.2, 0.2, 0.2)
    b.body_qd[0] = (1.0, 0.2, -2.0, 0.3, 0.2, 0.1)


def _hinges(b: Any) -> None:
    links = [b.add_link(mass=1.0, inertia=np.eye(3) * 0.05) for _ in range(3)]
    place = {"child_xform": wp.transform((-0.4, 0.0, 0.1), wp.quat_identity())}
    config = newton.ModelBuilder.JointDofConfig
    joints = [
        b.add_joint_revolute(-1, links[0], axis="y", target_ke=3.0, **place),
        b.add_joint_ball(links[0], links[1], **place),
        b.add_joint_d6(
            links[1],
            links[2],
            [config(axis="x", target_ke=5.0)],
            [config(axis="y", target_ke=2.0, target_pos=0.2), config(axis="z")],
            **place,
        ),
    ]
    b.add_articulation(joints)
    b.joint_q[0] = 0.4
    b.joint_qd[:] = [0.5, 0.1, -0.3, 0.2, 0.4, 0.3, -0.2]


SCENES: dict[str, tuple[Callable[[Any], None], int, float]] = {
    "a ball that rebounds": (_ball, 60, 2e-3),
    "a box that rebounds": (_box, 60, 2e-3),
    "hinges": (_hinges, 40, 2e-3),
}


@pytest.mark.parametrize("name", SCENES)
def test_gradients_are_those_of_differences(name: str) -> None:
    add, steps, dt = SCENES[name]
    builder = newton.ModelBuilder()
    add(builder)
    model = builder.finalize(device="cpu", requires_grad=True)
    if model.articulation_count and name == "hinges":
        newton.eval_fk(model, model.joint_q, model.joint_qd, model)
    solver = solvers.SolverSemiImplicit(model)
    weights = np.random.default_rng(2).uniform(-1.0, 1.0, (model.body_count, 6))
    start = model.body_qd.numpy().astype(float)

    def final(velocities: np.ndarray) -> tuple[Any, Any]:
        states = [model.state() for _ in range(steps + 1)]
        states[0].body_qd = wp.array(
            velocities.astype(np.float32), dtype=wp.spatial_vector, device="cpu", requires_grad=True
        )
        for k in range(steps):
            contacts = model.collide(states[k]) if model.shape_count else None
            solver.step(states[k], states[k + 1], None, contacts, dt)
        return states[0], states[-1]

    with wp.Tape() as tape:
        first, last = final(start)
    seed = wp.array(weights.astype(np.float32), dtype=wp.spatial_vector, device="cpu")
    tape.backward(grads={last.body_qd: seed})
    found = first.body_qd.grad.numpy().astype(float)
    rng = np.random.default_rng(3)
    for _ in range(3):
        direction = rng.uniform(-1.0, 1.0, start.shape)
        step = 2e-3  # float32: 1e-6 / 2e-3 beside step^2
        ends = [
            float((weights * final(start + sign * step * direction)[1].body_qd.numpy()).sum())
            for sign in (-1.0, 1.0)
        ]
        measured = (ends[1] - ends[0]) / (2.0 * step)
        assert float((found * direction).sum()) == pytest.approx(measured, rel=2e-2, abs=5e-3)


def _pushed(of_all: bool, requires_grad: bool) -> np.ndarray:
    """Forces of a triangle of world 0, or of all, and particles of two worlds above it [N]."""

    def add_particle() -> Any:
        part = newton.ModelBuilder(gravity=0.0)
        part.add_particle((0.1, 0.1, 0.01), (0.0, 0.0, 0.0), 1.0, radius=0.05)
        return part

    def add_triangle(b: Any) -> None:
        first = b.particle_count
        for place in ((0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0)):
            b.add_particle(place, (0.0, 0.0, 0.0), 1.0, radius=0.0)
        b.add_triangle(first, first + 1, first + 2)

    builder = newton.ModelBuilder(gravity=0.0)
    first, second = add_particle(), add_particle()
    if of_all:
        add_triangle(builder)
    else:
        add_triangle(first)
    builder.add_world(first)
    builder.add_world(second)
    model = builder.finalize(device="cpu", requires_grad=requires_grad)
    now, after = model.state(), model.state()
    solvers.SolverSemiImplicit(model).step(now, after, None, None, 1e-4)
    found = after.particle_qd.numpy()[:, 2]
    return found[[3, 4]] if of_all else found[[0, 4]]


@pytest.mark.parametrize("requires_grad", [False, True])
def test_triangles_push_particles_of_their_world_only(requires_grad: bool) -> None:
    own, other = _pushed(False, requires_grad)
    assert own > 0.0
    assert other == 0.0
    assert (_pushed(True, requires_grad) == own).all()
