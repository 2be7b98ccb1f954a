"""RigidPrimView: many bodies."""

from __future__ import annotations

from typing import Any

import numpy as np
from pxr import Gf, UsdPhysics

from unibody.isaac_core import arrays
from unibody.isaac_core.functions.types import DynamicsViewState
from unibody.isaac_core.prims.contact_reports import ContactReports
from unibody.isaac_core.prims.physics_poses import PhysicsPoses
from unibody.isaac_core.prims.rigid_masses import RigidMasses
from unibody.isaac_core.prims.xform_view import Array, XFormPrimView
from unibody.isaac_core.schemas import physx_schema
from unibody.isaac_core.simulation.manager import simulation

LINEAR, ANGULAR = slice(0, 3), slice(3, 6)


class RigidPrimView(RigidMasses, ContactReports, PhysicsPoses, XFormPrimView):  # pyright: ignore[reportIncompatibleMethodOverride] - the original's
    """Bodies whose paths match patterns. Velocities are linear, then angular, in the world.

    Args:
        prim_paths_expr: A pattern, level by level, or several.
        name: By which a scene finds the view.
        positions: (M, 3) in the world.
        translations: (M, 3) to the parents, instead of positions.
        orientations: (M, 4) w, x, y, z.
        scales: (M, 3) to the parents.
        visibilities: (M,) whether they are seen.
        reset_xform_properties: Whether the prims get translate, orient and scale alone.
        masses: (M,) [kg].
        densities: (M,) [kg/m^3].
        linear_velocities: (M, 3) [m/s].
        angular_velocities: (M, 3) [rad/s].
        track_contact_forces: Whether contact forces can be asked for.
        prepare_contact_sensors: Whether the prims get what reports contacts.
        disable_stablization: Whether that turns the stabilisation of stacks off.
        contact_filter_prim_paths_expr: Patterns of what contacts are with.
        max_contact_count: How many contacts are reported in detail.
    """

    def __init__(
        self,
        prim_paths_expr: str | list[str],
        name: str = "rigid_prim_view",
        positions: Array = None,
        translations: Array = None,
        orientations: Array = None,
        scales: Array = None,
        visibilities: Array = None,
        reset_xform_properties: bool = True,
        masses: Array = None,
        densities: Array = None,
        linear_velocities: Array = None,
        angular_velocities: Array = None,
        track_contact_forces: bool = False,
        prepare_contact_sensors: bool = True,
        disable_stablization: bool = True,
        contact_filter_prim_paths_expr: list[str] = [],  # noqa: B006
        max_contact_count: int = 0,
    ) -> None:
        self._physics_view: Any = None
        self._report_contacts(
            prim_paths_expr, name, track_contact_forces, contact_filter_prim_paths_expr,
            prepare_contact_sensors, disable_stablization, max_contact_count,
        )  # fmt: skip
        XFormPrimView.__init__(
            self, prim_paths_expr, name, positions, translations, orientations, scales,
            visibilities, reset_xform_properties,
        )  # fmt: skip
        for prim in self._prims:
            _body(prim)
            if not prim.HasAPI("PhysxRigidBodyAPI"):
                physx_schema.PhysxRigidBodyAPI.Apply(prim)
        if linear_velocities is not None:
            self.set_linear_velocities(linear_velocities)
        if angular_velocities is not None:
            self.set_angular_velocities(angular_velocities)
        if masses is not None:
            RigidPrimView.set_masses(self, masses)
        if densities is not None:
            RigidPrimView.set_densities(self, densities)
        moving = None if self._non_root_link else RigidPrimView.get_velocities(self)
        self._default_velocities = [
            None if moving is None else arrays.take(moving, arrays.rows(None, self.count), part)
            for part in (LINEAR, ANGULAR)
        ]
        if simulation.view is not None:
            self._on_physics_ready()

    @property
    def num_shapes(self) -> int:
        """The most shapes that one of the bodies has."""
        return 0 if self._physics_view is None else self._physics_view.max_shapes

    def _poses_of_physics(self) -> Any:
        return self._physics_view.get_transforms()

    def _set_poses_of_physics(self, poses: Any, which: Any) -> None:
        self._physics_view.set_transforms(poses, which)

    def get_velocities(self, indices: Array = None, clone: bool = True) -> Array:
        """(M, 6) linear [m/s] and angular [rad/s] velocities."""
        which = self._rows(indices)
        if self.is_physics_handle_valid():
            return arrays.take(self._physics_view.get_velocities(), which, clone=clone)
        found = [
            [*_body(self._prims[i]).GetVelocityAttr().Get(),
             *np.deg2rad(_body(self._prims[i]).GetAngularVelocityAttr().Get())]
            for i in which
        ]  # fmt: skip
        return arrays.out(np.array(found, dtype=np.float64).reshape(-1, 6))

    def set_velocities(self, velocities: Array, indices: Array = None) -> None:
        """Set (M, 6) linear [m/s] and angular [rad/s] velocities."""
        self._set_velocities(velocities, indices, slice(0, 6))

    def get_linear_velocities(self, indices: Array = None, clone: bool = True) -> Array:
        """(M, 3) linear velocities [m/s]."""
        moving = self.get_velocities(indices, clone=False)
        return arrays.take(moving, arrays.rows(None, len(moving)), LINEAR)

    def set_linear_velocities(self, velocities: Array, indices: Array = None) -> None:
        """Set (M, 3) linear velocities [m/s]."""
        self._set_velocities(velocities, indices, LINEAR)

    def get_angular_velocities(self, indices: Array = None, clone: bool = True) -> Array:
        """(M, 3) angular velocities [rad/s]."""
        moving = self.get_velocities(indices, clone=False)
        return arrays.take(moving, arrays.rows(None, len(moving)), ANGULAR)

    def set_angular_velocities(self, velocities: Array, indices: Array = None) -> None:
        """Set (M, 3) angular velocities [rad/s]."""
        self._set_velocities(velocities, indices, ANGULAR)

    def _set_velocities(self, velocities: Array, indices: Array, part: slice) -> None:
        which = self._rows(indices)
        if self.is_physics_handle_valid():
            moving = arrays.put(self._physics_view.get_velocities(), which, velocities, part)
            self._physics_view.set_velocities(moving, arrays.row_numbers(which))
            return
        new = arrays.table(velocities, part.stop - part.start, len(which))
        for i, values in zip(which, new, strict=True):
            body = _body(self._prims[i])
            if part.start == 0:
                body.CreateVelocityAttr(Gf.Vec3f(*map(float, values[:3])))
            if part.stop == 6:
                body.CreateAngularVelocityAttr(Gf.Vec3f(*map(float, np.rad2deg(values[-3:]))))

    def apply_forces(self, forces: Array, indices: Array = None, is_global: bool = True) -> None:
        """Push bodies at their centres of mass, for one step.

        Args:
            forces: (M, 3) [N].
            indices: Which bodies; None: all.
            is_global: Whether the forces are in the world, else in the bodies' frames.
        """
        self.apply_forces_and_torques_at_pos(forces, None, None, indices, is_global)

    def apply_forces_and_torques_at_pos(
        self,
        forces: Array = None,
        torques: Array = None,
        positions: Array = None,
        indices: Array = None,
        is_global: bool = True,
    ) -> None:
        """Push and turn bodies, for one step.

        Args:
            forces: (M, 3) [N].
            torques: (M, 3) [N m].
            positions: (M, 3) where the forces act; None: at the centres of mass.
            indices: Which bodies; None: all.
            is_global: Whether all is in the world, else in the bodies' frames.
        """
        physics = self._physics("apply_forces")
        which = self._rows(indices)
        utils = simulation.backend_utils()
        zeros = utils.create_zeros_tensor([self.count, 3], "float32", simulation.device)
        data = [
            None if one is None else arrays.put(zeros, which, one)
            for one in (forces, torques, positions)
        ]
        numbers = arrays.row_numbers(which)
        if data[1] is None and data[2] is None:
            physics.apply_forces(data[0], numbers, is_global)
            return
        physics.apply_forces_and_torques_at_position(*data, numbers, is_global)

    def enable_rigid_body_physics(self, indices: Array = None) -> None:
        """Let bodies move."""
        self._enable(indices, enabled=True)

    def disable_rigid_body_physics(self, indices: Array = None) -> None:
        """Let bodies move no more."""
        self._enable(indices, enabled=False)

    def _enable(self, indices: Array, *, enabled: bool) -> None:
        which = self._rows(indices)
        if not self.is_physics_handle_valid():
            for i in which:
                _body(self._prims[i]).CreateRigidBodyEnabledAttr(enabled)
        else:  # until the simulation stops, as the original does it
            held = self._physics_view.get_disable_simulations()
            held = arrays.put(held, which, np.full((len(which), 1), not enabled))
            self._physics_view.set_disable_simulations(held, arrays.row_numbers(which))

    def enable_gravities(self, indices: Array = None) -> None:
        """Let bodies fall."""
        self._set_gravities(indices, falls=True)

    def disable_gravities(self, indices: Array = None) -> None:
        """Let bodies fall no more."""
        self._set_gravities(indices, falls=False)

    def _set_gravities(self, indices: Array, *, falls: bool) -> None:
        which = self._rows(indices)
        for i in which:
            self._prims[i].GetAttribute("physxRigidBody:disableGravity").Set(not falls)
        if self.is_physics_handle_valid():
            held = self._physics_view.get_disable_gravities()
            held = arrays.put(held, which, np.full((len(which), 1), not falls))
            self._physics_view.set_disable_gravities(held, arrays.row_numbers(which))

    def get_default_state(self) -> DynamicsViewState:  # pyright: ignore[reportIncompatibleMethodOverride] - the original's
        """Poses and velocities by default."""
        state = self._default_state
        if state is None:
            return DynamicsViewState(None, None, *self._default_velocities)
        return DynamicsViewState(state.positions, state.orientations, *self._default_velocities)

    def set_default_state(  # pyright: ignore[reportIncompatibleMethodOverride] - the original's
        self,
        positions: Array = None,
        orientations: Array = None,
        linear_velocities: Array = None,
        angular_velocities: Array = None,
        indices: Array = None,
    ) -> None:
        """Set poses and velocities by default; what is None stays."""
        if self._non_root_link:
            return
        XFormPrimView.set_default_state(self, positions, orientations, indices)
        which = self._rows(indices)
        for part, new in enumerate((linear_velocities, angular_velocities)):
            if new is not None:
                old = self._default_velocities[part]
                self._default_velocities[part] = arrays.put(old, which, new)

    def get_current_dynamic_state(self) -> DynamicsViewState:
        """Poses and velocities now."""
        return DynamicsViewState(
            *self.get_world_poses(), self.get_linear_velocities(), self.get_angular_velocities()
        )

    def post_reset(self) -> None:
        """Go back to poses and velocities by default."""
        if self._non_root_link:
            return
        XFormPrimView.post_reset(self)
        utils = simulation.backend_utils()
        moving = [utils.to_numpy(one) for one in self._default_velocities]
        self.set_velocities(arrays.out(np.concatenate(moving, axis=-1)))

    def _on_physics_ready(self) -> None:
        if simulation.view is None:
            return
        patterns = [pattern.replace(".*", "*") for pattern in self._regex_prim_paths]
        one = patterns if len(patterns) > 1 else patterns[0]
        made = simulation.view.create_rigid_body_view(one)
        self._physics_view = made if made.count else None  # none: they are new since it plays

    def _on_physics_gone(self) -> None:
        self._physics_view = None


def _body(prim: Any) -> UsdPhysics.RigidBodyAPI:
    if prim.HasAPI(UsdPhysics.RigidBodyAPI):
        return UsdPhysics.RigidBodyAPI(prim)
    return UsdPhysics.RigidBodyAPI.Apply(prim)
