"""Functions of the stage and its prims, against values of the document and closed forms."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from pxr import Sdf, UsdGeom

from unibody.isaac_core.functions import (
    bounds,
    mesh,
    prims,
    rotations,
    stage,
    string,
    viewports,
    xforms,
)
from unibody.isaac_core.kit import commands, context

_EIGHTH = rotations.euler_angles_to_quat(np.array([0.0, 0.0, 45.0]), degrees=True)


def test_boxes_of_a_unit_cube_are_those_of_the_document() -> None:
    prims.create_prim("/World/Cube", "Cube", attributes={"size": 1.0})
    cache = bounds.create_bbox_cache()
    np.testing.assert_allclose(bounds.compute_aabb(cache, "/World/Cube"), [-0.5] * 3 + [0.5] * 3)
    prims.create_prim("/World/Turned", "Cube", orientation=_EIGHTH, attributes={"size": 1.0})
    half = np.sqrt(0.5)
    np.testing.assert_allclose(
        bounds.compute_aabb(cache, "/World/Turned"), [-half, -half, -0.5, half, half, 0.5]
    )
    centre, axes, extent = bounds.compute_obb(cache, "/World/Turned")
    np.testing.assert_allclose(centre, [0, 0, 0], atol=1e-12)
    np.testing.assert_allclose(axes, [[half, half, 0], [-half, half, 0], [0, 0, 1]], atol=1e-7)
    np.testing.assert_allclose(extent, [0.5] * 3)
    corners = bounds.compute_obb_corners(cache, "/World/Cube")
    np.testing.assert_allclose(corners[[0, 1, 7]], [[-0.5] * 3, [-0.5, -0.5, 0.5], [0.5] * 3])


def test_points_of_a_mesh_are_given_in_the_frame_of_another_prim() -> None:
    _, path = commands.execute("CreateMeshPrim", prim_type="Cube", prim_path="/World/Mesh")
    ball = prims.create_prim("/World/Ball", "Sphere", position=(1.0, 1.0, 1.0))
    cube = UsdGeom.Mesh(prims.get_prim_at_path(path))
    points = mesh.get_mesh_vertices_relative_to(cube, ball)
    assert {tuple(point) for point in points} == {
        (x, y, z) for x in (-1.5, -0.5) for y in (-1.5, -0.5) for z in (-1.5, -0.5)
    }


def test_a_pattern_of_a_path_is_matched_name_by_name() -> None:
    for n in (1, 2):
        prims.create_prim(f"/World/env_0{n}/Cube", "Cube")
    expected = ["/World/env_01/Cube", "/World/env_02/Cube"]
    assert prims.find_matching_prim_paths("/World/env_.*/Cube") == expected
    assert prims.find_matching_prim_paths("/World/env_.*") == ["/World/env_01", "/World/env_02"]
    assert string.find_root_prim_path_from_regex("/World/env_.*/Cube") == ("/World", 2)


def test_a_place_in_the_world_is_kept_below_a_parent_that_is_moved_turned_and_moved_away() -> None:
    prims.create_prim("/World/a", position=(1.0, 2.0, 3.0), orientation=_EIGHTH)
    prims.create_prim("/World/a/b", "Cube", position=(5.0, 0.0, 0.0), orientation=_EIGHTH)
    position, orientation = xforms.get_world_pose("/World/a/b")
    np.testing.assert_allclose(position, (5.0, 0.0, 0.0), atol=1e-12)
    np.testing.assert_allclose(orientation, _EIGHTH, atol=1e-12)
    local, _ = xforms.get_local_pose("/World/a/b")
    # By R^T (p - t): (4, -2, -3) turned back by 45 degrees.
    np.testing.assert_allclose(local, (np.sqrt(2.0), -3 * np.sqrt(2.0), -3.0), atol=1e-12)
    prims.move_prim("/World/a/b", "/World/c")
    np.testing.assert_allclose(xforms.get_world_pose("/World/c")[0], (5.0, 0.0, 0.0), atol=1e-12)
    assert not prims.is_prim_path_valid("/World/a/b")


def test_position_and_translation_exclude_one_another_and_a_path_is_taken_once() -> None:
    with pytest.raises(ValueError, match="position="):
        prims.create_prim("/World/a", position=(0, 0, 0), translation=(0, 0, 0))
    prims.create_prim("/World/b")
    with pytest.raises(ValueError, match="prim_path='/World/b'"):
        prims.create_prim("/World/b")


def test_clearing_keeps_what_may_not_be_deleted() -> None:
    prims.create_prim("/World/Cube", "Cube")
    prims.set_prim_no_delete(prims.create_prim("/Kept"), True)
    stage.clear_stage(lambda path: prims.get_prim_type_name(path) == "Cube")
    assert not prims.is_prim_path_valid("/World/Cube")
    assert prims.is_prim_path_valid("/World")
    stage.clear_stage()
    assert not prims.is_prim_path_valid("/World")
    assert prims.is_prim_path_valid("/Kept")
    assert prims.is_prim_path_valid("/OmniverseKit_Persp")


def test_a_stage_is_saved_and_opened_again(tmp_path: Path) -> None:
    prims.create_prim("/World/Cube", "Cube", position=(1.0, 2.0, 3.0))
    file = str(tmp_path / "stage.usda")
    assert stage.save_stage(file)
    assert context.get_context().get_stage_url() == file
    stage.create_new_stage()
    assert not prims.is_prim_path_valid("/World/Cube")
    assert stage.open_stage(file)
    np.testing.assert_allclose(xforms.get_world_pose("/World/Cube")[0], (1.0, 2.0, 3.0))
    assert "OmniverseKit" not in Path(file).read_text(encoding="utf-8")
    prim = stage.get_current_stage()
    assert UsdGeom.GetStageUpAxis(prim) == "Z"
    with pytest.raises(ValueError, match=r"usd_path='stage\.txt'"):
        stage.open_stage("stage.txt")


def test_stage_that_is_no_utf_8_is_not_opened_and_the_reason_is_told(tmp_path: Path) -> None:
    file = tmp_path / "stage.usda"
    file.write_bytes(b'#usda 1.0\ndef Xform "a\xff\xfe" \xff {\n}\n')
    told: list[tuple[bool, str]] = []
    opened = context.get_context().open_stage(str(file), lambda *reason: told.append(reason))
    assert not opened
    assert told == [(False, "it holds text that is not UTF-8")]
    with pytest.raises(FileNotFoundError, match="none"):
        stage.add_reference_to_stage(str(tmp_path / "none.usda"), "/World/x")


def test_a_prim_that_a_reference_brought_is_ancestral(tmp_path: Path) -> None:
    layer = Sdf.Layer.CreateNew(str(tmp_path / "part.usda"))
    root = Sdf.CreatePrimInLayer(layer, "/Part/Child").nameParent
    layer.defaultPrim = root.name
    layer.Save()
    stage.add_reference_to_stage(layer.identifier, "/World/Part")
    assert prims.is_prim_ancestral("/World/Part/Child")
    assert not prims.is_prim_ancestral("/World/Part")


@pytest.mark.parametrize(
    ("eye", "target", "angles"),
    [
        ((0, 0, 0), (0, 0, 10), (0, 180, 0)),
        ((5, 5, 10), (5, 5, 0), (0, 0, 0)),
        ((5, 5, 5), (0, 0, 0), (np.rad2deg(np.arctan(np.sqrt(2))), 0, 135)),
    ],
)
def test_a_camera_looks_at_its_target_with_the_smallest_angles(eye, target, angles) -> None:
    viewports.set_camera_view(np.array(eye), np.array(target))
    camera = prims.get_prim_at_path("/OmniverseKit_Persp")
    np.testing.assert_allclose(
        camera.GetAttribute("xformOp:rotateXYZ").Get(), angles, atol=1e-4
    )  # float32 of 180 degrees is right to 2e-5
    np.testing.assert_allclose(xforms.get_world_pose("/OmniverseKit_Persp")[0], eye)


def test_patterns_of_paths_are_globs_level_by_level_as_the_physics_takes_them() -> None:
    for name in ("Box_0", "Box_1", "Box_2", "Box"):
        prims.define_prim(f"/World/{name}/Inner")
    boxes = ["/World/Box_0", "/World/Box_1", "/World/Box_2"]
    assert prims.find_matching_prim_paths("/World/Box_*") == boxes
    assert prims.find_matching_prim_paths("/World/Box_.*", "") == boxes
    assert prims.find_matching_prim_paths("/World/Box_[1-2]") == boxes[1:]
    assert prims.find_matching_prim_paths("/World/*/Box_0") == []
    assert prims.find_matching_prim_paths("/World/*", "rigid_body") == []
