"""Masses of bodies, against closed forms and against one another."""

from __future__ import annotations

import math

import numpy as np
import pytest
import warp as wp

from unibody import newton
from unibody.newton import inertia

SHAPES = {
    "sphere": (lambda b, body: b.add_shape_sphere(body, radius=0.3), inertia.sphere(1e3, 0.3)),
    "box": (
        lambda b, body: b.add_shape_box(body, hx=0.1, hy=0.2, hz=0.3),
        inertia.box(1e3, 0.1, 0.2, 0.3),
    ),
    "capsule": (
        lambda b, body: b.add_shape_capsule(body, radius=0.2, half_height=0.4),
        inertia.capsule(1e3, 0.2, 0.4),
    ),
    "cylinder": (
        lambda b, body: b.add_shape_cylinder(body, radius=0.2, half_height=0.4),
        inertia.cylinder(1e3, 0.2, 0.4),
    ),
    "cone": (
        lambda b, body: b.add_shape_cone(body, radius=0.2, half_height=0.4),
        inertia.cone(1e3, 0.2, 0.4),
    ),
    "ellipsoid": (
        lambda b, body: b.add_shape_ellipsoid(body, a=0.1, b=0.2, c=0.3),
        inertia.ellipsoid(1e3, 0.1, 0.2, 0.3),
    ),
}
MESHES = {
    "sphere": newton.Mesh.create_sphere(0.3, num_latitudes=96, num_longitudes=96),
    "box": newton.Mesh.create_box(0.1, 0.2, 0.3),
    "capsule": newton.Mesh.create_capsule(0.2, 0.4, up_axis=newton.Axis.Z, segments=128),
    "cylinder": newton.Mesh.create_cylinder(0.2, 0.4, up_axis=newton.Axis.Z, segments=128),
    "cone": newton.Mesh.create_cone(0.2, 0.4, up_axis=newton.Axis.Z, segments=128),
    "ellipsoid": newton.Mesh.create_ellipsoid(0.1, 0.2, 0.3, num_latitudes=96, num_longitudes=96),
}
# A polygon of n sides in a circle misses (2 pi / n)^2 / 6 of its area: 0.0004 for n = 128, 0.0007
# for 96, twice that for moments, and again for the second direction of a ball.
POLYGON = 4e-3


