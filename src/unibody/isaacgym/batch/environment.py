"""Environments: places in the grid, and the actors in them, with what scripts know of them."""

from __future__ import annotations

from collections.abc import Hashable
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from unibody.core.assets.description import Pose
from unibody.core.batch import coordinates, environment, tables
from unibody.errors import NotSupportedError
from unibody.isaacgym import handles
from unibody.isaacgym.batch.attractor import Attractor
from unibody.isaacgym.batch.properties import shape_records, to_dof_records, to_force_sensor
from unibody.isaacgym.batch.simulation import Simulation
from unibody.isaacgym.batch.soft import SoftPart
from unibody.isaacgym.batch.tendon import Tendon
from unibody.isaacgym.models.model import Model
from unibody.isaacgym.types.enums import SimType, UpAxis
from unibody.isaacgym.types.poses import Transform
from unibody.isaacgym.types.rotations import Quat
from unibody.isaacgym.types.vectors import Vec3

if TYPE_CHECKING:
    from unibody.isaacgym.models.model import DofProperties

Array = npt.NDArray[Any]


class Look:
    """How a body looks: what the API says of it."""

    __slots__ = ("color", "segmentation", "texture")

    def __init__(self, segmentation: int) -> None:
        self.segmentation: int = segmentation
        self.color: dict[int, Vec3] = {}  # by kind of mesh, where it was set
        self.texture: dict[int, int] = {}


class Actor(environment.Actor):
    """One asset in one environment, see ``core.batch.environment.Actor``.

    Attributes:
        model: The asset.
        group: Actors of different groups do not collide; -1 collides with all.
        aggregate: Shapes of one of these do not collide with one another; -1: of none.
        filter: Two shapes that share a bit do not collide; -1: shapes have those of the asset.
        segmentation: Number in segmentation images.
        soft: Its soft bodies.
        first_joint: Number of its first joint in the environment.
        dof_table: Properties of the degrees of freedom, of ``records.DOF_PROPERTIES``.
        shape_table: Surfaces of the shapes, of ``properties.SHAPE``.
        tendons: Fixed tendons.
    """

    env: Environment

    def __init__(
        self,
        env: Environment,
        model: Model,
        pose: Transform,
        name: str,
        group: int,
        filter_: int,
        segmentation: int,
    ) -> None:
        w, x, y, z = model.tree.pose.quat  # how an MJCF file turns its base
        turn = pose.r.normalize() * Quat(x, y, z, w)
        self.dof_table = model.dof_properties.copy()
        self.shape_table = shape_records(model)
        if filter_ >= 0:  # -1 keeps those of the asset
            self.shape_table["filter"] |= filter_
        flex = env.sim.type == SimType.SIM_FLEX
        super().__init__(
            env,
            model.kind,
            name=name,
            pose=Pose((pose.p.x, pose.p.y, pose.p.z), (turn.w, turn.x, turn.y, turn.z)),
            dofs=to_dof_records(self.dof_table, flex=flex),
            surfaces=self._surfaces(),
            bodies=model.bodies.copy(),
            sensors=tuple(map(to_force_sensor, model.sensors)),
        )
        self.model = model
        self.group = group
        self.aggregate = -1
        self.segmentation = segmentation
        self.first_joint: int = env.joint_count
        self.tendons: list[Tendon] = [Tendon(self.handle, model, info) for info in model.tendons]
        self.looks: dict[int, Look] = {}
        self.filter = filter_
        self.soft: list[SoftPart] = [SoftPart(self, info) for info in model.soft]

    def _surfaces(self) -> tables.Records:
        own = np.zeros(len(self.shape_table), tables.SURFACE)
        for field in tables.SURFACE.names or ():
            own[field] = self.shape_table[field]
        return own

    def take_dofs(self, table: tables.Records) -> None:
        """Take over properties of the degrees of freedom."""
        self.dof_table: DofProperties = table
        flex = self.env.sim.type == SimType.SIM_FLEX
        self.dof_records[:] = to_dof_records(table, flex=flex)
        self.env.sim.dofs_changed(self)

    def take_shapes(self, table: tables.Records) -> None:
        """Take over surfaces."""
        self.shape_table: tables.Records = table
        self.surface_records[:] = self._surfaces()
        self.env.sim.surfaces_changed(self)

    def springs(self) -> list[environment.Spring]:
        """What holds its joints by constraints."""
        return list(self.tendons)

    def collision_classes(self) -> list[Hashable]:
        """Group, filter and aggregate of each shape."""
        filters = self.shape_table["filter"].tolist()
        return [(self.group, filter_, self.aggregate) for filter_ in filters]

    def rescale(self, scale: float) -> None:
        """Change the size, and what sliding joints have of lengths.

        Raises:
            NotSupportedError: It has a soft body.
        """
        if self.soft:
            raise NotSupportedError("set_actor_scale of a soft body", "scale its .tet file")
        ratio = scale / self.scale
        super().rescale(scale)
        for number, dof in enumerate(self.model.dofs):
            if dof.type.name == "DOF_TRANSLATION":
                for name in ("lower", "upper"):
                    self.dof_table[name][number] *= ratio

    def look(self, body: int) -> Look:
        """How one of the bodies looks, to be written to."""
        return self.looks.setdefault(body, Look(self.segmentation))

    def positions_of(self, states: Array, guess: Array) -> Array:
        """Positions of the degrees of freedom that come nearest to states of the bodies.

        Args:
            states: (bodies, 13).
            guess: Where to begin, (dofs,): the angle of a joint is the nearest to this one.
        """
        return coordinates.positions(self.tree, self.kind, _in_core(states), guess)

    def velocities_of(self, states: Array, positions: Array) -> Array:
        """The same for velocities, at positions (dofs,)."""
        coms = self.body_records["com"]
        return coordinates.velocities(self.tree, self.kind, coms, _in_core(states), positions)


