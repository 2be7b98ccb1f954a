# pyright: reportAttributeAccessIssue=false
"""Surfaces of USD as meshes."""

from __future__ import annotations

import logging
import math
from typing import Any

import numpy as np

from unibody.core.assets.usd.geometry import fan
from unibody.errors import InvalidArgumentError, NotSupportedError
from unibody.newton.dialect import in_use
from unibody.newton.mesh import Mesh
from unibody.newton.usd_looks import Look, look_of

_TRIANGLE = 3
_CONVERSIONS = ("vertex_splitting", "vertex_averaging")
_NO_HOLES = np.zeros(0, dtype=np.int64)
_PLACES = ("st", "st_0", "UVMap", "uv")
_log = logging.getLogger("newton.usd")


class _Surface:
    """Points and polygons of a mesh prim.

    Raises:
        InvalidArgumentError: The prim is no mesh, or its faces name vertices that are not there.
    """

    def __init__(self, prim: Any) -> None:
        from pxr import UsdGeom

        self.prim, self.path = prim, str(prim.GetPath())
        self.mesh = UsdGeom.Mesh(prim)
        if not self.mesh:
            raise InvalidArgumentError("prim", self.path, "a prim of the schema UsdGeom.Mesh")
        points = self.mesh.GetPointsAttr().Get() or []
        self.points = np.array(points, dtype=np.float64).reshape(-1, 3)
        self.counts = np.array(self.mesh.GetFaceVertexCountsAttr().Get() or [], dtype=np.int64)
        self.corners = np.array(self.mesh.GetFaceVertexIndicesAttr().Get() or [], dtype=np.int64)
        low, high = (self.corners.min(), self.corners.max()) if len(self.corners) else (0, -1)
        short = (self.counts < _TRIANGLE).any()
        if self.counts.sum() != len(self.corners) or short or low < 0 or high >= len(self.points):
            allowed = f"faces of three corners or more, of the mesh's {len(self.points)} points"
            raise InvalidArgumentError("prim", self.path, allowed)

    def triangles(self, corners: np.ndarray) -> np.ndarray:
        """Vertices of the triangles that polygons are cut into."""
        from pxr import UsdGeom

        found = corners[fan(self.counts, _NO_HOLES)]
        left = self.mesh.GetOrientationAttr().Get() == UsdGeom.Tokens.leftHanded
        return (found[:, ::-1] if left else found).reshape(-1).astype(np.int32)

    def normals(self) -> tuple[np.ndarray | None, bool]:
        """Normals, and whether they are those of corners; else they are of vertices."""
        from pxr import UsdGeom

        stated = UsdGeom.PrimvarsAPI(self.prim).GetPrimvar("normals")
        if stated and stated.HasValue():
            given, kind = stated.ComputeFlattened(), stated.GetInterpolation()
        else:
            given = self.mesh.GetNormalsAttr().Get()
            kind = self.mesh.GetNormalsInterpolation()
        if given is None:
            return None, False
        return self._spread(np.array(given, dtype=np.float64).reshape(-1, 3), str(kind))

    def _spread(self, normals: np.ndarray, kind: str) -> tuple[np.ndarray, bool]:
        if kind == "constant" and len(normals) == 1:
            return np.tile(normals, (len(self.points), 1)), False
        if kind == "uniform" and len(normals) == len(self.counts):
            return np.repeat(normals, self.counts, axis=0), True
        if len(normals) == len(self.points) and kind != "faceVarying":
            return normals, False
        if len(normals) not in {len(self.points), len(self.corners)}:
            allowed = f"normals of {len(self.points)} vertices or {len(self.corners)} corners"
            raise InvalidArgumentError("prim", f"{len(normals)} normals", allowed)
        return normals, len(normals) == len(self.corners)

    def places(self, name: str | None) -> tuple[np.ndarray | None, bool]:
        """Places in a texture, and whether they are those of corners; else of vertices.

        Args:
            name: Of the primvar that the material reads; None: the usual ones.
        """
        from pxr import UsdGeom

        api = UsdGeom.PrimvarsAPI(self.prim)
        for choice in (name, *_PLACES):
            found = api.GetPrimvar(choice or _PLACES[0])
            given = found.ComputeFlattened() if choice and found and found.HasValue() else None
            if given is None:
                continue
            rows = np.array(given, dtype=np.float32).reshape(-1, 2)
            of_corners = str(found.GetInterpolation()) == "faceVarying"
            if len(rows) == (len(self.corners) if of_corners else len(self.points)):
                return rows, of_corners
            _log.debug("%s: UV primvar length %d fits no vertex or corner", self.path, len(rows))
            return None, False
        return None, False


