"""Worlds with many links that do not collide with one another."""

from __future__ import annotations

from typing import Any

import mujoco

import unibody.bullet
from tests.support.duo import connected
from unibody.bullet.clients.registry import find_client

EXCLUDED = 500  # pairs from which on the contact filter leaves them out in place of MuJoCo


def pairs(data: Any) -> list[tuple[int, int]]:
    return sorted((int(a), int(b)) for a, b in data.contact.geom[: data.ncon])


def test_links_of_crowded_robots_collide_with_all_that_mujoco_lets_them() -> None:
    """Robots that collapse onto one another, some links of two of them switched off."""
    with connected(unibody.bullet) as p:
        p.setGravity(0, 0, -9.81)
        p.loadURDF("plane.urdf")
        robots = [p.loadURDF("a1/a1.urdf", (0.1 * k, 0, 0.4 + 0.3 * k)) for k in range(4)]
        for robot in robots:
            for joint in range(p.getNumJoints(robot)):
                p.setJointMotorControl2(robot, joint, p.VELOCITY_CONTROL, force=0)
        for link in range(10):
            p.setCollisionFilterPair(robots[0], robots[1], link, link, 0)
        met = 0
        for _ in range(20):
            for _ in range(12):
                p.stepSimulation()
            world = find_client(0).scene.world
            assert world.model.nexclude >= EXCLUDED
            start = world.data.qpos.copy()
            world.step()
            found, following = pairs(world.data), world.data.qpos.copy()
            world.data.qpos[:] = start
            mujoco.mj_fwdPosition(world.model, world.data)
            assert pairs(world.data) == found
            world.data.qpos[:] = following
            world.changed()
            met += len(found)
        assert met > 100
