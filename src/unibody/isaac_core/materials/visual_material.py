"""VisualMaterial: how prims look, as shaders of USD."""

from __future__ import annotations

from typing import Any

import numpy as np
from pxr import Gf, Sdf, Usd, UsdShade

from unibody.isaac_core import convert, handles
from unibody.isaac_core.materials.material import Material, found_or_defined


class VisualMaterial(Material):
    """A material with its shaders.

    Args:
        name: By which scripts know it.
        prim_path: Where it is.
        prim: Its prim.
        shaders_list: Its shaders; the first is that of the surface.
        material: The material of USD.
    """

    def __init__(
        self,
        name: str,
        prim_path: str,
        prim: Usd.Prim,
        shaders_list: list[UsdShade.Shader],
        material: UsdShade.Material,
    ) -> None:
        super().__init__(prim_path, material)
        self._name, self._prim, self._shaders_list = name, prim, shaders_list

    @property
    def name(self) -> str:
        """The name given."""
        return self._name

    @property
    def shaders_list(self) -> list[UsdShade.Shader]:
        """Its shaders."""
        return self._shaders_list

    def _get(self, name: str) -> Any:
        found = self._shaders_list[0].GetInput(name)
        return found.Get() if found else None

    def _set(self, name: str, kind: Sdf.ValueTypeName, value: Any) -> None:
        self._shaders_list[0].CreateInput(name, kind).Set(value)

    def _get_color(self, name: str) -> np.ndarray | None:
        found = self._get(name)
        return None if found is None else np.array(found)

    def _set_color(self, name: str, color: Any) -> None:
        values = (float(part) for part in convert.plain(color))
        self._set(name, Sdf.ValueTypeNames.Color3f, Gf.Vec3f(*values))


def material_at(
    prim_path: str, shader: UsdShade.Shader | None
) -> tuple[UsdShade.Material, UsdShade.Shader, bool]:
    """The material of a path and its shader; what is not there is made.

    Args:
        prim_path: Where it is.
        shader: Its shader; None: that below it.

    Returns:
        Material, shader, and whether the shader is new.
    """
    stage = handles.current_stage()
    material = found_or_defined(prim_path)
    if shader is not None:
        return material, shader, False
    for name in ("shader", "Shader"):
        found = UsdShade.Shader.Get(stage, f"{prim_path}/{name}")
        if found:
            return material, found, False
    return material, UsdShade.Shader.Define(stage, f"{prim_path}/shader"), True
