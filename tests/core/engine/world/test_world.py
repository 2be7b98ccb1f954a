"""A step of a world is MuJoCo's step."""

from __future__ import annotations

import mujoco
import numpy as np

from unibody.core.assets.description import (
    Asset,
    Inertial,
    Joint,
    JointType,
    Link,
    Pose,
    Shape,
    ShapeKind,
)
from unibody.core.engine.records.options import BodyOptions, WorldOptions
from unibody.core.engine.scene.scene import Scene

FALLING = 9  # 54 degrees of freedom: MuJoCo's own solver
STANDING = 31
SPEED_LIMIT = 0.5  # m/s


def test_a_step_of_many_bodies_is_that_of_mujoco_to_the_last_bit() -> None:
    """Speed limits included, which MuJoCo hears of through a sensor."""
    options = WorldOptions(gravity=(0.0, 0.0, -9.81), speed_limits=True)
    scene = Scene(options)
    ground = Link("ground", -1, Joint(), Inertial(), [], [Shape(ShapeKind.PLANE)])
    scene.add(0, Asset("ground", [ground]), BodyOptions(fixed=True))
    inertial = Inertial(0.5, Pose(), (8e-4, 8e-4, 8e-4, 0.0, 0.0, 0.0))
    box = Shape(ShapeKind.BOX, (0.1, 0.1, 0.1))
    link = Link("box", -1, Joint(type=JointType.FLOATING), inertial, [], [box])
    for number in range(1, FALLING + 1):
        pose = Pose((0.11 * (number % 4), 0.0, 0.06 + 0.12 * (number // 4)))
        scene.add(number, Asset("box", [link]), BodyOptions(pose=pose, speed_limit=SPEED_LIMIT))
    for number in range(FALLING + 1, FALLING + STANDING + 1):
        pose = Pose((0.11 * number, 1.0, 0.06))
        scene.add(number, Asset("box", [link]), BodyOptions(pose=pose, fixed=True))
    world = scene.world
    data = mujoco.MjData(world.model)
    mujoco.mj_copyData(data, world.model, world.data)
    for _ in range(60):
        world.step()
        mujoco.mj_step(world.model, data)
    assert np.abs(data.qvel.reshape(-1, 6)[:, :3]).max() > 0.99 * SPEED_LIMIT
    assert world.data.qpos.tobytes() == data.qpos.tobytes()
