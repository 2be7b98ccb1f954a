"""What stages mean, against closed forms and the equal URDF."""

from __future__ import annotations

import math
import sys
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("pxr")

from tests.core.assets import usd_texts as t
from tests.support.tolerances import ALGEBRA
from unibody.core.assets.description import Asset, JointType, Pose, ShapeKind
from unibody.core.assets.limits import DEFAULT_LIMITS
from unibody.core.assets.mesh.load import load_mesh
from unibody.core.assets.paths import SearchPath
from unibody.core.assets.transforms import pose_inverse, pose_multiply, quat_rotate
from unibody.core.assets.urdf import parse_urdf_text
from unibody.core.assets.usd import UsdOptions, load_usd, open_stage

# Values of joints, bodies and masses are float32 in OpenUSD.
SINGLE = 2e-6


def read(folder: Path, text: str, name: str = "stage.usda", **options: object) -> list[Asset]:
    (folder / name).write_text(text)
    return load_usd(folder / name, search_path=SearchPath(), options=UsdOptions(**options))


def by_name(assets: list[Asset]) -> dict[str, Asset]:
    return {asset.name: asset for asset in assets}


def close(first: object, second: object, tolerance: float = SINGLE) -> bool:
    return np.allclose(np.asarray(first), np.asarray(second), atol=tolerance, rtol=tolerance)


def same_pose(first: Pose, second: Pose, tolerance: float = SINGLE) -> bool:
    between = pose_multiply(pose_inverse(first), second)
    return close(between.pos, 0.0, tolerance) and abs(abs(between.quat[0]) - 1.0) < tolerance


def rotated(joint_axis: tuple[float, float, float], angle: float) -> Pose:
    x, y, z = (part * math.sin(angle / 2) for part in joint_axis)
    return Pose(quat=(math.cos(angle / 2), x, y, z))


def test_a_stage_gives_what_is_fixed_first_and_one_asset_for_each_group_of_joined_bodies(tmp_path):
    world, robot, box = read(tmp_path, t.ROBOT)
    assert [world.name, robot.name, box.name] == ["world", "Robot", "box"]
    assert (world.static, world.fixed_base, box.fixed_base) == (True, True, False)
    assert world.links[0].collisions[0].kind is ShapeKind.PLANE
    assert [link.name for link in robot.links] == ["base", "arm", "slider"]
    assert (robot.articulation, box.articulation) == (True, False)


def test_the_base_stands_where_the_stage_puts_it(tmp_path):
    _, robot, box = read(tmp_path, t.ROBOT)
    assert same_pose(robot.pose, Pose((1.0, 2.0, 3.0)))
    assert same_pose(box.pose, Pose((5.0, 0.0, 0.1)))


def test_links_move_as_those_of_the_equal_urdf(tmp_path):
    robot = by_name(read(tmp_path, t.ROBOT))["Robot"]
    urdf = parse_urdf_text(t.URDF, search_path=SearchPath())
    for angle, distance in ((0.0, 0.0), (0.5, 0.1), (-1.2, -0.05)):
        places: list[list[Pose]] = []
        for asset in (robot, urdf):
            hinge, slide = asset.links[1].joint, asset.links[2].joint
            turn = rotated(hinge.axis, angle)
            # About an anchor: to it, turn, and back.
            back = pose_inverse(Pose(hinge.anchor))
            arm = pose_multiply(hinge.origin, Pose(hinge.anchor))
            arm = pose_multiply(pose_multiply(arm, turn), back)
            along = Pose(tuple(distance * part for part in slide.axis))
            places.append([arm, pose_multiply(arm, pose_multiply(slide.origin, along))])
        # The URDF's arm has its frame in the hinge, that of the stage 0.1 m above it.
        places[1][0] = pose_multiply(places[1][0], Pose((0.0, 0.0, 0.1)))
        assert all(same_pose(*pair) for pair in zip(*places, strict=True))


def test_limits_and_gains_of_turning_joints_are_in_radians(tmp_path):
    hinge = by_name(read(tmp_path, t.ROBOT))["Robot"].links[1].joint
    (drive,) = hinge.drives
    assert hinge.type is JointType.REVOLUTE
    assert close((hinge.lower, hinge.upper), (-math.pi / 2, math.pi / 4))
    assert close(drive.stiffness, 10 * 180 / math.pi)
    assert close(drive.damping, 2 * 180 / math.pi)
    assert close((drive.max_force, drive.target_position), (30.0, math.pi / 2))
    assert hinge.effort == 30.0


