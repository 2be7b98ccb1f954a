"""Robots meet on a line; the event bus tells who collides, spawns and leaves."""

from __future__ import annotations

from typing import Any

from unibody import fleet


def say(what: str) -> Any:
    """A handler that prints the names of whoever an event is about."""

    def handler(**told: Any) -> None:
        names = [told[key].name for key in ("obj", "obj_a", "obj_b") if key in told]
        print(f"{what}: {' and '.join(names)}")  # noqa: T201

    return handler


def main() -> None:
    """Let two boxes pass through one another."""
    core = fleet.MultiRobotSimulationCore(
        fleet.SimulationParams(gui=False, target_rtf=0, timestep=0.1, physics=False)
    )
    core.events.on(fleet.SimEvents.OBJECT_SPAWNED, say("spawned"))
    core.events.on(fleet.SimEvents.COLLISION_STARTED, say("collide"))
    core.events.on(fleet.SimEvents.COLLISION_ENDED, say("apart again"))
    for name, start, goal in (("left", -3.0, 3.0), ("right", 3.0, -3.0)):
        params = fleet.AgentSpawnParams(
            visual_shape=fleet.ShapeParams(shape_type="box", half_extents=[0.2, 0.2, 0.2]),
            collision_shape=fleet.ShapeParams(shape_type="box", half_extents=[0.2, 0.2, 0.2]),
            initial_pose=fleet.Pose.from_xyz(start, 0.0, 0.2),
            mass=0.0,
            name=name,
        )
        fleet.Agent.from_params(params, sim_core=core).set_goal_pose(
            fleet.Pose.from_xyz(goal, 0.0, 0.2)
        )
    core.run_simulation(duration=10.0)


if __name__ == "__main__":
    main()
