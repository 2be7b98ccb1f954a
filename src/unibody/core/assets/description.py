"""What every importer produces: a robot or object as a tree of links, free of any file format.

Lengths are metres, angles radians, masses kilograms. Quaternions are ``(w, x, y, z)``. A pose is
the pose of a child frame in its parent frame.
"""

from __future__ import annotations

import enum
import math
from dataclasses import dataclass, field
from typing import NamedTuple, Self

Vec3 = tuple[float, float, float]
Quat = tuple[float, float, float, float]


class Pose(NamedTuple):
    """A rigid transform ``T_parent_child``: position and unit quaternion (w, x, y, z)."""

    pos: Vec3 = (0.0, 0.0, 0.0)
    quat: Quat = (1.0, 0.0, 0.0, 0.0)


_HERE = Pose()


class JointType(enum.Enum):
    """How a link moves relative to its parent."""

    FIXED = "fixed"
    REVOLUTE = "revolute"
    CONTINUOUS = "continuous"
    PRISMATIC = "prismatic"
    SPHERICAL = "spherical"
    PLANAR = "planar"
    FLOATING = "floating"


class ShapeKind(enum.Enum):
    """Geometry of a shape; the meaning of ``Shape.size`` depends on it."""

    BOX = "box"  # size: full extents (x, y, z)
    SPHERE = "sphere"  # size: (radius,)
    CYLINDER = "cylinder"  # size: (radius, length), axis z
    CAPSULE = "capsule"  # size: (radius, length of the cylindrical part), axis z
    ELLIPSOID = "ellipsoid"  # size: semi-axes (x, y, z)
    PLANE = "plane"  # size: (), normal z of the shape's frame
    MESH = "mesh"  # size: (); see Shape.mesh
    HEIGHTFIELD = "heightfield"  # size: (); see Shape.heightfield


@dataclass(slots=True, frozen=True)
class MeshSource:
    """Where a mesh comes from: a file, or vertices and faces in memory (then ``file`` is "").

    The geometry itself is loaded on demand through ``meshes`` and shared by content. Normals and
    texture coordinates in memory concern drawing alone.
    """

    file: str = ""  # resolved absolute path
    name: str = ""  # the path as the user wrote it
    scale: Vec3 = (1.0, 1.0, 1.0)
    vertices: tuple[Vec3, ...] = ()
    faces: tuple[tuple[int, int, int], ...] = ()
    normals: tuple[Vec3, ...] = ()  # one a vertex, or none
    uvs: tuple[tuple[float, float], ...] = ()  # one a vertex, or none

    def __deepcopy__(self, memo: object) -> Self:
        """Itself: nothing in it can change, and a copy of each number would take long."""
        return self


@dataclass(slots=True, frozen=True)
class HeightfieldData:
    """A regular grid of heights. Column index runs along x, row index along y.

    The grid is centred on the shape's frame in x and y; heights are measured along z.
    """

    rows: int
    columns: int
    heights: tuple[float, ...]  # row-major, metres, rows * columns values
    spacing: tuple[float, float]  # metres between columns (x) and between rows (y)
    # cells are cut from (column + 1, row) to (column, row + 1), not from (column, row) upwards
    falling: bool = False

    def __deepcopy__(self, memo: object) -> Self:
        """Itself: nothing in it can change, and a copy of each number would take long."""
        return self


@dataclass(slots=True, frozen=True)
class SurfaceMaterial:
    """What a shape is made of, where a file tells sticking from sliding friction (USD)."""

    static_friction: float = 0.0
    dynamic_friction: float = 0.0
    restitution: float = 0.0
    density: float = 0.0  # kg/m^3, 0: not stated
    friction_combine: str = ""  # "average", "min", "multiply", "max"; "": not stated
    restitution_combine: str = ""


@dataclass(slots=True)
class Shape:
    """One visual or collision shape of a link."""

    kind: ShapeKind
    size: tuple[float, ...] = ()
    pose: Pose = _HERE  # T_link_shape
    name: str = ""
    mesh: MeshSource | None = None
    heightfield: HeightfieldData | None = None
    concave: bool = False  # collision: keep the triangles, do not take the convex hull
    rgba: tuple[float, float, float, float] | None = None
    specular: Vec3 | None = None
    texture: str = ""  # resolved absolute path
    material: str = ""
    group: int | None = None  # collision group and mask where the file states them
    mask: int | None = None
    friction: Vec3 | None = None  # sliding, spinning, rolling: where a file states it for a shape
    surface: SurfaceMaterial | None = None  # USD: the physics material bound to the shape
    margin: float = 0.0  # m: a hull or cylinder for collision is larger by this on all sides
    wrapped: bool = False  # Bullet takes the mesh for several shapes, even if it is only one
    by_ends: bool = False  # a capsule or cylinder that the file states by its two ends
    notes: tuple[tuple[str, str], ...] = ()  # (key, text), for scripts


