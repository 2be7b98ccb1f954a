"""Particles and elements: what is refused, and what rest shapes come to."""

from __future__ import annotations

import numpy as np
import pytest

from tests.core.deform.blocks import block, shared_mass, sheet
from unibody.core.deform.tables import Bends, Springs, Tables, Tetrahedra, Triangles
from unibody.core.deform.topology import inner_edges, surface
from unibody.errors import InvalidArgumentError

SQUARE = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0], [0.2, 0.2, 1.0]], dtype=float)


def test_areas_and_volumes_are_those_of_the_whole() -> None:
    points, triangles = sheet((4, 3), (2.0, 1.5))
    assert Triangles.at_rest(points, triangles, shear=1, stretch=1).area.sum() == pytest.approx(3.0)
    points, corners = block((3, 2, 2), (1.0, 0.5, 0.25))
    solids = Tetrahedra.at_rest(points, corners, shear=1, stretch=1)
    assert (solids.volume > 0.0).all()
    assert solids.volume.sum() == pytest.approx(0.125)
    assert shared_mass(len(points), solids.corners, solids.volume).sum() == pytest.approx(0.125)


def test_an_inverted_tetrahedron_is_turned_around() -> None:
    turned = Tetrahedra.at_rest(SQUARE, [[0, 2, 1, 4]], shear=1, stretch=1)
    assert turned.volume == pytest.approx([1.0 / 6.0])
    assert sorted(turned.corners[0].tolist()) == [0, 1, 2, 4]


def test_inner_edges_of_a_sheet_are_those_with_two_triangles() -> None:
    # n by m cells have 3nm + n + m edges, 2(n + m) of them on the border.
    points, triangles = sheet((4, 3), (2.0, 1.5))
    edges = inner_edges(triangles)
    assert len(edges) == 3 * 12 - 7
    assert Bends.at_rest(points, edges, stiffness=1.0).angle == pytest.approx(0.0, abs=1e-15)


def test_the_angle_of_a_folded_pair_is_its_fold() -> None:
    s = np.sin(np.pi / 6)
    points = np.array([[-1, 0.5, 0], [np.cos(np.pi / 6), 0.5, s], [0, 0, 0], [0, 1, 0]])
    corners = inner_edges(np.array([[0, 2, 3], [1, 3, 2]]))
    assert abs(Bends.at_rest(points, corners, stiffness=1.0).angle[0]) == pytest.approx(np.pi / 6)


def test_the_surface_of_a_block_is_closed_and_looks_outward() -> None:
    points, corners = block((2, 2, 2), (1.0, 1.0, 1.0))
    faces = surface(corners, points)
    assert len(faces) == 6 * 4 * 2
    a, b, c = (points[faces[:, k]] for k in range(3))
    # The divergence theorem: the volume is the flux of x/3 through the surface.
    assert np.einsum("ni,ni->n", a, np.cross(b, c)).sum() / 6.0 == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("make", "named"),
    [
        (lambda: Springs.at_rest(SQUARE, [[0, 9]], stiffness=1.0), "corners[0]"),
        (lambda: Springs.at_rest(SQUARE, [[0, 1]], stiffness=-1.0), "stiffness"),
        (lambda: Springs.at_rest(SQUARE, [[1, 1]], stiffness=1.0), "corners[0]"),
        (lambda: Springs.at_rest(SQUARE * np.nan, [[0, 1]], stiffness=1.0), "points[0]"),
        (lambda: Triangles.at_rest(SQUARE, [[0, 1, -1]], shear=1, stretch=1), "corners[0]"),
        (lambda: Triangles.at_rest(SQUARE, [[0, 1, 2]], shear=[1, 2], stretch=1), "shear"),
        (lambda: Triangles.at_rest(SQUARE * [1, 0, 0], [[0, 1, 3]], shear=1, stretch=1), "area"),
        (lambda: Tetrahedra.at_rest(SQUARE, [[0, 1, 2, 3]], shear=1, stretch=1), "volume"),
        (lambda: Tetrahedra.at_rest(SQUARE, [[0, 1, 2, 4]], shear=1, stretch=np.inf), "stretch"),
        (lambda: Tables(np.array([1.0, -1.0])), "masses[1]"),
        (lambda: Tables(np.ones(2), Springs.at_rest(SQUARE, [[0, 3]], stiffness=1)), "springs[0]"),
    ],
)
def test_what_cannot_be_is_refused_by_name(make: object, named: str) -> None:
    with pytest.raises(InvalidArgumentError) as caught:
        make()  # type: ignore[operator]
    assert named in str(caught.value)
