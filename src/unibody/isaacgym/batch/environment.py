"""An environment: a place in the grid, and the actors in it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from unibody.isaacgym import handles
from unibody.isaacgym.batch.actor import Actor
from unibody.isaacgym.batch.attractor import Attractor
from unibody.isaacgym.batch.tendon import Tendon
from unibody.isaacgym.models.model import Model
from unibody.isaacgym.types.enums import UpAxis
from unibody.isaacgym.types.poses import Transform
from unibody.isaacgym.types.vectors import Vec3

if TYPE_CHECKING:
    from unibody.isaacgym.batch.simulation import Simulation


class Environment(handles.Env):
    """A part of a simulation that knows nothing of the others.

    Attributes:
        sim: The simulation.
        index: Its number there.
        open: It has not been destroyed.
        origin: Of its frame, in the simulation's [m].
        actors: In the order of their creation.
        attractors: The same.
        cameras: By handle.
        looks: Changes of what its actors look like.
        aggregate: The open aggregate, -1 where its actors may collide; None: none is open.
        aggregates: How many have been opened.
        actor_base, body_base, dof_base: Numbers of its first actor and parts in the simulation,
            once that is built.
    """

    def __init__(self, sim: Simulation, lower: Vec3, upper: Vec3, per_row: int) -> None:
        super().__init__()
        self.sim = sim
        self.index = len(sim.envs)
        self.open = True
        row, column = divmod(self.index, per_row)
        wide = [upper.x - lower.x, upper.y - lower.y, upper.z - lower.z]
        if sim.params.up_axis == UpAxis.UP_AXIS_Z:
            self.origin = Vec3(column * wide[0], row * wide[1], 0.0)
        else:
            self.origin = Vec3(column * wide[0], 0.0, row * wide[2])
        self.actors: list[Actor] = []
        self.aggregate: int | None = None
        self.aggregates = 0
        self.attractors: list[Attractor] = []
        self.cameras: dict[int, Any] = {}
        self.looks = 0
        self.actor_base = 0
        self.body_base = 0
        self.dof_base = 0
        self.body_count = 0
        self.dof_count = 0
        self.joint_count = 0
        self.shape_count = 0
        self.sensor_count = 0

    def add(
        self,
        model: Model,
        pose: Transform,
        name: str,
        group: int,
        filter_: int,
        segmentation: int,
    ) -> Actor:
        """Make an actor."""
        actor = Actor(self, model, pose, name, group, filter_, segmentation)
        actor.aggregate = -1 if self.aggregate is None else self.aggregate
        self.actors.append(actor)
        self.body_count += len(model.body_links)
        self.dof_count += len(model.dofs)
        self.joint_count += len(model.joints)
        self.shape_count += len(model.shapes)
        self.sensor_count += len(actor.sensors)
        return actor

    def body(self, number: int) -> tuple[Actor, int]:
        """The actor of a rigid body, and the body's number there; the number has been checked."""
        for actor in reversed(self.actors):
            if number >= actor.first_body:
                return actor, number - actor.first_body
        raise IndexError(number)

    def dof(self, number: int) -> tuple[Actor, int]:
        """The same for a degree of freedom."""
        for actor in reversed(self.actors):
            if number >= actor.first_dof:
                return actor, number - actor.first_dof
        raise IndexError(number)

    def joint(self, number: int) -> tuple[Actor, int]:
        """The same for a joint."""
        for actor in reversed(self.actors):
            if number >= actor.first_joint:
                return actor, number - actor.first_joint
        raise IndexError(number)

    def springs(self) -> list[Attractor | Tendon]:
        """What holds bodies or joints by constraints, in the order of these."""
        tendons = [tendon for actor in self.actors for tendon in actor.tendons]
        return [*self.attractors, *tendons]

    def topology(self) -> tuple[Any, ...]:
        """What has to be equal for two environments to be worlds of one scene."""
        ranks: dict[int, int] = {-1: -1}
        groups = [ranks.setdefault(actor.group, len(ranks)) for actor in self.actors]
        aggregates = tuple(actor.aggregate for actor in self.actors)
        attractors = tuple(attractor.topology() for attractor in self.attractors)
        shapes = (actor.shape_key() for actor in self.actors)
        return (*zip(groups, shapes, strict=True), aggregates, attractors)