@dataclass(slots=True)
class Inertial:
    """Mass and inertia of a link. ``inertia`` is about the centre of mass, in the frame ``pose``.

    ``inertia`` is (ixx, iyy, izz, ixy, ixz, iyz). ``stated`` is False where the file had no
    inertial.
    """

    mass: float = 0.0
    pose: Pose = _HERE  # T_link_inertial
    inertia: tuple[float, float, float, float, float, float] = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    stated: bool = True
    density: float = 0.0  # kg/m^3, where a file states it in place of a mass


@dataclass(slots=True, frozen=True)
class Drive:
    """A drive on a joint, as a file states it (USD).

    ``force = stiffness (target_position - q) + damping (target_velocity - v)``, at most
    ``max_force``; an acceleration in place of a force where ``acceleration`` is true.
    """

    stiffness: float = 0.0  # N/m or Nm/rad; acceleration: 1/s^2
    damping: float = 0.0  # Ns/m or Nms/rad; acceleration: 1/s
    max_force: float = math.inf  # N or Nm
    target_position: float = 0.0  # m or rad
    target_velocity: float = 0.0  # m/s or rad/s
    acceleration: bool = False
    axis: str = ""  # "x", "y" or "z" of a spherical joint's frame; "": the joint has one axis


@dataclass(slots=True)
class Joint:
    """The joint that attaches a link to its parent."""

    name: str = ""
    type: JointType = JointType.FIXED
    origin: Pose = field(
        default_factory=Pose
    )  # T_parentlink_joint; the link frame is the joint frame
    axis: Vec3 = (1.0, 0.0, 0.0)  # unit vector in the joint frame; prismatic, revolute: motion axis
    axis_length: float = 1.0  # of the vector that the file states
    lower: float = 0.0  # rad or m; lower > upper means unlimited
    upper: float = -1.0
    effort: float = 0.0  # N or Nm, 0: not stated
    velocity: float = 0.0  # rad/s or m/s, 0: not stated
    damping: float = 0.0  # Nms/rad or Ns/m
    friction: float = 0.0  # Nm or N
    stiffness: float = 0.0  # spring towards ``spring_reference``
    spring_reference: float = 0.0
    armature: float = 0.0  # kg m^2 or kg
    twist: float = -1.0  # rad; spherical with 0 < lower, upper, twist: swing limits and twist limit
    mimic: Mimic | None = None
    anchor: Vec3 = (0.0, 0.0, 0.0)  # m: point the axis goes through, in the joint frame
    collapsible: bool = True  # fixed: False asks to keep the link apart from its parent
    drives: tuple[Drive, ...] = ()
    axes: tuple[Joint, ...] = ()  # spherical: what it has about x, y and z, if that is stated
    start: float = 0.0  # rad or m: where the file's own poses put it (USD)


@dataclass(slots=True)
class Mimic:
    """``q = multiplier * q_of(joint) + offset``."""

    joint: str
    multiplier: float = 1.0
    offset: float = 0.0


@dataclass(slots=True)
class ContactParameters:
    """Surface parameters of a link.

    ``None``: the file does not state it, the default of the surface that loads it holds.
    """

    lateral_friction: float | None = None
    rolling_friction: float | None = None
    spinning_friction: float | None = None
    restitution: float | None = None
    stiffness: float | None = None  # N/m
    damping: float | None = None  # Ns/m
    cfm: float | None = None
    erp: float | None = None
    inertia_scaling: float | None = None
    friction_anchor: bool = False  # friction pulls back to the point of first contact


@dataclass(slots=True, frozen=True)
class SoftSolid:
    """What fills a soft link: tetrahedra of one material."""

    file: str  # of the tetrahedra, a resolved absolute path
    pose: Pose = _HERE  # T_link_solid
    density: float = 1000.0  # kg/m^3
    young: float = 1e5  # Pa
    poisson: float = 0.45
    damping: float = 0.0  # s, of the rate of strain over stiffness
    attach_distance: float = 0.0  # m: particles as near as this to the parent's shapes go along


@dataclass(slots=True)
class Link:
    """One rigid part. Link 0 is the base; its joint describes how the base meets the world."""

    name: str
    parent: int = -1  # index into ``Asset.links``; see ``link_order`` where it is to come first
    joint: Joint = field(default_factory=Joint)
    inertial: Inertial = field(default_factory=Inertial)
    visuals: list[Shape] = field(default_factory=list[Shape])
    collisions: list[Shape] = field(default_factory=list[Shape])
    contact: ContactParameters = field(default_factory=ContactParameters)
    notes: tuple[tuple[str, str], ...] = ()  # (key, text), for scripts
    soft: SoftSolid | None = None  # the link is no rigid part, but this


