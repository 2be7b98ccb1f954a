"""An actor: an asset in an environment, with the properties and the state that are its own."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from unibody.core.assets import description as core
from unibody.core.assets.scaling import scaled_tree
from unibody.isaacgym.batch import coordinates, tables
from unibody.isaacgym.batch.tendon import Tendon
from unibody.isaacgym.models.model import Model
from unibody.isaacgym.types.constants import (
    RIGID_BODY_DISABLE_GRAVITY,
    RIGID_BODY_DISABLE_SIMULATION,
)
from unibody.isaacgym.types.poses import Transform
from unibody.isaacgym.types.rotations import Quat
from unibody.isaacgym.types.vectors import Vec3

if TYPE_CHECKING:
    from unibody.isaacgym.batch.environment import Environment

Array = npt.NDArray[np.float32]
_LENGTHS = ("lower", "upper")


class Look:
    """How a body looks: what the API says of it."""

    __slots__ = ("color", "segmentation", "texture")

    def __init__(self, segmentation: int) -> None:
        self.segmentation = segmentation
        self.color: dict[int, Vec3] = {}  # by kind of mesh, where it was set
        self.texture: dict[int, int] = {}


class Actor:
    """One asset in one environment.

    Until the worlds are built, its state lies in arrays of its own; then they become views of the
    simulation's.

    Attributes:
        env: Its environment.
        handle: Its number there.
        model: The asset.
        name: Its name.
        group: Actors of different groups do not collide; -1 collides with all.
        aggregate: Shapes of one of these do not collide with one another; -1: of none.
        segmentation: Number in segmentation images.
        first_body, first_dof, first_joint: Numbers of its first parts in the environment.
        index: Number in the simulation, like those of the next two; known once that is built.
        sim_body, sim_dof: Numbers of its first parts in the simulation.
        root: Position [m], orientation xyzw, velocity of the mass centre [m/s] and angular
            velocity [rad/s] of the first body, in the environment's frame, (13,).
        dofs: Positions [m, rad] and velocities [m/s, rad/s], (dofs, 2).
        position_targets, velocity_targets: Of the drives, (dofs,).
        dof_table: Properties of the degrees of freedom, of ``records.DOF_PROPERTIES``.
        body_table: Mass properties of the bodies, of ``tables.BODY``.
        shape_table: Surfaces of the shapes, of ``tables.SHAPE``.
        sensors: Force sensors, as the asset had them.
        tendons: Fixed tendons.
        off_centre: Mass centre or axes of inertia of a body may be others than the asset's.
        reports_forces: The forces of its degrees of freedom are wanted.
    """

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
        self.env = env
        self.handle = len(env.actors)
        self.model = model
        self.name = name
        self.group = group
        self.aggregate = -1
        self.segmentation = segmentation
        self.first_body = env.body_count
        self.first_dof = env.dof_count
        self.first_joint = env.joint_count
        self.first_shape = env.shape_count
        self.first_sensor = env.sensor_count
        self.index = -1
        self.sim_body = -1
        self.sim_dof = -1
        self.sensors = list(model.sensors)
        self.tendons = [Tendon(model, info) for info in model.tendons]
        self.scale = 1.0
        self.reports_forces = False
        self.off_centre = False
        self.looks: dict[int, Look] = {}
        w, x, y, z = model.tree.pose.quat  # how an MJCF file turns its base
        turn = pose.r.normalize() * Quat(x, y, z, w)
        self.root: Array = np.zeros(13, np.float32)
        self.root[:7] = pose.p.x, pose.p.y, pose.p.z, turn.x, turn.y, turn.z, turn.w
        self.home = self.root.copy()
        count = len(model.dofs)
        self.dofs: Array = np.zeros((count, 2), np.float32)
        self.position_targets: Array = np.zeros(count, np.float32)
        self.velocity_targets: Array = np.zeros(count, np.float32)
        self.efforts: Array = np.zeros(count, np.float32)
        self.dof_table: tables.Records = model.dof_properties.copy()
        self.shape_table: tables.Records = tables.shape_records(model)
        if filter_ >= 0:  # -1 keeps those of the asset
            self.shape_table["filter"] |= filter_
        self.body_table: tables.Records = tables.default_bodies(model).copy()

    @cached_property
    def _trees(self) -> dict[float, core.Asset]:
        return {1.0: self.model.tree}

    @property
    def tree(self) -> core.Asset:
        """The asset's tree at the actor's scale."""
        if self.scale not in self._trees:
            self._trees[self.scale] = scaled_tree(self.model.tree, self.scale)
        return self._trees[self.scale]

    @property
    def fixed(self) -> bool:
        """Whether the base does not move."""
        return self.model.fixed or self.disabled

    @property
    def disabled(self) -> bool:
        """Whether it takes no part in the simulation: it stays in place and touches nothing."""
        return bool(np.any(self.body_table["flags"] & RIGID_BODY_DISABLE_SIMULATION))

    @property
    def weightless(self) -> bool:
        """Whether gravity does not act on one of its bodies or more."""
        flags = self.body_table["flags"] & RIGID_BODY_DISABLE_GRAVITY
        return self.model.options.disable_gravity or bool(np.any(flags))

    def rescale(self, scale: float) -> None:
        """Change the size: geometry, mass properties, and what sliding joints have of lengths."""
        ratio = scale / self.scale
        self.scale = scale
        flags = self.body_table["flags"]
        self.body_table = tables.body_records(self.model, self.tree)
        self.body_table["flags"] = flags
        for number, dof in enumerate(self.model.dofs):
            if dof.type.name == "DOF_TRANSLATION":
                for name in _LENGTHS:
                    self.dof_table[name][number] *= ratio

    def look(self, body: int) -> Look:
        """How one of the bodies looks, to be written to."""
        return self.looks.setdefault(body, Look(self.segmentation))

    def shape_key(self) -> tuple[Any, ...]:
        """What has to be equal for two actors to be rows of the same arrays."""
        filters = self.shape_table["filter"].tobytes()
        scale = 1.0 if self.resizable else self.scale
        tendons = tuple(tendon.topology() for tendon in self.tendons)
        return (id(self.model), scale, filters, self.disabled, len(self.sensors), tendons)

    @property
    def resizable(self) -> bool:
        """Whether its size may differ between worlds: meshes are the same in all."""
        kinds = {shape.kind for link in self.model.tree.links for shape in link.collisions}
        return not kinds & {core.ShapeKind.MESH, core.ShapeKind.HEIGHTFIELD}

    def positions_of(self, states: Array, guess: Array) -> Array:
        """Positions of the degrees of freedom that come nearest to states of the bodies.

        Args:
            states: (bodies, 13).
            guess: Where to begin, (dofs,): the angle of a joint is the nearest to this one.
        """
        return coordinates.positions(self.tree, self.model, states, guess)

    def velocities_of(self, states: Array, positions: Array) -> Array:
        """The same for velocities, at positions (dofs,)."""
        coms = self.body_table["com"]
        return coordinates.velocities(self.tree, self.model, coms, states, positions)