def _in_core(states: Array) -> Array:
    """States (bodies, 13) with core's order of quaternions."""
    own = np.array(states)
    own[:, 3:7] = np.roll(states[:, 3:7], 1, axis=1)
    return own


class Environment(handles.Env, environment.Environment):
    """A part of a simulation that knows nothing of the others.

    Attributes:
        sim: The simulation.
        index: Its number there.
        open: It has not been destroyed.
        origin: Of its frame, in the simulation's [m].
        attractors: In the order of their creation.
        cameras: By handle.
        looks: Changes of what its actors look like.
        aggregate: The open aggregate, -1 where its actors may collide; None: none is open.
        aggregates: How many have been opened.
        joint_count: Of all its actors.
    """

    def __init__(self, sim: Simulation, lower: Vec3, upper: Vec3, per_row: int) -> None:
        self.sim = sim
        self.index: int = len(sim.envs)
        self.open = True
        row, column = divmod(self.index, per_row)
        wide = [upper.x - lower.x, upper.y - lower.y, upper.z - lower.z]
        if sim.params.up_axis == UpAxis.UP_AXIS_Z:
            self.origin = Vec3(column * wide[0], row * wide[1], 0.0)
        else:
            self.origin: Vec3 = Vec3(column * wide[0], 0.0, row * wide[2])
        position = (self.origin.x, self.origin.y, self.origin.z)
        environment.Environment.__init__(self, position=position, layout=sim.layout)
        self.aggregate: int | None = None
        self.aggregates = 0
        self.attractors: list[Attractor] = []
        self.cameras: dict[int, Any] = {}
        self.looks = 0
        self.joint_count: int = 0

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
        self.join(actor)
        self.joint_count += len(model.joints)
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

    def springs(self) -> list[environment.Spring]:
        """What holds bodies or joints by constraints, in the order of these."""
        return [*self.attractors, *super().springs()]

    def topology(self) -> tuple[Any, ...]:
        """What has to be equal for two environments to be worlds of one scene.

        Numbers of groups differ between environments; what counts is which are equal.
        """
        ranks: dict[int, int] = {-1: -1}
        groups = tuple(ranks.setdefault(actor.group, len(ranks)) for actor in self.actors)
        others = tuple((a.aggregate, a.shape_table["filter"].tobytes()) for a in self.actors)
        springs = tuple(spring.topology() for spring in self.springs())
        return groups, others, tuple(actor.topology() for actor in self.actors), springs
