"""Surroundings from USD stages, as the original makes them.

The expected numbers are those of the original 0.8.0 for the same stages, to the collision margin.
"""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("pxr")

from unibody import bullet, fleet
from unibody.core.assets.mesh.types import TriMesh
from unibody.fleet.world_files.usd_files import write_mesh

POINTS = """
        point3f[] points = [(0, 0, 0), (100, 0, 0), (0, 100, 0), (0, 0, 100)]
        int[] faceVertexCounts = [3, 3, 3, 3]
        int[] faceVertexIndices = [0, 2, 1, 0, 1, 3, 1, 2, 3, 0, 3, 2]
"""
STAGE = f"""#usda 1.0
(
    metersPerUnit = 0.01
    upAxis = "Y"
)
def Xform "S"
{{
    double3 xformOp:translate = (100, 200, 300)
    uniform token[] xformOpOrder = ["xformOp:translate"]
    def Mesh "Plain"
    {{{POINTS}
        color3f[] primvars:displayColor = [(0.25, 0.5, 0.75)]
        double3 xformOp:scale = (2, 2, 2)
        uniform token[] xformOpOrder = ["xformOp:scale"]
    }}
    def Mesh "Stretched"
    {{{POINTS}
        double3 xformOp:scale = (2, 1, 1)
        uniform token[] xformOpOrder = ["xformOp:scale"]
    }}
    def Mesh "Empty"
    {{
    }}
    def Mesh "Hidden"
    {{{POINTS}
        token visibility = "invisible"
    }}
    def Mesh "Guide"
    {{{POINTS}
        uniform token purpose = "guide"
    }}
}}
"""
INSTANCES = f"""#usda 1.0
(
    upAxis = "Z"
    metersPerUnit = 0.01
)
def Xform "S"
{{
    def Mesh "Part"
    {{{POINTS}
    }}
    def PointInstancer "Many"
    {{
        int[] protoIndices = [0, 0]
        point3f[] positions = [(100, 200, 0), (300, 0, 0)]
        rel prototypes = </S/Part>
    }}
}}
"""


@pytest.fixture
def core():
    made = fleet.MultiRobotSimulationCore(
        fleet.SimulationParams(gui=False, monitor=False, enable_floor=False)
    )
    made.initialize_simulation()
    yield made
    bullet.disconnect(made.client)


def load(core, folder: Path, text: str, **options):
    (folder / "stage.usda").write_text(text)
    return fleet.load_usd_world(
        folder / "stage.usda", sim_core=core, options=fleet.UsdImportOptions(**options)
    )


def test_meshes_stand_where_the_stage_puts_them_in_metres_with_z_up(core, tmp_path):
    report = load(core, tmp_path, STAGE)
    assert list(report.created_object_ids) == ["/S/Plain", "/S/Stretched"]
    plain, stretched = core.sim_objects
    # (100, 200, 300) cm with y up is (1, -3, 2) m with z up.
    assert np.allclose(plain.get_pose().position, (1.0, -3.0, 2.0))
    assert np.allclose(plain.get_pose().orientation, (math.sqrt(0.5), 0.0, 0.0, math.sqrt(0.5)))
    assert plain.user_data["usd_transform_mode"] == "pose"
    assert stretched.user_data["usd_transform_mode"] == "baked"
    assert np.allclose(stretched.get_pose().position, 0.0)
    assert report.source_up_axis == "Y"
    assert (
        report.stage_to_pbf_transform == "(x, y, z) -> (x, -z, y); scale=0.01 metres per stage unit"
    )


def test_robots_collide_with_a_stage(core, tmp_path):
    load(core, tmp_path, STAGE)
    plain = core.sim_objects[0]
    box = fleet.ShapeParams(shape_type="box", half_extents=[0.1, 0.1, 0.1])
    # The corner of the mesh; its sides are 2 m long.
    inside, outside = (
        fleet.SimObject.from_mesh(
            visual_shape=box,
            collision_shape=box,
            pose=fleet.Pose.from_xyz(*place),
            sim_core=core,
        )
        for place in ((1.2, -3.2, 2.2), (3.2, -5.2, 4.2))
    )
    pairs = {tuple(sorted(pair)) for pair in core.check_collisions(ignore_static=False)[0]}
    assert (plain.object_id, inside.object_id) in pairs
    assert not any(outside.object_id in pair for pair in pairs)


def test_the_report_can_be_written_as_json_and_says_what_was_left_out(core, tmp_path):
    report = load(core, tmp_path, STAGE)
    codes = [(item.code, item.prim_path) for item in report.diagnostics]
    assert codes == [("transform_baked", "/S/Stretched"), ("mesh_without_geometry", "/S/Empty")]
    assert json.dumps(vars(report), default=vars)