def test_a_drive_without_a_largest_force_is_unbounded(tmp_path):
    slide = by_name(read(tmp_path, t.ROBOT))["Robot"].links[2].joint
    assert slide.drives[0].max_force == math.inf
    assert (slide.drives[0].stiffness, slide.effort) == (100.0, 0.0)


def test_a_joint_starts_where_the_bodies_stand(tmp_path):
    text = t.ROBOT.replace("(1.1, 2, 3.9)", "(1.1, 2.15, 3.9)")
    # The arm stands unturned in the stage, but its joint's frame is turned by 90 degrees about z:
    # an angle about y that the joint cannot have is left out.
    slide = by_name(read(tmp_path, text))["Robot"].links[2].joint
    assert close(slide.start, 0.0)
    text = text.replace("(1.1, 2.15, 3.9)", "(1.25, 2, 3.9)")
    assert close(by_name(read(tmp_path, text))["Robot"].links[2].joint.start, 0.15)


def test_units_and_the_up_axis_change_numbers_and_nothing_else(tmp_path):
    centimetres = (
        t.header(0.01, "Y", mass=0.001)
        + t.body("a", t.shape("Cube", inner="    double size = 20"), at="(100, 300, -200)",
                 api="PhysicsMassAPI", more="float physics:mass = 4000")
        + t.body("b", t.shape("Cube", inner="    double size = 20"), at="(100, 350, -200)")
        + t.joint("RevoluteJoint", "j", "/a", "/b", """
    point3f physics:localPos0 = (0, 50, 0)
    float drive:angular:physics:stiffness = 10
""", apis="PhysicsDriveAPI:angular")
    )  # fmt: skip
    (asset,) = read(tmp_path, centimetres)
    assert close(asset.pose.pos, (1.0, 2.0, 3.0))
    # What is up in the stage, y, is up in the world.
    assert close(quat_rotate(asset.pose.quat, (0.0, 1.0, 0.0)), (0.0, 0.0, 1.0))
    assert close(asset.links[0].inertial.mass, 4.0)
    assert close(asset.links[0].inertial.inertia[:3], [4.0 / 6.0 * 0.2**2] * 3)
    assert close(asset.links[1].inertial.mass, 1000.0 * 0.2**3)
    assert close(asset.links[1].joint.origin.pos, (0.0, 0.5, 0.0))
    assert close(asset.links[0].collisions[0].size, (0.2, 0.2, 0.2))
    gram_square_centimetre = 1e-3 * 1e-4
    expected = 10 * gram_square_centimetre * 180 / math.pi
    assert close(asset.links[1].joint.drives[0].stiffness, expected)


SOLIDS = {
    "Cube": ("double size = 0.4", 0.4**3, [0.4**2 / 6] * 3),
    "Sphere": ("double radius = 0.3", 4 / 3 * math.pi * 0.3**3, [0.4 * 0.3**2] * 3),
    "Cylinder": (
        "double radius = 0.3\n double height = 0.5",
        math.pi * 0.3**2 * 0.5,
        [0.3**2 / 4 + 0.5**2 / 12, 0.3**2 / 4 + 0.5**2 / 12, 0.3**2 / 2],
    ),
}


@pytest.mark.parametrize("kind", SOLIDS)
def test_a_body_without_a_mass_weighs_what_its_shape_does(tmp_path, kind):
    inner, volume, moments = SOLIDS[kind]
    (asset,) = read(tmp_path, t.header() + t.body("a", t.shape(kind, inner=inner)))
    inertial = asset.links[0].inertial
    assert close(inertial.mass, 1000 * volume)
    # OpenUSD takes the inertia apart into principal moments: their order is free.
    assert close(sorted(inertial.inertia[:3]), sorted(1000 * volume * np.array(moments)), 1e-5)


