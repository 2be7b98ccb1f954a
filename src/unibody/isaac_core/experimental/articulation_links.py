"""Links of articulations, their dynamics, and how they are solved."""

from __future__ import annotations

from typing import Any

import numpy as np

from unibody.isaac_core import arrays, convert
from unibody.isaac_core.experimental.arguments import Array, column, table, warp
from unibody.isaac_core.experimental.articulation_dofs import ArticulationDofs


class ArticulationLinks(ArticulationDofs):
    """(N, L) of N articulations and L links."""

    def get_link_masses(
        self,
        *,
        indices: Array | None = None,
        link_indices: Array | None = None,
        inverse: bool = False,
    ) -> Any:
        """(N, L) masses [kg], or their reciprocals."""
        getter = "get_body_inv_masses" if inverse else "get_body_masses"
        return self._of_links(getter, indices, link_indices)

    def set_link_masses(
        self, masses: Array, *, indices: Array | None = None, link_indices: Array | None = None
    ) -> None:
        """Set (N, L) masses [kg]."""
        self._set_links("set_body_masses", "masses", masses, (), indices, link_indices)

    def get_link_inertias(
        self,
        *,
        indices: Array | None = None,
        link_indices: Array | None = None,
        inverse: bool = False,
    ) -> Any:
        """(N, L, 9) inertias about the centres of mass [kg m^2], or their inverses."""
        getter = "get_body_inv_inertias" if inverse else "get_body_inertias"
        return self._of_links(getter, indices, link_indices)

    def set_link_inertias(
        self, inertias: Array, *, indices: Array | None = None, link_indices: Array | None = None
    ) -> None:
        """Set (N, L, 9) inertias [kg m^2]."""
        self._set_links("set_body_inertias", "inertias", inertias, (9,), indices, link_indices)

    def get_link_coms(
        self, *, indices: Array | None = None, link_indices: Array | None = None
    ) -> tuple[Any, Any]:
        """(N, L, 3) centres of mass and (N, L, 4) orientations of the principal axes, in links."""
        self._simulated("get_link_coms")
        found = self._view.get_body_coms(self._rows(indices), self._links(link_indices))
        return warp(found[0]), warp(found[1])

    def set_link_coms(
        self,
        positions: Array | None = None,
        orientations: Array | None = None,
        *,
        indices: Array | None = None,
        link_indices: Array | None = None,
    ) -> None:
        """Set (N, L, 3) centres of mass and (N, L, 4) orientations; what is None stays."""
        self._simulated("set_link_coms")
        which, links = self._rows(indices), self._links(link_indices)
        given = (("positions", positions, 3), ("orientations", orientations, 4))
        rows = [
            None if values is None else table(name, values, (len(which), len(links), width))
            for name, values, width in given
        ]
        self._view.set_body_coms(*rows, which, links)

    def get_link_enabled_gravities(
        self, *, indices: Array | None = None, link_indices: Array | None = None
    ) -> Any:
        """(N, L) whether the links fall."""
        self._simulated("get_link_enabled_gravities")
        rows = self._rows(indices), self._links(link_indices)
        return warp(convert.plain(self._view.get_body_disable_gravity(*rows)) == 0, "bool")

    def set_link_enabled_gravities(
        self, enabled: Array, *, indices: Array | None = None, link_indices: Array | None = None
    ) -> None:
        """Set (N, L) whether the links fall."""
        held = ~np.asarray(convert.plain(enabled)).astype(bool)
        self._set_links("set_body_disable_gravity", "enabled", held, (), indices, link_indices)

    def get_link_incoming_joint_force(
        self, *, indices: Array | None = None, link_indices: Array | None = None
    ) -> tuple[Any, Any]:
        """(N, L, 3) forces and (N, L, 3) torques of the joints on the links."""
        self._simulated("get_link_incoming_joint_force")
        rows = self._rows(indices), self._links(link_indices)
        wrenches = convert.plain(self._view.get_measured_joint_forces(*rows))
        return warp(wrenches[..., :3]), warp(wrenches[..., 3:])

    @property
    def jacobian_matrix_shape(self) -> tuple[int, int, int]:
        """Links, 6, and degrees of freedom of a Jacobian, six more where the base is free."""
        links, six, columns = self.get_jacobian_matrices(indices=[0]).shape[1:]
        return links, six, columns

    def get_jacobian_matrices(self, *, indices: Array | None = None) -> Any:
        """(N, links, 6, columns) Jacobians in the world."""
        self._simulated("get_jacobian_matrices")
        return warp(self._view.get_jacobians(self._rows(indices)))

    @property
    def mass_matrix_shape(self) -> tuple[int, int]:
        """Rows and columns of a mass matrix."""
        return tuple(self.get_mass_matrices(indices=[0]).shape[1:])

    def get_mass_matrices(self, *, indices: Array | None = None) -> Any:
        """(N, D, D) mass matrices."""
        self._simulated("get_mass_matrices")
        return warp(self._view.get_mass_matrices(self._rows(indices)))

    def get_dof_gravity_compensation_forces(
        self, *, indices: Array | None = None, dof_indices: Array | None = None
    ) -> Any:
        """(N, D) efforts that balance gravity [N m or N]."""
        return self._read("get_generalized_gravity_forces", indices, dof_indices)

    def get_dof_coriolis_and_centrifugal_compensation_forces(
        self, *, indices: Array | None = None, dof_indices: Array | None = None
    ) -> Any:
        """(N, D) efforts that balance Coriolis and centrifugal forces [N m or N]."""
        return self._read("get_coriolis_and_centrifugal_forces", indices, dof_indices)

    def get_solver_iteration_counts(self, *, indices: Array | None = None) -> tuple[Any, Any]:
        """(N, 1) iterations of positions and (N, 1) of velocities."""
        which, view = self._rows(indices), self._view
        return (
            column(view.get_solver_position_iteration_counts(which), "int32"),
            column(view.get_solver_velocity_iteration_counts(which), "int32"),
        )

    def set_solver_iteration_counts(
        self,
        position_counts: Array | None = None,
        velocity_counts: Array | None = None,
        *,
        indices: Array | None = None,
    ) -> None:
        """Set (N, 1) iterations of positions and of velocities; what is None stays."""
        which, view = self._rows(indices), self._view
        for name, values, write in (
            ("position_counts", position_counts, view.set_solver_position_iteration_counts),
            ("velocity_counts", velocity_counts, view.set_solver_velocity_iteration_counts),
        ):
            if values is not None:
                write(table(name, values, (len(which), 1))[:, 0], which)

    def get_stabilization_thresholds(self, *, indices: Array | None = None) -> Any:
        """(N, 1) energies below which articulations are stabilised."""
        return column(self._view.get_stabilization_thresholds(self._rows(indices)))

    def set_stabilization_thresholds(
        self, thresholds: Array, *, indices: Array | None = None
    ) -> None:
        """Set (N, 1) energies below which articulations are stabilised."""
        which = self._rows(indices)
        rows = table("thresholds", thresholds, (len(which), 1))[:, 0]
        self._view.set_stabilization_thresholds(rows, which)

    def get_sleep_thresholds(self, *, indices: Array | None = None) -> Any:
        """(N, 1) energies below which articulations sleep."""
        return column(self._view.get_sleep_thresholds(self._rows(indices)))

    def set_sleep_thresholds(self, thresholds: Array, *, indices: Array | None = None) -> None:
        """Set (N, 1) energies below which articulations sleep."""
        which = self._rows(indices)
        rows = table("thresholds", thresholds, (len(which), 1))[:, 0]
        self._view.set_sleep_thresholds(rows, which)

    def get_enabled_self_collisions(self, *, indices: Array | None = None) -> Any:
        """(N, 1) whether links of one articulation collide."""
        return column(self._view.get_enabled_self_collisions(self._rows(indices)), "bool")

    def set_enabled_self_collisions(self, enabled: Array, *, indices: Array | None = None) -> None:
        """Set (N, 1) whether links of one articulation collide."""
        which = self._rows(indices)
        flags = table("enabled", enabled, (len(which), 1), bool)[:, 0]
        self._view.set_enabled_self_collisions(flags, which)

    def _links(self, links: Any) -> np.ndarray:
        self._know()
        return arrays.rows(links, self._view.num_bodies)

    def _of_links(self, getter: str, indices: Any, links: Any) -> Any:
        self._simulated(getter.replace("body", "link"))
        return warp(getattr(self._view, getter)(self._rows(indices), self._links(links)))

    def _set_links(
        self, setter: str, name: str, values: Any, tail: tuple[int, ...], indices: Any, links: Any
    ) -> None:
        self._simulated(setter.replace("body", "link"))
        which, chosen = self._rows(indices), self._links(links)
        new = table(name, values, (len(which), len(chosen), *tail))
        getattr(self._view, setter)(new, which, chosen)