def test_what_is_hidden_comes_when_it_is_asked_for_and_what_guides_never(core, tmp_path):
    report = load(core, tmp_path, STAGE, include_invisible=True)
    assert "/S/Hidden" in report.created_object_ids
    assert "/S/Guide" not in report.created_object_ids


def test_instances_are_objects_with_numbers_in_their_paths(core, tmp_path):
    report = load(core, tmp_path, INSTANCES, point_instance_warning=1)
    assert list(report.created_object_ids) == ["/S/Many[0]", "/S/Many[1]"]
    assert [item.code for item in report.diagnostics] == ["point_instance_warning"]
    assert np.allclose(core.sim_objects[0].get_pose().position, (1.0, 2.0, 0.0))


def test_an_instance_of_nothing_is_told_of(core, tmp_path):
    report = load(core, tmp_path, INSTANCES.replace("[0, 0]", "[0, 7]"))
    assert [item.code for item in report.diagnostics] == ["point_instance_transform_mismatch"]
    assert core.sim_objects == []


def test_instances_move_with_what_their_instancer_is_in(core, tmp_path):
    moved = INSTANCES.replace(
        "    def PointInstancer",
        "    double3 xformOp:translate = (0, 0, 500)\n"
        '    uniform token[] xformOpOrder = ["xformOp:translate"]\n    def PointInstancer',
    )
    load(core, tmp_path, moved)
    assert np.allclose(core.sim_objects[0].get_pose().position, (1.0, 2.0, 5.0))


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({"max_point_instances": 1, "point_instance_warning": 1}, "point_instance_limit_exceeded"),
        (
            {"max_collision_triangles_per_mesh": 1, "collision_required": True},
            "collision_mesh_unavailable",
        ),
        ({"texture_brightness": 0.0}, "texture_brightness must be positive"),
        ({"max_collision_triangles_total": 0}, "max_collision_triangles_total=0"),
        ({"point_instance_warning": 9_000}, "must not exceed"),
    ],
)
def test_a_stage_that_is_refused_leaves_nothing_behind(core, tmp_path, options, problem):
    with pytest.raises(ValueError, match=problem):
        load(core, tmp_path, INSTANCES, **options)
    assert core.sim_objects == []


def test_a_mesh_that_is_too_fine_is_seen_and_does_not_collide(core, tmp_path):
    report = load(core, tmp_path, INSTANCES, max_collision_triangles_total=4)
    modes = [made.collision_mode.name for made in core.sim_objects]
    assert modes == ["STATIC", "DISABLED"]
    assert [item.code for item in report.diagnostics].count("collision_mesh_unavailable") == 1


def test_a_layer_that_is_missing_is_a_warning(core, tmp_path):
    text = STAGE + 'def "x" (\n    references = @./gone.usda@\n)\n{\n}\n'
    report = load(core, tmp_path, text)
    assert report.objects_created == 2
    assert report.diagnostics[0].asset_path == "./gone.usda"


def test_a_file_that_is_missing_or_broken_is_named(core, tmp_path):
    with pytest.raises(FileNotFoundError, match=r"nothing\.usda"):
        fleet.load_usd_world(tmp_path / "nothing.usda", sim_core=core)
    with pytest.raises(ValueError, match=r"stage\.usda"):
        load(core, tmp_path, "#usda 1.0\ndef def")
    assert core.sim_objects == []


def test_a_texture_is_copied_beside_the_mesh_brighter(tmp_path):
    from PIL import Image

    Image.new("RGB", (2, 2), (100, 50, 20)).save(tmp_path / "image.png")
    corners = np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
    mesh = TriMesh(corners, np.array([[0, 1, 2]], dtype=np.int32), corners[:, :2])
    path = Path(write_mesh(mesh, (1.0, 1.0, 1.0, 1.0), str(tmp_path / "image.png"), 2.0))
    name = path.with_suffix(".mtl").read_text().split("map_Kd ")[1].strip()
    with Image.open(path.parent / name) as copy:
        assert copy.convert("RGB").getpixel((0, 0)) == (200, 100, 40)


def test_without_the_library_the_error_names_the_extra(core, tmp_path, monkeypatch):
    import sys

    from unibody.core.assets.usd import library

    monkeypatch.setitem(sys.modules, "pxr.Ar", None)
    library.pxr.cache_clear()
    with pytest.raises(ImportError, match=r"\[isaac-core\]"):
        load(core, tmp_path, STAGE)
    monkeypatch.undo()
    library.pxr.cache_clear()
