"""BinFilling: an arm that holds a bin while cubes fall into it."""

from __future__ import annotations

from typing import Any

import numpy as np

from unibody.isaac_core.functions.nucleus import get_assets_root_path
from unibody.isaac_core.functions.rotations import euler_angles_to_quat
from unibody.isaac_core.functions.stage import add_reference_to_stage, get_stage_units
from unibody.isaac_core.manipulators.universal_robots.ur10 import UR10
from unibody.isaac_core.objects.cuboid import DynamicCuboid
from unibody.isaac_core.prims.rigid import RigidPrim
from unibody.isaac_core.scenes.scene import Scene
from unibody.isaac_core.tasks.base_task import BaseTask
from unibody.isaac_core.tasks.names import modifiable

_ASSET = "/Isaac/Samples/Leonardo/Stage/ur10_bin_filling.usd"
START = (-np.pi / 2, -np.pi / 2, -np.pi / 2, -np.pi / 2, np.pi / 2, 0.0)
"""Where the joints of the arm begin [rad]."""
_CUBES, _EVERY, _EDGE = 50, 30, 0.05  # at most; steps between two; m
_AWAY = (0.0, 0.0, -1000.0)


class BinFilling(BaseTask):
    """An arm with a suction cup, a bin, and a pipe that cubes fall from.

    Args:
        name: By which a world finds it.
    """

    def __init__(self, name: str = "bin_filling") -> None:
        super().__init__(name, None)
        units = get_stage_units()
        self._robot: Any = None
        self._bin: Any = None
        self._cubes: list[DynamicCuboid] = []
        self._fallen = self._to_add = 0
        self._pipe = np.array([0.0, 0.85, 1.2]) / units
        self._target = np.array([0.0, 0.85, -0.44]) / units
        self._start = np.array([0.35, 0.15, -0.40]) / units
        self._size = np.array([0.25, 0.35, 0.20]) / units
        self._random = np.random.default_rng(0)

    def get_current_num_of_cubes_to_add(self) -> int:
        """How many cubes are still to fall."""
        return self._to_add

    def set_up_scene(self, scene: Scene) -> None:
        """Add the arm, the bin, and the cubes, which wait below all."""
        super().set_up_scene(scene)
        add_reference_to_stage(get_assets_root_path() + _ASSET, "/World/Scene")
        arm = UR10("/World/Scene/ur10", "my_ur10", attach_gripper=True, gripper_usd=None)
        self._robot = scene.add(arm)
        self._robot.set_joints_default_state(positions=np.array(START))
        turn = euler_angles_to_quat(np.array([0.0, 0.0, np.pi / 2]))
        self._bin = scene.add(
            RigidPrim("/World/Scene/bin", "packing_bin", self._start, orientation=turn)
        )
        edge = _EDGE / get_stage_units()
        for number in range(_CUBES):
            cube = DynamicCuboid(
                f"/World/cube_{number}", f"cube_{number}",
                position=np.array(_AWAY) / get_stage_units() + [0.0, 2.0 * edge * number, 0.0],
                size=1.0, scale=np.full(3, edge), visible=False, color=np.full(3, 0.6),
            )  # fmt: skip
            self._cubes.append(scene.add(cube))

    def get_observations(self) -> dict[str, Any]:
        """Where the bin and the end of the arm are."""
        position, orientation = self._bin.get_world_pose()
        end = self._robot.end_effector.get_world_pose()
        return {
            "packing_bin": {
                "position": position,
                "orientation": orientation,
                "target_position": self._target,
                "size": self._size,
            },
            "my_ur10": {
                "joint_positions": self._robot.get_joints_state().positions,
                "end_effector_position": end[0],
                "end_effector_orientation": end[1],
            },
        }

    def pre_step(self, time_step_index: int, simulation_time: float) -> None:
        """Let a cube fall, now and then."""
        super().pre_step(time_step_index, simulation_time)
        if self._to_add > 0 and self._fallen < _CUBES and time_step_index % _EVERY == 0:
            cube = self._cubes[self._fallen]
            turn = self._random.normal(size=4)
            cube.set_visibility(True)
            cube.enable_rigid_body_physics()
            cube.set_world_pose(self._pipe, turn / np.linalg.norm(turn))
            cube.set_linear_velocity(np.zeros(3))
            self._fallen, self._to_add = self._fallen + 1, self._to_add - 1

    def post_reset(self) -> None:
        """Begin again; the cubes rest where they wait."""
        self._to_add = self._fallen = 0
        for cube in self._cubes:
            cube.disable_rigid_body_physics()

    def add_cubes(self, cubes_number: int = 10) -> None:
        """Let so many more cubes fall, one after another."""
        self._to_add += cubes_number

    def cleanup(self) -> None:
        """Take the cubes away that have fallen."""
        for cube in self._cubes[: self._fallen]:
            cube.set_visibility(False)
            cube.set_world_pose(np.array(_AWAY) / get_stage_units())
            cube.disable_rigid_body_physics()
        self._fallen = 0

    def get_params(self) -> dict[str, Any]:
        """Names of the bin and of the robot."""
        return {
            "bin_name": modifiable(self._bin.name, False),
            "robot_name": modifiable(self._robot.name, False),
        }
