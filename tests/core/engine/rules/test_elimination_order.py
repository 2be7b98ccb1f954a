"""The order in which the solver takes the bodies of an island changes its speed, not its result."""

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
from unibody.core.engine.rules.elimination_order import LEAST_TREES
from unibody.core.engine.scene.scene import Scene

SIDE = 0.1


def wall() -> Scene:
    """A wall of bricks, each one on two others, laid in any order."""
    scene = Scene(WorldOptions(gravity=(0.0, 0.0, -9.81)))
    ground = Link("ground", -1, Joint(), Inertial(), [], [Shape(ShapeKind.PLANE)])
    scene.add(0, Asset("ground", [ground]), BodyOptions(fixed=True))
    inertial = Inertial(0.5, Pose(), (8e-4, 8e-4, 8e-4, 0.0, 0.0, 0.0))
    box = Shape(ShapeKind.BOX, (SIDE, SIDE, SIDE))
    chance = np.random.default_rng(3)
    for number, brick in enumerate(chance.permutation(56).tolist(), start=1):
        layer, place = divmod(brick, 8)
        link = Link("box", -1, Joint(type=JointType.FLOATING), inertial, [], [box])
        x = 1.05 * SIDE * (place + 0.5 * (layer % 2))
        pose = Pose((x, 0.0, SIDE * (0.5 + 1.001 * layer)))
        scene.add(number, Asset("box", [link]), BodyOptions(pose=pose))
    return scene


def test_a_reordered_island_is_solved_as_a_whole_world_without_islands() -> None:
    """To what the solver leaves open, relative to the largest acceleration."""
    world = wall().world
    for _ in range(60):
        world.step()
    model, data = world.model, world.data
    mujoco.mj_forward(model, data)
    assert data.island_ntree.max() >= LEAST_TREES
    dofs = data.map_idof2dof[: data.island_nv.sum()]
    assert (np.diff(dofs) < 0).any(), "the island was not reordered"
    reordered = data.qacc.copy()
    model.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_ISLAND)
    mujoco.mj_forward(model, data)
    np.testing.assert_allclose(reordered, data.qacc, atol=1e-5 * np.abs(reordered).max())
