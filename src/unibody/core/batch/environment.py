"""Environments, and the actors in them: what a batch is built from."""

from __future__ import annotations

from collections.abc import Hashable
from functools import cached_property
from typing import Any, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from unibody.core.assets.description import Asset, Pose, Vec3
from unibody.core.assets.scaling import scaled_tree
from unibody.core.batch import tables
from unibody.core.batch.kind import Kind, dof_records, surface_records
from unibody.core.batch.layout import STATE_WIDTH, StateLayout
from unibody.core.engine.scene.scene import Scene
from unibody.errors import InvalidArgumentError

Array = npt.NDArray[Any]


class ForceSensor(NamedTuple):
    """A force sensor, in the frame of a rigid body.

    Attributes:
        body: Number of the body.
        pose: Of the sensor in the body's frame.
        forward: It reads gravity, applied forces and what the neighbours transmit.
        solver: It reads contacts.
        in_world: In the axes of the world, else in its own.
    """

    body: int
    pose: Pose = Pose()
    forward: bool = True
    solver: bool = True
    in_world: bool = False


class Spring(Protocol):
    """What holds bodies or joints by a constraint whose numbers may differ between worlds."""

    def topology(self) -> tuple[Any, ...]:
        """What has to be equal for two to be one constraint of a scene."""
        ...

    def write(self, scene: Scene, first: int) -> None:
        """Add the constraint to a scene in which actors begin at body ``first``."""
        ...

    def changed(self) -> tuple[list[float], tuple[float, ...]]:
        """``eq_data`` and the rule's numbers from ``E_SPRING`` on, as they are now."""
        ...


class Environment:
    """Actors that know nothing of those of other environments.

    Attributes:
        name: Its name.
        position: Of its frame in the world [m]; the axes are parallel.
        layout: Of its actors' states.
        actors: In the order of their creation.
        actor_base, body_base, dof_base, shape_base, sensor_base: Numbers of its first actor and
            parts in the batch, once that is built.
        body_count, dof_count, shape_count, sensor_count: Of all its actors.
    """

    def __init__(
        self,
        *,
        name: str = "",
        position: Vec3 = (0.0, 0.0, 0.0),
        layout: StateLayout | None = None,
    ) -> None:
        self.name = name
        self.position = position
        self.layout: StateLayout = layout or StateLayout()
        self.actors: list[Any] = []  # Actor, or what a surface makes of it
        self.actor_base = 0
        self.body_base = 0
        self.dof_base = 0
        self.shape_base = 0
        self.sensor_base = 0
        self.body_count: int = 0
        self.dof_count: int = 0
        self.shape_count: int = 0
        self.sensor_count: int = 0

    def join(self, actor: Actor) -> None:
        """Add an actor that was made for this environment."""
        self.actors.append(actor)
        self.body_count += len(actor.kind.body_links)
        self.dof_count += len(actor.kind.dofs)
        self.shape_count += len(actor.kind.shapes)
        self.sensor_count += len(actor.sensors)

    def springs(self) -> list[Spring]:
        """What holds bodies or joints by constraints, in the order of these."""
        return [spring for actor in self.actors for spring in actor.springs()]

    def topology(self) -> tuple[Any, ...]:
        """What has to be equal for two environments to be worlds of one scene."""
        keys = tuple(actor.topology() for actor in self.actors)
        collisions = tuple(tuple(actor.collision_classes()) for actor in self.actors)
        return keys, collisions, tuple(spring.topology() for spring in self.springs())


