"""The rule table: what the constraint callback reads, and where it is stored.

Rules are data, not code paths: a drive, a surface or a constraint states its rule in numbers
that travel with the model (``numeric``, ``geom_user``, ``body_user``) or with the state
(``userdata``), and every execution of the callback (CPU, Warp) reads the same numbers.
"""

from __future__ import annotations

import enum
from typing import Final

# --- numeric: one block a model, parameters of the world -------------------------------------
NUMERIC_NAME: Final = "unibody"
SOLIMP: Final = (0.995, 0.995, 0.001, 0.5, 2.0)  # of all geoms: docs/decisions/contact-softness.md
MAGIC: Final = 7.0947326871e211  # marks the model of a world of ours
SHAPES_MAGIC: Final = 3.8172650917e209  # marks one of shapes that are in no world of ours
# Any other model is left alone.
N_MAGIC: Final = 0
N_DRIVES: Final = 1  # number of drives; drive k is tendon k, and its row that tendon's, but for
# the drives of a ball joint's rotation vector: their rows are those of the joint's friction
N_EQUALITIES: Final = 2  # number of equality constraints with a rule; rule k is equality k
N_FRICTION_RULE: Final = 3  # FrictionRule
N_RESTITUTION_RULE: Final = 4  # FrictionRule, applied to restitution
N_RESTITUTION_SPEED: Final = 5  # m/s: slower impacts do not bounce
N_CONTACT_ERP: Final = 6  # share of a penetration removed in one step
N_LIMIT_ERP: Final = 7  # the same for joint limits
N_FRICTION_CFM: Final = 8  # R of a sliding-friction row relative to that of the normal row
N_DAMPING: Final = 9  # 1: some body has linear or angular damping
N_LIMIT_DEPTH: Final = 10  # rad or m: limits crossed further than this are not corrected
N_FREE_FRICTION_CFM: Final = 11  # the same between bodies without joints
N_REPORT: Final = 12  # 1: the first sensor takes the report below
N_BALLS: Final = 13  # number of drives of ball joints
N_SPEED_LIMIT: Final = 14  # 1: some body has a speed limit
N_ANISOTROPY: Final = 15  # 1: some surface has a friction that depends on the direction
N_MOVING_SURFACES: Final = 16  # 1: xfrc_applied of a mocap body is its surface's velocity: linear
# at the centre of mass [m/s], then angular [rad/s], world frame
N_SLIPPING: Final = 17  # m/s: solve again until slipping is foreseen so well (see slipping); 0: no
# 1: friction points by the masses it stops (see friction_directions), or BOX
N_SLIP_BY_MASS: Final = 18
BOX: Final = 2.0  # each of two directions of friction has a limit of its own
N_EXCLUDES: Final = 19  # pairs of bodies that the contact filter excludes in place of MuJoCo
# 1: friction of joints is a share of what they carry (see joint_load_friction)
N_JOINT_LOADS: Final = 20
N_POINT_BY_POINT: Final = 21  # 1: pairs get new points of contact one by one (see manifolds)
# 1: what two surfaces make together is Bullet's (see contacts, surface_friction)
N_PAIRS: Final = 22
N_SLOP: Final = 23  # m: depth of a contact that is left as it is
N_PARTING_SPEED: Final = 24  # m/s: a penetration does not part bodies faster than this
N_JOINT_MOVES: Final = 25  # how often a step moves joints that friction holds (see joint_creep)
N_JOINT_ROUNDS: Final = 26  # how often it applies their friction
# 1: corrections leave no speed and do not wedge (see position_corrections)
N_CORRECTIONS: Final = 27
N_ISLAND_ORDER: Final = 28  # 1: MuJoCo eliminates in our order (see elimination_order)
NUMERIC_SIZE: Final = 29

# --- userdata: DRIVE_SIZE numbers a drive, then EQUALITY_SIZE numbers an equality, then BALL_SIZE
# numbers a ball drive in reverse order: ball drive k begins (k + 1) * BALL_SIZE before the end.
DRIVE_SIZE: Final = 8
D_MODE: Final = 0  # DriveMode
D_KP: Final = 1
D_KD: Final = 2
D_POSITION: Final = 3  # target, rad or m
D_VELOCITY: Final = 4  # target, rad/s or m/s
D_LIMIT: Final = 5  # maximum force, N or Nm
D_SPEED_LIMIT: Final = 6  # largest |desired velocity| of a motor, rad/s or m/s
# written by the callback for a drive of accelerations: 1 / (M^-1)_ii of its joint, kg m^2 or kg
D_INERTIA: Final = 6
D_ROW: Final = 7  # written by the callback: constraint row of this drive, -1 without one

