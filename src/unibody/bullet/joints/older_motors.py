"""setJointMotorControl, which setJointMotorControl2 has replaced."""

from __future__ import annotations

from operator import index

from unibody.bullet import constants as c
from unibody.bullet.clients.registry import get_client
from unibody.bullet.errors import error
from unibody.bullet.joints.motors import setJointMotorControl2

_WRONG = "Error parsing arguments in setJointControl."
_PARTS = "Error parsing arguments"
_FORCE, _KP, _KD = 100000.0, 0.1, 1.0  # where none is given
_SIZES = range(4, 7)  # body, joint, mode and target; maximum force; gain
_FULL = 8  # body, joint, position control, position, velocity, maximum force, two gains


def setJointMotorControl(*arguments: float) -> None:
    """Control a joint of client 0: an older form of setJointMotorControl2, without names.

    Arguments are body, joint, mode and target, for position and velocity control also the largest
    force [N or Nm] and the gain; or body, joint, ``POSITION_CONTROL``, target position, target
    velocity, largest force, position gain and velocity gain.

    Raises:
        error: Another number of arguments, no such joint, or another mode.
    """
    get_client(0)
    if len(arguments) not in _SIZES and len(arguments) != _FULL:
        raise error(_WRONG)
    try:
        body, joint, mode = (index(number) for number in arguments[:3])  # type: ignore[arg-type]
        numbers = [float(number) for number in arguments[3:]]
    except (TypeError, ValueError):
        raise error(_PARTS) from None
    if len(arguments) == _FULL:
        _set_all(body, joint, mode, numbers)
        return
    target, *more = numbers
    force, kp, kd = more[0] if more else _FORCE, _KP, _KD
    if mode == c.POSITION_CONTROL:
        kp = more[1] if len(more) == 2 else kp
        setJointMotorControl2(body, joint, mode, target, 0.0, force, kp, kd)
    elif mode == c.VELOCITY_CONTROL:
        kd = more[1] if len(more) == 2 else kd
        setJointMotorControl2(body, joint, mode, 0.0, target, force, kp, kd)
    elif mode == c.TORQUE_CONTROL and not more:
        setJointMotorControl2(body, joint, mode, force=target)
    else:
        raise error(_WRONG)


def _set_all(body: int, joint: int, mode: int, numbers: list[float]) -> None:
    position, velocity, force, kp, kd = numbers
    if mode == c.POSITION_CONTROL:
        setJointMotorControl2(body, joint, mode, position, velocity, force, kp, kd)
    elif mode == c.VELOCITY_CONTROL:
        setJointMotorControl2(body, joint, mode, 0.0, velocity, force, kp, kd)
    elif mode == c.TORQUE_CONTROL:
        setJointMotorControl2(body, joint, mode, force=0.0)  # this form has no place for a torque
    else:
        raise error("Illegal control mode.")
