"""Controllers of the arm UR10."""

from __future__ import annotations

from typing import Any

import numpy as np

from unibody.isaac_core.functions.rotations import euler_angles_to_quat
from unibody.isaac_core.functions.types import ArticulationAction
from unibody.isaac_core.manipulators import controllers
from unibody.isaac_core.manipulators.grippers import Gripper
from unibody.isaac_core.motion.config_loader import load_supported_motion_policy_config
from unibody.isaac_core.motion.controllers import ArticulationMotionPolicy, MotionPolicyController
from unibody.isaac_core.motion.policies import RmpFlow

_TIMES = [0.01, 0.0035, 0.01, 1.0, 0.008, 0.005, 0.005, 1.0, 0.01, 0.08]


class RMPFlowController(MotionPolicyController):
    """Moves the end to targets, by `RmpFlow` as it is here.

    Args:
        name: Of the controller.
        robot_articulation: The arm.
        physics_dt: Time of a step [s].
        attach_gripper: Whether the end is that of the suction cup.
    """

    def __init__(
        self,
        name: str,
        robot_articulation: Any,
        physics_dt: float = 1.0 / 60.0,
        attach_gripper: bool = False,
    ) -> None:
        kind = "RMPflowSuction" if attach_gripper else "RMPflow"
        settings: dict[str, Any] = load_supported_motion_policy_config("UR10", kind)
        policy = ArticulationMotionPolicy(robot_articulation, RmpFlow(**settings), physics_dt)
        super().__init__(name, policy)


class PickPlaceController(controllers.PickPlaceController):
    """Picks things up with the suction cup and places them.

    Args:
        name: Of the controller.
        gripper: Of the arm.
        robot_articulation: The arm.
        events_dt: By how much each event goes on in a step.
    """

    def __init__(
        self,
        name: str,
        gripper: Gripper,
        robot_articulation: Any,
        events_dt: list[float] | None = None,
    ) -> None:
        mover = RMPFlowController(
            f"{name}_cspace_controller", robot_articulation, attach_gripper=True
        )
        super().__init__(name, mover, gripper, events_dt=events_dt or _TIMES)

    def forward(
        self,
        picking_position: Any,
        placing_position: Any,
        current_joint_positions: Any,
        end_effector_offset: Any = None,
        end_effector_orientation: Any = None,
    ) -> ArticulationAction:
        """The action of the next step; the cup points down where no orientation is given."""
        turn = end_effector_orientation
        if turn is None:
            turn = euler_angles_to_quat(np.array([0.0, np.pi / 2.0, 0.0]))
        return super().forward(
            picking_position, placing_position, current_joint_positions, end_effector_offset, turn
        )


class StackingController(controllers.StackingController):
    """Puts cubes on one another with the suction cup.

    Args:
        name: Of the controller.
        gripper: Of the arm.
        robot_articulation: The arm.
        picking_order_cube_names: Names of the cubes, in their order.
        robot_observation_name: Name of the robot among the observations.
    """

    def __init__(
        self,
        name: str,
        gripper: Gripper,
        robot_articulation: Any,
        picking_order_cube_names: list[str],
        robot_observation_name: str,
    ) -> None:
        one = PickPlaceController(f"{name}_pick_place_controller", gripper, robot_articulation)
        super().__init__(name, one, picking_order_cube_names, robot_observation_name)
