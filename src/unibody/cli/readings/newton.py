"""What is recorded of a step of one of Newton's solvers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from unibody.cli.readings.base import F64, plain
from unibody.newton.solvers.base import SolverStep

if TYPE_CHECKING:
    from unibody.core.render.visual_shapes import VisualShape

_STATE = ("joint_q", "joint_qd", "body_q", "body_qd", "particle_q", "particle_qd")
_ACTION = ("joint_target_pos", "joint_target_vel", "joint_f")


def make(step: SolverStep) -> NewtonReadings:
    """Readings of a step."""
    return NewtonReadings(step)


class NewtonReadings:
    """The arrays of a state and of what controls it."""

    def __init__(self, step: SolverStep) -> None:
        self._step = step
        self.state: list[str] = _names(self._state())
        self.action: list[str] = _names(self._action())
        from unibody.newton.window.page import parts_of_model

        self.parts: list[VisualShape] = parts_of_model(step.model, None)

    def follow(self, stepped: SolverStep) -> None:
        """Take over a step."""
        self._step = stepped

    def _state(self) -> list[tuple[str, Any]]:
        return [(name, getattr(self._step.state, name)) for name in _STATE]

    def _action(self) -> list[tuple[str, Any]]:
        source = self._step.control or self._step.model
        return [(name, getattr(source, name, None)) for name in _ACTION]

    def read_state(self) -> F64:
        """Coordinates and velocities of joints, bodies and particles."""
        return _values(self._state())

    def read_action(self) -> F64:
        """Targets and forces of joints."""
        return _values(self._action())

    def read_poses(self) -> tuple[F64, F64]:
        """Where the world and the bodies are."""
        poses = np.zeros((self._step.model.body_count + 1, 7))
        poses[0, 6] = 1.0
        if self._step.state.body_q is not None:
            poses[1:] = self._step.state.body_q.numpy()
        return poses[:, :3], poses[:, [6, 3, 4, 5]]


def _names(arrays: list[tuple[str, Any]]) -> list[str]:
    return [
        plain(name, k) for name, array in arrays if array is not None
        for k in range(array.numpy().size)
    ]  # fmt: skip


def _values(arrays: list[tuple[str, Any]]) -> F64:
    found = [array.numpy().ravel() for _, array in arrays if array is not None]
    return np.concatenate([*found, np.zeros(0)]).astype(np.float64)
