"""Masses, inertias, densities and thresholds of many bodies."""

from __future__ import annotations

from typing import Any

import numpy as np
from pxr import UsdPhysics

from unibody.isaac_core import arrays
from unibody.isaac_core.prims.physics_poses import PhysicsPoses
from unibody.isaac_core.prims.xform_view import Array
from unibody.isaac_core.schemas import physx_schema
from unibody.isaac_core.simulation.manager import simulation

SLEEP = "physxRigidBody:sleepThreshold"


class RigidMasses(PhysicsPoses):
    """What `RigidPrimView` knows of masses."""

    def get_masses(self, indices: Array = None, clone: bool = True) -> Array:
        """(M,) masses [kg]; those of the stage, 0 for not set, before the physics runs."""
        if self.is_physics_handle_valid():
            return self._flat("get_masses", indices, clone)
        found = [_mass(self._prims[i]).GetMassAttr().Get() for i in self._rows(indices)]
        return arrays.out(found)

    def set_masses(self, masses: Array, indices: Array = None) -> None:
        """Set the masses [kg]."""
        which = self._rows(indices)
        if self.is_physics_handle_valid():
            current = self._physics_view.get_masses()
            column = _column(masses, len(which))
            merged = arrays.put(current.reshape((self.count, 1)), which, column)
            self._physics_view.set_masses(merged.reshape(current.shape), arrays.row_numbers(which))
            return
        values = np.broadcast_to(np.atleast_1d(arrays.table(masses)).ravel(), len(which))
        for i, mass in zip(which, values, strict=True):
            _mass(self._prims[i]).CreateMassAttr(float(mass))

    def get_inv_masses(self, indices: Array = None, clone: bool = True) -> Array:
        """(M,) reciprocals of the masses [1/kg]."""
        self._physics("get_inv_masses")
        return self._flat("get_inv_masses", indices, clone)

    def get_inertias(self, indices: Array = None, clone: bool = True) -> Array:
        """(M, 9) inertias [kg m^2] about the centres of mass."""
        return self._nine("get_inertias", indices, clone)

    def get_inv_inertias(self, indices: Array = None, clone: bool = True) -> Array:
        """(M, 9) inverses of the inertias."""
        return self._nine("get_inv_inertias", indices, clone)

    def set_inertias(self, values: Array, indices: Array = None) -> None:
        """Set (M, 9) inertias [kg m^2]."""
        physics, which = self._physics("set_inertias"), self._rows(indices)
        current = physics.get_inertias()
        merged = arrays.put(current.reshape((self.count, 9)), which, values)
        physics.set_inertias(merged.reshape(current.shape), arrays.row_numbers(which))

    def get_coms(self, indices: Array = None, clone: bool = True) -> tuple[Array, Array]:
        """(M, 1, 3) centres of mass, (M, 1, 4) orientations w, x, y, z, in the bodies' frames."""
        which = self._rows(indices)
        poses = self._physics("get_coms").get_coms().reshape((self.count, 7))
        places = arrays.take(poses, which, slice(0, 3), clone)
        turns = arrays.take(poses, which, [6, 3, 4, 5], clone)
        return places.reshape((len(which), 1, 3)), turns.reshape((len(which), 1, 4))

    def set_coms(
        self, positions: Array = None, orientations: Array = None, indices: Array = None
    ) -> None:
        """Set centres of mass and orientations w, x, y, z; what is None stays."""
        physics, which = self._physics("set_coms"), self._rows(indices)
        current = physics.get_coms()
        poses = current.reshape((self.count, 7))
        if positions is not None:
            poses = arrays.put(poses, which, _reshaped(positions, 3), [0, 1, 2])
        if orientations is not None:
            poses = arrays.put(poses, which, _reshaped(orientations, 4), [6, 3, 4, 5])
        physics.set_coms(poses.reshape(current.shape), arrays.row_numbers(which))

    def get_densities(self, indices: Array = None) -> Array:
        """(M,) densities [kg/m^3]; 0: not set."""
        return arrays.out(
            [_mass(self._prims[i]).GetDensityAttr().Get() for i in self._rows(indices)]
        )

    def set_densities(self, densities: Array, indices: Array = None) -> None:
        """Set the densities [kg/m^3]; they count where the stage is read, when it next plays."""
        which = self._rows(indices)
        values = np.broadcast_to(np.atleast_1d(arrays.table(densities)).ravel(), len(which))
        for i, density in zip(which, values, strict=True):
            _mass(self._prims[i]).CreateDensityAttr(float(density))

    def get_sleep_thresholds(self, indices: Array = None) -> Array:
        """(M,) energies over masses below which bodies may sleep."""
        found = [_physx(self._prims[i]).GetAttribute(SLEEP).Get() for i in self._rows(indices)]
        return arrays.out(found)

    def set_sleep_thresholds(self, thresholds: Array, indices: Array = None) -> None:
        """Set the energies over masses below which bodies may sleep."""
        which = self._rows(indices)
        values = np.broadcast_to(np.atleast_1d(arrays.table(thresholds)).ravel(), len(which))
        for i, threshold in zip(which, values, strict=True):
            _physx(self._prims[i]).GetAttribute(SLEEP).Set(float(threshold))

    def _flat(self, getter: str, indices: Array, clone: bool) -> Array:
        values = getattr(self._physics_view, getter)().reshape((self.count,))
        return arrays.take(values, self._rows(indices), clone=clone)

    def _nine(self, getter: str, indices: Array, clone: bool) -> Array:
        values = getattr(self._physics(getter), getter)().reshape((self.count, 9))
        return arrays.take(values, self._rows(indices), clone=clone)


def _column(values: Any, count: int) -> Any:
    numbers = np.atleast_1d(simulation.backend_utils().to_numpy(values)).ravel()
    return np.broadcast_to(numbers, count).reshape(count, 1)


def _reshaped(values: Any, width: int) -> Any:
    return simulation.backend_utils().to_numpy(values).reshape(-1, width)


def _mass(prim: Any) -> UsdPhysics.MassAPI:
    if prim.HasAPI(UsdPhysics.MassAPI):
        return UsdPhysics.MassAPI(prim)
    return UsdPhysics.MassAPI.Apply(prim)


def _physx(prim: Any) -> Any:
    if not prim.HasAPI("PhysxRigidBodyAPI"):
        physx_schema.PhysxRigidBodyAPI.Apply(prim)
    return prim
