"""SingleManipulator: an arm with an end and, maybe, a gripper."""

from __future__ import annotations

from typing import Any

from unibody.isaac_core.functions.types import Vector
from unibody.isaac_core.manipulators.grippers import Gripper, ParallelGripper
from unibody.isaac_core.manipulators.surface_gripper import SurfaceGripper
from unibody.isaac_core.prims.articulation import Articulation
from unibody.isaac_core.prims.rigid import RigidPrim


class SingleManipulator(Articulation):
    """An arm.

    Args:
        prim_path: Where it is.
        end_effector_prim_path: The body at its end.
        name: By which a scene finds it.
        position: In the world.
        translation: To the parent.
        orientation: w, x, y, z.
        scale: Along its axes.
        visible: Whether it is seen.
        gripper: At its end; None: it has none.
    """

    def __init__(
        self,
        prim_path: str,
        end_effector_prim_path: str,
        name: str = "single_manipulator",
        position: Vector | None = None,
        translation: Vector | None = None,
        orientation: Vector | None = None,
        scale: Vector | None = None,
        visible: bool | None = None,
        gripper: Gripper | None = None,
    ) -> None:
        self._end_effector_prim_path = end_effector_prim_path
        self._gripper = gripper
        self._end_effector: Any = None
        super().__init__(
            prim_path, name, position, translation, orientation, scale,
            True if visible is None else visible,
        )  # fmt: skip

    @property
    def end_effector(self) -> RigidPrim:
        """The body at its end."""
        return self._end_effector

    @property
    def gripper(self) -> Any:
        """What is at its end; None: nothing."""
        return self._gripper

    def initialize(self, physics_sim_view: Any = None) -> None:
        """Take hold of the physics."""
        super().initialize(physics_sim_view)
        self._end_effector = RigidPrim(self._end_effector_prim_path, f"{self.name}_end_effector")
        self._end_effector.initialize(physics_sim_view)
        bind_gripper(self, self._gripper, physics_sim_view)

    def post_reset(self) -> None:
        """Go back to the default state."""
        super().post_reset()
        if self._gripper is not None:
            self._gripper.post_reset()


def bind_gripper(robot: Articulation, gripper: Gripper | None, physics_sim_view: Any) -> None:
    """Let a gripper take hold of the joints of a robot."""
    if isinstance(gripper, ParallelGripper):
        gripper.initialize(
            robot.apply_action, robot.get_joint_positions, robot.set_joint_positions,
            robot.dof_names, physics_sim_view,
        )  # fmt: skip
    elif isinstance(gripper, SurfaceGripper):
        gripper.initialize(physics_sim_view, robot.num_dof)
    elif gripper is not None:
        gripper.initialize(physics_sim_view)