EQUALITY_SIZE: Final = 14
E_LIMIT: Final = 0  # maximum force of one row, N; 0: no limit
E_ERP: Final = 1  # share of an error removed in one step; negative: MuJoCo's own reference
E_AXIS: Final = 2  # three numbers: axis in body 1 in which a weld is free; all 0: none
E_AUX: Final = 5  # 1 + joint that a gear turns relative to; 0: none
E_ROW: Final = 6  # written by the callback: first constraint row, -1 without one
E_SPRING: Final = 7  # 1: the rows are springs, with the six numbers below instead of E_ERP
E_STIFFNESS: Final = 8  # N/m or Nm/rad, towards a residual of zero; implicit
E_DAMPING: Final = 9  # Ns/m or Nms/rad; implicit
E_BOUND_STIFFNESS: Final = 10  # a further stiffness, of residuals outside of the bounds
E_LOWER: Final = 11  # the bounds
E_UPPER: Final = 12
E_FREE: Final = 13  # bit k: row k has no force
E_FRAME: Final = 8  # without a spring: quaternion of the constraint's frame in body 1; 0: any

BALL_SIZE: Final = 14
S_TARGET: Final = 0  # four numbers: quaternion (w, x, y, z) of the child in the joint frame
S_KP: Final = 4  # three numbers, one an axis of the child's inertial frame
S_DAMPING: Final = 7  # three: share of the velocity that a step takes away
S_LIMIT: Final = 10  # three: maximum torque, Nm
S_ROW: Final = 13  # written by the callback: first of three constraint rows, -1 without one

# --- geom_margin ---------------------------------------------------------------------------------
# MuJoCo's contacts act below their margin, Bullet's also at a distance of 0, where round numbers
# put bodies: half of the distance up to which shapes touch [m], above rounding and below all else.
TOUCH: Final = 1e-12

# --- geom_user, jnt_user, body_user ------------------------------------------------------------
GEOM_USER_SIZE: Final = 8
G_RESTITUTION: Final = 0
G_STIFFNESS: Final = 1  # N/m; 0: hard contact
G_DAMPING: Final = 2  # Ns/m, with a stiffness
G_ANISOTROPY: Final = 3  # three numbers: what friction along each axis of the link's inertial frame
# is more than its coefficient, as a share of it; 0: nothing, -1: there is none
G_JOINED: Final = 6  # 1: one of several shapes, or away from the inertial frame (pair_filter)
G_FARTHEST: Final = 7  # contacts at a distance of more than this less 1 have no force [m]; 0: all

JOINT_USER_SIZE: Final = 9
J_DAMPING: Final = 0  # Nms/rad: damping of the joint's friction row, implicit; 0: plain friction
J_BALL: Final = 1  # 1 + number of the drive of a ball joint; 0: it has none; less than 0: minus
# one less the number of the first of three drives, for the components of its rotation vector
J_AXIS: Final = 2  # length of the axis, where speeds count in it; 0: one
J_LOWER: Final = 3  # three: bounds of the components of a rotation vector, with three drives [rad]
J_UPPER: Final = 6

BODY_USER_SIZE: Final = 5
B_LINEAR_DAMPING: Final = 0
B_ANGULAR_DAMPING: Final = 1
B_QUADRATIC_DAMPING: Final = 2  # 1: the rates grow by the speed (Bullet); 0: constant (PhysX)
B_SPEED_LIMIT: Final = 3  # rad/s or m/s, of each coordinate; 0: none
B_TURN_LIMIT: Final = 4  # rad/s: the same for a free body, about the axes of the world


# --- sensordata: the report, REPORT_WRENCH numbers a body, then one a degree of freedom ----------
REPORT_WRENCH: Final = 6  # force [N], torque [Nm] of all contacts, at the centre of mass


class DriveMode(enum.IntEnum):
    """What a drive does with its row."""

    OFF = 0
    MOTOR = 1  # Bullet: reach kp*(q_target - q)/dt + v + kd*(v_target - v) at the end of the step
    PD = 2  # PhysX, Newton: implicit kp*(q_target - q) + kd*(v_target - v)
    ACCELERATION = 3  # PhysX: the same times the inertia that the joint moves


class FrictionRule(enum.IntEnum):
    """How the coefficients of two surfaces combine."""

    MULTIPLY = 0  # Bullet
    AVERAGE = 1  # PhysX
    MAXIMUM = 2  # MuJoCo
    MINIMUM = 3
