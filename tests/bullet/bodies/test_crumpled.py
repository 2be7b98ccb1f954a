"""Large robots whose links press against one another."""

from __future__ import annotations

import math
import random
from typing import Any

import pybullet_data

import unibody.bullet as ub
from tests.bullet.paired import connected

SCALE = 0.25


def _crumple(p: Any, robot: int, draw: random.Random) -> None:
    for joint in range(p.getNumJoints(robot)):
        kind = p.getJointInfo(robot, joint)[2]
        if kind == p.JOINT_SPHERICAL:
            goal = [draw.random() for _ in range(3)] + [0.5]
            p.setJointMotorControlMultiDof(
                robot, joint, p.POSITION_CONTROL, targetPosition=goal, force=[100] * 3
            )
        elif kind == p.JOINT_REVOLUTE:
            p.setJointMotorControl2(
                robot, joint, p.POSITION_CONTROL, draw.uniform(-2, 2), force=100
            )


def test_robots_that_are_crumpled_up_lie_on_the_ground() -> None:
    """Two of 43 degrees of freedom each, whose motors turn their joints anyhow."""
    draw = random.Random(1)
    with connected(ub) as p:
        p.setAdditionalSearchPath(pybullet_data.getDataPath())
        p.setGravity(0, -9.8, 0)
        p.loadURDF("plane.urdf", baseOrientation=p.getQuaternionFromEuler((-math.pi / 2, 0, 0)))
        robots = [
            p.loadURDF(
                "humanoid/humanoid.urdf", (0, 0.9 + i, 0), globalScaling=SCALE,
                flags=p.URDF_USE_SELF_COLLISION,
            )
            for i in range(2)
        ]  # fmt: skip
        for robot in robots:
            _crumple(p, robot, draw)
        pressed = 0
        for _ in range(400):
            p.stepSimulation()
            pressed += sum(len(p.getContactPoints(robot, robot)) for robot in robots)
        assert pressed > 100
        for robot in robots:
            x, y, z = p.getBasePositionAndOrientation(robot)[0]
            assert 0.0 < y < 2.0
            assert math.hypot(x, z) < 2.0
