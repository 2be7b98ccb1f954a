"""Controllers of the arm of Franka."""

from __future__ import annotations

from typing import Any

from unibody.isaac_core.manipulators import controllers
from unibody.isaac_core.manipulators.grippers import Gripper
from unibody.isaac_core.motion.config_loader import load_supported_motion_policy_config
from unibody.isaac_core.motion.controllers import ArticulationMotionPolicy, MotionPolicyController
from unibody.isaac_core.motion.policies import RmpFlow


class RMPFlowController(MotionPolicyController):
    """Moves the hand to targets, by `RmpFlow` as it is here.

    Args:
        name: Of the controller.
        robot_articulation: The arm.
        physics_dt: Time of a step [s].
    """

    def __init__(self, name: str, robot_articulation: Any, physics_dt: float = 1.0 / 60.0) -> None:
        settings: dict[str, Any] = load_supported_motion_policy_config("Franka", "RMPflow")
        policy = ArticulationMotionPolicy(robot_articulation, RmpFlow(**settings), physics_dt)
        super().__init__(name, policy)


class PickPlaceController(controllers.PickPlaceController):
    """Picks things up and places them with the arm.

    Args:
        name: Of the controller.
        gripper: Of the arm.
        robot_articulation: The arm.
        end_effector_initial_height: Of the hand on its way [m].
        events_dt: By how much each event goes on in a step.
    """

    def __init__(
        self,
        name: str,
        gripper: Gripper,
        robot_articulation: Any,
        end_effector_initial_height: float | None = None,
        events_dt: list[float] | None = None,
    ) -> None:
        mover = RMPFlowController(f"{name}_cspace_controller", robot_articulation)
        times = events_dt or [0.008, 0.005, 0.1, 0.1, 0.0025, 0.001, 0.0025, 0.5, 0.008, 0.008]
        super().__init__(name, mover, gripper, end_effector_initial_height, times)


class StackingController(controllers.StackingController):
    """Puts cubes on one another with the arm.

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
