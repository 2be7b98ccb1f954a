"""newton.usd: how surfaces of prims are drawn."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image
from pxr import Sdf, Usd, UsdGeom, UsdShade

from unibody.newton import usd

NUMBER, PLACE, PLACES = (
    getattr(Sdf.ValueTypeNames, name) for name in ("Float", "Float2", "TexCoord2fArray")
)


def square() -> tuple[Any, Any]:
    """A stage with a square of two triangles, and the square."""
    stage = Usd.Stage.CreateInMemory()
    mesh = UsdGeom.Mesh.Define(stage, "/mesh")
    mesh.CreatePointsAttr([(0, 0, 0), (1, 0, 0), (0, 1, 0), (1, 1, 0)])
    mesh.CreateFaceVertexCountsAttr([3, 3])
    mesh.CreateFaceVertexIndicesAttr([0, 1, 2, 2, 1, 3])
    return stage, mesh


def textured(stage: Any, mesh: Any, file: str, space: str = "auto") -> Any:
    """Bind a material whose color is an image to a mesh; its node of the image."""
    material = UsdShade.Material.Define(stage, "/m")
    surface = UsdShade.Shader.Define(stage, "/m/surface")
    surface.CreateIdAttr("UsdPreviewSurface")
    surface.CreateInput("roughness", NUMBER).Set(0.25)
    image = UsdShade.Shader.Define(stage, "/m/image")
    image.CreateInput("file", Sdf.ValueTypeNames.Asset).Set(Sdf.AssetPath(file))
    image.CreateInput("sourceColorSpace", Sdf.ValueTypeNames.Token).Set(space)
    color = surface.CreateInput("diffuseColor", Sdf.ValueTypeNames.Color3f)
    color.ConnectToSource(image.ConnectableAPI(), "rgb")
    material.CreateSurfaceOutput().ConnectToSource(surface.ConnectableAPI(), "surface")
    UsdShade.MaterialBindingAPI.Apply(mesh.GetPrim()).Bind(material)
    return image


def places(mesh: Any, name: str, rows: list[tuple[float, float]]) -> None:
    kind = UsdGeom.Tokens.faceVarying
    UsdGeom.PrimvarsAPI(mesh).CreatePrimvar(name, PLACES, kind).Set(rows)


def test_vertices_are_split_where_places_in_a_texture_differ() -> None:
    _, mesh = square()
    rows = [(0, 0), (1, 0), (0, 1), (0.5, 0.5), (1, 0), (1, 1)]
    places(mesh, "st", rows)
    found = usd.get_mesh(mesh.GetPrim(), load_uvs=True)
    assert len(found.vertices) == 5  # one of the four is at two places
    np.testing.assert_allclose(found.uvs[found.indices], rows)
    assert found.mass == usd.get_mesh(mesh.GetPrim()).mass


def test_normals_of_faces_and_of_all_are_those_of_their_corners() -> None:
    _, mesh = square()
    mesh.CreateNormalsAttr([(0, 0, 1), (0, 1, 0)])
    mesh.SetNormalsInterpolation(UsdGeom.Tokens.uniform)
    found = usd.get_mesh(mesh.GetPrim(), load_normals=True)
    wanted = np.repeat([(0, 0, 1), (0, 1, 0)], 3, axis=0)
    np.testing.assert_allclose(found.normals[found.indices], wanted)
    mesh.GetNormalsAttr().Set([(0, 0, 1)])
    mesh.SetNormalsInterpolation(UsdGeom.Tokens.constant)
    found = usd.get_mesh(mesh.GetPrim(), load_normals=True)
    np.testing.assert_allclose(found.normals, [(0, 0, 1)] * 4)


def test_a_material_names_the_places_that_its_texture_is_drawn_at() -> None:
    stage, mesh = square()
    image = textured(stage, mesh, "absent.png")
    reader = UsdShade.Shader.Define(stage, "/m/reader")
    reader.CreateInput("varname", Sdf.ValueTypeNames.Token).Set("own")
    image.CreateInput("st", PLACE).ConnectToSource(reader.ConnectableAPI(), "result")
    places(mesh, "st", [(0, 0)] * 6)
    places(mesh, "own", [(0, 1)] * 6)
    found = usd.get_mesh(mesh.GetPrim(), load_uvs=True, load_visual_materials=True)
    assert found.texture == "absent.png"
    assert (found.color, found.roughness) == ((1.0, 1.0, 1.0), 0.25)
    np.testing.assert_allclose(found.uvs, [(0, 1)] * 4)


def test_images_of_linear_colors_are_turned_into_those_of_a_display(tmp_path: Path) -> None:
    file = tmp_path / "linear.png"
    Image.fromarray(np.array([[[0, 128, 255, 200]]], dtype=np.uint8)).save(file)
    stage, mesh = square()
    textured(stage, mesh, str(file), "raw")
    found = usd.get_mesh(mesh.GetPrim(), load_visual_materials=True)
    # sRGB of 128 / 255 is 1.055 (128 / 255)^(1 / 2.4) - 0.055 = 0.7366, or 188 of 255
    assert found.texture.tolist() == [[[0, 188, 255, 200]]]


def test_the_first_of_several_opacities_counts_with_a_warning() -> None:
    _, mesh = square()
    kind = UsdGeom.Tokens.vertex
    api = UsdGeom.PrimvarsAPI(mesh)
    api.CreatePrimvar("displayOpacity", Sdf.ValueTypeNames.FloatArray, kind).Set([0.25, 1, 1, 1])
    with pytest.warns(UserWarning, match="using the first value"):
        found = usd.get_mesh(mesh.GetPrim(), load_visual_materials=True)
    assert found.opacity == 0.25
