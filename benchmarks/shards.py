"""A fleet in one process against the same in shards: ``python -m benchmarks.shards``.

Prints, for each, the time of a step by the clock, and for workers of Ray processor time of a step
and memory of each. The machine has to be quiet for the clock.
"""

from __future__ import annotations

import argparse
import functools
import math
import random
import resource
import time
from typing import Any

from unibody import fleet
from unibody.fleet.bodies.physics_world import close_physics_world
from unibody.scale.sharded_fleet import ShardedFleet

_WARM = 5  # steps


def crowd(count: int) -> Any:
    """So many cubes in a square of 1 m cells, half of them on their way."""
    core = fleet.MultiRobotSimulationCore(
        fleet.SimulationParams(
            gui=False, monitor=False, timestep=0.1, physics=False, log_level="ERROR"
        )
    )
    side, draw = math.isqrt(count - 1) + 1, random.Random(4)
    manager = fleet.AgentManager(sim_core=core, fleet_controller={"type": "batch_omni"})
    grid = fleet.GridSpawnParams(0, side - 1, 0, side - 1, [1.0, 1.0, 0.0], [0.0, 0.0, 0.1])
    params = fleet.AgentSpawnParams(urdf_path="simple_cube", mass=0.0)
    agents = manager.spawn_agents_grid(count, grid, params, name_prefix="robot")
    for agent in draw.sample(agents, count // 2):
        x, y = draw.uniform(0, side), draw.uniform(0, side)
        agent.set_goal_pose(fleet.Pose.from_xyz(x, y, 0.1))
    return core


def _used(_: Any) -> tuple[float, float]:
    """Processor time [s] and memory [MB] of a process."""
    with open("/proc/self/statm", encoding="ascii") as file:
        pages = int(file.read().split()[1])
    return time.process_time(), pages * resource.getpagesize() / 2**20


def one_process(count: int, steps: int) -> str:
    """Measure the simulation in this process."""
    core = crowd(count)
    for _ in range(_WARM):
        core.step_once()
    begin, busy = time.perf_counter(), time.process_time()
    for _ in range(steps):
        core.step_once()
    wall, busy = time.perf_counter() - begin, time.process_time() - busy
    close_physics_world(core._physics_world)
    return f"one process: {wall / steps * 1e3:.1f} ms a step, {busy / steps * 1e3:.1f} ms of CPU"


def in_shards(count: int, steps: int, shards: int) -> str:
    """Measure it in workers of Ray."""
    import ray

    with ShardedFleet(functools.partial(crowd, count), shards) as sharded:
        actors: list[Any] = sharded._shards.actors  # type: ignore[union-attr]
        for _ in range(_WARM):
            sharded.step()
        sharded.state()
        before = ray.get([actor.__ray_call__.remote(_used) for actor in actors])
        begin = time.perf_counter()
        for _ in range(steps):
            sharded.step()
        after = ray.get([actor.__ray_call__.remote(_used) for actor in actors])
        wall = time.perf_counter() - begin
        busy = [(b[0] - a[0]) / steps * 1e3 for a, b in zip(before, after, strict=True)]
        each = ", ".join(
            f"{ms:.1f} ms of CPU, {mb[1]:.0f} MB" for ms, mb in zip(busy, after, strict=True)
        )
        return f"{shards} shards: {wall / steps * 1e3:.1f} ms a step; each {each}"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--robots", type=int, default=20_000)
    parser.add_argument("--shards", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--steps", type=int, default=50)
    given = parser.parse_args()
    print(one_process(given.robots, given.steps))
    for number in given.shards:
        print(in_shards(given.robots, given.steps, number))
