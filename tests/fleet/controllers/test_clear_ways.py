"""Agents with routes that meet one another."""

from __future__ import annotations

import math
from contextlib import contextmanager

import numpy as np
import pytest
from PIL import Image

from unibody import bullet
from unibody.fleet import MultiRobotSimulationCore
from unibody.fleet.controllers import RouteController
from unibody.fleet.motion.foretelling import places_ahead

HEAD = """
simulation: {physics: false, gui: false, monitor: false, timestep: 0.1, target_rtf: 0}
world: {map: map.yaml}
entities:
"""
CART = """
  - name: NAME
    urdf_path: robots/mobile_robot.urdf
    use_fixed_base: false
    pose: [START, 0.15]
    controller:
      - {type: differential, max_linear_vel: 1.5, max_angular_vel: 2.0}
"""
ROUTE = "      - {type: route, stops: [[STOPS]], radius: 0.5, clearance: 0.3OPTIONS}\n"


@contextmanager
def corridor(folder, *carts, width=40):
    """A corridor of 20 m with carts, each (name, start, stops or None, options)."""
    Image.fromarray(np.full((width, 200), 254, dtype=np.uint8)).save(folder / "map.pgm")
    (folder / "map.yaml").write_text("image: map.pgm\nresolution: 0.1\n")
    text = HEAD
    for name, start, stops, *options in carts:
        text += CART.replace("NAME", name).replace("START", start)
        if stops is not None:
            text += ROUTE.replace("STOPS", stops).replace("OPTIONS", "".join(options))
    (folder / "scenario.yaml").write_text(text)
    core = MultiRobotSimulationCore.from_yaml(str(folder / "scenario.yaml"))
    try:
        yield core
    finally:
        bullet.disconnect(core.client)


def run(core, steps):
    """Places of all agents, (steps, agents, 2), and how often two touched."""
    places = []
    for _ in range(steps):
        core.step_once()
        places.append([agent.get_pose().position[:2] for agent in core.agents])
    return np.array(places), core.collision_count


HEAD_ON = (("east", "2, 2", "16, 2"), ("west", "18, 2.1", "4, 2"))


def test_agents_that_drive_towards_one_another_pass_with_the_room_that_was_asked_for(tmp_path):
    with corridor(tmp_path, *HEAD_ON) as core:
        places, collisions = run(core, 300)
    assert collisions == 0
    assert places[-1] == pytest.approx(np.array([[16.0, 2.0], [4.0, 2.0]]), abs=0.1)
    apart = np.linalg.norm(places[:, 0] - places[:, 1], axis=1)
    # two radii of 0.5 m and the clearance; blocked cells are those whose middle is nearer, and a
    # way turns in middles: what lies between two is half a cell of 0.1 m nearer at most
    assert apart.min() > 1.3 - 0.05


def test_without_avoid_they_drive_into_one_another(tmp_path):
    carts = [(*cart, ", avoid: false") for cart in HEAD_ON]
    with corridor(tmp_path, *carts) as core:
        assert run(core, 300)[1] > 0


def test_ways_lead_round_agents_that_stand_whatever_these_are(tmp_path):
    with corridor(tmp_path, HEAD_ON[0], ("stands", "10, 2", None)) as core:
        places, collisions = run(core, 300)
    assert collisions == 0
    assert places[-1, 0] == pytest.approx((16.0, 2.0), abs=0.1)
    assert np.linalg.norm(places[:, 0] - (10.0, 2.0), axis=1).min() > 1.2


def test_where_there_is_no_room_to_pass_one_waits_until_the_other_is_gone(tmp_path):
    # 1.6 m are wide enough for one
    first, second = ("first", "2, 0.8", "10, 0.8"), ("second", "4, 0.8", "18, 0.8")
    with corridor(tmp_path, first, second, width=16) as core:
        places, collisions = run(core, 300)
    assert collisions == 0
    assert places[-1] == pytest.approx(np.array([[10.0, 0.8], [18.0, 0.8]]), abs=0.1)
    assert np.linalg.norm(places[:, 0] - places[:, 1], axis=1).min() > 1.25


def test_who_finds_no_way_for_half_a_minute_goes_all_the_same(tmp_path):
    with corridor(tmp_path, HEAD_ON[0], ("stands", "10, 0.8", None), width=16) as core:
        core.agents[0].set_pose(type(core.agents[0].get_pose()).from_xyz(2.0, 0.8, 0.15))
        core.agents[0].get_controller_by_type(RouteController)._stops[0] = (18.0, 0.8)
        places, collisions = run(core, 290)
        assert np.ptp(places[:, 0, 0]) == 0.0 and collisions == 0
        places, _ = run(core, 300)
    assert math.dist(places[-1, 0], (18.0, 0.8)) < 0.1


def test_where_an_agent_is_going_to_be_is_foretold_to_the_step(tmp_path):
    with corridor(tmp_path, *HEAD_ON) as core:
        run(core, 5)
        agent = core.agents[0]
        core.step_once()
        ahead = places_ahead(agent._tables, agent._driver()._m, core.sim_time, 0.1)
        places, _ = run(core, len(ahead) - 1)
        np.testing.assert_allclose(ahead[1:], places[:, 0], atol=1e-9)
        assert not agent.is_moving
