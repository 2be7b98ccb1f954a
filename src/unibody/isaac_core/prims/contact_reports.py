"""Contact forces of views that were asked to track them."""

from __future__ import annotations

from typing import Any

from unibody.isaac_core.prims.contact_view import RigidContactView


class ContactReports:
    """What views of shapes and of bodies have in common: a view of contacts."""

    _contact_view: RigidContactView | None = None

    def _report_contacts(
        self,
        paths: str | list[str],
        name: str,
        tracked: bool,
        filters: list[str],
        prepare: bool,
        no_stabilization: bool,
        max_count: int,
    ) -> None:
        if tracked or filters:
            self._contact_view = RigidContactView(
                paths, filters, f"{name}_contact", prepare, no_stabilization, max_count
            )

    def get_net_contact_forces(
        self, indices: Any = None, clone: bool = True, dt: float = 1.0
    ) -> Any:
        """(M, 3) sums of the contact forces in the world; impulses with ``dt`` of 1."""
        return self._contacts().get_net_contact_forces(indices, clone, dt)

    def get_contact_force_matrix(
        self, indices: Any = None, clone: bool = True, dt: float = 1.0
    ) -> Any:
        """(M, filters, 3) contact forces with each of the filters."""
        return self._contacts().get_contact_force_matrix(indices, clone, dt)

    def get_contact_force_data(
        self, indices: Any = None, clone: bool = True, dt: float = 1.0
    ) -> Any:
        """Forces, points, normals and distances of contacts, counts and starts of pairs."""
        return self._contacts().get_contact_force_data(indices, clone, dt)

    def get_friction_data(self, indices: Any = None, clone: bool = True, dt: float = 1.0) -> Any:
        """Friction forces and their points, counts and starts of pairs."""
        return self._contacts().get_friction_data(indices, clone, dt)

    def _contacts(self) -> RigidContactView:
        if self._contact_view is None:
            raise RuntimeError(
                "contact forces are not tracked: make the view with track_contact_forces=True "
                "or contact_filter_prim_paths_expr"
            )
        return self._contact_view
