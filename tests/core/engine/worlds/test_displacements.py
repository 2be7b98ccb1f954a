"""Joints come back to their limits alike on every device, and keep no speed of it."""

from __future__ import annotations

import numpy as np
import pytest

from tests.core.engine.worlds.devices import DEVICES, numbers, put
from tests.core.engine.worlds.scenes import GRAVITY, plane
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
from unibody.core.engine.worlds import make_worlds

pytest.importorskip("mujoco_warp")

DT, SHARE, COUNT = 1.0 / 240.0, 0.2, 6
FOOT, ABOVE = 0.1, 0.9


def link(name: str, parent: int, mass: float, pose: Pose, joint: Joint, size: float) -> Link:
    inertial = Inertial(mass, Pose(), (0.1 * mass,) * 3 + (0.0,) * 3)
    joint.origin = pose
    shape = Shape(ShapeKind.BOX, (size, 4.0 * size, size))
    return Link(name, parent, joint, inertial, [], [shape] if size else [])


def walker(*, rough: float) -> Asset:
    """A body on two feet that slide downwards, with an arm that turns and whose joint rubs."""
    down = (0.0, 0.0, -1.0)
    stop = {"lower": 0.0, "upper": 1.0}
    feet = [
        link(
            side, 0, 1.0, Pose((x, 0.0, -ABOVE)),
            Joint(side, JointType.PRISMATIC, Pose(), down, **stop), FOOT * 2.0,
        )
        for side, x in (("left", -0.3), ("right", 0.3))
    ]  # fmt: skip
    turn = Joint("arm", JointType.REVOLUTE, Pose(), (0.0, 1.0, 0.0), lower=-1.0, upper=1.0)
    rub = Joint("hand", JointType.REVOLUTE, Pose(), (1.0, 0.0, 0.0), friction=rough)
    arm = link("arm", 0, 0.4, Pose((0.0, 0.5, 0.0)), turn, 0.0)
    hand = link("hand", 3, 0.2, Pose((0.1, 0.3, 0.0)), rub, 0.0)
    body = Link("body", inertial=Inertial(1.0, Pose(), (0.1,) * 3 + (0.0,) * 3))
    return Asset("walker", [body, *feet, arm, hand])


def scene_of(*, rough: float = 0.0) -> Scene:
    options = WorldOptions(
        timestep=DT, gravity=GRAVITY, passing_corrections=True, limit_erp=SHARE, contact_reach=0.0
    )
    scene = Scene(options)
    scene.add(0, plane(), BodyOptions(fixed=True))
    scene.add(1, walker(rough=rough), BodyOptions(pose=Pose((0.0, 0.0, 1.0))))
    return scene


def starts(model) -> np.ndarray:
    """Coordinates of worlds with more and more joints outside of their limits."""
    qpos = np.tile(model.qpos0, (COUNT, 1))
    qpos[:, 2] -= 1e-3  # the feet press on the ground from the beginning
    for world in range(1, COUNT):
        qpos[world, 2] -= 0.02 * world
        qpos[world, 7:9] = -0.02 * world  # the feet stay on the ground
        qpos[world, 9] = 1.0 + 0.1 * (world - 2)
    return qpos


def after(device: str, steps: int, *, rough: float) -> tuple[np.ndarray, np.ndarray]:
    worlds = make_worlds(scene_of(rough=rough), COUNT, device=device)
    put(worlds.qpos, starts(worlds.model))
    worlds.step(steps)
    return numbers(worlds.qpos), numbers(worlds.qvel)


@pytest.mark.parametrize("rough", [0.0, 0.05])
@pytest.mark.parametrize("device", DEVICES[1:])
def test_what_stands_outside_its_limits_moves_as_on_the_cpu(device: str, rough: float) -> None:
    for steps in (1, 5):
        expected, found = after("cpu", steps, rough=rough), after(device, steps, rough=rough)
        # float32: two solvers that end within 1e-6 of their forces, and heights of a metre;
        # rows beside those of the limits see the correction to SLOW = 1e-3 m/s of 5 m/s
        np.testing.assert_allclose(found[0], expected[0], atol=1e-5)
        np.testing.assert_allclose(found[1], expected[1], atol=2e-4)


@pytest.mark.parametrize("device", DEVICES[1:])
def test_no_world_is_solved_again_because_a_joint_is_outside_its_limits(
    device: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    from unibody.core.engine.worlds.warp_solve_again import SolveAgain

    solved = []
    solve = SolveAgain._solve

    def noted(self, then):
        solved.append(then)
        solve(self, then)

    monkeypatch.setattr(SolveAgain, "_solve", noted)
    found, _ = after(device, 1, rough=0.0)
    assert solved == []
    outside = starts(scene_of().world.model)[2:, 9] - 1.0
    # rows of limits are soft by 1e-5 of their inverse mass (impedance.HARD)
    np.testing.assert_allclose(found[2:, 9] - 1.0, (1.0 - SHARE) * outside, atol=2e-4)