class Actor:
    """One robot or object in one environment.

    Until the worlds are built, its state and its properties lie in arrays of its own; then these
    are views of the batch's.

    Attributes:
        env: Its environment.
        handle: Its number there.
        kind: What it is.
        name: Its name; not always the only one.
        scale: Its size as a multiple of its kind's.
        home: Where it was put, in the frame of the environment.
        sensors: Its force sensors.
        first_body, first_dof, first_shape, first_sensor: Numbers of its first parts in the
            environment.
        index, sim_body, sim_dof, sim_shape: Number in the batch, and of its first parts; known
            once that is built.
        root: State of the first body, (13,), see ``StateLayout``.
        dofs: Positions [m, rad] and velocities [m/s, rad/s], (dofs, 2).
        position_targets, velocity_targets: Of the drives, (dofs,).
        efforts: Applied in the next step, (dofs,).
        dof_records, body_records, surface_records: Its properties, see ``tables``.
        off_centre: Mass centre or axes of inertia of a body may be others than the kind's.
        reports_forces: The forces of its degrees of freedom are wanted.
    """

    def __init__(  # noqa: PLR0913 - surfaces state all of them
        self,
        env: Environment,
        kind: Kind,
        *,
        name: str = "",
        pose: Pose | None = None,
        dofs: tables.Records | None = None,
        surfaces: tables.Records | None = None,
        bodies: tables.Records | None = None,
        sensors: tuple[ForceSensor, ...] = (),
    ) -> None:
        self.env: Any = env
        self.handle: int = len(env.actors)
        self.kind = kind
        self.name = name
        self.scale = 1.0
        self.sensors: list[ForceSensor] = list(sensors)
        self.first_body: int = env.body_count
        self.first_dof: int = env.dof_count
        self.first_shape: int = env.shape_count
        self.first_sensor: int = env.sensor_count
        self.index = self.sim_body = self.sim_dof = self.sim_shape = -1
        self.off_centre = False
        self.reports_forces = False
        self.home: Pose = pose or kind.tree.pose
        dtype, count = env.layout.dtype, len(kind.dofs)
        self.root: Array = np.zeros(STATE_WIDTH, dtype)
        self.root[:3] = self.home.pos
        if env.layout.in_world:
            self.root[:3] += env.position
        self.root[3:7] = env.layout.from_wxyz(np.array(self.home.quat))
        self.dofs: Array = np.zeros((count, 2), dtype)
        self.position_targets: Array = np.zeros(count, dtype)
        self.velocity_targets: Array = np.zeros(count, dtype)
        self.efforts: Array = np.zeros(count, dtype)
        self.dof_records: tables.Records = dof_records(kind) if dofs is None else dofs
        self.surface_records: tables.Records = (
            surface_records(kind) if surfaces is None else surfaces
        )
        plain = tables.body_records(kind.tree, kind.body_links) if bodies is None else bodies
        self.body_records = plain

    @cached_property
    def _trees(self) -> dict[float, Asset]:
        return {1.0: self.kind.tree}

    @property
    def tree(self) -> Asset:
        """The tree of links at the actor's size."""
        if self.scale not in self._trees:
            self._trees[self.scale] = scaled_tree(self.kind.tree, self.scale)
        return self._trees[self.scale]

    @property
    def fixed(self) -> bool:
        """Whether the base does not move."""
        return self.kind.fixed or self.disabled or self.held

    @property
    def disabled(self) -> bool:
        """Whether it takes no part in the simulation: it stays in place and touches nothing."""
        return bool(np.any(self.body_records["flags"] & tables.BodyFlag.DISABLED))

    @property
    def held(self) -> bool:
        """Whether it stays where it is put, and others touch it."""
        return bool(np.any(self.body_records["flags"] & tables.BodyFlag.HELD))

    @property
    def weightless(self) -> bool:
        """Whether gravity does not act on one of its bodies or more."""
        flags = self.body_records["flags"] & tables.BodyFlag.WEIGHTLESS
        return not self.kind.placement.gravity or bool(np.any(flags))

    def springs(self) -> list[Spring]:
        """What holds its bodies or joints by constraints."""
        return []

    def collision_classes(self) -> list[Hashable]:
        """The class of each collision shape; which classes meet is told to the batch."""
        return [0] * len(self.kind.shapes)

    def rescale(self, scale: float) -> None:
        """Change the size: geometry, mass properties, and what sliding joints have of lengths.

        Raises:
            InvalidArgumentError: The size is not positive.
        """
        if not 0.0 < scale < np.inf:
            raise InvalidArgumentError("scale", scale, "a positive number")
        ratio = scale / self.scale
        self.scale: float = scale
        flags = self.body_records["flags"].copy()
        self.body_records[:] = tables.body_records(self.tree, self.kind.body_links)
        self.body_records["flags"] = flags
        for number, dof in enumerate(self.kind.dofs):
            if self.kind.slides(dof):
                for name in ("lower", "upper"):
                    self.dof_records[name][number] *= ratio

    def topology(self) -> tuple[Any, ...]:
        """What has to be equal for two actors to be rows of the same arrays."""
        scale = 1.0 if self.kind.resizable else self.scale
        return id(self.kind), scale, self.disabled, self.held, len(self.sensors)
