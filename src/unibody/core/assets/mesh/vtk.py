"""Reader of tetrahedra in .vtk files: legacy unstructured grids in text."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from unibody.core.assets.files import read_regular
from unibody.core.assets.limits import DEFAULT_LIMITS, Limits
from unibody.core.assets.mesh.types import FloatArray, IntArray
from unibody.errors import AssetError

_TETRAHEDRON = 10  # the number VTK gives a cell of four corners


@dataclass(frozen=True, slots=True)
class TetrahedronMesh:
    """Tetrahedra over shared points.

    Attributes:
        points: (p, 3) [m].
        corners: Numbers of points, (n, 4).
    """

    points: FloatArray
    corners: IntArray


def load_vtk(file: str | Path, limits: Limits = DEFAULT_LIMITS) -> TetrahedronMesh:
    """Reads the tetrahedra of a .vtk file; cells of other kinds are left out.

    Args:
        file: The file.
        limits: Bounds on its size, and on the numbers of points and cells.

    Raises:
        AssetError: It is no text file of an unstructured grid, has no tetrahedron, names a point
            that is not there, or exceeds a bound.
    """
    return read_vtk(read_regular(file, limits.mesh_bytes), file, limits)


def read_vtk(data: bytes, file: object, limits: Limits) -> TetrahedronMesh:
    """Reads the tetrahedra of the content of a .vtk file; see `load_vtk`.

    Raises:
        AssetError: See `load_vtk`.
    """
    lines = data.decode("utf-8", "replace").splitlines()
    if not lines or not lines[0].replace("#vtk", "# vtk", 1).startswith("# vtk DataFile"):
        raise AssetError(file, "", "does not begin with '# vtk DataFile'")
    if len(lines) < 4 or lines[2].strip().upper() != "ASCII":
        raise AssetError(file, "line 3", "only ASCII files are read")
    if lines[3].split()[-1:] != ["UNSTRUCTURED_GRID"]:
        raise AssetError(file, "line 4", "only DATASET UNSTRUCTURED_GRID is read")
    words = " ".join(lines[4:]).split()
    points = _points(words, file, limits)
    corners = _tetrahedra(words, file, limits)
    if not len(corners):
        raise AssetError(file, "CELLS", "has no tetrahedron")
    outside = (corners < 0) | (corners >= len(points))
    if outside.any():
        problem = f"point {int(corners[outside][0])} of {len(points)}"
        raise AssetError(file, "CELLS", problem)
    return TetrahedronMesh(points, corners)


def _section(words: list[str], heading: str, file: object) -> tuple[int, int]:
    """Where a section's words after its count are, and the count."""
    try:
        at = words.index(heading)
        count = int(words[at + 1])
    except (ValueError, IndexError):
        raise AssetError(file, heading, "is not there, or has no count") from None
    if count < 0:
        raise AssetError(file, heading, f"has a count of {count}")
    return at + 2, count


def _numbers(words: list[str], kind: type, heading: str, file: object) -> Any:
    try:
        return np.array(words, dtype=kind)  # pyright: ignore[reportUnknownVariableType]
    except (ValueError, OverflowError):
        raise AssetError(file, heading, "has a word that is not a number") from None


def _points(words: list[str], file: object, limits: Limits) -> FloatArray:
    begin, count = _section(words, "POINTS", file)
    if count > limits.mesh_vertices:
        raise AssetError(file, "POINTS", f"{count} exceed the limit of {limits.mesh_vertices}")
    found = words[begin + 1 : begin + 1 + 3 * count]  # a word for their type comes first
    if len(found) < 3 * count:
        raise AssetError(file, "POINTS", f"{len(found)} numbers for {count} points")
    points = _numbers(found, np.float64, "POINTS", file).reshape(-1, 3)
    if not np.isfinite(points).all():
        raise AssetError(file, "POINTS", "has a number that is not finite")
    return points


def _tetrahedra(words: list[str], file: object, limits: Limits) -> IntArray:
    begin, count = _section(words, "CELLS", file)
    if count > limits.mesh_faces:
        raise AssetError(file, "CELLS", f"{count} exceed the limit of {limits.mesh_faces}")
    types, known = _section(words, "CELL_TYPES", file)
    kinds = _numbers(words[types : types + known], np.int64, "CELL_TYPES", file)
    if types == len(words):  # none is listed: the meshes of Bullet's reduced bodies
        kinds, known = np.full(count, _TETRAHEDRON), count
    if known != count or len(kinds) != count:
        raise AssetError(file, "CELL_TYPES", f"{len(kinds)} for {count} cells")
    corners: list[list[str]] = []
    at = begin + 1  # the number of all words of the section comes first
    for kind in kinds.tolist():
        try:
            size = int(words[at])
        except (ValueError, IndexError):
            raise AssetError(file, "CELLS", f"end after {len(corners)} of {count}") from None
        if not 0 < size <= len(words) - at - 1:
            raise AssetError(file, "CELLS", f"a cell of {size} corners")
        if kind == _TETRAHEDRON:
            if size != 4:
                raise AssetError(file, "CELLS", f"a tetrahedron of {size} corners")
            corners.append(words[at + 1 : at + 5])
        at += 1 + size
    numbers = _numbers([w for cell in corners for w in cell], np.int64, "CELLS", file)
    if len(numbers) and abs(numbers).max() > np.iinfo(np.int32).max:
        raise AssetError(file, "CELLS", "has a number that is too large")
    return numbers.reshape(-1, 4).astype(np.int32)
