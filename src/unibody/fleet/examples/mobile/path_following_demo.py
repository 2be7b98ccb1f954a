"""Two robots drive round a square, one in any direction, the other nose first."""

from __future__ import annotations

from unibody import fleet

SIDE = 4.0  # m
SPEED = 1.5  # m/s


def square(x: float, y: float) -> list[fleet.Pose]:
    """The corners of a square that begins and ends at a point [m]."""
    corners = [(0.0, 0.0), (SIDE, 0.0), (SIDE, SIDE), (0.0, SIDE), (0.0, 0.0)]
    return [fleet.Pose.from_xyz(x + dx, y + dy, 0.1) for dx, dy in corners]


def main() -> None:
    """Drive until both have arrived."""
    core = fleet.MultiRobotSimulationCore(
        fleet.SimulationParams(gui=False, target_rtf=0, timestep=0.05, physics=False)
    )
    robots = []
    for row, mode in enumerate((fleet.MotionMode.OMNIDIRECTIONAL, fleet.MotionMode.DIFFERENTIAL)):
        params = fleet.AgentSpawnParams(
            urdf_path="mobile_robot",
            initial_pose=fleet.Pose.from_xyz(0.0, 6.0 * row, 0.1),
            motion_mode=mode,
            controller={"max_linear_vel": SPEED},
            name=mode.value,
        )
        robot = fleet.Agent.from_params(params, sim_core=core)
        robot.set_path(square(0.0, 6.0 * row))
        robots.append(robot)
    while any(robot.is_moving for robot in robots):
        core.step_once()
    for robot in robots:
        x, y, _ = robot.get_pose().position
        print(f"{robot.name}: back at ({x:.3f}, {y:.3f}) m after {core.sim_time:.1f} s")  # noqa: T201


if __name__ == "__main__":
    main()
