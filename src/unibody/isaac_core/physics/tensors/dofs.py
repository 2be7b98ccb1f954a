"""Positions, targets and properties of the degrees of freedom of articulations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from unibody.core.assets.description import Drive
from unibody.core.batch.selection import Selection
from unibody.errors import NotSupportedError
from unibody.isaac_core.physics.models import Model
from unibody.isaac_core.physics.tensors.base import LARGEST, Array, View
from unibody.isaac_core.physics.tensors.metatype import dof_types
from unibody.isaac_core.physics.tensors.types import DofDriveType, DofMotion, DofType


class DofView(View):
    """The degrees of freedom of articulations; arrays are (count, dofs)."""

    _dofs: Selection
    _models: list[Model]

    def _get_dofs(self, name: str) -> Any:
        return self._give(self._read(self._dofs, name))

    def _set_dofs(self, name: str, data: Any, indices: Any) -> bool:
        rows = self._rows(indices)
        width = self._dofs.numbers.shape[1]
        self._write(self._dofs, name, self._take(data, (width,), rows), rows)
        return True

    def _bounded(self, name: str) -> Any:
        """A property whose infinity is the largest number of float32."""
        return self._give(np.minimum(self._read(self._dofs, name), LARGEST))

    def _set_bounded(self, name: str, data: Any, indices: Any) -> bool:
        rows = self._rows(indices)
        values = self._take(data, (self._dofs.numbers.shape[1],), rows).astype(float)
        values[values >= LARGEST] = np.inf
        self._write(self._dofs, name, values, rows)
        return True

    # --- structure -----------------------------------------------------------------------------

    def get_dof_types(self) -> Any:
        """Numbers of ``DofType``, uint8."""
        return self._give(self._padded(dof_types, DofType.Invalid), np.uint8)

    def get_dof_motions(self) -> Any:
        """Numbers of ``DofMotion``, uint8."""
        self._usable()
        limited = self._batch.buffers.dof_table["limited"][self._dofs.numbers]
        motions = np.where(limited, DofMotion.Limited, DofMotion.Free)
        return self._give(np.where(self._dofs.mask, motions, DofMotion.Invalid), np.uint8)

    def get_drive_types(self) -> Any:
        """Numbers of ``DofDriveType``, uint8."""

        def kinds(model: Model) -> list[int]:
            stated = [model.kind.joint_of(dof).drives for dof in model.kind.dofs]
            return [_drive_type(drives) for drives in stated]

        return self._give(self._padded(kinds, 0), np.uint8)

    def _padded(self, values_of: Any, fill: int) -> Array:
        self._usable()
        found = np.full(self._dofs.numbers.shape, fill, np.uint8)
        by_model: dict[int, Any] = {}
        for row, model in zip(found, self._models, strict=True):
            if id(model) not in by_model:
                by_model[id(model)] = values_of(model)
            row[: len(model.kind.dofs)] = by_model[id(model)]
        return found

    # --- states and controls -------------------------------------------------------------------

    def get_dof_positions(self) -> Any:
        """Positions [rad, m]."""
        return self._get_dofs("positions")

    def get_dof_velocities(self) -> Any:
        """Velocities [rad/s, m/s]."""
        return self._get_dofs("velocities")

    def set_dof_positions(self, data: Any, indices: Any) -> bool:
        """Set positions [rad, m]."""
        return self._set_dofs("positions", data, indices)

    def set_dof_velocities(self, data: Any, indices: Any) -> bool:
        """Set velocities [rad/s, m/s]."""
        return self._set_dofs("velocities", data, indices)

    def get_dof_position_targets(self) -> Any:
        """Targets of positions [rad, m]."""
        return self._get_dofs("position_targets")

    def set_dof_position_targets(self, data: Any, indices: Any) -> bool:
        """Set targets of positions [rad, m]."""
        return self._set_dofs("position_targets", data, indices)

    def get_dof_velocity_targets(self) -> Any:
        """Targets of velocities [rad/s, m/s]."""
        return self._get_dofs("velocity_targets")

    def set_dof_velocity_targets(self, data: Any, indices: Any) -> bool:
        """Set targets of velocities [rad/s, m/s]."""
        return self._set_dofs("velocity_targets", data, indices)

    def get_dof_actuation_forces(self) -> Any:
        """Efforts that the next step applies [Nm, N]."""
        return self._get_dofs("efforts")

    def set_dof_actuation_forces(self, data: Any, indices: Any) -> bool:
        """Set efforts, that act until others are set [Nm, N]."""
        return self._set_dofs("efforts", data, indices)

    def get_dof_projected_joint_forces(self) -> Any:
        """Forces of the joints along their degrees of freedom in the last step [Nm, N]."""
        return self._get_dofs("forces")

    # --- properties ----------------------------------------------------------------------------

    def get_dof_limits(self) -> Any:
        """Lower and upper limits, (count, dofs, 2); the largest numbers where there are none."""
        lower, upper = (self._read(self._dofs, f"{side}_limits") for side in ("lower", "upper"))
        limited = self._batch.buffers.dof_table["limited"][self._dofs.numbers] | ~self._dofs.mask
        values = [np.where(limited, lower, -LARGEST), np.where(limited, upper, LARGEST)]
        return self._give(np.clip(np.stack(values, axis=-1), -LARGEST, LARGEST))

    def set_dof_limits(self, data: Any, indices: Any) -> bool:
        """Set limits, (count, dofs, 2)."""
        rows = self._rows(indices)
        values = self._take(data, (self._dofs.numbers.shape[1], 2), rows)
        self._write(self._dofs, "lower_limits", values[..., 0], rows)
        self._write(self._dofs, "upper_limits", values[..., 1], rows)
        return True

    def get_dof_stiffnesses(self) -> Any:
        """Stiffnesses of the drives [Nm/rad, N/m]."""
        return self._get_dofs("stiffnesses")

    def set_dof_stiffnesses(self, data: Any, indices: Any) -> bool:
        """Set stiffnesses of the drives [Nm/rad, N/m]."""
        return self._set_dofs("stiffnesses", data, indices)

    def get_dof_dampings(self) -> Any:
        """Dampings of the drives [Nms/rad, Ns/m]."""
        return self._get_dofs("dampings")

    def set_dof_dampings(self, data: Any, indices: Any) -> bool:
        """Set dampings of the drives [Nms/rad, Ns/m]."""
        return self._set_dofs("dampings", data, indices)

    def get_dof_max_forces(self) -> Any:
        """Largest efforts of the drives [Nm, N]."""
        return self._bounded("max_efforts")

    def set_dof_max_forces(self, data: Any, indices: Any) -> bool:
        """Set the largest efforts of the drives [Nm, N]."""
        return self._set_bounded("max_efforts", data, indices)

    def get_dof_max_velocities(self) -> Any:
        """Largest velocities [rad/s, m/s]."""
        return self._bounded("max_speeds")

    def set_dof_max_velocities(self, data: Any, indices: Any) -> bool:
        """Set the largest velocities [rad/s, m/s]."""
        return self._set_bounded("max_speeds", data, indices)

    def get_dof_armatures(self) -> Any:
        """Armatures [kg m^2, kg]."""
        return self._get_dofs("armatures")

    def set_dof_armatures(self, data: Any, indices: Any) -> bool:
        """Set armatures [kg m^2, kg]."""
        return self._set_dofs("armatures", data, indices)

    def get_dof_friction_coefficients(self) -> Any:
        """Friction coefficients."""
        return self._get_dofs("frictions")

    def set_dof_friction_coefficients(self, data: Any, indices: Any) -> bool:
        """Set friction coefficients."""
        return self._set_dofs("frictions", data, indices)

    def get_dof_friction_properties(self) -> Any:
        """Static, dynamic and viscous friction.

        Raises:
            NotSupportedError: Always.
        """
        raise NotSupportedError(_FRICTION, "get_dof_friction_coefficients")

    def set_dof_friction_properties(self, data: Any, indices: Any) -> bool:
        """Set static, dynamic and viscous friction.

        Raises:
            NotSupportedError: Always.
        """
        raise NotSupportedError(_FRICTION, "set_dof_friction_coefficients")

    def get_dof_drive_model_properties(self) -> Any:
        """Effort gradient, largest velocity and resistance of actuators.

        Raises:
            NotSupportedError: Always.
        """
        raise NotSupportedError(_ENVELOPE, "get_dof_max_velocities and get_dof_max_forces")

    def set_dof_drive_model_properties(self, data: Any, indices: Any) -> bool:
        """Set effort gradient, largest velocity and resistance of actuators.

        Raises:
            NotSupportedError: Always.
        """
        raise NotSupportedError(_ENVELOPE, "set_dof_max_velocities and set_dof_max_forces")


def _drive_type(drives: Sequence[Drive]) -> int:
    if not drives:
        return DofDriveType["None"]
    return DofDriveType["Acceleration" if drives[0].acceleration else "Force"]


_FRICTION = "static, dynamic and viscous friction of joints as efforts"
_ENVELOPE = "performance envelopes of actuators"
