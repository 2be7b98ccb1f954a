"""Who is where: environments, actors, bodies and degrees of freedom by group, world and number."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from unibody.core.batch.environment import Environment

if TYPE_CHECKING:
    from numpy.typing import NDArray

I32 = npt.NDArray[np.int32]
Ints = npt.NDArray[np.int64]


class Index:
    """Numbers in a batch, in the order of the environments.

    Attributes:
        envs: The environments.
        actors: All actors.
        counts: Of actors, bodies, degrees of freedom, sensors.
        shapes: Number of collision shapes.
        actor_places: Group, world and number in its environment of each actor, (actors, 3).
        dof_places: The same of each degree of freedom, (dofs, 3).
        body_places: The same of each rigid body, (bodies, 3).
        actor_bodies, actor_dofs: Where the bodies and the degrees of freedom of each actor begin,
            (actors + 1,).
    """

    def __init__(self, envs: Sequence[Environment] = ()) -> None:
        self.envs: list[Environment] = list(envs)
        self.actors: list[Any] = [actor for env in self.envs for actor in env.actors]
        actors = bodies = dofs = shapes = sensors = 0
        for env in self.envs:
            env.actor_base, env.body_base, env.dof_base = actors, bodies, dofs
            env.shape_base, env.sensor_base = shapes, sensors
            actors += len(env.actors)
            bodies += env.body_count
            dofs += env.dof_count
            shapes += env.shape_count
            sensors += env.sensor_count
        for number, actor in enumerate(self.actors):
            actor.index = number
            actor.sim_body = actor.env.body_base + actor.first_body
            actor.sim_dof = actor.env.dof_base + actor.first_dof
            actor.sim_shape = actor.env.shape_base + actor.first_shape
        self.counts: tuple[int, int, int, int] = (actors, bodies, dofs, sensors)
        self.shapes = shapes
        self.actor_bodies: NDArray[np.int64] = np.array(
            [*(a.sim_body for a in self.actors), bodies], np.int64
        )
        self.actor_dofs: NDArray[np.int64] = np.array(
            [*(a.sim_dof for a in self.actors), dofs], np.int64
        )
        self.actor_places: I32 = np.zeros((actors, 3), np.int32)
        self.body_places: I32 = np.zeros((bodies, 3), np.int32)
        self.dof_places: I32 = np.zeros((dofs, 3), np.int32)

    def place(self, group: int, envs: Sequence[Environment]) -> None:
        """Note that environments are the worlds of a group, in this order."""
        for world, env in enumerate(envs):
            for places, base, count in (
                (self.actor_places, env.actor_base, len(env.actors)),
                (self.body_places, env.body_base, env.body_count),
                (self.dof_places, env.dof_base, env.dof_count),
            ):
                own = places[base : base + count]
                own[:, 0], own[:, 1], own[:, 2] = group, world, range(count)


def ranges(starts: Ints, counts: Ints) -> Ints:
    """The numbers ``start``, ``start + 1``, ... of each of some ranges, one after another."""
    total = int(counts.sum())
    before = np.repeat(np.cumsum(counts) - counts, counts)
    return np.repeat(starts, counts) + np.arange(total) - before
