"""Distances between shapes."""

from __future__ import annotations

import ctypes
import functools
import math
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

import mujoco
import numpy as np
from numpy.typing import NDArray

from unibody.core.assets.description import Shape, Vec3
from unibody.core.engine.library.layout import offsets_of
from unibody.core.engine.mesh_contacts.closest import closest_points
from unibody.core.engine.queries.box_capsule import box_capsule_depth
from unibody.core.engine.queries.distance_kernel import measure
from unibody.core.engine.queries.overlap import apart, deepest, holds, is_checked, may_overlap
from unibody.core.engine.queries.overlap_kernel import fill_table, settle
from unibody.core.engine.records.options import WorldOptions
from unibody.core.engine.rules.callbacks import libmujoco
from unibody.core.engine.rules.pair_filter import MESH_MARGIN
from unibody.core.engine.spec.blank import new_spec
from unibody.core.engine.spec.geometry import MeshStore, write_shape
from unibody.core.engine.world.world import World

_GEOM = mujoco.mjtGeom
_SURFACES = (int(_GEOM.mjGEOM_PLANE), int(_GEOM.mjGEOM_HFIELD))
_ROUND_BOX = {int(_GEOM.mjGEOM_BOX), int(_GEOM.mjGEOM_CAPSULE)}
_TOUCHING = 1e-9  # m: closer points than this do not give a direction
_BARELY = 1e-6  # m: geoms closer than this may as well touch
_SHIFT = 1e-4  # m


class Distance(NamedTuple):
    """The closest points of two shapes, world frame [m]."""

    distance: float  # negative: how far one has to move to end the overlap
    point_a: Vec3
    point_b: Vec3
    normal: Vec3  # unit, from B to A


def geom_distance(model: Any, data: Any, first: int, second: int, limit: float) -> Distance | None:
    """The closest points of two geoms, or None if they are farther apart than ``limit`` [m].

    Geom poses have to be up to date. Planes and height fields have no distance to each other. For
    these fields and meshes of triangles see `geom_distances`.
    """
    if model.geom_type[first] in _SURFACES and model.geom_type[second] in _SURFACES:
        return None
    if first == second:
        found = _own_depth(model, data, first)
        return found if found.distance <= limit else None
    beyond = _beyond(limit)
    points, pair = np.empty(6), (first, second)
    checked = is_checked(model, first, second)
    distance = mujoco.mj_geomDistance(model, data, first, second, beyond, points)
    if distance >= beyond and checked and may_overlap(model, data, first, second):
        distance = apart(model, data, pair, beyond, points)
    if distance > limit or distance >= beyond:
        return None
    if distance < 0.0 and {int(model.geom_type[first]), int(model.geom_type[second])} == _ROUND_BOX:
        through = _through_box(model, data, first, second)
        if through is not None:
            return through if through.distance <= limit else None
    if checked and not holds(model, data, pair, distance, points):
        found = deepest(model, data, first, second)
        if found.depth > -_BARELY:
            if -found.depth > limit:
                return None
            return Distance(-found.depth, *map(_vec3, (found.point_a, found.point_b, found.normal)))
        distance = apart(model, data, pair, beyond, points)
        if distance > limit or distance >= beyond:
            return None
    ax, ay, az, bx, by, bz = points.tolist()
    x, y, z = ax - bx, ay - by, az - bz
    length = math.sqrt(x * x + y * y + z * z)
    if length > _TOUCHING:
        scale = (1.0 if distance > 0.0 else -1.0) / length
        normal = (x * scale + 0.0, y * scale + 0.0, z * scale + 0.0)
    else:
        normal = tuple(_touching_normal(model, data, first, second).tolist())
    return Distance(distance, (ax, ay, az), (bx, by, bz), normal)


def geom_distances(model: Any, data: Any, first: int, second: int, limit: float) -> list[Distance]:
    """As `geom_distance`; what is made of triangles can have several points that are as close."""
    for mesh, other, sign in ((first, second, -1.0), (second, first, 1.0)):
        if _has_triangles(model, mesh) and model.geom_type[other] not in _SURFACES:
            found = closest_points(model, data, mesh, other, limit)
            return [_of_triangles(row, sign) for row in found]
    if model.geom_type[first] in _SURFACES and model.geom_type[second] in _SURFACES:
        return []
    found = geom_distance(model, data, first, second, limit)
    return [] if found is None else [found]


def _has_triangles(model: Any, geom: int) -> bool:
    """Whether the narrow phase of triangles is that of a geom: a mesh's, or a height field."""
    return model.geom_margin[geom] == MESH_MARGIN and model.geom_type[geom] == _GEOM.mjGEOM_HFIELD


