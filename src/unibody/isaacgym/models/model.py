"""A loaded asset: what the engine gets, and what the API says of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import numpy.typing as npt

from unibody.core.assets import description as core
from unibody.core.batch import tables
from unibody.core.batch.kind import Dof, Kind, ShapePlace
from unibody.core.engine.records.dialects import PHYSX
from unibody.core.engine.records.options import DriveDefaults
from unibody.core.engine.records.rule_table import DriveMode
from unibody.isaacgym import handles
from unibody.isaacgym.models.soft import SoftInfo
from unibody.isaacgym.types.asset_options import AssetOptions
from unibody.isaacgym.types.enums import DofType, JointType
from unibody.isaacgym.types.poses import Transform
from unibody.isaacgym.types.properties import (
    ActuatorProperties,
    ForceSensorProperties,
    RigidShapeProperties,
    TendonProperties,
)

DofProperties = npt.NDArray[np.void]  # of records.DOF_PROPERTIES


@dataclass(slots=True)
class JointInfo:
    """A joint of the file.

    Attributes:
        name: Its name.
        type: Its kind.
        link: Index of the link below it, in the tree.
    """

    name: str
    type: JointType
    link: int


@dataclass(slots=True)
class DofInfo:
    """A degree of freedom.

    Attributes:
        name: That of its joint.
        type: How it moves.
        joint: Index of its joint.
        link: Index of the link below it, in the tree.
        component: Which one of the rotation vector of a ball joint; -1: the joint has one axis.
    """

    name: str
    type: DofType
    joint: int
    link: int
    component: int = -1

    def joint_of(self, tree: core.Asset) -> core.Joint:
        """What moves in it: the joint above its link, or what that has about one of its axes."""
        joint = tree.links[self.link].joint
        return joint if self.component < 0 else joint.axes[self.component]


@dataclass(slots=True)
class ShapeInfo:
    """A collision shape.

    Attributes:
        body: Index of its rigid body.
        number: Index among the collision shapes of the link.
    """

    body: int
    number: int


@dataclass(slots=True)
class ActuatorInfo:
    """An actuator of an MJCF file."""

    name: str
    joint: str
    properties: ActuatorProperties


@dataclass(slots=True)
class TendonInfo:
    """A fixed tendon of an MJCF file."""

    name: str
    joints: list[str]
    coefficients: list[float]
    properties: TendonProperties


@dataclass(slots=True)
class SensorInfo:
    """A force sensor, in the frame of a rigid body."""

    body: int
    pose: Transform
    properties: ForceSensorProperties


@dataclass(eq=False)
class Model(handles.Asset):
    """A loaded file or built-in shape, with the options applied.

    A joint of several axes, but for a ball joint, is a chain of links in the tree, all but the last
    without mass and shape; these are no rigid bodies.

    Attributes:
        name: That of the file's robot.
        tree: As the engine gets it; links are in the order of the rigid bodies.
        options: A copy of those it was loaded with.
        fixed: The base does not move.
        body_names: Of the rigid bodies.
        body_links: Link of each rigid body.
        joints: All joints between rigid bodies.
        dofs: All degrees of freedom.
        dof_properties: What actors start with.
        shapes: The collision shapes of all bodies, in order.
        shape_properties: What actors start with, one a shape.
        actuators: Of an MJCF file.
        tendons: Of an MJCF file.
        sensors: Added by ``create_asset_force_sensor``.
        soft: Soft bodies.
    """

    name: str
    tree: core.Asset
    options: AssetOptions
    fixed: bool
    body_names: list[str]
    body_links: list[int]
    joints: list[JointInfo]
    dofs: list[DofInfo]
    dof_properties: DofProperties
    shapes: list[ShapeInfo]
    shape_properties: list[RigidShapeProperties]
    actuators: list[ActuatorInfo] = field(default_factory=list[ActuatorInfo])
    tendons: list[TendonInfo] = field(default_factory=list[TendonInfo])
    sensors: list[SensorInfo] = field(default_factory=list[SensorInfo])
    soft: list[SoftInfo] = field(default_factory=list[SoftInfo])

    @cached_property
    def kind(self) -> Kind:
        """What actors of it are to the engine."""
        options = self.options
        placement = PHYSX.body_options(
            drives=DriveDefaults(DriveMode.PD),
            linear_damping=options.linear_damping,
            angular_damping=options.angular_damping,
            speed_limit=options.max_linear_velocity,
            turn_limit=options.max_angular_velocity,
            gravity=not options.disable_gravity,
        )
        return Kind(
            self.name,
            self.tree,
            self.fixed,
            self.body_names,
            self.body_links,
            [Dof(dof.name, dof.link, dof.component) for dof in self.dofs],
            [ShapePlace(shape.body, shape.number) for shape in self.shapes],
            placement,
        )

    @cached_property
    def bodies(self) -> tables.Records:
        """Mass properties of an unscaled actor; not to be written to."""
        return tables.body_records(self.tree, self.body_links)
