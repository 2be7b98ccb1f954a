"""What the shapes have in common."""

from __future__ import annotations

from typing import Any

import numpy as np
from pxr import UsdGeom

from unibody.errors import InvalidArgumentError
from unibody.isaac_core import handles
from unibody.isaac_core.functions import bounds
from unibody.isaac_core.functions import prims as functions
from unibody.isaac_core.functions import stage as stages
from unibody.isaac_core.materials.physics_material import PhysicsMaterial
from unibody.isaac_core.materials.preview_surface import PreviewSurface
from unibody.isaac_core.materials.visual_material import VisualMaterial
from unibody.isaac_core.prims.geometry import GeometryPrim

GRAY = (0.5, 0.5, 0.5)
"""Color of shapes that say none."""
_SIZES = {"size": 1.0, "radius": 1.0, "height": 1.0}


class Shape(GeometryPrim):
    """A shape of USD that a script makes, or finds."""

    _schema: Any = UsdGeom.Gprim

    def _build(
        self,
        prim_path: str,
        name: str,
        position: Any,
        translation: Any,
        orientation: Any,
        scale: Any,
        visible: bool | None,
        color: Any,
        sizes: dict[str, float | None],
        visual_material: VisualMaterial | None,
    ) -> None:
        is_new = not functions.is_prim_path_valid(prim_path)
        self._is_new = is_new
        stage = handles.current_stage()
        if is_new:
            self._schema.Define(stage, prim_path)
            sizes = {key: _SIZES[key] if size is None else size for key, size in sizes.items()}
            if visual_material is None:
                visual_material = _plain_material(GRAY if color is None else color)
        elif not stage.GetPrimAtPath(prim_path).IsA(self._schema):
            allowed = f"a free path, or that of a {self._schema.__name__}"
            raise InvalidArgumentError("prim_path", prim_path, allowed)
        elif color is not None and visual_material is None:
            visual_material = _plain_material(color)
        GeometryPrim.__init__(
            self, prim_path, name, position, translation, orientation, scale, visible
        )
        for key, size in sizes.items():
            if size is not None:
                self._set_size(key, size)
        if visual_material is not None:
            self.apply_visual_material(visual_material)

    def _get_size(self, key: str) -> float:
        return float(self.prim.GetAttribute(key).Get())

    def _set_size(self, key: str, size: float) -> None:
        self.prim.GetAttribute(key).Set(float(size))
        bounds.recompute_extents(self.prim)

    def _collide(self, physics_material: PhysicsMaterial | None) -> None:
        self._geometry_view.apply_collision_apis()
        if self._is_new:
            self.set_rest_offset(0.0)
            self.set_contact_offset(0.1)
            self.set_torsional_patch_radius(1.0)
            self.set_min_torsional_patch_radius(0.8)
        if self._is_new and physics_material is None:
            path = stages.get_next_free_path("/World/Physics_Materials/physics_material")
            physics_material = PhysicsMaterial(path, "physics_material", 0.2, 1.0, 0.0)
        if physics_material is not None:
            self.apply_physics_material(physics_material)


def _plain_material(color: Any) -> PreviewSurface:
    path = stages.get_next_free_path("/World/Looks/visual_material")
    return PreviewSurface(path, color=np.asarray(color, dtype=np.float64))
