"""What materials of all kinds have: a prim on the stage."""

from __future__ import annotations

from pxr import Usd, UsdShade

from unibody.isaac_core import handles


class Material:
    """A material of USD.

    Args:
        prim_path: Where it is.
        material: It.
    """

    def __init__(self, prim_path: str, material: UsdShade.Material) -> None:
        self._prim_path, self._material = prim_path, material
        self._prim = material.GetPrim()

    @property
    def prim_path(self) -> str:
        """Where it is."""
        return self._prim_path

    @property
    def prim(self) -> Usd.Prim:
        """Its prim."""
        return self._prim

    @property
    def material(self) -> UsdShade.Material:
        """The material of USD."""
        return self._material


def found_or_defined(prim_path: str) -> UsdShade.Material:
    """The material at a path of the stage; it is made if it is not there."""
    stage = handles.current_stage()
    material = UsdShade.Material.Get(stage, prim_path)
    return material if material else UsdShade.Material.Define(stage, prim_path)
