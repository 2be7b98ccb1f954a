"""Articulation: one robot."""

from __future__ import annotations

from typing import Any

import numpy as np

from unibody.isaac_core.functions.types import ArticulationAction, JointsState, Vector
from unibody.isaac_core.prims.articulation_controller import ArticulationController
from unibody.isaac_core.prims.articulation_view import ArticulationView
from unibody.isaac_core.prims.xform import XFormPrim, first, number, row, rows_of
from unibody.isaac_core.simulation.manager import simulation

_PROPERTIES = np.dtype([
    ("type", np.uint8), ("hasLimits", bool), ("lower", "f4"), ("upper", "f4"),
    ("driveMode", np.int32), ("maxVelocity", "f4"), ("maxEffort", "f4"), ("stiffness", "f4"),
    ("damping", "f4"),
])  # fmt: skip
_UNLIMITED = 1e30
"""From where on a number means that there is no limit."""


class Articulation(XFormPrim):
    """One robot: a root and what joints hold to it. Its arrays are rows of a view of one.

    Args:
        prim_path: Where it is, or above its root.
        name: By which a scene finds it.
        position: In the world.
        translation: To the parent, instead of a position.
        orientation: w, x, y, z.
        scale: To the parent.
        visible: Whether it is seen.
        articulation_controller: What applies actions; None: a new one.
    """

    def __init__(
        self,
        prim_path: str,
        name: str = "articulation",
        position: Vector | None = None,
        translation: Vector | None = None,
        orientation: Vector | None = None,
        scale: Vector | None = None,
        visible: bool | None = None,
        articulation_controller: ArticulationController | None = None,
    ) -> None:
        rows = rows_of(
            positions=position,
            translations=translation,
            orientations=orientation,
            scales=scale,
            visibilities=visible,
        )
        self._articulation_view = ArticulationView(prim_path, f"{name}_view", **rows)
        self._view_of(self._articulation_view, name)
        self._articulation_controller = articulation_controller or ArticulationController()
        if self._articulation_view.initialized:
            self._articulation_controller.initialize(self._articulation_view)

    @property
    def articulation_handle(self) -> Any:
        """The view of the physics."""
        return self._articulation_view._physics_view

    @property
    def handles_initialized(self) -> bool:
        """Whether there is a physics that can be asked."""
        return self._articulation_view.is_physics_handle_valid()

    @property
    def num_dof(self) -> int:
        """How many degrees of freedom it has; None before it plays."""
        return self._articulation_view.num_dof

    @property
    def num_bodies(self) -> int:
        """How many bodies it has; None before it plays."""
        return self._articulation_view.num_bodies

    @property
    def dof_names(self) -> list[str]:
        """Names of the degrees of freedom; None before it plays."""
        return self._articulation_view.dof_names

    @property
    def dof_properties(self) -> np.ndarray:
        """Properties of the degrees of freedom, an array with fields."""
        view, plain = self._articulation_view, simulation.backend_utils().to_numpy
        found = np.zeros(self.num_dof, dtype=_PROPERTIES)
        limits = plain(view.get_dof_limits())[0]
        stiffness, damping = (plain(one)[0] for one in view.get_gains())
        found["type"] = [int(kind) + 1 for kind in view.get_dof_types()]
        found["lower"], found["upper"] = limits[:, 0], limits[:, 1]
        found["hasLimits"] = np.abs(limits).max(axis=1) < _UNLIMITED
        found["driveMode"] = plain(view.get_drive_types())[0]
        found["maxVelocity"] = plain(view.get_joint_max_velocities())[0]
        found["maxEffort"] = plain(view.get_max_efforts())[0]
        found["stiffness"], found["damping"] = stiffness, damping
        return found

    def initialize(self, physics_sim_view: Any = None) -> None:
        """Take hold of the physics."""
        self._articulation_view.initialize(physics_sim_view)
        self._articulation_controller.initialize(self._articulation_view)

    def get_articulation_controller(self) -> ArticulationController:
        """What applies actions."""
        return self._articulation_controller

    def get_articulation_body_count(self) -> int:
        """How many bodies it has."""
        return self._articulation_view.get_articulation_body_count()

    def get_dof_index(self, dof_name: str) -> int:
        """Number of a degree of freedom."""
        return self._articulation_view.get_dof_index(dof_name)

    def apply_action(self, control_actions: ArticulationAction) -> None:
        """Set targets and efforts for the next step; what is None stays."""
        self._articulation_controller.apply_action(control_actions)

    def get_applied_action(self) -> ArticulationAction:
        """Targets and efforts that are set; None while nothing is simulated."""
        return self._articulation_controller.get_applied_action()

    def get_joint_positions(self, joint_indices: Any = None) -> np.ndarray:
        """Positions [rad or m]; None while nothing is simulated."""
        return first(self._articulation_view.get_joint_positions(None, joint_indices))

    def set_joint_positions(self, positions: Any, joint_indices: Any = None) -> None:
        """Put joints at positions, which become the targets, too."""
        self._articulation_view.set_joint_positions(row(positions), None, joint_indices)

    def get_joint_velocities(self, joint_indices: Any = None) -> np.ndarray:
        """Velocities [rad/s or m/s]; None while nothing is simulated."""
        return first(self._articulation_view.get_joint_velocities(None, joint_indices))

    def set_joint_velocities(self, velocities: Any, joint_indices: Any = None) -> None:
        """Give joints velocities, which become the targets, too."""
        self._articulation_view.set_joint_velocities(row(velocities), None, joint_indices)

    def set_joint_efforts(self, efforts: Any, joint_indices: Any = None) -> None:
        """Set efforts [N m or N], beside those of the drives."""
        self._articulation_view.set_joint_efforts(row(efforts), None, joint_indices)

    def get_applied_joint_efforts(self, joint_indices: Any = None) -> np.ndarray:
        """Efforts that were set."""
        return first(self._articulation_view.get_applied_joint_efforts(None, joint_indices))

    def get_measured_joint_efforts(self, joint_indices: Any = None) -> np.ndarray:
        """Efforts that act along the degrees of freedom."""
        return first(self._articulation_view.get_measured_joint_efforts(None, joint_indices))

    def get_measured_joint_forces(self, joint_indices: Any = None) -> np.ndarray:
        """(joints + 1, 6) forces and torques of joints; row 0 is the base."""
        return first(self._articulation_view.get_measured_joint_forces(None, joint_indices))

    def get_joints_state(self) -> JointsState:
        """Positions, velocities and efforts now; None while nothing is simulated."""
        state = self._articulation_view.get_joints_state()
        return None if state is None else _one(state)  # type: ignore[return-value]

    def get_joints_default_state(self) -> JointsState:
        """Positions, velocities and efforts by default."""
        return _one(self._articulation_view.get_joints_default_state())

    def set_joints_default_state(
        self, positions: Any = None, velocities: Any = None, efforts: Any = None
    ) -> None:
        """Set positions, velocities and efforts by default; what is None stays."""
        rows = rows_of(positions=positions, velocities=velocities, efforts=efforts)
        self._articulation_view.set_joints_default_state(**rows)

    def get_linear_velocity(self) -> np.ndarray:
        """Linear velocity of the root [m/s]."""
        return first(self._articulation_view.get_linear_velocities())

    def set_linear_velocity(self, velocity: Any) -> None:
        """Set the linear velocity of the root [m/s]."""
        self._articulation_view.set_linear_velocities(row(velocity))

    def get_angular_velocity(self) -> np.ndarray:
        """Angular velocity of the root [rad/s]."""
        return first(self._articulation_view.get_angular_velocities())

    def set_angular_velocity(self, velocity: Any) -> None:
        """Set the angular velocity of the root [rad/s]."""
        self._articulation_view.set_angular_velocities(row(velocity))

    def get_world_velocity(self) -> np.ndarray:
        """Linear [m/s], then angular velocity [rad/s] of the root."""
        return first(self._articulation_view.get_velocities())

    def set_world_velocity(self, velocity: Any) -> None:
        """Set linear [m/s], then angular velocity [rad/s] of the root."""
        self._articulation_view.set_velocities(row(velocity))

    def enable_gravity(self) -> None:
        """Let gravity act on all bodies."""
        self._set_gravity(off=False)

    def disable_gravity(self) -> None:
        """Let gravity act on none of the bodies."""
        self._set_gravity(off=True)

    def _set_gravity(self, *, off: bool) -> None:
        view = self._articulation_view
        view.set_body_disable_gravity(np.full((1, view.num_bodies or 0), off))

    def get_solver_position_iteration_count(self) -> int:
        """Iterations for positions; a record."""
        return int(number(self._articulation_view.get_solver_position_iteration_counts()))

    def set_solver_position_iteration_count(self, count: int) -> None:
        """Set the iterations for positions."""
        self._articulation_view.set_solver_position_iteration_counts([count])

    def get_solver_velocity_iteration_count(self) -> int:
        """Iterations for velocities; a record."""
        return int(number(self._articulation_view.get_solver_velocity_iteration_counts()))

    def set_solver_velocity_iteration_count(self, count: int) -> None:
        """Set the iterations for velocities."""
        self._articulation_view.set_solver_velocity_iteration_counts([count])

    def get_stabilization_threshold(self) -> float:
        """Energy over mass below which it may be stabilised; a record."""
        return float(number(self._articulation_view.get_stabilization_thresholds()))

    def set_stabilization_threshold(self, threshold: float) -> None:
        """Set the energy over mass below which it may be stabilised."""
        self._articulation_view.set_stabilization_thresholds([threshold])

    def get_sleep_threshold(self) -> float:
        """Energy over mass below which it may sleep; a record."""
        return float(number(self._articulation_view.get_sleep_thresholds()))

    def set_sleep_threshold(self, threshold: float) -> None:
        """Set the energy over mass below which it may sleep."""
        self._articulation_view.set_sleep_thresholds([threshold])

    def get_enabled_self_collisions(self) -> bool:
        """Whether its bodies collide with one another."""
        return bool(number(self._articulation_view.get_enabled_self_collisions()))

    def set_enabled_self_collisions(self, flag: bool) -> None:
        """Set whether its bodies collide with one another."""
        self._articulation_view.set_enabled_self_collisions([flag])


def _one(state: JointsState) -> JointsState:
    return JointsState(first(state.positions), first(state.velocities), first(state.efforts))
