"""One measurement of a fleet, in a process of its own: prints one line of JSON.

Runs on `unibody.fleet` and on the original alike, so it imports nothing of ours but that.
"""

from __future__ import annotations

import argparse
import importlib
import json
import math
import random
import resource
import time
from typing import Any

PREFIX = "RESULT "
_MODELS = {"wheeled": "mobile_robot", "arms": "arm_robot"}  # all others are cubes
_LIMITS = {"max_linear_vel": 2.0, "max_angular_vel": 3.0}
_OWN = ("own", "patrol", "random_walk", "listeners")  # every robot has a controller of its own


def _timestep(scenario: str) -> float:
    return 1 / 240 if scenario == "arms_physics" else 0.1


def _core(fleet: Any, scenario: str) -> Any:
    return fleet.MultiRobotSimulationCore(
        fleet.SimulationParams(
            gui=False,
            timestep=_timestep(scenario),
            target_rtf=0.0,
            physics=scenario == "arms_physics",
            monitor=False,
            enable_monitor_gui=False,
            log_level="ERROR",
        )
    )


def _controllers(scenario: str, side: int) -> Any:
    """What drives a robot, and what decides where it goes."""
    base = {"type": "omni", **_LIMITS}
    if scenario == "patrol":
        points = [[0.0, 0.0, 0.1], [side, 0.0, 0.1], [side, side, 0.1], [0.0, side, 0.1]]
        return [base, {"type": "patrol", "waypoints": points, "wait_time": 1.0}]
    if scenario == "random_walk":
        return [base, {"type": "random_walk", "radius": 5.0}]
    return base


def _spawn(fleet: Any, core: Any, scenario: str, count: int) -> tuple[Any, list[Any]]:
    arms = scenario.startswith("arms")
    batched = not arms and scenario not in _OWN
    manager = fleet.AgentManager(
        sim_core=core, fleet_controller={"type": "batch_omni"} if batched else None
    )
    side = math.ceil(math.sqrt(count))
    grid = fleet.GridSpawnParams(
        x_min=0,
        x_max=side - 1,
        y_min=0,
        y_max=side - 1,
        z_min=0,
        z_max=0,
        spacing=[2.0, 2.0, 0.0] if arms else [1.0, 1.0, 0.0],
        offset=[0.0, 0.0, 0.0 if arms else 0.1],
    )
    if arms:
        params = fleet.AgentSpawnParams(urdf_path=_MODELS["arms"], use_fixed_base=True)
    else:
        model = _MODELS.get(scenario, "simple_cube")
        controller = _controllers(scenario, side)
        params = fleet.AgentSpawnParams(urdf_path=model, controller=controller, mass=0.0)
    agents = manager.spawn_agents_grid(
        num_agents=count, grid_params=grid, spawn_params=params, name_prefix="robot"
    )
    return manager, agents


def _send(fleet: Any, agents: list[Any], scenario: str, seed: int) -> None:
    chance = random.Random(seed)
    if scenario.startswith("arms"):
        for agent in agents:
            joints = agent.get_num_joints()
            agent.set_all_joints_targets([chance.uniform(-1.0, 1.0) for _ in range(joints)])
        return
    if scenario in ("patrol", "random_walk"):
        random.seed(seed)
        return
    if scenario == "listeners":
        for agent in agents:
            agent.events.on("collision_started", _hear)
            agent.events.on("post_update", _hear)
    side = math.ceil(math.sqrt(len(agents)))
    for index in chance.sample(range(len(agents)), max(len(agents) // 2, 1)):
        x, y = chance.uniform(-10, side + 10), chance.uniform(-10, side + 10)
        agents[index].set_goal_pose(fleet.Pose.from_xyz(x, y, 0.1))


def _hear(**_: Any) -> None:
    """Listen to an event."""


def _memory() -> float:
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * resource.getpagesize() / 2**20


def measure(module: str, scenario: str, count: int, seconds: float) -> dict[str, float]:
    """Run a scenario.

    Args:
        module: Name of the package to measure.
        scenario: `cubes` and `wheeled` (moved by one batch controller), `own` (cubes with a
            controller each), `patrol` and `random_walk` (the same, with one above it that decides),
            `listeners` (the same, with event handlers), `arms` or `arms_physics`.
        count: Number of robots.
        seconds: Simulated time [s].

    Returns:
        Real-time factor, the same by processor time (which what else runs on the machine does not
        slow down as much), time of a step and its processor time [ms], time to spawn [s], memory of
        a robot [KiB], collisions that began, and pairs that collide at the end.
    """
    fleet = importlib.import_module(module)
    warm = _core(fleet, scenario)  # compiles, loads, and is not measured
    _, few = _spawn(fleet, warm, scenario, 4)
    _send(fleet, few, scenario, 0)
    for _ in range(3):
        warm.step_once()
    core = _core(fleet, scenario)
    before, start = _memory(), time.perf_counter()
    manager, agents = _spawn(fleet, core, scenario, count)
    spawned = time.perf_counter() - start
    memory = _memory() - before
    _send(fleet, agents, scenario, 1)
    for _ in range(10):
        core.step_once()
    start, busy = time.perf_counter(), time.process_time()
    core.run_simulation(duration=seconds)
    wall, busy = time.perf_counter() - start, time.process_time() - busy
    del manager
    return {
        "rtf": seconds / wall,
        "cpu_rtf": seconds / max(busy, 1e-9),
        "step_ms": wall * _timestep(scenario) / seconds * 1e3,
        "step_cpu_ms": busy * _timestep(scenario) / seconds * 1e3,
        "collisions": core.collision_count,
        "pairs": len(core.get_active_collision_pairs()),
        "spawn_s": spawned,
        "kib_per_robot": memory * 1024 / count,
    }


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--module", required=True)
    parser.add_argument("--scenario", required=True)
    parser.add_argument("--count", type=int, required=True)
    parser.add_argument("--seconds", type=float, required=True)
    given = parser.parse_args()
    result = measure(given.module, given.scenario, given.count, given.seconds)
    print(PREFIX + json.dumps(result), flush=True)