def test_the_inertia_of_a_turned_box_turns_with_it(tmp_path):
    inner = """    double size = 1
    double xformOp:rotateZ = 90
    double3 xformOp:scale = (0.2, 0.4, 0.6)
    double3 xformOp:translate = (0.5, 0, 0)
    uniform token[] xformOpOrder = ["xformOp:translate", "xformOp:rotateZ", "xformOp:scale"]"""
    (asset,) = read(tmp_path, t.header() + t.body("a", t.shape("Cube", inner=inner)))
    inertial = asset.links[0].inertial
    mass = 1000 * 0.2 * 0.4 * 0.6
    turned = mass / 12 * np.array([0.2**2 + 0.6**2, 0.4**2 + 0.6**2, 0.2**2 + 0.4**2])
    axes = np.array([quat_rotate(inertial.pose.quat, tuple(row)) for row in np.eye(3)]).T
    matrix = axes @ np.diag(inertial.inertia[:3]) @ axes.T
    assert close(matrix, np.diag(turned), 1e-5)
    assert close(inertial.pose.pos, (0.5, 0.0, 0.0))
    assert close(asset.links[0].collisions[0].pose.pos, (0.5, 0.0, 0.0))


def test_a_stated_mass_scales_the_inertia_of_the_shapes_and_a_stated_inertia_replaces_it(tmp_path):
    mass = "float physics:mass = 3\n point3f physics:centerOfMass = (0.1, 0, 0)"
    inner = t.shape("Cube", inner=t.CUBE)
    text = t.header() + t.body("a", inner, api="PhysicsMassAPI", more=mass)
    inertial = read(tmp_path, text)[0].links[0].inertial
    assert close((inertial.mass, *inertial.pose.pos), (3.0, 0.1, 0.0, 0.0))
    stated = mass + "\n float3 physics:diagonalInertia = (1, 2, 3)"
    stated += "\n quatf physics:principalAxes = (0.7071068, 0.7071068, 0, 0)"
    text = t.header() + t.body("a", inner, api="PhysicsMassAPI", more=stated)
    inertial = read(tmp_path, text, "other.usda")[0].links[0].inertial
    assert close(inertial.inertia, (1.0, 2.0, 3.0, 0.0, 0.0, 0.0))
    assert close(inertial.pose.quat, (math.sqrt(0.5), math.sqrt(0.5), 0.0, 0.0))


@pytest.mark.parametrize("stated", [True, False])
def test_a_body_without_shapes_has_moments_whatever_axes_openusd_leaves(
    tmp_path, monkeypatch, stated
):
    from pxr import Gf, UsdPhysics

    real = UsdPhysics.RigidBodyAPI.ComputeMassProperties

    def unset(body, look_up):
        mass, moments, centre, _ = real(body, look_up)
        return mass, moments, centre, Gf.Quatf(math.nan, Gf.Vec3f(math.nan))

    monkeypatch.setattr(UsdPhysics.RigidBodyAPI, "ComputeMassProperties", unset)
    more = "float physics:mass = 3"
    if stated:
        more += "\n float3 physics:diagonalInertia = (1, 2, 3)"
    text = t.header() + t.body("a", api="PhysicsMassAPI", more=more)
    inertial = read(tmp_path, text)[0].links[0].inertial
    if stated:
        assert close(inertial.inertia, (1.0, 2.0, 3.0, 0.0, 0.0, 0.0))
    else:
        assert inertial.inertia[0] == inertial.inertia[1] == inertial.inertia[2] > 0.0
    assert inertial.pose.quat == (1.0, 0.0, 0.0, 0.0)


def test_a_body_without_shapes_and_mass_states_no_inertial(tmp_path):
    (asset,) = read(tmp_path, t.header() + t.body("a"))
    assert not asset.links[0].inertial.stated


def test_a_fixed_joint_to_the_world_fixes_the_base(tmp_path):
    text = t.header() + t.body("a", t.shape("Cube"), at="(1, 0, 0)")
    text += t.joint("FixedJoint", "j", "", "/a", "    point3f physics:localPos0 = (1, 0, 0)")
    (asset,) = read(tmp_path, text)
    assert asset.fixed_base
    assert len(asset.links) == 1
    assert close(asset.pose.pos, (1.0, 0.0, 0.0))


def test_a_hinge_to_the_world_gets_a_base_that_stands_still(tmp_path):
    text = t.header() + t.body("a", t.shape("Cube"), at="(1, 0, 0)")
    text += t.joint("RevoluteJoint", "j", "", "/a", "    point3f physics:localPos0 = (1, 0, 0)")
    (asset,) = read(tmp_path, text)
    assert asset.fixed_base
    assert [link.name for link in asset.links] == ["a/root", "a"]
    assert close(asset.links[1].joint.origin.pos, (1.0, 0.0, 0.0))
    assert asset.links[1].joint.type is JointType.CONTINUOUS


