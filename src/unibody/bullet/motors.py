"""Joint motors: position, velocity and torque control."""

from __future__ import annotations

import math
from collections.abc import Sequence

from unibody.bullet import constants as c
from unibody.bullet.client import get_body
from unibody.bullet.errors import error
from unibody.bullet.handles import Body
from unibody.core.engine.rows.table import DriveMode
from unibody.errors import NotSupportedError

_MOTOR = int(DriveMode.MOTOR)
_MODES = frozenset({c.POSITION_CONTROL, c.VELOCITY_CONTROL, c.TORQUE_CONTROL, c.PD_CONTROL})
_FORCE = 100000.0  # N or Nm
_UNLIMITED = math.inf


def setJointMotorControl2(
    bodyUniqueId: int,
    jointIndex: int,
    controlMode: int,
    targetPosition: float = 0.0,
    targetVelocity: float = 0.0,
    force: float = _FORCE,
    positionGain: float = 0.1,
    velocityGain: float = 1.0,
    maxVelocity: float = -1.0,
    physicsClientId: int = 0,
) -> None:
    """Control one joint; a motor stays as set until the next call for this joint.

    ``POSITION_CONTROL`` and ``VELOCITY_CONTROL`` reach for the velocity
    ``positionGain*(targetPosition - q)/dt + v + velocityGain*(targetVelocity - v)`` at the end of
    the step with at most ``force`` [N or Nm]. ``TORQUE_CONTROL`` adds ``force`` for the next step
    only. ``maxVelocity`` [rad/s or m/s] bounds the velocity of position control.

    Raises:
        error: No such joint, or an unknown mode.
        NotSupportedError: ``PD_CONTROL``.
    """
    body = get_body(bodyUniqueId, physicsClientId, "Joint index out-of-range.")
    if not 0 <= jointIndex < body.joint_count:
        raise error("Joint index out-of-range.")
    if controlMode == c.POSITION_CONTROL:
        lower, upper = body.limits[jointIndex]
        if lower <= upper:
            targetPosition = min(max(targetPosition, lower), upper)
        cap = maxVelocity if maxVelocity > 0.0 else _UNLIMITED
        body.set_drive(
            jointIndex, _MOTOR, positionGain, velocityGain, targetPosition, targetVelocity, force,
            cap,
        )  # fmt: skip
    elif controlMode == c.VELOCITY_CONTROL:
        body.set_drive(
            jointIndex, _MOTOR, 0.0, velocityGain, 0.0, targetVelocity, force, _UNLIMITED
        )
    else:
        _other_mode(body, jointIndex, controlMode, force)


def _other_mode(body: Body, joint: int, mode: int, force: float) -> None:
    if mode == c.TORQUE_CONTROL:
        body.add_torque(joint, force)
    elif mode in (c.PD_CONTROL, c.STABLE_PD_CONTROL):
        raise NotSupportedError(
            f"controlMode={mode} (PD control)", "use POSITION_CONTROL, or TORQUE_CONTROL with your own gains"
        )
    else:
        raise error("Illegal control mode.")


def setJointMotorControlArray(
    bodyUniqueId: int,
    jointIndices: Sequence[int],
    controlMode: int,
    targetPositions: Sequence[float] | None = None,
    targetVelocities: Sequence[float] | None = None,
    forces: Sequence[float] | None = None,
    positionGains: Sequence[float] | None = None,
    velocityGains: Sequence[float] | None = None,
    physicsClientId: int = 0,
) -> None:
    """Control several joints at once; see setJointMotorControl2.

    Raises:
        error: A joint out of range, an unknown mode, or lists of different lengths; then no
            joint is changed.
    """
    body = get_body(bodyUniqueId, physicsClientId, "Joint index out-of-range.")
    joints = [int(joint) for joint in jointIndices]
    count = len(joints)
    if controlMode not in _MODES:
        raise error("Illegal control mode.")
    if any(not 0 <= joint < body.joint_count for joint in joints):
        raise error("Joint index out-of-range.")
    positions = _list(targetPositions, count, 0.0, "target positions")
    velocities = _list(targetVelocities, count, 0.0, "target velocities")
    limits = _list(forces, count, _FORCE, "forces")
    kps = _list(positionGains, count, 0.1, "kps")
    kds = _list(velocityGains, count, 1.0, "kds")
    if controlMode == c.POSITION_CONTROL:
        for i, joint in enumerate(joints):
            lower, upper = body.limits[joint]
            position = positions[i]
            if lower <= upper:
                position = min(max(position, lower), upper)
            body.set_drive(
                joint, _MOTOR, kps[i], kds[i], position, velocities[i], limits[i], _UNLIMITED
            )
    elif controlMode == c.VELOCITY_CONTROL:
        for i, joint in enumerate(joints):
            body.set_drive(
                joint, _MOTOR, 0.0, kds[i], 0.0, velocities[i], limits[i], _UNLIMITED
            )
    else:
        for i, joint in enumerate(joints):
            _other_mode(body, joint, controlMode, limits[i])


def _list(values: Sequence[float] | None, count: int, default: float, what: str) -> list[float]:
    if values is None:
        return [default] * count
    if len(values) != count:
        raise error(f"number of {what} should match the number of joint indices")
    return [float(value) for value in values]

