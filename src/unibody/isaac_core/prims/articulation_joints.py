"""State and targets of the joints of articulations."""

from __future__ import annotations

from typing import Any

from unibody.isaac_core import arrays
from unibody.isaac_core.functions.types import ArticulationActions, JointsState
from unibody.isaac_core.kit import log
from unibody.isaac_core.prims.articulation_base import ArticulationBase
from unibody.isaac_core.prims.xform_view import Array


class ArticulationJoints(ArticulationBase):
    """(M, K) of M articulations and K degrees of freedom, in [rad or m] and per second."""

    def get_joint_positions(
        self,
        indices: Array = None,
        joint_indices: Array = None,
        clone: bool = True,
        joint_names: list[str] | None = None,
    ) -> Array:
        """(M, K) positions; None while nothing is simulated."""
        return self._joints("get_dof_positions", indices, joint_indices, joint_names, clone)

    def get_joint_velocities(
        self,
        indices: Array = None,
        joint_indices: Array = None,
        clone: bool = True,
        joint_names: list[str] | None = None,
    ) -> Array:
        """(M, K) velocities; None while nothing is simulated."""
        return self._joints("get_dof_velocities", indices, joint_indices, joint_names, clone)

    def get_applied_joint_efforts(
        self,
        indices: Array = None,
        joint_indices: Array = None,
        clone: bool = True,
        joint_names: list[str] | None = None,
    ) -> Array:
        """(M, K) efforts that were set; None while nothing is simulated."""
        return self._joints("get_dof_actuation_forces", indices, joint_indices, joint_names, clone)

    def get_measured_joint_efforts(
        self,
        indices: Array = None,
        joint_indices: Array = None,
        clone: bool = True,
        joint_names: list[str] | None = None,
    ) -> Array:
        """(M, K) efforts that act along the degrees of freedom."""
        getter = "get_dof_projected_joint_forces"
        return self._joints(getter, indices, joint_indices, joint_names, clone)

    def get_measured_joint_forces(
        self,
        indices: Array = None,
        joint_indices: Array = None,
        clone: bool = True,
        joint_names: list[str] | None = None,
    ) -> Array:
        """(M, joints + 1, 6) forces and torques of the joints on bodies; row 0: base."""
        if not self._ready("get_measured_joint_forces"):
            return None
        if joint_names is not None:
            joint_indices = [self.get_joint_index(name) + 1 for name in joint_names]
        bodies = arrays.rows(joint_indices, self.num_bodies)
        return self._read("get_link_incoming_joint_force", indices, bodies, clone)

    def set_joint_positions(
        self,
        positions: Array,
        indices: Array = None,
        joint_indices: Array = None,
        joint_names: list[str] | None = None,
    ) -> None:
        """Put joints at (M, K) positions, which become the targets, too."""
        dofs = self._dofs(joint_indices, joint_names)
        self._write_columns("dof_positions", positions, indices, dofs)
        self._write_columns("dof_position_targets", positions, indices, dofs)

    def set_joint_velocities(
        self,
        velocities: Array,
        indices: Array = None,
        joint_indices: Array = None,
        joint_names: list[str] | None = None,
    ) -> None:
        """Give joints (M, K) velocities, which become the targets, too."""
        dofs = self._dofs(joint_indices, joint_names)
        self._write_columns("dof_velocities", velocities, indices, dofs)
        self._write_columns("dof_velocity_targets", velocities, indices, dofs)

    def set_joint_position_targets(
        self,
        positions: Array,
        indices: Array = None,
        joint_indices: Array = None,
        joint_names: list[str] | None = None,
    ) -> None:
        """Set the (M, K) positions that drives aim at."""
        dofs = self._dofs(joint_indices, joint_names)
        self._write_columns("dof_position_targets", positions, indices, dofs)

    def set_joint_velocity_targets(
        self,
        velocities: Array,
        indices: Array = None,
        joint_indices: Array = None,
        joint_names: list[str] | None = None,
    ) -> None:
        """Set the (M, K) velocities that drives aim at."""
        dofs = self._dofs(joint_indices, joint_names)
        self._write_columns("dof_velocity_targets", velocities, indices, dofs)

    def set_joint_efforts(
        self,
        efforts: Array,
        indices: Array = None,
        joint_indices: Array = None,
        joint_names: list[str] | None = None,
    ) -> None:
        """Set (M, K) efforts [N m or N], beside those of the drives."""
        dofs = self._dofs(joint_indices, joint_names)
        self._write_columns("dof_actuation_forces", efforts, indices, dofs)

    def apply_action(self, control_actions: ArticulationActions, indices: Array = None) -> None:
        """Set targets and efforts for the next step; what is None stays."""
        wanted, names = control_actions, getattr(control_actions, "joint_names", None)
        for new, name in (
            (wanted.joint_positions, "dof_position_targets"),
            (wanted.joint_velocities, "dof_velocity_targets"),
            (wanted.joint_efforts, "dof_actuation_forces"),
        ):
            if new is not None:
                dofs = self._dofs(wanted.joint_indices, names)
                self._write_columns(name, new, indices, dofs)

    def get_applied_actions(self, clone: bool = True) -> ArticulationActions:
        """Targets and efforts that are set; None while nothing is simulated."""
        if not self._ready("get_applied_actions"):
            return None  # type: ignore[return-value]
        names = ("position_targets", "velocity_targets", "actuation_forces")
        one, two, three = (self._read(f"get_dof_{name}", None, None, clone) for name in names)
        return ArticulationActions(one, two, three, None)

    def get_joints_state(self) -> JointsState:
        """Positions, velocities and efforts now; None while nothing is simulated."""
        if not self._ready("get_joints_state"):
            return None  # type: ignore[return-value]
        return JointsState(
            self.get_joint_positions(),
            self.get_joint_velocities(),
            self.get_applied_joint_efforts(),
        )

    def get_joints_default_state(self) -> JointsState:
        """Positions, velocities and efforts by default."""
        state = self._joint_state
        found: list[Any] = [state.get(name) for name in ("positions", "velocities", "efforts")]
        return JointsState(*found)

    def set_joints_default_state(
        self, positions: Array = None, velocities: Array = None, efforts: Array = None
    ) -> None:
        """Set positions, velocities and efforts by default; what is None stays."""
        new = {"positions": positions, "velocities": velocities, "efforts": efforts}
        self._joint_state.update({name: one for name, one in new.items() if one is not None})

    def pause_motion(self) -> None:
        """Hold the joints where they are, until `resume_motion`."""
        names = ("dof_position_targets", "dof_velocity_targets", "dof_velocities")
        self._paused = {name: self._read(f"get_{name}", None, None) for name in names}
        zero = self.get_joint_velocities() * 0
        self._write_columns("dof_velocities", zero, None, self._dofs(None))
        self._write_columns("dof_velocity_targets", zero, None, self._dofs(None))
        self.set_joint_position_targets(self.get_joint_positions())

    def resume_motion(self) -> None:
        """Let the joints go on as they did before `pause_motion`; without it a warning is shown."""
        if not self._paused:
            log.log_warn(f"resume_motion of {self._regex_prim_paths}: pause_motion was not called")
        for name, values in self._paused.items():
            self._write_columns(name, values, None, self._dofs(None))
        self._paused = {}

    def _joints(self, getter: str, indices: Any, dofs: Any, names: Any, clone: bool) -> Any:
        if not self._ready(getter):
            return None
        return self._read(getter, indices, self._dofs(dofs, names), clone)
