"""Dynamics of articulations: Jacobians, mass matrices, forces, tendons."""

from __future__ import annotations

from typing import Any

from unibody.isaac_core import arrays
from unibody.isaac_core.prims.articulation_base import ArticulationBase
from unibody.isaac_core.prims.xform_view import Array

_TENDONS = ("stiffnesses", "dampings", "limit_stiffnesses", "limits", "rest_lengths", "offsets")


class ArticulationDynamics(ArticulationBase):
    """What follows from state and masses; None while nothing is simulated."""

    def get_jacobian_shape(self) -> Any:
        """Bodies, 6, and degrees of freedom, of a Jacobian."""
        if not self._ready("get_jacobian_shape"):
            return None
        lines, columns = self._physics_view.jacobian_shape
        return (lines // 6, 6, columns)

    def get_jacobians(self, indices: Array = None, clone: bool = True) -> Array:
        """(M, bodies, 6, dofs) linear, then angular velocities of bodies per velocity of joints."""
        if not self._ready("get_jacobians"):
            return None
        values = self._physics_view.get_jacobians().reshape(
            (self.count, *self.get_jacobian_shape())
        )
        return arrays.take(values, self._rows(indices), clone=clone)

    def get_mass_matrix_shape(self) -> Any:
        """Lines and columns of a mass matrix."""
        if not self._ready("get_mass_matrix_shape"):
            return None
        return tuple(self._physics_view.generalized_mass_matrix_shape)

    def get_mass_matrices(self, indices: Array = None, clone: bool = True) -> Array:
        """(M, dofs, dofs) mass matrices."""
        if not self._ready("get_mass_matrices"):
            return None
        values = self._physics_view.get_generalized_mass_matrices()
        shaped = values.reshape((self.count, *self.get_mass_matrix_shape()))
        return arrays.take(shaped, self._rows(indices), clone=clone)

    def get_coriolis_and_centrifugal_forces(
        self,
        indices: Array = None,
        joint_indices: Array = None,
        clone: bool = True,
        joint_names: list[str] | None = None,
    ) -> Array:
        """(M, K) efforts that balance Coriolis and centrifugal forces."""
        getter = "get_coriolis_and_centrifugal_compensation_forces"
        return self._balance(getter, indices, joint_indices, joint_names, clone)

    def get_generalized_gravity_forces(
        self,
        indices: Array = None,
        joint_indices: Array = None,
        clone: bool = True,
        joint_names: list[str] | None = None,
    ) -> Array:
        """(M, K) efforts that balance gravity."""
        getter = "get_gravity_compensation_forces"
        return self._balance(getter, indices, joint_indices, joint_names, clone)

    def _balance(self, getter: str, indices: Any, dofs: Any, names: Any, clone: bool) -> Any:
        if not self._ready(getter):
            return None
        values = getattr(self._physics_view, getter)()
        base = values.shape[1] - self.num_dof  # a free base has six of its own in front
        chosen = self._dofs(dofs, names) + base
        return arrays.take(values, self._rows(indices), chosen, clone)

    def get_fixed_tendon_stiffnesses(self, indices: Array = None, clone: bool = True) -> Array:
        """(M, tendons) stiffnesses."""
        return self._read("get_fixed_tendon_stiffnesses", indices, None, clone)

    def get_fixed_tendon_dampings(self, indices: Array = None, clone: bool = True) -> Array:
        """(M, tendons) dampings."""
        return self._read("get_fixed_tendon_dampings", indices, None, clone)

    def get_fixed_tendon_limit_stiffnesses(
        self, indices: Array = None, clone: bool = True
    ) -> Array:
        """(M, tendons) stiffnesses at the limits."""
        return self._read("get_fixed_tendon_limit_stiffnesses", indices, None, clone)

    def get_fixed_tendon_limits(self, indices: Array = None, clone: bool = True) -> Array:
        """(M, tendons, 2) shortest and longest lengths."""
        if not self._ready("get_fixed_tendon_limits"):
            return None
        values = self._physics_view.get_fixed_tendon_limits()
        shaped = values.reshape((self.count, self.num_fixed_tendons, 2))
        return arrays.take(shaped, self._rows(indices), clone=clone)

    def get_fixed_tendon_rest_lengths(self, indices: Array = None, clone: bool = True) -> Array:
        """(M, tendons) lengths at rest."""
        return self._read("get_fixed_tendon_rest_lengths", indices, None, clone)

    def get_fixed_tendon_offsets(self, indices: Array = None, clone: bool = True) -> Array:
        """(M, tendons) offsets of the lengths."""
        return self._read("get_fixed_tendon_offsets", indices, None, clone)

    def set_fixed_tendon_properties(
        self,
        stiffnesses: Array = None,
        dampings: Array = None,
        limit_stiffnesses: Array = None,
        limits: Array = None,
        rest_lengths: Array = None,
        offsets: Array = None,
        indices: Array = None,
    ) -> None:
        """Set properties of the fixed tendons; what is None stays."""
        if not self._ready("set_fixed_tendon_properties"):
            return
        which = self._rows(indices)
        given = (stiffnesses, dampings, limit_stiffnesses, limits, rest_lengths, offsets)
        merged = []
        for name, new in zip(_TENDONS, given, strict=True):
            values = getattr(self._physics_view, f"get_fixed_tendon_{name}")()
            merged.append(values if new is None else arrays.put(values, which, new))
        self._physics_view.set_fixed_tendon_properties(*merged, arrays.row_numbers(which))
