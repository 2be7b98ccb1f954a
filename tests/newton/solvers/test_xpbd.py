"""SolverXPBD: contacts, joints, rebounds and particles, against closed forms."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
import warp as wp

from tests.newton.later import found_later
from unibody import newton
from unibody.errors import InvalidArgumentError
from unibody.newton import solvers

IDENTITY = (0.0, 0.0, 0.0, 1.0)


def _run(model: Any, steps: int, dt: float, **options: Any) -> Any:
    solver = solvers.SolverXPBD(model, **options)
    now, after = model.state(), model.state()
    for _ in range(steps):
        now.clear_forces()
        contacts = model.collide(now) if model.shape_count else None
        solver.step(now, after, None, contacts, dt)
        now, after = after, now
    return now


def test_what_falls_rests_on_the_ground() -> None:
    builder = newton.ModelBuilder()
    builder.add_ground_plane()
    for k, add in enumerate(
        (
            lambda body: builder.add_shape_sphere(body, radius=0.2),
            lambda body: builder.add_shape_box(body, hx=0.2, hy=0.2, hz=0.2),
            lambda body: builder.add_shape_cylinder(body, radius=0.2, half_height=0.2),
        )
    ):
        add(builder.add_body(xform=((float(k), 0.0, 0.4), IDENTITY)))
    state = _run(builder.finalize(device="cpu"), 1000, 2e-3)
    # Corrections of 80 % leave what gravity adds in a step: 4e-5 m, by the iterations.
    assert state.body_q.numpy()[:, 2] == pytest.approx([0.2] * 3, abs=1e-4)
    assert np.abs(state.body_qd.numpy()).max() < 1e-2


@pytest.mark.parametrize("bounce", [0.0, 0.5, 0.9])
def test_a_ball_rebounds_with_its_restitution(bounce: float) -> None:
    builder = newton.ModelBuilder(gravity=0.0)
    builder.default_shape_cfg.restitution = bounce
    builder.add_ground_plane()
    body = builder.add_body(xform=((0.0, 0.0, 0.25), IDENTITY))
    builder.add_shape_sphere(body, radius=0.2)
    builder.body_qd[0] = (0.0, 0.0, -2.0, 0.0, 0.0, 0.0)
    state = _run(builder.finalize(device="cpu"), 60, 1e-3, enable_restitution=True)
    assert state.body_qd.numpy()[0, 2] == pytest.approx(2.0 * bounce, abs=0.02)


def test_friction_slows_what_slides_by_mu_g() -> None:
    builder = newton.ModelBuilder()
    builder.default_shape_cfg.mu = 0.3
    builder.add_ground_plane()
    body = builder.add_body(xform=((0.0, 0.0, 0.1), IDENTITY))
    builder.add_shape_box(body, hx=0.2, hy=0.2, hz=0.1)
    builder.body_qd[0] = (3.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    state = _run(builder.finalize(device="cpu"), 500, 1e-3)
    # Impulses of the normal and of friction are relaxed alike: within 5 % of 1.47 m/s.
    assert state.body_qd.numpy()[0, 0] == pytest.approx(3.0 - 0.3 * 9.81 * 0.5, abs=0.08)


def test_a_body_that_joints_hold_has_no_velocity_at_all() -> None:
    builder = newton.ModelBuilder()
    held = builder.add_link(xform=((0, 0, 2), IDENTITY), mass=1.0, inertia=np.eye(3) * 0.1)
    hung = builder.add_link(xform=((0, 0, 1), IDENTITY), mass=2.0, inertia=np.eye(3) * 0.2)
    anchor = wp.transform((0.0, 0.0, 2.0), wp.quat_identity())
    below = wp.transform((0.0, 0.0, -1.0), wp.quat_identity())
    joints = [
        builder.add_joint_fixed(-1, held, parent_xform=anchor),
        builder.add_joint_fixed(held, hung, parent_xform=below),
    ]
    builder.add_articulation(joints)
    state = _run(builder.finalize(device="cpu"), 500, 1e-3)
    assert np.array_equal(state.body_qd.numpy(), np.zeros((2, 6)))


def test_joints_hold_bodies_together_and_keep_their_momentum() -> None:
    builder = newton.ModelBuilder(gravity=0.0)
    first = builder.add_body(mass=1.0, inertia=np.eye(3) * 0.1)
    second = builder.add_link(xform=((1, 0, 0), IDENTITY), mass=2.0, inertia=np.eye(3) * 0.2)
    joint = builder.add_joint_revolute(
        first,
        second,
        axis="z",
        parent_xform=wp.transform((0.5, 0.0, 0.0), wp.quat_identity()),
        child_xform=wp.transform((-0.5, 0.0, 0.0), wp.quat_identity()),
    )
    builder.joint_articulation[joint] = 0
    builder.joint_qd[:6] = [0.1, 0.2, 0.3, 0.5, 1.0, -0.4]
    model = builder.finalize(device="cpu", skip_validation_joints=True)
    newton.eval_fk(model, model.joint_q, model.joint_qd, model)
    state = _run(model, 500, 1e-3)
    mass = model.body_mass.numpy()[:, None]
    before, after = ((mass * s.body_qd.numpy()[:, :3]).sum(axis=0) for s in (model, state))
    assert after == pytest.approx(before, abs=1e-3)
    anchors = [
        np.array(wp.transform_point(wp.transform(*q), wp.vec3(x, 0.0, 0.0)))
        for q, x in zip(state.body_q.numpy(), (0.5, -0.5), strict=True)
    ]
    assert anchors[0] == pytest.approx(anchors[1], abs=1e-3)


def test_a_drive_holds_the_weight_by_its_stiffness_and_a_limit_holds_it_at_once() -> None:
    builder = newton.ModelBuilder()
    for k, ke in enumerate((200.0, 0.0)):
        link = builder.add_link(mass=1.0, inertia=np.eye(3) * 0.1)
        joint = builder.add_joint_prismatic(
            -1, link, axis="z", target_ke=ke, target_kd=0.1 * ke, limit_lower=(-1.0, -0.1)[k]
        )
        builder.add_articulation([joint])
    # One correction in full: more of them are a stiffer spring, as multipliers are not kept.
    options = {"iterations": 1, "joint_linear_relaxation": 1.0}
    state = _run(builder.finalize(device="cpu"), 2000, 1e-3, **options)
    expected = (-9.81 / 200.0, -0.1)
    assert state.body_q.numpy()[:, 2] == pytest.approx(expected, abs=2e-3)


def test_a_chain_of_springs_hangs_as_long_as_its_weight_makes_it() -> None:
    builder = newton.ModelBuilder()
    for k in range(3):
        builder.add_particle((0.0, 0.0, -float(k)), (0, 0, 0), 1.0 if k else 0.0, radius=0.01)
    for k in range(2):
        builder.add_spring(k, k + 1, 500.0, 20.0, 0)
    state = _run(builder.finalize(device="cpu"), 6000, 1e-3, iterations=1)
    expected = (0.0, -1.0 - 2 * 9.81 / 500.0, -2.0 - 3 * 9.81 / 500.0)
    assert state.particle_q.numpy()[:, 2] == pytest.approx(expected, abs=5e-3)


def test_particles_rest_on_a_body_that_carries_them() -> None:
    builder = newton.ModelBuilder()
    builder.add_ground_plane()
    body = builder.add_body(xform=((0.0, 0.0, 0.2), IDENTITY))
    builder.add_shape_box(body, hx=0.2, hy=0.2, hz=0.2)
    builder.add_particle((0.0, 0.0, 0.5), (0, 0, 0), 0.1, radius=0.05)
    state = _run(builder.finalize(device="cpu"), 1000, 2e-3)
    assert state.particle_q.numpy()[0, 2] == pytest.approx(0.45, abs=1e-3)
    assert state.body_q.numpy()[0, 2] == pytest.approx(0.2, abs=1e-3)


def test_forces_of_contacts_carry_the_weight() -> None:
    builder = newton.ModelBuilder()
    builder.request_contact_attributes("force")
    builder.add_ground_plane()
    body = builder.add_body(xform=((0.0, 0.0, 0.2), IDENTITY))
    builder.add_shape_sphere(body, radius=0.2)
    model = builder.finalize(device="cpu")
    solver = solvers.SolverXPBD(model, iterations=4)
    now, after = model.state(), model.state()
    contacts = model.contacts()
    for _ in range(500):
        model.collide(now, contacts)
        solver.step(now, after, None, contacts, 2e-3)
        now, after = after, now
    solver.update_contacts(contacts)
    weight = 9.81 * float(model.body_mass.numpy()[0])
    assert contacts.force.numpy()[0, 2] == pytest.approx(-weight, rel=0.02)


def test_no_iterations_are_refused() -> None:
    with pytest.raises(InvalidArgumentError, match="iterations"):
        solvers.SolverXPBD(newton.ModelBuilder().finalize(device="cpu"), iterations=0)


def test_a_ball_joint_that_was_pulled_far_apart_comes_together() -> None:
    builder = newton.ModelBuilder(gravity=0.0)
    first, second = builder.add_link(), builder.add_link()
    for body in (first, second):
        builder.add_shape_box(body, hx=0.3, hy=0.06, hz=0.06)
    places: Any = {"parent_xform": ((0.3, 0, 0), IDENTITY), "child_xform": ((-0.3, 0, 0), IDENTITY)}
    joints = [builder.add_joint_free(first), builder.add_joint_ball(first, second, **places)]
    builder.add_articulation(joints)
    builder.body_q[second] = wp.transform((1.6, 1.0, 0.0), IDENTITY)
    state = _run(builder.finalize(device="cpu"), 1, 1.0 / 240.0)
    poses = [wp.transform(*pose.tolist()) for pose in state.body_q.numpy()]
    ends = [
        wp.transform_point(p, wp.vec3(x, 0.0, 0.0)) for p, x in zip(poses, (0.3, -0.3), strict=True)
    ]
    # two rounds of corrections of 70 %: a tenth of 1.4 m, and what the arms turn too far
    assert float(wp.length(ends[1] - ends[0])) < 0.5


def test_a_distance_of_anchors_in_one_place_grows_along_the_frame_of_the_joint() -> None:
    builder = newton.ModelBuilder(gravity=0.0)
    body = builder.add_link()
    builder.add_shape_sphere(body, radius=0.1)
    turn = wp.quat_from_axis_angle(wp.vec3(0.0, 0.0, 1.0), wp.pi / 2.0)
    frame = wp.transform(wp.vec3(), turn)
    joint = builder.add_joint_distance(
        -1, body, parent_xform=frame, min_distance=1.0, max_distance=-1.0
    )
    builder.add_articulation([joint])
    state = _run(builder.finalize(device="cpu"), 1, 1.0 / 60.0, iterations=10)
    assert np.allclose(state.body_q.numpy()[0, :3], [0.0, 1.0, 0.0], atol=0.01)


@pytest.mark.parametrize("iterations", [1, 4, 12])
def test_a_spring_is_as_stiff_however_often_it_is_corrected(iterations: int) -> None:
    builder = newton.ModelBuilder(gravity=0.0)
    builder.add_particle((0.0, 0.0, 0.0), (0.0, 0.0, 0.0), 0.0, radius=0.0)
    builder.add_particle((1.0, 0.0, 0.0), (0.0, 0.0, 0.0), 1.0, radius=0.0)
    builder.add_spring(0, 1, 10.0, 0.0, 0.0)
    builder.particle_q[1] = (2.0, 0.0, 0.0)
    state = _run(builder.finalize(device="cpu"), 1, 0.1, iterations=iterations)
    # a step of implicit Euler: 1 + 1 / (1 + k dt^2 / m)
    assert state.particle_q.numpy()[1, 0] == pytest.approx(1.0 + 1.0 / 1.1, abs=1e-6)


def test_a_bent_edge_is_as_stiff_however_often_it_is_corrected() -> None:
    found = []
    for iterations in (4, 8):
        builder = newton.ModelBuilder(gravity=0.0)
        for place, mass in (
            ((0, 1, 0), 0.0),
            ((0, -1, 0), 1.0),
            ((0, 0, 0), 0.0),
            ((1, 0, 0), 0.0),
        ):
            builder.add_particle(place, (0.0, 0.0, 0.0), mass, radius=0.0)
        builder.add_edge(0, 1, 2, 3, edge_ke=10.0, edge_kd=0.0)
        builder.particle_q[1] = (0.0, -1.0, 1.0)
        state = _run(builder.finalize(device="cpu"), 1, 0.1, iterations=iterations)
        found.append(float(state.particle_q.numpy()[1, 2]))
    assert 0.0 < found[1] < 1.0
    assert found[0] == pytest.approx(found[1], abs=1e-5)


def test_an_edge_pulls_along_unit_normals_by_its_length() -> None:
    builder = newton.ModelBuilder(gravity=0.0)
    for place, mass in (
        ((0, 0.1, 0), 0.0),
        ((0, -0.1, 0), 0.5),
        ((0, 0, 0), 0.0),
        ((0.3, 0, 0), 0.0),
    ):
        builder.add_particle(place, (0.0, 0.0, 0.0), mass, radius=0.0)
    builder.add_edge(0, 1, 2, 3, edge_ke=10.0, edge_kd=0.0)
    builder.particle_q[1] = (0.0, 0.0, 0.1)
    state = _run(builder.finalize(device="cpu"), 1, 0.1, iterations=1)
    # Newton's gradient is the length of the edge along the normal, whatever the triangle's height:
    # a quarter of a turn, over what the corner gives way and what the edge does
    way = math.pi / 2.0 * (0.3 / 0.5) / (0.3**2 / 0.5 + 1.0 / (10.0 * 0.1**2))
    np.testing.assert_allclose(np.abs(state.particle_q.numpy()[1]), (0.0, way, 0.1), atol=1e-6)


def test_a_cloth_with_bending_falls_on_a_ball_as_in_newton() -> None:
    builder = newton.ModelBuilder()
    builder.add_cloth_grid(
        pos=(-0.5, -0.5, 1.6), rot=(0.0, 0.0, 0.0, 1.0), vel=(0.0, 0.0, 0.0),
        dim_x=16, dim_y=16, cell_x=1 / 16, cell_y=1 / 16, mass=0.02, tri_ke=1e3, tri_ka=1e3,
        tri_kd=10.0, edge_ke=10.0, edge_kd=0.0, particle_radius=0.02,
    )  # fmt: skip
    place = wp.transform(wp.vec3(0.0, 0.0, 0.6), wp.quat_identity())
    builder.add_shape_sphere(-1, xform=place, radius=0.5)
    builder.add_ground_plane()
    state = _run(builder.finalize(device="cpu"), 300, 1.0 / 600.0, iterations=4)
    extent = np.linalg.norm(np.ptp(state.particle_q.numpy(), axis=0))
    assert extent == pytest.approx(1.9012, abs=5e-3)  # Newton 1.8.0


def test_a_soft_body_that_falls_freely_keeps_its_volume() -> None:
    builder = newton.ModelBuilder()
    builder.add_soft_grid(
        pos=(0.0, 0.0, 0.0), rot=(0.0, 0.0, 0.0, 1.0), vel=(0.0, 0.0, 0.0),
        dim_x=2, dim_y=2, dim_z=2, cell_x=0.1, cell_y=0.1, cell_z=0.1, density=1e3,
        k_mu=5e4, k_lambda=5e4, k_damp=0.0, particle_radius=0.0,
    )  # fmt: skip
    model = builder.finalize(device="cpu")
    corners = model.tet_indices.numpy().reshape(-1, 4)

    def volumes(state: Any) -> Any:
        places = state.particle_q.numpy()[corners].astype(float)
        return np.linalg.det(places[:, 1:] - places[:, :1])

    before = volumes(model.state())
    state = _run(model, 60, 1.0 / 300.0, iterations=10, soft_body_relaxation=0.7)
    # nothing strains it: single precision of places over 0.2 m is 1e-5 of a cell
    np.testing.assert_allclose(volumes(state), before, rtol=1e-3)


def _squeezed_tetrahedron(iterations: int, relaxation: float) -> float:
    """Volume after a step of one that was pressed to half its height [m^3]."""
    places = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], dtype=np.float32)
    builder = newton.ModelBuilder(gravity=0.0)
    for place in places.tolist():
        builder.add_particle(place, (0.0, 0.0, 0.0), 1.0, radius=0.0)
    builder.add_tetrahedron(0, 1, 2, 3, k_mu=10.0, k_lambda=20.0, k_damp=0.0)
    model = builder.finalize(device="cpu")
    solver = solvers.SolverXPBD(model, iterations, soft_body_relaxation=relaxation)
    now, after = model.state(), model.state()
    now.particle_q.assign(places * [1.0, 1.0, 0.5])
    solver.step(now, after, None, None, 0.1)
    found = after.particle_q.numpy().astype(float)
    return float(np.linalg.det(found[1:] - found[0])) / 6.0


def test_a_tetrahedron_is_as_stiff_however_often_it_is_corrected() -> None:
    volume = _squeezed_tetrahedron(12, 0.5)
    # it gives way: neither where it was pressed to, 1/12, nor at rest, 1/6
    assert 0.09 < volume < 0.15
    assert _squeezed_tetrahedron(24, 0.5) == pytest.approx(volume, abs=1e-4)
    assert _squeezed_tetrahedron(24, 1.0) == pytest.approx(volume, abs=1e-3)


def test_a_tetrahedron_resists_the_speed_of_its_shape_and_its_volume() -> None:
    """One round of one that stretches along z, beside the law of Macklin et al. (2016)."""
    places = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], dtype=float)
    mu, bulk, damping, dt, speed, relaxation = 10.0, 20.0, 3.0, 0.1, 2.0, 0.5
    builder = newton.ModelBuilder(gravity=0.0)
    for number, place in enumerate(places.tolist()):
        free = number == 3
        builder.add_particle(place, (0.0, 0.0, speed * free), float(free), radius=0.0)
    builder.add_tetrahedron(0, 1, 2, 3, k_mu=mu, k_lambda=bulk, k_damp=damping)
    model = builder.finalize(device="cpu")
    solver = solvers.SolverXPBD(model, 1, soft_body_relaxation=relaxation)
    now, after = model.state(), model.state()
    solver.step(now, after, None, None, dt)
    height = 1.0 + speed * dt
    expected = height
    for error, gradient, stiffness in (
        (height**2 - 1.0, 2.0 * height, mu),
        (speed * dt, 1.0, bulk),
    ):
        soft = 6.0 / (stiffness * dt * dt)  # of 1/6 m^3
        gamma = damping / (stiffness * dt)
        pull = -(error + gamma * dt * gradient * speed) / ((1.0 + gamma) * gradient**2 + soft)
        expected += relaxation * gradient * pull
    # single precision
    assert after.particle_q.numpy()[3, 2] == pytest.approx(expected, abs=1e-6)
    assert after.particle_q.numpy()[3, :2] == pytest.approx([0.0, 0.0], abs=1e-7)


_BEAM = """
def lowest(newton, wp, damping):
    builder = newton.ModelBuilder()
    builder.add_soft_grid(
        pos=wp.vec3(0.0, 0.0, 0.5), rot=wp.quat_identity(), vel=wp.vec3(), dim_x=6, dim_y=2,
        dim_z=2, cell_x=0.1, cell_y=0.1, cell_z=0.1, density=1e3, k_mu=2e4, k_lambda=4e4,
        k_damp=damping, fix_left=True, particle_radius=0.01,
    )
    model = builder.finalize(device="cpu")
    solver = newton.solvers.SolverXPBD(model, iterations=10, soft_body_relaxation=0.2)
    now, after = model.state(), model.state()
    for _ in range(110):
        now.clear_forces()
        solver.step(now, after, model.control(), None, 1.0 / 300.0)
        now, after = after, now
    return float(now.particle_q.numpy()[:, 2].min())
