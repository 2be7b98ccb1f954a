"""A crowd that crosses the borders of shards, and whether two fleets are the same."""

from __future__ import annotations

import random
from typing import Any

import numpy as np

from unibody import fleet
from unibody.fleet.actions.action import MoveAction, WaitAction
from unibody.scale.sharded_fleet import ShardedFleet

CIRCUIT = {"type": "circuit", "stops": [[4.0, 0.0], [4.0, 1.0], [0.0, 0.0]], "wait_range": [1, 1]}


def empty_core(**params: Any) -> fleet.MultiRobotSimulationCore:
    given = {"gui": False, "monitor": False, "timestep": 0.1, "physics": False, **params}
    return fleet.MultiRobotSimulationCore(fleet.SimulationParams(**given, log_level="ERROR"))


def params_of(x: float, y: float, controller: Any) -> fleet.AgentSpawnParams:
    box = fleet.ShapeParams(shape_type="box", half_extents=[0.3, 0.2, 0.1])
    start = fleet.Pose.from_xyz(x, y, 0.1)
    return fleet.AgentSpawnParams(
        visual_shape=box, collision_shape=box, initial_pose=start, mass=0.0, controller=controller
    )


def crowd(**params: Any) -> fleet.MultiRobotSimulationCore:
    """Robots of each kind that cross one another's ways, with a wall between them."""
    core, draw = empty_core(**params), random.Random(3)
    limits = {"max_linear_vel": 1.5, "max_angular_vel": 2.0}
    kinds = [{"type": "omni", **limits}, {"type": "differential", **limits}]
    manager = fleet.AgentManager(sim_core=core, fleet_controller={"type": "batch_omni"})
    core.register_manager(manager)
    for number in range(36):
        x, y = float(number % 9), float(number // 9)
        if number % 3 == 0:
            spot = params_of(x, y, kinds[0])
            manager.spawn_objects_batch([spot])[0].set_path(wander(draw))
        elif number % 3 == 1:
            agent = fleet.Agent.from_params(params_of(x, y, kinds[1]), sim_core=core)
            wait = WaitAction(duration=1.7)
            moves = [MoveAction(path=fleet.Path(wander(draw))) for _ in range(3)]
            agent.add_action_sequence([moves[0], wait, moves[1], moves[2]])
        else:
            fleet.Agent.from_params(params_of(x, y, [kinds[number % 2], CIRCUIT]), sim_core=core)
    wall = fleet.ShapeParams(shape_type="box", half_extents=[3.0, 0.1, 0.5])
    fleet.SimObject.from_mesh(
        collision_shape=wall, pose=fleet.Pose.from_xyz(4.0, 2.5, 0.1), mass=0.0, sim_core=core,
        collision_mode=fleet.CollisionMode.STATIC,
    )  # fmt: skip
    return core


def wander(draw: random.Random) -> list[fleet.Pose]:
    return [fleet.Pose.from_xyz(draw.uniform(-1, 9), draw.uniform(-1, 4), 0.1) for _ in range(4)]


def state_of(core: fleet.MultiRobotSimulationCore) -> dict[str, Any]:
    agents = sorted(core.agents, key=lambda agent: agent.object_id)
    rows = np.array([agent._row for agent in agents])
    found = {
        name: core._tables.bodies.data[name][rows]
        for name in ("user", "pos", "quat", "vel", "spin", "moving")
    }
    actions = [len(a._action_queue) + (a._current_action is not None) for a in agents]
    return {**found, "actions": np.array(actions)}


def same_fleet(sharded: ShardedFleet, core: fleet.MultiRobotSimulationCore) -> None:
    expected, found = state_of(core), sharded.state()
    assert found.keys() == expected.keys()
    for name, values in expected.items():
        assert found[name].tobytes() == values.astype(found[name].dtype).tobytes(), name
    assert sharded.get_active_collision_pairs() == core.get_active_collision_pairs()
    assert sharded.collision_count == core.collision_count
