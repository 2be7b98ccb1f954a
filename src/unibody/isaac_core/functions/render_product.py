"""What pictures are described by: a camera, a resolution, and what is drawn."""

from __future__ import annotations

from typing import Any

from pxr import Gf, Sdf, Usd

from unibody.errors import NotSupportedError
from unibody.isaac_core import handles


def create_hydra_texture(resolution: tuple[int], camera_prim_path: str) -> Any:
    """A texture of the renderer.

    Raises:
        NotSupportedError: Always: no renderer of Kit is here.
    """
    raise NotSupportedError("create_hydra_texture", "unibody's other surfaces have cameras")


def get_camera_prim_path(render_product_path: str) -> str:
    """Path of the camera.

    Raises:
        RuntimeError: There is no description of the path.
    """
    targets = _product(render_product_path).GetRelationship("camera").GetTargets()
    return str(targets[0]) if targets else ""


def set_camera_prim_path(render_product_path: str, camera_prim_path: str) -> None:
    """Set the camera."""
    product = _product(render_product_path)
    with _layer_of(product):
        product.GetRelationship("camera").SetTargets([Sdf.Path(str(camera_prim_path))])


def get_resolution(render_product_path: str) -> tuple[int, int]:
    """Width and height [px]."""
    width, height = _product(render_product_path).GetAttribute("resolution").Get()
    return width, height


def set_resolution(render_product_path: str, resolution: tuple[int]) -> None:
    """Set width and height [px]."""
    width, height = resolution  # type: ignore[misc]
    product = _product(render_product_path)
    with _layer_of(product):
        product.GetAttribute("resolution").Set(Gf.Vec2i(width, height))


def add_aov(render_product_path: str, aov_name: str) -> None:
    """Add what is drawn, by its name."""
    product = _product(render_product_path)
    with _layer_of(product):
        variable = handles.current_stage().DefinePrim(f"/Render/Vars/{aov_name}", "RenderVar")
        variable.GetAttribute("sourceName").Set(aov_name)
        product.GetRelationship("orderedVars").AddTarget(variable.GetPath())


def _layer_of(product: Usd.Prim) -> Usd.EditContext:
    """What is written goes where the product is: those of the app are not saved."""
    stage, session = product.GetStage(), product.GetStage().GetSessionLayer()
    in_session = session.GetPrimAtPath(product.GetPath())
    return Usd.EditContext(stage, session if in_session else stage.GetEditTarget())


def _product(path: str) -> Usd.Prim:
    prim = handles.current_stage().GetPrimAtPath(str(path))
    if not prim or prim.GetTypeName() != "RenderProduct":
        raise RuntimeError(f"render_product_path={path!r}: there is no RenderProduct of that path")
    return prim