@pytest.mark.parametrize("kind", SHAPES)
def test_a_shape_gives_its_body_the_mass_of_its_closed_form(kind: str) -> None:
    builder = newton.ModelBuilder()
    body = builder.add_body()
    add, expected = SHAPES[kind]
    add(builder, body)
    assert builder.body_mass[body] == pytest.approx(expected.mass)
    assert np.allclose(builder.body_com[body], expected.com, atol=1e-7)
    found = np.array(builder.body_inertia[body]).reshape(3, 3)
    assert np.allclose(found, expected.inertia, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("kind", MESHES)
def test_a_mesh_has_the_mass_of_the_solid_it_approximates(kind: str) -> None:
    mesh, (_, expected) = MESHES[kind], SHAPES[kind]
    assert mesh.mass * 1e3 == pytest.approx(expected.mass, rel=POLYGON)
    assert np.allclose(mesh.com, expected.com, atol=1e-4)
    found = np.array(mesh.inertia).reshape(3, 3) * 1e3
    assert np.allclose(np.diag(found), np.diag(expected.inertia), rtol=POLYGON)


def test_the_moment_of_a_hollow_box_is_that_of_the_full_one_without_its_inside() -> None:
    hollow = inertia.shape(newton.GeoType.BOX, (0.2, 0.2, 0.2), None, 1e3, False, 0.05)
    full, inside = inertia.box(1e3, 0.2, 0.2, 0.2), inertia.box(1e3, 0.15, 0.15, 0.15)
    assert hollow.mass == pytest.approx(full.mass - inside.mass)
    assert np.allclose(hollow.inertia, full.inertia - inside.inertia)


def test_two_boxes_side_by_side_are_one_of_twice_the_length() -> None:
    builder = newton.ModelBuilder()
    body = builder.add_body()
    for x in (-0.1, 0.1):
        builder.add_shape_box(body, xform=((x, 0, 0), (0, 0, 0, 1)), hx=0.1, hy=0.1, hz=0.1)
    expected = inertia.box(1e3, 0.2, 0.1, 0.1)
    assert builder.body_mass[body] == pytest.approx(expected.mass)
    found = np.array(builder.body_inertia[body]).reshape(3, 3)
    assert np.allclose(found, expected.inertia, rtol=1e-6, atol=1e-6)


def test_a_shape_that_is_turned_turns_its_moments() -> None:
    builder = newton.ModelBuilder()
    body = builder.add_body()
    half = math.sqrt(0.5)
    builder.add_shape_box(body, xform=((0, 0, 0), (0, 0, half, half)), hx=0.3, hy=0.1, hz=0.2)
    expected = np.diag(inertia.box(1e3, 0.1, 0.3, 0.2).inertia)
    found = np.diag(np.array(builder.body_inertia[body]).reshape(3, 3))
    assert np.allclose(found, expected, rtol=1e-5)


def test_shapes_add_nothing_to_a_body_whose_inertia_is_locked() -> None:
    builder = newton.ModelBuilder()
    body = builder.add_body(mass=2.0, inertia=np.eye(3), lock_inertia=True)
    builder.add_shape_box(body)
    assert builder.body_mass[body] == 2.0
    assert np.array_equal(np.array(builder.body_inertia[body]).reshape(3, 3), np.eye(3))


def test_bodies_that_fixed_joints_hold_become_one_with_the_mass_of_both() -> None:
    builder = newton.ModelBuilder()
    first, second = builder.add_link(), builder.add_link()
    for body in (first, second):
        builder.add_shape_box(body, hx=0.1, hy=0.1, hz=0.1)
    joints = [
        builder.add_joint_revolute(-1, first, axis="z"),
        builder.add_joint_fixed(first, second, parent_xform=wp.transform((0.2, 0.0, 0.0))),
    ]
    builder.add_articulation(joints)
    result = builder.collapse_fixed_joints()
    expected = inertia.box(1e3, 0.2, 0.1, 0.1)
    assert result["body_remap"] == {-1: -1, 0: 0}
    assert builder.joint_type == [newton.JointType.REVOLUTE]
    assert builder.shape_body == [0, 0]
    assert builder.body_mass == [pytest.approx(expected.mass)]
    assert np.allclose(builder.body_com[0], (0.1, 0.0, 0.0))
    found = np.array(builder.body_inertia[0]).reshape(3, 3)
    assert np.allclose(found, expected.inertia, rtol=1e-5, atol=1e-5)


def test_a_negative_mass_is_taken_as_zero_and_its_body_is_named() -> None:
    builder = newton.ModelBuilder()
    builder.add_body(mass=-1.0, key="odd")
    with pytest.warns(UserWarning, match="odd.*Negative mass -1"):
        model = builder.finalize(device="cpu")
    assert model.body_mass.numpy().tolist() == [0.0]
    assert model.body_inv_mass.numpy().tolist() == [0.0]


def test_moments_that_no_body_can_have_are_balanced() -> None:
    builder = newton.ModelBuilder()
    builder.add_body(mass=1.0, inertia=np.diag([1.0, 1.0, 5.0]), key="disc")
    with pytest.warns(UserWarning, match="disc"):
        model = builder.finalize(device="cpu")
    low, middle, high = np.linalg.eigvalsh(model.body_inertia.numpy()[0])
    assert low + middle >= high


def test_a_bound_holds_for_bodies_without_mass_unless_each_is_validated_in_detail() -> None:
    for detailed, expected in ((False, 0.01), (True, 0.0)):
        builder = newton.ModelBuilder()
        builder.add_body()
        builder.bound_mass = builder.bound_inertia = 0.01
        builder.validate_inertia_detailed = detailed
        if detailed:
            model = builder.finalize()
        else:
            with pytest.warns(UserWarning, match="below bound"):
                model = builder.finalize()
        assert model.body_mass.numpy()[0] == pytest.approx(expected)
