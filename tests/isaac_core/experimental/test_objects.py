"""Meshes, cameras and materials for sensors of Isaac Sim 6."""

from __future__ import annotations

import importlib

import numpy as np
import pytest

pytest.importorskip("warp")

from pxr import Sdf, UsdGeom

from unibody.errors import InvalidArgumentError
from unibody.isaac_core import handles
from unibody.isaac_core.experimental import app, foundation
from unibody.isaac_core.experimental.materials import NonVisualMaterial
from unibody.isaac_core.experimental.objects import Camera, Cube, GroundPlane, Mesh
from unibody.isaac_core.experimental.prims import GeomPrim, RigidPrim
from unibody.isaac_core.kit import commands
from unibody.isaac_core.schemas import physx_schema
from unibody.isaac_core.schemas.semantics import SemanticsAPI

PATHS = ["/World/a", "/World/b"]


@pytest.mark.parametrize("kind", ["Cone", "Cube", "Cylinder", "Disk", "Plane", "Sphere", "Torus"])
def test_a_mesh_of_a_primitive_is_one_unit_wide_and_closed_where_it_is_solid(kind: str) -> None:
    mesh = Mesh("/World/a", primitives=kind, colors="tab:blue")
    points = mesh.get_points()[0].numpy()
    assert np.ptp(points[:, 0]) == pytest.approx(1.0, abs=1e-3)
    numbers, counts, _, _ = (one[0] for one in mesh.get_face_specs())
    assert int(counts.numpy().sum()) == len(numbers)
    edges: dict[tuple[int, int], int] = {}
    start = 0
    for count in counts.numpy():
        face = numbers.numpy()[start : start + count]
        for a, b in zip(face, np.roll(face, -1), strict=True):
            edges[int(a), int(b)] = edges.get((int(a), int(b)), 0) + 1
        start += count
    if kind not in ("Plane", "Disk"):  # each edge has a face on both sides, turned alike
        assert all(n == 1 and (b, a) in edges for (a, b), n in edges.items())


def test_meshes_keep_what_they_are_given_and_refuse_what_does_not_fit() -> None:
    mesh = Mesh(PATHS)
    square = [[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]]
    mesh.set_points([square])
    mesh.set_face_specs([[0, 1, 2, 3]], [[4]])
    assert mesh.num_faces == [1, 1]
    mesh.set_crease_specs([[0, 3]], [[2]], [[10.0]], indices=[1])
    assert mesh.get_crease_specs()[0][0].shape == (0,)
    assert mesh.get_crease_specs(indices=[1])[2][0].numpy().tolist() == [10.0]
    with pytest.raises(InvalidArgumentError, match="2 numbers"):
        mesh.set_crease_specs([[0, 1, 3]], [[2]], [[10.0]])
    with pytest.raises(InvalidArgumentError, match="Torus"):
        Mesh("/World/c", primitives="Star")
    assert not handles.current_stage().GetPrimAtPath("/World/c")


def test_a_mesh_falls_and_lies_as_the_body_it_was_made() -> None:
    GroundPlane("/World/ground")
    Mesh("/World/a", primitives="Cube", positions=[0.0, 0.0, 1.0])
    geometry = GeomPrim("/World/a", apply_collision_apis=True)
    geometry.set_collision_approximations("convexHull")
    body = RigidPrim("/World/a", masses=1.0)
    app.play()
    app.update_app(steps=120)
    assert body.get_world_poses()[0].numpy()[0] == pytest.approx([0, 0, 0.5], abs=5e-3)


