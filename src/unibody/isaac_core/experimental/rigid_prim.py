"""RigidPrim: bodies."""

from __future__ import annotations

from typing import Any

import numpy as np
from pxr import UsdPhysics

from unibody.errors import UnibodyError
from unibody.isaac_core import convert
from unibody.isaac_core.experimental.arguments import Array, column, table, warp
from unibody.isaac_core.experimental.moving_prim import MovingPrim
from unibody.isaac_core.prims.rigid_view import RigidPrimView
from unibody.isaac_core.schemas import physx_schema


class RigidPrim(MovingPrim):
    """Bodies. Velocities are in the world, [m/s] and [rad/s].

    Args:
        paths: Of the prims; patterns match level by level. They become bodies if they are none.
        masses: (N, 1) [kg].
        densities: (N, 1) [kg/m^3].
        contact_filter_paths: Of what contacts are with: one a body, or those of all bodies.
        max_contact_count: How many contacts are reported in detail.
        **placed: Of `XformPrim`.
    """

    def __init__(
        self,
        paths: str | list[str],
        *,
        masses: Array | None = None,
        densities: Array | None = None,
        contact_filter_paths: str | list[str] | None = None,
        max_contact_count: int = 0,
        **placed: Any,
    ) -> None:
        filters = contact_filter_paths or []
        self._filters = [filters] if isinstance(filters, str) else list(filters)
        self._max_contact_count = max_contact_count
        super().__init__(paths, **placed)
        if masses is not None:
            self.set_masses(masses)
        if densities is not None:
            self.set_densities(densities)

    def _make_view(self, reset: bool) -> Any:
        count = len(self.paths)
        own = self._filters if len(self._filters) == count else None
        return RigidPrimView(
            self.paths,
            reset_xform_properties=reset,
            track_contact_forces=self._max_contact_count > 0,
            prepare_contact_sensors=False,
            contact_filter_prim_paths_expr=[[one] for one in own] if own else self._filters,  # type: ignore[arg-type]
            max_contact_count=self._max_contact_count,
        )

    @property
    def num_shapes(self) -> int:
        """The most shapes that one of the bodies has."""
        return self._view.num_shapes

    @property
    def num_contact_filters(self) -> int:
        """How many filters of contacts there are."""
        return len(self._filters)

    def is_physics_tensor_entity_valid(self) -> bool:
        """Whether there is a physics that can be asked."""
        return self._view.is_physics_handle_valid()

    def apply_forces(
        self, forces: Array, *, indices: Array | None = None, local_frame: bool = False
    ) -> None:
        """Push bodies at their centres of mass, for one step.

        Args:
            forces: (N, 3) [N].
            indices: Which bodies; None: all.
            local_frame: Whether the forces are in the bodies' frames, else in the world.
        """
        which = self._rows(indices)
        pushes = table("forces", forces, (len(which), 3))
        self._view.apply_forces(pushes, which, not local_frame)

    def apply_forces_and_torques_at_pos(
        self,
        forces: Array | None = None,
        torques: Array | None = None,
        *,
        positions: Array | None = None,
        indices: Array | None = None,
        local_frame: bool = False,
    ) -> None:
        """Push and turn bodies, for one step.

        Args:
            forces: (N, 3) [N].
            torques: (N, 3) [N m].
            positions: (N, 3) where the forces act; None: at the centres of mass.
            indices: Which bodies; None: all.
            local_frame: Whether all is in the bodies' frames, else in the world.
        """
        which = self._rows(indices)
        given = {"forces": forces, "torques": torques, "positions": positions}
        rows = [
            None if values is None else table(name, values, (len(which), 3))
            for name, values in given.items()
        ]
        self._view.apply_forces_and_torques_at_pos(*rows, which, not local_frame)

    def get_masses(self, *, indices: Array | None = None, inverse: bool = False) -> Any:
        """(N, 1) masses [kg], or their reciprocals."""
        view = self._view
        return column((view.get_inv_masses if inverse else view.get_masses)(self._rows(indices)))

    def set_masses(self, masses: Array, *, indices: Array | None = None) -> None:
        """Set (N, 1) masses [kg]."""
        which = self._rows(indices)
        self._view.set_masses(table("masses", masses, (len(which), 1))[:, 0], which)

    def get_inertias(self, *, indices: Array | None = None, inverse: bool = False) -> Any:
        """(N, 9) inertias about the centres of mass [kg m^2], or their inverses."""
        view = self._view
        read = view.get_inv_inertias if inverse else view.get_inertias
        return warp(convert.plain(read(self._rows(indices))).reshape(-1, 9))

    def set_inertias(self, inertias: Array, *, indices: Array | None = None) -> None:
        """Set (N, 9) inertias [kg m^2]."""
        which = self._rows(indices)
        self._view.set_inertias(table("inertias", inertias, (len(which), 9)), which)

    def get_coms(self, *, indices: Array | None = None) -> tuple[Any, Any]:
        """(N, 3) centres of mass and (N, 4) orientations of the principal axes, in the bodies."""
        places, turns = (convert.plain(x) for x in self._view.get_coms(self._rows(indices)))
        return warp(places.reshape(-1, 3)), warp(turns.reshape(-1, 4))

    def set_coms(
        self,
        positions: Array | None = None,
        orientations: Array | None = None,
        *,
        indices: Array | None = None,
    ) -> None:
        """Set (N, 3) centres of mass and (N, 4) orientations; what is None stays."""
        which = self._rows(indices)
        rows = [
            None if values is None else table(name, values, (len(which), width))
            for name, values, width in (
                ("positions", positions, 3), ("orientations", orientations, 4),
            )
        ]  # fmt: skip
        self._view.set_coms(*rows, which)

    def get_densities(self, *, indices: Array | None = None) -> Any:
        """(N, 1) densities that the stage says [kg/m^3]; 0 where it says none."""
        return column(self._view.get_densities(self._rows(indices)))

    def set_densities(self, densities: Array, *, indices: Array | None = None) -> None:
        """Set (N, 1) densities [kg/m^3]."""
        which = self._rows(indices)
        self._view.set_densities(table("densities", densities, (len(which), 1))[:, 0], which)

    def get_sleep_thresholds(self, *, indices: Array | None = None) -> Any:
        """(N, 1) energies below which bodies sleep."""
        return column(self._view.get_sleep_thresholds(self._rows(indices)))

    def set_sleep_thresholds(self, thresholds: Array, *, indices: Array | None = None) -> None:
        """Set (N, 1) energies below which bodies sleep."""
        which = self._rows(indices)
        rows = table("thresholds", thresholds, (len(which), 1))[:, 0]
        self._view.set_sleep_thresholds(rows, which)

    def set_enabled_rigid_bodies(self, enabled: Array, *, indices: Array | None = None) -> None:
        """Set (N, 1) whether the bodies move."""
        which = self._rows(indices)
        flags = table("enabled", enabled, (len(which), 1), bool)[:, 0]
        self._view.enable_rigid_body_physics(which[flags])
        self._view.disable_rigid_body_physics(which[~flags])

    def get_enabled_rigid_bodies(self, *, indices: Array | None = None) -> Any:
        """(N, 1) whether the bodies move."""
        which = self._rows(indices)
        if self.is_physics_tensor_entity_valid():
            held = convert.plain(self._view._physics_view.get_disable_simulations())
            return column(held.reshape(-1)[which] == 0, "bool")
        bodies = [UsdPhysics.RigidBodyAPI(self.prims[i]) for i in which]
        return column([bool(b.GetRigidBodyEnabledAttr().Get()) for b in bodies], "bool")

    def set_enabled_gravities(self, enabled: Array, *, indices: Array | None = None) -> None:
        """Set (N, 1) whether the bodies fall."""
        which = self._rows(indices)
        flags = table("enabled", enabled, (len(which), 1), bool)[:, 0]
        self._view.enable_gravities(which[flags])
        self._view.disable_gravities(which[~flags])

    def get_enabled_gravities(self, *, indices: Array | None = None) -> Any:
        """(N, 1) whether the bodies fall."""
        names = "physxRigidBody:disableGravity"
        held = [bool(self.prims[i].GetAttribute(names).Get()) for i in self._rows(indices)]
        return column(~np.array(held, dtype=bool), "bool")

    def set_enabled_contact_tracking(
        self, enabled: Array, *, indices: Array | None = None, threshold: float = 0.0
    ) -> None:
        """Set (N, 1) whether the stage says that contacts of the bodies are reported.

        Args:
            enabled: Whether they are.
            indices: Which bodies; None: all.
            threshold: Force above which they are [N].
        """
        which = self._rows(indices)
        flags = table("enabled", enabled, (len(which), 1), bool)[:, 0]
        for i, flag in zip(which, flags, strict=True):
            if flag:
                report = physx_schema.PhysxContactReportAPI.Apply(self.prims[i])
                report.CreateThresholdAttr(float(threshold))
            elif self.prims[i].HasAPI("PhysxContactReportAPI"):
                self.prims[i].RemoveAppliedSchema("PhysxContactReportAPI")

    def get_enabled_contact_tracking(self, *, indices: Array | None = None) -> Any:
        """(N, 1) whether the stage says that contacts of the bodies are reported."""
        found = [self.prims[i].HasAPI("PhysxContactReportAPI") for i in self._rows(indices)]
        return column(found, "bool")

    def get_net_contact_forces(self, *, indices: Array | None = None, dt: float = 1.0) -> Any:
        """(N, 3) sums of the contact forces in the world; impulses with ``dt`` of 1."""
        self._need_filters("get_net_contact_forces")
        return warp(self._view.get_net_contact_forces(self._rows(indices), dt=dt))

    def get_contact_force_matrix(self, *, indices: Array | None = None, dt: float = 1.0) -> Any:
        """(N, filters, 3) contact forces with each of the filters."""
        self._need_filters("get_contact_force_matrix")
        return warp(self._view.get_contact_force_matrix(self._rows(indices), dt=dt))

    def get_contact_force_data(
        self, *, indices: Array | None = None, dt: float = 1.0
    ) -> tuple[Any, ...]:
        """Forces, points, normals and distances of contacts, counts and starts of pairs."""
        self._need_filters("get_contact_force_data")
        return _detailed(self._view.get_contact_force_data(self._rows(indices), dt=dt))

    def get_friction_data(
        self, *, indices: Array | None = None, dt: float = 1.0
    ) -> tuple[Any, ...]:
        """Friction forces and their points, counts and starts of pairs."""
        self._need_filters("get_friction_data")
        return _detailed(self._view.get_friction_data(self._rows(indices), dt=dt))

    def _need_filters(self, what: str) -> None:
        if not self._filters and not self._max_contact_count:
            needed = "contact_filter_paths or max_contact_count"
            raise UnibodyError(f"{what} of {self.paths[0]} needs {needed}")


def _detailed(data: tuple[Any, ...]) -> tuple[Any, ...]:
    return (*(warp(one) for one in data[:-2]), *(warp(one, "int32") for one in data[-2:]))
