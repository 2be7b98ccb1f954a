"""Masses, filters and scenes of USD stages in the 1.x dialect."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

sys.path.append(str(Path(__file__).parents[1]))
from later import found_later

pytest.importorskip("pxr")

_SCRIPT = """
from pxr import Gf, Sdf, Usd, UsdGeom, UsdPhysics, UsdShade
import logging
found = {}

def stage_of(*bodies):
    stage = Usd.Stage.CreateInMemory()
    UsdGeom.SetStageUpAxis(stage, "Z")
    UsdGeom.SetStageMetersPerUnit(stage, 1.0)
    for name in bodies:
        UsdPhysics.RigidBodyAPI.Apply(UsdGeom.Xform.Define(stage, f"/{name}").GetPrim())
    return stage

def cube(stage, path, enabled=True):
    cube = UsdGeom.Cube.Define(stage, path)
    cube.CreateSizeAttr(0.2)
    UsdPhysics.CollisionAPI.Apply(cube.GetPrim()).CreateCollisionEnabledAttr(enabled)
    return cube.GetPrim()

def added(stage):
    builder = newton.ModelBuilder()
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        builder.add_usd(stage)
    return builder, [str(w.message) for w in told]

# shapes round an axis grow with the larger scale across it; a squashed ball is told
stage = stage_of("A")
for kind in ("Capsule", "Sphere"):
    prim = getattr(UsdGeom, kind).Define(stage, f"/A/{kind}")
    prim.CreateRadiusAttr(0.1)
    UsdPhysics.CollisionAPI.Apply(prim.GetPrim())
    UsdGeom.Xformable(prim.GetPrim()).AddScaleOp().Set(Gf.Vec3d(3.0, 4.0, 2.0))
UsdGeom.Capsule(stage.GetPrimAtPath("/A/Capsule")).CreateHeightAttr(0.5)
lines = []
handler = logging.Handler()
handler.emit = lambda record: lines.append(record.getMessage())
logging.getLogger("newton").addHandler(handler)
builder, _ = added(stage)
found["radius"] = [float(v) for v in builder.shape_scale[builder.shape_label.index("/A/Capsule")]]
found["squashed"] = [line for line in lines if "Non-uniform" in line]

# densities of the usual 1000 kg/m^3 weigh a cube 8 kg
stage = stage_of("A", "B", "C", "D")
for name in "ABCD":
    cube(stage, f"/{name}/on")
UsdPhysics.MassAPI.Apply(stage.GetPrimAtPath("/A/on")).CreateMassAttr(0.5)
cube(stage, "/A/off", enabled=False)
UsdPhysics.MassAPI.Apply(stage.GetPrimAtPath("/A/off")).CreateMassAttr(3.0)
UsdPhysics.MassAPI.Apply(stage.GetPrimAtPath("/B")).CreateMassAttr(float("inf"))
UsdPhysics.MassAPI.Apply(stage.GetPrimAtPath("/C")).CreateMassAttr(2.0)
UsdPhysics.MassAPI.Apply(stage.GetPrimAtPath("/D")).CreateCenterOfMassAttr(Gf.Vec3f(0.3, 0, 0))
UsdGeom.Xformable(stage.GetPrimAtPath("/D")).AddScaleOp().Set(Gf.Vec3d(2.0, 2.0, 2.0))
builder, told = added(stage)
found["masses"] = list(builder.body_mass)
found["inertia"] = float(builder.body_inertia[2][0, 0])
found["com"] = list(builder.body_com[3])
found["told"] = [t for t in told if "mass" in t]
collide = newton.ShapeFlags.COLLIDE_SHAPES
found["off"] = [
    bool(builder.shape_flags[builder.shape_label.index(f"/A/{n}")] & collide) for n in ("on", "off")
]

stage = stage_of("A", "B", "C")
for path in ("/A/a", "/A/b", "/B/c", "/C/d"):
    cube(stage, path)