def test_lengths_of_cameras_are_those_of_the_stage() -> None:
    camera = Camera(PATHS)
    camera.set_focal_lengths([[2.4], [1.8]])
    camera.set_apertures(2.0955, 1.529)
    assert UsdGeom.Camera(camera.prims[0]).GetFocalLengthAttr().Get() == pytest.approx(24.0)
    assert camera.get_focal_lengths().numpy()[:, 0] == pytest.approx([2.4, 1.8])
    camera.enforce_square_pixels([480, 640], modes=["horizontal", "vertical"])
    wide, high = (one.numpy()[:, 0] for one in camera.get_apertures())
    assert wide / high == pytest.approx([640 / 480] * 2)
    assert (wide[0], high[1]) == pytest.approx((2.0955, 1.529))
    camera.set_clipping_ranges(far_distances=50.0)
    near, far = camera.get_clipping_ranges()
    assert (near.numpy()[0, 0], far.numpy()[0, 0]) == (1.0, 50.0)
    with pytest.raises(InvalidArgumentError, match="mono, left, right"):
        camera.set_stereo_roles("middle")
    with pytest.raises(InvalidArgumentError, match="horizontal_offsets"):
        camera.set_aperture_offsets()
    Cube("/World/c")
    with pytest.raises(InvalidArgumentError, match="Camera"):
        Camera("/World/c")


def test_materials_for_sensors_are_a_number_of_sixteen_bits() -> None:
    made = NonVisualMaterial(PATHS, bases=["aluminum", "ice"], coatings="paint")
    made.set_attributes("emissive", indices=[0])
    numbers = NonVisualMaterial.encode_material_ids(made)
    assert numbers.numpy()[:, 0].tolist() == [2305, 46 + (1 << 8)]
    assert NonVisualMaterial.decode_material_ids(numbers) == [
        ("aluminum", "paint", "emissive"),
        ("ice", "paint", "none"),
    ]
    with pytest.raises(InvalidArgumentError, match="aluminum"):
        made.set_bases("cheese")


def test_types_of_values_are_known_by_their_names() -> None:
    assert foundation.resolve_value_type_name("float3[]") == Sdf.ValueTypeNames.Float3Array
    assert foundation.value_type_name_to_str(Sdf.ValueTypeNames.Color3f) == "color3f"
    assert "token" in foundation.get_value_type_names()
    with pytest.raises(InvalidArgumentError, match="float3"):
        foundation.resolve_value_type_name("float5")


def test_prims_of_usd_take_schemas_by_the_classes_made_here_and_all_others_as_before() -> None:
    prim = Cube("/World/a").prims[0]
    assert not prim.HasAPI(physx_schema.PhysxRigidBodyAPI)
    physx_schema.PhysxRigidBodyAPI.Apply(prim)
    SemanticsAPI.Apply(prim, "one")
    assert prim.HasAPI(physx_schema.PhysxRigidBodyAPI)
    assert prim.HasAPI(SemanticsAPI, "one")
    assert prim.HasAPI("PhysxRigidBodyAPI")
    assert prim.IsA(UsdGeom.Cube)
    prim.RemoveAPI(physx_schema.PhysxRigidBodyAPI)
    assert not prim.HasAPI(physx_schema.PhysxRigidBodyAPI)


def test_a_body_that_is_new_while_the_stage_plays_keeps_its_mass_for_the_next_play() -> None:
    Cube("/World/a", positions=[0.0, 0.0, 5.0])
    RigidPrim("/World/a")
    app.play()
    app.update_app(steps=2)
    Cube("/World/b", positions=[3.0, 0.0, 5.0])
    later = RigidPrim("/World/b", masses=7.0)
    assert later.get_masses().numpy()[0, 0] == 7.0
    app.stop()
    app.play()
    assert RigidPrim("/World/b").get_masses().numpy()[0, 0] == pytest.approx(7.0)


def test_materials_are_made_by_commands() -> None:
    importlib.import_module("unibody.isaac_core.functions.commands")  # as the name of Kit does
    stage = handles.current_stage()
    commands.execute("AddRigidBodyMaterial", stage=stage, path="/World/m", staticFriction=0.4)
    commands.execute("CreatePreviewSurfaceMaterialPrim", mtl_path="/World/p")
    friction = stage.GetPrimAtPath("/World/m").GetAttribute("physics:staticFriction").Get()
    assert friction == pytest.approx(0.4)
    assert stage.GetPrimAtPath("/World/p").GetTypeName() == "Material"
