"""Trajectories, and what follows them."""

from __future__ import annotations

from abc import ABC, abstractmethod

from unibody.isaac_core.experimental.motion.controllers import BaseController
from unibody.isaac_core.experimental.motion.states import RobotState


class Trajectory(ABC):
    """States of a robot from the time 0 on."""

    @property
    @abstractmethod
    def duration(self) -> float:
        """How long it is [s]."""

    @abstractmethod
    def get_target_state(self, time: float) -> RobotState | None:
        """The state at a time [s]; None where there is none."""


class TrajectoryFollower(BaseController):
    """Wants what a trajectory says, from the time of `reset` on."""

    def __init__(self) -> None:
        self._trajectory: Trajectory | None = None
        self._begun: float | None = None

    def set_trajectory(self, trajectory: Trajectory) -> None:
        """Follow another trajectory, once it begins with `reset`."""
        self._trajectory, self._begun = trajectory, None

    def has_trajectory(self) -> bool:
        """Whether there is one; one that has ended is forgotten."""
        return self._trajectory is not None

    def reset(
        self,
        estimated_state: RobotState,
        setpoint_state: RobotState | None,
        t: float,
        **kwargs: object,
    ) -> bool:
        """Begin the trajectory at a time [s]; whether there is one."""
        if self._trajectory is None:
            return False
        self._begun = t
        return True

    def forward(
        self,
        estimated_state: RobotState,
        setpoint_state: RobotState | None,
        t: float,
        **kwargs: object,
    ) -> RobotState | None:
        """The state of the trajectory at a time [s]; None before it began, and once it ended."""
        if self._trajectory is None or self._begun is None:
            return None
        passed = t - self._begun
        if not 0.0 <= passed <= self._trajectory.duration:
            self._trajectory = self._begun = None
            return None
        return self._trajectory.get_target_state(passed)
