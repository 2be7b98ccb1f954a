# pyright: reportAttributeAccessIssue=false
"""Reading of USD prims, which scripts know as ``newton.usd``."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import numpy as np
import warp as wp

from unibody.core.assets.usd.geometry import fan
from unibody.errors import InvalidArgumentError, NotSupportedError
from unibody.newton.enums import Axis
from unibody.newton.mesh import Mesh

__all__ = [
    "get_attribute",
    "get_attributes_in_namespace",
    "get_float",
    "get_float_with_fallback",
    "get_gprim_axis",
    "get_mesh",
    "get_quat",
    "get_scale",
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
_NO_HOLES = np.zeros(0, dtype=np.int64)


def __getattr__(name: str) -> Any:
    if name in _ABSENT:
        raise NotSupportedError(f"newton.usd.{name}", _ABSENT[name])
    raise AttributeError(f"module 'newton.usd' has no attribute {name!r}")


def get_attribute(prim: Any, name: str, default: Any = None) -> Any:
    """The value of an attribute, or a default where none was written."""
    attribute = prim.GetAttribute(name)
    if not attribute or not attribute.HasAuthoredValue():
        return default
    return attribute.Get()


def has_attribute(prim: Any, name: str) -> bool:
    """Whether an attribute has a value that was written."""
    attribute = prim.GetAttribute(name)
    return bool(attribute) and attribute.HasAuthoredValue()


def get_attributes_in_namespace(prim: Any, namespace: str) -> dict[str, Any]:
    """Values that were written in a namespace, by the whole names of their attributes."""
    found: dict[str, Any] = {}
    for prop in prim.GetAuthoredPropertiesInNamespace(namespace):
        attribute = prim.GetAttribute(prop.GetName())
        if attribute and attribute.HasAuthoredValue():
            found[prop.GetName()] = attribute.Get()
    return found


def has_applied_api_schema(prim: Any, schema_name: str) -> bool:
    """Whether a schema was applied, one that USD does not know included."""
    if schema_name in prim.GetAppliedSchemas():
        return True
    written = prim.GetMetadata("apiSchemas")
    return written is not None and schema_name in written.GetAddedOrExplicitItems()


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
        load_normals: Whether normals are read; those of corners are averaged at their vertex.
        load_uvs: Whether places in textures are read; those of vertices only.
        maxhullvert: Most vertices of its convex hull.
        face_varying_normal_conversion: How normals of corners become normals of vertices; only
            ``"vertex_averaging"`` is supported, and it matters for such normals only.
        vertex_splitting_angle_threshold_deg: For ``"vertex_splitting"``.
        preserve_facevarying_uvs: Not supported.
        return_uv_indices: Not supported.

    Raises:
        InvalidArgumentError: If the prim is no mesh, or its faces name vertices that are not there.
        NotSupportedError: If texture places or normals of corners are asked for.
    """
    from pxr import UsdGeom

    surface = UsdGeom.Mesh(prim)
    if not surface:
        raise InvalidArgumentError("prim", str(prim.GetPath()), "a prim of the schema UsdGeom.Mesh")
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
    if load_normals:
        options["normals"] = _normals(surface, points, corners, face_varying_normal_conversion)
    if load_uvs:
        options["uvs"] = _uvs(prim, len(points))
    triangles = corners[fan(counts, _NO_HOLES)]
    if surface.GetOrientationAttr().Get() == UsdGeom.Tokens.leftHanded:
        triangles = triangles[:, ::-1]
    return Mesh(points, triangles.reshape(-1).astype(np.int32), **options)


def _normals(surface: Any, points: np.ndarray, corners: np.ndarray, conversion: str) -> Any:
    given = surface.GetNormalsAttr().Get()
    if given is None:
        return None
    normals = np.array(given, dtype=np.float64).reshape(-1, 3)
    if len(normals) == len(points):
        return normals.astype(np.float32)
    if len(normals) != len(corners):
        allowed = f"normals of {len(points)} vertices or {len(corners)} corners"
        raise InvalidArgumentError("prim", f"{len(normals)} normals", allowed)
    if conversion != "vertex_averaging":
        raise NotSupportedError(
            f"face_varying_normal_conversion={conversion!r}", '"vertex_averaging" works'
        )
    sums = np.zeros_like(points)
    np.add.at(sums, corners, normals)
    length = np.linalg.norm(sums, axis=1, keepdims=True)
    return (sums / np.where(length == 0.0, 1.0, length)).astype(np.float32)


def _uvs(prim: Any, count: int) -> Any:
    from pxr import UsdGeom

    found = UsdGeom.PrimvarsAPI(prim).GetPrimvar("st")
    values = found.ComputeFlattened() if found else None
    if values is None:
        return None
    if len(values) != count:
        raise NotSupportedError("texture places of corners", "get_mesh reads those of vertices")
    return np.array(values, dtype=np.float32).reshape(-1, 2)
