"""RigidPrim: one body."""

from __future__ import annotations

from typing import Any

import numpy as np

from unibody.isaac_core.functions.types import DynamicState, Vector
from unibody.isaac_core.prims.rigid_view import RigidPrimView
from unibody.isaac_core.prims.xform import XFormPrim, first, number, row, rows_of


class RigidPrim(XFormPrim):
    """One body.

    Args:
        prim_path: Where it is.
        name: By which a scene finds it.
        position: In the world.
        translation: To the parent, instead of a position.
        orientation: w, x, y, z.
        scale: To the parent.
        visible: Whether it is seen.
        mass: [kg].
        density: [kg/m^3].
        linear_velocity: [m/s].
        angular_velocity: [rad/s].
    """

    def __init__(
        self,
        prim_path: str,
        name: str = "rigid_prim",
        position: Vector | None = None,
        translation: Vector | None = None,
        orientation: Vector | None = None,
        scale: Vector | None = None,
        visible: bool | None = None,
        mass: float | None = None,
        density: float | None = None,
        linear_velocity: Vector | None = None,
        angular_velocity: Vector | None = None,
    ) -> None:
        self._define(prim_path)
        rows = rows_of(
            positions=position,
            translations=translation,
            orientations=orientation,
            scales=scale,
            visibilities=visible,
            masses=mass,
            densities=density,
            linear_velocities=linear_velocity,
            angular_velocities=angular_velocity,
        )
        self._rigid_view = RigidPrimView(
            prim_path, f"{name}_rigid_view", **rows, prepare_contact_sensors=False
        )
        self._view_of(self._rigid_view, name)

    def get_linear_velocity(self) -> np.ndarray:
        """Linear velocity [m/s]."""
        return first(self._rigid_view.get_linear_velocities())

    def set_linear_velocity(self, velocity: Any) -> None:
        """Set the linear velocity [m/s]."""
        self._rigid_view.set_linear_velocities(row(velocity))

    def get_angular_velocity(self) -> np.ndarray:
        """Angular velocity [rad/s]."""
        return first(self._rigid_view.get_angular_velocities())

    def set_angular_velocity(self, velocity: Any) -> None:
        """Set the angular velocity [rad/s]."""
        self._rigid_view.set_angular_velocities(row(velocity))

    def get_mass(self) -> float:
        """Mass [kg]."""
        return float(number(self._rigid_view.get_masses()))

    def set_mass(self, mass: float) -> None:
        """Set the mass [kg]."""
        self._rigid_view.set_masses([mass])

    def get_density(self) -> float:
        """Density [kg/m^3]; 0: not set."""
        return float(number(self._rigid_view.get_densities()))

    def set_density(self, density: float) -> None:
        """Set the density [kg/m^3]."""
        self._rigid_view.set_densities([density])

    def get_com(self) -> tuple[Any, Any]:
        """Centre of mass, and orientation w, x, y, z, in the body's frame."""
        place, turn = self._rigid_view.get_coms()
        return first(place), first(turn)

    def set_com(self, position: np.ndarray, orientation: np.ndarray) -> None:
        """Set the centre of mass, and the orientation w, x, y, z."""
        self._rigid_view.set_coms(row(position), row(orientation))

    def get_sleep_threshold(self) -> float:
        """Energy over mass below which it may sleep."""
        return float(number(self._rigid_view.get_sleep_thresholds()))

    def set_sleep_threshold(self, threshold: float) -> None:
        """Set the energy over mass below which it may sleep."""
        self._rigid_view.set_sleep_thresholds([threshold])

    def enable_rigid_body_physics(self) -> None:
        """Let it move."""
        self._rigid_view.enable_rigid_body_physics()

    def disable_rigid_body_physics(self) -> None:
        """Let it move no more."""
        self._rigid_view.disable_rigid_body_physics()

    def get_default_state(self) -> DynamicState:  # pyright: ignore[reportIncompatibleMethodOverride] - the original's
        """Pose and velocities by default."""
        return _one(self._rigid_view.get_default_state())

    def set_default_state(
        self,
        position: Vector | None = None,
        orientation: Vector | None = None,
        linear_velocity: Vector | None = None,
        angular_velocity: Vector | None = None,
    ) -> None:
        """Set pose and velocities by default; what is None stays."""
        rows = rows_of(
            positions=position,
            orientations=orientation,
            linear_velocities=linear_velocity,
            angular_velocities=angular_velocity,
        )
        self._rigid_view.set_default_state(**rows)

    def get_current_dynamic_state(self) -> DynamicState:
        """Pose and velocities now."""
        return _one(self._rigid_view.get_current_dynamic_state())


def _one(state: Any) -> DynamicState:
    return DynamicState(
        first(state.positions),
        first(state.orientations),
        first(state.linear_velocities),
        first(state.angular_velocities),
    )