first = UsdPhysics.CollisionGroup.Define(stage, "/First")
second = UsdPhysics.CollisionGroup.Define(stage, "/Second")
first.GetCollidersCollectionAPI().CreateIncludesRel().AddTarget("/A/a")
second.GetCollidersCollectionAPI().CreateIncludesRel().AddTarget("/B/c")
first.CreateFilteredGroupsRel().AddTarget("/Second")
stage.GetPrimAtPath("/A/b").CreateRelationship("physics:filteredPairs").AddTarget("/C")
builder, _ = added(stage)
names = builder.shape_label
pairs = builder.shape_collision_filter_pairs
found["pairs"] = sorted([names[a], names[b]] for a, b in pairs)

stage = stage_of("A")
UsdGeom.SetStageMetersPerUnit(stage, 0.01)
cube(stage, "/A/on")
found["units"] = added(stage)[1]

stage = stage_of("A", "B")
UsdPhysics.ArticulationRootAPI.Apply(stage.GetPrimAtPath("/A"))
UsdGeom.Sphere.Define(stage, "/Drawn")
material = UsdShade.Material.Define(stage, "/Material").GetPrim()
UsdPhysics.MaterialAPI.Apply(material)
for name in "AB":
    UsdShade.MaterialBindingAPI.Apply(cube(stage, f"/{name}/on")).Bind(
        UsdShade.Material(material), "physics")
joint = UsdPhysics.RevoluteJoint.Define(stage, "/A/Joint")
joint.CreateBody0Rel().SetTargets(["/A"])
joint.CreateBody1Rel().SetTargets(["/B"])
joint.CreateCollisionEnabledAttr(True)
UsdPhysics.DriveAPI.Apply(joint.GetPrim(), "angular").CreateStiffnessAttr(np.pi / 180.0)
body = UsdPhysics.RigidBodyAPI(stage.GetPrimAtPath("/A"))
body.CreateVelocityAttr((1.0, 2.0, 3.0))
body.CreateAngularVelocityAttr((90.0, 0.0, 0.0))
scene = UsdPhysics.Scene.Define(stage, "/Scene")
scene.CreateGravityDirectionAttr((3.0, 4.0, 0.0))
scene.CreateGravityMagnitudeAttr(10.0)
scene = scene.GetPrim()
stated = {"limitStiffness": 200.0, "damping": 2.0, "velocityLimit": 90.0, "armature": 0.5}
numbers = [(joint.GetPrim(), name, value) for name, value in stated.items()]
numbers += [(material, "contactStiffness", 5000.0), (scene, "joint_drive_gains_scaling", 2.5)]
for prim, name, value in numbers:
    prim.CreateAttribute(f"newton:{name}", Sdf.ValueTypeNames.Float).Set(value)
builder = newton.ModelBuilder()
builder.add_usd(stage, load_static_visual_shapes=False)
dof = builder.joint_qd_start[builder.joint_label.index("/A/Joint")]
columns = ("limit_ke", "damping", "velocity_limit", "armature", "target_ke")
found["joint"] = [float(getattr(builder, f"joint_{name}")[dof]) for name in columns]
found["response"] = builder.shape_material_ke
found["names"] = builder.shape_label
found["apart"] = len(builder.shape_collision_filter_pairs)
found["gravity"] = list(builder.gravity)
found["moving"] = [float(v) for v in builder.body_qd[0]] + builder.joint_qd[:6]

stage = stage_of("A")
for kind, name, axis in (("Revolute", "Turn", "Z"), ("Prismatic", "Slide", "X")):
    joint = getattr(UsdPhysics, f"{kind}Joint").Define(stage, f"/{name}")
    joint.CreateBody1Rel().SetTargets(["/A"])
    joint.CreateAxisAttr(axis)
    joint.CreateLocalRot0Attr(Gf.Quatf(0.7071068, 0.7071068, 0.0, 0.0))
    joint.CreateLocalRot1Attr(Gf.Quatf(0.7071068, 0.7071068, 0.0, 0.0))
