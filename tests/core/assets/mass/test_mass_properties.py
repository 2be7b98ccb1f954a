"""Mass properties of solids against sums over their slices, and of skins against closed forms."""

from __future__ import annotations

import math

import numpy as np
import pytest

from unibody.core.assets.description import MeshSource, Shape, ShapeKind
from unibody.core.assets.mass import properties

CORNERS = np.array([(x, y, z) for x in (0, 1) for y in (0, 1) for z in (0, 1)], np.float64)
FACES = np.array(
    [(0, 1, 3), (0, 3, 2), (4, 6, 7), (4, 7, 5), (0, 4, 5), (0, 5, 1),
     (2, 3, 7), (2, 7, 6), (0, 2, 6), (0, 6, 4), (1, 5, 7), (1, 7, 3)],
    np.int32,
)  # fmt: skip
ALGEBRA = 1e-7


def test_a_cone_is_the_sum_of_its_slices() -> None:
    r, height = 0.3, 0.8
    solid = properties.cone(r, height)
    z, step = np.linspace(-height / 2, height / 2, 20_001, retstep=True)
    square = (r * (0.5 - z / height)) ** 2
    area = math.pi * square * step
    area[[0, -1]] /= 2
    # The trapezoidal rule's error is of second order: 1e-8 for 20 000 steps.
    assert solid.mass == pytest.approx(area.sum(), rel=ALGEBRA)
    middle = (area * z).sum() / area.sum()
    np.testing.assert_allclose(solid.com, (0.0, 0.0, middle), atol=ALGEBRA)
    across = (area * (square / 4 + (z - middle) ** 2)).sum()
    along = (area * square / 2).sum()
    np.testing.assert_allclose(np.diag(solid.inertia), (across, across, along), rtol=ALGEBRA)


def test_the_skin_of_a_cube_has_the_moments_of_six_plates() -> None:
    thickness = 0.01
    solid = properties.skin(CORNERS, FACES, thickness)
    assert solid.mass == pytest.approx(6 * thickness, rel=ALGEBRA)
    np.testing.assert_allclose(solid.com, 0.5, rtol=ALGEBRA)
    # About an axis through the middle of two plates these have 1/6, the four others 1/12 + 1/4.
    moment = thickness * (2 / 6 + 4 * (1 / 12 + 1 / 4))
    np.testing.assert_allclose(solid.inertia, moment * np.eye(3), atol=ALGEBRA)


def test_triangles_that_are_clockwise_from_outside_have_a_negative_volume() -> None:
    solid = properties.filled(CORNERS, FACES[:, ::-1])
    assert solid.mass == pytest.approx(-1.0, rel=ALGEBRA)
    np.testing.assert_allclose(solid.com, 0.5, rtol=ALGEBRA)
    np.testing.assert_allclose(solid.inertia, -np.eye(3) / 6, atol=ALGEBRA)


@pytest.mark.parametrize(("concave", "volume"), [(True, 8.0 - 1.0), (False, 8.0)])
def test_a_mesh_with_a_hollow_counts_as_it_is_or_as_its_hull(concave: bool, volume: float) -> None:
    """A cube of 2 m with a cube of 1 m cut out of it."""
    inner = CORNERS - 0.5
    outer = 2.0 * inner
    source = MeshSource(
        name="hollow",
        vertices=tuple(map(tuple, np.vstack([outer, inner]).tolist())),
        faces=tuple(map(tuple, np.vstack([FACES, FACES[:, ::-1] + len(outer)]).tolist())),
    )
    solid = properties.of_shape(Shape(ShapeKind.MESH, mesh=source), concave=concave)
    assert solid.mass == pytest.approx(volume, rel=ALGEBRA)
