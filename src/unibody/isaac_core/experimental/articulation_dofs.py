"""Degrees of freedom of articulations: state, targets, drives and limits."""

from __future__ import annotations

from typing import Any

import numpy as np
from pxr import UsdPhysics

from unibody.errors import InvalidArgumentError, UnibodyError
from unibody.isaac_core import arrays, convert
from unibody.isaac_core.experimental.arguments import Array, table, warp
from unibody.isaac_core.experimental.moving_prim import MovingPrim
from unibody.isaac_core.functions import prims as functions

_KEPT = {"position": (1.0, 1.0), "velocity": (0.0, 1.0), "effort": (0.0, 0.0)}
_FRICTIONS = ("static_frictions", "dynamic_frictions", "viscous_frictions")
_DRIVE_MODEL = (
    "speed_effort_gradients", "maximum_actuator_velocities", "velocity_dependent_resistances",
)  # fmt: skip


class ArticulationDofs(MovingPrim):
    """(N, D) of N articulations and D degrees of freedom, in [rad or m] and per second."""

    _gains: list[np.ndarray] | None = None

    def get_dof_positions(
        self, *, indices: Array | None = None, dof_indices: Array | None = None
    ) -> Any:
        """(N, D) positions."""
        return self._read("get_joint_positions", indices, dof_indices)

    def set_dof_positions(
        self, positions: Array, *, indices: Array | None = None, dof_indices: Array | None = None
    ) -> None:
        """Put joints at (N, D) positions, and let drives aim at them."""
        self._write("dof_positions", positions, indices, dof_indices)
        self._write("dof_position_targets", positions, indices, dof_indices)

    def get_dof_position_targets(
        self, *, indices: Array | None = None, dof_indices: Array | None = None
    ) -> Any:
        """(N, D) positions that drives aim at."""
        return self._columns("dof_position_targets", indices, dof_indices)

    def set_dof_position_targets(
        self, positions: Array, *, indices: Array | None = None, dof_indices: Array | None = None
    ) -> None:
        """Set the (N, D) positions that drives aim at."""
        self._write("dof_position_targets", positions, indices, dof_indices)

    def get_dof_velocities(
        self, *, indices: Array | None = None, dof_indices: Array | None = None
    ) -> Any:
        """(N, D) velocities."""
        return self._read("get_joint_velocities", indices, dof_indices)

    def set_dof_velocities(
        self, velocities: Array, *, indices: Array | None = None, dof_indices: Array | None = None
    ) -> None:
        """Give joints (N, D) velocities, and let drives aim at them."""
        self._write("dof_velocities", velocities, indices, dof_indices)
        self._write("dof_velocity_targets", velocities, indices, dof_indices)

    def get_dof_velocity_targets(
        self, *, indices: Array | None = None, dof_indices: Array | None = None
    ) -> Any:
        """(N, D) velocities that drives aim at."""
        return self._columns("dof_velocity_targets", indices, dof_indices)

    def set_dof_velocity_targets(
        self, velocities: Array, *, indices: Array | None = None, dof_indices: Array | None = None
    ) -> None:
        """Set the (N, D) velocities that drives aim at."""
        self._write("dof_velocity_targets", velocities, indices, dof_indices)

    def get_dof_efforts(
        self, *, indices: Array | None = None, dof_indices: Array | None = None
    ) -> Any:
        """(N, D) efforts that were set [N m or N]."""
        return self._read("get_applied_joint_efforts", indices, dof_indices)

    def set_dof_efforts(
        self, efforts: Array, *, indices: Array | None = None, dof_indices: Array | None = None
    ) -> None:
        """Set (N, D) efforts [N m or N], beside those of the drives."""
        self._write("dof_actuation_forces", efforts, indices, dof_indices)

    def get_dof_projected_joint_forces(
        self, *, indices: Array | None = None, dof_indices: Array | None = None
    ) -> Any:
        """(N, D) efforts that act along the degrees of freedom [N m or N]."""
        return self._read("get_measured_joint_efforts", indices, dof_indices)

    def get_dof_limits(
        self, *, indices: Array | None = None, dof_indices: Array | None = None
    ) -> tuple[Any, Any]:
        """(N, D) lowest and (N, D) highest positions."""
        which, dofs = self._rows(indices), self._dofs(dof_indices)
        limits = self._limits()[np.ix_(which, dofs)]
        return warp(limits[..., 0]), warp(limits[..., 1])

    def set_dof_limits(
        self,
        lower: Array | None = None,
        upper: Array | None = None,
        *,
        indices: Array | None = None,
        dof_indices: Array | None = None,
    ) -> None:
        """Set (N, D) lowest and highest positions; what is None stays."""
        which, dofs = self._rows(indices), self._dofs(dof_indices)
        limits = np.array(self._limits())
        for side, (name, values) in enumerate((("lower", lower), ("upper", upper))):
            if values is not None:
                new = table(name, values, (len(which), len(dofs)))
                limits[np.ix_(which, dofs, np.array([side]))] = new[..., None]
        if self._is_simulated():
            physics = self._view._physics_view
            physics.set_dof_limits(arrays.out(limits), arrays.row_numbers(which))
            return
        for i in which:
            for dof in dofs:
                self._write_limits(i, dof, limits[i, dof])

    def get_dof_gains(
        self, *, indices: Array | None = None, dof_indices: Array | None = None
    ) -> tuple[Any, Any]:
        """(N, D) stiffnesses and (N, D) dampings of the drives."""
        self._know()
        one, two = self._view.get_gains(self._rows(indices), self._dofs(dof_indices))
        return warp(one), warp(two)

    def set_dof_gains(
        self,
        stiffnesses: Array | None = None,
        dampings: Array | None = None,
        *,
        indices: Array | None = None,
        dof_indices: Array | None = None,
        update_default_gains: bool = True,
    ) -> None:
        """Set (N, D) stiffnesses and dampings of the drives; what is None stays.

        Args:
            stiffnesses: [N m/rad or N/m].
            dampings: [N m s/rad or N s/m].
            indices: Which articulations; None: all.
            dof_indices: Which degrees of freedom; None: all.
            update_default_gains: Whether they are those of position control from now on.
        """
        which, dofs = self._rows(indices), self._dofs(dof_indices)
        defaults = self._default_gains()
        given = (("stiffnesses", stiffnesses), ("dampings", dampings))
        rows = [
            None if values is None else table(name, values, (len(which), len(dofs)))
            for name, values in given
        ]
        self._view._set_gains(*rows, which, dofs)
        for kept, new in zip(defaults, rows, strict=True):
            if update_default_gains and new is not None:
                kept[np.ix_(which, dofs)] = new

    def switch_dof_control_mode(
        self, mode: str, *, indices: Array | None = None, dof_indices: Array | None = None
    ) -> None:
        """Choose gains that leave control by "position", "velocity" or "effort".

        Raises:
            InvalidArgumentError: There is no such mode.
        """
        if mode not in _KEPT:
            raise InvalidArgumentError("mode", mode, f"one of {', '.join(_KEPT)}")
        chosen = np.ix_(self._rows(indices), self._dofs(dof_indices))
        gains = [
            one[chosen] * part for one, part in zip(self._default_gains(), _KEPT[mode], strict=True)
        ]
        self.set_dof_gains(
            *gains, indices=indices, dof_indices=dof_indices, update_default_gains=False
        )

    def get_dof_max_efforts(
        self, *, indices: Array | None = None, dof_indices: Array | None = None
    ) -> Any:
        """(N, D) most that the drives can do [N m or N]."""
        self._know()
        return self._read("get_max_efforts", indices, dof_indices, simulated=False)

    def set_dof_max_efforts(
        self, max_efforts: Array, *, indices: Array | None = None, dof_indices: Array | None = None
    ) -> None:
        """Set the most that the drives can do [N m or N]."""
        self._set("set_max_efforts", max_efforts, indices, dof_indices)

    def get_dof_max_velocities(
        self, *, indices: Array | None = None, dof_indices: Array | None = None
    ) -> Any:
        """(N, D) highest velocities."""
        return self._read("get_joint_max_velocities", indices, dof_indices, simulated=False)

    def set_dof_max_velocities(
        self,
        max_velocities: Array,
        *,
        indices: Array | None = None,
        dof_indices: Array | None = None,
    ) -> None:
        """Set the highest velocities."""
        self._set("set_max_joint_velocities", max_velocities, indices, dof_indices)

    def get_dof_armatures(
        self, *, indices: Array | None = None, dof_indices: Array | None = None
    ) -> Any:
        """(N, D) inertias of the motors [kg m^2 or kg]."""
        return self._read("get_armatures", indices, dof_indices, simulated=False)

    def set_dof_armatures(
        self, armatures: Array, *, indices: Array | None = None, dof_indices: Array | None = None
    ) -> None:
        """Set inertias of the motors [kg m^2 or kg]."""
        self._set("set_armatures", armatures, indices, dof_indices)

    def get_dof_drive_types(
        self, *, indices: Array | None = None, dof_indices: Array | None = None
    ) -> list[list[str]]:
        """Whether drives give a "force" or an "acceleration", as the stage says."""
        self._know()
        return self._view.get_effort_modes(self._rows(indices), self._dofs(dof_indices))

    def set_dof_drive_types(
        self,
        types: str | list[list[str]],
        *,
        indices: Array | None = None,
        dof_indices: Array | None = None,
    ) -> None:
        """Choose whether drives give a "force" or an "acceleration", when it next plays."""
        which, dofs = self._rows(indices), self._dofs(dof_indices)
        kinds = np.broadcast_to(np.array(types, dtype=object), (len(which), len(dofs)))
        for i, row in zip(which, kinds, strict=True):
            for dof, kind in zip(dofs, row, strict=True):
                self._view.set_effort_modes(str(kind), [i], [dof])

    def get_dof_friction_properties(
        self, *, indices: Array | None = None, dof_indices: Array | None = None
    ) -> tuple[Any, Any, Any]:
        """(N, D) efforts of friction at rest and in motion, and (N, D) viscous frictions."""
        return self._three("get_dof_friction_properties", indices, dof_indices)

    def set_dof_friction_properties(
        self,
        static_frictions: Array | None = None,
        dynamic_frictions: Array | None = None,
        viscous_frictions: Array | None = None,
        *,
        indices: Array | None = None,
        dof_indices: Array | None = None,
    ) -> None:
        """Set the three of friction; what is None stays."""
        given = (static_frictions, dynamic_frictions, viscous_frictions)
        self._set_three("dof_friction_properties", _FRICTIONS, given, indices, dof_indices)

    def get_dof_drive_model_properties(
        self, *, indices: Array | None = None, dof_indices: Array | None = None
    ) -> tuple[Any, Any, Any]:
        """(N, D) speed-effort gradients, highest motor velocities, resistances to velocity."""
        return self._three("get_dof_drive_model_properties", indices, dof_indices)

    def set_dof_drive_model_properties(
        self,
        speed_effort_gradients: Array | None = None,
        maximum_actuator_velocities: Array | None = None,
        velocity_dependent_resistances: Array | None = None,
        *,
        indices: Array | None = None,
        dof_indices: Array | None = None,
    ) -> None:
        """Set the three of the drives' model; what is None stays."""
        given = (
            speed_effort_gradients, maximum_actuator_velocities, velocity_dependent_resistances,
        )  # fmt: skip
        self._set_three("dof_drive_model_properties", _DRIVE_MODEL, given, indices, dof_indices)

    def _know(self) -> None:
        """Learn names and numbers, from the stage where nothing is simulated yet."""
        self._view.read_names()

    def _is_simulated(self) -> bool:
        return self._view.is_physics_handle_valid()

    def _simulated(self, what: str) -> Any:
        if not self._is_simulated():
            raise UnibodyError(f"{what} of {self.paths[0]} needs a simulation: play first")
        return self._view._physics_view

    def _dofs(self, dofs: Any) -> np.ndarray:
        self._know()
        return arrays.rows(dofs, self._view.num_dof)

    def _read(self, getter: str, indices: Any, dofs: Any, *, simulated: bool = True) -> Any:
        if simulated:
            self._simulated(getter.replace("get_joint", "get_dof"))
        return warp(getattr(self._view, getter)(self._rows(indices), self._dofs(dofs)))

    def _set(self, setter: str, values: Any, indices: Any, dofs: Any) -> None:
        which, chosen = self._rows(indices), self._dofs(dofs)
        new = table("values", values, (len(which), len(chosen)))
        getattr(self._view, setter)(new, which, chosen)

    def _columns(self, name: str, indices: Any, dofs: Any) -> Any:
        values = getattr(self._simulated(f"get_{name}"), f"get_{name}")()
        return warp(convert.plain(values)[np.ix_(self._rows(indices), self._dofs(dofs))])

    def _write(self, name: str, values: Any, indices: Any, dofs: Any) -> None:
        self._simulated(f"set_{name}")
        which, chosen = self._rows(indices), self._dofs(dofs)
        new = table("values", values, (len(which), len(chosen)))
        self._view._write_columns(name, new, which, chosen)

    def _three(self, getter: str, indices: Any, dofs: Any) -> tuple[Any, Any, Any]:
        values = convert.plain(getattr(self._simulated(getter), getter)())
        chosen = values.reshape(len(self), -1, 3)[np.ix_(self._rows(indices), self._dofs(dofs))]
        return warp(chosen[..., 0]), warp(chosen[..., 1]), warp(chosen[..., 2])

    def _set_three(
        self, name: str, names: tuple[str, ...], given: tuple[Any, ...], indices: Any, dofs: Any
    ) -> None:
        physics = self._simulated(f"set_{name}")
        which, chosen = self._rows(indices), self._dofs(dofs)
        values = np.array(convert.plain(getattr(physics, f"get_{name}")()))
        shaped = values.reshape(len(self), -1, 3)
        for part, (argument, one) in enumerate(zip(names, given, strict=True)):
            if one is not None:
                new = table(argument, one, (len(which), len(chosen)))
                shaped[np.ix_(which, chosen, np.array([part]))] = new[..., None]
        getattr(physics, f"set_{name}")(arrays.out(shaped), arrays.row_numbers(which))

    def _default_gains(self) -> list[np.ndarray]:
        self._know()
        if self._gains is None:
            self._gains = [np.array(convert.plain(one)) for one in self._view.get_gains()]
        return self._gains

    def _limits(self) -> np.ndarray:
        """(articulations, dofs, 2) lowest and highest positions."""
        count = len(self._dofs(None))
        if self._is_simulated():
            limits = convert.plain(self._view._physics_view.get_dof_limits())
            return limits.reshape(len(self), count, 2)
        rows = [[self._read_limits(i, dof) for dof in range(count)] for i in range(len(self))]
        return np.array(rows).reshape(len(self), count, 2)

    def _joint(self, i: int, dof: int) -> tuple[Any, float]:
        """The joint of the stage, and what its numbers are times, to be [rad] or [m]."""
        prim = functions.get_prim_at_path(self._view._dof_paths[i][dof])
        if self._view._is_turning(dof):
            return UsdPhysics.RevoluteJoint(prim), np.deg2rad(1.0)
        return UsdPhysics.PrismaticJoint(prim), 1.0

    def _read_limits(self, i: int, dof: int) -> tuple[float, float]:
        joint, unit = self._joint(i, dof)
        said = joint.GetLowerLimitAttr().Get(), joint.GetUpperLimitAttr().Get()
        return said[0] * unit, said[1] * unit

    def _write_limits(self, i: int, dof: int, limits: np.ndarray) -> None:
        joint, unit = self._joint(i, dof)
        joint.CreateLowerLimitAttr(float(limits[0] / unit))
        joint.CreateUpperLimitAttr(float(limits[1] / unit))
