"""Shapes that move: a shape and a body at one prim."""

from __future__ import annotations

from typing import Any

from unibody.isaac_core.prims.rigid import RigidPrim
from unibody.isaac_core.prims.rigid_view import RigidPrimView
from unibody.isaac_core.prims.xform import rows_of


class Body(RigidPrim):
    """What makes a body of a shape."""

    def _move(self, mass: Any, density: Any, linear_velocity: Any, angular_velocity: Any) -> None:
        rows = rows_of(
            masses=mass,
            densities=density,
            linear_velocities=linear_velocity,
            angular_velocities=angular_velocity,
        )
        self._rigid_view = RigidPrimView(
            self.prim_path,
            f"{self.name}_rigid_view",
            **rows,
            reset_xform_properties=False,
            prepare_contact_sensors=False,
        )
        self._view = self._rigid_view

    def initialize(self, physics_sim_view: Any = None) -> None:
        """Take hold of the physics."""
        self._rigid_view.initialize(physics_sim_view)
        shape: Any = self
        shape._geometry_view.initialize(physics_sim_view)
