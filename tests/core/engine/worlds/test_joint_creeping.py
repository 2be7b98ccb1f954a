"""How joints creep that friction holds, on every device.

PhysX's temporal solver gives a joint all the speed of a step at once, then takes friction from it
in several rounds and moves it after each but the last ones. The closed form is that of a slide
whose mass centre lies on its axis: all it carries is the effort on it.
"""

from __future__ import annotations

import numpy as np
import pytest

from tests.core.engine.worlds.devices import DEVICES, numbers, put
from tests.core.engine.worlds.scenes import box
from unibody.core.assets.description import Asset, Inertial, Joint, JointType, Link, Pose
from unibody.core.engine.records.options import BodyOptions, DriveDefaults, WorldOptions
from unibody.core.engine.records.rule_table import N_SPEED_LIMIT, DriveMode
from unibody.core.engine.rules.speed_limits import BY_TORQUES
from unibody.core.engine.scene.scene import Scene
from unibody.core.engine.worlds import make_worlds

pytest.importorskip("mujoco_warp")

DT, MASS, EFFORT = 0.01, 0.5, 3.0
FREE = DT * EFFORT / MASS  # speed after a step without friction
MOVES, ROUNDS = 4, 5
# A row of friction that holds is soft by 1e-5 of its inverse mass (impedance.HARD).
HELD, FLOAT32 = 2e-5, 2e-5


def finger(share, *, limit=float("inf"), damping=0.0, lower=None, moves=MOVES, rounds=ROUNDS):
    """A link that slides along x on a fixed base."""
    inertial = Inertial(MASS, Pose(), (0.01,) * 3 + (0.0,) * 3)
    stop = {} if lower is None else {"lower": lower, "upper": 1.0}
    joint = Joint("slide", JointType.PRISMATIC, Pose(), (1.0, 0.0, 0.0), friction=share, **stop)
    links = [box().links[0], Link("finger", 0, joint, inertial)]
    options = WorldOptions(
        timestep=DT,
        gravity=(0.0, 0.0, 0.0),
        joint_loads=True,
        joint_moves=moves,
        joint_rounds=rounds,
        speed_limits=True,
    )
    scene = Scene(options)
    drives = DriveDefaults(DriveMode.PD, 0.0, damping, 1e6)
    scene.add(0, Asset("finger", links), BodyOptions(fixed=True, speed_limit=limit, drives=drives))
    scene.world.model.numeric_data[N_SPEED_LIMIT] = BY_TORQUES
    return scene


def pushed(worlds, effort, steps=1):
    """Position and speed of the slide after some steps under an effort."""
    for _ in range(steps):
        put(worlds.qfrc_applied, np.full((worlds.count, 1), effort))
        worlds.step()
    return numbers(worlds.qpos)[0, 0], numbers(worlds.qvel)[0, 0]


def mean_of_rounds(share, limit=float("inf"), moves=MOVES):
    """The mean speed after the rounds that move the joint."""
    left, speed = [], FREE
    for _ in range(moves):
        speed = max(0.0, speed - FREE * share / moves)
        speed -= min(1.0, 2.0 / moves**0.5) * max(0.0, speed - limit)
        left.append(speed)
    return np.mean(left)


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("sign", [1.0, -1.0])
@pytest.mark.parametrize("share", [0.9, 1.0, 2.0, 3.5])
def test_a_joint_that_friction_holds_has_moved_before_it_was_stopped(device, share, sign):
    worlds = make_worlds(finger(share), 2, device=device)
    place, speed = pushed(worlds, sign * EFFORT, steps=3)
    assert abs(speed) < HELD * FREE
    assert place == pytest.approx(sign * 3 * DT * mean_of_rounds(share), rel=1e-3)


@pytest.mark.parametrize("device", DEVICES)
def test_friction_that_stops_a_joint_in_one_round_lets_it_not_move(device):
    worlds = make_worlds(finger(15.0), 1, device=device)
    place, speed = pushed(worlds, EFFORT)
    assert abs(speed) < HELD * FREE
    assert abs(place) < DT * HELD * FREE


@pytest.mark.parametrize("device", DEVICES)
def test_a_joint_that_moves_has_friction_in_every_round(device):
    share = 0.3
    worlds = make_worlds(finger(share), 1, device=device)
    place, speed = pushed(worlds, EFFORT)
    assert speed == pytest.approx(FREE * (1.0 - share * ROUNDS / MOVES), rel=FLOAT32)
    assert place == pytest.approx(DT * speed, rel=FLOAT32)


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("moves", [4, 20])
def test_each_round_takes_its_share_of_what_is_above_the_largest_speed(device, moves):
    limit = 0.01  # below what the first round leaves
    worlds = make_worlds(finger(2.0, limit=limit, moves=moves, rounds=moves + 1), 1, device=device)
    place, _ = pushed(worlds, EFFORT)
    assert mean_of_rounds(2.0, moves=moves) > mean_of_rounds(2.0, limit, moves)
    assert place == pytest.approx(DT * mean_of_rounds(2.0, limit, moves), rel=1e-3)


@pytest.mark.parametrize("device", DEVICES)
def test_a_joint_at_its_stop_does_not_creep_into_it(device):
    worlds = make_worlds(finger(1.0, lower=0.0), 1, device=device)
    place, _ = pushed(worlds, -EFFORT, steps=50)
    once = DT * mean_of_rounds(1.0)
    assert -once < place <= 0.0


@pytest.mark.parametrize("device", DEVICES)
def test_where_friction_acts_once_a_step_nothing_creeps(device):
    worlds = make_worlds(finger(1.5, moves=1, rounds=1), 1, device=device)
    place, _ = pushed(worlds, EFFORT)
    assert abs(place) < DT * HELD * FREE