def _of_triangles(row: NDArray[np.float64], sign: float) -> Distance:
    """A row of `closest_points`; the sign is that of the normal from B to A."""
    distance, middle, normal = float(row[0]), row[1:4], sign * row[4:7] + 0.0
    half = 0.5 * distance * normal
    return Distance(distance, _vec3(middle + half), _vec3(middle - half), _vec3(normal))


def _beyond(limit: float) -> float:
    """How far MuJoCo is asked to look for a limit.

    It answers with the limit itself both at the limit and beyond it: ask a little farther.
    """
    return max(limit, 0.0) * (1.0 + 1e-9) + 1e-6


def _vec3(vector: NDArray[np.float64]) -> Vec3:
    x, y, z = vector.tolist()
    return (x, y, z)


def _touching_normal(model: Any, data: Any, first: int, second: int) -> NDArray[np.float64]:
    """The normal of two geoms that just touch: that of the gap after moving one a little away."""
    away = data.geom_xpos[first] - data.geom_xpos[second]
    for geom, sign in ((first, -1.0), (second, 1.0)):
        if model.geom_type[geom] == _GEOM.mjGEOM_PLANE:
            return sign * data.geom_xmat[geom].reshape(3, 3)[:, 2]
    length = float(np.linalg.norm(away))
    away = away / length if length > 0.0 else np.array([0.0, 0.0, 1.0])
    place = np.array(data.geom_xpos[first])
    points = np.zeros(6)
    data.geom_xpos[first] += _SHIFT * away
    mujoco.mj_geomDistance(model, data, first, second, 1.0, points)
    data.geom_xpos[first] = place
    normal = points[:3] - points[3:]
    length = float(np.linalg.norm(normal))
    return normal / length if length > _TOUCHING else away


def _through_box(model: Any, data: Any, first: int, second: int) -> Distance | None:
    """A box and a capsule whose axis runs through it; None if it does not."""
    flipped = model.geom_type[first] == _GEOM.mjGEOM_CAPSULE
    box, capsule = (second, first) if flipped else (first, second)
    centre = np.array(data.geom_xpos[box])
    radius, half, _ = model.geom_size[capsule].tolist()
    found = box_capsule_depth(
        model.geom_size[box],
        data.geom_xmat[box].reshape(3, 3),
        data.geom_xpos[capsule] - centre,
        data.geom_xmat[capsule].reshape(3, 3)[:, 2],
        half,
        radius,
    )
    if found is None:
        return None
    on_box: Vec3 = tuple((centre + found.box_point).tolist())
    on_capsule: Vec3 = tuple((centre + found.capsule_point).tolist())
    if flipped:
        normal = tuple((found.direction + 0.0).tolist())
        return Distance(-found.depth, on_capsule, on_box, normal)
    normal = tuple((0.0 - found.direction).tolist())
    return Distance(-found.depth, on_box, on_capsule, normal)


def _own_depth(model: Any, data: Any, geom: int) -> Distance:
    """A convex geom against itself: the way out is its smallest width."""
    axis, low, high = _narrowest(model, geom)
    rotation = data.geom_xmat[geom].reshape(3, 3)
    inside = model.geom_aabb[geom, :3]
    middle = data.geom_xpos[geom] + rotation @ (inside - axis * (axis @ inside))
    direction = rotation @ axis
    return Distance(
        low - high,
        tuple((middle + high * direction).tolist()),
        tuple((middle + low * direction).tolist()),
        tuple((0.0 - direction).tolist()),
    )


_Width = tuple[NDArray[np.float64], float, float]
_widths: WeakKeyDictionary[Any, dict[int, _Width]] = WeakKeyDictionary()  # by MjModel and geom


def _narrowest(model: Any, geom: int) -> _Width:
    widths = _widths.setdefault(model, {})
    if geom not in widths:
        widths[geom] = _find_narrowest(model, geom)
    return widths[geom]


def _find_narrowest(model: Any, geom: int) -> _Width:
    """Axis of the smallest width in the geom's frame, and the extent along it [m].

    Of a mesh, the axes are the normals of its faces.
    """
    mesh = int(model.geom_dataid[geom])
    if model.geom_type[geom] == _GEOM.mjGEOM_MESH:
        start, count = int(model.mesh_polyadr[mesh]), int(model.mesh_polynum[mesh])
        axes = np.array(model.mesh_polynormal[start : start + count])
        start, count = int(model.mesh_vertadr[mesh]), int(model.mesh_vertnum[mesh])
        along = np.array(model.mesh_vert[start : start + count], dtype=np.float64) @ axes.T
        low, high = along.min(axis=0), along.max(axis=0)
    else:
        axes, high = np.eye(3), model.geom_aabb[geom, 3:]
        low = -high
    best = int(np.argmin(high - low))
    return axes[best], float(low[best]), float(high[best])


