"""Axis-aligned boxes of links."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

import mujoco
import numpy as np
from numpy.typing import NDArray

from unibody.core.assets.description import Pose, Shape, Vec3
from unibody.core.assets.mesh.load import load_mesh
from unibody.core.engine.queries.box_kernel import box_functions
from unibody.core.engine.records.body import BodyRecord, LinkRecord
from unibody.core.engine.scene.scene import Scene
from unibody.core.engine.world.addresses import addresses
from unibody.core.engine.world.world import World

INFINITE = 1e30  # m: half size of what a plane fills
_GEOM = mujoco.mjtGeom
_Matrix = NDArray[np.float64]


class LocalBox(NamedTuple):
    """The box of a link's shapes in its inertial frame [m]."""

    com: Pose  # T_link_inertial it was made for
    centre: Vec3
    half: Vec3
    turns: bool  # False: a single ball about the mass centre, the same box in every attitude


class AllBoxes(NamedTuple):
    """The local boxes of all links of a scene."""

    frames: list[Pose]  # T_link_inertial they were made for
    states: list[LinkRecord]
    names: list[tuple[int, int]]  # (body id, link index)
    rows: NDArray[np.int64]  # (N,) MuJoCo body
    centre: NDArray[np.float64]  # (N, 3)
    half: NDArray[np.float64]
    turns: NDArray[np.bool_]  # (N,)
    kept: list[Any]  # the arrays below
    found: NDArray[np.int64]  # (N,) room for the indices of some of them
    at: tuple[int, ...]  # N and addresses, the first arguments of `box_kernel`'s ``meeting``


class _Cache:
    """Local boxes of one compiled world, by MuJoCo body."""

    def __init__(self, generation: int) -> None:
        self.generation = generation
        self.boxes: dict[int, LocalBox] = {}
        self.every: AllBoxes | None = None


_caches: WeakKeyDictionary[World, _Cache] = WeakKeyDictionary()


def link_box(world: World, record: BodyRecord, index: int) -> tuple[Vec3, Vec3]:
    """Smallest and largest corner of the box around the shapes of a link [m], world frame.

    As in Bullet, the box is that of the shapes in the link's inertial frame, turned into the
    world, and so larger than the shapes unless they are aligned with it. A link without shapes
    gives the point of its mass centre. Both are wider by the margins of the record.
    """
    return BoxReader(world, record, index).read()


class BoxReader:
    """`link_box` of one link, for many states.

    It serves one generation of the world, until the inertial frame of the link changes.

    Attributes:
        read: Returns the box; wants the kinematics of the world up to date.
    """

    __slots__ = ("_memory", "read")

    def __init__(self, world: World, record: BodyRecord, index: int) -> None:
        world.kinematics()
        state = record.links[index]
        box = _local_box(world, state)
        at = addresses(world)
        self._memory = np.array([*box.centre, *box.half, float(box.turns)])
        place = (at.xipos + 24 * state.body, at.ximat + 72 * state.body)
        read = box_functions().turned
        self.read: Callable[[], tuple[Vec3, Vec3]] = functools.partial(
            read, *place, self._memory.ctypes.data
        )
        if self.read() is None:
            self.read = functools.partial(_turned, world, state.body, box)


def _turned(world: World, body: int, box: LocalBox) -> tuple[Vec3, Vec3]:
    _, (cx, cy, cz), (hx, hy, hz), turns = box
    x, y, z = world.data.xipos[body].tolist()
    if turns:
        a, b, c, d, e, f, g, h, i = world.data.ximat[body].tolist()
        x += a * cx + b * cy + c * cz
        y += d * cx + e * cy + f * cz
        z += g * cx + h * cy + i * cz
        hx, hy, hz = (
            abs(a) * hx + abs(b) * hy + abs(c) * hz,
            abs(d) * hx + abs(e) * hy + abs(f) * hz,
            abs(g) * hx + abs(h) * hy + abs(i) * hz,
        )
    return (x - hx, y - hy, z - hz), (x + hx, y + hy, z + hz)


class BoxSearch:
    """Finds the links whose boxes meet a box, again and again.

    Args:
        scene: Whose links they are.
        margin: What every box is widened by on all sides [m].
    """

    __slots__ = ("_arguments", "_margin", "_meeting", "_scene", "_version")

    def __init__(self, scene: Scene, margin: float) -> None:
        self._scene, self._margin = scene, margin
        self._version = -1  # of the world that `_arguments` are for
        self._arguments: tuple[int, ...] = ()
        self._meeting = box_functions().meeting

    def links(self, low: Sequence[float], high: Sequence[float]) -> tuple[tuple[int, int], ...]:
        """(body id, link index) of each; indices count from -1, bodies are in order of their ids.

        Raises:
            TypeError, ValueError: A corner, world frame [m], is not three numbers.
        """
        scene = self._scene
        world = scene.running
        if scene.stale or world is None or self._version != world.version:
            world = scene.world
            world.kinematics()
            self._arguments = _all_boxes(world, scene).at
            self._version = world.version
        met = self._meeting(*self._arguments, low, high, self._margin)
        if met is not None:
            return met
        return self._search(world, _corner(low), _corner(high))

    def _search(self, world: World, low: Vec3, high: Vec3) -> tuple[tuple[int, int], ...]:
        every, margin = _all_boxes(world, self._scene), self._margin
        rotation = world.data.ximat[every.rows].reshape(-1, 3, 3)
        half = np.where(
            every.turns[:, None], np.einsum("nij,nj->ni", np.abs(rotation), every.half), every.half
        )
        centre = np.einsum("nij,nj->ni", rotation, every.centre) + world.data.xipos[every.rows]
        meets = (centre - half - margin <= high) & (centre + half + margin >= low)
        return tuple([every.names[row] for row in np.flatnonzero(meets.all(axis=1)).tolist()])


