# pyright: reportAttributeAccessIssue=false
"""How prims of USD are drawn: colors, opacities and textures of their materials."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from unibody.newton.exceptions import warn

_COLORS = (
    "diffuseColor",
    "baseColor",
    "diffuse_color_constant",
    "diffuse_color",
    "base_color",
    "ColorAlbedo",
)
_TEXTURES = ("diffuse_texture", "base_color_texture", "albedo_texture", "AlbedoTexture")
_ROUGHNESSES = ("roughness", "reflection_roughness_constant")
_METALLICS = ("metallic", "metallic_constant")
_OPACITIES = ("opacity", "opacity_constant")
_WHITE = (1.0, 1.0, 1.0)
_DEPTH = 8  # nodes between a surface and what it reads
_LINEAR_END = 0.0031308  # of the straight part of the curve of sRGB
_LINEAR_SPACES = {"raw", "linear"}


@dataclass(slots=True)
class Look:
    """How a prim is drawn; None: it does not say.

    Attributes:
        color: Red, green and blue.
        opacity: From 0 to 1.
        roughness: From 0 to 1.
        metallic: From 0 to 1.
        texture: Path of an image, or the image.
        places: Name of the primvar that says where in the texture points are.
    """

    color: Any = None
    opacity: float | None = None
    roughness: float | None = None
    metallic: float | None = None
    texture: Any = None
    places: str | None = None


def look_of(prim: Any) -> Look:
    """The look of a ``UsdGeom.Gprim`` or a ``UsdGeom.Subset``."""
    from pxr import UsdShade

    look = Look(color=_primvar(prim, "displayColor"), opacity=_primvar(prim, "displayOpacity"))
    material, _ = UsdShade.MaterialBindingAPI(prim).ComputeBoundMaterial()
    shader = _surface(material) if material else None
    if shader is None:
        return look
    color = _value(shader, _COLORS)
    if color is not None and np.shape(color) == (3,) and np.isfinite(color).all():
        look.color = tuple(float(v) for v in color)
    for field, names in (("roughness", _ROUGHNESSES), ("metallic", _METALLICS)):
        value = _value(shader, names)
        if isinstance(value, int | float):
            setattr(look, field, float(value))
    opacity = _value(shader, _OPACITIES)
    if isinstance(opacity, int | float) and math.isfinite(opacity):
        look.opacity = min(max(float(opacity), 0.0), 1.0)
    node = _texture_node(shader)
    look.texture, look.places = _texture(shader, node), _places(shader, node)
    if look.texture is not None and (node is not None or color is None):
        look.color = _WHITE  # what is drawn is the texture times the color
    return look


def _primvar(prim: Any, name: str) -> Any:
    """The first value of a primvar of looks."""
    from pxr import UsdGeom

    if not prim.IsA(UsdGeom.Gprim):
        return None
    primvar = UsdGeom.PrimvarsAPI(prim).GetPrimvar(name)
    values = primvar.Get() if primvar and primvar.HasAuthoredValue() else None
    if values is None or not len(values):
        return None
    if len(values) > 1 and name == "displayOpacity":
        warn(f"{prim.GetPath()}: {name} varies over the surface, using the first value")
    first = np.array(values[0], dtype=float)
    if not np.isfinite(first).all():
        return None
    first = np.clip(first, 0.0, 1.0)
    return float(first) if first.ndim == 0 else tuple(first.tolist())


def _surface(material: Any) -> Any:
    """The shader of a material that draws its surface, or the one that is all it has."""
    from pxr import UsdShade

    for context in ("", "mdl"):
        output = material.GetSurfaceOutput(context) if context else material.GetSurfaceOutput()
        if output and output.HasConnectedSource():
            return UsdShade.Shader(output.GetConnectedSource()[0].GetPrim())
    below = [child for child in material.GetPrim().GetChildren() if child.IsA(UsdShade.Shader)]
    return UsdShade.Shader(below[0]) if len(below) == 1 else None


def _value(shader: Any, names: tuple[str, ...]) -> Any:
    """The first input of some names that states a value of its own."""
    for name in names:
        found = shader.GetInput(name)
        if found and not found.HasConnectedSource() and found.Get() is not None:
            return found.Get()
    return None


def _sources(shader: Any, name: str) -> Iterator[Any]:
    """The shaders behind an input, each connected to the one before by the same kind of input."""
    from pxr import UsdShade

    for _ in range(_DEPTH):
        found = shader.GetInput(name) if shader else None
        if not found or not found.HasConnectedSource():
            return
        shader = UsdShade.Shader(found.GetConnectedSource()[0].GetPrim())
        if shader:
            yield shader
        name = "in"


def _texture_node(shader: Any) -> Any:
    """The node that reads the image of a surface's color, or None."""
    for name in _COLORS:
        for node in _sources(shader, name):
            if node.GetInput("file"):
                return node
    return None


def _texture(shader: Any, node: Any) -> Any:
    asset = node.GetInput("file").Get() if node is not None else _value(shader, _TEXTURES)
    path = getattr(asset, "resolvedPath", "") or getattr(asset, "path", "")
    if not path:
        return None
    space = node.GetInput("sourceColorSpace") if node is not None else None
    linear = space and str(space.Get()).lower() in _LINEAR_SPACES
    return _displayed(path) if linear and os.path.isfile(path) else str(path)


def _displayed(path: str) -> np.ndarray:
    """An image of linear colors as one for a display: red, green, blue and alpha, 8 bits each."""
    from PIL import Image

    with Image.open(path) as image:
        pixels = np.array(image.convert("RGBA"))
    colors = pixels[..., :3].astype(np.float32) / 255.0
    curve = 1.055 * np.power(colors, 1.0 / 2.4) - 0.055
    shown = np.where(colors <= _LINEAR_END, 12.92 * colors, curve)
    pixels[..., :3] = np.clip(np.round(255.0 * shown), 0.0, 255.0).astype(np.uint8)
    return pixels


def _places(shader: Any, node: Any) -> str | None:
    if node is not None:
        for reader in _sources(node, "st"):
            name = reader.GetInput("varname")
            if name and name.Get():
                return str(name.Get())
    index = _value(shader, ("uv_space_index",))
    if isinstance(index, int):
        return f"st_{index}" if index else "st"
    return None
