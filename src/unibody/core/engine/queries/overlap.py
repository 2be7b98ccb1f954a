"""How deep two convex geoms overlap where MuJoCo's general answer does not hold.

MuJoCo finds the depth by growing a polytope around the origin. Where the origin lies on a face of
its first simplex, as for two boxes half inside each other along an axis, the answer can have the
wrong sign, the wrong size, or none. Along a unit direction the overlap of two convex bodies is the
sum of their support functions, and the depth is the smallest overlap of all directions: that
checks an answer, and chooses among candidates.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, NamedTuple

import mujoco
import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float64]
Pair = tuple[int, int]

_GEOM = mujoco.mjtGeom
_BOX, _SPHERE, _CAPSULE = int(_GEOM.mjGEOM_BOX), int(_GEOM.mjGEOM_SPHERE), int(_GEOM.mjGEOM_CAPSULE)
_CYLINDER, _ELLIPSOID = int(_GEOM.mjGEOM_CYLINDER), int(_GEOM.mjGEOM_ELLIPSOID)
_MESH = int(_GEOM.mjGEOM_MESH)
_CONVEX = {_BOX, _SPHERE, _CAPSULE, _CYLINDER, _ELLIPSOID, _MESH}
_ANALYTIC = {_SPHERE, _CAPSULE}  # two of these have a closed formula
_ABSOLUTE, _RELATIVE = 1e-6, 1e-4  # m, -: MuJoCo's own tolerance is 1e-6
_MANY = 256  # faces: of a mesh with more of them only MuJoCo's own answers are candidates
_PARALLEL = 1e-6  # sine of an angle: edges closer than this give no direction
_SHIFTS = 1e-6 * np.array([[0.61, 0.37, -0.71], [-0.43, 0.83, 0.29]])  # m, along no axis


class Overlap(NamedTuple):
    """The depth of two geoms and where it is [m], world frame."""

    depth: float
    point_a: Vector
    point_b: Vector
    normal: Vector  # unit, from B to A


def is_checked(model: Any, first: int, second: int) -> bool:
    """Whether answers about two geoms are worth a check: both convex, and not both round."""
    kinds = {int(model.geom_type[first]), int(model.geom_type[second])}
    return kinds <= _CONVEX and not kinds <= _ANALYTIC


def may_overlap(model: Any, data: Any, first: int, second: int) -> bool:
    """Whether the bounding spheres of two geoms meet."""
    gap = math.dist(data.geom_xpos[first], data.geom_xpos[second])
    return bool(gap < model.geom_rbound[first] + model.geom_rbound[second])


def holds(model: Any, data: Any, pair: Pair, distance: float, points: Vector) -> bool:
    """Whether a distance and the closest points that MuJoCo found agree with the two geoms.

    A depth also has to be the smallest of those across their faces and edges.
    """
    first, second = pair
    gap = points[:3] - points[3:]
    length = math.sqrt(gap @ gap)
    if length < _ABSOLUTE:
        return False
    normal = gap / (length if distance > 0.0 else -length)
    if distance > 0.0:
        ahead = normal @ (data.geom_xpos[first] - points[:3])
        behind = normal @ (data.geom_xpos[second] - points[3:])
        return ahead >= -_ABSOLUTE and behind <= _ABSOLUTE
    depth = _reach(model, data, second, normal) + _reach(model, data, first, -normal)
    margin = _ABSOLUTE + _RELATIVE * depth
    return abs(depth + distance) <= margin and all(
        _reach(model, data, second, way) + _reach(model, data, first, -way) >= depth - margin
        for way in _face_directions(model, data, first, second)
    )


def deepest(model: Any, data: Any, first: int, second: int) -> Overlap:
    """The overlap of two geoms, smallest of all directions that can be the way out.

    A negative depth says that they are apart by at least that much.
    """
    best, normal = math.inf, np.array([0.0, 0.0, 1.0])
    for direction in _directions(model, data, first, second):
        depth = _reach(model, data, second, direction) + _reach(model, data, first, -direction)
        if depth < best - _ABSOLUTE:
            best, normal = depth, direction
    on_b = _farthest(model, data, second, normal)
    on_a = _farthest(model, data, first, -normal)
    if _is_flat(model, data, first, normal):
        on_a = on_b - best * normal
    else:
        on_b = on_a + best * normal
    return Overlap(best, on_a, on_b, normal)


def apart(model: Any, data: Any, pair: Pair, limit: float, points: Vector) -> float:
    """MuJoCo's distance of two geoms that do not overlap, asked beside a place where it fails."""
    first, second = pair
    place = np.array(data.geom_xpos[first])
    try:
        data.geom_xpos[first] = place + _SHIFTS[0]
        return mujoco.mj_geomDistance(model, data, first, second, limit, points)
    finally:
        data.geom_xpos[first] = place


