"""Render products: records of a camera and a resolution."""

from __future__ import annotations

import numpy as np
import pytest
from pxr import Gf, Usd, UsdGeom

from unibody.errors import InvalidArgumentError
from unibody.isaac_core.functions import render_product as functions
from unibody.isaac_core.functions import stage as stages
from unibody.isaac_core.functions.viewports import set_camera_view
from unibody.isaac_core.kit import context, render_products, viewports
from unibody.isaac_core.modules import make
from unibody.isaac_core.sensors.camera import Camera


@pytest.fixture(autouse=True)
def stage() -> Usd.Stage:
    context.get_context().new_stage()
    found = context.get_context().get_stage()
    assert found is not None
    return found


def test_a_render_product_says_and_changes_its_camera_and_size(stage: Usd.Stage) -> None:
    product = render_products.render_product("/OmniverseKit_Persp", (640, 480), name="Mine")
    functions.add_aov(product.path, "Depth")
    assert functions.get_camera_prim_path(product.path) == "/OmniverseKit_Persp"
    assert tuple(functions.get_resolution(product.path)) == (640, 480)
    functions.set_camera_prim_path(product.path, "/OmniverseKit_Top")
    functions.set_resolution(product.path, (64, 48))  # type: ignore[arg-type]  # as documented
    assert functions.get_camera_prim_path(product.path) == "/OmniverseKit_Top"
    assert tuple(functions.get_resolution(product.path)) == (64, 48)
    other = render_products.render_product("/OmniverseKit_Top", (8, 8), "Mine", force_new=True)
    assert other.path == f"{product.path}_01"
    product.destroy()
    assert not stage.GetPrimAtPath(product.path)


def test_render_products_are_not_saved_with_the_stage(stage: Usd.Stage) -> None:
    product = render_products.render_product("/OmniverseKit_Persp", (64, 48))
    functions.set_resolution(product.path, (32, 24))  # type: ignore[arg-type]
    assert stage.GetRootLayer().GetPrimAtPath(product.path) is None
    with pytest.raises(InvalidArgumentError, match="resolution"):
        render_products.render_product("/OmniverseKit_Persp", (64, 0))


def test_a_camera_takes_the_size_of_the_render_product_of_a_viewport(
    stage: Usd.Stage, request: pytest.FixtureRequest
) -> None:
    viewport = viewports.get_active_viewport()
    assert viewport is not None
    before = viewport.get_texture_resolution()
    request.addfinalizer(lambda: viewport.set_texture_resolution(before))  # it outlives stages
    viewport.set_texture_resolution((320, 240))
    path = viewport.get_render_product_path()
    camera = Camera("/camera", render_product_path=path)
    assert tuple(camera.get_resolution()) == tuple(functions.get_resolution(path))
    assert functions.get_camera_prim_path(path) == "/camera"
    with pytest.raises(RuntimeError, match="/nothing"):
        Camera("/other", render_product_path="/nothing")


def test_half_a_turn_of_a_camera_is_written_without_rounding(stage: Usd.Stage) -> None:
    camera = UsdGeom.Camera.Define(stage, "/camera")
    turn = camera.AddOrientOp(UsdGeom.XformOp.PrecisionDouble)
    set_camera_view(np.zeros(3), np.array([0.0, 0.0, 10.0]), "/camera")
    assert turn.Get() == Gf.Quatd(0.0, 0.0, 1.0, 0.0)


def test_the_stage_of_fabric_is_the_stage(stage: Usd.Stage) -> None:
    assert stages.get_current_stage(fabric=True) is stages.get_current_stage()
    assert isinstance(stages.get_current_stage(fabric=True), make("usdrt.Usd").Stage)
