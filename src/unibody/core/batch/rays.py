"""Rays against what there is in one environment."""

from __future__ import annotations

from typing import Any, NamedTuple

import mujoco
import numpy as np
import numpy.typing as npt

from unibody.core.batch.batch import Batch
from unibody.core.batch.group import Group
from unibody.core.batch.pair_contacts import ground_number
from unibody.core.engine.queries.rays import RayCaster

F64 = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


class RayHits(NamedTuple):
    """The first hit of each ray.

    Attributes:
        bodies: Numbers of bodies in the batch, or ``ground_number``; -1 for a miss, (n,).
        fractions: Of the way from the start to the end, 1 for a miss, (n,).
        points: Where, in the layout's frame, (n, 3) [m].
        normals: Of the surface, (n, 3).
    """

    bodies: Ints
    fractions: F64
    points: F64
    normals: F64


class _Lookup:
    """A copy of a world of a group, in the form in which rays are cast into it."""

    generation = version = 0

    def __init__(self, group: Group, world: int) -> None:
        self.model: Any = group.worlds.model.__copy__()
        self.data = mujoco.MjData(self.model)
        self.owner_body = np.arange(self.model.nbody, dtype=np.int64)
        self.owner_link = np.zeros(self.model.nbody, np.int64)
        group.worlds.copy_into(world, self.model, self.data)
        mujoco.mj_kinematics(self.model, self.data)

    def kinematics(self) -> None:
        """Nothing: it does not move."""


def cast_rays(batch: Batch, environment: int, starts: F64, ends: F64) -> RayHits:
    """Cast rays against the shapes of an environment, and the ground.

    Args:
        batch: The batch; builds.
        environment: Number of the environment; it has an actor.
        starts: (n, 3), in the layout's frame [m].
        ends: (n, 3) [m].
    """
    batch.build()
    env = batch.envs[environment]
    group = batch.group_of(env.actors[0])
    world = group.world_of(env)
    origin = group.exchange.origins[world] if batch.layout.in_world else np.zeros(3)
    lookup: Any = _Lookup(group, world)
    caster = RayCaster(lookup)
    caster.use_filters(group.scene.geom_filters, -1)
    begins, stops = (np.ascontiguousarray(points - origin, float) for points in (starts, ends))
    ids, numbers = caster.cast(lookup, begins, stops)
    rows = _rows(batch, group, world, lookup.model.nbody)
    hit = ids[0] >= 0
    bodies = np.where(hit, rows[np.maximum(ids[0], 0)], -1)
    return RayHits(bodies, numbers[0].copy(), numbers[1:4].T + origin, numbers[4:7].T.copy())


def _rows(batch: Batch, group: Group, world: int, count: int) -> Ints:
    """Number in the batch of each body of a world of MuJoCo's."""
    rows = np.full(count, ground_number(0), np.int64)
    for number in range(len(batch.grounds)):
        rows[group.scene.bodies[number].body] = ground_number(number)
    places = batch.index.body_places
    own = np.flatnonzero((places[:, :2] == (group.number, world)).all(axis=1))
    rows[group.places.bodies[places[own, 2]]] = own
    return rows
