"""Reader of .stl files, binary and ascii."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from unibody.core.assets.limits import Limits
from unibody.core.assets.mesh.types import FloatArray, TriMesh, check_counts
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
    return TriMesh(vertices.astype(np.float64), faces.reshape(-1, 3))


def join(points: NDArray[Any]) -> tuple[NDArray[Any], NDArray[np.int32]]:
    """Distinct rows of ``points`` (N, 3) and the row of each point in them, (N,) int32."""
    order, fresh = _sorted_bits(points) if points.dtype == np.float32 else _sorted(points)
    ordered = points[order[fresh]]
    index = np.empty(len(points), dtype=np.int32)
    index[order] = np.cumsum(fresh) - 1
    return ordered, index


def _sorted(points: NDArray[Any]) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """An order of rows (N, 3) by z, y and x, and which rows in it differ from the one before."""
    order = np.lexsort(points.T)
    fresh = np.ones(len(points), dtype=bool)
    ordered = points[order]
    np.any(ordered[1:] != ordered[:-1], axis=1, out=fresh[1:])
    return order, fresh


def _sorted_bits(points: NDArray[np.float32]) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """The same for 32-bit numbers, two columns at a time as one whole number: that is faster."""
    bits = (points + np.float32(0.0)).view(np.int32)  # which takes the sign of -0 away
    bits ^= (bits >> 31) & np.int32(2**31 - 1)  # now in the order of the numbers
    x, y, z = (bits.T.astype(np.int64) + 2**31).view(np.uint64)
    half = np.uint64(32)
    order, rank = _ranks(z << half | y)
    again, fresh = _ranks(rank << half | x[order])
    fresh[1:] -= fresh[:-1].copy()
    return order[again], fresh != 0


def _ranks(keys: NDArray[np.uint64]) -> tuple[NDArray[np.int64], NDArray[np.uint64]]:
    """The order of keys, and in it the number of different ones up to each."""
    order = np.argsort(keys)
    keys = keys[order]
    fresh = np.ones(len(keys), dtype=np.uint64)
    fresh[1:] = keys[1:] != keys[:-1]
    return order, np.cumsum(fresh, dtype=np.uint64)


def _binary(data: bytes, count: int, file: object, limits: Limits) -> NDArray[np.float32]:
    check_counts(0, count, file, "", limits)
    triangles = np.frombuffer(data, dtype=_TRIANGLE, count=count, offset=_HEADER)
    return triangles["corners"].reshape(-1, 3)


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