def test_a_joint_stated_from_the_child_turns_the_other_way_round_and_keeps_its_numbers(tmp_path):
    parts = t.body("a", t.shape("Cube")) + t.body("b", t.shape("Cube"), at="(0, 0, 3)")
    anchor = t.joint("FixedJoint", "w", "", "/a")
    inner = '    uniform token physics:axis = "Z"\n    float physics:lowerLimit = -10\n'
    inner += "    float physics:upperLimit = 20\n    point3f physics:localPos{} = (0, 0, 3)"
    text = t.header() + parts + anchor
    (there,) = read(tmp_path, text + t.joint("RevoluteJoint", "j", "/a", "/b", inner.format(0)))
    (back,) = read(
        tmp_path, text + t.joint("RevoluteJoint", "j", "/b", "/a", inner.format(1)), "back.usda"
    )
    first, second = there.links[1].joint, back.links[1].joint
    assert close(first.axis, np.negative(second.axis))
    assert same_pose(first.origin, second.origin)
    assert (first.lower, first.upper) == (second.lower, second.upper)


def test_a_generic_joint_is_a_chain_of_its_free_axes(tmp_path):
    locked = "".join(
        f"    float limit:{dof}:physics:low = 1\n    float limit:{dof}:physics:high = -1\n"
        for dof in ("transX", "transY", "rotX", "rotY")
    )
    inner = locked + "    float limit:transZ:physics:low = -0.5\n"
    inner += "    float limit:transZ:physics:high = 0.5\n"
    inner += "    point3f physics:localPos1 = (0, 0, -1)\n"
    inner += "    float drive:rotZ:physics:stiffness = 3"
    apis = " ".join(
        f"PhysicsLimitAPI:{dof}" for dof in ["transX", "transY", "transZ", "rotX", "rotY"]
    )
    text = t.header() + t.body("a", t.shape("Cube")) + t.body("b", t.shape("Cube"))
    text += t.joint("Joint", "j", "/a", "/b", inner, apis=apis + " PhysicsDriveAPI:rotZ")
    (asset,) = read(tmp_path, text)
    names = [link.name for link in asset.links]
    assert names == ["a", "b/j:transZ", "b/j:rotZ", "b"]
    _, slide, turn, rest = (link.joint for link in asset.links)
    assert (slide.type, slide.lower, slide.upper) == (JointType.PRISMATIC, -0.5, 0.5)
    assert turn.type is JointType.CONTINUOUS
    assert close(turn.drives[0].stiffness, 3 * 180 / math.pi)
    assert rest.type is JointType.FIXED
    assert close(rest.origin.pos, (0.0, 0.0, 1.0))


def test_a_generic_joint_that_turns_freely_is_a_ball_with_drives_for_its_axes(tmp_path):
    locked = "".join(
        f"    float limit:{dof}:physics:low = 1\n    float limit:{dof}:physics:high = -1\n"
        for dof in ("transX", "transY", "transZ")
    )
    apis = "PhysicsLimitAPI:transX PhysicsLimitAPI:transY PhysicsLimitAPI:transZ "
    inner = locked + "    float drive:rotY:physics:damping = 1"
    text = t.header() + t.body("a", t.shape("Cube")) + t.body("b", t.shape("Cube"))
    text += t.joint("Joint", "j", "/a", "/b", inner, apis=apis + "PhysicsDriveAPI:rotY")
    ball = read(tmp_path, text)[0].links[1].joint
    assert ball.type is JointType.SPHERICAL
    assert [(drive.axis, drive.stiffness) for drive in ball.drives] == [("y", 0.0)]
    assert close(ball.drives[0].damping, 180 / math.pi)


def test_the_cone_of_a_ball_joint_lies_about_its_axis(tmp_path):
    inner = '    uniform token physics:axis = "Z"\n    float physics:coneAngle0Limit = 30\n'
    inner += "    float physics:coneAngle1Limit = 40"
    text = t.header() + t.body("a", t.shape("Cube")) + t.body("b", t.shape("Cube"))
    text += t.joint("SphericalJoint", "j", "/a", "/b", inner)
    (asset,) = read(tmp_path, text)
    ball = asset.links[1].joint
    assert close((ball.lower, ball.upper), np.radians([30.0, 40.0]))
    assert ball.twist == math.pi
    # The joints of an asset twist about x: x of the joint's frame is the axis z of the stage.
    assert close(quat_rotate(ball.origin.quat, (1.0, 0.0, 0.0)), (0.0, 0.0, 1.0))
    assert [link.name for link in asset.links] == ["a", "b/j", "b"]