def _directions(model: Any, data: Any, first: int, second: int) -> Iterator[Vector]:
    """Unit vectors from B to A along which the way out may lie."""
    yield from _face_directions(model, data, first, second)
    away = data.geom_xpos[first] - data.geom_xpos[second]
    place, points = np.array(data.geom_xpos[first]), np.empty(6)
    for shift in _SHIFTS:
        data.geom_xpos[first] = place + shift
        distance = mujoco.mj_geomDistance(model, data, first, second, 1.0, points)
        data.geom_xpos[first] = place
        gap = points[:3] - points[3:]
        length = math.sqrt(gap @ gap)
        if length > _ABSOLUTE:
            normal = gap / (length if distance > 0.0 else -length)
            yield normal
            yield -normal
    length = math.sqrt(away @ away)
    if length > _ABSOLUTE:
        yield away / length


def _face_directions(model: Any, data: Any, first: int, second: int) -> Iterator[Vector]:
    """Those of them that lie across faces, or across edges of two boxes."""
    away = data.geom_xpos[first] - data.geom_xpos[second]
    axes: list[Vector] = []
    for geom in (first, second):
        rotation = data.geom_xmat[geom].reshape(3, 3)
        if model.geom_type[geom] in (_BOX, _CYLINDER):
            axes += list(rotation.T)
        elif model.geom_type[geom] == _MESH:
            axes += list(_face_normals(model, geom) @ rotation.T)
    if model.geom_type[first] == model.geom_type[second] == _BOX:
        axes += [np.cross(a, b) for a in axes[:3] for b in axes[3:]]
    for axis in axes:
        length = math.sqrt(axis @ axis)
        if length > _PARALLEL:
            unit = axis / length
            yield unit if unit @ away >= 0.0 else -unit
            if abs(unit @ away) < _ABSOLUTE:
                yield -unit if unit @ away >= 0.0 else unit


def _face_normals(model: Any, geom: int) -> Vector:
    """Normals of the faces of a mesh in its frame, (n, 3), n = 0 of one with many faces."""
    mesh = int(model.geom_dataid[geom])
    start, count = int(model.mesh_polyadr[mesh]), int(model.mesh_polynum[mesh])
    return model.mesh_polynormal[start : start + (count if count <= _MANY else 0)]


def _reach(model: Any, data: Any, geom: int, direction: Vector) -> float:
    """Support function: how far a geom reaches along a unit vector, from the origin [m]."""
    return float(_farthest(model, data, geom, direction) @ direction)


def _farthest(model: Any, data: Any, geom: int, direction: Vector) -> Vector:
    """The point of a geom that is farthest along a unit vector; a middle one where many are."""
    place = data.geom_xpos[geom]
    rotation = data.geom_xmat[geom].reshape(3, 3)
    local = direction @ rotation
    local[np.abs(local) < _PARALLEL] = 0.0
    size = model.geom_size[geom]
    kind = int(model.geom_type[geom])
    if kind == _BOX:
        point = np.sign(local) * size
    elif kind == _SPHERE:
        point = local * size[0]
    elif kind == _CAPSULE:
        point = local * size[0]
        point[2] += math.copysign(size[1], local[2]) if local[2] else 0.0
    elif kind == _CYLINDER:
        across = math.hypot(local[0], local[1])
        point = local * (size[0] / across) if across else np.zeros(3)
        point[2] = np.sign(local[2]) * size[1]
    elif kind == _ELLIPSOID:
        stretched = size * local
        point = size * stretched / math.sqrt(stretched @ stretched)
    else:
        mesh = int(model.geom_dataid[geom])
        start, count = int(model.mesh_vertadr[mesh]), int(model.mesh_vertnum[mesh])
        corners = model.mesh_vert[start : start + count]
        point = np.asarray(corners[int(np.argmax(corners @ local))], dtype=np.float64)
    return place + rotation @ point


def _is_flat(model: Any, data: Any, geom: int, direction: Vector) -> bool:
    """Whether a geom has a flat face across a unit vector."""
    local = np.abs(direction @ data.geom_xmat[geom].reshape(3, 3))
    if model.geom_type[geom] == _BOX:
        return bool(local.max() > 1.0 - _PARALLEL)
    return bool(model.geom_type[geom] == _CYLINDER and local[2] > 1.0 - _PARALLEL)
