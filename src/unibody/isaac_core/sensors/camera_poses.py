"""Poses of cameras, in three conventions of their axes."""

from __future__ import annotations

from typing import Any

import numpy as np

from unibody.core.assets.transforms import quat_conjugate, quat_multiply
from unibody.core.engine.kinematics.chain import rotation_matrix
from unibody.errors import InvalidArgumentError
from unibody.isaac_core.prims.base_sensor import BaseSensor

# Rotation that takes axes of USD (y up, looking along -z) to those of a convention, w x y z.
_AXES = {
    "usd": (1.0, 0.0, 0.0, 0.0),
    "world": (0.5, -0.5, 0.5, 0.5),  # x forward, z up
    "ros": (0.0, 1.0, 0.0, 0.0),  # z forward, y down
}


class CameraPose(BaseSensor):
    """A sensor whose orientation is that of a camera's axes."""

    def get_world_pose(self, camera_axes: str = "world") -> tuple[np.ndarray, np.ndarray]:
        """Position and orientation, w, x, y, z.

        Args:
            camera_axes: "world": x forward, z up; "ros": z forward, y down; "usd": y up, looking
                along -z.
        """
        position, orientation = super().get_world_pose()
        return position, _turned(orientation, camera_axes)

    def set_world_pose(
        self,
        position: Any = None,
        orientation: Any = None,
        camera_axes: str = "world",
    ) -> None:
        """Set position and orientation; what is None stays."""
        super().set_world_pose(position, _back(orientation, camera_axes))

    def get_local_pose(self, camera_axes: str = "world") -> tuple[np.ndarray, np.ndarray]:
        """Translation and orientation to the parent; see `get_world_pose`."""
        translation, orientation = super().get_local_pose()
        return translation, _turned(orientation, camera_axes)

    def set_local_pose(
        self,
        translation: Any = None,
        orientation: Any = None,
        camera_axes: str = "world",
    ) -> None:
        """Set translation and orientation to the parent; what is None stays."""
        super().set_local_pose(translation, _back(orientation, camera_axes))

    def get_view_matrix_ros(self) -> np.ndarray:
        """From the world to the camera's axes z forward and y down, (4, 4)."""
        position, orientation = self.get_world_pose("ros")
        turn = rotation_matrix(_quat(orientation)).T
        matrix = np.eye(4)
        matrix[:3, :3] = turn
        matrix[:3, 3] = -turn @ np.asarray(position, float)
        return matrix


def _quat(value: Any) -> tuple[float, float, float, float]:
    w, x, y, z = (float(part) for part in np.asarray(value, float).ravel())
    return w, x, y, z


def _axes(name: str) -> tuple[float, float, float, float]:
    if name not in _AXES:
        raise InvalidArgumentError("camera_axes", name, f"one of {list(_AXES)}")
    return _AXES[name]


def _turned(orientation: Any, axes: str) -> np.ndarray:
    return np.array(quat_multiply(_quat(orientation), _axes(axes)))


def _back(orientation: Any, axes: str) -> np.ndarray | None:
    turn = quat_conjugate(_axes(axes))
    return None if orientation is None else np.array(quat_multiply(_quat(orientation), turn))
