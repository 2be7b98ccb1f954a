"""Reader of .stl files, binary and ascii."""

from __future__ import annotations

import numpy as np

from unibody.core.assets.limits import Limits
from unibody.core.assets.mesh_types import FloatArray, TriMesh, check_counts
from unibody.errors import AssetError

_HEADER = 84
_TRIANGLE = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("attribute", "<u2")])


def read_stl(data: bytes, file: object, limits: Limits) -> TriMesh:
    """Reads the triangles of an .stl file and joins corners at the same position.

    Several solids of an ascii file become one mesh.

    Args:
        data: Content of the file.
        file: Name used in error messages.
        limits: Bounds on the number of faces.

    Raises:
        AssetError: Neither binary nor ascii, or a bound is exceeded.
    """
    stated = int.from_bytes(data[80:_HEADER], "little") if len(data) >= _HEADER else -1
    # An ascii file can start with anything and a binary one with "solid", so the size decides.
    if stated >= 0 and _HEADER + stated * _TRIANGLE.itemsize == len(data):
        corners = _binary(data, stated, file, limits)
    elif data.lstrip()[:5].lower() == b"solid" and b"vertex" in data:
        corners = _ascii(data, file, limits)
    elif 0 < stated * _TRIANGLE.itemsize <= len(data) - _HEADER:
        corners = _binary(data, stated, file, limits)  # bytes behind the triangles
    else:
        problem = f"not an STL file: {len(data)} bytes do not hold the {stated} triangles it states"
        raise AssetError(file, "", problem)
    if not len(corners):
        raise AssetError(file, "", "has no triangle")
    vertices, faces = join(corners)
    return TriMesh(vertices, faces.reshape(-1, 3))


def join(points: FloatArray) -> tuple[FloatArray, np.ndarray]:
    """Distinct rows of ``points`` (N, 3) and the row of each point in them, (N,) int32."""
    order = np.lexsort(points.T)
    ordered = points[order]
    fresh = np.empty(len(points), dtype=bool)
    fresh[0] = True
    np.any(ordered[1:] != ordered[:-1], axis=1, out=fresh[1:])
    index = np.empty(len(points), dtype=np.int32)
    index[order] = np.cumsum(fresh) - 1
    return np.ascontiguousarray(ordered[fresh]), index


def _binary(data: bytes, count: int, file: object, limits: Limits) -> FloatArray:
    check_counts(0, count, file, "", limits)
    triangles = np.frombuffer(data, dtype=_TRIANGLE, count=count, offset=_HEADER)
    return triangles["corners"].reshape(-1, 3).astype(np.float64)


def _ascii(data: bytes, file: object, limits: Limits) -> FloatArray:
    tokens = data.split()
    begins = [row for row, token in enumerate(tokens) if token.lower() == b"vertex"]
    check_counts(0, len(begins) // 3, file, "", limits)
    try:
        rows = [tuple(map(float, tokens[row + 1 : row + 4])) for row in begins]
        corners = np.array(rows, dtype=np.float64).reshape(-1, 3)
    except ValueError as error:
        raise AssetError(file, "vertex", f"needs three numbers: {error}") from error
    if len(corners) % 3:
        raise AssetError(file, "", f"{len(corners)} vertices are not whole triangles")
    return corners
