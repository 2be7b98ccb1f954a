"""Materials of a stage as the classes that scripts know."""

from __future__ import annotations

from typing import Any

from pxr import Usd, UsdPhysics, UsdShade

from unibody.isaac_core.materials.omni_glass import OmniGlass
from unibody.isaac_core.materials.omni_pbr import OmniPBR
from unibody.isaac_core.materials.physics_material import PhysicsMaterial
from unibody.isaac_core.materials.preview_surface import PreviewSurface

_MDL = {"OmniPBR": OmniPBR, "OmniGlass": OmniGlass}


def of_prim(prim: Usd.Prim, purpose: str = "") -> Any:
    """The material of a prim; None if it is of no kind that is known.

    Args:
        prim: Of a material.
        purpose: "physics" for one of the physics.
    """
    if not prim:
        return None
    path = str(prim.GetPath())
    if purpose == "physics":
        return PhysicsMaterial(path) if prim.HasAPI(UsdPhysics.MaterialAPI) else None
    shader = _shader(prim)
    if shader is None:
        return None
    if shader.GetShaderId() == "UsdPreviewSurface":
        return PreviewSurface(path, shader=shader)
    kind = _MDL.get(str(shader.GetSourceAssetSubIdentifier("mdl")))
    return None if kind is None else kind(path, shader=shader)


def _shader(prim: Usd.Prim) -> UsdShade.Shader | None:
    for renderer in ("mdl", ""):
        surface = UsdShade.Material(prim).ComputeSurfaceSource(renderer)[0]
        if surface:
            return surface
    below = (prim.GetChild(name) for name in ("shader", "Shader"))
    return next((UsdShade.Shader(child) for child in below if child), None)
