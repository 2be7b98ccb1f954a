"""Colours and textures: what UsdShade binds to a shape."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any

from unibody.core.assets.paths import SearchPath
from unibody.core.assets.usd.layers import locate
from unibody.core.assets.usd.library import pxr
from unibody.errors import AssetError

Colour = tuple[float, float, float, float]

_COLOURS = ("diffuseColor", "diffuse_color_constant", "ColorAlbedo", "diffuse_color", "base_color")
_TEXTURES = (
    "file",
    "diffuse_texture",
    "AlbedoTexture",
    "base_color_texture",
)
_OPACITIES = ("opacity", "opacity_constant")
_BLACK = 0.1  # below: a colour that stands for "see the texture"
_DEPTH = 8  # nodes between a surface and the texture it reads


@dataclass(frozen=True, slots=True)
class Look:
    """How a shape is drawn.

    Attributes:
        name: Of the material, "" without one.
        rgba: None: the stage does not say.
        texture: Absolute path of an image, "" without one.
    """

    name: str = ""
    rgba: Colour | None = None
    texture: str = ""


def read_look(prim: Any, file: str, search_path: SearchPath) -> Look:
    """The look of a shape: its material's surface shader, else its display colour.

    Args:
        prim: A ``UsdGeom.Gprim`` or a ``UsdGeom.Subset``.
        file: The stage.
        search_path: Where textures may lie. One that lies elsewhere, or is not there, is left out.
    """
    shade = pxr().UsdShade
    material = shade.MaterialBindingAPI(prim).ComputeBoundMaterial()[0]
    plain = _display_colour(prim)
    if not material:
        return Look(rgba=plain)
    shader = _surface(material)
    name = str(material.GetPrim().GetName())
    if shader is None:
        return Look(name, plain)
    texture = _texture(shader, file, search_path, 0)
    colour = _colour(shader) or plain
    if texture and (colour is None or (_is_mdl(shader) and max(colour[:3]) < _BLACK)):
        colour = (1.0, 1.0, 1.0, 1.0)
    return Look(name, colour, texture)


def _surface(material: Any) -> Any:
    """The shader of a material that draws its surface."""
    shade = pxr().UsdShade
    for context in ("", "mdl"):
        output = material.GetSurfaceOutput(context) if context else material.GetSurfaceOutput()
        if output and output.HasConnectedSource():
            return shade.Shader(output.GetConnectedSource()[0].GetPrim())
    return None


def _is_mdl(shader: Any) -> bool:
    return shader.GetIdAttr().Get() != "UsdPreviewSurface"


def _display_colour(prim: Any) -> Colour | None:
    geom = pxr().UsdGeom
    gprim = geom.Gprim(prim)
    if not gprim:
        return None
    colours, opacities = gprim.GetDisplayColorAttr().Get(), gprim.GetDisplayOpacityAttr().Get()
    if not colours:
        return None
    alpha = float(opacities[0]) if opacities else 1.0
    return _clipped(colours[0], alpha)


def _colour(shader: Any) -> Colour | None:
    value = next((item for name in _COLOURS if (item := _value(shader, name)) is not None), None)
    if value is None or not hasattr(value, "__len__") or len(value) < 3:
        return None
    opacity = next((item for name in _OPACITIES if (item := _value(shader, name)) is not None), 1.0)
    alpha = float(opacity) if isinstance(opacity, int | float) else 1.0
    return _clipped(value, alpha)


def _clipped(colour: Any, alpha: float) -> Colour | None:
    numbers = [float(colour[0]), float(colour[1]), float(colour[2]), alpha]
    if not all(-1e6 < number < 1e6 for number in numbers):  # NaN fails too
        return None
    red, green, blue, alpha = (min(max(number, 0.0), 1.0) for number in numbers)
    return (red, green, blue, alpha)


def _value(shader: Any, name: str) -> Any:
    found = shader.GetInput(name)
    if not found or found.HasConnectedSource():
        return None
    return found.Get()


def _texture(shader: Any, file: str, search_path: SearchPath, depth: int) -> str:
    """The image behind the colour of a shader, through the nodes connected to it."""
    shade = pxr().UsdShade
    if depth > _DEPTH:
        return ""
    for name in (*_TEXTURES, *(_COLOURS if depth == 0 else ())):
        found = shader.GetInput(name)
        if not found:
            continue
        if found.HasConnectedSource():
            source = shade.Shader(found.GetConnectedSource()[0].GetPrim())
            inner = _texture(source, file, search_path, depth + 1) if source else ""
            if inner:
                return inner
        value = found.Get()
        if isinstance(value, pxr().Sdf.AssetPath) and value.path:
            return _image(found.GetAttr(), value.path, file, search_path)
    return ""


def _image(attribute: Any, reference: str, file: str, search_path: SearchPath) -> str:
    stack = attribute.GetPropertyStack(pxr().Usd.TimeCode.Default())
    if not stack:
        return ""
    try:
        found = locate(stack[0].layer, reference, file, search_path)
    except AssetError:
        return ""
    return found if found is not None and os.path.isfile(found) else ""
