"""Built-in plugins whose work is done by functions of the API or not needed at all."""

from __future__ import annotations

from unibody.bullet import constants as c
from unibody.bullet.joints.motors import setJointMotorControl2
from unibody.bullet.plugins.base import Plugin

_SET, _REMOVE = 1, 2
_DONE = 42  # what PyBullet's plugin returns


class PdControl(Plugin):
    """``pdControlPlugin``: PD_CONTROL of one joint.

    Commands are ``[1, body, joint]`` with ``[position, velocity, kd, kp, maximum force]``, and
    ``[2, body, joint]`` to end it. ``setJointMotorControl2(..., PD_CONTROL, ...)`` is the same.
    """

    def execute(self, text: str, ints: tuple[int, ...], floats: tuple[float, ...]) -> int:
        """Begin or end the control of a joint; -1 for any other command."""
        if len(ints) != 3 or ints[0] not in (_SET, _REMOVE):
            return -1
        _, body, joint = ints
        position, velocity, kd, kp, limit = (0.0,) * 5
        if ints[0] == _SET:
            if len(floats) < 5:
                return -1
            position, velocity, kd, kp, limit = floats[:5]
        setJointMotorControl2(
            body, joint, c.PD_CONTROL, targetPosition=position, targetVelocity=velocity,
            force=limit, positionGain=kp, velocityGain=kd, physicsClientId=self.client_id,
        )  # fmt: skip
        return _DONE


class CollisionFilter(Plugin):
    """``collisionFilterPlugin``: is always active, as in PyBullet, and has no commands."""

    def execute(self, text: str, ints: tuple[int, ...], floats: tuple[float, ...]) -> int:
        """Nothing."""
        return 0


class Renderer(Plugin):
    """A renderer of PyBullet's: cameras draw without one."""
