"""GeometryPrim: one shape."""

from __future__ import annotations

from typing import Any

from pxr import UsdGeom

from unibody.isaac_core.functions.types import Vector
from unibody.isaac_core.prims.geometry_view import GeometryPrimView
from unibody.isaac_core.prims.xform import XFormPrim, first, number, rows_of


class GeometryPrim(XFormPrim):
    """One shape, and what makes it collide.

    Args:
        prim_path: Where it is.
        name: By which a scene finds it.
        position: In the world.
        translation: To the parent, instead of a position.
        orientation: w, x, y, z.
        scale: To the parent.
        visible: Whether it is seen.
        collision: Whether it gets what lets it collide.
        track_contact_forces: Whether contact forces can be asked for.
        prepare_contact_sensor: Whether the prim gets what reports contacts.
        disable_stablization: Whether that turns the stabilisation of stacks off.
        contact_filter_prim_paths_expr: Patterns of what contacts are with.
    """

    def __init__(
        self,
        prim_path: str,
        name: str = "geometry_prim",
        position: Vector | None = None,
        translation: Vector | None = None,
        orientation: Vector | None = None,
        scale: Vector | None = None,
        visible: bool | None = None,
        collision: bool = False,
        track_contact_forces: bool = False,
        prepare_contact_sensor: bool = False,
        disable_stablization: bool = True,
        contact_filter_prim_paths_expr: list[str] = [],  # noqa: B006
    ) -> None:
        self._define(prim_path)
        placed = rows_of(
            positions=position,
            translations=translation,
            orientations=orientation,
            scales=scale,
            visibilities=visible,
        )
        self._geometry_view = GeometryPrimView(
            prim_path,
            f"{name}_geometry_view",
            **placed,
            collisions=[True] if collision else None,
            track_contact_forces=track_contact_forces,
            prepare_contact_sensors=prepare_contact_sensor,
            disable_stablization=disable_stablization,
            contact_filter_prim_paths_expr=contact_filter_prim_paths_expr,
        )
        self._view_of(self._geometry_view, name)

    @property
    def geom(self) -> UsdGeom.Gprim:
        """The shape."""
        return self._geometry_view.geoms[0]

    def get_collision_enabled(self) -> bool:
        """Whether it collides."""
        return bool(number(self._geometry_view.is_collision_enabled()))

    def set_collision_enabled(self, enabled: bool) -> None:
        """Set whether it collides."""
        if enabled:
            self._geometry_view.enable_collision()
        else:
            self._geometry_view.disable_collision()

    def get_contact_offset(self) -> float:
        """Distance at which contacts begin; -inf: the simulation chooses."""
        return float(number(self._geometry_view.get_contact_offsets()))

    def set_contact_offset(self, offset: float) -> None:
        """Set the distance at which contacts begin."""
        self._geometry_view.set_contact_offsets([offset])

    def get_rest_offset(self) -> float:
        """Distance at which contacts rest; -inf: the simulation chooses."""
        return float(number(self._geometry_view.get_rest_offsets()))

    def set_rest_offset(self, offset: float) -> None:
        """Set the distance at which contacts rest."""
        self._geometry_view.set_rest_offsets([offset])

    def get_torsional_patch_radius(self) -> float:
        """Radius of the patch that resists twisting."""
        return float(number(self._geometry_view.get_torsional_patch_radii()))

    def set_torsional_patch_radius(self, radius: float) -> None:
        """Set the radius of the patch that resists twisting."""
        self._geometry_view.set_torsional_patch_radii([radius])

    def get_min_torsional_patch_radius(self) -> float:
        """Smallest radius of the patch that resists twisting."""
        return float(number(self._geometry_view.get_min_torsional_patch_radii()))

    def set_min_torsional_patch_radius(self, radius: float) -> None:
        """Set the smallest radius of the patch that resists twisting."""
        self._geometry_view.set_min_torsional_patch_radii([radius])

    def get_collision_approximation(self) -> str:
        """By which shape a mesh collides."""
        return self._geometry_view.get_collision_approximations()[0]

    def set_collision_approximation(self, approximation_type: str) -> None:
        """Choose by which shape a mesh collides."""
        self._geometry_view.set_collision_approximations([approximation_type])

    def apply_physics_material(
        self, physics_material: Any, weaker_than_descendants: bool = False
    ) -> None:
        """Give it a material of the physics.

        Args:
            physics_material: The material.
            weaker_than_descendants: Whether materials of prims below count instead.
        """
        self._geometry_view.apply_physics_materials([physics_material], [weaker_than_descendants])

    def get_applied_physics_material(self) -> Any:
        """Its material of the physics; None without one."""
        return self._geometry_view.get_applied_physics_materials()[0]

    def get_net_contact_forces(self, dt: float = 1.0) -> Any:
        """(3,) sum of the contact forces in the world."""
        return first(self._geometry_view.get_net_contact_forces(dt=dt))

    def get_contact_force_matrix(self, dt: float = 1.0) -> Any:
        """(filters, 3) contact forces with each of the filters."""
        return first(self._geometry_view.get_contact_force_matrix(dt=dt))

    def get_contact_force_data(self, dt: float = 1.0) -> Any:
        """Forces, points, normals and distances of contacts, counts and starts of pairs."""
        return self._geometry_view.get_contact_force_data(dt=dt)

    def get_friction_data(self, dt: float = 1.0) -> Any:
        """Friction forces and their points, counts and starts of pairs."""
        return self._geometry_view.get_friction_data(dt=dt)
