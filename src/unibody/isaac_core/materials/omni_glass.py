"""OmniGlass: a material one sees through."""

from __future__ import annotations

import numpy as np
from pxr import Sdf, UsdShade

from unibody.isaac_core.functions.types import Vector
from unibody.isaac_core.materials.mdl import MdlMaterial

_TYPES = Sdf.ValueTypeNames


class OmniGlass(MdlMaterial):
    """A color, and how it breaks light.

    Args:
        prim_path: Where it is; it is made if it is not there.
        name: By which scripts know it.
        shader: Its shader; None: that below it.
        color: Red, green, blue from 0 to 1.
        ior: Index of refraction.
        depth: At which the color has its full strength.
        thin_walled: Whether it is a sheet.
    """

    _function = "OmniGlass"

    def __init__(
        self,
        prim_path: str,
        name: str = "omni_glass",
        shader: UsdShade.Shader | None = None,
        color: Vector | None = None,
        ior: float | None = None,
        depth: float | None = None,
        thin_walled: bool | None = None,
    ) -> None:
        super().__init__(prim_path, name, shader)
        if color is not None:
            self.set_color(color)
        if ior is not None:
            self.set_ior(ior)
        if depth is not None:
            self.set_depth(depth)
        if thin_walled is not None:
            self.set_thin_walled(thin_walled)

    def get_color(self) -> np.ndarray | None:
        """Red, green, blue; None if it does not say."""
        return self._get_color("glass_color")

    def set_color(self, color: Vector) -> None:
        """Set red, green, blue."""
        self._set_color("glass_color", color)

    def get_ior(self) -> float | None:
        """Index of refraction; None if it does not say."""
        return self._get("glass_ior")

    def set_ior(self, ior: float) -> None:
        """Set the index of refraction."""
        self._set("glass_ior", _TYPES.Float, float(ior))

    def get_depth(self) -> float | None:
        """Depth at which the color has its full strength; None if it does not say."""
        return self._get("depth")

    def set_depth(self, depth: float) -> None:
        """Set the depth at which the color has its full strength."""
        self._set("depth", _TYPES.Float, float(depth))

    def get_thin_walled(self) -> bool | None:
        """Whether it is a sheet; None if it does not say."""
        return self._get("thin_walled")

    def set_thin_walled(self, thin_walled: bool) -> None:
        """Set whether it is a sheet."""
        self._set("thin_walled", _TYPES.Bool, bool(thin_walled))
