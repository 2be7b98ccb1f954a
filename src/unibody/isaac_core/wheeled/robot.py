"""WheeledRobot: a robot some of whose joints are those of wheels."""

from __future__ import annotations

from typing import Any

import numpy as np

from unibody.errors import InvalidArgumentError
from unibody.isaac_core.functions import prims as functions
from unibody.isaac_core.functions.stage import add_reference_to_stage
from unibody.isaac_core.functions.types import ArticulationAction, Vector
from unibody.isaac_core.prims.robot import Robot


class WheeledRobot(Robot):
    """A robot on wheels.

    Args:
        prim_path: Where it is.
        name: By which a scene finds it.
        robot_path: Of the articulation, below ``prim_path``; None: that itself.
        wheel_dof_names: Names of the joints of the wheels.
        wheel_dof_indices: Their numbers, where names are not given.
        usd_path: Its file, where it is to be made.
        create_robot: Whether it is made where nothing is.
        position: In the world.
        orientation: w, x, y, z.

    Raises:
        InvalidArgumentError: It is to be made without a file, or no wheel was named.
    """

    def __init__(
        self,
        prim_path: str,
        name: str = "wheeled_robot",
        robot_path: str | None = None,
        wheel_dof_names: list[str] | None = None,
        wheel_dof_indices: list[int] | None = None,
        usd_path: str | None = None,
        create_robot: bool = False,
        position: Vector | None = None,
        orientation: Vector | None = None,
    ) -> None:
        if wheel_dof_names is None and wheel_dof_indices is None:
            raise InvalidArgumentError("wheel_dof_names", None, "names of joints")
        if not functions.is_prim_path_valid(prim_path):
            if not create_robot or usd_path is None:
                raise InvalidArgumentError("usd_path", usd_path, "a file, with create_robot=True")
            add_reference_to_stage(usd_path, prim_path)
        path = f"{prim_path}/{robot_path.strip('/')}" if robot_path else prim_path
        super().__init__(path, name, position, orientation=orientation)
        self._wheel_dof_names = wheel_dof_names
        self._wheel_dof_indices = wheel_dof_indices

    @property
    def wheel_dof_indices(self) -> Any:
        """Numbers of the joints of the wheels."""
        return self._wheel_dof_indices

    def initialize(self, physics_sim_view: Any = None) -> None:
        """Take hold of the physics, and find the wheels."""
        super().initialize(physics_sim_view)
        if self._wheel_dof_names is not None:
            missing = [name for name in self._wheel_dof_names if name not in self.dof_names]
            if missing:
                raise InvalidArgumentError("wheel_dof_names", missing, f"some of {self.dof_names}")
            self._wheel_dof_indices = [self.get_dof_index(name) for name in self._wheel_dof_names]

    def get_wheel_positions(self) -> Any:
        """Angles of the wheels [rad]."""
        return self.get_joint_positions(joint_indices=self._wheel_dof_indices)

    def set_wheel_positions(self, positions: Any) -> None:
        """Turn the wheels at once [rad]."""
        self.set_joint_positions(positions, joint_indices=self._wheel_dof_indices)

    def get_wheel_velocities(self) -> Any:
        """Speeds of the wheels [rad/s]."""
        return self.get_joint_velocities(joint_indices=self._wheel_dof_indices)

    def set_wheel_velocities(self, velocities: Any) -> None:
        """Set the speeds of the wheels at once [rad/s]."""
        self.set_joint_velocities(velocities, joint_indices=self._wheel_dof_indices)

    def apply_wheel_actions(self, actions: ArticulationAction) -> None:
        """Apply an action whose values are those of the wheels, in their order.

        Raises:
            InvalidArgumentError: It has not one value for each wheel.
        """
        indices = self._wheel_dof_indices
        values = (actions.joint_positions, actions.joint_velocities, actions.joint_efforts)
        for one in values:
            if one is not None and len(one) != len(indices or ()):
                raise InvalidArgumentError("actions", one, "one value for each wheel")
        self.apply_action(ArticulationAction(*values, joint_indices=np.asarray(indices)))
