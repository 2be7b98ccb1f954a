# pyright: reportAttributeAccessIssue=false
"""Reading of USD prims, which scripts know as ``newton.usd``."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any, overload

import numpy as np
import warp as wp

from unibody.errors import InvalidArgumentError, NotSupportedError
from unibody.newton.absent_classes import absent_class
from unibody.newton.enums import Axis
from unibody.newton.usd_meshes import get_mesh
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


_RESOLVERS = ("SchemaResolver", "SchemaResolverMjc", "SchemaResolverNewton", "SchemaResolverPhysx")


def __getattr__(name: str) -> Any:
    if name in _RESOLVERS:
        nearest = "add_usd reads what schemas of Newton, PhysX and MuJoCo say without resolvers"
        return globals().setdefault(name, absent_class("newton.usd", name, nearest))
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
