"""Joint motors: position, velocity and torque control."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from unibody.bullet import constants as c
from unibody.bullet.arguments.vectors import joint_indices
from unibody.bullet.clients.registry import clients, get_body
from unibody.bullet.errors import error
from unibody.bullet.handles.body import Body
from unibody.bullet.joints.multidof import BallJoint, add_torques, is_ball, sizes
from unibody.bullet.joints.pd_control import PdControl, control_pd
from unibody.core.engine.records.rule_table import DriveMode
from unibody.machine_code.calls.argument_forms import Form

_MOTOR = int(DriveMode.MOTOR)
_MODES = frozenset({c.POSITION_CONTROL, c.VELOCITY_CONTROL, c.TORQUE_CONTROL, c.PD_CONTROL})
_POSITION, _VELOCITY = c.POSITION_CONTROL, c.VELOCITY_CONTROL
_TORQUE, _ARRAY = c.TORQUE_CONTROL, np.ndarray
_FORCE = 100000.0  # N or Nm
_UNLIMITED = math.inf
_NO_JOINT = "Joint index out-of-range."
_NO_MODE = "Illegal control mode."
_AXES = 3  # of a spherical joint
_LENGTHS = "number of {} should match the number of joint indices"  # as PyBullet spells it
_MISSING: Any = object()  # required arguments stand behind one that has an older name


def setJointMotorControl2(
    bodyUniqueId: int = _MISSING,
    jointIndex: int = _MISSING,
    controlMode: int = _MISSING,
    targetPosition: float = 0.0,
    targetVelocity: float = 0.0,
    force: float = _FORCE,
    positionGain: float = 0.1,
    velocityGain: float = 1.0,
    maxVelocity: float = -1.0,
    physicsClientId: int = 0,
    *,
    bodyIndex: int | None = None,
) -> None:
    """Control one joint; a motor stays as set until the next call for this joint.

    ``POSITION_CONTROL`` and ``VELOCITY_CONTROL`` reach for the velocity
    ``positionGain*(targetPosition - q)/dt + v + velocityGain*(targetVelocity - v)`` at the end of
    the step with at most ``force`` [N or Nm]. ``TORQUE_CONTROL`` adds ``force`` for the next step
    only. ``PD_CONTROL`` adds ``positionGain*(targetPosition - q) + velocityGain*(targetVelocity -
    v)``, at most ``force``, at the beginning of every step, whatever the motor does, until it is
    called with no force. ``maxVelocity`` [rad/s or m/s] bounds the velocity of position control,
    until the next call with ``VELOCITY_CONTROL``.

    Joints with several axes: see setJointMotorControlMultiDof. What is given here counts for all
    axes of a spherical joint but ``targetPosition``, which is the x of its target.

    Raises:
        error: No such joint, or an unknown mode; STABLE_PD_CONTROL is one of
            setJointMotorControlMultiDofArray only.
    """
    if bodyIndex is not None or bodyUniqueId is _MISSING:
        bodyUniqueId = _either(bodyUniqueId, bodyIndex)
    if jointIndex is _MISSING:
        _require(jointIndex=jointIndex, controlMode=controlMode)
    try:
        body = clients[physicsClientId].bodies[bodyUniqueId]
    except (KeyError, TypeError):
        body = get_body(bodyUniqueId, physicsClientId, _NO_JOINT)
    if not 0 <= jointIndex < body.joint_count:
        raise error(_NO_JOINT)
    if body.drive_of_joint[jointIndex] < 0:
        _control_other_joint(body, jointIndex, controlMode, targetPosition, positionGain, force)
    elif controlMode == _POSITION:
        lower, upper = body.limits[jointIndex]
        if targetPosition < lower <= upper:
            targetPosition = lower
        elif targetPosition > upper >= lower:
            targetPosition = upper
        cap = maxVelocity if maxVelocity > 0.0 else None  # a limit given before stays
        body.set_drive(
            jointIndex, _MOTOR, positionGain, velocityGain, targetPosition, targetVelocity, force,
            cap,
        )  # fmt: skip
    elif controlMode == _VELOCITY:
        body.set_drive(
            jointIndex, _MOTOR, 0.0, velocityGain, 0.0, targetVelocity, force, _UNLIMITED
        )
    elif controlMode == _TORQUE:
        body.add_torque(jointIndex, force)
    else:
        pd = PdControl(targetPosition, targetVelocity, positionGain, velocityGain, force)
        _other_mode(body, jointIndex, controlMode, pd)


_TOLD = (
    "jointIndex", "controlMode", "targetPosition", "targetVelocity", "force", "positionGain",
    "velocityGain", "maxVelocity",
)  # fmt: skip
FORMS = tuple(
    Form(Body.tell_motor, _TOLD, finds=("physicsClientId", name))
    for name in ("bodyUniqueId", "bodyIndex")
)


def _other_mode(body: Body, joint: int, mode: int, control: PdControl) -> None:
    if mode is _MISSING:
        raise TypeError("function missing required argument 'controlMode' (pos 3)")
    if mode == c.TORQUE_CONTROL:
        body.add_torque(joint, control.limit)
    elif mode == c.PD_CONTROL:
        target = clamped(body, joint, control.position)
        control_pd(body, joint, control._replace(position=target))
    else:
        raise error(_NO_MODE)


def _control_other_joint(
    body: Body, joint: int, mode: int, position: float, kp: float, force: float
) -> None:
    """Control a joint that has not exactly one axis."""
    if mode not in _MODES:
        raise error(_NO_MODE)
    shown = sizes(body, joint)[1]
    if mode == c.TORQUE_CONTROL and shown:
        add_torques(body, joint, (force, *(0.0,) * (shown - 1)))
    elif mode == c.POSITION_CONTROL and is_ball(body, joint):
        ball = BallJoint(body, joint)
        (body.braked_balls.discard if force else body.braked_balls.add)(joint)
        target = (position, *ball.target[1:])
        ball.set_motor(target, (kp,) * _AXES, (1.0,) * _AXES, (force,) * _AXES)


def setJointMotorControlArray(
    bodyUniqueId: int = _MISSING,
    jointIndices: Sequence[int] = _MISSING,
    controlMode: int = _MISSING,
    targetPositions: Sequence[float] | None = None,
    targetVelocities: Sequence[float] | None = None,
    forces: Sequence[float] | None = None,
    positionGains: Sequence[float] | None = None,
    velocityGains: Sequence[float] | None = None,
    physicsClientId: int = 0,
    *,
    bodyIndex: int | None = None,
) -> None:
    """Control several joints at once; see setJointMotorControl2.

    Raises:
        error: A joint out of range, an unknown mode, or lists of different lengths; then no
            joint is changed.
    """
    if jointIndices.__class__ is _ARRAY:
        jointIndices = jointIndices.tolist()  # pyright: ignore[reportAttributeAccessIssue]
    if forces.__class__ is _ARRAY and controlMode != _TORQUE:
        forces = forces.tolist()  # pyright: ignore[reportOptionalMemberAccess, reportAttributeAccessIssue]
    settings = (jointIndices, controlMode, forces, positionGains, velocityGains)
    only_torques = controlMode == _TORQUE and positionGains is velocityGains is None
    only_torques = only_torques and targetPositions is targetVelocities is None
    try:
        body = clients[physicsClientId].bodies[bodyUniqueId]
        if only_torques:
            if body.add_torques(jointIndices, forces):
                return
        elif body.renew_targets(settings, targetPositions, targetVelocities):
            return
    except (KeyError, TypeError, ValueError):
        pass  # an older name, arrays of gains, or a mistake that is told below
    bodyUniqueId = _either(bodyUniqueId, bodyIndex)
    _require(jointIndices=jointIndices, controlMode=controlMode)
    body = get_body(bodyUniqueId, physicsClientId, _NO_JOINT)
    joints = tuple(joint_indices(jointIndices))
    count = len(joints)
    if any(not 0 <= joint < body.joint_count for joint in joints):
        raise error(_NO_JOINT)
    positions = _list(targetPositions, count, 0.0, _LENGTHS.format("target positions"))
    velocities = _list(targetVelocities, count, 0.0, _LENGTHS.format("target velocies"))
    if controlMode == c.VELOCITY_CONTROL:
        positions = [0.0] * count
    if controlMode not in _MODES:
        raise error(_NO_MODE)
    limits = _list(forces, count, _FORCE, "number of forces should match the joint indices")
    kps = _list(positionGains, count, 0.1, "number of kps should match the joint indices")
    kds = _list(velocityGains, count, 1.0, _LENGTHS.format("kds"))
    for i, joint in enumerate(joints):
        pd = PdControl(positions[i], velocities[i], kps[i], kds[i], limits[i])
        _control_joint(body, joint, controlMode, pd)
    if only_torques:
        body.remember_torques(joints, _copied(jointIndices))
    if controlMode in (c.POSITION_CONTROL, c.VELOCITY_CONTROL):
        body.remember_motors(joints, tuple(map(_copied, settings)), controlMode)


def _control_joint(body: Body, joint: int, mode: int, control: PdControl) -> None:
    position, velocity, kp, kd, limit = control
    if body.drive_of_joint[joint] < 0:
        _control_other_joint(body, joint, mode, position, kp, limit)
    elif mode == c.POSITION_CONTROL:
        target = clamped(body, joint, position)
        body.set_drive(joint, _MOTOR, kp, kd, target, velocity, limit, None)
    elif mode == c.VELOCITY_CONTROL:
        body.set_drive(joint, _MOTOR, 0.0, kd, 0.0, velocity, limit, _UNLIMITED)
    else:
        _other_mode(body, joint, mode, control)


def _copied(value: Any) -> Any:
    """A copy that equals an argument as long as that is not changed."""
    if isinstance(value, (tuple, range)) or not hasattr(value, "__len__"):
        return value
    return list(value)


def clamped(body: Body, joint: int, target: float) -> float:
    """A target position within the limits of a joint."""
    lower, upper = body.limits[joint]
    return min(max(target, lower), upper) if lower <= upper else target


def _either(body_id: int, older_name: int | None) -> int:
    """The body id, under its name or under its older name ``bodyIndex``."""
    if older_name is not None:
        return older_name
    if body_id is _MISSING:
        raise TypeError("function missing required argument 'bodyUniqueId' (pos 1)")
    return body_id


def _require(**given: Any) -> None:
    """Refuse arguments that stand behind one with two names, and are missing."""
    for position, (name, value) in enumerate(given.items(), 2):
        if value is _MISSING:
            raise TypeError(f"function missing required argument '{name}' (pos {position})")


def _list(values: Any, count: int, default: float, message: str) -> Sequence[float]:
    if values is None:
        return [default] * count
    try:
        if len(values) != count:
            raise error(message)
    except TypeError:
        raise error(message) from None
    return values if isinstance(values, (list, tuple)) else [float(value) for value in values]
