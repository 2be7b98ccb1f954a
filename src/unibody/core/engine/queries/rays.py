"""Rays against the shapes of a scene."""

from __future__ import annotations

import weakref
from typing import Any
from weakref import WeakKeyDictionary

import mujoco
import numpy as np
from numpy.typing import NDArray

from unibody.core.engine.mesh_contacts.install import surface_of_geom
from unibody.core.engine.mesh_contacts.surface import TriangleSurface
from unibody.core.engine.queries.ray_kernels import NUMBERS, Slot, kernels
from unibody.core.engine.queries.ray_tree import BLOCK
from unibody.core.engine.scene.scene import Scene
from unibody.core.engine.world.world import World

_GEOM = mujoco.mjtGeom
_FEW = 24  # geoms: up to here trying each is as fast as a tree
_CROSSINGS = 256  # of one ray with meshes of triangles that are counted
_WORTH_A_TREE = 40_000  # pairs of a ray and a geom that cost as much as building one
Hit = tuple[int, int, float, tuple[float, float, float], tuple[float, float, float]]
Hits = tuple[NDArray[np.int64], NDArray[np.float64]]


class RayCaster:
    """Casts rays into one world, as long as it is not recompiled.

    Args:
        world: The world.
        by_geom: Hits have the number of the geom of MuJoCo's in place of the link.
    """

    def __init__(self, world: World, *, by_geom: bool = False) -> None:
        model, data = world.model, world.data
        self._kernels = kernels()
        self._world = weakref.ref(world)
        self._generation = world.generation
        self._mask_key: Any = None
        self._filters: Any = None
        self._geoms = np.arange(model.ngeom, dtype=np.int64)  # that rays can hit
        self._tree_version = -1
        self._bounded = model.geom_rbound > 0.0
        self._aabb = np.array(model.geom_aabb)
        faces, planes = _mesh_faces(model)
        grid, heights, sizes = _heightfields(model)
        self._surfaces = _surfaces(model, grid)  # kept alive: the grid has their addresses
        self._table = np.zeros(Slot.SIZE_OF_TABLE, dtype=np.int64)
        self._arrays: dict[Slot, NDArray[Any]] = {}
        self._put(Slot.TYPE, model.geom_type)
        self._put(Slot.SIZE, sizes)
        self._put(Slot.REACH, model.geom_rbound)
        self._put(Slot.POSITION, data.geom_xpos)
        self._put(Slot.ROTATION, data.geom_xmat)
        self._put(Slot.FACES, faces)
        self._put(Slot.PLANES, planes)
        self._put(Slot.GRID, grid)
        self._put(Slot.HEIGHTS, heights)
        self._put(Slot.BODY, world.owner_body[model.geom_bodyid])
        links = self._geoms if by_geom else world.owner_link[model.geom_bodyid]
        self._put(Slot.LINK, links)
        self._try_each(self._geoms)
        self._table_at = self._table.ctypes.data
        self._room = model.ngeom + _CROSSINGS
        self._hits = np.empty(self._room)
        self._hit_geoms = np.empty(self._room, dtype=np.int64)

    def _put(self, slot: Slot, array: NDArray[Any]) -> None:
        """Enter an array into the table, and keep it alive."""
        self._arrays[slot] = array
        self._table[slot] = array.ctypes.data

    def _try_each(self, geoms: NDArray[np.int64]) -> None:
        self._put(Slot.ACTIVE, geoms)
        self._table[Slot.COUNT] = len(geoms)
        self._table[Slot.LEAVES] = 0

    def serves(self, scene: Scene, mask: int) -> bool:
        """True if this was made for the scene as it is, and for a mask."""
        world = scene.running
        return (
            not scene.stale
            and world is self._world()
            and world is not None
            and world.generation == self._generation
            and mask == self._mask_key
            and scene.geom_filters is self._filters
        )

    def knows(self, world: World) -> bool:
        """True if the world is still the one this was made for."""
        return world is self._world() and world.generation == self._generation

    def use_filters(self, filters: tuple[NDArray[np.int64], NDArray[np.int64]], mask: int) -> None:
        """Let rays hit only geoms whose group meets ``mask``, and whose mask meets group 1."""
        if mask == self._mask_key and filters is self._filters:
            return
        group, masks = filters
        self._geoms = np.flatnonzero(((group & mask) != 0) & ((masks & 1) != 0))
        self._try_each(self._geoms)
        self._tree_version = -1
        self._mask_key, self._filters = mask, filters

    def _use_tree(self, version: int) -> None:
        """Put all geoms that end somewhere into a tree of their present boxes."""
        if self._tree_version == version:
            return
        geoms = self._geoms[self._bounded[self._geoms]]
        count = len(geoms)
        leaves = 1 << max(0, (count - 1) // BLOCK).bit_length()
        boxes, keys = np.empty((count, 6)), np.empty(count, dtype=np.int64)
        self._kernels.sort_keys(
            geoms.ctypes.data, count, int(self._table[Slot.POSITION]),
            int(self._table[Slot.ROTATION]), self._aabb.ctypes.data, boxes.ctypes.data,
            keys.ctypes.data,
        )  # fmt: skip
        order = np.argsort(keys, kind="stable")
        tree, ordered = np.empty((2 * leaves - 1, 6)), np.empty(count, dtype=np.int64)
        self._kernels.build(
            order.ctypes.data, count, geoms.ctypes.data, boxes.ctypes.data, leaves,
            ordered.ctypes.data, tree.ctypes.data,
        )  # fmt: skip
        self._try_each(self._geoms[~self._bounded[self._geoms]])
        self._put(Slot.TREE, tree)
        self._put(Slot.TREE_GEOMS, ordered)
        self._table[Slot.TREE_COUNT], self._table[Slot.LEAVES] = count, leaves
        self._tree_version = version

    def _leave_tree(self) -> None:
        if self._tree_version >= 0:
            self._try_each(self._geoms)
            self._tree_version = -1

    def cast_one(self, world: World, start: Any, end: Any) -> Hit | None:
        """The first hit of one ray between two points [m]; see `cast`.

        None for points of unusual types.
        """
        world.kinematics()
        if self._tree_version != world.version:
            self._leave_tree()
        elif self._table[Slot.LEAVES]:
            return None
        return self._kernels.cast_one(self._table_at, start, end)

    def cast(
        self,
        world: World,
        starts: NDArray[np.float64],
        ends: NDArray[np.float64],
        number: int = -1,
        epsilon: float = 0.0,
    ) -> Hits:
        """One hit for each ray.

        Args:
            world: The world this was made for.
            starts: (N, 3), C-contiguous, world frame [m].
            ends: (N, 3), C-contiguous [m].
            number: -1: the first hit; n: the n-th, counted from 0 in order of distance.
            epsilon: With ``number``: hits of one link whose fractions differ by no more are one.

        Returns:
            Body id and link index, (2, N), -1 and -1 for a miss; and fraction, position [m] and
            unit normal of the hits, (7, N), (1, 0, 0, 0, 0, 0, 0) for a miss.
        """
        world.kinematics()
        count = len(starts)
        ids = np.empty((2, count), dtype=np.int64)
        numbers = np.empty((NUMBERS, count))
        common = (self._table_at, starts.ctypes.data, ends.ctypes.data, count)
        if number < 0:
            if len(self._geoms) > _FEW and count * len(self._geoms) > _WORTH_A_TREE:
                self._use_tree(world.version)
            elif self._tree_version != world.version:
                self._leave_tree()
            self._kernels.cast(*common, ids.ctypes.data, numbers.ctypes.data)
        else:
            self._leave_tree()
            self._kernels.cast_through(
                *common, number, epsilon, ids.ctypes.data, numbers.ctypes.data,
                self._hits.ctypes.data, self._hit_geoms.ctypes.data, self._room,
            )  # fmt: skip
        return ids, numbers


_casters: WeakKeyDictionary[Scene, RayCaster] = WeakKeyDictionary()


def ray_caster(scene: Scene, mask: int = -1) -> RayCaster:
    """The ray caster of a scene, for the shapes that rays with a collision mask can hit."""
    caster = _casters.get(scene)
    if caster is not None and caster.serves(scene, mask):
        return caster
    world = scene.world
    if caster is None or not caster.knows(world):
        caster = _casters[scene] = RayCaster(world)
    caster.use_filters(scene.geom_filters, mask)
    return caster


def _mesh_faces(model: Any) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """First face and number of faces of each geom, and all faces as outward planes."""
    spans: list[tuple[int, int]] = []
    planes, total = [np.zeros((0, 4))], 0
    for mesh in range(model.nmesh):
        start = int(model.mesh_polyadr[mesh])
        normals = np.array(model.mesh_polynormal[start : start + int(model.mesh_polynum[mesh])])
        start = int(model.mesh_vertadr[mesh])
        vertices = np.array(
            model.mesh_vert[start : start + int(model.mesh_vertnum[mesh])], dtype=np.float64
        )
        offsets = (normals @ vertices.T).max(axis=1)
        planes.append(np.column_stack([normals, offsets]))
        spans.append((total, len(normals)))
        total += len(normals)
    faces = np.zeros((model.ngeom, 2), dtype=np.int64)
    for geom in np.flatnonzero(model.geom_type == _GEOM.mjGEOM_MESH).tolist():
        faces[geom] = spans[int(model.geom_dataid[geom])]
    return faces, np.ascontiguousarray(np.concatenate(planes))


def _heightfields(
    model: Any,
) -> tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.float64]]:
    """First height, rows and columns of each geom; all heights; and the sizes of all geoms."""
    grid = np.zeros((model.ngeom, 3), dtype=np.int64)
    sizes = np.array(model.geom_size)
    for geom in np.flatnonzero(model.geom_type == _GEOM.mjGEOM_HFIELD).tolist():
        field = int(model.geom_dataid[geom])
        grid[geom] = (
            model.hfield_adr[field], model.hfield_nrow[field], model.hfield_ncol[field]
        )  # fmt: skip
        sizes[geom] = model.hfield_size[field, :3]
    return grid, np.array(model.hfield_data, dtype=np.float64), sizes


def _surfaces(model: Any, grid: NDArray[np.int64]) -> list[TriangleSurface]:
    """The surfaces of meshes of triangles, whose records are entered into the grid."""
    surfaces: list[TriangleSurface] = []
    for geom in np.flatnonzero(model.geom_type == _GEOM.mjGEOM_HFIELD).tolist():
        surface = surface_of_geom(model, geom)
        if surface is not None:
            surfaces.append(surface)
            grid[geom] = surface.record.ctypes.data, 0, 0
    return surfaces
