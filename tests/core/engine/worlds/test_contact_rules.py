"""The rules of contacts on every device: who is alone, what slides on, how soft friction is.

Distances of 1 m have a rounding of 6e-8 m in float32, and what is integrated over N steps may be
off by N of these: tolerances are ten times that.
"""

from __future__ import annotations

import numpy as np
import pytest

from tests.core.engine.worlds.devices import DEVICES, numbers, put
from tests.core.engine.worlds.scenes import box, plane, tree
from unibody.core.assets.description import Asset, Inertial, Link, Pose, Shape, ShapeKind
from unibody.core.engine.records.options import BodyOptions, WorldOptions
from unibody.core.engine.records.rule_table import FrictionRule
from unibody.core.engine.scene.scene import Scene
from unibody.core.engine.spec.contact_margins import see_ahead
from unibody.core.engine.worlds import make_worlds

pytest.importorskip("mujoco_warp")

OTHERS = DEVICES[1:]
STEPS = 120
ROUNDING = 10.0 * STEPS * 6e-8  # m
DT = 1.0 / 120.0


def scene_of(gravity=(0.0, 0.0, -9.81), **bodies) -> Scene:
    """A plane, and assets at poses; they touch with a friction of 0.5."""
    options = WorldOptions(
        timestep=DT, gravity=gravity, friction_rule=FrictionRule.AVERAGE, report_forces=True
    )
    scene = Scene(options)
    scene.add(0, plane(), BodyOptions(fixed=True))
    for number, (asset, place, fixed) in enumerate(bodies.values()):
        scene.add(number + 1, asset, BodyOptions(Pose(place), fixed=fixed))
    return scene


def ball(radius: float = 0.1) -> Asset:
    inertia = 0.4 * radius * radius
    inertial = Inertial(1.0, Pose(), (inertia, inertia, inertia, 0.0, 0.0, 0.0))
    shape = Shape(ShapeKind.SPHERE, (radius,))
    return Asset("ball", [Link("base", inertial=inertial, collisions=[shape])])


def run(scene: Scene, device: str, speed=None) -> tuple:
    worlds = make_worlds(scene, 2, device=device)
    if speed is not None:
        moving = numbers(worlds.qvel)
        moving[:, -6:] = speed
        put(worlds.qvel, moving)
    worlds.step(STEPS)
    worlds.kinematics()
    return numbers(worlds.qpos), numbers(worlds.contact_wrench)


@pytest.mark.parametrize("device", DEVICES)
def test_a_ball_that_nothing_else_touches_lies_on_the_ground_and_not_in_it(device):
    places, wrench = run(scene_of(ball=(ball(), (0.0, 0.0, 0.1), False)), device)
    # a hard contact gives way by 1e-5 of g dt^2 over the share 0.2 that a step removes: 34 nm;
    # others by 5e-3 of it, 17 um
    np.testing.assert_allclose(places[:, 2], 0.1, atol=3e-7)
    np.testing.assert_allclose(wrench[:, -1, 2], 9.81, rtol=1e-3)


@pytest.mark.parametrize("device", OTHERS)
def test_a_ball_rolls_as_far(device):
    scene = scene_of(ball=(ball(), (0.0, 0.0, 0.1), False))
    speed = (2.0, 0.0, 0.0, 0.0, 20.0, 0.0)
    (expected, _), (found, _) = (run(scene, name, speed) for name in ("cpu", device))
    np.testing.assert_allclose(found, expected, atol=ROUNDING)


@pytest.mark.parametrize("device", OTHERS)
def test_a_box_that_slides_and_turns_ends_where_it_does_on_the_cpu(device):
    scene = scene_of(box=(box(), (0.0, 0.0, 0.1), False))
    speed = (3.0, 0.0, 0.0, 0.0, 0.0, 2.0)
    (expected, _), (found, _) = (run(scene, name, speed) for name in ("cpu", device))
    np.testing.assert_allclose(found, expected, atol=ROUNDING)


@pytest.mark.parametrize("device", OTHERS)
def test_friction_between_bodies_without_joints_is_soft_beside_robots_too(device):
    """What is held on a slope creeps by ``dt R f`` a second, R its softness."""
    scene = scene_of(
        gravity=(3.0, 0.0, -9.0),
        robot=(tree(), (2.0, 0.0, 3.0), True),
        box=(box(), (0.0, 0.0, 0.1), False),
    )
    (expected, wrench), (found, forces) = (run(scene, name) for name in ("cpu", device))
    # a tenth of it at robots
    np.testing.assert_allclose(found[:, -7], expected[:, -7], rtol=0.01)
    np.testing.assert_allclose(found[:, -7:], expected[:, -7:], atol=ROUNDING)
    np.testing.assert_allclose(forces[:, -1], wrench[:, -1], atol=0.01)


@pytest.mark.parametrize("device", DEVICES)
def test_a_box_that_sees_ahead_stops_on_another_without_sinking_in(device):
    """As it does on a plane: pairs of boxes see as far ahead as others do."""
    scene = scene_of(low=(box(), (0.0, 0.0, 0.1), False), high=(box(), (0.02, 0.01, 0.42), False))
    see_ahead(scene.world.model, 0.04)
    worlds = make_worlds(scene, 2, device=device)
    lowest = np.inf
    for _ in range(STEPS):
        worlds.step()
        lowest = min(lowest, float(numbers(worlds.qpos)[:, 9].min()))
    # two contacts, each of which gives way by 5e-3 of g dt^2 over the share that a step removes,
    # under twice the weight
    assert lowest > 0.3 - 5e-5
    assert float(numbers(worlds.qpos)[0, 9]) == pytest.approx(0.3, abs=5e-5)


@pytest.mark.parametrize("device", OTHERS)
def test_boxes_that_fall_on_one_another_move_as_on_the_cpu(device):
    found = []
    for name in ("cpu", device):
        high = (box(), (0.05, 0.03, 0.45), False)
        scene = scene_of(low=(box(), (0.0, 0.0, 0.1), False), high=high)
        see_ahead(scene.world.model, 0.04)
        found.append(run(scene, name, (0.3, 0.0, 0.0, 1.0, 0.0, 2.0))[0])
    # it lands on a corner, which multiplies rounding by ten
    np.testing.assert_allclose(found[1], found[0], atol=10.0 * ROUNDING)
