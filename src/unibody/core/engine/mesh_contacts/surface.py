"""A triangle mesh as the narrow phase and rays read it."""

from __future__ import annotations

import enum
import hashlib
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from unibody.core.assets.bounded_cache import BoundedCache
from unibody.core.assets.mesh.types import FloatArray, IntArray, TriMesh
from unibody.core.engine.mesh_contacts import topology
from unibody.errors import AssetError

if TYPE_CHECKING:
    from typing import Any

    from numpy.typing import NDArray

LEAF = 4  # triangles in a leaf of the tree
_CACHE_ENTRIES = 16


class Slot(enum.IntEnum):
    """What each number of a surface's record is: a count, or the address of an array."""

    KEY = 0  # see ``TriangleSurface.key``; 0: nobody has the record
    FACES = 1  # int32 (F, 3): corners, in the order of the leaves
    COUNT = 2  # F
    VERTICES = 3  # float64 (V, 3), in the frame of the geom [m]
    NORMALS = 4  # float64 (F, 3)
    ACROSS = (
        5  # int32 (F, 3): corner of the neighbour beyond the edge from corner k to k + 1, or -1
    )
    RING_START = 6  # int32 (V + 1,): where the neighbours of a vertex begin
    RING = 7  # int32: vertices at the other ends of its edges
    LEAVES = 8  # leaves of the tree, a power of two
    TREE = 9  # float64 (2 leaves - 1, 6): lowest and highest corner of each node [m]
    SIZE = 10


class TriangleSurface:
    """Triangles over welded vertices, with neighbours and a tree of boxes.

    Attributes:
        key: Positive 62-bit hash of the geometry.
        centre: What was subtracted from the vertices, (3,) [m]: the middle of their bounding box,
            and its lowest height.
        half: Half sizes of the bounding box, (3,) [m].
        record: What compiled code reads, (Slot.SIZE,).
    """

    def __init__(
        self, key: int, vertices: FloatArray, faces: IntArray, normals: FloatArray
    ) -> None:
        low, high = vertices.min(axis=0), vertices.max(axis=0)
        self.key = key
        self.half: Any = 0.5 * (high - low)
        self.centre: NDArray[Any] = np.array([*(0.5 * (low + high))[:2], low[2]])
        self.vertices: NDArray[np.float64] = np.ascontiguousarray(vertices - self.centre)
        order = np.argsort(topology.curve_keys(self.vertices, faces), kind="stable")
        self.faces: NDArray[np.int32] = np.ascontiguousarray(faces[order])
        self.normals: NDArray[np.float64] = np.ascontiguousarray(normals[order])
        self.leaves: int = 1 << max(0, (len(faces) - 1) // LEAF).bit_length()
        self.tree: FloatArray
        self.across: IntArray
        self.ring_start: IntArray
        self.ring: IntArray
        self.tree, self.across, self.ring_start, self.ring = topology.arranged(
            self.vertices, self.faces, self.leaves, LEAF
        )
        self.record: NDArray[np.int64] = np.zeros(Slot.SIZE, dtype=np.int64)
        self.record[:] = (
            key, self.faces.ctypes.data, len(self.faces), self.vertices.ctypes.data,
            self.normals.ctypes.data, self.across.ctypes.data, self.ring_start.ctypes.data,
            self.ring.ctypes.data, self.leaves, self.tree.ctypes.data,
        )  # fmt: skip

    @property
    def nbytes(self) -> int:
        """Memory of the arrays [bytes]."""
        arrays = (
            self.vertices, self.faces, self.normals, self.tree, self.across, self.ring_start,
            self.ring,
        )  # fmt: skip
        return sum(array.nbytes for array in arrays)


_CACHE_BYTES = 128 << 20
_cache: BoundedCache[int, TriangleSurface] = BoundedCache(_CACHE_ENTRIES, _CACHE_BYTES)


def surface_of(parts: Sequence[TriMesh]) -> TriangleSurface:
    """The surface of all parts of a mesh, which are in one frame; remembered by content.

    Raises:
        AssetError: No triangle has an area.
    """
    digest = hashlib.sha1("".join(part.key for part in parts).encode(), usedforsecurity=False)
    key = (int.from_bytes(digest.digest()[:8], "little") >> 2) | 1
    surface = _cache.get(key)
    if surface is None:
        if not parts:
            raise AssetError("<mesh>", "", "has no triangles")
        vertices, faces, normals = _welded(parts)
        if not len(faces):
            raise AssetError(parts[0].source, parts[0].name, "has no triangle with an area")
        surface = TriangleSurface(key, vertices, faces, normals)
        _cache.put(key, surface, surface.nbytes)
    return surface


def _welded(parts: Sequence[TriMesh]) -> tuple[FloatArray, IntArray, FloatArray]:
    """Places, triangles over them that have an area, and normals of all parts of a mesh."""
    counts = np.cumsum([0, *(len(part.vertices) for part in parts)]).tolist()
    vertices = np.concatenate([np.asarray(part.vertices, np.float64) for part in parts]) + 0.0
    faces = np.concatenate(
        [
            np.asarray(part.faces, np.int32).reshape(-1, 3) + np.int32(first)
            for part, first in zip(parts, counts, strict=False)
        ]
    )
    return topology.welded(vertices, faces)
