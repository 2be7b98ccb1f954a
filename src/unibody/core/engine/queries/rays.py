"""Rays against the shapes of a scene."""

from __future__ import annotations

from typing import Any
from weakref import WeakKeyDictionary

import mujoco
import numpy as np
from numpy.typing import NDArray

from unibody.core.engine.queries.ray_kernels import (
    NUMBERS,
    Slot,
    cast_rays,
    cast_rays_through,
)
from unibody.core.engine.scene import Scene
from unibody.core.engine.world import World

_GEOM = mujoco.mjtGeom
Hits = tuple[NDArray[np.int64], NDArray[np.float64]]


class RayCaster:
    """Casts rays into one world, as long as it is not recompiled."""

    def __init__(self, world: World) -> None:
        model, data = world.model, world.data
        self._generation = world.generation
        self._mask_key: Any = None
        faces, planes = _mesh_faces(model)
        grid, heights, sizes = _heightfields(model)
        self._arrays: dict[Slot, NDArray[Any]] = {
            Slot.ACTIVE: np.arange(model.ngeom, dtype=np.int64),
            Slot.TYPE: model.geom_type,
            Slot.SIZE: sizes,
            Slot.REACH: model.geom_rbound,
            Slot.POSITION: data.geom_xpos,
            Slot.ROTATION: data.geom_xmat,
            Slot.FACES: faces,
            Slot.PLANES: planes,
            Slot.GRID: grid,
            Slot.HEIGHTS: heights,
            Slot.BODY: world.owner_body[model.geom_bodyid],
            Slot.LINK: world.owner_link[model.geom_bodyid],
        }
        self._table = np.zeros(Slot.SIZE_OF_TABLE, dtype=np.int64)
        self._table[Slot.COUNT] = model.ngeom
        for slot, array in self._arrays.items():
            self._table[slot] = array.ctypes.data
        self._table_at = self._table.ctypes.data
        self._hits = np.empty(model.ngeom + 1)
        self._geoms = np.empty(model.ngeom + 1, dtype=np.int64)

    def current(self, world: World) -> bool:
        """True if the world is still the one this was made for."""
        return world.generation == self._generation

    def use_filters(self, filters: tuple[NDArray[np.int64], NDArray[np.int64]], mask: int) -> None:
        """Let rays hit only geoms whose group meets ``mask``, and whose mask meets group 1."""
        key = (id(filters), mask)
        if key == self._mask_key:
            return
        group, masks = filters
        active = np.flatnonzero(((group & mask) != 0) & ((masks & 1) != 0))
        self._arrays[Slot.ACTIVE] = active = active.astype(np.int64)
        self._filters = filters  # kept alive: its id is the key
        self._table[Slot.ACTIVE] = active.ctypes.data
        self._table[Slot.COUNT] = len(active)
        self._mask_key = key

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
            cast_rays(*common, ids.ctypes.data, numbers.ctypes.data)
        else:
            cast_rays_through(
                *common, number, epsilon, ids.ctypes.data, numbers.ctypes.data,
                self._hits.ctypes.data, self._geoms.ctypes.data,
            )  # fmt: skip
        return ids, numbers


_casters: WeakKeyDictionary[World, RayCaster] = WeakKeyDictionary()


def ray_caster(scene: Scene, mask: int = -1) -> RayCaster:
    """The ray caster of a scene, for the shapes that rays with a collision mask can hit."""
    world = scene.world
    caster = _casters.get(world)
    if caster is None or not caster.current(world):
        caster = _casters[world] = RayCaster(world)
    caster.use_filters(scene.geom_filters, mask)
    return caster


def _mesh_faces(model: Any) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """First face and number of faces of each geom, and all faces as outward planes."""
    spans, planes, total = [], [np.zeros((0, 4))], 0
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
