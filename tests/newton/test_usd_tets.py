"""newton.usd: meshes of tetrahedra, and scenes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from pxr import Sdf, Usd, UsdGeom, UsdPhysics, UsdShade

from unibody.errors import InvalidArgumentError
from unibody.newton import TetMesh, usd
from unibody.newton.enums import AttributeFrequency
from unibody.newton.exceptions import NewtonDeprecationWarning

YOUNG, POISSON = 3e5, 0.3
SCHEMA = "PhysicsVolumeDeformableMaterialAPI"


@pytest.fixture
def stage() -> Any:
    return Usd.Stage.CreateInMemory()


def _two(stage: Any) -> Any:
    """Two tetrahedra that share a face."""
    tets = UsdGeom.TetMesh.Define(stage, "/soft")
    tets.CreatePointsAttr([(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1), (1, 1, 1)])
    tets.CreateTetVertexIndicesAttr([(0, 1, 2, 3), (1, 2, 3, 4)])
    return tets


def _material(
    stage: Any, tets: Any, space: str, schemas: tuple[str, ...] = (), **more: float
) -> Any:
    material = UsdShade.Material.Define(stage, "/rubber")
    for schema in schemas:
        material.GetPrim().AddAppliedSchema(schema)
    for name, value in more.items():
        attribute = material.GetPrim().CreateAttribute(f"{space}:{name}", Sdf.ValueTypeNames.Double)
        attribute.Set(value)
    UsdShade.MaterialBindingAPI.Apply(tets.GetPrim()).Bind(material, materialPurpose="physics")
    return tets.GetPrim()


def test_a_mesh_of_tetrahedra_is_read_with_its_primvars(stage: Any) -> None:
    tets = _two(stage)
    primvars = UsdGeom.PrimvarsAPI(tets)
    warm = primvars.CreatePrimvar("warm", Sdf.ValueTypeNames.FloatArray, "vertex")
    warm.Set([1.0, 2.0, 3.0, 4.0, 5.0])
    primvars.CreatePrimvar("part", Sdf.ValueTypeNames.IntArray, "uniform").Set([7, 8])
    for mesh in (usd.get_tetmesh(tets.GetPrim()), TetMesh.create_from_usd(tets.GetPrim())):
        assert mesh.tet_indices.tolist() == [0, 1, 2, 3, 1, 2, 3, 4]
        np.testing.assert_array_equal(mesh.vertices[4], [1.0, 1.0, 1.0])
        assert mesh.custom_attributes["warm"][1] == AttributeFrequency.PARTICLE
        rows, kind = mesh.custom_attributes["part"]
        assert (rows.tolist(), kind) == ([7, 8], AttributeFrequency.TETRAHEDRON)
        assert mesh.k_mu is None and mesh.density is None


def test_left_handed_tetrahedra_are_turned(stage: Any) -> None:
    tets = _two(stage)
    tets.CreateOrientationAttr("leftHanded")
    assert usd.get_tetmesh(tets.GetPrim()).tet_indices.tolist() == [0, 2, 1, 3, 1, 3, 2, 4]


def test_a_material_says_what_tetrahedra_are_made_of(stage: Any) -> None:
    given = {"youngsModulus": YOUNG, "poissonsRatio": POISSON, "density": 40.0}
    prim = _material(stage, _two(stage), "physics", (SCHEMA,), **given)
    mesh = usd.get_tetmesh(prim, compat_namespaces=())
    # Lame's parameters of an isotropic material; float32 has 7 digits
    assert mesh.k_mu is not None and mesh.k_lambda is not None
    np.testing.assert_allclose(mesh.k_mu, YOUNG / (2.0 * (1.0 + POISSON)), rtol=1e-6)
    stiff = YOUNG * POISSON / ((1.0 + POISSON) * (1.0 - 2.0 * POISSON))
    np.testing.assert_allclose(mesh.k_lambda, stiff, rtol=1e-6)
    assert mesh.density == 40.0


def test_older_namespaces_are_read_where_they_are_named_or_with_a_warning(stage: Any) -> None:
    prim = _material(stage, _two(stage), "omniphysics", youngsModulus=YOUNG, density=40.0)
    assert usd.get_tetmesh(prim, compat_namespaces=()).k_mu is None
    named = usd.get_tetmesh(prim, compat_namespaces=usd.DEFORMABLE_LEGACY_NAMESPACES)
    with pytest.warns(NewtonDeprecationWarning, match="compat_namespaces"):
        usual = usd.get_tetmesh(prim)
    assert named.density == usual.density == 40.0
    np.testing.assert_array_equal(named.k_mu, usual.k_mu)


@pytest.mark.parametrize(
    ("name", "value"), [("poissonsRatio", 1.5), ("density", -1.0), ("youngsModulus", np.nan)]
)
def test_what_no_material_has_is_told_of_and_left_out(stage: Any, name: str, value: float) -> None:
    prim = _material(stage, _two(stage), "physics", (SCHEMA,), **{name: value})
    with pytest.warns(UserWarning, match=f"physics:{name}.*left out"):
        mesh = usd.get_tetmesh(prim)
    assert mesh.k_mu is not None
    # what the schema says of a material that states nothing: 1 MPa and 0.3
    np.testing.assert_allclose(mesh.k_mu, 1e6 / 2.6, rtol=1e-6)
    assert mesh.density is None


def test_a_prim_without_tetrahedra_is_refused_by_its_path(stage: Any) -> None:
    UsdGeom.TetMesh.Define(stage, "/empty").CreatePointsAttr([(0, 0, 0)])
    with pytest.raises(InvalidArgumentError, match=r"/empty.*tetVertexIndices"):
        usd.get_tetmesh(stage.GetPrimAtPath("/empty"))


def test_a_stage_says_which_prims_are_tetrahedra_and_scenes(stage: Any) -> None:
    _two(stage)
    UsdGeom.Mesh.Define(stage, "/surface")
    for path in ("/a/scene", "/b/scene"):
        UsdPhysics.Scene.Define(stage, path)
    assert [str(prim.GetPath()) for prim in usd.find_tetmesh_prims(stage)] == ["/soft"]

    def found(**where: Any) -> list[str]:
        return [str(scene.GetPath()) for scene in usd.get_physics_scenes(stage, **where)]

    assert found() == ["/a/scene", "/b/scene"]
    assert found(root_path="/b") == found(exclude_paths=["/a"]) == ["/b/scene"]