"""
"""How high a beam that is held at one end is at its lowest particle after 110 steps [m]."""
_LOWEST = [-0.14082, -0.15541]
"""That in Newton 1.8, without damping and with 2e4 Pa s."""


def test_damping_slows_a_soft_beam_as_in_newton() -> None:
    here: dict[str, Any] = {}
    exec(_BEAM, here)
    lowest = [here["lowest"](newton, wp, damping) for damping in (0.0, 2e4)]
    # sums of single precision in another order, over 110 steps
    assert lowest == pytest.approx(_LOWEST, abs=2e-4)
    later = found_later(_BEAM + "found = [lowest(newton, wp, d) for d in (0.0, 2e4)]")
    assert later == pytest.approx(_LOWEST, abs=2e-4)


def test_a_free_body_keeps_a_small_velocity() -> None:
    builder = newton.ModelBuilder(gravity=0.0)
    body = builder.add_body(mass=1.0)
    builder.body_qd[body] = (5e-5, 0.0, 0.0, 0.0, 0.0, 0.0)
    model = builder.finalize(device="cpu")
    state, after = model.state(), model.state()
    newton.solvers.SolverXPBD(model).step(state, after, None, None, 1e-3)
    assert after.body_qd.numpy()[body, 0] == np.float32(5e-5)