def _corner(values: Sequence[float]) -> Vec3:
    x, y, z = map(float, values)
    return (x, y, z)


def _all_boxes(world: World, scene: Scene) -> AllBoxes:
    """The local boxes of all links, made anew when the inertial frame of one has changed."""
    cache = _cache(world)
    every = cache.every
    if every is not None and every.frames == [state.com for state in every.states]:
        return every
    names = [
        (body, index)
        for body in sorted(scene.bodies)
        for index in range(len(scene.bodies[body].links))
    ]
    states = [scene.bodies[body].links[index] for body, index in names]
    boxes = [_local_box(world, state) for state in states]
    rows = np.array([state.body for state in states], dtype=np.int64)
    numbers = np.array([(*box.centre, *box.half, float(box.turns)) for box in boxes])
    numbers = numbers.reshape(-1, 7)
    found, at = np.zeros(len(boxes), dtype=np.int64), addresses(world)
    shown = [(body, index - 1) for body, index in names]
    named = np.array(list(map(id, shown)), dtype=np.int64)
    places = (rows.ctypes.data, numbers.ctypes.data, found.ctypes.data, named.ctypes.data)
    every = cache.every = AllBoxes(
        [box.com for box in boxes],
        states,
        shown,
        rows,
        numbers[:, :3],
        numbers[:, 3:6],
        numbers[:, 6] != 0.0,
        [numbers, named],
        found,
        (len(boxes), at.xipos, at.ximat, *places),
    )
    return every


def _cache(world: World) -> _Cache:
    cache = _caches.get(world)
    if cache is None or cache.generation != world.generation:
        cache = _caches[world] = _Cache(world.generation)
    return cache


def _local_box(world: World, state: LinkRecord) -> LocalBox:
    cache = _cache(world)
    box = cache.boxes.get(state.body)
    if box is None or box.com is not state.com:
        box = cache.boxes[state.body] = _make_box(world.model, state)
    return box


def _make_box(model: Any, state: LinkRecord) -> LocalBox:
    count = state.ngeom
    geoms = range(state.geom, state.geom + count)
    if count == 0:
        half = (state.box_margin, state.box_margin, state.box_margin)
        return LocalBox(state.com, (0.0, 0.0, 0.0), half, True)
    if any(model.geom_type[geom] == _GEOM.mjGEOM_PLANE for geom in geoms):
        return LocalBox(state.com, (0.0, 0.0, 0.0), (INFINITE, INFINITE, INFINITE), False)
    inward = _matrix(state.com.quat).T
    done: set[int] = set()
    low, high = np.full(3, np.inf), np.full(3, -np.inf)
    balls = 0
    for geom, number in zip(geoms, state.shape_of_geom, strict=True):
        shape = state.link.collisions[number]
        if (shape.concave or shape.margin > 0.0) and number in done:
            continue
        done.add(number)
        centre, half, turn = _geom_box(model, geom, shape)
        margin = state.box_margins[number] if state.box_margins else 0.0
        if margin and model.geom_type[geom] == _GEOM.mjGEOM_CAPSULE:
            # Bullet's two spheres are not turned: their box is aligned with the link
            radius, length = model.geom_size[geom, :2].tolist()
            half, turn = np.abs(turn[:, 2]) * length + radius, np.eye(3)
        half = half + margin
        middle = inward @ (centre - state.com.pos)
        if model.geom_type[geom] == _GEOM.mjGEOM_SPHERE:
            balls += not np.any(middle)
        else:
            half = np.abs(inward @ turn) @ half
        low, high = np.minimum(low, middle - half), np.maximum(high, middle + half)
    centre, half = 0.5 * (low + high), 0.5 * (high - low) + state.box_margin
    return LocalBox(
        state.com, tuple(centre.tolist()), tuple(half.tolist()), not (count == 1 and balls)
    )


def _geom_box(model: Any, geom: int, shape: Shape) -> tuple[_Matrix, _Matrix, _Matrix]:
    """Centre (3,) in the link, half sizes (3,), and rotation (3, 3) of a geom's box in the link.

    Of a mesh, the box is aligned with the frame of the shape: MuJoCo turns meshes to their
    principal axes.
    """
    place, turn = np.array(model.geom_pos[geom]), _matrix(model.geom_quat[geom])
    data = int(model.geom_dataid[geom])
    if model.geom_type[geom] == _GEOM.mjGEOM_MESH:
        frame = _matrix(shape.pose.quat)
        if (shape.concave or shape.margin > 0.0) and shape.mesh is not None:
            # the geoms are solids behind its surface, or a hull that is larger than the mesh
            points = np.concatenate([part.vertices for part in load_mesh(shape.mesh)])
            points = points + shape.pose.pos @ frame
        else:
            start, count = int(model.mesh_vertadr[data]), int(model.mesh_vertnum[data])
            vertices = np.array(model.mesh_vert[start : start + count], dtype=np.float64)
            points = (vertices @ turn.T + place) @ frame
        low, high = points.min(axis=0), points.max(axis=0)
        return frame @ (0.5 * (low + high)), 0.5 * (high - low), frame
    if model.geom_type[geom] == _GEOM.mjGEOM_HFIELD:
        x, y, top, _ = model.hfield_size[data].tolist()  # without the solid below the surface
        half = np.array([x, y, 0.5 * top]) + shape.margin
        return place + turn @ (0.0, 0.0, 0.5 * top), half, turn
    return place, np.array(model.geom_aabb[geom, 3:]), turn


def _matrix(quat: Any) -> _Matrix:
    matrix = np.empty(9)
    mujoco.mju_quat2Mat(matrix, np.asarray(quat, dtype=np.float64))
    return matrix.reshape(3, 3)
