"""Materials that are seen: inputs of shaders by name."""

from __future__ import annotations

import functools
import tomllib
from pathlib import Path
from typing import Any

import numpy as np
from pxr import Gf, Sdf, Usd, UsdShade

from unibody.errors import InvalidArgumentError
from unibody.isaac_core import convert
from unibody.isaac_core.experimental.arguments import Array, one_each, table, warp
from unibody.isaac_core.experimental.prim import Prim
from unibody.isaac_core.experimental.prim_functions import get_prim_at_path
from unibody.isaac_core.materials import found
from unibody.isaac_core.materials.omni_glass import OmniGlass
from unibody.isaac_core.materials.omni_pbr import OmniPBR
from unibody.isaac_core.materials.preview_surface import PreviewSurface

_WIDTHS = {"Float3": 3, "Float2": 2, "Float": 1, "Int": 1, "Bool": 1}
_VECTORS = {"Float3": Gf.Vec3f, "Float2": Gf.Vec2f}


@functools.cache
def _inputs() -> dict[str, dict[str, str]]:
    """Types of inputs, by the name of the shader."""
    return tomllib.loads((Path(__file__).parent / "shader_inputs.toml").read_text("utf-8"))


class VisualMaterial(Prim):
    """Materials of one kind: those that are there, or those that are made at free paths.

    Args:
        paths: Of the prims, which are all there or all free.
    """

    _KIND: Any = None
    _SHADER = ""

    def __init__(self, paths: str | list[str]) -> None:
        there, free = Prim.resolve_paths(paths)
        self._made = [
            (found.of_prim(get_prim_at_path(path)) if there else None) or self._KIND(path)
            for path in there or free
        ]
        super().__init__(there or free, resolve_paths=False)

    @property
    def materials(self) -> list[UsdShade.Material]:
        """The materials of USD."""
        return [one.material for one in self._made]

    @property
    def shaders(self) -> list[UsdShade.Shader]:
        """The shaders of their surfaces."""
        return [one.shaders_list[0] for one in self._made]

    @classmethod
    def are_of_type(cls, paths: str | Usd.Prim | list[str | Usd.Prim]) -> Any:
        """(N,) whether prims are materials of this kind."""
        several = paths if isinstance(paths, list) else [paths]
        kinds = [found.of_prim(get_prim_at_path(one)) for one in several]
        return warp([isinstance(one, cls._KIND) for one in kinds], "bool")

    @staticmethod
    def fetch_instances(paths: str | Usd.Prim | list[str | Usd.Prim]) -> list[Any]:
        """Each prim as a material of its kind; None for one that is none."""
        several = paths if isinstance(paths, list) else [paths]
        return [_material_of(get_prim_at_path(one)) for one in several]

    def set_input_values(self, name: str, values: Any, *, indices: Array | None = None) -> None:
        """Set an input of the shaders.

        Args:
            name: Of the input.
            values: Numbers, which broadcast to all materials, or a file or a list of files.
            indices: Which materials; None: all.

        Raises:
            InvalidArgumentError: The shader has no such input.
        """
        kind, which = self._type(name), self._rows(indices)
        usd = getattr(Sdf.ValueTypeNames, kind)
        if kind == "Asset":
            new: Any = [Sdf.AssetPath(str(one)) for one in one_each(name, values, len(which))]
        else:
            new = [_value(kind, row) for row in table(name, values, (len(which), _WIDTHS[kind]))]
        for i, value in zip(which, new, strict=True):
            self.shaders[i].CreateInput(name, usd).Set(value)

    def get_input_values(self, name: str, *, indices: Array | None = None) -> Any:
        """(N, width) values of an input of the shaders; files as a list.

        Raises:
            InvalidArgumentError: The shader has no such input, or it was never set.
        """
        kind, values = self._type(name), []
        for i in self._rows(indices):
            said = self.shaders[i].GetInput(name)
            if not said or said.Get() is None:
                raise InvalidArgumentError("name", name, "an input that was set")
            values.append(said.Get())
        if kind == "Asset":
            return [one.path for one in values]
        dtype = {"Int": "int32", "Bool": "bool"}.get(kind, "float32")
        return warp(np.array(values).reshape(len(values), -1), dtype)

    def _type(self, name: str) -> str:
        known = _inputs()[self._SHADER]
        if name not in known:
            raise InvalidArgumentError("name", name, f"one of {', '.join(known)}")
        return known[name]


class PreviewSurfaceMaterial(VisualMaterial):
    """Plain materials of USD, with inputs such as "diffuseColor" and "roughness"."""

    _KIND, _SHADER = PreviewSurface, "UsdPreviewSurface"


class OmniPbrMaterial(VisualMaterial):
    """Materials with textures, with inputs such as "diffuse_texture" and "metallic_constant"."""

    _KIND, _SHADER = OmniPBR, "OmniPBR"


class OmniGlassMaterial(VisualMaterial):
    """Glass, with inputs such as "glass_color" and "glass_ior"."""

    _KIND, _SHADER = OmniGlass, "OmniGlass"


_KINDS = (PreviewSurfaceMaterial, OmniPbrMaterial, OmniGlassMaterial)


def _value(kind: str, row: np.ndarray) -> Any:
    if kind in _VECTORS:
        return _VECTORS[kind](*map(float, convert.plain(row)))
    return {"Float": float, "Int": int, "Bool": bool}[kind](row[0])


def _material_of(prim: Usd.Prim) -> VisualMaterial | None:
    made = found.of_prim(prim)
    for kind in _KINDS:
        if made is not None and isinstance(made, kind._KIND):
            return kind(prim.GetPath().pathString)
    return None
