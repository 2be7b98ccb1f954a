"""Files that prims refer to, and poses that they keep."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from pxr import Gf, Usd, UsdGeom

from unibody.isaac_core.functions import stage as functions
from unibody.isaac_core.kit import extensions
from unibody.isaac_core.prims import XFormPrim, XFormPrimView
from unibody.isaac_core.scenes import SceneRegistry


def _file(folder: Path) -> str:
    path = folder / "asset.usda"
    stage = Usd.Stage.CreateNew(str(path))
    UsdGeom.SetStageMetersPerUnit(stage, 1.0)
    stage.SetDefaultPrim(UsdGeom.Xform.Define(stage, "/asset").GetPrim())
    box = UsdGeom.Cube.Define(stage, "/asset/box")
    box.AddScaleOp(UsdGeom.XformOp.PrecisionFloat).Set(Gf.Vec3f(0.25))
    stage.Save()
    return str(path)


@pytest.mark.parametrize("enabled", [False, True])
def test_what_has_other_units_is_scaled_where_the_extension_for_it_is_on(
    tmp_path: Path, enabled: bool
) -> None:
    stage = functions.create_new_stage()
    UsdGeom.SetStageMetersPerUnit(stage, 0.01)
    extensions.manager().set_extension_enabled_immediate(extensions.UNITS, enabled)
    try:
        prim = functions.add_reference_to_stage(_file(tmp_path), "/World/asset")
    finally:
        extensions.manager().set_extension_enabled_immediate(extensions.UNITS, False)
    scale = prim.GetAttribute("xformOp:scale:unitsResolve")
    assert (tuple(scale.Get()) == (100.0, 100.0, 100.0)) if enabled else not scale


def test_a_prim_is_made_without_a_reference_where_no_file_is_named() -> None:
    functions.create_new_stage()
    prim = functions.add_reference_to_stage("", "/World/empty")
    assert prim.GetTypeName() == "Xform"
    assert not prim.HasAuthoredReferences()


def test_a_view_takes_scales_of_single_precision_that_come_with_a_reference(tmp_path: Path) -> None:
    functions.create_new_stage()
    functions.add_reference_to_stage(_file(tmp_path), "/World/asset")
    view = XFormPrimView("/World/asset/box")
    np.testing.assert_allclose(view.get_local_scales(), [[0.25] * 3])


def test_a_prim_keeps_the_quaternion_that_it_was_placed_with() -> None:
    functions.create_new_stage()
    given = np.array([-0.5, 0.5, -0.5, 0.5])
    prim = XFormPrim("/World/prim", position=np.array([1.0, 2.0, 3.0]), orientation=given)
    np.testing.assert_allclose(prim.get_local_pose()[1], given, atol=1e-7)


def test_a_registry_tells_of_a_taken_name_in_the_words_of_the_original() -> None:
    registry = SceneRegistry()
    registry.add_xform("one", object())
    with pytest.raises(ValueError, match="Cannot add the object one to the scene since its name"):
        registry.add_robot("one", object())
