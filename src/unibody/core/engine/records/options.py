"""What a surface decides about a world and about a body in it."""

from __future__ import annotations

import enum
import math
from dataclasses import dataclass, field

from unibody.core.assets.description import Pose
from unibody.core.engine.records.rule_table import DriveMode, FrictionRule


@dataclass(slots=True)
class WorldOptions:
    """Parameters of one world. Changing one never needs a recompile."""

    timestep: float = 1.0 / 240.0  # s
    gravity: tuple[float, float, float] = (0.0, 0.0, 0.0)  # m/s^2
    friction_rule: FrictionRule = FrictionRule.MULTIPLY
    restitution_rule: FrictionRule = FrictionRule.MULTIPLY
    restitution_speed: float = 0.2  # m/s: slower impacts do not bounce
    contact_erp: float = 0.2  # share of a penetration removed in one step
    contact_slop: float = 0.0  # m: depth of a contact that is left as it is
    parting_speed: float = math.inf  # m/s: a penetration does not part bodies faster than this
    contact_reach: float = 0.0  # how far ahead contacts are found, in sizes of a body (see reach)
    limit_erp: float = 0.2
    limit_depth: float = math.inf  # rad or m: a limit crossed further than this is only held
    limit_margin: float = 0.02  # rad or m: how far ahead a joint limit is seen; ~0: once it is hit
    friction_cfm: float = 0.1  # softness of sliding-friction rows relative to the normal row
    free_friction_cfm: float = 1.0  # the same between bodies without joints
    filters_both: bool = True  # collision groups and masks have to meet both ways, or one way
    solver_iterations: int = 100
    solver_tolerance: float = 1e-8
    pile_tolerance: float = 1e-4  # the same for many bodies without joints
    speed_limits: bool = False  # bodies may have a speed limit
    anisotropic_friction: bool = False  # surfaces may have friction that depends on the direction
    moving_surfaces: bool = False  # fixed bodies may carry along what touches them (see rule_table)
    exact_slipping: bool = False  # Coulomb's law where joints make contacts slip (rules.slipping)
    slip_by_mass: bool = (
        False  # Bullet's direction of friction where contacts slip (friction_directions)
    )
    box_friction: bool = False  # with that: two directions of friction, each with its own limit
    point_by_point: bool = False  # pairs get points of contact one by one (rules.manifolds)
    bullet_pairs: bool = False  # what two surfaces make together is Bullet's: see rules.contacts
    joint_loads: bool = False  # friction of joints is a share of their load (joint_load_friction)
    joint_moves: int = 1  # how often a step moves joints that friction holds (rules.joint_creep)
    joint_rounds: int = 1  # how often it applies their friction
    passing_corrections: bool = False  # they leave no speed and do not wedge (position_corrections)
    report_forces: bool = False  # note the forces of contacts and joints (see rule_table)


class SelfCollision(enum.Enum):
    """Which pairs of links of one body collide."""

    NONE = "none"
    EXCLUDE_PARENT = "exclude_parent"
    EXCLUDE_ALL_PARENTS = "exclude_all_parents"
    ALL = "all"


@dataclass(slots=True)
class DriveDefaults:
    """The drive every one-axis joint of a body starts with."""

    mode: DriveMode = DriveMode.OFF
    kp: float = 0.0
    kd: float = 0.0
    limit: float = 0.0  # N or Nm


@dataclass(slots=True)
class BallDefaults:
    """The drive every ball joint of a body starts with: it holds the joint at its zero.

    Attributes:
        kp: Share of ``limit_erp`` that a step removes of an error.
        damping: Share of the velocity that a step takes away.
        limit: Maximum torque about each axis [Nm].
    """

    kp: float
    damping: float
    limit: float


@dataclass(slots=True)
class BodyOptions:
    """How an asset is placed into a scene."""

    pose: Pose = field(default_factory=Pose)  # T_world_base, of the base link's frame
    fixed: bool = False
    drives: DriveDefaults = field(default_factory=DriveDefaults)
    ball_drives: BallDefaults | None = None  # None: ball joints have no drives of Bullet's
    vector_drives: bool = False  # ball joints have three drives: of their rotation vector
    linear_damping: float = 0.0  # 1/s, see rules.damping
    angular_damping: float = 0.0
    speed_limit: float = math.inf  # rad/s or m/s, of each coordinate (see WorldOptions)
    turn_limit: float | None = None  # rad/s, of a free base; None: the speed limit
    quadratic_damping: float = 1.0  # share of the speed in it: 1 Bullet's law, 0 PhysX's
    self_collision: SelfCollision = SelfCollision.ALL
    friction: tuple[float, float, float] = (0.5, 0.0, 0.0)  # sliding, spinning (m), rolling (m)
    restitution: float = 0.0
    group: int = 1
    mask: int = -1
    joint_damping: bool = True  # use the asset's joint damping
    joint_friction: bool = True  # use the asset's joint friction
    scaled_axes: bool = False  # a joint's speed counts in lengths of its axis (see World.step)
    gravity: bool = True  # False: gravity does not act on the body
    moving_triangles: bool = False  # keep concave meshes that move: they meet convex shapes alone
