"""Reader of tetrahedra in .tet files: a line for each vertex, ``v x y z``, and tetrahedron."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from unibody.core.assets.files import read_regular
from unibody.core.assets.limits import DEFAULT_LIMITS, Limits
from unibody.core.assets.mesh.vtk import TetrahedronMesh
from unibody.errors import AssetError

_SIZES = {"v": 3, "t": 4}


def load_tet(file: str | Path, limits: Limits = DEFAULT_LIMITS) -> TetrahedronMesh:
    """Reads a .tet file: ``v x y z`` and ``t a b c d``, with vertices counted from zero.

    Lines that are empty or begin with ``#`` are passed over.

    Args:
        file: The file.
        limits: Bounds on its size, and on the numbers of vertices and tetrahedra.

    Raises:
        AssetError: A line is something else, there is no tetrahedron, one names a vertex that is
            not there, or a bound is exceeded.
    """
    words: dict[str, list[list[str]]] = {kind: [] for kind in _SIZES}
    text = read_regular(file, limits.mesh_bytes).decode("utf-8", "replace")
    for number, line in enumerate(text.splitlines(), start=1):
        kind, *rest = line.split() or ["#"]
        if kind.startswith("#"):
            continue
        if _SIZES.get(kind) != len(rest):
            problem = f"is {line[:40]!r}, expected 'v' and 3 numbers or 't' and 4 vertices"
            raise AssetError(file, f"line {number}", problem)
        words[kind].append(rest)
    _check_count(len(words["v"]), limits.mesh_vertices, "vertices", file)
    _check_count(len(words["t"]), limits.mesh_faces, "tetrahedra", file)
    try:
        points = np.array(words["v"], dtype=np.float64).reshape(-1, 3)
        corners = np.array(words["t"], dtype=np.int64)
    except (ValueError, OverflowError) as problem:
        raise AssetError(file, "", f"has a word that is not a number: {problem}") from None
    if not np.isfinite(points).all():
        raise AssetError(file, "", "has a vertex that is not finite")
    outside = (corners < 0) | (corners >= len(points))
    if outside.any():
        problem = f"names vertex {int(corners[outside][0])} of {len(points)}"
        raise AssetError(file, f"tetrahedron {int(np.argwhere(outside)[0, 0])}", problem)
    return TetrahedronMesh(points, corners.astype(np.int32))


def _check_count(count: int, most: int, what: str, file: object) -> None:
    if not 0 < count <= most:
        raise AssetError(file, "", f"{count} {what}, expected 1 to {most}")
