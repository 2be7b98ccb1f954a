"""Cables, cloth and soft bodies of USD stages, by OpenUSD's proposal, in the 1.x dialect."""

from __future__ import annotations

import math
import sys
from pathlib import Path
from typing import Any

import pytest

sys.path.append(str(Path(__file__).parents[1]))
from later import found_later

pytest.importorskip("pxr")

_SCRIPT = """
from pxr import Gf, Sdf, Usd, UsdGeom, UsdPhysics, UsdShade
found = {}

def stage_of():
    stage = Usd.Stage.CreateInMemory()
    UsdGeom.SetStageUpAxis(stage, "Z")
    UsdGeom.SetStageMetersPerUnit(stage, 1.0)
    return stage

def write(prim, **values):
    kinds = Sdf.ValueTypeNames
    for name, value in values.items():
        own = "physics:" + name.replace("__", ":")
        if isinstance(value, str):
            kind = kinds.Token
        elif isinstance(value, list):
            whole = name.startswith("indices")
            kind = kinds.Vector3fArray if "coords" in name else (
                kinds.IntArray if whole else kinds.FloatArray)
        else:
            kind = kinds.Float
        prim.CreateAttribute(own, kind).Set(value)

def stuff(stage, prim, family, **values):
    material = UsdShade.Material.Define(stage, str(prim.GetPath()) + "Stuff")
    material.GetPrim().AddAppliedSchema("PhysicsMaterialAPI")
    material.GetPrim().AddAppliedSchema(f"Physics{family}DeformableMaterialAPI")
    write(material.GetPrim(), **values)
    UsdShade.MaterialBindingAPI.Apply(prim).Bind(material, materialPurpose="physics")

def cable(stage, path, points, **values):
    curves = UsdGeom.BasisCurves.Define(stage, path)
    curves.CreateTypeAttr("linear")
    curves.CreatePointsAttr(points)
    curves.CreateCurveVertexCountsAttr([len(points)])
    prim = curves.GetPrim()
    prim.AddAppliedSchema("PhysicsCurvesDeformableSimAPI")
    prim.AddAppliedSchema("PhysicsCollisionAPI")
    write(prim, thicknesses=[0.02], thicknesses__elementType="constant")
    stuff(stage, prim, "Curves", **values)
    return prim

def attach(stage, path, **values):
    prim = stage.DefinePrim(path, "PhysicsAttachment")
    for end in ("src0", "src1"):
        if end in values:
            prim.CreateRelationship("physics:" + end).SetTargets([values.pop(end)])
    write(prim, **values)

def added(stage, **options):
    builder = newton.ModelBuilder()
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        result = builder.add_usd(stage, return_deformable_results=True, **options)
    return builder, result, [str(w.message) for w in told]

# a plate of 1 m by 1 m and 2 mm, E 1 MPa, nu 0.25, 500 kg/m^3
stage = stage_of()
mesh = UsdGeom.Mesh.Define(stage, "/Cloth")
mesh.CreatePointsAttr([(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0)])
mesh.CreateFaceVertexCountsAttr([4])
mesh.CreateFaceVertexIndicesAttr([0, 1, 2, 3])
prim = mesh.GetPrim()
prim.AddAppliedSchema("PhysicsSurfaceDeformableSimAPI")
prim.AddAppliedSchema("PhysicsCollisionAPI")
write(prim, thicknesses=[0.002], thicknesses__elementType="face")
stuff(stage, prim, "Surface", youngsModulus=1e6, poissonsRatio=0.25, density=500.0)
UsdGeom.Xformable(prim).AddScaleOp().Set(Gf.Vec3d(-2.0, 3.0, 1.0))
builder, result, _ = added(stage)
found["plate"] = {
    "mass": sum(builder.particle_mass),
    "stretch": builder.tri_materials[0][0],
    "bend": builder.edge_bending_properties[0][0],
    "radius": builder.particle_radius[0],
    "areas": sum(builder.tri_areas),
    "map": result["path_cloth_map"]["/Cloth"],
    "shapes": builder.shape_count,
}
first = [np.array(builder.particle_q[i]) for i in builder.tri_indices[0]]
found["upwards"] = float(np.cross(first[1] - first[0], first[2] - first[0])[2])

# a tetrahedron of 1/6 m^3 whose shape without load has twice that
stage = stage_of()
tet = UsdGeom.TetMesh.Define(stage, "/Soft")
tet.CreatePointsAttr([(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)])
tet.CreateTetVertexIndicesAttr([(0, 1, 2, 3)])
tet.GetPrim().AddAppliedSchema("PhysicsVolumeDeformableSimAPI")
tet.GetPrim().AddAppliedSchema("PhysicsCollisionAPI")
tet.GetPrim().CreateAttribute("physics:restShapePoints", Sdf.ValueTypeNames.Point3fArray).Set(
    [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 2)])
stuff(stage, tet.GetPrim(), "Volume", youngsModulus=3e4, poissonsRatio=0.2, density=60.0)
builder, result, _ = added(stage)
found["soft"] = {
    "mass": sum(builder.particle_mass),
    "lame": list(builder.tet_materials[0][:2]),
    "pose": float(builder.tet_poses[0][2][2]),
    "map": result["path_soft_map"]["/Soft"],
}

# a rod of 20 mm, E 1 GPa, nu 0.25, in segments of 0.1 m and 0.3 m
stage = stage_of()
cable(stage, "/Cable", [(0, 0, 1), (0.1, 0, 1), (0.4, 0, 1)],
      youngsModulus=1e9, poissonsRatio=0.25, density=800.0)
builder, result, _ = added(stage)
joint = result["path_cable_map"]["/Cable"][1][0]
dof = builder.joint_qd_start[joint]
found["rod"] = {
    "gains": [float(v) for v in builder.joint_target_ke[dof:dof + 6]],
    "masses": [float(m) for m in builder.body_mass],
    "radius": float(builder.shape_scale[0][0]),
    "roots": [int(t) for t in builder.joint_type],
}

# three cables that meet at a point are one tree; a compliant attachment joins nothing
stage = stage_of()
ends = {"A": (1, 0, 0), "B": (-1, 1, 0), "C": (-1, -1, 0)}
for name, end in ends.items():
    cable(stage, f"/{name}", [(0, 0, 1), tuple(0.2 * v + (i == 2) for i, v in enumerate(end)),
          tuple(0.4 * v + (i == 2) for i, v in enumerate(end))], youngsModulus=1e6, density=100.0)
for name in "BC":
    attach(stage, f"/To{name}", src0="/A", src1=f"/{name}", type0="point", type1="point",
           indices0=[0], indices1=[0])
builder, result, told = added(stage)
found["star"] = {
    "articulations": len(builder.articulation_start),
    "labels": builder.curve_label,
    "bodies": builder.body_count,
    "joints": builder.joint_count,
    "told": told,
}
stage.GetPrimAtPath("/ToB").CreateAttribute("physics:stiffness", Sdf.ValueTypeNames.Float).Set(5.0)
builder, result, told = added(stage)
found["compliant"] = [len(builder.articulation_start), result["path_attachment_attrs"]["/ToB"]]
found["compliant_told"] = told

# an end that the world holds is the root of its articulation, at the end; particles hang on a box
stage = stage_of()
cable(stage, "/Cable", [(0, 0, 1), (0.1, 0, 1), (0.2, 0, 1)], youngsModulus=1e6, density=100.0)
attach(stage, "/Hold", src0="/Cable", type0="point", type1="xform", indices0=[2],
       coords1=[(0.2, 0.0, 1.0)])
box = UsdGeom.Cube.Define(stage, "/Box")
box.CreateSizeAttr(0.2)
UsdGeom.Xformable(box.GetPrim()).AddTranslateOp().Set(Gf.Vec3d(0.0, 5.0, 0.0))
UsdPhysics.RigidBodyAPI.Apply(box.GetPrim())
UsdPhysics.CollisionAPI.Apply(box.GetPrim())
soft = UsdGeom.TetMesh.Define(stage, "/Soft")
soft.CreatePointsAttr([(0, 5, 1), (1, 5, 1), (0, 6, 1), (0, 5, 2)])
soft.CreateTetVertexIndicesAttr([(0, 1, 2, 3)])
soft.GetPrim().AddAppliedSchema("PhysicsVolumeDeformableSimAPI")
attach(stage, "/Hang", src0="/Soft", src1="/Box", type0="point", type1="xform", indices0=[1, 3],
       coords1=[(1.0, 0.0, 1.0), (0.0, 0.0, 2.0)], stiffness=300.0, damping=2.0)
builder, result, told = added(stage)
root = result["path_attachment_map"]["/Hold"][0]
child = builder.joint_child[root]
place = wp.transform_point(builder.body_q[child], builder.joint_X_c[root].p)
found["held"] = {
    "type": int(builder.joint_type[root]),
    "parent": builder.joint_parent[root],
    "body": result["path_cable_map"]["/Cable"][0].index(child),
    "place": [float(v) for v in place],
    "same": int(builder.joint_articulation[root])
        == int(builder.joint_articulation[result["path_cable_map"]["/Cable"][1][0]]),
    "particles": [int(p) - result["path_soft_map"]["/Soft"]["particle"][0]
                  for p in builder.attachment_particle_body_particle],
    "points": [[float(v) for v in p] for p in builder.attachment_particle_body_body_point],
    "stiffness": builder.attachment_particle_body_stiffness,
    "told": told,
}

# elements that do not collide: the last segment and the box
filter = stage.DefinePrim("/Filter", "PhysicsElementCollisionFilter")
filter.CreateRelationship("physics:src0").SetTargets(["/Cable"])
filter.CreateRelationship("physics:src1").SetTargets(["/Box"])
for name, values in {"groupElemIndices0": [1], "groupElemCounts0": [1]}.items():
    filter.CreateAttribute("physics:" + name, Sdf.ValueTypeNames.IntArray).Set(values)
before = {tuple(p) for p in builder.shape_collision_filter_pairs}
builder, result, _ = added(stage)
pairs = {tuple(p) for p in builder.shape_collision_filter_pairs} - before
names = builder.shape_label
found["filtered"] = [[names[a], names[b]] for a, b in sorted(pairs)]

# what no cable can be is told, and left out; a rigid body stays rigid
stage = stage_of()
curves = cable(stage, "/Bad", [(0, 0, 1), (0.1, 0, 1), (0.1, 0, 1)], density=100.0)
kinematic = cable(stage, "/Led", [(0, 0, 1), (0.1, 0, 1), (0.2, 0, 1)], density=100.0)
kinematic.CreateAttribute("physics:kinematicEnabled", Sdf.ValueTypeNames.Bool).Set(True)
builder, result, told = added(stage)
found["bad"] = [builder.body_count, told]
"""