def test_a_joint_that_closes_a_loop_is_kept_apart(tmp_path):
    text = t.header()
    for name in "abc":
        text += t.body(name, t.shape("Cube"))
    for name, first, second in (("ab", "a", "b"), ("bc", "b", "c"), ("ca", "c", "a")):
        where = "    point3f physics:localPos0 = (0, 0, 1)"
        text += t.joint("RevoluteJoint", name, f"/{first}", f"/{second}", where)
    (asset,) = read(tmp_path, text)
    assert sorted(link.name for link in asset.links) == ["a", "b", "c"]
    (loop,) = asset.loops
    in_tree = {link.joint.name for link in asset.links[1:]}
    assert in_tree | {loop.joint.name} == {"ab", "bc", "ca"}
    assert loop.joint.type is JointType.CONTINUOUS
    assert (loop.first, loop.second) in asset.excluded


def test_joints_and_bodies_that_are_switched_off_do_nothing(tmp_path):
    text = (
        t.header()
        + t.body("a", t.shape("Cube"))
        + t.body("b", t.shape("Cube"), more="bool physics:rigidBodyEnabled = 0")
    )
    text += t.joint("FixedJoint", "j", "/a", "/b", "    bool physics:jointEnabled = 0")
    assets = by_name(read(tmp_path, text))
    assert not assets["a"].fixed_base
    assert assets["b"].fixed_base


def test_a_physics_material_reaches_its_shapes(tmp_path):
    material = """
def Material "rubber" (
    prepend apiSchemas = ["PhysicsMaterialAPI"]
)
{
    float physics:staticFriction = 0.9
    float physics:dynamicFriction = 0.7
    float physics:restitution = 0.2
    float physics:density = 500
    uniform token physxMaterial:frictionCombineMode = "max"
}
"""
    inner = t.CUBE + "\n    rel material:binding:physics = </rubber>"
    text = t.header() + material
    text += t.body("a", t.shape("Cube", inner=inner, api="MaterialBindingAPI"))
    link = read(tmp_path, text)[0].links[0]
    surface = link.collisions[0].surface
    assert surface is not None
    assert close((surface.static_friction, surface.dynamic_friction), (0.9, 0.7))
    assert close((surface.restitution, surface.density), (0.2, 500.0))
    assert surface.friction_combine == "max"
    assert close(link.inertial.mass, 500 * 0.2**3)
    assert close(link.contact.lateral_friction, 0.7)


@pytest.mark.parametrize(
    ("token", "concave", "kind"),
    [
        ("none", True, ShapeKind.MESH),
        ("convexHull", False, ShapeKind.MESH),
        ("boundingCube", False, ShapeKind.BOX),
        ("boundingSphere", False, ShapeKind.SPHERE),
    ],
)
def test_the_approximation_of_a_mesh_decides_what_collides(tmp_path, token, concave, kind):
    inner = t.BOWL + f'    uniform token physics:approximation = "{token}"'
    text = t.header() + t.body("a", t.shape("Mesh", inner=inner, api="PhysicsMeshCollisionAPI"))
    (found,) = read(tmp_path, text)[0].links[0].collisions
    assert (found.kind, found.concave) == (kind, concave)
    if kind is ShapeKind.BOX:
        assert close(found.size, (2.0, 2.0, 1.1))


def test_convex_decomposition_gives_pieces_that_leave_the_bowl_empty(tmp_path):
    inner = t.BOWL + '    uniform token physics:approximation = "convexDecomposition"'
    text = t.header() + t.body("a", t.shape("Mesh", inner=inner, api="PhysicsMeshCollisionAPI"))
    pieces = read(tmp_path, text)[0].links[0].collisions
    assert len(pieces) > 1
    (whole,) = read(tmp_path, text, decompose=False)[0].links[0].collisions
    assert whole.notes == (("approximation", "convexDecomposition"),)


