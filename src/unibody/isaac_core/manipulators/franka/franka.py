"""Franka: the arm with its gripper."""

from __future__ import annotations

from typing import Any

import numpy as np

from unibody.isaac_core.functions import prims as functions
from unibody.isaac_core.functions.nucleus import get_assets_root_path
from unibody.isaac_core.functions.stage import add_reference_to_stage, get_stage_units
from unibody.isaac_core.functions.types import Vector
from unibody.isaac_core.manipulators.grippers import ParallelGripper
from unibody.isaac_core.manipulators.single_manipulator import bind_gripper
from unibody.isaac_core.prims.rigid import RigidPrim
from unibody.isaac_core.prims.robot import Robot

_ASSET = "/Isaac/Robots/FrankaRobotics/FrankaPanda/franka.usd"
_FINGERS = ("panda_finger_joint1", "panda_finger_joint2")
_OPEN, _REST = 0.05, (0.012, -0.57, 0.0, -2.81, 0.0, 3.037, 0.741)


class Franka(Robot):
    """The arm with its gripper; it is made where nothing is at the path.

    Args:
        prim_path: Where it is.
        name: By which a scene finds it.
        usd_path: Its file; None: that of the assets.
        position: In the world.
        orientation: w, x, y, z.
        end_effector_prim_name: Name of the body at its end; None: the right finger.
        gripper_dof_names: Of the joints of its fingers.
        gripper_open_position: Of them.
        gripper_closed_position: The same.
        deltas: By which an action opens or closes it; None: to the end.
    """

    def __init__(
        self,
        prim_path: str,
        name: str = "franka_robot",
        usd_path: str | None = None,
        position: Vector | None = None,
        orientation: Vector | None = None,
        end_effector_prim_name: str | None = None,
        gripper_dof_names: list[str] | None = None,
        gripper_open_position: Vector | None = None,
        gripper_closed_position: Vector | None = None,
        deltas: Vector | None = None,
    ) -> None:
        if not functions.is_prim_path_valid(prim_path):
            add_reference_to_stage(usd_path or get_assets_root_path() + _ASSET, prim_path)
        self._end_effector: Any = None
        self._end_effector_prim_path = (
            f"{prim_path}/{end_effector_prim_name or 'panda_rightfinger'}"
        )
        units = get_stage_units()
        opened = np.full(2, _OPEN) / units
        super().__init__(prim_path, name, position, orientation=orientation)
        self._gripper = ParallelGripper(
            self._end_effector_prim_path,
            list(gripper_dof_names or _FINGERS),
            opened if gripper_open_position is None else gripper_open_position,
            np.zeros(2) if gripper_closed_position is None else gripper_closed_position,
            deltas,
        )

    @property
    def end_effector(self) -> RigidPrim:
        """The body at its end."""
        return self._end_effector

    @property
    def gripper(self) -> ParallelGripper:
        """Its gripper."""
        return self._gripper

    def initialize(self, physics_sim_view: Any = None) -> None:
        """Take hold of the physics; the arm begins bent, with the hand down."""
        super().initialize(physics_sim_view)
        self._end_effector = RigidPrim(self._end_effector_prim_path, f"{self.name}_end_effector")
        self._end_effector.initialize(physics_sim_view)
        self._gripper.set_default_state(self._gripper.joint_opened_positions)
        bind_gripper(self, self._gripper, physics_sim_view)
        if self.num_dof == len(_REST) + len(_FINGERS):
            fingers = self._gripper.joint_opened_positions
            positions = np.array([*_REST, *fingers])
            self.set_joints_default_state(positions, np.zeros(len(positions)))

    def post_reset(self) -> None:
        """Go back to the default state."""
        super().post_reset()
        self._gripper.post_reset()
