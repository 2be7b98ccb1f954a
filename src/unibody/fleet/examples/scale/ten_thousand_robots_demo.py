"""Ten thousand robots drive to and fro; prints how much faster than real time that runs."""

from __future__ import annotations

import argparse
import time

import numpy as np

from unibody import fleet


def main() -> None:
    """Spawn them, send half of them, and step."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=10_000)
    parser.add_argument("--steps", type=int, default=100)
    options = parser.parse_args()
    core = fleet.MultiRobotSimulationCore(
        fleet.SimulationParams(gui=False, target_rtf=0, timestep=0.1, physics=False)
    )
    side = int(np.ceil(np.sqrt(options.count)))
    grid = fleet.GridSpawnParams(
        x_min=0, x_max=side - 1, y_min=0, y_max=side - 1, spacing=[1.5, 1.5, 0.0],
        offset=[0.0, 0.0, 0.1],
    )  # fmt: skip
    params = fleet.AgentSpawnParams(
        visual_shape=fleet.ShapeParams(shape_type="box", half_extents=[0.2, 0.2, 0.1]),
        collision_shape=fleet.ShapeParams(shape_type="box", half_extents=[0.2, 0.2, 0.1]),
        mass=0.0,
        controller={"max_linear_vel": 1.0},
    )
    manager = fleet.AgentManager(sim_core=core, fleet_controller={"type": "batch_omni"})
    robots = manager.spawn_agents_grid(options.count, grid, params)
    random = np.random.default_rng(0)
    for robot in robots[::2]:
        x, y = random.uniform(0.0, 1.5 * side, 2)
        robot.set_goal_pose(fleet.Pose.from_xyz(x, y, 0.1))
    core.step_once()
    begin = time.perf_counter()
    for _ in range(options.steps):
        core.step_once()
    spent = time.perf_counter() - begin
    factor = 0.1 * options.steps / spent
    print(f"{options.count} robots, {factor:.0f} times real time")  # noqa: T201


if __name__ == "__main__":
    main()