def test_the_volume_of_a_tetrahedron_is_a_sixth(tmp_path):
    text = t.header() + t.body("a", t.shape("Mesh", inner=t.TETRAHEDRON))
    inertial = read(tmp_path, text)[0].links[0].inertial
    assert close(inertial.mass, 1000 / 6, 1e-5)
    assert close(inertial.pose.pos, [0.25] * 3, 1e-5)


def test_a_scaled_mesh_has_its_size_in_metres(tmp_path):
    inner = (
        t.TETRAHEDRON
        + """
    double3 xformOp:scale = (2, 3, -4)
    uniform token[] xformOpOrder = ["xformOp:scale"]"""
    )
    text = t.header(0.5) + t.body("a", t.shape("Mesh", inner=inner))
    (found,) = read(tmp_path, text)[0].links[0].collisions
    assert found.mesh is not None
    (mesh,) = load_mesh(found.mesh)
    corners = [quat_rotate(found.pose.quat, tuple(vertex)) for vertex in mesh.vertices.tolist()]
    assert close(sorted(corners), sorted([(0, 0, 0), (1, 0, 0), (0, 1.5, 0), (0, 0, -2)]), ALGEBRA)


def test_polygons_holes_and_left_handed_faces_become_triangles_that_face_outwards(tmp_path):
    inner = """
    point3f[] points = [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0), (2, 0, 0), (2, 1, 0)]
    int[] faceVertexCounts = [4, 4]
    int[] faceVertexIndices = [0, 3, 2, 1, 1, 2, 5, 4]
    int[] holeIndices = [1]
    uniform token orientation = "leftHanded"
"""
    text = t.header() + f'def Mesh "a"\n{{\n{inner}\n}}\n'
    (found,) = read(tmp_path, text)[0].links[0].visuals
    assert found.mesh is not None
    (mesh,) = load_mesh(found.mesh)
    assert len(mesh.faces) == 2
    a, b, c = mesh.vertices[mesh.faces[0]]
    assert np.cross(b - a, c - a)[2] > 0.0


def test_colours_come_from_the_surface_shader_or_the_display_colour(tmp_path):
    text = (
        t.header()
        + """
def Material "red"
{
    token outputs:surface.connect = </red/shader.outputs:surface>
    def Shader "shader"
    {
        uniform token info:id = "UsdPreviewSurface"
        color3f inputs:diffuseColor = (1, 0, 0)
        float inputs:opacity = 0.5
        token outputs:surface
    }
}
def Sphere "a" (
    prepend apiSchemas = ["MaterialBindingAPI"]
)
{
    rel material:binding = </red>
}
def Sphere "b"
{
    color3f[] primvars:displayColor = [(0, 1, 0)]
}
def Sphere "hidden"
{
    token visibility = "invisible"
}
def Sphere "guide"
{
    uniform token purpose = "guide"
}
"""
    )
    first, second = read(tmp_path, text)[0].links[0].visuals
    assert (first.name, first.rgba, first.material) == ("a", (1.0, 0.0, 0.0, 0.5), "red")
    assert (second.name, second.rgba) == ("b", (0.0, 1.0, 0.0, 1.0))


def test_faces_with_materials_of_their_own_are_shapes_of_their_own(tmp_path):
    text = (
        t.header()
        + """
def Material "red" { }
def Mesh "a" (
    prepend apiSchemas = ["MaterialBindingAPI"]
)
{
    point3f[] points = [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0), (2, 0, 0), (2, 1, 0)]
    int[] faceVertexCounts = [4, 4]
    int[] faceVertexIndices = [0, 1, 2, 3, 1, 4, 5, 2]
    def GeomSubset "half" (
        prepend apiSchemas = ["MaterialBindingAPI"]
    )
    {
        uniform token elementType = "face"
        uniform token familyName = "materialBind"
        int[] indices = [1]
        rel material:binding = </red>
    }
}
"""
    )
    first, second = read(tmp_path, text.replace("{ }", "{\n}"))[0].links[0].visuals
    assert (first.material, second.material) == ("red", "")
    assert [len(shape.mesh.faces) for shape in (first, second)] == [2, 2]


