"""UR10: the arm, with a suction cup or without."""

from __future__ import annotations

from typing import Any

from unibody.errors import NotSupportedError
from unibody.isaac_core.functions import prims as functions
from unibody.isaac_core.functions.nucleus import get_assets_root_path
from unibody.isaac_core.functions.stage import add_reference_to_stage
from unibody.isaac_core.functions.types import Vector
from unibody.isaac_core.manipulators.surface_gripper import SurfaceGripper
from unibody.isaac_core.prims.rigid import RigidPrim
from unibody.isaac_core.prims.robot import Robot

_ASSET = "/Isaac/Robots/UniversalRobots/ur10/ur10.usd"


class UR10(Robot):
    """The arm; it is made where nothing is at the path.

    Args:
        prim_path: Where it is.
        name: By which a scene finds it.
        usd_path: Its file; None: that of the assets.
        position: In the world.
        orientation: w, x, y, z.
        end_effector_prim_name: Name of the body at its end; None: "ee_link".
        attach_gripper: Whether it has a suction cup.
        gripper_usd: "default": the cup of the assets is put on; None: the prim has it already.

    Raises:
        NotSupportedError: Another gripper was named.
    """

    def __init__(
        self,
        prim_path: str,
        name: str = "ur10_robot",
        usd_path: str | None = None,
        position: Vector | None = None,
        orientation: Vector | None = None,
        end_effector_prim_name: str | None = None,
        attach_gripper: bool = False,
        gripper_usd: str | None = "default",
    ) -> None:
        if attach_gripper and gripper_usd not in ("default", None):
            raise NotSupportedError(f"the gripper {gripper_usd!r}", "gripper_usd='default'")
        if not functions.is_prim_path_valid(prim_path):
            add_reference_to_stage(usd_path or get_assets_root_path() + _ASSET, prim_path)
        self._end_effector: Any = None
        self._gripper: SurfaceGripper | None = None
        self._end_effector_prim_path = f"{prim_path}/{end_effector_prim_name or 'ee_link'}"
        super().__init__(prim_path, name, position, orientation=orientation)
        if attach_gripper:
            if gripper_usd == "default":
                self.prim.GetVariantSet("Gripper").SetVariantSelection("Short_Suction")
            end = self._end_effector_prim_path
            self._gripper = SurfaceGripper(end, f"{end}/SurfaceGripper")

    @property
    def attach_gripper(self) -> bool:
        """Whether it has a gripper."""
        return self._gripper is not None

    @property
    def end_effector(self) -> RigidPrim:
        """The body at its end."""
        return self._end_effector

    @property
    def gripper(self) -> Any:
        """Its suction cup; None: it has none."""
        return self._gripper

    def initialize(self, physics_sim_view: Any = None) -> None:
        """Take hold of the physics; the arm has no weight then."""
        super().initialize(physics_sim_view)
        if self._gripper is not None:
            self._gripper.initialize(physics_sim_view, self.num_dof)
        self._end_effector = RigidPrim(self._end_effector_prim_path, f"{self.name}_end_effector")
        self.disable_gravity()
        self._end_effector.initialize(physics_sim_view)

    def post_reset(self) -> None:
        """Go back to the default state."""
        super().post_reset()
        self._end_effector.post_reset()
        if self._gripper is not None:
            self._gripper.post_reset()