stage.GetPrimAtPath("/Slide").CreateAttribute("newton:friction", Sdf.ValueTypeNames.Float).Set(3.0)
cube(stage, "/A/on")
for path in ("/Prototype/Site", "/A/on/Site"):
    UsdGeom.Sphere.Define(stage, path).GetPrim().AddAppliedSchema("NewtonSiteAPI")
copy = stage.DefinePrim("/A/Copy")
copy.GetReferences().AddInternalReference("/Prototype")
copy.SetInstanceable(True)
tets = UsdGeom.TetMesh.Define(stage, "/Soft")
tets.CreatePointsAttr([(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)])
tets.CreateTetVertexIndicesAttr([(0, 1, 2, 3)])
UsdGeom.Xformable(tets).AddScaleOp().Set(Gf.Vec3d(2.0, 3.0, 4.0))
builder = newton.ModelBuilder()
place = wp.transform((1, 0, 0), (0, 0, 0, 1))
result = builder.add_usd(stage, load_visual_shapes=False, xform=place)
found["kinds"] = [int(kind) for kind in builder.joint_type]
found["merged"] = result["path_joint_map"]
found["friction"] = builder.joint_friction
site = newton.ShapeFlags.SITE
flagged = zip(builder.shape_label, builder.shape_flags)
found["sites"] = sorted(name for name, flags in flagged if flags & site)
found["soft"] = [[float(v) for v in q] for q in builder.particle_q]

stage = stage_of("A")
mesh = UsdGeom.Mesh.Define(stage, "/A/mesh")
mesh.CreatePointsAttr([(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0)])
mesh.CreateFaceVertexCountsAttr([3, 3])
mesh.CreateFaceVertexIndicesAttr([0, 1, 2, 0, 2, 3])
for number, color in enumerate(((1.0, 0.0, 0.0), (0.0, 0.0, 1.0))):
    material = UsdShade.Material.Define(stage, f"/Material{number}")
    surface = UsdShade.Shader.Define(stage, f"/Material{number}/surface")
    surface.CreateInput("baseColor", Sdf.ValueTypeNames.Color3f).Set(color)
    surface.CreateInput("opacity", Sdf.ValueTypeNames.Float).Set(0.5)
    material.CreateSurfaceOutput().ConnectToSource(surface.ConnectableAPI(), "surface")
    subset = UsdGeom.Subset.Define(stage, f"/A/mesh/part{number}")
    subset.CreateElementTypeAttr("face")
    subset.CreateFamilyNameAttr("materialBind")
    subset.CreateIndicesAttr([number])
    UsdShade.MaterialBindingAPI.Apply(subset.GetPrim()).Bind(material)
builder = newton.ModelBuilder()
builder.add_usd(stage)
pairs = zip(builder.shape_label, builder.shape_color)
found["parts"] = [[name, list(color)] for name, color in pairs]
found["drawn"] = [[list(m.color), m.opacity, len(m.indices)] for m in builder.shape_source]

found["planes"] = []
for axis in "XYZ":
    stage = stage_of("A")
    plane = UsdGeom.Plane.Define(stage, "/A/plane")
    plane.CreateAxisAttr(axis)
    plane.CreateWidthAttr(2.0)
    plane.CreateLengthAttr(3.0)
    plane.AddScaleOp().Set((2.0, 3.0, 4.0))
    builder, _ = added(stage)
    found["planes"].append([float(v) for v in builder.shape_scale[0]])