def test_instances_are_bodies_of_their_own(tmp_path):
    text = t.header() + 'class "Part"\n{\n' + t.body("a", t.shape("Cube")) + "}\n"
    for name, x in (("One", 1), ("Two", 2)):
        text += (
            f'def Xform "{name}" (\n    instanceable = true\n    prepend inherits = </Part>\n)\n'
        )
        text += f"{{\n    double3 xformOp:translate = ({x}, 0, 0)\n"
        text += '    uniform token[] xformOpOrder = ["xformOp:translate"]\n}\n'
    first, second = read(tmp_path, text)
    assert [first.pose.pos[0], second.pose.pos[0]] == [1.0, 2.0]
    assert len(first.links[0].visuals) == 1


def test_references_payloads_and_sublayers_are_followed(tmp_path):
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "part.usda").write_text(
        t.header().replace("Robot", "a") + t.body("a", t.shape("Cube"))
    )
    (tmp_path / "parts" / "over.usda").write_text(t.header() + t.body("c", t.shape("Cube")))
    text = t.header().replace(")\n", "    subLayers = [@./parts/over.usda@]\n)\n")
    text += 'def "a" (\n    prepend references = @./parts/part.usda@\n)\n{\n}\n'
    text += 'def "b" (\n    prepend payload = @./parts/part.usda@</a>\n)\n{\n}\n'
    assert sorted(by_name(read(tmp_path, text))) == ["a", "b", "c"]


def test_binary_stages_and_packages_say_the_same_as_text(tmp_path):
    from pxr import Sdf, UsdUtils

    plain = read(tmp_path, t.ROBOT)
    Sdf.Layer.FindOrOpen(str(tmp_path / "stage.usda")).Export(str(tmp_path / "stage.usdc"))
    assert UsdUtils.CreateNewUsdzPackage(str(tmp_path / "stage.usdc"), str(tmp_path / "stage.usdz"))
    for name in ("stage.usdc", "stage.usdz"):
        again = load_usd(tmp_path / name, search_path=SearchPath())
        for one, other in zip(plain, again, strict=True):
            assert [repr(link) for link in one.links] == [repr(link) for link in other.links]


def test_only_what_is_below_the_root_is_read(tmp_path):
    assets = read(tmp_path, t.ROBOT, root="/Robot")
    assert [asset.name for asset in assets] == ["Robot"]


def test_two_links_with_one_name_are_told_apart_by_their_paths(tmp_path):
    text = t.header()
    for side in ("left", "right"):
        text += f'def Xform "{side}"\n{{\n' + t.body("wheel", t.shape("Sphere")) + "}\n"
    text += t.joint("FixedJoint", "j", "/left/wheel", "/right/wheel")
    (asset,) = read(tmp_path, text)
    assert [link.name for link in asset.links] == ["wheel", "right/wheel"]


def test_what_is_said_of_physx_reaches_the_joint(tmp_path):
    inner = (
        t.REVOLUTE
        + """
    custom float physxJoint:armature = 0.25
    custom float physxJoint:maxJointVelocity = 180
    custom float physxJoint:jointFriction = 0.5
"""
    )
    hinge = t.joint("RevoluteJoint", "hinge", "/a", "/b", inner)
    text = t.header() + t.body("a", t.shape("Cube")) + t.body("b", t.shape("Cube")) + hinge
    joint = read(tmp_path, text)[0].links[1].joint
    assert close((joint.armature, joint.friction, joint.velocity), (0.25, 0.5, math.pi))


def test_without_the_library_the_error_names_the_extra(tmp_path, monkeypatch):
    from unibody.core.assets.usd import library
    from unibody.errors import NotSupportedError

    (tmp_path / "a.usda").write_text(t.ROBOT)
    monkeypatch.setitem(sys.modules, "pxr.Ar", None)
    library.pxr.cache_clear()
    with pytest.raises(NotSupportedError, match=r"\[isaac-core\]"):
        load_usd(tmp_path / "a.usda", search_path=SearchPath())
    monkeypatch.undo()
    library.pxr.cache_clear()


def test_missing_layers_can_be_left_out(tmp_path):
    text = t.ROBOT + 'def "x" (\n    prepend references = @./gone.usda@\n)\n{\n}\n'
    (tmp_path / "a.usda").write_text(text)
    stage, missing = open_stage(
        str(tmp_path / "a.usda"),
        search_path=SearchPath(),
        limits=DEFAULT_LIMITS,
        skip_missing=True,
    )
    assert missing == ["./gone.usda"]
    assert stage.GetPrimAtPath("/Robot/base")
