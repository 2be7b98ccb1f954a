"""LulaKinematicsSolver: kinematics of an arm of a file, under the name of Lula's."""

from __future__ import annotations

from typing import Any

import numpy as np

from unibody.core.assets.description import Pose
from unibody.core.assets.transforms import pose_inverse, pose_multiply
from unibody.core.engine.kinematics.chain import rotation_matrix
from unibody.errors import NotSupportedError
from unibody.isaac_core.motion.arm import Arm, Found

_POSITION, _ORIENTATION = 0.01, 0.01  # m, rad
_SEEDS = 20


class LulaKinematicsSolver:
    """Forward and inverse kinematics of an arm.

    It is damped least squares from several starts, in place of Lula's search: where several
    positions of joints reach a target, it may find another one.

    Args:
        robot_description_path: YAML file with the active joints.
        urdf_path: The arm.
        robot_description: A description of Lula's own.

    Raises:
        NotSupportedError: ``robot_description`` was given.
    """

    def __init__(
        self, robot_description_path: str, urdf_path: str, robot_description: Any = None
    ) -> None:
        if robot_description is not None:
            raise NotSupportedError("a description of Lula", "robot_description_path and urdf_path")
        self.arm: Arm = Arm(urdf_path, robot_description_path)
        self._base = Pose()
        self._tolerances = (_POSITION, _ORIENTATION)
        self._seeds = self.arm.seeds(_SEEDS)

    def set_robot_base_pose(self, robot_position: Any, robot_orientation: Any) -> None:
        """Say where the base is in the world.

        Args:
            robot_position: [m].
            robot_orientation: w, x, y, z.
        """
        self._base = _pose(robot_position, robot_orientation)

    def base(self) -> tuple[np.ndarray, np.ndarray]:
        """Where the base is in the world: position (3,) [m] and rotation (3, 3)."""
        return np.array(self._base.pos), rotation_matrix(self._base.quat)

    def get_joint_names(self) -> list[str]:
        """Names of the active joints."""
        return list(self.arm.active)

    def get_all_frame_names(self) -> list[str]:
        """Names of the frames."""
        return list(self.arm.frames)

    def get_cspace_position_limits(self) -> tuple[np.ndarray, np.ndarray]:
        """Lower and upper limits of the active joints [rad or m]."""
        return self.arm.lower.copy(), self.arm.upper.copy()

    def compute_forward_kinematics(
        self, frame_name: str, joint_positions: Any, position_only: bool | None = False
    ) -> tuple[np.ndarray, np.ndarray | None]:
        """Where a frame is in the world.

        Args:
            frame_name: Name of the frame.
            joint_positions: Of the active joints.
            position_only: Whether the orientation is left out.

        Returns:
            Position (3,) [m] and rotation (3, 3), None if it was left out.
        """
        own = self.arm.pose(self.arm.frame(frame_name), np.asarray(joint_positions, float).tolist())
        pose = pose_multiply(self._base, own)
        return np.array(pose.pos), None if position_only else rotation_matrix(pose.quat)

    def compute_inverse_kinematics(
        self,
        frame_name: str,
        target_position: Any,
        target_orientation: Any = None,
        warm_start: Any = None,
        position_tolerance: float | None = None,
        orientation_tolerance: float | None = None,
    ) -> tuple[np.ndarray, bool]:
        """Positions of the active joints that bring a frame to a target in the world.

        Args:
            frame_name: Name of the frame.
            target_position: [m].
            target_orientation: w, x, y, z; None: any.
            warm_start: Positions of joints to begin with; None: those by default.
            position_tolerance: At which it is reached [m]; None: that by default.
            orientation_tolerance: The same [rad].

        Returns:
            The positions, and whether they reach it.
        """
        near, straight = (
            own if given is None else float(given)
            for own, given in zip(
                self._tolerances, (position_tolerance, orientation_tolerance), strict=True
            )
        )
        link = self.arm.frame(frame_name)
        goal = pose_multiply(pose_inverse(self._base), _pose(target_position, target_orientation))
        turn = None if target_orientation is None else goal.quat
        starts = (
            self._seeds if warm_start is None else [np.asarray(warm_start, float), *self._seeds]
        )
        best: Found | None = None
        for start in starts:
            found = self.arm.solve(link, goal.pos, turn, start.tolist())
            if best is None or found.distance + found.angle < best.distance + best.angle:
                best = found
            if best.distance <= near and best.angle <= straight:
                break
        assert best is not None
        return best.positions, best.distance <= near and best.angle <= straight

    def nearest(
        self,
        frame_name: str,
        target_position: Any,
        target_orientation: Any,
        here: np.ndarray,
    ) -> np.ndarray | None:
        """Positions of the active joints that reach a target, the nearest that were found.

        Args:
            frame_name: Name of the frame.
            target_position: In the world [m].
            target_orientation: w, x, y, z; None: any.
            here: Positions of the joints to which they shall be near.

        Returns:
            None where neither the way from there nor from the positions by default leads to it.
        """
        link = self.arm.frame(frame_name)
        goal = pose_multiply(pose_inverse(self._base), _pose(target_position, target_orientation))
        turn = None if target_orientation is None else goal.quat
        found = [
            self.arm.solve(link, goal.pos, turn, start.tolist())
            for start in (here, self.arm.default)
        ]
        reached = [
            one.positions
            for one in found
            if one.distance <= self._tolerances[0] and one.angle <= self._tolerances[1]
        ]
        return min(reached, key=lambda one: float(np.abs(one - here).max()), default=None)

    def supports_collision_avoidance(self) -> bool:
        """Whether obstacles are avoided: they are not."""
        return False

    def set_default_position_tolerance(self, tolerance: float) -> None:
        """Set at which distance a target is reached [m]."""
        self._tolerances = (float(tolerance), self._tolerances[1])

    def set_default_orientation_tolerance(self, tolerance: float) -> None:
        """Set at which angle a target is reached [rad]."""
        self._tolerances = (self._tolerances[0], float(tolerance))

    def get_default_position_tolerance(self) -> float:
        """At which distance a target is reached [m]."""
        return self._tolerances[0]

    def get_default_orientation_tolerance(self) -> float:
        """At which angle a target is reached [rad]."""
        return self._tolerances[1]

    def set_default_cspace_seeds(self, seeds: Any) -> None:
        """Set positions of joints that the search begins with, (n, joints)."""
        self._seeds = [np.asarray(seed, float) for seed in np.atleast_2d(np.asarray(seeds, float))]

    def get_default_cspace_seeds(self) -> np.ndarray:
        """Positions of joints that the search begins with, (n, joints)."""
        return np.array(self._seeds)

    def update_world(self, updated_obstacles: list[Any] | None = None) -> None:
        """Take note of obstacles that moved: there are none."""

    def add_obstacle(self, obstacle: Any, static: bool | None = False) -> bool:
        """Avoid an obstacle.

        Raises:
            NotSupportedError: Always.
        """
        raise NotSupportedError("obstacles of arms", "targets that lead around them")


def _pose(position: Any, orientation: Any) -> Pose:
    x, y, z = np.asarray(position, float).tolist()
    if orientation is None:
        return Pose((x, y, z))
    turn = np.asarray(orientation, float)
    a, b, c, d = (turn / np.linalg.norm(turn)).tolist()
    return Pose((x, y, z), (a, b, c, d))
