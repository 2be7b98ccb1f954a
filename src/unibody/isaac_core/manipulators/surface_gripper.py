"""SurfaceGripper: a suction cup, which holds what it touches."""

from __future__ import annotations

from typing import Any

from unibody.errors import InvalidArgumentError
from unibody.isaac_core.functions.types import ArticulationAction
from unibody.isaac_core.manipulators.grippers import Gripper
from unibody.isaac_core.manipulators.surface_interface import (
    GripperStatus,
    acquire_surface_gripper_interface,
)


class SurfaceGripper(Gripper):
    """A gripper without joints.

    Args:
        end_effector_prim_path: The body that it is on.
        surface_gripper_path: Prim of the gripper, with its attachment points.
    """

    def __init__(self, end_effector_prim_path: str, surface_gripper_path: str) -> None:
        super().__init__(end_effector_prim_path)
        self._surface_gripper_path = surface_gripper_path
        self._interface = acquire_surface_gripper_interface()
        self._dofs: int | None = None
        self._opened: bool | None = None

    def initialize(  # type: ignore[override]
        self, physics_sim_view: Any = None, articulation_num_dofs: int | None = None
    ) -> None:
        """Take hold of the physics.

        Args:
            physics_sim_view: The view of the physics.
            articulation_num_dofs: How many joints the robot has.
        """
        super().initialize(physics_sim_view)
        self._dofs = articulation_num_dofs
        if self._opened is None:
            self._opened = not self.is_closed()

    def close(self) -> None:
        """Hold what is before it."""
        self._interface.close_gripper(self._surface_gripper_path)

    def open(self) -> None:
        """Let go."""
        self._interface.open_gripper(self._surface_gripper_path)

    def update(self) -> None:
        """Nothing: every step of the physics does."""

    def is_closed(self) -> bool:
        """Whether it holds something."""
        return self._status() is GripperStatus.Closed

    def is_open(self) -> bool:
        """Whether it holds nothing, and does not try to."""
        return self._status() is GripperStatus.Open

    def set_default_state(self, opened: bool) -> None:  # type: ignore[override]
        """Choose whether it is open after a reset."""
        self._opened = opened

    def get_default_state(self) -> dict[str, bool | None]:  # type: ignore[override]
        """Whether it is open after a reset: "opened"."""
        return {"opened": self._opened}

    def post_reset(self) -> None:
        """Open or close it, as it is by default."""
        if self._opened:
            self.open()
        else:
            self.close()

    def forward(self, action: str) -> ArticulationAction:
        """Open or close it.

        Args:
            action: "open" or "close".

        Returns:
            An action that moves no joint.

        Raises:
            RuntimeError: It does not know how many joints the robot has.
            InvalidArgumentError: It can do nothing of the name.
        """
        if self._dofs is None:
            raise RuntimeError("the gripper knows no robot yet: initialize it, or reset the world")
        if action not in ("open", "close"):
            raise InvalidArgumentError("action", action, "'open' or 'close'")
        if action == "open":
            self.open()
        else:
            self.close()
        return ArticulationAction(joint_positions=[None] * self._dofs)

    def _status(self) -> GripperStatus:
        return self._interface.get_gripper_status(self._surface_gripper_path)
