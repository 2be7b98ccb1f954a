"""PreviewSurface: the plain material of USD."""

from __future__ import annotations

import numpy as np
from pxr import Sdf, UsdShade

from unibody.isaac_core.functions.types import Vector
from unibody.isaac_core.materials.visual_material import VisualMaterial, material_at


class PreviewSurface(VisualMaterial):
    """A color, how rough and how metallic it is.

    Args:
        prim_path: Where it is; it is made if it is not there.
        name: By which scripts know it.
        shader: Its shader; None: that below it.
        color: Red, green, blue from 0 to 1.
        roughness: From 0 to 1.
        metallic: From 0 to 1.
    """

    def __init__(
        self,
        prim_path: str,
        name: str = "preview_surface",
        shader: UsdShade.Shader | None = None,
        color: Vector | None = None,
        roughness: float | None = None,
        metallic: float | None = None,
    ) -> None:
        material, found, is_new = material_at(prim_path, shader)
        super().__init__(name, prim_path, material.GetPrim(), [found], material)
        if is_new:
            found.CreateIdAttr("UsdPreviewSurface")
            surface = found.CreateOutput("surface", Sdf.ValueTypeNames.Token)
            material.CreateSurfaceOutput().ConnectToSource(surface)
        if color is not None:
            self.set_color(color)
        if roughness is not None:
            self.set_roughness(roughness)
        if metallic is not None:
            self.set_metallic(metallic)

    def get_color(self) -> np.ndarray | None:
        """Red, green, blue; None if it does not say."""
        return self._get_color("diffuseColor")

    def set_color(self, color: Vector) -> None:
        """Set red, green, blue."""
        self._set_color("diffuseColor", color)

    def get_roughness(self) -> float | None:
        """How rough it is; None if it does not say."""
        return self._get("roughness")

    def set_roughness(self, roughness: float) -> None:
        """Set how rough it is."""
        self._set("roughness", Sdf.ValueTypeNames.Float, float(roughness))

    def get_metallic(self) -> float | None:
        """How metallic it is; None if it does not say."""
        return self._get("metallic")

    def set_metallic(self, metallic: float) -> None:
        """Set how metallic it is."""
        self._set("metallic", Sdf.ValueTypeNames.Float, float(metallic))
