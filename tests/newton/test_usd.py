"""newton.usd: values and surfaces of prims."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import warp as wp
from pxr import Gf, Sdf, Usd, UsdGeom, Vt

from unibody.errors import InvalidArgumentError, NotSupportedError
from unibody.newton import usd


@pytest.fixture
def stage() -> Any:
    return Usd.Stage.CreateInMemory()


def _square(stage: Any) -> Any:
    """A square and a triangle on top of it."""
    mesh = UsdGeom.Mesh.Define(stage, "/mesh")
    mesh.CreatePointsAttr([(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0), (0.5, 2, 0)])
    mesh.CreateFaceVertexCountsAttr([4, 3])
    mesh.CreateFaceVertexIndicesAttr([0, 1, 2, 3, 3, 2, 4])
    return mesh


def test_polygons_are_cut_into_triangles_of_the_same_area(stage: Any) -> None:
    mesh = usd.get_mesh(_square(stage).GetPrim())
    corners = mesh.vertices[mesh.indices.reshape(-1, 3)]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    assert len(corners) == 3
    assert 0.5 * normals[:, 2].sum() == pytest.approx(1.5)
    assert (normals[:, 2] > 0.0).all()


def test_a_left_handed_mesh_is_turned(stage: Any) -> None:
    surface = _square(stage)
    surface.CreateOrientationAttr(UsdGeom.Tokens.leftHanded)
    corners = usd.get_mesh(surface.GetPrim()).indices.reshape(-1, 3)
    assert corners[0].tolist() == [2, 1, 0]


def test_normals_of_corners_are_averaged_where_asked(stage: Any) -> None:
    surface = _square(stage)
    surface.CreateNormalsAttr([(0, 0, 1)] * 4 + [(0, 1, 0)] * 3)
    found = usd.get_mesh(
        surface.GetPrim(), load_normals=True, face_varying_normal_conversion="vertex_averaging"
    )
    half = np.sqrt(0.5)
    expected = [[0, 0, 1], [0, 0, 1], [0, half, half], [0, half, half], [0, 1, 0]]
    assert found.normals == pytest.approx(np.array(expected))
    with pytest.raises(InvalidArgumentError, match=r"'sums'.*vertex_splitting"):
        usd.get_mesh(surface.GetPrim(), load_normals=True, face_varying_normal_conversion="sums")


def test_vertices_are_split_where_normals_of_corners_differ(stage: Any) -> None:
    surface = _square(stage)
    surface.CreateNormalsAttr([(0, 0, 1)] * 4 + [(0, 1, 0)] * 3)
    found = usd.get_mesh(surface.GetPrim(), load_normals=True)
    # two of the five vertices have corners in both faces
    assert len(found.vertices) == 7
    assert np.linalg.norm(found.normals, axis=1) == pytest.approx(np.ones(7))
    wide = usd.get_mesh(
        surface.GetPrim(), load_normals=True, vertex_splitting_angle_threshold_deg=91.0
    )
    assert len(wide.vertices) == 5


def test_faces_of_vertices_that_are_not_there_are_refused(stage: Any) -> None:
    surface = _square(stage)
    surface.GetFaceVertexIndicesAttr().Set([0, 1, 2, 3, 3, 2, 7])
    with pytest.raises(InvalidArgumentError, match="/mesh"):
        usd.get_mesh(surface.GetPrim())
    with pytest.raises(InvalidArgumentError, match=r"UsdGeom\.Mesh"):
        usd.get_mesh(UsdGeom.Xform.Define(stage, "/form").GetPrim())


def test_poses_are_those_of_the_prim_and_of_the_world(stage: Any) -> None:
    parent = UsdGeom.Xform.Define(stage, "/parent")
    parent.AddTranslateOp().Set((1.0, 2.0, 3.0))
    child = UsdGeom.Xform.Define(stage, "/parent/child")
    child.AddRotateZOp().Set(90.0)
    child.AddScaleOp().Set((2.0, 3.0, 4.0))
    prim = child.GetPrim()
    half = np.sqrt(0.5)
    local, world = usd.get_transform(prim), usd.get_transform(prim, local=False)
    assert list(local) == pytest.approx([0, 0, 0, 0, 0, half, half], abs=1e-6)
    assert list(world) == pytest.approx([1, 2, 3, 0, 0, half, half], abs=1e-6)
    assert list(usd.get_scale(prim)) == pytest.approx([2.0, 3.0, 4.0])
    matrix = np.array(usd.get_transform_matrix(prim, local=False)).reshape(4, 4)
    assert matrix @ [1.0, 0.0, 0.0, 1.0] == pytest.approx([1.0, 4.0, 3.0, 1.0], abs=1e-5)


def test_values_that_are_not_written_or_not_finite_give_the_default(stage: Any) -> None:
    prim = stage.DefinePrim("/prim")
    prim.CreateAttribute("size", Sdf.ValueTypeNames.Float).Set(float("nan"))
    prim.CreateAttribute("custom:weight", Sdf.ValueTypeNames.Float).Set(2.5)
    prim.CreateAttribute("turn", Sdf.ValueTypeNames.Quatf).Set(Gf.Quatf(0.5, 0.5, 0.5, -0.5))
    prim.CreateAttribute("axis", Sdf.ValueTypeNames.Token).Set("X")
    assert usd.get_float(prim, "size", 7.0) == 7.0
    assert usd.get_float(prim, "custom:weight") == 2.5
    assert usd.get_float(prim, "none") is None
    assert usd.get_float_with_fallback([prim], "none", 3.0) == 3.0
    assert usd.get_attributes_in_namespace(prim, "custom") == {"custom:weight": 2.5}
    assert list(usd.get_quat(prim, "turn")) == [0.5, 0.5, -0.5, 0.5]
    assert usd.get_gprim_axis(prim).name == "X"
    assert usd.has_attribute(prim, "axis")
    assert not usd.has_attribute(prim, "none")


def test_schemas_that_usd_does_not_know_are_found(stage: Any) -> None:
    prim = stage.DefinePrim("/prim")
    written = Sdf.TokenListOp.CreateExplicit(["UnheardOfAPI"])
    prim.SetMetadata("apiSchemas", written)
    assert usd.has_applied_api_schema(prim, "UnheardOfAPI")
    assert not usd.has_applied_api_schema(prim, "AnotherAPI")


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        (True, wp.bool),
        (3, wp.int32),
        (0.5, wp.float32),
        (Gf.Vec2f(1, 2), wp.vec2),
        (Gf.Vec3f(1, 2, 3), wp.vec3),
        (Gf.Vec4f(1, 2, 3, 4), wp.vec4),
        (Gf.Quatf(1, 0, 0, 0), wp.quat),
        (Vt.FloatArray([1, 2, 3]), wp.vec3),
    ],
)
def test_values_have_the_types_of_warp(value: Any, kind: Any) -> None:
    assert usd.type_to_warp(value) is kind
    found = usd.value_to_warp(value)
    numbers = list(found) if hasattr(found, "__len__") else [getattr(found, "value", found)]
    expected = [0, 0, 0, 1] if kind is wp.quat else np.ravel(value).tolist()
    assert numbers == expected


def test_custom_attributes_are_refused_by_name() -> None:
    with pytest.raises(NotSupportedError, match="get_custom_attribute_values"):
        usd.get_custom_attribute_values  # noqa: B018
