"""Masses and inertias of assets against closed forms."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from tests.isaacgym.asset_files import joint, link, load_mjcf, load_urdf, options
from unibody.core.assets.description import (
    Inertial,
    MeshSource,
    Pose,
    Shape,
    ShapeKind,
)
from unibody.core.assets.mass import properties as mass
from unibody.core.assets.mesh.types import TriMesh
from unibody.errors import AssetError
from unibody.isaacgym.models import builtin

CORNERS = np.array([(x, y, z) for x in (0, 1) for y in (0, 1) for z in (0, 1)], np.float64)
FACES = np.array(
    [(0, 1, 3), (0, 3, 2), (4, 6, 7), (4, 7, 5), (0, 4, 5), (0, 5, 1),
     (2, 3, 7), (2, 7, 6), (0, 2, 6), (0, 6, 4), (1, 5, 7), (1, 7, 3)],
    np.int32,
)  # fmt: skip
CUBE = "".join(f"v {x} {y} {z}\n" for x, y, z in CORNERS.tolist()) + "".join(
    f"f {i + 1} {j + 1} {k + 1}\n" for i, j, k in FACES.tolist()
)

lengths = st.floats(0.01, 10.0)
coordinates = st.floats(-2.0, 2.0)


def collision(geometry: str, origin: str = "") -> str:
    return f"<collision>{origin}<geometry>{geometry}</geometry></collision>"


def inertial(model: Any, number: int = 0) -> Inertial:
    return model.tree.links[number].inertial


def diagonal(solid: mass.Solid) -> list[float]:
    off = solid.inertia - np.diag(np.diag(solid.inertia))
    np.testing.assert_allclose(off, 0.0, atol=1e-9 * max(1.0, np.abs(solid.inertia).max()))
    return np.diag(solid.inertia).tolist()


@given(lengths, lengths, lengths)
def test_a_mesh_of_a_box_has_the_inertia_of_the_box(x: float, y: float, z: float) -> None:
    solid = mass.enclosed(TriMesh(CORNERS * [x, y, z], FACES))
    box = mass.geometry([Shape(ShapeKind.BOX, (x, y, z))])
    assert solid.mass == pytest.approx(x * y * z)
    np.testing.assert_allclose(solid.com, np.array([x, y, z]) / 2)
    assert diagonal(solid) == pytest.approx(diagonal(box))
    volume = x * y * z
    assert diagonal(box)[0] == pytest.approx(volume * (y * y + z * z) / 12)


@given(lengths, lengths)
def test_a_capsule_is_a_tube_and_two_half_balls(r: float, length: float) -> None:
    solid = mass.geometry([Shape(ShapeKind.CAPSULE, (r, length))])
    # Slices of thickness dx across the axis, with the trapezoidal rule for their integrals.
    x, step = np.linspace(-length / 2 - r, length / 2 + r, 20_001, retstep=True)
    beyond = np.maximum(np.abs(x) - length / 2, 0.0)
    square = np.maximum(r * r - beyond**2, 0.0)
    area = math.pi * square
    # The rule's error is of second order, and of order 3/2 at the ends of the caps.
    assert solid.mass == pytest.approx(step * area.sum(), rel=1e-5)
    moments = diagonal(solid)
    assert moments[2] == pytest.approx(step * (area * square / 2).sum(), rel=1e-5)
    assert moments[0] == pytest.approx(step * (area * (square / 4 + x * x)).sum(), rel=1e-5)


@pytest.mark.parametrize(
    ("shape", "volume", "moments"),
    [
        (Shape(ShapeKind.SPHERE, (2.0,)), 32 / 3 * math.pi, (1.6, 1.6, 1.6)),
        (Shape(ShapeKind.CYLINDER, (2.0, 3.0)), 12 * math.pi, (1.75, 1.75, 2.0)),
        (Shape(ShapeKind.ELLIPSOID, (1.0, 2.0, 3.0)), 8 * math.pi, (2.6, 2.0, 1.0)),
        (Shape(ShapeKind.PLANE), 0.0, (0.0, 0.0, 0.0)),
    ],
)
def test_round_shapes_have_the_moments_of_the_textbook(
    shape: Shape, volume: float, moments: tuple[float, ...]
) -> None:
    solid = mass.geometry([shape])
    assert solid.mass == pytest.approx(volume)
    assert diagonal(solid) == pytest.approx([volume * moment for moment in moments])


@given(st.tuples(coordinates, coordinates, coordinates), st.integers(0, 2**31))
def test_a_moved_solid_has_the_inertia_of_its_turned_mass(
    pos: tuple[float, float, float], seed: int
) -> None:
    turn = Rotation.random(random_state=seed % 2**31)
    x, y, z, w = turn.as_quat()
    shape = Shape(ShapeKind.BOX, (1.0, 2.0, 3.0), pose=Pose(pos, (w, x, y, z)))
    solid = mass.geometry([shape])
    matrix = turn.as_matrix()
    expected = matrix @ np.diag([13 / 2, 10 / 2, 5 / 2]) @ matrix.T
    np.testing.assert_allclose(solid.inertia, expected, atol=1e-9)
    np.testing.assert_allclose(solid.com, pos, atol=1e-12)


def test_two_halves_of_a_box_weigh_and_turn_like_the_box() -> None:
    halves = [Shape(ShapeKind.BOX, (1.0, 2.0, 3.0), pose=Pose((x, 0, 0))) for x in (-0.5, 0.5)]
    whole = mass.geometry([Shape(ShapeKind.BOX, (2.0, 2.0, 3.0))])
    both = mass.geometry(halves)
    assert both.mass == pytest.approx(whole.mass)
    np.testing.assert_allclose(both.inertia, whole.inertia, atol=1e-12)


def test_a_mesh_shape_has_the_mass_of_its_convex_hull() -> None:
    vertices = tuple(tuple(row) for row in CORNERS.tolist())
    faces = tuple(tuple(row) for row in FACES.tolist())
    source = MeshSource(vertices=vertices, faces=faces, scale=(2.0, 1.0, 1.0))  # type: ignore[arg-type]
    solid = mass.geometry([Shape(ShapeKind.MESH, mesh=source)])
    assert solid.mass == pytest.approx(2.0)
    np.testing.assert_allclose(solid.com, (1.0, 0.5, 0.5), atol=1e-9)


def test_a_link_without_inertial_has_the_density_of_the_options(tmp_path: Path) -> None:
    box = collision('<box size="1 2 3"/>', '<origin xyz="0 0 1"/>')
    found = inertial(load_urdf(tmp_path, link("a", box, mass=None), density=10.0))
    assert found.mass == pytest.approx(60.0)
    assert found.pose.pos == pytest.approx((0.0, 0.0, 1.0))
    assert found.inertia[:3] == pytest.approx((65.0, 50.0, 25.0))


def test_a_density_in_the_file_counts_before_that_of_the_options(tmp_path: Path) -> None:
    ball = collision('<sphere radius="1"/>')
    part = f'<link name="a"><inertial><density value="3"/></inertial>{ball}</link>'
    found = inertial(load_urdf(tmp_path, part, density=10.0))
    assert found.mass == pytest.approx(4 * math.pi)


def test_a_mass_without_inertia_spreads_over_the_shapes_about_its_stated_centre(
    tmp_path: Path,
) -> None:
    ball = collision('<sphere radius="1"/>')
    stated = '<inertial><origin xyz="1 0 0"/><mass value="5"/></inertial>'
    found = inertial(load_urdf(tmp_path, f'<link name="a">{stated}{ball}</link>'))
    assert found.mass == 5.0
    assert found.pose.pos == pytest.approx((1.0, 0.0, 0.0))
    # 2/5 m r^2, and m d^2 for the axes the centre is off.
    assert found.inertia[:3] == pytest.approx((2.0, 7.0, 7.0))


def test_a_link_with_neither_mass_nor_shape_has_no_mass_beside_one_that_has(
    tmp_path: Path,
) -> None:
    parts = link("a"), link("tip", mass=None), joint("j", "a", "tip", "fixed")
    model = load_urdf(tmp_path, *parts)
    assert inertial(model, 1).mass == 0.0


def test_what_moves_and_carries_no_mass_at_all_weighs_one_kilogram(tmp_path: Path) -> None:
    parts = link("a"), link("b", mass=None), link("c", mass=None)
    joints = joint("j", "a", "b"), joint("k", "b", "c")
    model = load_urdf(tmp_path, *parts, *joints)
    assert [part.inertial.mass for part in model.tree.links] == [1.0, 0.0, 1.0]
    assert inertial(model, 2).inertia[:3] == (1.0, 1.0, 1.0)


def test_a_negative_mass_is_refused(tmp_path: Path) -> None:
    with pytest.raises(AssetError, match=r"link 'a'.*mass -1"):
        load_urdf(tmp_path, link("a", mass=-1.0))


OFF_CENTRE = collision('<box size="1 2 3"/>', '<origin xyz="0 0 1"/>')


def test_override_com_takes_the_centre_of_the_shapes_and_keeps_the_inertia(tmp_path: Path) -> None:
    found = inertial(load_urdf(tmp_path, link("a", OFF_CENTRE, 6.0), override_com=True))
    assert found.pose.pos == pytest.approx((0.0, 0.0, 1.0))
    assert found.inertia[:3] == pytest.approx((1.0, 1.0, 1.0))
    assert found.mass == 6.0


def test_override_inertia_takes_the_inertia_of_the_shapes_about_the_stated_centre(
    tmp_path: Path,
) -> None:
    found = inertial(load_urdf(tmp_path, link("a", OFF_CENTRE, 6.0), override_inertia=True))
    assert found.pose.pos == pytest.approx((0.0, 0.0, 0.0))
    assert found.inertia[:3] == pytest.approx((6.5 + 6.0, 5.0 + 6.0, 2.5))


def test_both_overrides_take_all_but_the_mass_from_the_shapes(tmp_path: Path) -> None:
    both = {"override_com": True, "override_inertia": True}
    found = inertial(load_urdf(tmp_path, link("a", OFF_CENTRE, 6.0), **both))
    assert found.pose.pos == pytest.approx((0.0, 0.0, 1.0))
    assert found.inertia[:3] == pytest.approx((6.5, 5.0, 2.5))
    assert found.mass == 6.0


def test_an_mjcf_file_has_the_masses_that_mujoco_gives_it(tmp_path: Path) -> None:
    body = '<body name="a"><geom type="box" size=".5 1 1.5" density="10"/></body>'
    found = inertial(load_mjcf(tmp_path, body, density=99.0))
    assert found.mass == pytest.approx(60.0)
    assert sorted(found.inertia[:3]) == pytest.approx([25.0, 50.0, 65.0])


def test_a_built_in_box_has_its_density(tmp_path: Path) -> None:
    model = builtin.box(1.0, 2.0, 3.0, options(density=2.0))
    assert inertial(model).mass == pytest.approx(12.0)
    assert inertial(model).inertia[:3] == pytest.approx((13.0, 10.0, 5.0))
    assert model.body_names == ["box"]
    assert not model.fixed


def test_a_built_in_capsule_lies_along_x() -> None:
    model = builtin.capsule(0.5, 2.0, options(density=1.0))
    found = inertial(model)
    assert found.mass == pytest.approx(math.pi * 0.25 * 2.0 + 4 / 3 * math.pi * 0.125)
    along, across, other = found.inertia[:3]
    assert across == pytest.approx(other)
    assert along < across
    assert mass.rotation(model.tree.links[0].collisions[0].pose.quat)[:, 2] == pytest.approx(
        np.array([1.0, 0.0, 0.0])
    )


def test_a_built_in_sphere_can_be_fixed() -> None:
    model = builtin.sphere(1.0, options(fix_base_link=True))
    assert model.fixed
    assert model.tree.fixed_base is True
    assert inertial(model).mass == pytest.approx(4000 / 3 * math.pi)
