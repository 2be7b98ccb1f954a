"""Tetrahedra of a lattice fill what a surface encloses."""

from __future__ import annotations

import numpy as np
import pytest
import trimesh

from unibody.core.deform.lattice import lattice, winding_numbers
from unibody.core.deform.topology import surface
from unibody.errors import InvalidArgumentError


def _volumes(points: np.ndarray, tetrahedra: np.ndarray) -> np.ndarray:
    corners = points[tetrahedra]
    return np.linalg.det(corners[:, 1:] - corners[:, :1]) / 6.0


def test_a_box_is_filled_to_its_sides_without_a_gap() -> None:
    box = trimesh.creation.box((0.3, 0.2, 0.1))
    points, tetrahedra = lattice(box.vertices, box.faces, 6)
    assert _volumes(points, tetrahedra).min() > 0.0
    assert _volumes(points, tetrahedra).sum() == pytest.approx(0.006, rel=1e-12)
    # Were diagonals of common faces not the same, inner faces would be counted as outer ones.
    found = points[surface(tetrahedra, points)]
    sides = np.cross(found[:, 1] - found[:, 0], found[:, 2] - found[:, 0])
    assert np.linalg.norm(sides, axis=1).sum() / 2.0 == pytest.approx(box.area, rel=1e-12)


def test_a_ball_is_filled_about_as_far_as_its_volume() -> None:
    ball = trimesh.creation.icosphere(subdivisions=3)
    points, tetrahedra = lattice(ball.vertices, ball.faces, 12)
    # A cell at the surface is there or not by its middle: of 1000 cells some 300 are, which
    # leaves about sqrt(300)/3 of them.
    assert _volumes(points, tetrahedra).sum() == pytest.approx(ball.volume, rel=0.02)


def test_a_closed_surface_goes_once_around_what_is_inside() -> None:
    box = trimesh.creation.box((2.0, 2.0, 2.0))
    turns = winding_numbers(
        [[0.0, 0.0, 0.0], [0.9, -0.9, 0.9], [1.1, 0.0, 0.0]], box.vertices, box.faces
    )
    np.testing.assert_allclose(turns, [1.0, 1.0, 0.0], atol=1e-12)


def test_a_surface_that_encloses_nothing_is_refused_by_name() -> None:
    with pytest.raises(InvalidArgumentError, match="cells inside of a closed surface"):
        lattice([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]], 4)