@pytest.fixture(scope="module")
def found() -> Any:
    return found_later(_SCRIPT)


def test_a_surface_is_a_plate_of_its_material_and_thickness(found: Any) -> None:
    # areas are 2 x 3 m^2 after the scale of the prim
    plate, young, poisson, thickness = found["plate"], 1e6, 0.25, 0.002
    assert plate["areas"] == pytest.approx(6.0)
    assert plate["mass"] == pytest.approx(500.0 * 6.0 * thickness)
    assert plate["stretch"] == pytest.approx(young * thickness / (1.0 - poisson**2))
    bend = young * thickness**3 / (12.0 * (1.0 - poisson**2))
    assert plate["bend"] == pytest.approx(bend, rel=1e-6)
    assert plate["radius"] == pytest.approx(0.5 * thickness)
    assert plate["map"] == {"particle": [0, 4], "tri": [0, 2], "edge": [0, 5]}
    assert plate["shapes"] == 0


def test_triangles_of_a_mirrored_surface_keep_their_side(found: Any) -> None:
    assert found["upwards"] > 0.0


def test_a_volume_has_the_mass_and_the_edges_of_its_shape_without_load(found: Any) -> None:
    soft, young, poisson = found["soft"], 3e4, 0.2
    assert soft["mass"] == pytest.approx(60.0 * 2.0 / 6.0)
    second = young * poisson / ((1.0 + poisson) * (1.0 - 2.0 * poisson))
    assert soft["lame"] == pytest.approx([young / (2.0 * (1.0 + poisson)), second])
    assert soft["pose"] == pytest.approx(0.5)  # the inverse of an edge of 2 m
    assert soft["map"] == {"particle": [0, 4], "tet": [0, 1]}


