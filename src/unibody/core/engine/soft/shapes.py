"""What particles can touch: the shapes of a compiled model as arrays for compiled code."""

from __future__ import annotations

from typing import Any, NamedTuple

import mujoco
import numpy as np
from numpy.typing import NDArray

from unibody.core.engine.mesh_contacts.registry import surface_named
from unibody.core.engine.mesh_contacts.surface import TriangleSurface

_GEOM = mujoco.mjtGeom
TRIANGLES = 100
"""Kind of a geom that stands for a mesh of triangles; other kinds are MuJoCo's numbers."""

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]


class Shapes(NamedTuple):
    """The shapes of a compiled model.

    Attributes:
        kinds: Of each geom, (ngeom,).
        sizes: Half sizes, of a height field those of its grid and its height, (ngeom, 3) [m].
        reaches: Radius about the geom's frame in which all of it lies; planes have none, (ngeom,)
            [m].
        first: Where planes, heights or triangles of the geom begin, (ngeom,).
        counts: How many there are; of a height field its rows and columns, of triangles their
            number and that of leaves, (ngeom, 2).
        planes: Outward normal of a face of a hull, and how far out it is, (n, 4) [m].
        heights: Of all height fields, shares of their height.
        corners: Of all triangles, (m, 3, 3) [m].
        boxes: Lowest and highest corner of the nodes of trees of triangles, (b, 6) [m].
        roots: Where the tree of the geom begins, (ngeom,).
    """

    kinds: IntArray
    sizes: FloatArray
    reaches: FloatArray
    first: IntArray
    counts: IntArray
    planes: FloatArray
    heights: FloatArray
    corners: FloatArray
    boxes: FloatArray
    roots: IntArray


def shapes_of(model: Any) -> Shapes:
    """Collect the shapes of a compiled model.

    Args:
        model: The model; its arrays are copied, so that shapes that change are collected again.
    """
    count = model.ngeom
    kinds = np.array(model.geom_type, dtype=np.int64)
    sizes = np.array(model.geom_size, dtype=np.float64)
    reaches = np.linalg.norm(np.abs(model.geom_aabb[:, :3]) + model.geom_aabb[:, 3:], axis=1)
    first, counts = np.zeros(count, dtype=np.int64), np.zeros((count, 2), dtype=np.int64)
    roots = np.zeros(count, dtype=np.int64)
    planes, surfaces = _Hulls(model), _Surfaces()
    spans: dict[int, tuple[int, int]] = {}
    for geom in range(count):
        data = int(model.geom_dataid[geom])
        if kinds[geom] == _GEOM.mjGEOM_MESH:
            if data not in spans:
                spans[data] = planes.start(data)
            first[geom], counts[geom, 0] = spans[data]
        elif kinds[geom] == _GEOM.mjGEOM_HFIELD:
            surface = surface_named(model.hfield(data).name)
            if surface is not None:
                kinds[geom] = TRIANGLES
                first[geom], roots[geom] = surfaces.add(surface)
                counts[geom] = len(surface.faces), surface.leaves
            else:
                first[geom] = model.hfield_adr[data]
                counts[geom] = model.hfield_nrow[data], model.hfield_ncol[data]
                sizes[geom] = model.hfield_size[data, :3]
    return Shapes(
        kinds, sizes, reaches, first, counts, planes.joined(),
        np.array(model.hfield_data, dtype=np.float64), surfaces.corners(), surfaces.boxes(), roots,
    )  # fmt: skip


class _Hulls:
    """Faces of the hulls of meshes as planes."""

    def __init__(self, model: Any) -> None:
        self.model = model
        self.parts: list[FloatArray] = []
        self.total = 0

    def start(self, mesh: int) -> tuple[int, int]:
        """Collect a mesh; its first plane, and their number."""
        model = self.model
        begin = int(model.mesh_polyadr[mesh])
        normals = np.array(model.mesh_polynormal[begin : begin + int(model.mesh_polynum[mesh])])
        begin = int(model.mesh_vertadr[mesh])
        vertices = np.array(model.mesh_vert[begin : begin + int(model.mesh_vertnum[mesh])])
        offsets = (normals @ vertices.T.astype(np.float64)).max(axis=1)
        self.parts.append(np.column_stack([normals, offsets]))
        found = self.total, len(normals)
        self.total += len(normals)
        return found

    def joined(self) -> FloatArray:
        """All planes."""
        return np.concatenate([np.zeros((1, 4)), *self.parts])[bool(self.parts) :]


class _Surfaces:
    """Triangles and trees of meshes."""

    def __init__(self) -> None:
        self.triangles: list[FloatArray] = [np.zeros((0, 3, 3))]
        self.nodes: list[FloatArray] = [np.zeros((0, 6))]
        self.known: dict[int, tuple[int, int]] = {}

    def add(self, surface: TriangleSurface) -> tuple[int, int]:
        """Collect a surface; its first triangle, and the root of its tree."""
        if surface.key not in self.known:
            begins = sum(map(len, self.triangles)), sum(map(len, self.nodes))
            self.known[surface.key] = begins
            self.triangles.append(surface.vertices[surface.faces])
            self.nodes.append(np.asarray(surface.tree, dtype=np.float64).reshape(-1, 6))
        return self.known[surface.key]

    def corners(self) -> FloatArray:
        """Of all triangles, (m, 3, 3)."""
        return np.ascontiguousarray(np.concatenate(self.triangles))

    def boxes(self) -> FloatArray:
        """Of all nodes, (b, 6)."""
        return np.ascontiguousarray(np.concatenate(self.nodes))
