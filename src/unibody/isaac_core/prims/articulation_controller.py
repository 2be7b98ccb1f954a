"""ArticulationController: drives of one robot."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from unibody.errors import InvalidArgumentError
from unibody.isaac_core import arrays, convert
from unibody.isaac_core.functions.types import ArticulationAction, ArticulationActions
from unibody.isaac_core.simulation.manager import simulation

if TYPE_CHECKING:
    from unibody.isaac_core.prims.articulation_view import ArticulationView


class ArticulationController:
    """Applies actions to the joints of one robot; `initialize` says to which."""

    def __init__(self) -> None:
        self._view: ArticulationView | None = None

    @property
    def _robot(self) -> ArticulationView:
        if self._view is None:
            raise RuntimeError(
                "ArticulationController is not initialized. Call initialize() first."
            )
        return self._view

    def initialize(self, articulation_view: ArticulationView) -> None:
        """Take a robot.

        Args:
            articulation_view: A view of one.
        """
        self._view = articulation_view

    def apply_action(self, control_actions: ArticulationAction) -> None:
        """Set targets and efforts for the next step.

        Args:
            control_actions: What is None, a field or a number of a field, stays as it is.
        """
        robot = self._robot
        applied = robot.get_applied_actions()
        if applied is None:
            return
        dofs = robot._dofs(control_actions.joint_indices)
        fields = ("joint_positions", "joint_velocities", "joint_efforts")
        wanted = {
            name: _filled(name, getattr(control_actions, name), getattr(applied, name), dofs)
            for name in fields
        }
        robot.apply_action(ArticulationActions(**wanted, joint_indices=dofs))

    def get_applied_action(self) -> ArticulationAction:
        """Targets and efforts that are set; None while nothing is simulated."""
        applied = self._robot.get_applied_actions()
        if applied is None:
            return None  # type: ignore[return-value]
        rows = (applied.joint_positions, applied.joint_velocities, applied.joint_efforts)
        return ArticulationAction(*(_first(one) for one in rows))

    def get_gains(self) -> tuple[np.ndarray, np.ndarray]:
        """Stiffnesses and dampings."""
        kps, kds = self._robot.get_gains()
        return _first(kps), _first(kds)

    def set_gains(self, kps: Any = None, kds: Any = None, save_to_usd: bool = False) -> None:
        """Set stiffnesses and dampings.

        Args:
            kps: One for each degree of freedom; None: as they are.
            kds: One for each degree of freedom; None: as they are.
            save_to_usd: Whether they are written to the stage, instead.
        """
        kps, kds = (None if one is None else _row(one) for one in (kps, kds))
        self._robot.set_gains(kps, kds, save_to_usd=save_to_usd)

    def get_max_efforts(self) -> np.ndarray:
        """The most that the drives can do [N m or N]."""
        return _first(self._robot.get_max_efforts())

    def set_max_efforts(self, values: Any, joint_indices: Any = None) -> None:
        """Set the most that the drives can do [N m or N]."""
        self._robot.set_max_efforts(_row(values), None, joint_indices)

    def get_effort_modes(self) -> list[str]:
        """Whether the drives give a "force" or an "acceleration"."""
        return self._robot.get_effort_modes()[0]

    def set_effort_modes(self, mode: str, joint_indices: Any = None) -> None:
        """Choose whether the drives give a "force" or an "acceleration"."""
        self._robot.set_effort_modes(mode, None, joint_indices)

    def get_joint_limits(self) -> tuple[np.ndarray, np.ndarray]:
        """Lowest and highest positions [rad or m]."""
        limits = _first(self._robot.get_dof_limits())
        return limits[:, 0], limits[:, 1]

    def switch_control_mode(self, mode: str) -> None:
        """Choose control by "position", "velocity" or "effort"."""
        self._robot.switch_control_mode(mode)

    def switch_dof_control_mode(self, dof_index: int, mode: str) -> None:
        """The same for one degree of freedom."""
        self._robot.switch_dof_control_mode(mode, dof_index)


def _filled(name: str, new: Any, old: Any, dofs: np.ndarray) -> Any:
    """A row of targets whose Nones are those that are set."""
    if new is None:
        return None
    values = new if isinstance(new, list | tuple) else convert.plain(new)
    if len(values) != len(dofs):
        raise InvalidArgumentError(name, f"{len(values)} numbers", f"{len(dofs)} numbers")
    if not any(value is None for value in values):
        return _row(new)
    held = convert.plain(old)[0][dofs]
    merged = [held[k] if value is None else float(value) for k, value in enumerate(values)]
    return arrays.out(np.array([merged]))


def _row(values: Any) -> Any:
    if hasattr(values, "detach"):
        return values[None]
    return np.asarray(convert.plain(values))[None]


def _first(values: Any) -> Any:
    if simulation.backend == "warp":
        return simulation.backend_utils().convert(values.numpy()[0], device=simulation.device)
    return values[0]
