"""OmniPBR: a material with textures."""

from __future__ import annotations

import numpy as np
from pxr import Gf, Sdf, UsdShade

from unibody.isaac_core import convert
from unibody.isaac_core.functions.types import Vector
from unibody.isaac_core.materials.mdl import MdlMaterial

_TYPES = Sdf.ValueTypeNames


class OmniPBR(MdlMaterial):
    """A color or a texture, how rough and how metallic it is.

    Args:
        prim_path: Where it is; it is made if it is not there.
        name: By which scripts know it.
        shader: Its shader; None: that below it.
        texture_path: A picture.
        texture_scale: By which it is scaled.
        texture_translate: By which it is moved.
        color: Red, green, blue from 0 to 1.
    """

    _function = "OmniPBR"

    def __init__(
        self,
        prim_path: str,
        name: str = "omni_pbr",
        shader: UsdShade.Shader | None = None,
        texture_path: str | None = None,
        texture_scale: np.ndarray | None = None,
        texture_translate: np.ndarray | None = None,
        color: Vector | None = None,
    ) -> None:
        super().__init__(prim_path, name, shader)
        if texture_path is not None:
            self.set_texture(texture_path)
        if texture_scale is not None:
            self.set_texture_scale(*convert.plain(texture_scale))
        if texture_translate is not None:
            self.set_texture_translate(*convert.plain(texture_translate))
        if color is not None:
            self.set_color(color)

    def get_color(self) -> np.ndarray | None:
        """Red, green, blue; None if it does not say."""
        return self._get_color("diffuse_color_constant")

    def set_color(self, color: Vector) -> None:
        """Set red, green, blue."""
        self._set_color("diffuse_color_constant", color)

    def get_texture(self) -> str | None:
        """Path of the picture; None without one."""
        found = self._get("diffuse_texture")
        return None if found is None else found.path

    def set_texture(self, path: str) -> None:
        """Set the picture."""
        self._set("diffuse_texture", _TYPES.Asset, Sdf.AssetPath(path))

    def get_texture_scale(self) -> np.ndarray | None:
        """By which the picture is scaled; None if it does not say."""
        return self._get_color("texture_scale")

    def set_texture_scale(self, x: float, y: float) -> None:
        """Set by which the picture is scaled."""
        self._set("texture_scale", _TYPES.Float2, Gf.Vec2f(float(x), float(y)))

    def get_texture_translate(self) -> np.ndarray | None:
        """By which the picture is moved; None if it does not say."""
        return self._get_color("texture_translate")

    def set_texture_translate(self, x: float, y: float) -> None:
        """Set by which the picture is moved."""
        self._set("texture_translate", _TYPES.Float2, Gf.Vec2f(float(x), float(y)))

    def get_project_uvw(self) -> bool | None:
        """Whether the picture is projected; None if it does not say."""
        return self._get("project_uvw")

    def set_project_uvw(self, flag: bool) -> None:
        """Set whether the picture is projected."""
        self._set("project_uvw", _TYPES.Bool, bool(flag))

    def get_reflection_roughness(self) -> float | None:
        """How rough it is; None if it does not say."""
        return self._get("reflection_roughness_constant")

    def set_reflection_roughness(self, amount: float) -> None:
        """Set how rough it is."""
        self._set("reflection_roughness_constant", _TYPES.Float, float(amount))

    def get_metallic_constant(self) -> float | None:
        """How metallic it is; None if it does not say."""
        return self._get("metallic_constant")

    def set_metallic_constant(self, amount: float) -> None:
        """Set how metallic it is."""
        self._set("metallic_constant", _TYPES.Float, float(amount))