class GeomPairs:
    """Pairs of geoms of a running world that are measured again and again.

    They serve one generation of the world.

    Args:
        world: The world.
        pairs: Numbers of the geoms.
        heads: For each pair, what a row about it begins with.
        tail: What all rows end with.
    """

    def __init__(
        self,
        world: World,
        pairs: list[tuple[int, int]],
        heads: list[tuple[Any, ...]],
        tail: tuple[Any, ...],
    ) -> None:
        model, data, offsets = world.model, world.data, offsets_of("mjData")
        self._pairs, self._model, self._data = pairs, model, data
        self._heads, self._tail, self._measure = heads, tail, measure()
        near, points = np.zeros(len(pairs), dtype=np.int64), np.empty(6)
        table = np.array(pairs, dtype=np.int64).reshape(-1, 2)
        trust = np.array([_trust(model, *pair) for pair in pairs], dtype=np.int64)
        places = np.array(list(map(id, heads)), dtype=np.int64)
        kinds = model.geom_type.astype(np.int64)
        reach, boxes = np.array(model.geom_rbound), np.array(model.geom_aabb)
        arrays = (data.geom_xpos, data.geom_xmat, boxes, reach, kinds, near, trust)
        self._kept: Any = (table, points, places, *arrays)  # memory that the kernel works with
        self._trust, self._table_at = trust, 0  # of what settles open questions
        self._arguments = (
            table.ctypes.data, len(pairs), *(array.ctypes.data for array in arrays),
            _distance_function(), model._address, data._address,
            data._address + offsets["narena"], data._address + offsets["parena"],
            points.ctypes.data, places.ctypes.data, tail,
        )  # fmt: skip

    def rows(self, limit: float) -> tuple[tuple[Any, ...], ...]:
        """Of the pairs that are not farther apart than ``limit`` [m]: a row of each.

        A row is (*head, point on A, point on B, unit normal from B to A, distance, *tail). Geom
        poses have to be up to date. The answers are those of `geom_distance`.
        """
        found: Any = self._measure(*self._arguments, limit)
        if found is None:
            found = (*range(len(self._pairs)), None)
        if not found or found[-1] is not None:
            return found
        rows: list[tuple[Any, ...]] = []
        for row in found[:-1]:
            rows += [row] if row.__class__ is tuple else self._asked_again(row, limit)
        return tuple(rows)

    def _asked_again(self, number: int, limit: float) -> Sequence[tuple[Any, ...]]:
        head, tail, pair = self._heads[number], self._tail, self._pairs[number]
        if self._trust[number] == 1:
            if not self._table_at:
                self._table_at, kept = fill_table(self._model, self._data, _distance_function())
                self._kept = (self._kept, kept)
            settled = settle()(self._table_at, *pair, limit, head, tail)
            if settled is not None:
                return settled
        found = geom_distances(self._model, self._data, *pair, limit)
        return [
            (*head, on_a, on_b, normal, distance, *tail) for distance, on_a, on_b, normal in found
        ]


def _trust(model: Any, first: int, second: int) -> int:
    """How to ask MuJoCo about two geoms, as the kernel wants it."""
    surfaces = model.geom_type[first] in _SURFACES and model.geom_type[second] in _SURFACES
    if first == second or surfaces or any(_has_triangles(model, geom) for geom in (first, second)):
        return 2
    return int(is_checked(model, first, second))


@functools.cache
def _distance_function() -> int:
    """Address of MuJoCo's distance of two geoms."""
    function = libmujoco().mj_geomDistance
    return int(ctypes.cast(function, ctypes.c_void_p).value or 0)


class ShapeSpace:
    """A few groups of shapes, each rigid, that can be put anywhere and measured."""

    def __init__(self, groups: Iterable[Iterable[Shape]]) -> None:
        """Build a private model of the groups.

        Raises:
            AssetError: A mesh cannot be read.
            InvalidArgumentError: A size is not allowed.
        """
        spec = new_spec(WorldOptions())
        store = MeshStore(spec)
        self._geoms: list[range] = []
        start = 0
        for shapes in groups:
            body = spec.worldbody.add_body(mocap=True)
            count = sum(
                len(write_shape(body, shape, store, [], moving=False, triangles=True))
                for shape in shapes
            )
            self._geoms.append(range(start, start + count))
            start += count
        self.model: Any = spec.compile()
        store.hold(self.model)
        self.data: Any = mujoco.MjData(self.model)

    def place(self, group: int, pos: Any, quat: Any) -> None:
        """Put a group to a pose: position [m] and (w, x, y, z) in the world."""
        self.data.mocap_pos[group] = pos
        self.data.mocap_quat[group] = quat

    def distances(self, first: int, second: int, limit: float) -> list[Distance]:
        """Closest points of all shapes of two groups that are within ``limit`` [m]."""
        mujoco.mj_kinematics(self.model, self.data)
        return [
            found
            for a in self._geoms[first]
            for b in self._geoms[second]
            for found in geom_distances(self.model, self.data, a, b, limit)
        ]
