"""What a robot is made of: links, joints, shapes and inertia, under the names of the original."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from unibody.bullet import constants as c

_ZERO = (0.0, 0.0, 0.0)
_NO_TURN = (0.0, 0.0, 0.0, 1.0)


@dataclass
class UrdfInertial:
    """Mass [kg], principal inertias [kg m^2] and their frame in the link."""

    mass: float = 1.0
    inertia_xxyyzz: Sequence[float] = (0.0, 0.0, 0.0)
    origin_rpy: Sequence[float] = _ZERO
    origin_xyz: Sequence[float] = _ZERO


@dataclass
class UrdfContact:
    """Friction coefficients."""

    lateral_friction: float = 1.0
    rolling_friction: float = 0.0
    spinning_friction: float = 0.0


@dataclass
class UrdfCollision:
    """A collision shape; which sizes count depends on ``geom_type``."""

    origin_rpy: Sequence[float] = _ZERO
    origin_xyz: Sequence[float] = _ZERO
    geom_type: int = c.GEOM_BOX
    geom_radius: float = 1.0
    geom_length: float = 1.0
    geom_extents: Sequence[float] = (1.0, 1.0, 1.0)
    geom_meshfilename: str = "meshfile"
    geom_meshscale: Sequence[float] = (1.0, 1.0, 1.0)


@dataclass
class UrdfVisual(UrdfCollision):
    """A visual shape."""

    material_rgba: Sequence[float] = (1.0, 0.0, 0.0, 1.0)
    material_name: str = ""


@dataclass
class UrdfLink:
    """A link."""

    link_name: str = "dummy"
    urdf_inertial: UrdfInertial = field(default_factory=UrdfInertial)
    urdf_visual_shapes: list[UrdfVisual] = field(default_factory=list[UrdfVisual])
    urdf_collision_shapes: list[UrdfCollision] = field(default_factory=list[UrdfCollision])


@dataclass
class UrdfJoint:
    """A joint with the link that hangs on it; its frame is that of the child link."""

    link: UrdfLink = field(default_factory=UrdfLink)
    joint_name: str = "joint_dummy"
    joint_type: int = c.JOINT_REVOLUTE
    joint_lower_limit: float = 0.0
    joint_upper_limit: float = -1.0
    joint_max_force: float = 0.0
    joint_max_velocity: float = 0.0
    parent_name: str = "parentName"
    child_name: str = "childName"
    joint_origin_xyz: Sequence[float] = _ZERO
    joint_origin_rpy: Sequence[float] = _ZERO
    joint_axis_xyz: Sequence[float] = (0.0, 0.0, 1.0)