"""


@pytest.fixture(scope="module")
def found() -> Any:
    return found_later(_SCRIPT)


def test_colliders_that_are_on_state_what_their_body_weighs(found: Any) -> None:
    assert found["masses"][0] == 0.5
    assert found["off"] == [True, False]


def test_a_mass_that_is_none_is_told_of_and_follows_from_densities(found: Any) -> None:
    assert found["masses"][1] == pytest.approx(8.0)
    assert len(found["told"]) == 1
    assert "/B" in found["told"][0]
    assert "mass is not positive and finite" in found["told"][0]


def test_a_mass_without_moments_scales_the_inertia_of_the_colliders(found: Any) -> None:
    assert found["masses"][2] == 2.0
    assert found["inertia"] == pytest.approx(2.0 * 0.2**2 / 6.0)  # m a^2 / 6, of a cube


def test_a_centre_of_mass_is_scaled_with_the_prim_of_its_body(found: Any) -> None:
    assert found["com"] == pytest.approx([0.6, 0.0, 0.0])


def test_groups_and_pairs_keep_apart_the_colliders_that_they_name(found: Any) -> None:
    # besides the two of one body, which never collide
    assert found["pairs"] == [["/A/a", "/A/b"], ["/A/a", "/B/c"], ["/A/b", "/C/d"]]


def test_units_that_are_not_applied_are_told_of(found: Any) -> None:
    assert len(found["units"]) == 1
    assert "non-unit linear units" in found["units"][0]


def test_joints_have_the_fields_of_newtons_schema_by_the_radian(found: Any) -> None:
    degree = 3.141592653589793 / 180.0
    # a drive of pi / 180 by the degree is one of 1 by the radian, which the scene scales by 2.5
    assert found["joint"] == pytest.approx(
        [200.0 / degree, 2.0 / degree, 90.0 * degree, 0.5, 2.5], rel=1e-6
    )


def test_bodies_of_a_joint_that_lets_them_collide_do(found: Any) -> None:
    assert found["apart"] == 0


def test_materials_state_how_stiff_contacts_are(found: Any) -> None:
    assert found["response"] == [5000.0, 5000.0]


def test_what_is_only_drawn_and_belongs_to_no_body_may_be_left_out(found: Any) -> None:
    assert sorted(found["names"]) == ["/A/on", "/B/on"]


def test_gravity_is_that_of_the_scene(found: Any) -> None:
    assert found["gravity"] == pytest.approx([6.0, 8.0, 0.0])


def test_bodies_begin_with_the_velocities_of_the_stage(found: Any) -> None:
    once = [1.0, 2.0, 3.0, 3.141592653589793 / 2.0, 0.0, 0.0]
    assert found["moving"] == pytest.approx([*once, *once])


def test_joints_with_one_axis_between_the_same_bodies_are_one(found: Any) -> None:
    assert found["kinds"] == [6]  # D6
    assert found["merged"] == {"/Turn": 0, "/Slide": 0}
    assert found["friction"] == [3.0, 0.0]  # what slides comes first


def test_sites_of_newtons_schema_are_read_without_what_is_drawn(found: Any) -> None:
    assert found["sites"] == ["/A/Copy/Site", "/A/on/Site", "/Prototype/Site"]


def test_meshes_of_tetrahedra_are_soft_bodies_at_the_scale_of_their_prims(found: Any) -> None:
    assert found["soft"] == [[1, 0, 0], [3, 0, 0], [1, 3, 0], [1, 0, 4]]


def test_parts_of_a_mesh_with_materials_of_their_own_are_shapes(found: Any) -> None:
    assert found["parts"] == [["/A/mesh/part0", [1, 0, 0]], ["/A/mesh/part1", [0, 0, 1]]]
    assert found["drawn"] == [[[1, 0, 0], 0.5, 3], [[0, 0, 1], 0.5, 3]]


def test_planes_that_are_drawn_have_the_extents_of_their_prims(found: Any) -> None:
    # width 2 and length 3 at the scale (2, 3, 4): across X the width, across Y the length is on Z
    assert found["planes"] == [[8, 9, 0], [4, 12, 0], [4, 9, 0]]


def test_shapes_round_an_axis_grow_with_the_larger_scale_across_it(found: Any) -> None:
    assert found["radius"] == pytest.approx([0.4, 0.5, 0.0])  # half the height of 0.5 m, twice it
    (line,) = found["squashed"]
    assert "/A/Sphere" in line
