"""Names of ``isaacsim.robot.experimental.wheeled_robots.robots``."""

from unibody.isaac_core.experimental.wheeled.robot import WheeledRobot
from unibody.isaac_core.wheeled.holonomic_setup import HolonomicRobotUsdSetup

__all__ = ["HolonomicRobotUsdSetup", "WheeledRobot"]