def test_joints_of_a_cable_have_the_stiffness_of_half_of_the_segments_beside_them(
    found: Any,
) -> None:
    rod, young, radius = found["rod"], 1e9, 0.01
    area, shear, length = math.pi * radius**2, young / 2.5, 0.2
    moment = 0.25 * area * radius**2
    gains = [0.9 * shear * area] * 2 + [young * area] + [young * moment] * 2 + [2 * shear * moment]
    assert rod["gains"] == pytest.approx([gain / length for gain in gains], rel=1e-6)
    assert rod["masses"] == pytest.approx([800.0 * area * 0.1, 800.0 * area * 0.3], rel=1e-6)
    assert rod["radius"] == pytest.approx(radius)
    assert len(rod["roots"]) == 2  # a free root, and the joint between the segments


def test_cables_that_attachments_join_at_a_point_are_one_tree(found: Any) -> None:
    star = found["star"]
    assert star["told"] == []
    assert (star["articulations"], star["bodies"], star["joints"]) == (1, 6, 6)
    assert star["labels"] == ["/A"]


def test_a_compliant_attachment_of_cables_joins_nothing_and_says_so(found: Any) -> None:
    articulations, attributes = found["compliant"]
    assert articulations == 2
    assert "type1='point'" in attributes["unsupported_reason"]
    assert attributes["stiffness"] == 5.0
    assert any("not welded" in line for line in found["compliant_told"])


def test_an_end_that_an_attachment_holds_is_the_root_of_its_cable(found: Any) -> None:
    held = found["held"]
    assert held["told"] == ["/Soft: it has no enabled collider, but Newton cannot disable"
                            " deformable particle collision"]  # fmt: skip
    assert (held["type"], held["parent"], held["body"]) == (2, -1, 1)
    assert held["place"] == pytest.approx([0.2, 0.0, 1.0], abs=1e-6)
    assert held["same"]


def test_attachments_hold_particles_at_points_of_a_body(found: Any) -> None:
    held = found["held"]
    assert held["particles"] == [1, 3]
    assert held["points"] == [[1.0, 0.0, 1.0], [0.0, 0.0, 2.0]]
    assert held["stiffness"] == [300.0, 300.0]


def test_elements_of_a_filter_do_not_collide(found: Any) -> None:
    assert [sorted(pair) for pair in found["filtered"]] == [["/Box", "/Cable_edge_capsule_1"]]


def test_curves_that_are_no_cables_are_told_and_left_out(found: Any) -> None:
    bodies, told = found["bad"]
    assert bodies == 0
    assert any("duplicate consecutive points" in line for line in told)
    assert any("kinematic deformables are not supported" in line for line in told)
