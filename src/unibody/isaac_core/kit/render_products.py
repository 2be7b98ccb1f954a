"""Render products: records of what is drawn, by which camera, and how large. None is drawn."""

from __future__ import annotations

from typing import Any

from pxr import Gf, Sdf, Usd, UsdRender

from unibody.errors import InvalidArgumentError
from unibody.isaac_core.kit import context

FOLDER = "/Render/OmniverseKit/HydraTextures"


class RenderProduct:
    """A record on the stage.

    Attributes:
        path: Of its prim.
    """

    def __init__(self, path: str) -> None:
        self.path = path

    def destroy(self) -> None:
        """Take it from the stage."""
        stage = _stage()
        with Usd.EditContext(stage, stage.GetSessionLayer()):
            stage.RemovePrim(self.path)


def render_product(
    camera: Any, resolution: tuple[int, int], name: str | None = None, force_new: bool = False
) -> RenderProduct:
    """Record what a camera is to draw.

    Args:
        camera: Path of the camera, or its prim.
        resolution: Width and height [px].
        name: Of the prim; None: "Replicator".
        force_new: Whether a record of that name that is there is left as it is.

    Raises:
        InvalidArgumentError: The resolution is not two positive whole numbers.
    """
    path = f"{FOLDER}/{name or 'Replicator'}"
    number, free = 0, path
    while force_new and _stage().GetPrimAtPath(free):
        number += 1
        free = f"{path}_{number:02}"
    return define(
        free, str(camera.GetPath() if isinstance(camera, Usd.Prim) else camera), resolution
    )


def define(path: str, camera: str, resolution: tuple[int, int]) -> RenderProduct:
    """Write a record, in the session layer: it is not saved with the stage."""
    sides = tuple(resolution)
    if len(sides) != 2 or not all(int(side) == side and side > 0 for side in sides):
        raise InvalidArgumentError("resolution", resolution, "two positive whole numbers")
    stage = _stage()
    with Usd.EditContext(stage, stage.GetSessionLayer()):
        product = UsdRender.Product.Define(stage, path)
        product.CreateCameraRel().SetTargets([Sdf.Path(camera)])
        product.CreateResolutionAttr(Gf.Vec2i(int(sides[0]), int(sides[1])))
        product.CreateOrderedVarsRel()
    return RenderProduct(path)


def _stage() -> Usd.Stage:
    holder = context.get_context()
    if holder.get_stage() is None:
        holder.new_stage()
    stage = holder.get_stage()
    assert stage is not None
    return stage
