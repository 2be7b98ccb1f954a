"""Tetrahedra in .vtk files."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from unibody.core.assets.limits import DEFAULT_LIMITS, Limits
from unibody.core.assets.mesh.vtk import read_vtk
from unibody.errors import AssetError

FILE = b"""# vtk DataFile Version 2.0
one tetrahedron and one triangle
ASCII
DATASET UNSTRUCTURED_GRID
POINTS 4 double
0 0 0  1 0 0
0 1 0  0 0 1
CELLS 2 9
3 0 1 2
4 0 1 2 3
CELL_TYPES 2
5
10
"""


def test_tetrahedra_are_read_and_other_cells_left_out() -> None:
    mesh = read_vtk(FILE, "one.vtk", DEFAULT_LIMITS)
    np.testing.assert_array_equal(mesh.points, [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]])
    np.testing.assert_array_equal(mesh.corners, [[0, 1, 2, 3]])


@pytest.mark.parametrize(
    ("old", "new", "named"),
    [
        (b"# vtk", b"# xyz", "begin"),
        (b"ASCII", b"BINARY", "ASCII"),
        (b"UNSTRUCTURED_GRID", b"POLYDATA", "UNSTRUCTURED_GRID"),
        (b"POINTS 4", b"POINTS 900", "900 points"),
        (b"POINTS 4", b"POINTS -4", "-4"),
        (b"0 0 1\n", b"0 0 nan\n", "not finite"),
        (b"0 0 1\n", b"0 0 one\n", "not a number"),
        (b"4 0 1 2 3", b"4 0 1 2 7", "point 7 of 4"),
        (b"4 0 1 2 3", b"4 0 1 2 -1", "point -1 of 4"),
        (b"CELL_TYPES 2", b"CELL_TYPES 1", "CELL_TYPES"),
        (b"4 0 1 2 3", b"900 0 1 2 3", "900 corners"),
        (b"\n10\n", b"\n5\n", "no tetrahedron"),
    ],
)
def test_what_cannot_be_read_is_refused_with_the_name_of_the_file(
    old: bytes, new: bytes, named: str
) -> None:
    assert old in FILE
    with pytest.raises(AssetError, match=r"one\.vtk") as caught:
        read_vtk(FILE.replace(old, new), "one.vtk", DEFAULT_LIMITS)
    assert named in str(caught.value)


def test_more_points_than_allowed_are_refused() -> None:
    with pytest.raises(AssetError, match="limit of 3"):
        read_vtk(FILE, "one.vtk", Limits(mesh_vertices=3))


@settings(max_examples=300, deadline=None)
@given(st.integers(0, len(FILE)), st.integers(0, 40), st.binary(max_size=20))
def test_damaged_files_are_read_or_refused(at: int, gone: int, more: bytes) -> None:
    data = FILE[:at] + more + FILE[at + gone :]
    try:
        mesh = read_vtk(data, "one.vtk", DEFAULT_LIMITS)
    except AssetError as problem:
        assert "one.vtk" in str(problem)
        return
    assert np.isfinite(mesh.points).all()
    assert 0 <= mesh.corners.min() <= mesh.corners.max() < len(mesh.points)


def test_cells_without_types_are_tetrahedra_as_in_the_files_of_reduced_bodies() -> None:
    head, cells = FILE.split(b"CELLS")[0], b"CELLS 1 4\n4 0 1 2 3\nCELL_TYPES 10\n"
    mesh = read_vtk(head.replace(b"# vtk", b"#vtk") + cells, "one.vtk", DEFAULT_LIMITS)
    np.testing.assert_array_equal(mesh.corners, [[0, 1, 2, 3]])
    with pytest.raises(AssetError, match="3 corners"):
        read_vtk(head + cells.replace(b"4 0 1 2 3", b"3 0 1 2"), "one.vtk", DEFAULT_LIMITS)
