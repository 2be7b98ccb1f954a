"""Names of ``isaacsim.robot_motion.experimental.motion_generation`` that are here."""

from __future__ import annotations

from unibody.isaac_core.experimental.motion.controllers import (
    BaseController,
    ControllerContainer,
    ParallelController,
    SequentialController,
)
from unibody.isaac_core.experimental.motion.paths import Path
from unibody.isaac_core.experimental.motion.states import (
    JointState,
    RobotState,
    RootState,
    SpatialState,
    combine_robot_states,
)
from unibody.isaac_core.experimental.motion.trajectories import Trajectory, TrajectoryFollower

__all__ = [
    "BaseController", "ControllerContainer", "JointState", "ParallelController", "Path",
    "RobotState", "RootState", "SequentialController", "SpatialState", "Trajectory",
    "TrajectoryFollower", "combine_robot_states",
]  # fmt: skip
