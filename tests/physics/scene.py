"""A busy scene whose states can be compared bit by bit; run as a program it prints their hash."""

from __future__ import annotations

import hashlib
import struct
from typing import Any

import unibody.bullet
from tests.support.duo import GRAVITY, box, connected, ground, sphere


class Busy:
    """Robots on motors, falling bodies, a constraint, contacts everywhere."""

    def __init__(self, p: Any) -> None:
        self.p = p
        p.setGravity(0, 0, -GRAVITY)
        ground(p)
        self.arm = p.loadURDF("kuka_iiwa/model.urdf", useFixedBase=True)
        self.dog = p.loadURDF("a1/a1.urdf", (1, 0, 0.4))
        self.bodies = [box(p, (0.05 * n, 0.7, 0.2 + 0.25 * n)) for n in range(6)]
        self.bodies += [sphere(p, (0.03 * n, 1.0, 0.2 + 0.25 * n)) for n in range(4)]
        p.createConstraint(
            self.bodies[0], -1, self.bodies[-1], -1, p.JOINT_POINT2POINT,
            (0, 0, 0), (0, 0, 0.15), (0, 0, -0.15),
        )  # fmt: skip
        self.count = 0

    def step(self, steps: int) -> None:
        """Advance, with targets that change at every step."""
        p = self.p
        for _ in range(steps):
            self.count += 1
            for joint in range(7):
                p.setJointMotorControl2(
                    self.arm,
                    joint,
                    p.POSITION_CONTROL,
                    targetPosition=0.002 * self.count,
                    force=150,
                )
            p.applyExternalForce(self.dog, 2, (1, 2, 3), (0, 0, 0), p.LINK_FRAME)
            p.stepSimulation()

    def state(self) -> bytes:
        """Everything a script can see of the motion, as bytes."""
        p = self.p
        numbers: list[float] = []
        for body in (self.arm, self.dog, *self.bodies):
            for part in (p.getBasePositionAndOrientation(body), p.getBaseVelocity(body)):
                numbers += [*part[0], *part[1]]
            for state in p.getJointStates(body, range(p.getNumJoints(body))):
                numbers += [state[0], state[1], state[3]]
        return struct.pack(f"{len(numbers)}d", *numbers)


if __name__ == "__main__":
    with connected(unibody.bullet) as module:
        busy = Busy(module)
        busy.step(200)
        print(hashlib.sha256(busy.state()).hexdigest())
