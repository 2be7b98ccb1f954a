"""GeomPrim: shapes that can collide."""

from __future__ import annotations

from typing import Any

import numpy as np
from pxr import UsdGeom

from unibody.isaac_core.experimental.arguments import Array, column, one_each, table
from unibody.isaac_core.experimental.xform_prim import XformPrim, bindings, bound_material
from unibody.isaac_core.prims.geometry_view import GeometryPrimView


class GeomPrim(XformPrim):
    """Shapes.

    Args:
        paths: Of the prims; patterns match level by level.
        apply_collision_apis: Whether the prims collide.
        **placed: Of `XformPrim`.
    """

    def __init__(
        self, paths: str | list[str], *, apply_collision_apis: bool = False, **placed: Any
    ) -> None:
        super().__init__(paths, **placed)
        if apply_collision_apis:
            self.apply_collision_apis()

    def _make_view(self, reset: bool) -> Any:
        return GeometryPrimView(self.paths, reset_xform_properties=reset)

    @property
    def geoms(self) -> list[UsdGeom.Gprim]:
        """The shapes."""
        return self._view.geoms

    def apply_collision_apis(self, *, indices: Array | None = None) -> None:
        """Let prims collide that did not."""
        self._view.apply_collision_apis(self._rows(indices))

    def set_enabled_collisions(self, enabled: Array, *, indices: Array | None = None) -> None:
        """Set (N, 1) whether they collide."""
        which = self._rows(indices)
        flags = table("enabled", enabled, (len(which), 1), bool)[:, 0]
        self._view.enable_collision(which[flags])
        self._view.disable_collision(which[~flags])

    def get_enabled_collisions(self, *, indices: Array | None = None) -> Any:
        """(N, 1) whether they collide."""
        return column(self._view.is_collision_enabled(self._rows(indices)), "bool")

    def set_offsets(
        self,
        contact_offsets: Array | None = None,
        rest_offsets: Array | None = None,
        *,
        indices: Array | None = None,
    ) -> None:
        """Set (N, 1) distances at which contacts begin, and rest; what is None stays."""
        which = self._rows(indices)
        for name, values, write in (
            ("contact_offsets", contact_offsets, self._view.set_contact_offsets),
            ("rest_offsets", rest_offsets, self._view.set_rest_offsets),
        ):
            if values is not None:
                write(table(name, values, (len(which), 1))[:, 0], which)

    def get_offsets(self, *, indices: Array | None = None) -> tuple[Any, Any]:
        """(N, 1) distances at which contacts begin, and rest; -inf: the simulation chooses."""
        which = self._rows(indices)
        view = self._view
        return column(view.get_contact_offsets(which)), column(view.get_rest_offsets(which))

    def set_torsional_patch_radii(
        self, radii: Array, *, indices: Array | None = None, minimum: bool = False
    ) -> None:
        """Set (N, 1) radii of the patches that resist twisting, or the smallest of them."""
        which = self._rows(indices)
        view = self._view
        write = view.set_min_torsional_patch_radii if minimum else view.set_torsional_patch_radii
        write(table("radii", radii, (len(which), 1))[:, 0], which)

    def get_torsional_patch_radii(
        self, *, indices: Array | None = None, minimum: bool = False
    ) -> Any:
        """(N, 1) radii of the patches that resist twisting, or the smallest of them."""
        view = self._view
        read = view.get_min_torsional_patch_radii if minimum else view.get_torsional_patch_radii
        return column(read(self._rows(indices)))

    def set_collision_approximations(
        self, approximations: str | list[str], *, indices: Array | None = None
    ) -> None:
        """Choose by which shapes the meshes collide."""
        which = self._rows(indices)
        kinds = one_each("approximations", approximations, len(which))
        self._view.set_collision_approximations(kinds, which)

    def get_collision_approximations(self, *, indices: Array | None = None) -> list[str]:
        """By which shapes the meshes collide."""
        return self._view.get_collision_approximations(self._rows(indices))

    def apply_physics_materials(
        self,
        materials: Any,
        *,
        weaker_than_descendants: Array | None = None,
        indices: Array | None = None,
    ) -> None:
        """Give the prims a material of the physics, or each its own.

        Args:
            materials: A material, of which all prims get the first, or a list of one for each.
            weaker_than_descendants: (N,) whether bindings of prims below count instead.
            indices: Which prims; None: all.
        """
        which: np.ndarray = self._rows(indices)
        self._view.apply_physics_materials(
            *bindings(materials, weaker_than_descendants, len(which)), which
        )

    def get_applied_physics_materials(self, *, indices: Array | None = None) -> list[Any]:
        """The materials of the physics; None where there is none."""
        from unibody.isaac_core.experimental.physics_materials import PhysicsMaterial

        prims = [self.prims[i] for i in self._rows(indices)]
        return [bound_material(prim, PhysicsMaterial, "physics") for prim in prims]
