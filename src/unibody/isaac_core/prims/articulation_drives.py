"""Drives of the joints of articulations: gains, limits, modes."""

from __future__ import annotations

from typing import Any

import numpy as np
from pxr import UsdPhysics

from unibody.errors import InvalidArgumentError
from unibody.isaac_core import arrays
from unibody.isaac_core.functions import prims as functions
from unibody.isaac_core.prims import dof_properties as properties
from unibody.isaac_core.prims.dof_properties import DofProperties
from unibody.isaac_core.prims.xform_view import Array
from unibody.isaac_core.simulation.manager import simulation

_KEPT = {"position": (1.0, 1.0), "velocity": (0.0, 1.0), "effort": (0.0, 0.0)}
"""Which part of stiffness and damping each way of control keeps."""


class ArticulationDrives(DofProperties):
    """(M, K) of M articulations and K degrees of freedom."""

    _default_kps: Any
    _default_kds: Any

    def get_gains(
        self,
        indices: Array = None,
        joint_indices: Array = None,
        clone: bool = True,
        joint_names: list[str] | None = None,
    ) -> tuple[Array, Array]:
        """Stiffnesses [N m/rad or N/m] and dampings of the drives."""
        dofs = self._dofs(joint_indices, joint_names)
        get = self._get_property
        return (
            get(properties.STIFFNESS, indices, dofs, clone),
            get(properties.DAMPING, indices, dofs, clone),
        )

    def set_gains(
        self,
        kps: Array = None,
        kds: Array = None,
        indices: Array = None,
        joint_indices: Array = None,
        save_to_usd: bool = False,
        joint_names: list[str] | None = None,
    ) -> None:
        """Set stiffnesses and dampings, which become those of position control.

        Args:
            kps: (M, K) [N m/rad or N/m]; None: as they are.
            kds: (M, K) [N m s/rad or N s/m]; None: as they are.
            indices: Which articulations; None: all.
            joint_indices: Which degrees of freedom; None: all.
            save_to_usd: Whether they are written to the stage, instead.
            joint_names: Names of the degrees of freedom, instead of indices.
        """
        dofs = self._dofs(joint_indices, joint_names)
        self._set_gains(kps, kds, indices, dofs, save_to_usd)
        if self.initialized and not save_to_usd:
            self._update_default_gains(kps is not None, kds is not None, indices, dofs)

    def _update_default_gains(
        self, kps: bool, kds: bool, indices: Array = None, joint_indices: Array = None
    ) -> None:
        """Let gains that the drives have be those of `post_reset` and of position control."""
        gains = self.get_gains(indices=indices, joint_indices=joint_indices, clone=True)
        which = arrays.rows(indices, self.count)
        if kps:
            self._default_kps = arrays.put(self._default_kps, which, gains[0], joint_indices)
        if kds:
            self._default_kds = arrays.put(self._default_kds, which, gains[1], joint_indices)

    def _set_gains(
        self, kps: Any, kds: Any, indices: Any, dofs: np.ndarray, stage: bool = False
    ) -> None:
        for what, new in ((properties.STIFFNESS, kps), (properties.DAMPING, kds)):
            if new is not None:
                self._set_property(what, new, indices, dofs, stage)

    def switch_control_mode(
        self,
        mode: str,
        indices: Array = None,
        joint_indices: Array = None,
        joint_names: list[str] | None = None,
    ) -> None:
        """Choose gains that leave control by "position", "velocity" or "effort".

        Raises:
            InvalidArgumentError: There is no such mode.
        """
        if mode not in _KEPT:
            raise InvalidArgumentError("mode", mode, f"one of {', '.join(_KEPT)}")
        if not self.initialized:
            return
        dofs, which = self._dofs(joint_indices, joint_names), self._rows(indices)
        gains = [
            arrays.out(simulation.backend_utils().to_numpy(arrays.take(one, which, dofs)) * part)
            for one, part in zip((self._default_kps, self._default_kds), _KEPT[mode], strict=True)
        ]
        self._set_gains(gains[0], gains[1], indices, dofs)

    def switch_dof_control_mode(self, mode: str, dof_index: int, indices: Array = None) -> None:
        """The same for one degree of freedom."""
        self.switch_control_mode(mode, indices, [dof_index])

    def get_max_efforts(
        self,
        indices: Array = None,
        joint_indices: Array = None,
        clone: bool = True,
        joint_names: list[str] | None = None,
    ) -> Array:
        """(M, K) most that the drives can do [N m or N]."""
        dofs = self._dofs(joint_indices, joint_names)
        return self._get_property(properties.MAX_EFFORT, indices, dofs, clone)

    def set_max_efforts(
        self,
        values: Array,
        indices: Array = None,
        joint_indices: Array = None,
        joint_names: list[str] | None = None,
    ) -> None:
        """Set the most that the drives can do [N m or N]."""
        dofs = self._dofs(joint_indices, joint_names)
        self._set_property(properties.MAX_EFFORT, values, indices, dofs)

    def get_joint_max_velocities(
        self,
        indices: Array = None,
        joint_indices: Array = None,
        clone: bool = True,
        joint_names: list[str] | None = None,
    ) -> Array:
        """(M, K) highest velocities [rad/s or m/s]."""
        dofs = self._dofs(joint_indices, joint_names)
        return self._get_property(properties.MAX_VELOCITY, indices, dofs, clone)

    def set_max_joint_velocities(
        self,
        values: Array,
        indices: Array = None,
        joint_indices: Array = None,
        joint_names: list[str] | None = None,
    ) -> None:
        """Set the highest velocities [rad/s or m/s]."""
        dofs = self._dofs(joint_indices, joint_names)
        self._set_property(properties.MAX_VELOCITY, values, indices, dofs)

    def get_armatures(
        self,
        indices: Array = None,
        joint_indices: Array = None,
        clone: bool = True,
        joint_names: list[str] | None = None,
    ) -> Array:
        """(M, K) inertias of the motors [kg m^2 or kg]."""
        dofs = self._dofs(joint_indices, joint_names)
        return self._get_property(properties.ARMATURE, indices, dofs, clone)

    def set_armatures(
        self,
        values: Array,
        indices: Array = None,
        joint_indices: Array = None,
        joint_names: list[str] | None = None,
    ) -> None:
        """Set the inertias of the motors [kg m^2 or kg]."""
        dofs = self._dofs(joint_indices, joint_names)
        self._set_property(properties.ARMATURE, values, indices, dofs)

    def get_friction_coefficients(
        self,
        indices: Array = None,
        joint_indices: Array = None,
        clone: bool = True,
        joint_names: list[str] | None = None,
    ) -> Array:
        """(M, K) coefficients of friction in the joints."""
        dofs = self._dofs(joint_indices, joint_names)
        return self._get_property(properties.FRICTION, indices, dofs, clone)

    def set_friction_coefficients(
        self,
        values: Array,
        indices: Array = None,
        joint_indices: Array = None,
        joint_names: list[str] | None = None,
    ) -> None:
        """Set the coefficients of friction in the joints."""
        dofs = self._dofs(joint_indices, joint_names)
        self._set_property(properties.FRICTION, values, indices, dofs)

    def get_effort_modes(
        self,
        indices: Array = None,
        joint_indices: Array = None,
        joint_names: list[str] | None = None,
    ) -> list[list[str]]:
        """Whether drives give a "force" or an "acceleration", as the stage says."""
        if not self.initialized:
            return None  # type: ignore[return-value]
        dofs = self._dofs(joint_indices, joint_names)
        return [
            [str(self._drive(i, dof).GetTypeAttr().Get()) for dof in dofs]
            for i in self._rows(indices)
        ]

    def set_effort_modes(
        self,
        mode: str,
        indices: Array = None,
        joint_indices: Array = None,
        joint_names: list[str] | None = None,
    ) -> None:
        """Choose whether drives give a "force" or an "acceleration", when it next plays.

        Raises:
            InvalidArgumentError: There is no such mode.
        """
        if mode not in ("force", "acceleration"):
            raise InvalidArgumentError("mode", mode, "'force' or 'acceleration'")
        if not self.initialized:
            return
        for i in self._rows(indices):
            for dof in self._dofs(joint_indices, joint_names):
                self._drive(i, dof).CreateTypeAttr(mode)

    def get_dof_limits(self) -> Array:
        """(M, dofs, 2) lowest and highest positions [rad or m]; None while nothing is simulated."""
        return self._read("get_dof_limits", None, None)

    def get_drive_types(self) -> Array:
        """(M, dofs) 0: no drive, 1: of forces, 2: of accelerations."""
        return self._read("get_drive_types", None, None)

    def _drive(self, i: int, dof: int) -> UsdPhysics.DriveAPI:
        kind = "angular" if self._is_turning(dof) else "linear"
        prim = functions.get_prim_at_path(self._dof_paths[i][dof])
        if prim.HasAPI(UsdPhysics.DriveAPI, kind):
            return UsdPhysics.DriveAPI(prim, kind)
        return UsdPhysics.DriveAPI.Apply(prim, kind)
