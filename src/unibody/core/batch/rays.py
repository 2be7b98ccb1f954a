"""Rays against what there is in one environment."""

from __future__ import annotations

from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

import mujoco
import numpy as np
import numpy.typing as npt

from unibody.core.assets.description import Asset
from unibody.core.batch.batch import Batch
from unibody.core.batch.environment import Environment
from unibody.core.batch.group import Group
from unibody.core.batch.pair_contacts import ground_number
from unibody.core.batch.scene import build_scene
from unibody.core.engine.queries.rays import RayCaster
from unibody.core.engine.scene.scene import Scene

F64 = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


class RayHits(NamedTuple):
    """The first hit of each ray.

    Attributes:
        bodies: Numbers of bodies in the batch, or ``ground_number``; -1 for a miss, (n,).
        fractions: Of the way from the start to the end, 1 for a miss, (n,).
        points: Where, in the layout's frame, (n, 3) [m].
        normals: Of the surface, (n, 3).
        shapes: Numbers of shapes in their part of the ground; -1 for what is none, (n,).
    """

    bodies: Ints
    fractions: F64
    points: F64
    normals: F64
    shapes: Ints


class _Lookup:
    """A world in the form in which rays are cast into it; its poses are not up to date yet."""

    generation = version = 0

    def __init__(self, model: Any, scene: Scene) -> None:
        self.model = model
        self.scene = scene
        self.data: Any = mujoco.MjData(model)
        self.owner_body = np.arange(model.nbody, dtype=np.int64)
        self.owner_link = np.zeros(model.nbody, np.int64)

    def kinematics(self) -> None:
        """Nothing: it does not move."""


def cast_rays(batch: Batch, environment: int | None, starts: F64, ends: F64) -> RayHits:
    """Cast rays against the shapes of an environment, and the ground.

    Args:
        batch: The batch; builds.
        environment: Number of the environment; it has an actor. None: the ground alone.
        starts: (n, 3), in the layout's frame [m].
        ends: (n, 3) [m].
    """
    if environment is None:
        return _cast_at_ground(batch, starts, ends)
    batch.build()
    env = batch.envs[environment]
    group = batch.group_of(env.actors[0])
    world = group.world_of(env)
    origin = group.exchange.origins[world] if batch.layout.in_world else np.zeros(3)
    lookup = _Lookup(group.worlds.model.__copy__(), group.scene)
    group.worlds.copy_into(world, lookup.model, lookup.data)
    rows = _rows(batch, group, world, lookup.model.nbody)
    return _cast(batch, lookup, (starts, ends), origin, rows)


def _cast_at_ground(batch: Batch, starts: F64, ends: F64) -> RayHits:
    parts = tuple(ground.asset for ground in batch.grounds)
    kept = _grounds.get(batch)
    if kept is None or [*map(id, kept[0])] != [*map(id, parts)]:
        kept = _grounds[batch] = (
            parts,
            build_scene([Environment()], batch.grounds, batch.scene_options()),
        )
    scene = kept[1]
    lookup = _Lookup(scene.world.model, scene)
    for number, ground in enumerate(batch.grounds):
        row = scene.bodies[number].mocap
        lookup.data.mocap_pos[row], lookup.data.mocap_quat[row] = ground.pose
    rows = _ground_rows(batch, scene, lookup.model.nbody)
    return _cast(batch, lookup, (starts, ends), np.zeros(3), rows)


_grounds: WeakKeyDictionary[Batch, tuple[tuple[Asset, ...], Scene]] = WeakKeyDictionary()


def _cast(batch: Batch, lookup: Any, ends: tuple[F64, F64], origin: F64, rows: Ints) -> RayHits:
    """Cast rays between ends into a world whose own origin is elsewhere."""
    mujoco.mj_kinematics(lookup.model, lookup.data)
    caster = RayCaster(lookup, by_geom=True)
    caster.use_filters(lookup.scene.geom_filters, -1)
    begins, stops = (np.ascontiguousarray(points - origin, float) for points in ends)
    ids, numbers = caster.cast(lookup, begins, stops)
    hit = ids[0] >= 0
    bodies = np.where(hit, rows[np.maximum(ids[0], 0)], -1)
    shapes = np.where(hit, _ground_shapes(batch, lookup.scene, lookup.model.ngeom)[ids[1]], -1)
    points, normals = numbers[1:4].T + origin, numbers[4:7].T.copy()
    return RayHits(bodies, numbers[0].copy(), points, normals, shapes)


def _ground_shapes(batch: Batch, scene: Scene, count: int) -> Ints:
    """Number of the shape of each geom in its part of the ground; -1 for other geoms."""
    shapes = np.full(count, -1, np.int64)
    for number in range(len(batch.grounds)):
        link = scene.bodies[number].links[0]
        shapes[link.geom : link.geom + len(link.shape_of_geom)] = link.shape_of_geom
    return shapes


def _ground_rows(batch: Batch, scene: Scene, count: int) -> Ints:
    """Number in the batch of each body of a world of MuJoCo's that is of the ground."""
    rows = np.full(count, ground_number(0), np.int64)
    for number in range(len(batch.grounds)):
        rows[scene.bodies[number].body] = ground_number(number)
    return rows


def _rows(batch: Batch, group: Group, world: int, count: int) -> Ints:
    """Number in the batch of each body of a world of MuJoCo's."""
    rows = _ground_rows(batch, group.scene, count)
    places = batch.index.body_places
    own = np.flatnonzero((places[:, :2] == (group.number, world)).all(axis=1))
    rows[group.places.bodies[places[own, 2]]] = own
    return rows
