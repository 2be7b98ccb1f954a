"""The files that come with the fleet surface can be used."""

from __future__ import annotations

import itertools
import math
import random
from pathlib import Path

import pytest

from scripts import fleet_yaml_page
from unibody import bullet, fleet
from unibody.fleet.command_line.fleet_command import main
from unibody.fleet.objects.sim_object import SimObject
from unibody.fleet.parameters.simulation_params import known_keys

FOLDER = Path(fleet.__file__).parent


@pytest.fixture
def core():
    made = fleet.MultiRobotSimulationCore(
        fleet.SimulationParams(gui=False, monitor=False, physics=False)
    )
    yield made
    bullet.disconnect(made.client)


@pytest.mark.parametrize("name", [path.name for path in sorted(FOLDER.glob("robots/*.urdf"))])
def test_every_robot_is_loaded(core, name):
    agent = fleet.Agent.from_urdf(str(FOLDER / "robots" / name), sim_core=core, use_fixed_base=True)
    core.step_once()
    assert agent.object_id == 0


def test_the_warehouse_is_loaded_as_its_five_models(core):
    objects = SimObject.from_sdf(str(FOLDER / "mesh" / "warehouse_layout.sdf"), sim_core=core)
    assert len(objects) == 5


@pytest.mark.parametrize("path", sorted(FOLDER.glob("config/*.yaml")), ids=lambda path: path.name)
def test_every_configuration_is_read(path):
    core = fleet.MultiRobotSimulationCore.from_yaml(str(path), headless=True)
    core.step_once()
    bullet.disconnect(core.client)


def test_the_warehouse_moves_two_hundred_robots_which_meet_nothing(capsys):
    assert main(["run", "warehouse", "--quiet", "--duration", "30"]) == 0
    found = dict(line.split() for line in capsys.readouterr().out.splitlines())
    assert int(found["agents"]) == 200
    # 1.5 m/s at most, stops of 4.5 s on the average: a tenth of the way would be 900 m
    assert 900.0 < float(found["distance_m"]) < 200 * 30 * 1.5
    assert float(found["arrivals"]) > 200
    assert float(found["collisions"]) == float(found["near_misses"]) == 0


def test_carts_of_the_hospital_find_their_way_and_touch_no_wall_and_no_door():
    file = FOLDER / "config" / "hospital.yaml"
    core = fleet.MultiRobotSimulationCore.from_yaml(str(file), headless=True)
    walls = {obj.object_id for obj in core.sim_objects if obj.name.startswith("map_")}
    doors = {agent.object_id: agent for agent in core.agents if isinstance(agent, fleet.Door)}
    carts = [agent for agent in core.agents if agent.object_id not in doors]
    began = {cart.name: cart.get_pose().position for cart in carts}
    still, states, moved = walls | set(doors), set(), dict.fromkeys(began, 0.0)
    random.seed(0)  # where they go
    try:
        for _ in range(400):
            core.step_once()
            assert not [pair for pair in core.get_active_collision_pairs() if still & set(pair)]
            states |= {door.door_state.name for door in doors.values()}
            for cart in carts:
                way = math.dist(cart.get_pose().position, began[cart.name])
                moved[cart.name] = max(moved[cart.name], way)
    finally:
        bullet.disconnect(core.client)
    # 40 s are enough for the wait of 12 s at most, and for more than the 3 m to the nearest stop
    assert len(walls) > 40 and len(moved) == 6 and min(moved.values()) > 1.0
    assert len(doors) == 16 and states == {"CLOSED", "OPENING", "OPEN", "CLOSING"}


def test_carts_of_the_hospital_meet_one_another_and_do_not_collide(capsys):
    assert main(["run", "hospital", "--quiet", "--duration", "60"]) == 0
    found = dict(line.split() for line in capsys.readouterr().out.splitlines())
    assert float(found["collisions"]) == float(found["deadlocks"]) == 0
    assert float(found["arrivals"]) >= 6 and float(found["distance_m"]) > 6 * 15.0


def test_the_crowd_moves_ten_thousand(capsys):
    assert main(["run", "crowd", "--quiet", "--duration", "10"]) == 0
    found = dict(line.split() for line in capsys.readouterr().out.splitlines())
    assert int(found["agents"]) == 10_000
    # legs of 0.9 m take 1.5 s, stops 3.25 s on the average: one leg in the time at least
    assert 0.9 * 10_000 < float(found["distance_m"]) < 1.2 * 10.0 * 10_000
    assert float(found["collisions"]) == 0


def test_the_page_of_scenario_files_is_that_of_the_code():
    assert fleet_yaml_page.main(["--check"]) == 0, "python scripts/fleet_yaml_page.py"
    text = fleet_yaml_page.PAGE.read_text("utf-8")
    sections = text.split("```yaml")[0]
    assert all(f"| `{key}` |" in sections for key in known_keys())


def test_boxes_of_the_work_cell_go_round_and_never_lie_in_one_another():
    file = FOLDER / "config" / "work_cell.yaml"
    core = fleet.MultiRobotSimulationCore.from_yaml(str(file), headless=True)
    boxes = [obj for obj in core.sim_objects if obj.name.startswith("box")]
    been = {box.name: set() for box in boxes}
    try:
        for step in range(800):
            core.step_once()
            if step % 10:
                continue
            places = [box.get_pose().position for box in boxes]
            # 0.14 m is the edge of a box: nearer ones would lie in one another
            assert all(math.dist(a, b) > 0.14 for a, b in itertools.combinations(places, 2))
            for box, place in zip(boxes, places, strict=True):
                been[box.name] |= {round(place[0], 2)} & {-3.0, -0.25, 0.0}
        assert core.collision_count == 0
    finally:
        bullet.disconnect(core.client)
    # depot, infeed and outfeed, though two of them begin at the infeed
    assert all(len(seen) == 3 for seen in been.values())
