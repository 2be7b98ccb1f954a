"""GeometryPrimView: many shapes, and what makes them collide."""

from __future__ import annotations

from typing import Any

import numpy as np
from pxr import UsdGeom, UsdPhysics

from unibody.errors import InvalidArgumentError
from unibody.isaac_core import arrays
from unibody.isaac_core.prims import materials
from unibody.isaac_core.prims.contact_reports import ContactReports
from unibody.isaac_core.prims.xform_view import Array, XFormPrimView
from unibody.isaac_core.schemas import physx_schema

APPROXIMATIONS = (
    "none", "convexDecomposition", "convexHull", "boundingSphere", "boundingCube",
    "meshSimplification", "sdf", "sphereFill",
)  # fmt: skip
_PHYSX_APPROXIMATIONS = {
    "convexDecomposition": "PhysxConvexDecompositionCollisionAPI",
    "convexHull": "PhysxConvexHullCollisionAPI",
    "meshSimplification": "PhysxTriangleMeshSimplificationCollisionAPI",
    "sdf": "PhysxSDFMeshCollisionAPI",
    "sphereFill": "PhysxSphereFillCollisionAPI",
    "none": "PhysxTriangleMeshCollisionAPI",
}


class GeometryPrimView(ContactReports, XFormPrimView):
    """Shapes whose paths match patterns.

    Args:
        prim_paths_expr: A pattern, level by level, or several.
        name: By which a scene finds the view.
        positions: (M, 3) in the world.
        translations: (M, 3) to the parents, instead of positions.
        orientations: (M, 4) w, x, y, z.
        scales: (M, 3) to the parents.
        visibilities: (M,) whether they are seen.
        reset_xform_properties: Whether the prims get translate, orient and scale alone.
        collisions: (M,) whether they collide; None leaves them as they are.
        track_contact_forces: Whether contact forces can be asked for.
        prepare_contact_sensors: Whether the prims get what reports contacts.
        disable_stablization: Whether that turns the stabilisation of stacks off.
        contact_filter_prim_paths_expr: Patterns of what contacts are with.
        max_contact_count: How many contacts are reported in detail.
    """

    def __init__(
        self,
        prim_paths_expr: str | list[str],
        name: str = "geometry_prim_view",
        positions: Array = None,
        translations: Array = None,
        orientations: Array = None,
        scales: Array = None,
        visibilities: Array = None,
        reset_xform_properties: bool = True,
        collisions: Array = None,
        track_contact_forces: bool = False,
        prepare_contact_sensors: bool = False,
        disable_stablization: bool = True,
        contact_filter_prim_paths_expr: list[str] = [],  # noqa: B006
        max_contact_count: int = 0,
    ) -> None:
        self._report_contacts(
            prim_paths_expr, name, track_contact_forces, contact_filter_prim_paths_expr,
            prepare_contact_sensors, disable_stablization, max_contact_count,
        )  # fmt: skip
        XFormPrimView.__init__(
            self, prim_paths_expr, name, positions, translations, orientations, scales,
            visibilities, reset_xform_properties,
        )  # fmt: skip
        self._physics_materials = materials.Applied(self._prims, "physics")
        if collisions is not None:
            wanted = np.broadcast_to(np.atleast_1d(arrays.table(collisions)), self.count)
            self.apply_collision_apis(np.flatnonzero(wanted))

    @property
    def geoms(self) -> list[UsdGeom.Gprim]:
        """The shapes."""
        return [UsdGeom.Gprim(prim) for prim in self._prims]

    def apply_collision_apis(self, indices: Array = None) -> None:
        """Let prims collide that did not."""
        for i in self._rows(indices):
            _collision(self._prims[i])
            _physx(self._prims[i], "PhysxCollisionAPI")

    def enable_collision(self, indices: Array = None) -> None:
        """Let prims collide."""
        for i in self._rows(indices):
            _collision(self._prims[i]).CreateCollisionEnabledAttr(True)

    def disable_collision(self, indices: Array = None) -> None:
        """Let prims collide no more."""
        for i in self._rows(indices):
            _collision(self._prims[i]).CreateCollisionEnabledAttr(False)

    def is_collision_enabled(self, indices: Array = None) -> Array:
        """(M,) whether they collide."""
        enabled = [
            bool(UsdPhysics.CollisionAPI(self._prims[i]).GetCollisionEnabledAttr().Get())
            if self._prims[i].HasAPI(UsdPhysics.CollisionAPI)
            else False
            for i in self._rows(indices)
        ]
        return arrays.out(enabled, "bool")

    def get_contact_offsets(self, indices: Array = None) -> Array:
        """(M,) distances at which contacts begin; -inf: the simulation chooses."""
        return self._numbers(indices, "PhysxCollisionAPI", "physxCollision:contactOffset")

    def set_contact_offsets(self, offsets: Array, indices: Array = None) -> None:
        """Set the distances at which contacts begin."""
        self._set(offsets, indices, "PhysxCollisionAPI", "physxCollision:contactOffset")

    def get_rest_offsets(self, indices: Array = None) -> Array:
        """(M,) distances at which contacts rest; -inf: the simulation chooses."""
        return self._numbers(indices, "PhysxCollisionAPI", "physxCollision:restOffset")

    def set_rest_offsets(self, offsets: Array, indices: Array = None) -> None:
        """Set the distances at which contacts rest."""
        self._set(offsets, indices, "PhysxCollisionAPI", "physxCollision:restOffset")

    def get_torsional_patch_radii(self, indices: Array = None) -> Array:
        """(M,) radii of the patches that resist twisting."""
        return self._numbers(indices, "PhysxCollisionAPI", "physxCollision:torsionalPatchRadius")

    def set_torsional_patch_radii(self, radii: Array, indices: Array = None) -> None:
        """Set the radii of the patches that resist twisting."""
        self._set(radii, indices, "PhysxCollisionAPI", "physxCollision:torsionalPatchRadius")

    def get_min_torsional_patch_radii(self, indices: Array = None) -> Array:
        """(M,) smallest radii of the patches that resist twisting."""
        return self._numbers(indices, "PhysxCollisionAPI", "physxCollision:minTorsionalPatchRadius")

    def set_min_torsional_patch_radii(self, radii: Array, indices: Array = None) -> None:
        """Set the smallest radii of the patches that resist twisting."""
        self._set(radii, indices, "PhysxCollisionAPI", "physxCollision:minTorsionalPatchRadius")

    def get_collision_approximations(self, indices: Array = None) -> list[str]:
        """By which shape the meshes collide."""
        return [
            str(UsdPhysics.MeshCollisionAPI(self._prims[i]).GetApproximationAttr().Get())
            if self._prims[i].HasAPI(UsdPhysics.MeshCollisionAPI)
            else "none"
            for i in self._rows(indices)
        ]

    def set_collision_approximations(
        self, approximation_types: list[str], indices: Array = None
    ) -> None:
        """Choose by which shapes the meshes collide.

        Raises:
            InvalidArgumentError: There is no such shape, or not one for each prim.
        """
        which = self._rows(indices)
        if len(approximation_types) != len(which):
            raise InvalidArgumentError("approximation_types", approximation_types, f"{len(which)}")
        for i, kind in zip(which, approximation_types, strict=True):
            if kind not in APPROXIMATIONS:
                allowed = f"one of {', '.join(APPROXIMATIONS)}"
                raise InvalidArgumentError("approximation_types", kind, allowed)
            api = UsdPhysics.MeshCollisionAPI.Apply(self._prims[i])
            api.CreateApproximationAttr(kind)
            if kind in _PHYSX_APPROXIMATIONS:
                _physx(self._prims[i], _PHYSX_APPROXIMATIONS[kind])

    def apply_physics_materials(
        self,
        physics_materials: Any,
        weaker_than_descendants: bool | list[bool] | None = None,
        indices: Array = None,
    ) -> None:
        """Give the prims a material of the physics, or each its own.

        Raises:
            InvalidArgumentError: There are not as many materials as prims.
        """
        which = self._rows(indices)
        self._physics_materials.apply(physics_materials, weaker_than_descendants, which)

    def get_applied_physics_materials(self, indices: Array = None) -> list[Any]:
        """The materials of the physics; None where there is none."""
        return [self._physics_materials.get(i) for i in self._rows(indices)]

    def _numbers(self, indices: Array, schema: str, name: str) -> Array:
        values = []
        for i in self._rows(indices):
            _physx(self._prims[i], schema)
            values.append(self._prims[i].GetAttribute(name).Get())
        return arrays.out(values)

    def _set(self, values: Array, indices: Array, schema: str, name: str) -> None:
        which = self._rows(indices)
        numbers = np.broadcast_to(np.atleast_1d(arrays.table(values)), len(which))
        for i, value in zip(which, numbers, strict=True):
            _physx(self._prims[i], schema)
            self._prims[i].GetAttribute(name).Set(float(value))


def _collision(prim: Any) -> UsdPhysics.CollisionAPI:
    if prim.HasAPI(UsdPhysics.CollisionAPI):
        return UsdPhysics.CollisionAPI(prim)
    return UsdPhysics.CollisionAPI.Apply(prim)


def _physx(prim: Any, schema: str) -> None:
    if not prim.HasAPI(schema):
        getattr(physx_schema, schema).Apply(prim)
