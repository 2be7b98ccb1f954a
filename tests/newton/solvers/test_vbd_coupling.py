"""Particles and rigid bodies of SolverVBD that move one another, against closed forms."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
import warp as wp

from unibody import newton
from unibody.newton.solvers import SolverVBD

STILL = (0.0, 0.0, 0.0)
LEVEL = wp.quat_identity()


def _builder(gravity: float = 0.0) -> newton.ModelBuilder:
    return newton.ModelBuilder(gravity=gravity)


def _body(builder: newton.ModelBuilder, at: Any = STILL, mass: float = 1.0) -> int:
    pose = wp.transform(wp.vec3(*at), LEVEL)
    return builder.add_body(xform=pose, mass=mass, inertia=wp.mat33(np.eye(3) * mass))


def _finalized(builder: newton.ModelBuilder) -> Any:
    builder.color()
    return builder.finalize(device="cpu")


def _run(
    model: Any, solver: Any, steps: int, dt: float, *, force: Any = None, collide: Any = None
) -> Any:
    now, after = model.state(), model.state()
    contacts = None if collide is None else collide.contacts()
    for _ in range(steps):
        now.clear_forces()
        if force is not None:
            now.particle_f.assign(force)
        if collide is not None and contacts is not None:
            collide.collide(now, contacts)
        solver.step(now, after, None, contacts, dt)
        now, after = after, now
    return now


def test_a_particle_that_is_held_hard_shares_its_momentum_with_the_body() -> None:
    builder = _builder()
    body = _body(builder)
    particle = builder.add_particle(STILL, (1.0, 0.0, 0.0), 1.0, radius=0.0)
    builder.add_attachment_particle_body(particle, body, stiffness=math.inf)
    model = _finalized(builder)
    state = _run(model, SolverVBD(model, iterations=50), 1, 1.0 / 60.0)
    # two masses of 1 kg, of which one had 1 m/s; each round halves what is left of the error
    assert state.particle_qd.numpy()[0, 0] == pytest.approx(0.5, abs=2e-4)
    assert state.body_qd.numpy()[0, 0] == pytest.approx(0.5, abs=2e-4)


def test_a_particle_pulls_a_body_round_its_centre_of_mass() -> None:
    builder = _builder()
    body = _body(builder)
    at = (0.0, 1.0, 0.0)
    particle = builder.add_particle(at, (1.0, 0.0, 0.0), 1.0, radius=0.0)
    builder.add_attachment_particle_body(particle, body, body_point=at, stiffness=math.inf)
    model = _finalized(builder)
    state = _run(model, SolverVBD(model, iterations=50), 1, 2e-3)
    v, twist = state.particle_qd.numpy()[0], state.body_qd.numpy()[0]
    place, com = state.particle_q.numpy()[0], state.body_q.numpy()[0, :3]
    assert v + twist[:3] == pytest.approx(np.array([1.0, 0.0, 0.0]), abs=2e-3)
    turning = np.cross(place, v) + np.cross(com, twist[:3]) + twist[3:]
    assert turning == pytest.approx(np.array([0.0, 0.0, -1.0]), abs=2e-3)
    assert twist[5] < -0.1


@pytest.mark.parametrize(("stiffness", "sag"), [(1e4, 0.01), (math.inf, 0.0)])
def test_a_loaded_particle_hangs_as_far_down_as_its_spring_lets_it(
    stiffness: float, sag: float
) -> None:
    builder = _builder()
    body = _body(builder, mass=0.0)
    particle = builder.add_particle(STILL, STILL, 1.0, radius=0.0)
    builder.add_attachment_particle_body(particle, body, stiffness=stiffness)
    model = _finalized(builder)
    force = np.array([[0.0, 0.0, -100.0]], np.float32)
    state = _run(model, SolverVBD(model, iterations=30), 20, 1e-2, force=force)
    assert state.particle_q.numpy()[0, 2] == pytest.approx(-sag, abs=2e-5)  # F / K


def test_attachments_that_are_off_hold_nothing() -> None:
    builder = _builder()
    body = _body(builder, mass=0.0)
    particle = builder.add_particle(STILL, (1.0, 0.0, 0.0), 1.0, radius=0.0)
    builder.add_attachment_particle_body(particle, body, enabled=False, damping=5.0)
    model = _finalized(builder)
    state = _run(model, SolverVBD(model), 10, 1e-2)
    assert state.particle_q.numpy()[0, 0] == pytest.approx(0.1, abs=1e-5)


def test_a_particle_that_hits_a_body_hands_its_momentum_over() -> None:
    builder = _builder()
    config = newton.ModelBuilder.ShapeConfig(density=0.0, ke=1e4, kd=0.0, mu=0.0)
    body = _body(builder, (0.5, 0.0, 0.0))
    builder.add_shape_sphere(body, radius=0.2, cfg=config)
    builder.add_particle((0.25, 0.0, 0.0), (2.0, 0.0, 0.0), 0.5, radius=0.01)
    model = _finalized(builder)
    model.soft_contact_ke, model.soft_contact_kd = 1e4, 0.0
    pipeline = newton.CollisionPipeline(model, soft_contact_margin=0.1)
    state = _run(model, SolverVBD(model, iterations=20), 60, 1e-3, collide=pipeline)
    particle, ball = state.particle_qd.numpy()[0, 0], state.body_qd.numpy()[0, 0]
    assert 0.5 * particle + ball == pytest.approx(1.0, abs=1e-3)
    assert ball > particle  # they part


def test_a_box_lies_on_cloth_that_is_held_at_its_border() -> None:
    builder = _builder(-9.81)
    builder.add_cloth_grid(
        pos=(-0.2, -0.2, 0.0), rot=LEVEL, vel=STILL, dim_x=4, dim_y=4, cell_x=0.1, cell_y=0.1,
        mass=0.01, fix_left=True, fix_right=True, fix_top=True, fix_bottom=True, tri_ke=1e4,
        tri_ka=1e4, tri_kd=1e-3, edge_ke=1e-3, particle_radius=0.01,
    )  # fmt: skip
    box = builder.add_body(xform=wp.transform(wp.vec3(0.0, 0.0, 0.06), LEVEL))
    builder.add_shape_box(box, hx=0.08, hy=0.08, hz=0.04)
    model = _finalized(builder)
    pipeline = newton.CollisionPipeline(model, soft_contact_margin=0.05)
    state = _run(model, SolverVBD(model), 60, 1.0 / 100.0, collide=pipeline)
    # free fall for 0.6 s is 1.8 m
    assert -0.15 < state.body_q.numpy()[0, 2] < 0.06
    assert abs(state.body_qd.numpy()[0, 2]) < 0.5


def test_a_recorded_graph_moves_particles_and_bodies_as_a_loop_does() -> None:
    builder = _builder()
    body = _body(builder)
    particle = builder.add_particle(STILL, (1.0, 0.0, 0.0), 1.0, radius=0.0)
    builder.add_attachment_particle_body(particle, body, stiffness=1e3)
    model = _finalized(builder)
    expected = _run(model, SolverVBD(model), 4, 1e-2)
    solver = SolverVBD(model)
    now, after = model.state(), model.state()
    with wp.ScopedDevice("cpu"), wp.ScopedCapture() as recorded:
        for _ in range(2):
            solver.step(now, after, None, None, 1e-2)
            now, after = after, now
    for _ in range(2):
        wp.capture_launch(recorded.graph)
    np.testing.assert_array_equal(now.particle_q.numpy(), expected.particle_q.numpy())
    np.testing.assert_array_equal(now.body_q.numpy(), expected.body_q.numpy())


def test_a_reset_forgets_forces_of_attachments_in_the_worlds_that_are_meant() -> None:
    template = _builder()
    body = _body(template, mass=0.0)
    particle = template.add_particle(STILL, (1.0, 0.0, 0.0), 1.0, radius=0.0)
    template.add_attachment_particle_body(particle, body, stiffness=math.inf)
    builder = _builder()
    builder.replicate(template, 2)
    model = _finalized(builder)
    assert model.attachment_particle_body_body.numpy().tolist() == [0, 1]
    assert model.attachment_particle_body_world.numpy().tolist() == [0, 1]
    solver = SolverVBD(model, iterations=30)
    state = _run(model, solver, 1, 2e-3)
    solver.reset(state, world_mask=wp.array([True, False, False], dtype=bool, device="cpu"))
    after = model.state()
    state.particle_qd.zero_()
    solver.iterations = 1
    solver.step(state, after, None, None, 2e-3)
    moved = np.abs(after.particle_q.numpy()[:, 0] - state.particle_q.numpy()[:, 0])
    assert moved[0] == pytest.approx(0.0, abs=1e-9)
    assert moved[1] > 1e-5  # what is left of the multiplier pulls


def test_attachments_that_do_not_fit_are_refused_by_name() -> None:
    builder = _builder()
    body = _body(builder)
    particle = builder.add_particle(STILL, STILL, 1.0)
    for wrong, kind, told in (
        ({"particle": 1}, IndexError, "particle=1"),
        ({"body": -1}, IndexError, "body=-1"),
        ({"stiffness": -1.0}, ValueError, "stiffness"),
        ({"damping": math.inf}, ValueError, "damping"),
        ({"body_point": (math.nan, 0.0, 0.0)}, ValueError, "body_point"),
    ):
        with pytest.raises(kind, match=told):
            builder.add_attachment_particle_body(
                **{"particle": particle, "body": body, **wrong}  # type: ignore[arg-type]
            )
    builder.add_attachment_particle_body(particle, body)
    model = _finalized(builder)
    with pytest.raises(ValueError, match="endpoints"):
        SolverVBD(model, integrate_with_external_rigid_solver=True)


def test_attachments_follow_bodies_that_become_one() -> None:
    builder = _builder()
    base, tip = builder.add_link(mass=1.0), builder.add_link(mass=1.0)
    root = builder.add_joint_free(base)
    arm = wp.transform(wp.vec3(0.5, 0.0, 0.0), LEVEL)
    fixed = builder.add_joint_fixed(base, tip, parent_xform=arm)
    builder.add_articulation([root, fixed])
    particle = builder.add_particle(STILL, STILL, 1.0)
    builder.add_attachment_particle_body(particle, tip, body_point=(0.0, 0.1, 0.0))
    builder.collapse_fixed_joints()
    assert builder.attachment_particle_body_body == [base]
    assert tuple(builder.attachment_particle_body_body_point[0]) == pytest.approx((0.5, 0.1, 0.0))
