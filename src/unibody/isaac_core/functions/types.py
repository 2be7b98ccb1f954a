"""Records of states and actions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from pxr import Usd

if TYPE_CHECKING:
    from numpy.typing import NDArray

Numbers = list[Any] | np.ndarray | None
Vector = Sequence[float] | np.ndarray


class DataFrame:
    """One frame of a log.

    Args:
        current_time_step: Number of the step.
        current_time: Its time [s].
        data: What was logged.
    """

    def __init__(self, current_time_step: int, current_time: float, data: dict[str, Any]) -> None:
        self.current_time_step = current_time_step
        self.current_time = current_time
        self.data = data

    def get_dict(self) -> dict[str, Any]:
        """The frame as a dict."""
        return {
            "current_time": self.current_time,
            "current_time_step": self.current_time_step,
            "data": self.data,
        }

    def __str__(self) -> str:
        return str(self.get_dict())

    @classmethod
    def init_from_dict(cls, dict_representation: dict[str, Any]) -> DataFrame:
        """The frame of a dict."""
        return cls(
            dict_representation["current_time_step"],
            dict_representation["current_time"],
            dict_representation["data"],
        )


class DOFInfo:
    """Where a degree of freedom is found."""

    def __init__(self, prim_path: str, handle: int, prim: Usd.Prim, index: int) -> None:
        self.prim_path: str = prim_path
        self.handle: int = handle
        self.prim: Any = prim
        self.index: int = index


class XFormPrimState:
    """Pose of a prim: position, and orientation w, x, y, z."""

    def __init__(self, position: np.ndarray, orientation: np.ndarray) -> None:
        self.position: NDArray[Any] = position
        self.orientation: NDArray[Any] = orientation


class XFormPrimViewState:
    """Poses of prims: positions, and orientations w, x, y, z."""

    def __init__(self, positions: Any, orientations: Any) -> None:
        self.positions: Any = positions
        self.orientations: Any = orientations


class DynamicState:
    """Pose and velocities of a body."""

    def __init__(
        self,
        position: np.ndarray,
        orientation: np.ndarray,
        linear_velocity: np.ndarray,
        angular_velocity: np.ndarray,
    ) -> None:
        self.position: NDArray[Any] = position
        self.orientation: NDArray[Any] = orientation
        self.linear_velocity: NDArray[Any] = linear_velocity
        self.angular_velocity: NDArray[Any] = angular_velocity


class DynamicsViewState:
    """Poses and velocities of bodies."""

    def __init__(
        self, positions: Any, orientations: Any, linear_velocities: Any, angular_velocities: Any
    ) -> None:
        self.positions: Any = positions
        self.orientations: Any = orientations
        self.linear_velocities = linear_velocities
        self.angular_velocities = angular_velocities


class JointsState:
    """Positions, velocities and efforts of joints."""

    def __init__(
        self,
        positions: np.ndarray,
        velocities: np.ndarray,
        efforts: np.ndarray,
    ) -> None:
        self.positions: NDArray[Any] = positions
        self.velocities: NDArray[Any] = velocities
        self.efforts: NDArray[Any] = efforts


class ArticulationAction:
    """Targets of joints; those that are None are left as they are.

    Args:
        joint_positions: Positions [rad or m].
        joint_velocities: Velocities [rad/s or m/s].
        joint_efforts: Efforts [N m or N].
        joint_indices: Which joints; None: all.
    """

    def __init__(
        self,
        joint_positions: Numbers = None,
        joint_velocities: Numbers = None,
        joint_efforts: Numbers = None,
        joint_indices: Numbers = None,
    ) -> None:
        self.joint_positions = joint_positions
        self.joint_velocities = joint_velocities
        self.joint_efforts = joint_efforts
        self.joint_indices = joint_indices

    def get_dof_action(self, index: int) -> dict[str, Any]:
        """The targets of one joint, by the names "position", "velocity" and "effort"."""
        targets = {
            "position": self.joint_positions,
            "velocity": self.joint_velocities,
            "effort": self.joint_efforts,
        }
        return {name: found[index] for name, found in targets.items() if found is not None}

    def get_dict(self) -> dict[str, Any]:
        """The action as a dict of lists; None for what it leaves."""
        names = ("joint_positions", "joint_velocities", "joint_efforts")
        return {name: _listed(getattr(self, name)) for name in names}

    def get_length(self) -> int | None:
        """How many joints it is for; None if it does not say."""
        fields = (self.joint_positions, self.joint_velocities, self.joint_efforts)
        return next(
            (len(found) for found in (*fields, self.joint_indices) if found is not None), None
        )

    def __str__(self) -> str:
        return str(self.get_dict())

    __repr__ = __str__


class ArticulationActions:
    """Targets of the joints of many robots, a row for each."""

    def __init__(
        self,
        joint_positions: Numbers = None,
        joint_velocities: Numbers = None,
        joint_efforts: Numbers = None,
        joint_indices: Numbers = None,
        joint_names: list[str] | None = None,
    ) -> None:
        self.joint_positions = joint_positions
        self.joint_velocities = joint_velocities
        self.joint_efforts = joint_efforts
        self.joint_indices = joint_indices
        self.joint_names = joint_names


def _listed(found: Any) -> list[Any] | None:
    return found if found is None or isinstance(found, list) else np.asarray(found).tolist()
