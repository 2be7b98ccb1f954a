"""The robots whose motions are compared, and how they are driven."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import pybullet

from tests.support.duo import GRAVITY, connected

STEPS = 240


@dataclass(frozen=True)
class Robot:
    """A robot in its start pose.

    Attributes:
        file: Its URDF.
        start: Joint positions, repeated over the moving joints; those out of limits move inside.
        height: Height of the base [m].
        fixed: The base is held.
        grounded: There is a plane under it.
    """

    file: str
    start: tuple[float, ...]
    height: float = 0.0
    fixed: bool = False
    grounded: bool = False

    def load(self, p: Any) -> tuple[int, list[int]]:
        """Load it, and return the body and its moving joints."""
        p.setGravity(0, 0, -GRAVITY)
        if self.grounded:
            p.loadURDF("plane.urdf")
        body = p.loadURDF(self.file, (0, 0, self.height), useFixedBase=self.fixed)
        joints = [j for j in range(p.getNumJoints(body)) if p.getJointInfo(body, j)[2] in (0, 1)]
        for number, joint in enumerate(joints):
            p.resetJointState(body, joint, self.position(p, body, joint, number, 0.0))
        return body, joints

    def position(self, p: Any, body: int, joint: int, number: int, offset: float) -> float:
        """The start position of a joint, moved by an offset, kept off the limits."""
        lower, upper = p.getJointInfo(body, joint)[8:10]
        wanted = self.start[number % len(self.start)] + offset
        if lower > upper:
            return wanted
        inset = 0.03 * (upper - lower)
        return min(max(wanted, lower + inset), upper - inset)


KUKA = Robot("kuka_iiwa/model.urdf", (0.1, 0.4, -0.2, -1.2, 0.3, 0.8, 0.1), fixed=True)
PANDA = Robot("franka_panda/panda.urdf", (0.1, 0.3, -0.2, -1.9, 0.2, 1.7, 0.5, 0.02), fixed=True)
A1 = Robot("a1/a1.urdf", (0.0, 0.8, -1.6), height=1.0)
A1_STANDING = Robot("a1/a1.urdf", (0.0, 0.8, -1.6), height=0.3, grounded=True)
R2D2 = Robot("r2d2.urdf", (0.05,), height=1.0)
R2D2_STANDING = Robot("r2d2.urdf", (0.0,), height=0.5, grounded=True)


@cache
def joint_inertia(robot: Robot) -> tuple[float, ...]:
    """What a torque on one joint alone has to accelerate in the start pose, by joint.

    The reciprocal diagonal of the inverse mass matrix, from PyBullet; it scales torques and gains.
    """
    with connected(pybullet) as p:
        body, joints = robot.load(p)
        positions = [p.getJointState(body, j)[0] for j in joints]
        matrix = np.array(p.calculateMassMatrix(body, positions))
    inverse = np.diag(np.linalg.inv(matrix))
    return tuple((1.0 / inverse[-len(joints) :]).tolist())


def joint_row(p: Any, body: int, joints: list[int]) -> list[float]:
    """Positions, then velocities, then motor torques."""
    states = p.getJointStates(body, joints)
    return [state[field] for field in (0, 1, 3) for state in states]


def alternating(number: int) -> float:
    """+1, -1, +1, ..."""
    return 1.0 - 2.0 * (number % 2)


def position_control(robot: Robot, force: float) -> Any:
    """Every joint goes to a place 0.3 rad away, with at most a force."""

    def script(p: Any) -> list[list[float]]:
        body, joints = robot.load(p)
        for number, joint in enumerate(joints):
            target = robot.position(p, body, joint, number, 0.3 * alternating(number))
            p.setJointMotorControl2(
                body, joint, p.POSITION_CONTROL, targetPosition=target, force=force
            )
        return _run(p, body, joints)

    return script


def velocity_control(robot: Robot, force: float) -> Any:
    """Every joint turns at 0.317 rad/s, with at most a force.

    The speed is no round number: where a joint meets its limit, no step ends exactly on it.
    """

    def script(p: Any) -> list[list[float]]:
        body, joints = robot.load(p)
        for number, joint in enumerate(joints):
            speed = 0.317 * alternating(number)
            p.setJointMotorControl2(
                body, joint, p.VELOCITY_CONTROL, targetVelocity=speed, force=force
            )
        return _run(p, body, joints)

    return script


def torque_control(robot: Robot, acceleration: float) -> Any:
    """Torques swing; their size is that of an acceleration of each joint alone [rad/s^2]."""
    inertia = joint_inertia(robot)

    def script(p: Any) -> list[list[float]]:
        body, joints = robot.load(p)
        _release(p, body, joints)
        rows: list[list[float]] = []
        for step in range(STEPS):
            for number, joint in enumerate(joints):
                torque = inertia[number] * acceleration * math.sin(0.05 * step + number)
                p.setJointMotorControl2(body, joint, p.TORQUE_CONTROL, force=torque)
            p.stepSimulation()
            rows.append(joint_row(p, body, joints))
        return rows

    return script


def pd_control(robot: Robot, limit: float) -> Any:
    """The script's own PD law, critically damped at 10 rad/s, torque limited to a share of need.

    Args:
        robot: The robot.
        limit: Largest torque, as an acceleration of each joint alone [rad/s^2].
    """
    inertia = joint_inertia(robot)

    def script(p: Any) -> list[list[float]]:
        body, joints = robot.load(p)
        _release(p, body, joints)
        targets = [
            robot.position(p, body, joint, number, 0.3 * alternating(number))
            for number, joint in enumerate(joints)
        ]
        rows: list[list[float]] = []
        for _ in range(STEPS):
            for number, joint in enumerate(joints):
                position, velocity = p.getJointState(body, joint)[:2]
                wanted = 100.0 * (targets[number] - position) - 20.0 * velocity
                torque = inertia[number] * min(max(wanted, -limit), limit)
                p.setJointMotorControl2(body, joint, p.TORQUE_CONTROL, force=torque)
            p.stepSimulation()
            rows.append(joint_row(p, body, joints))
        return rows

    return script


def _release(p: Any, body: int, joints: list[int]) -> None:
    """Motors off, and no joint damping: Bullet's explicit damping diverges on the arms' wrists."""
    for joint in joints:
        p.changeDynamics(body, joint, jointDamping=0)
        p.setJointMotorControl2(body, joint, p.VELOCITY_CONTROL, force=0)


def _run(p: Any, body: int, joints: list[int]) -> list[list[float]]:
    rows: list[list[float]] = []
    for _ in range(STEPS):
        p.stepSimulation()
        rows.append(joint_row(p, body, joints))
    return rows
