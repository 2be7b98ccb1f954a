"""Stable PD control: torques that take the end of the step into account.

After J. Tan, K. Liu, G. Turk, "Stable Proportional-Derivative Controllers", 2011.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

_BASE = 7  # numbers of a pose; also of a velocity, where the last one is padding
_QUATERNION = 4


def _torques(
    errors: NDArray[np.float64],
    speed_errors: NDArray[np.float64],
    kps: Sequence[float],
    kds: Sequence[float],
    mass: Any,
    bias: Any,
    limits: Sequence[float],
    time_step: float,
) -> NDArray[np.float64]:
    """The torques of the control law, within their limits."""
    stiffness = np.asarray(kps) * errors
    damping = np.asarray(kds)
    push = stiffness + damping * speed_errors
    system = np.asarray(mass) + np.diagflat(damping) * time_step
    acceleration = np.linalg.solve(system, push - np.asarray(bias))
    torques = push - damping * acceleration * time_step
    bound = np.asarray(limits)
    return np.clip(torques, -bound, bound)


class PDControllerStableMultiDof:
    """For a free base and joints of one or three degrees of freedom.

    Args:
        pb: The API, or a BulletClient.
    """

    def __init__(self, pb: Any) -> None:
        self._pb = pb

    def computeAngVel(
        self, ornStart: Any, ornEnd: Any, deltaTime: float, bullet_client: Any
    ) -> list[float]:
        """Angular velocity that leads from one orientation to another, in the world [rad/s]."""
        turn = bullet_client.getDifferenceQuaternion(ornStart, ornEnd)
        axis, angle = bullet_client.getAxisAngleFromQuaternion(turn)
        return [component * angle / deltaTime for component in axis]

    def quatMul(self, q1: Any, q2: Any) -> list[float]:
        """The product of two quaternions (x, y, z, w)."""
        x1, y1, z1, w1 = q1
        x2, y2, z2, w2 = q2
        return [
            w1 * x2 + x1 * w2 + y1 * z2 - z1 * y2,
            w1 * y2 + y1 * w2 + z1 * x2 - x1 * z2,
            w1 * z2 + z1 * w2 + x1 * y2 - y1 * x2,
            w1 * w2 - x1 * x2 - y1 * y2 - z1 * z2,
        ]

    def computeAngVelRel(
        self, ornStart: Any, ornEnd: Any, deltaTime: float, bullet_client: Any
    ) -> list[float]:
        """As `computeAngVel`, in the frame of the first orientation."""
        x, y, z, w = ornStart
        turn = self.quatMul((-x, -y, -z, w), ornEnd)
        axis, angle = bullet_client.getAxisAngleFromQuaternion(turn)
        return [component * angle / deltaTime for component in axis]

    def computePD(
        self,
        bodyUniqueId: int,
        jointIndices: Sequence[int],
        desiredPositions: Sequence[float],
        desiredVelocities: Sequence[float],
        kps: Sequence[float],
        kds: Sequence[float],
        maxForces: Sequence[float],
        timeStep: float,
    ) -> NDArray[np.float64]:
        """Torques for a step.

        Numbers come as seven for the base (position and orientation; velocities and a zero), then
        one a revolute or prismatic joint and four a spherical one.
        """
        pos, quat = self._pb.getBasePositionAndOrientation(bodyUniqueId)
        linear, angular = self._pb.getBaseVelocity(bodyUniqueId)
        q, speeds = [*pos, *quat], [*linear, *angular, 0.0]
        errors = [wanted - now for wanted, now in zip(desiredPositions[:3], pos, strict=True)]
        errors += [0.0, 0.0, 0.0, 0.0]  # the base is not turned
        at = _BASE
        for state in self._pb.getJointStatesMultiDof(bodyUniqueId, jointIndices):
            position, velocity = state[0], state[1]
            q += position
            if len(position) == 1:
                errors.append(desiredPositions[at] - position[0])
                speeds += velocity
            elif len(position) == _QUATERNION:
                wanted = desiredPositions[at : at + _QUATERNION]
                errors += [*self.computeAngVelRel(position, wanted, 1, self._pb), 0.0]
                speeds += [*velocity[:3], 0.0]
            at += len(position)
        still = [0.0] * len(speeds)
        mass = self._pb.calculateMassMatrix(bodyUniqueId, q, flags=1)
        bias = self._pb.calculateInverseDynamics(bodyUniqueId, q, speeds, still, flags=1)
        return _torques(
            np.array(errors), np.asarray(desiredVelocities) - speeds, kps, kds, mass, bias,
            maxForces, timeStep,
        )  # fmt: skip


class PDControllerStable:
    """For a body whose joints have one degree of freedom each.

    Args:
        pb: The API, or a BulletClient.
    """

    def __init__(self, pb: Any) -> None:
        self._pb = pb

    def computePD(
        self,
        bodyUniqueId: int,
        jointIndices: Sequence[int],
        desiredPositions: Sequence[float],
        desiredVelocities: Sequence[float],
        kps: Sequence[float],
        kds: Sequence[float],
        maxForces: Sequence[float],
        timeStep: float,
    ) -> NDArray[np.float64]:
        """Torques for a step.

        A body whose base is free comes with its pose (seven numbers) in front of the joint
        positions, and six numbers in front of velocities, gains and limits.
        """
        q: list[float] = []
        speeds: list[float] = []
        errors: list[float] = []
        if self._pb.getDynamicsInfo(bodyUniqueId, -1)[0] > 0:
            pos, quat = self._pb.getBasePositionAndOrientation(bodyUniqueId)
            q, speeds = [*pos, *quat], [0.0] * 6
            errors = [wanted - now for wanted, now in zip(desiredPositions[:3], pos, strict=True)]
            errors += [0.0, 0.0, 0.0]  # the base is not turned
        for state in self._pb.getJointStates(bodyUniqueId, jointIndices):
            errors.append(desiredPositions[len(q)] - state[0])
            q.append(state[0])
            speeds.append(state[1])
        still = [0.0] * len(speeds)
        mass = self._pb.calculateMassMatrix(bodyUniqueId, q)
        bias = self._pb.calculateInverseDynamics(bodyUniqueId, q, speeds, still)
        return _torques(
            np.array(errors), np.subtract(desiredVelocities, speeds), kps, kds, mass, bias,
            maxForces, timeStep,
        )  # fmt: skip
