"""A body of a scene: its description, its present parameters, and where it lies in the model."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from unibody.core.assets.description import Asset, Link, Pose, Vec3
from unibody.core.engine.records.options import BodyOptions, SelfCollision


@dataclass(slots=True)
class LinkRecord:
    """Present parameters of one link, and its indices in the compiled model (-1 before)."""

    link: Link
    mass: float  # kg
    inertia: Vec3  # principal, kg m^2, in the frame ``com``
    com: Pose  # T_link_inertial
    friction: tuple[float, float, float]  # sliding, spinning (m), rolling (m)
    restitution: float
    stiffness: float  # N/m, 0: hard contact
    damping: float  # Ns/m
    group: int
    mask: int
    spec_body: Any = None
    spec_geoms: list[Any] = field(default_factory=list[Any])
    shape_of_geom: list[int] = field(default_factory=list[int])  # index into link.collisions
    body: int = -1
    geom: int = -1  # first geom
    anisotropy: Vec3 = (1.0, 1.0, 1.0)  # factors of friction along the axes of ``com``
    farthest_contact: float | None = None  # m: contacts at a larger distance have no force
    box_margins: tuple[float, ...] = ()  # m: how much wider the box of each collision shape is
    box_margin: float = 0.0  # m: and the box around all of them
    waits: int = 0  # bits of what is to be written before the next step, see edits

    @property
    def ngeom(self) -> int:
        """Number of its geoms."""
        return len(self.shape_of_geom)

    @property
    def compound(self) -> bool:
        """Would Bullet wrap the shapes: several, or one away from the link's inertial frame?"""
        shapes = self.link.collisions
        return len(shapes) > 1 or (bool(shapes) and shapes[0].pose != self.link.inertial.pose)


@dataclass(slots=True)
class JointRecord:
    """The joint above a link, and its addresses in the compiled model (-1 before).

    A fixed joint has no coordinates (``nq == nv == 0``). ``spec_joints`` holds one MuJoCo joint
    for each axis of a planar joint, else one.
    """

    link: int
    nq: int = 0
    nv: int = 0
    spec_joints: list[Any] = field(default_factory=list[Any])
    joint: int = -1  # first MuJoCo joint
    qpos: int = -1
    dof: int = -1
    drive: int = -1  # index among the scene's drives
    local_drive: int = -1  # index among the body's drives; -1: this joint has none
    enabled: bool = False  # the drive takes part in the solve
    local_ball: int = -1  # index among the ball drives of the body; -1: this joint has none
    damping: float | None = None  # Nms/rad or Ns/m, if it was changed
    limits: tuple[float, float] | None = None  # rad or m, if they were changed; see edits

    @property
    def njnt(self) -> int:
        """Number of its MuJoCo joints: a planar one has one for each axis."""
        return 3 if self.nq == self.nv == 3 else int(self.nv > 0)


@dataclass(slots=True)
class BodyRecord:
    """One articulated or single body of a scene."""

    id: int
    asset: Asset
    options: BodyOptions
    links: list[LinkRecord]
    joints: list[JointRecord]  # joints[i] is above links[i]; joints[0] is the base's
    self_collision: SelfCollision
    home: Pose  # T_world_base the body was written with
    origin: Asset | None = None  # what the asset is, but for the names of its joints
    tendons: list[Any] = field(default_factory=list[Any])  # one MjsTendon a drive
    drive_joints: list[int] = field(default_factory=list[int])  # link index of each drive
    ball_joints: list[int] = field(default_factory=list[int])  # link index of each ball drive
    excludes: dict[tuple[int, int], Any] = field(  # elements of pairs that were excluded once
        default_factory=dict[tuple[int, int], Any]
    )
    pairs: dict[tuple[int, int], bool] = field(  # overrides of single pairs
        default_factory=dict[tuple[int, int], bool]
    )
    meshes: list[str] = field(default_factory=list[str])  # keys of the shared meshes it uses
    body: int = -1  # first MuJoCo body; links follow in order
    mocap: int = -1  # mocap index of a fixed base
    qpos: int = -1
    dof: int = -1
    joint: int = -1
    geom: int = -1
    drive: int = -1
    ball: int = -1  # number of its first ball drive
    nq: int = 0
    nv: int = 0
    ngeom: int = 0

    @property
    def geoms(self) -> slice:
        """Its geoms, of a body of one link."""
        return slice(self.geom, self.geom + self.ngeom)

    def can_move(self, link: int) -> bool:
        """Whether a link may move: the base is free, or a joint above the link has an axis."""
        if not self.fixed:
            return True
        while link > 0:
            if self.joints[link].nv:
                return True
            link = self.links[link].link.parent
        return False

    @property
    def fixed(self) -> bool:
        """True if the base never moves by itself."""
        return self.options.fixed
