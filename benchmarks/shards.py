"""A fleet in one process against the same in shards: ``python -m benchmarks.shards``.

Prints, for each, the time of a step by the clock and of the processors, and the memory that the
robots take, now and at most (while they are built). A worker's memory is what it has more than one
whose fleet is empty. The machine has to be quiet for the clock.
"""

from __future__ import annotations

import argparse
import functools
import math
import random
import time
from typing import Any, NamedTuple

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


class Used(NamedTuple):
    """What a process used: processor time [s], memory now and at most [MB]."""

    busy: float
    memory: float
    peak: float


def _used(_: Any = None) -> Used:
    with open("/proc/self/status", encoding="ascii") as file:
        found = {line.split(":")[0]: line.split()[1:2] for line in file}
    memory, peak = (int(found[name][0]) / 1024 for name in ("VmRSS", "VmHWM"))
    return Used(time.process_time(), memory, peak)


def one_process(count: int, steps: int) -> str:
    """Measure the simulation in this process."""
    close_physics_world(crowd(4)._physics_world)
    empty, begin = _used(), time.perf_counter()
    core = crowd(count)
    built = time.perf_counter() - begin
    for _ in range(_WARM):
        core.step_once()
    begin, before = time.perf_counter(), _used()
    for _ in range(steps):
        core.step_once()
    wall, used = time.perf_counter() - begin, _used()
    busy = used.busy - before.busy
    close_physics_world(core._physics_world)
    return (
        f"one process: {wall / steps * 1e3:.1f} ms a step, {busy / steps * 1e3:.1f} ms of CPU, "
        f"{used.memory - empty.memory:.0f} MB; built in {built:.1f} s"
    )


def in_shards(count: int, steps: int, shards: int) -> str:
    """Measure it in workers of Ray."""
    empty, _, _, _ = _measured(4, 1, 1)
    after, before, wall, built = _measured(count, steps, shards)
    each = ", ".join(
        f"{(b.busy - a.busy) / steps * 1e3:.1f} ms of CPU, {b.memory - empty[0].memory:.0f} MB "
        f"(at most {b.peak - empty[0].memory:.0f})"
        for a, b in zip(before, after, strict=True)
    )
    return (
        f"{shards} shards: {wall / steps * 1e3:.1f} ms a step; built in {built:.1f} s; each {each}"
    )


def _measured(count: int, steps: int, shards: int) -> tuple[list[Used], list[Used], float, float]:
    """What workers used after some steps and before them, and times by the clock [s]."""
    import ray

    begin = time.perf_counter()
    with ShardedFleet(functools.partial(crowd, count), shards) as sharded:
        built = time.perf_counter() - begin
        actors: list[Any] = sharded._shards.actors  # type: ignore[union-attr]
        for _ in range(_WARM):
            sharded.step()
        sharded.state()
        before = ray.get([actor.__ray_call__.remote(_used) for actor in actors])
        begin = time.perf_counter()
        for _ in range(steps):
            sharded.step()
        after = ray.get([actor.__ray_call__.remote(_used) for actor in actors])
        return after, before, time.perf_counter() - begin, built


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--robots", type=int, default=20_000)
    parser.add_argument("--shards", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--steps", type=int, default=50)
    given = parser.parse_args()
    print(one_process(given.robots, given.steps))
    for number in given.shards:
        print(in_shards(given.robots, given.steps, number))
