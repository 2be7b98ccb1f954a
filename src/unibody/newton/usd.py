# pyright: reportAttributeAccessIssue=false
"""Reading of USD prims, which scripts know as ``newton.usd``."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any, overload

import numpy as np
import warp as wp

from unibody.core.assets.usd.geometry import fan
from unibody.errors import InvalidArgumentError, NotSupportedError
from unibody.newton.enums import Axis
from unibody.newton.mesh import Mesh
from unibody.newton.usd_tets import (
    DEFORMABLE_LEGACY_NAMESPACES,
    find_tetmesh_prims,
    get_physics_scenes,
    get_tetmesh,
)
from unibody.newton.usd_values import get_attribute, has_applied_api_schema, has_attribute

__all__ = [
    "DEFORMABLE_LEGACY_NAMESPACES",
    "find_tetmesh_prims",
    "get_attribute",
    "get_attributes_in_namespace",
    "get_float",
    "get_float_with_fallback",
    "get_gprim_axis",
    "get_mesh",
    "get_physics_scenes",
    "get_quat",
    "get_scale",
    "get_tetmesh",
    "get_transform",
    "get_transform_matrix",
    "get_vector",
    "has_applied_api_schema",
    "has_attribute",
    "type_to_warp",
    "value_to_warp",
]

_ABSENT = {
    "get_custom_attribute_declarations": "ModelBuilder.add_custom_attribute declares them",
    "get_custom_attribute_values": "get_attributes_in_namespace reads them",
}
_TRIANGLE = 3
_CONVERSIONS = ("vertex_splitting", "vertex_averaging")
_NO_HOLES = np.zeros(0, dtype=np.int64)


def __getattr__(name: str) -> Any:
    if name in _ABSENT:
        raise NotSupportedError(f"newton.usd.{name}", _ABSENT[name])
    raise AttributeError(f"module 'newton.usd' has no attribute {name!r}")


def get_attributes_in_namespace(prim: Any, namespace: str) -> dict[str, Any]:
    """Values that were written in a namespace, by the whole names of their attributes."""
    found: dict[str, Any] = {}
    for prop in prim.GetAuthoredPropertiesInNamespace(namespace):
        attribute = prim.GetAttribute(prop.GetName())
        if attribute and attribute.HasAuthoredValue():
            found[prop.GetName()] = attribute.Get()
    return found


@overload
def get_float(prim: Any, name: str, default: float) -> float: ...


@overload
def get_float(prim: Any, name: str, default: None = None) -> float | None: ...


def get_float(prim: Any, name: str, default: float | None = None) -> float | None:
    """A number that was written, if it is finite."""
    value = get_attribute(prim, name)
    return float(value) if value is not None and math.isfinite(value) else default


def get_float_with_fallback(prims: Iterable[Any], name: str, default: float = 0.0) -> float:
    """The number of the first prim that has a finite one."""
    for prim in prims:
        value = get_float(prim, name)
        if value is not None:
            return value
    return default


def get_quat(prim: Any, name: str, default: Any = None) -> Any:
    """A quaternion that was written, if it is finite and not zero."""
    value = get_attribute(prim, name)
    if value is None:
        return default
    quat = value_to_warp(value)
    length = wp.length(quat)
    return quat if math.isfinite(length) and length > 0.0 else default


def get_vector(prim: Any, name: str, default: Any = None) -> Any:
    """A vector that was written, float32, if it is finite."""
    value = get_attribute(prim, name)
    if value is None or not np.isfinite(value).all():
        return default
    return np.array(value, dtype=np.float32)


def get_gprim_axis(prim: Any, name: str = "axis", default: str = "Z") -> Axis:
    """The axis of a shape."""
    return Axis.from_any(str(get_attribute(prim, name, default)))


def get_transform_matrix(prim: Any, local: bool = True, xform_cache: Any = None) -> wp.mat44:
    """The matrix of a prim, for vectors in columns.

    Args:
        prim: The prim.
        local: Whether relative to its parent; else to the world.
        xform_cache: A cache of USD, for those relative to the world.
    """
    return wp.mat44(_matrix(prim, local, xform_cache).T)


def get_transform(prim: Any, local: bool = True, xform_cache: Any = None) -> wp.transform:
    """Position and rotation of a prim; see `get_transform_matrix`."""
    position, rotation, _ = _decomposed(_matrix(prim, local, xform_cache))
    return wp.transform(wp.vec3(*position), wp.quat(*rotation))


def get_scale(prim: Any, local: bool = True, xform_cache: Any = None) -> wp.vec3:
    """Scale of a prim; see `get_transform_matrix`."""
    return wp.vec3(*_decomposed(_matrix(prim, local, xform_cache))[2])


def _matrix(prim: Any, local: bool, cache: Any) -> np.ndarray:
    """The matrix as USD has it: vectors are rows."""
    from pxr import Usd, UsdGeom

    form = UsdGeom.Xformable(prim)
    if not form:
        path = str(prim.GetPath())
        raise InvalidArgumentError("prim", path, "a prim that has a transform")
    if local:
        matrix = form.GetLocalTransformation()
    elif cache is not None:
        matrix = cache.GetLocalToWorldTransform(prim)
    else:
        matrix = form.ComputeLocalToWorldTransform(Usd.TimeCode.Default())
    return np.array(matrix, dtype=np.float64)


def _decomposed(matrix: np.ndarray) -> tuple[Any, Any, Any]:
    """Position, rotation (x, y, z, w) and scale."""
    scale = np.linalg.norm(matrix[:3, :3], axis=1)
    if np.linalg.det(matrix[:3, :3]) < 0.0:
        scale = scale * [1.0, 1.0, -1.0]
    turn = (matrix[:3, :3] / np.where(scale == 0.0, 1.0, scale)[:, None]).T
    quat = wp.quat_from_matrix(wp.mat33(turn))
    return matrix[3, :3].tolist(), list(quat), scale.tolist()


def type_to_warp(v: Any) -> Any:
    """The type of Warp that a value of USD has."""
    if hasattr(v, "real") and hasattr(v, "imaginary"):
        return wp.quat
    if hasattr(v, "__len__") and not isinstance(v, str):
        vectors = {2: wp.vec2, 3: wp.vec3, 4: wp.vec4}
        if len(v) in vectors:
            return vectors[len(v)]
    if isinstance(v, bool):
        return wp.bool
    return wp.int32 if isinstance(v, int) else wp.float32


def value_to_warp(v: Any, warp_dtype: Any = None) -> Any:
    """A value of USD as one of Warp.

    Args:
        v: The value.
        warp_dtype: The type that it shall have; None: see `type_to_warp`.
    """
    kind = warp_dtype or type_to_warp(v)
    if kind is wp.quat:
        if hasattr(v, "imaginary"):
            return wp.quat(*(float(part) for part in v.imaginary), float(v.real))
        return wp.quat(*(float(part) for part in v))
    if wp.types.type_is_vector(kind):
        return kind(*v)
    return kind(v) if kind is not wp.bool else bool(v)


def get_mesh(
    prim: Any,
    load_normals: bool = False,
    load_uvs: bool = False,
    maxhullvert: int | None = None,
    face_varying_normal_conversion: str = "vertex_splitting",
    vertex_splitting_angle_threshold_deg: float = 25.0,
    preserve_facevarying_uvs: bool = False,
    return_uv_indices: bool = False,
) -> Mesh:
    """The surface of a mesh prim, its polygons cut in triangles.

    Args:
        prim: Of the schema ``UsdGeom.Mesh``.
        load_normals: Whether normals are read.
        load_uvs: Whether places in textures are read; those of vertices only.
        maxhullvert: Most vertices of its convex hull.
        face_varying_normal_conversion: How normals of corners become normals of vertices: as
            their mean ("vertex_averaging"), or with a vertex for each that differs from the others
            ("vertex_splitting").
        vertex_splitting_angle_threshold_deg: From which angle on they differ [degrees].
        preserve_facevarying_uvs: Not supported.
        return_uv_indices: Not supported.

    Raises:
        InvalidArgumentError: If the prim is no mesh, or its faces name vertices that are not there.
        NotSupportedError: If texture places of corners are asked for.
    """
    from pxr import UsdGeom

    surface = UsdGeom.Mesh(prim)
    if not surface:
        raise InvalidArgumentError("prim", str(prim.GetPath()), "a prim of the schema UsdGeom.Mesh")
    if face_varying_normal_conversion not in _CONVERSIONS:
        allowed = " or ".join(map(repr, _CONVERSIONS))
        given = face_varying_normal_conversion
        raise InvalidArgumentError("face_varying_normal_conversion", given, allowed)
    if preserve_facevarying_uvs or return_uv_indices:
        raise NotSupportedError("texture places of corners", "get_mesh reads those of vertices")
    points = np.array(surface.GetPointsAttr().Get() or [], dtype=np.float64).reshape(-1, 3)
    counts = np.array(surface.GetFaceVertexCountsAttr().Get() or [], dtype=np.int64)
    corners = np.array(surface.GetFaceVertexIndicesAttr().Get() or [], dtype=np.int64)
    inside = not len(corners) or (corners.min() >= 0 and corners.max() < len(points))
    if counts.sum() != len(corners) or (counts < _TRIANGLE).any() or not inside:
        allowed = f"faces of three corners or more, of the mesh's {len(points)} points"
        raise InvalidArgumentError("prim", str(prim.GetPath()), allowed)
    options: dict[str, Any] = {} if maxhullvert is None else {"maxhullvert": maxhullvert}
    if load_uvs:
        options["uvs"] = _uvs(prim, len(points))
    if load_normals:
        normals = _normals(prim, surface, points, corners)
        if normals is not None and len(normals) != len(points):
            if face_varying_normal_conversion == "vertex_averaging":
                normals = _averaged(points, corners, normals)
            else:
                split = _split(corners, normals, vertex_splitting_angle_threshold_deg)
                sources, corners, normals = split
                points = points[sources]
                if options.get("uvs") is not None:
                    options["uvs"] = options["uvs"][sources]
        options["normals"] = None if normals is None else normals.astype(np.float32)
    triangles = corners[fan(counts, _NO_HOLES)]
    if surface.GetOrientationAttr().Get() == UsdGeom.Tokens.leftHanded:
        triangles = triangles[:, ::-1]
    return Mesh(points, triangles.reshape(-1).astype(np.int32), **options)


def _normals(prim: Any, surface: Any, points: np.ndarray, corners: np.ndarray) -> Any:
    """Normals of vertices or of corners, or None."""
    from pxr import UsdGeom

    stated = UsdGeom.PrimvarsAPI(prim).GetPrimvar("normals")
    given = stated.ComputeFlattened() if stated and stated.HasValue() else None
    if given is None:
        given = surface.GetNormalsAttr().Get()
    if given is None:
        return None
    normals = np.array(given, dtype=np.float64).reshape(-1, 3)
    if len(normals) not in {len(points), len(corners)}:
        allowed = f"normals of {len(points)} vertices or {len(corners)} corners"
        raise InvalidArgumentError("prim", f"{len(normals)} normals", allowed)
    return normals


def _averaged(points: np.ndarray, corners: np.ndarray, normals: np.ndarray) -> np.ndarray:
    sums = np.zeros_like(points)
    np.add.at(sums, corners, normals)
    return _unit(sums)


def _unit(rows: np.ndarray) -> np.ndarray:
    length = np.linalg.norm(rows, axis=1, keepdims=True)
    return rows / np.where(length == 0.0, 1.0, length)


def _split(
    corners: np.ndarray, normals: np.ndarray, threshold: float
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Vertices for all normals of a corner that differ.

    Returns:
        The old vertex of each new one, the new vertex of each corner, normals of new vertices.
    """
    units, least = _unit(normals), math.cos(math.radians(threshold))
    near: dict[int, list[int]] = {}
    sources: list[int] = []
    sums: list[np.ndarray] = []
    found = np.empty(len(corners), dtype=np.int64)
    for place, vertex in enumerate(corners.tolist()):
        candidates = near.setdefault(vertex, [])
        normal = units[place]
        for new in candidates:
            if float(sums[new] @ normal) >= least * float(np.linalg.norm(sums[new])):
                sums[new] = sums[new] + normal
                break
        else:
            new = len(sources)
            candidates.append(new)
            sources.append(vertex)
            sums.append(normal)
        found[place] = new
    return np.array(sources, np.int64), found, _unit(np.array(sums).reshape(-1, 3))


def _uvs(prim: Any, count: int) -> Any:
    from pxr import UsdGeom

    found = UsdGeom.PrimvarsAPI(prim).GetPrimvar("st")
    values = found.ComputeFlattened() if found else None
    if values is None:
        return None
    if len(values) != count:
        raise NotSupportedError("texture places of corners", "get_mesh reads those of vertices")
    return np.array(values, dtype=np.float32).reshape(-1, 2)