class ActuatorKind(enum.Enum):
    """What an actuator of a file does with its control."""

    MOTOR = "motor"  # force = gear * control
    POSITION = "position"  # force = kp * (control - q) - kv * v
    VELOCITY = "velocity"  # force = kv * (control - v)


@dataclass(slots=True)
class Actuator:
    """An actuator on one joint, as a file states it. Its place is among ``Asset.actuators``."""

    name: str
    joint: str
    kind: ActuatorKind
    gear: float = 1.0
    kp: float = 0.0  # N/m or Nm/rad
    kv: float = 0.0  # Ns/m or Nms/rad
    control_range: tuple[float, float] | None = None  # None: not limited
    force_range: tuple[float, float] | None = None  # N or Nm, before the gear


@dataclass(slots=True)
class FixedTendon:
    """A tendon over joints: its length is ``sum(coefficient * q) + offset``.

    The force at a joint is the tendon's times its coefficient and ``force_ratio``.
    """

    name: str
    joints: list[str]
    coefficients: list[float]
    limits: tuple[float, float] | None = None  # None: not limited
    stiffness: float = 0.0  # spring towards ``rest_length``
    damping: float = 0.0
    rest_length: float = 0.0
    offset: float = 0.0
    limit_stiffness: float | None = None  # of springs that hold the limits; None: these are hard
    force_ratio: float = 1.0


@dataclass(slots=True)
class LoopJoint:
    """A joint between two links that the tree has no place for; its two frames coincide (USD).

    ``second_pose`` moves against ``first_pose`` as the joint's type, axis and limits allow; its
    origin has no meaning.
    """

    joint: Joint
    first: str  # name of a link, "" for the world
    first_pose: Pose  # T_link_joint
    second: str
    second_pose: Pose
    path: str = ""  # of its prim


@dataclass(slots=True, frozen=True)
class Deformable:
    """A body that deforms.

    Attributes:
        file: Its mesh.
        mass: Of all of it [kg].
        margin: How far its surface is from what it touches [m].
        friction: Its coefficient.
        repulsion: Stiffness of its contacts with others of its kind [N/m].
        gravity: Factor on gravity.
        spring_stiffness: Of springs along the edges of its mesh [N/m].
        spring_damping: Of them [N s/m].
        bending_stiffness: Of springs between particles with a neighbour in common [N/m].
        neo_hookean: First and second parameter of Bullet's law [Pa], and their share that resists
            the rate of strain [s].
        corotated: Lame parameters of the corotated law [Pa].
    """

    file: str
    mass: float = 1.0
    margin: float = 0.02
    friction: float = 1.0
    repulsion: float = 0.5
    gravity: float = 1.0
    spring_stiffness: float = 0.0
    spring_damping: float = 0.0
    bending_stiffness: float = 0.0
    neo_hookean: Vec3 = (0.0, 0.0, 0.0)
    corotated: tuple[float, float] = (0.0, 0.0)


@dataclass(frozen=True, slots=True)
class ReducedDeformable:
    """A body of a few modes of deformation, whose files lie beside that of its mesh.

    Attributes:
        file: The mesh that is drawn.
        simulated: The tetrahedra that the modes move; "": those that are drawn.
        modes: How many there are.
        mass: Of all of it [kg].
        stiffness: Factor on that of the modes.
        damping: Share of the stiffness that resists the rate of deformation [s].
        margin: How far its surface is from what it touches [m].
        friction: Coefficient of its contacts.
        correction: Share of an overlap that goes in a step.
        softness: Share of the impulse of a contact by which the contact gives way.
    """

    file: str
    simulated: str = ""
    modes: int = 1
    mass: float = 1.0
    stiffness: float = 100.0
    damping: float = 0.0
    margin: float = 0.02
    friction: float = 0.0
    correction: float = 0.2
    softness: float = 0.2


@dataclass(slots=True)
class Asset:
    """A tree of links, link 0 the base.

    The order is depth first, children in file order, but for that of a file where it is kept.
    """

    name: str
    links: list[Link]
    file: str = ""
    pose: Pose = field(default_factory=Pose)  # where the file itself places the base (SDF, MJCF)
    fixed_base: bool | None = None  # None: the file does not say
    static: bool = False  # the file says it never moves (SDF <static>)
    self_collision: bool | None = None
    # MJCF motors: joint -> limit
    joint_efforts: dict[str, float] = field(default_factory=dict[str, float])
    actuators: list[Actuator] = field(default_factory=list[Actuator])
    tendons: list[FixedTendon] = field(default_factory=list[FixedTendon])
    # MJCF, USD: names of links that do not collide with each other
    excluded: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    loops: list[LoopJoint] = field(default_factory=list[LoopJoint])
    articulation: bool = False  # USD: simulated in reduced coordinates
    notes: tuple[tuple[str, str], ...] = ()  # (key, text), for scripts
    # URDF: the body deforms, and has one link without shapes
    deformable: Deformable | ReducedDeformable | None = None