def get_mesh(
    source: Any = None,
    load_normals: bool = False,
    load_uvs: bool = False,
    maxhullvert: int | None = None,
    face_varying_normal_conversion: str = "vertex_splitting",
    vertex_splitting_angle_threshold_deg: float = 25.0,
    preserve_facevarying_uvs: bool = False,
    return_uv_indices: bool = False,
    *,
    prim: Any = None,
    compute_inertia: bool = True,
    load_visual_materials: bool | None = None,
) -> Mesh:
    """The surface of a mesh prim, its polygons cut in triangles.

    Args:
        source: The prim, of the schema ``UsdGeom.Mesh``.
        load_normals: Whether normals are read.
        load_uvs: Whether places in textures are read: vertices where they differ are split.
        maxhullvert: Most vertices of its convex hull.
        face_varying_normal_conversion: How normals of corners become normals of vertices: as
            their mean ("vertex_averaging"), or with a vertex for each that differs from the others
            ("vertex_splitting").
        vertex_splitting_angle_threshold_deg: From which angle on they differ [degrees].
        preserve_facevarying_uvs: Not supported.
        return_uv_indices: Not supported.
        prim: The same as `source`.
        compute_inertia: Whether mass, centre and inertia are worked out.
        load_visual_materials: Whether colors, opacity and texture are read; None: in 1.x.

    Raises:
        InvalidArgumentError: If the prim is no mesh, or its faces name vertices that are not there.
        NotSupportedError: If texture places of corners are asked for, or the source is no prim.
    """
    source = prim if source is None else source
    if not hasattr(source, "GetPath"):
        raise NotSupportedError("newton.usd.get_mesh of stages and files", "a prim, of a stage")
    if face_varying_normal_conversion not in _CONVERSIONS:
        allowed = " or ".join(map(repr, _CONVERSIONS))
        given = face_varying_normal_conversion
        raise InvalidArgumentError("face_varying_normal_conversion", given, allowed)
    if preserve_facevarying_uvs or return_uv_indices:
        raise NotSupportedError("texture places of corners", "get_mesh splits vertices for them")
    surface = _Surface(source)
    drawn = in_use() == "1" if load_visual_materials is None else load_visual_materials
    look = look_of(source) if drawn else Look()
    options: dict[str, Any] = {} if maxhullvert is None else {"maxhullvert": maxhullvert}
    plain = surface.triangles(surface.corners)
    mesh = Mesh(surface.points, plain, compute_inertia=compute_inertia, **options)
    threshold = vertex_splitting_angle_threshold_deg
    if face_varying_normal_conversion == "vertex_averaging":
        threshold = math.inf
    normals = surface.normals() if load_normals else (None, False)
    places = surface.places(look.places) if load_uvs else (None, False)
    _set_vertices(mesh, surface, normals, places, threshold)
    set_look(mesh, look)
    return mesh


def set_look(mesh: Mesh, look: Look) -> None:
    """Let a mesh be drawn as a look says."""
    mesh.color, mesh.opacity, mesh.texture = look.color, look.opacity, look.texture
    mesh.roughness, mesh.metallic = look.roughness, look.metallic


def tell_of_no_places(prim: Any, places: str | None) -> None:
    """Log that a texture cannot be drawn, as nothing says where points are in it."""
    _Surface(prim).places(places)
    _log.debug("%s has a texture but no UVs: texture sampling is disabled", prim.GetPath())


def _set_vertices(
    mesh: Mesh,
    surface: _Surface,
    normals: tuple[np.ndarray | None, bool],
    places: tuple[np.ndarray | None, bool],
    threshold: float,
) -> None:
    """Give a mesh normals and places in textures, and more vertices where corners differ.

    Args:
        mesh: The mesh, whose mass and inertia stay.
        surface: Its prim.
        normals: Of vertices, or of corners (True).
        places: The same.
        threshold: From which angle on normals differ [degrees]; infinity: they are averaged.
    """
    vectors, rows = normals[0], places[0]
    if vectors is not None and normals[1] and threshold == math.inf:
        vectors = _averaged(surface.points, surface.corners, vectors)
        normals = (vectors, False)
    if not normals[1] and not places[1]:
        mesh.normals = None if vectors is None else vectors.astype(np.float32)
        mesh.uvs = rows
        return
    corners = surface.corners
    directions, spots = (
        None if values is None else values if split else values[corners]
        for values, split in ((vectors, normals[1]), (rows, places[1]))
    )
    sources, numbers, found = _split(corners, directions, spots, threshold)
    mesh.indices = np.zeros(0, dtype=np.int32)  # those of before may name vertices that go
    mesh.vertices = surface.points[sources]
    mesh.indices = surface.triangles(numbers)
    mesh.normals = None if found is None else found.astype(np.float32)
    if spots is not None:
        own = np.zeros((len(sources), 2), dtype=np.float32)
        own[numbers] = spots
        mesh.uvs = own


def _averaged(points: np.ndarray, corners: np.ndarray, normals: np.ndarray) -> np.ndarray:
    sums = np.zeros_like(points)
    np.add.at(sums, corners, normals)
    return _unit(sums)


def _unit(rows: np.ndarray) -> np.ndarray:
    length = np.linalg.norm(rows, axis=1, keepdims=True)
    return rows / np.where(length == 0.0, 1.0, length)


def _split(
    corners: np.ndarray,
    normals: np.ndarray | None,
    places: np.ndarray | None,
    threshold: float,
) -> tuple[np.ndarray, np.ndarray, np.ndarray | None]:
    """Vertices for all normals and places of a corner that differ.

    Returns:
        The old vertex of each new one, the new vertex of each corner, normals of new vertices.
    """
    least = math.cos(math.radians(min(threshold, 180.0)))
    units = np.zeros((len(corners), 3)) if normals is None else _unit(normals)
    near: dict[tuple[Any, ...], list[int]] = {}
    sources: list[int] = []
    sums: list[np.ndarray] = []
    found = np.empty(len(corners), dtype=np.int64)
    for corner, vertex in enumerate(corners.tolist()):
        place = () if places is None else tuple(places[corner].tolist())
        candidates = near.setdefault((vertex, *place), [])
        normal = units[corner]
        for new in candidates:
            if float(sums[new] @ normal) >= least * float(np.linalg.norm(sums[new])):
                sums[new] = sums[new] + normal
                break
        else:
            new = len(sources)
            candidates.append(new)
            sources.append(vertex)
            sums.append(normal)
        found[corner] = new
    directions = None if normals is None else _unit(np.array(sums).reshape(-1, 3))
    return np.array(sources, np.int64), found, directions
