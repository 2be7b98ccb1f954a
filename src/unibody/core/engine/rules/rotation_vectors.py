"""Ball joints with three drives: PhysX's spherical joints.

Their coordinates are the components of the rotation vector, axis times angle, in the frame of the
joint, which PhysX drives and bounds one by one, each along its axis of the link. Velocities and
forces are MuJoCo's: those along the axes of the link.

A bound is the largest speed up to it: the row of the drive holds the component there, see
``speeds``. What its drive presses against a bound is held from the first solve on.
"""

from __future__ import annotations

from unibody.core.assets import transforms
from unibody.core.engine.records import rule_table as t
from unibody.machine_code.jit import inlined, rule
from unibody.machine_code.pointers import Pointer

AT_BOUND = 1e-3  # rad
_vector = rule(transforms.rotation_vector)


@inlined
def rotation_component(qpos: Pointer, at: int, axis: int) -> float:
    """One component of the rotation vector of the quaternion at ``qpos[at]`` [rad]."""
    return _vector((qpos[at], qpos[at + 1], qpos[at + 2], qpos[at + 3]))[axis]


@inlined
def beyond_bounds(joint_user: Pointer, joint: int, axis: int, position: float) -> float:
    """How far a component is above its upper bound, or, below zero, under its lower one [rad]."""
    bounds = joint * t.JOINT_USER_SIZE + axis
    above = position - joint_user[bounds + t.J_UPPER]
    below = position - joint_user[bounds + t.J_LOWER]
    return max(above, 0.0) + min(below, 0.0)


@inlined
def least_speed(
    joint_user: Pointer, joint: int, axis: int, position: float, erp: float, dt: float
) -> float:
    """The speed at which a component reaches its lower bound in a step, or returns to it."""
    over = joint_user[joint * t.JOINT_USER_SIZE + t.J_LOWER + axis] - position
    return over / dt if over < 0.0 else erp * over / dt


@inlined
def largest_speed(
    joint_user: Pointer, joint: int, axis: int, position: float, erp: float, dt: float
) -> float:
    """The same for the upper bound."""
    over = joint_user[joint * t.JOINT_USER_SIZE + t.J_UPPER + axis] - position
    return over / dt if over > 0.0 else erp * over / dt


@inlined
def pressed_side(
    joint_user: Pointer, joint: int, axis: int, position: float, rules: Pointer, base: int
) -> float:
    """1 if its drive presses a component against the upper bound, -1 against the lower one."""
    bounds = joint * t.JOINT_USER_SIZE + axis
    force = rules[base + t.D_KP] * (rules[base + t.D_POSITION] - position)
    force += rules[base + t.D_KD] * rules[base + t.D_VELOCITY]
    if force > 0.0 and position > joint_user[bounds + t.J_UPPER] - AT_BOUND:
        return 1.0
    if force < 0.0 and position < joint_user[bounds + t.J_LOWER] + AT_BOUND:
        return -1.0
    return 0.0
