"""MuJoCo's own binary meshes (.msh): four counts, then vertices, normals, texcoords and faces."""

from __future__ import annotations

import numpy as np

from unibody.core.assets.limits import Limits
from unibody.core.assets.mesh.types import TriMesh, check_counts
from unibody.errors import AssetError

_HEADER = 16  # bytes
_FEWEST = 4  # vertices that MuJoCo takes


def read_msh(data: bytes, file: str, limits: Limits) -> TriMesh:
    """Read the vertices and faces of a mesh.

    Args:
        data: Content of the file.
        file: Its name, for errors.
        limits: Bounds on the size of the mesh.

    Raises:
        AssetError: It is no such file.
    """
    if len(data) < _HEADER:
        raise AssetError(file, "", f"MuJoCo mesh file is too short: {len(data)} bytes")
    counts = np.frombuffer(data, "<i4", 4).astype(int).tolist()
    vertices, normals, texcoords, faces = counts
    known = vertices >= _FEWEST and normals in (0, vertices) and texcoords in (0, vertices)
    expected = _HEADER + 12 * vertices + 12 * normals + 8 * texcoords + 12 * faces
    if not known or faces < 0 or len(data) != expected:
        problem = (
            f"{len(data)} bytes with the counts {counts} of vertices, normals, texcoords, faces"
        )
        raise AssetError(file, "", f"Invalid MuJoCo mesh file: {problem}")
    check_counts(vertices, faces, file, "", limits)
    points = np.frombuffer(data, "<f4", 3 * vertices, _HEADER).reshape(-1, 3)
    corners = np.frombuffer(data, "<i4", 3 * faces, expected - 12 * faces).reshape(-1, 3)
    if corners.size and not 0 <= corners.min() <= corners.max() < vertices:
        problem = f"faces of vertices {corners.min()} to {corners.max()}, of {vertices}"
        raise AssetError(file, "", f"Invalid MuJoCo mesh file: {problem}")
    return TriMesh(points.astype(np.float64), corners.astype(np.int32))
