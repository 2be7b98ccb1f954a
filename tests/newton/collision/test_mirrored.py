"""Shapes of negative sizes, and barrels."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
import warp as wp

from unibody import newton


def _two_cubes(scale: tuple[float, float, float]) -> newton.ModelBuilder:
    """Two cubes of 1 m side by side, 0.01 m in one another, the second one mirrored."""
    cube = newton.Mesh.create_box(0.5, 0.5, 0.5)
    builder = newton.ModelBuilder()
    for x, own in ((-0.495, (1.0, 1.0, 1.0)), (0.495, scale)):
        body = builder.add_body(xform=wp.transform((x, 0.0, 1.0), wp.quat_identity()))
        builder.add_shape_mesh(body, mesh=cube, scale=own)
    return builder


@pytest.mark.parametrize("scale", [(-1.0, 1.0, 1.0), (-1.0, -1.0, -1.0), (-1.0, -1.0, 1.0)])
def test_a_mirrored_cube_touches_and_weighs_as_the_cube_does(scale: Any) -> None:
    model = _two_cubes(scale).finalize(device="cpu")
    contacts = model.collide(model.state())
    count = contacts.rigid_contact_count.numpy()[0]
    assert count >= 3  # the diagonals of the faces are mirrored, so which points are is another set
    normals = np.abs(contacts.rigid_contact_normal.numpy()[:count])
    # directions over 0.01 m of points near 1 m, of which single precision resolves 1e-7
    assert np.allclose(normals, [1.0, 0.0, 0.0], atol=1e-4)
    assert np.allclose(model.body_mass.numpy(), 1000.0)
    moments = model.body_inertia.numpy()
    assert np.allclose(moments[0], moments[1], rtol=1e-5)


def test_sizes_without_a_side_have_no_sign_and_what_cannot_be_mirrored_is_refused() -> None:
    builder = newton.ModelBuilder()
    builder.add_shape_box(-1, hx=-1.0, hy=2.0, hz=-3.0)
    builder.add_shape_capsule(-1, radius=-0.3, half_height=-0.5)
    builder.add_shape_cone(-1, radius=-0.5, half_height=1.0)
    assert builder.shape_scale == [(1.0, 2.0, 3.0), (0.3, 0.5, 0.0), (0.5, 1.0, 0.0)]
    with pytest.raises(ValueError, match="mirrored"):
        builder.add_shape_cone(-1, radius=0.5, half_height=-1.0)
    with pytest.raises(ValueError, match="barrel_radius"):
        builder.add_shape_cylinder(-1, half_height=0.6, barrel_radius=0.5)
    assert builder.shape_count == 3


# A barrel of rims of 0.5 m, 1 m high to each side, whose arc of 2 m bulges by 2 - sqrt(3).
BULGE = 2.0 - math.sqrt(3.0)


def _barrel(turn: wp.quat, height: float) -> newton.ModelBuilder:
    builder = newton.ModelBuilder()
    body = builder.add_body(xform=wp.transform((0.0, 0.0, height), turn))
    builder.add_shape_cylinder(body, radius=0.5, half_height=1.0, barrel_radius=2.0)
    return builder


def test_a_barrel_that_lies_touches_the_ground_with_its_bulge() -> None:
    lying = wp.quat_from_axis_angle(wp.vec3(0.0, 1.0, 0.0), math.pi / 2.0)
    for ground in ("plane", "box"):
        builder = _barrel(lying, 0.5 + BULGE - 0.01)
        if ground == "plane":
            builder.add_ground_plane()
        else:
            pose = wp.transform((0.0, 0.0, -1.0), wp.quat_identity())
            builder.add_shape_box(-1, pose, hx=2.0, hy=2.0, hz=1.0)
        model = builder.finalize(device="cpu")
        upper = model.shape_collision_aabb_upper.numpy()[0]
        assert np.allclose(upper, [0.5 + BULGE, 0.5 + BULGE, 1.0], atol=1e-6)
        contacts = model.collide(model.state())
        count = contacts.rigid_contact_count.numpy()[0]
        shape0 = contacts.rigid_contact_shape0.numpy()[:count]
        name = "rigid_contact_point0" if shape0[0] == 0 else "rigid_contact_point1"
        points = getattr(contacts, name).numpy()[:count]  # of the barrel's body
        deepest = points[np.argmax(np.linalg.norm(points[:, :2], axis=1))]
        # the portal of Minkowski's difference ends within 1e-4 of the depth
        assert np.linalg.norm(deepest[:2]) == pytest.approx(0.5 + BULGE, abs=2e-3), ground
        assert abs(deepest[2]) < 0.1, ground


def test_the_mass_of_a_barrel_is_that_of_a_solid_of_revolution() -> None:
    builder = _barrel(wp.quat_identity(), 0.0)
    # the radius at a height z is a + sqrt(4 - z^2), with a = 0.5 - sqrt(3), from -1 to 1
    z = np.linspace(-1.0, 1.0, 200_001)
    radius = 0.5 - math.sqrt(3.0) + np.sqrt(4.0 - z**2)
    mass = 1000.0 * math.pi * np.trapezoid(radius**2, z)
    along = 1000.0 * math.pi / 2.0 * np.trapezoid(radius**4, z)
    assert builder.body_mass[0] == pytest.approx(mass, rel=1e-6)
    assert builder.body_inertia[0][2, 2] == pytest.approx(along, rel=1e-5)


def test_particles_meet_the_bulge_the_rims_and_the_ends_of_a_barrel() -> None:
    builder = _barrel(wp.quat_identity(), 0.0)
    beyond = 0.05
    places = {
        (0.5 + BULGE + beyond, 0.0, 0.0): (1.0, 0.0, 0.0),
        (0.1, 0.0, 1.0 + beyond): (0.0, 0.0, 1.0),
        (0.53, 0.0, 1.04): (0.6, 0.0, 0.8),
    }
    for place in places:
        builder.add_particle(place, (0.0, 0.0, 0.0), 1.0, radius=0.1)
    model = builder.finalize(device="cpu")
    contacts = model.collide(model.state())
    assert contacts.soft_contact_count.numpy()[0] == 3
    normals = contacts.soft_contact_normal.numpy()[:3]
    found = contacts.soft_contact_particle.numpy()[:3]
    for i, expected in enumerate(places.values()):
        assert np.allclose(normals[found.tolist().index(i)], expected, atol=1e-4)


def test_a_barrel_rests_in_mujoco_on_its_bulge() -> None:
    lying = wp.quat_from_axis_angle(wp.vec3(0.0, 1.0, 0.0), math.pi / 2.0)
    builder = _barrel(lying, 0.5 + BULGE)
    builder.add_ground_plane()
    model = builder.finalize(device="cpu")
    solver = newton.solvers.SolverMuJoCo(model)
    state, other = model.state(), model.state()
    for _ in range(20):
        solver.step(state, other, None, None, 0.005)
        state, other = other, state
    # a circle of 32 sides is 0.5 % flatter, and contacts give way by some millimetres
    assert state.body_q.numpy()[0][2] == pytest.approx(0.5 + BULGE, abs=0.015)
