"""The controller that plans on the map of the simulation."""

from __future__ import annotations

import numpy as np
import pytest
from PIL import Image

from unibody import bullet
from unibody.errors import InvalidArgumentError
from unibody.fleet import Agent, MultiRobotSimulationCore, SimulationParams
from unibody.fleet.controllers import RouteController
from unibody.fleet.foundation.types import MotionMode
from unibody.fleet.spatial.geometry import Pose

SCENARIO = """
simulation: {physics: false, gui: false, monitor: false, timestep: 0.1, target_rtf: 0}
world: {map: map.yaml}
entities:
  - name: cart
    urdf_path: robots/mobile_robot.urdf
    use_fixed_base: false
    pose: [1.0, 1.0, 0.15]
    controller:
      - {type: differential, max_linear_vel: 1.5, max_angular_vel: 2.0}
      - {type: route, stops: [[9.0, 1.0], [1.0, 1.0]], radius: 0.5}
"""


@pytest.fixture
def scenario(tmp_path):
    pixels = np.full((100, 100), 254, dtype=np.uint8)
    pixels[20:, 48:52] = 0  # a wall from the lower edge to y = 8 m
    Image.fromarray(pixels).save(tmp_path / "map.pgm")
    (tmp_path / "map.yaml").write_text("image: map.pgm\nresolution: 0.1\n")
    (tmp_path / "scenario.yaml").write_text(SCENARIO)
    return tmp_path / "scenario.yaml"


def test_agents_go_round_what_the_map_says_is_occupied(scenario):
    core = MultiRobotSimulationCore.from_yaml(str(scenario))
    try:
        (cart,) = core.agents
        places = []
        while len(places) < 600 and not (len(places) > 50 and not cart.is_moving):
            core.step_once()
            places.append(cart.get_pose().position[:2])
        path = np.array(places)
        assert path[-1] == pytest.approx((9.0, 1.0), abs=0.1)  # a goal counts as reached there
        beside = np.abs(path[:, 0] - 5.0) < 0.2
        assert beside.any() and (path[beside, 1] > 8.0).all()
        assert core.collision_count == 0
    finally:
        bullet.disconnect(core.client)


def test_what_is_occupied_stands_there_as_boxes(scenario):
    core = MultiRobotSimulationCore.from_yaml(str(scenario))
    try:
        (wall,) = [obj for obj in core.sim_objects if obj.name == "map_0"]
        assert wall.get_pose().position == pytest.approx((5.0, 4.0, 0.5))
        low, high = bullet.getAABB(wall.body_id, physicsClientId=core.client)
        # the wall is 0.4 x 8 x 1 m; boxes around bodies may be 1 mm larger
        assert np.subtract(high, low) == pytest.approx((0.4, 8.0, 1.0), abs=5e-3)
    finally:
        bullet.disconnect(core.client)


def test_without_a_map_there_is_nothing_to_plan_on():
    core = MultiRobotSimulationCore(SimulationParams(gui=False, monitor=False, physics=False))
    try:
        agent = Agent.from_urdf(
            "robots/mobile_robot.urdf",
            pose=Pose.from_xyz(0.0, 0.0, 0.15),
            motion_mode=MotionMode.OMNIDIRECTIONAL,
            sim_core=core,
        )
        agent.add_controller(RouteController(stops=[[1.0, 0.0]]))
        with pytest.raises(InvalidArgumentError, match="map: FILE"):
            for _ in range(3):
                core.step_once()
    finally:
        bullet.disconnect(core.client)


@pytest.mark.parametrize(
    "wrong", [{"order": "any"}, {"wait_range": (2, 1)}, {"radius": -1.0}, {"stops": [[1, 2, 3]]}]
)
def test_arguments_that_are_not_allowed_are_named(wrong):
    with pytest.raises(InvalidArgumentError, match=next(iter(wrong))):
        RouteController(**wrong)


def test_agents_that_share_stops_do_not_go_to_the_same_one(scenario):
    entity = SCENARIO.partition("entities:\n")[2].replace(
        "radius: 0.5", "radius: 0.5, order: random"
    )
    entity = entity.replace("[9.0, 1.0], [1.0, 1.0]", "[9.0, 1.0], [1.0, 1.0], [1.0, 9.0]")
    second = entity.replace("name: cart", "name: other").replace(
        "pose: [1.0, 1.0", "pose: [3.0, 1.0"
    )
    head = SCENARIO.partition("entities:\n")[0] + "entities:\n"
    scenario.write_text(head + entity + second)
    core = MultiRobotSimulationCore.from_yaml(str(scenario))
    try:
        routes = [agent.get_controller_by_type(RouteController) for agent in core.agents]
        chosen = []
        for _ in range(300):
            core.step_once()
            chosen.append(tuple(route._at for route in routes))
        assert len(set(chosen)) > 3
        assert all(first != other for first, other in chosen if first is not None)
    finally:
        bullet.disconnect(core.client)
