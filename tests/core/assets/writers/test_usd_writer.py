"""What is written as USD is read back as it was, by our reader and by OpenUSD."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from tests.core.assets.writers.sameness import assert_same
from unibody.core.assets.description import (
    Asset,
    ContactParameters,
    Drive,
    HeightfieldData,
    Inertial,
    Joint,
    JointType,
    Link,
    LoopJoint,
    MeshSource,
    Mimic,
    Pose,
    Shape,
    ShapeKind,
    SurfaceMaterial,
)
from unibody.core.assets.load import load_assets
from unibody.core.assets.paths import SearchPath
from unibody.core.assets.transforms import quat_normalize
from unibody.core.assets.writers.folder import OutputFolder
from unibody.core.assets.writers.usd_writer import write_usd

pxr = pytest.importorskip("pxr")

SOLID = Inertial(1.0, inertia=(1.0, 1.0, 1.0, 0.0, 0.0, 0.0))
TURNED = Pose((0.5, 0.0, 0.1), quat_normalize((0.9, 0.1, -0.3, 0.2)))
# USD holds numbers of physics in single precision; degrees cost one rounding more.
SINGLE = 3e-7


def again(assets: list[Asset], tmp_path: Path) -> tuple[list[Asset], list[str]]:
    """Written and read, and what was lost."""
    losses = write_usd(assets, OutputFolder(str(tmp_path / "out.usda")))
    return load_assets(tmp_path / "out.usda", SearchPath()), losses.lines()


def arm(**rest) -> Asset:
    joint = Joint("a", JointType.REVOLUTE, TURNED, (0.0, 0.6, -0.8), lower=-1.0, upper=2.0)
    return Asset("arm", [Link("base", inertial=SOLID), Link("tip", 0, joint, SOLID)], **rest)


@pytest.mark.parametrize("fixed", [True, False])
def test_limits_springs_and_the_pose_of_the_base_survive(fixed, tmp_path):
    before = arm(fixed_base=fixed, pose=Pose((0.0, 0.0, 2.0)))
    joint = before.links[1].joint
    joint.stiffness, joint.spring_reference, joint.damping, joint.friction = 4.0, 0.5, 0.1, 0.2
    joint.armature, joint.velocity, joint.effort = 0.03, 3.0, 20.0
    (after,), lines = again([before], tmp_path)
    assert_same(before, after)
    found = after.links[1].joint
    for name in ("stiffness", "spring_reference", "damping", "friction", "armature", "velocity",
                 "effort"):  # fmt: skip
        assert getattr(found, name) == pytest.approx(getattr(joint, name), rel=SINGLE), name
    assert (after.name, after.pose.pos) == ("arm", (0.0, 0.0, 2.0))
    assert lines == []


@pytest.mark.parametrize("acceleration", [True, False])
@pytest.mark.parametrize("kind", [JointType.REVOLUTE, JointType.PRISMATIC])
def test_drives_survive(kind, acceleration, tmp_path):
    before = arm()
    drive = Drive(300.0, 20.0, 87.0, 0.3, -0.1, acceleration)
    before.links[1].joint.type, before.links[1].joint.drives = kind, (drive,)
    (after,), _ = again([before], tmp_path)
    (found,) = after.links[1].joint.drives
    for name in ("stiffness", "damping", "max_force", "target_position", "target_velocity"):
        assert getattr(found, name) == pytest.approx(getattr(drive, name), rel=SINGLE), name
    assert found.acceleration == acceleration


def test_a_stage_begins_where_its_joints_do(tmp_path):
    before = arm(fixed_base=True)
    before.links[1].joint.start = 0.4
    before.links[1].joint.anchor = (0.0, 0.2, 0.1)
    (after,), lines = again([before], tmp_path)
    assert after.links[1].joint.start == pytest.approx(0.4, abs=1e-6)
    assert lines == []
    assert_same(before, after)


def test_mimics_and_names_that_no_prim_may_have_survive(tmp_path):
    follower = Joint("left-2/finger", JointType.PRISMATIC, axis=(0.0, 0.0, -1.0))
    follower.lower, follower.upper, follower.mimic = 0.0, 1.0, Mimic("a.1", -2.0, 0.1)
    before = arm()
    before.links[1].joint.name = "a.1"
    before.links.append(Link("2nd tip", 1, follower, SOLID))
    (after,), lines = again([before], tmp_path)
    assert [link.name for link in after.links] == ["base", "tip", "2nd tip"]
    assert [link.joint.name for link in after.links[1:]] == ["a.1", "left-2/finger"]
    mimic = after.links[2].joint.mimic
    assert mimic is not None
    assert (mimic.joint, mimic.multiplier) == ("a.1", -2.0)
    assert mimic.offset == pytest.approx(0.1, rel=SINGLE)
    assert lines == []


def test_loops_and_pairs_that_do_not_collide_survive(tmp_path):
    joint = Joint("closing", JointType.SPHERICAL)
    before = arm(excluded=[("base", "tip")])
    before.links.append(Link("third", 1, Joint("b", JointType.PRISMATIC), SOLID))
    before.loops = [LoopJoint(joint, "base", TURNED, "third", Pose((0.0, 0.1, 0.0)))]
    (after,), lines = again([before], tmp_path)
    (loop,) = after.loops
    assert (loop.joint.name, loop.joint.type) == ("closing", JointType.SPHERICAL)
    assert (loop.first, loop.second) == ("base", "third")
    assert np.allclose(loop.first_pose.quat, TURNED.quat, atol=SINGLE)
    assert after.excluded == [("base", "tip")]
    assert lines == []


def test_shapes_of_all_kinds_survive(tmp_path):
    corners = ((0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
    mesh = MeshSource(
        name="wedge", scale=(1.0, -2.0, 1.0), vertices=corners,
        faces=((0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)),
    )  # fmt: skip
    shapes = [
        Shape(ShapeKind.BOX, (1.0, 2.0, 3.0), TURNED),
        Shape(ShapeKind.SPHERE, (0.4,), TURNED),
        Shape(ShapeKind.CYLINDER, (0.4, 1.0), TURNED),
        Shape(ShapeKind.CAPSULE, (0.4, 1.0), TURNED),
        Shape(ShapeKind.ELLIPSOID, (0.1, 0.2, 0.3), TURNED),
        Shape(ShapeKind.PLANE, (), TURNED),
        Shape(ShapeKind.MESH, pose=TURNED, mesh=mesh),
        Shape(ShapeKind.MESH, pose=TURNED, mesh=mesh, concave=True),
    ]
    before = Asset("world", [Link("world", collisions=shapes)], fixed_base=True, static=True)
    (after,), lines = again([before], tmp_path)
    found = after.links[0].collisions
    by_kind = {(shape.kind, shape.concave): shape for shape in found}
    assert len(found) == len(shapes)
    for shape in shapes:
        other = by_kind[(shape.kind, shape.concave)]
        assert other.size == pytest.approx(shape.size, rel=SINGLE)
        # Of a plane the normal counts, and of a mirrored mesh how it is turned is a convention.
        if shape.kind is not ShapeKind.PLANE and shape.mesh is None:
            assert np.allclose(np.abs(np.dot(other.pose.quat, shape.pose.quat)), 1.0)
        assert other.pose.pos == pytest.approx(shape.pose.pos, abs=SINGLE)
    assert lines == []


def test_a_field_of_heights_is_a_mesh_of_its_triangles(tmp_path):
    field = HeightfieldData(2, 3, (0.0, 0.1, 0.2, 0.3, 0.4, 0.5), (0.5, 1.0))
    shape = Shape(ShapeKind.HEIGHTFIELD, heightfield=field)
    before = Asset("world", [Link("world", collisions=[shape])], fixed_base=True, static=True)
    (after,), _ = again([before], tmp_path)
    (found,) = after.links[0].collisions
    assert found.concave
    assert found.mesh is not None
    assert len(found.mesh.faces) == 4
    assert np.min(found.mesh.vertices, axis=0) == pytest.approx((-0.5, -0.5, 0.0))
    assert np.max(found.mesh.vertices, axis=0) == pytest.approx((0.5, 0.5, 0.5))


def test_colours_images_and_surfaces_survive(tmp_path):
    image = pytest.importorskip("PIL.Image")
    image.new("RGB", (4, 4), (255, 0, 0)).save(tmp_path / "red.png")
    look = Shape(ShapeKind.BOX, (1.0, 1.0, 1.0), name="cover", rgba=(0.5, 0.25, 1.0, 0.5))
    look.material, look.texture = "paint", str(tmp_path / "red.png")
    touch = Shape(ShapeKind.BOX, (1.0, 1.0, 1.0))
    touch.surface = SurfaceMaterial(0.75, 0.5, 0.25, friction_combine="max")
    soft = Shape(ShapeKind.SPHERE, (1.0,))
    contact = ContactParameters(lateral_friction=0.125, restitution=0.5)
    before = Asset(
        "pair",
        [
            Link("one", inertial=SOLID, visuals=[look], collisions=[touch]),
            Link("two", 0, Joint("j"), SOLID, collisions=[soft], contact=contact),
        ],
    )
    (after,), lines = again([before], tmp_path)
    (seen,) = after.links[0].visuals
    assert (seen.name, seen.material, seen.rgba) == ("cover", "paint", look.rgba)
    assert Path(seen.texture).name == "red.png"
    surface = after.links[0].collisions[0].surface
    assert surface == touch.surface
    assert after.links[1].contact.lateral_friction == 0.125
    assert after.links[1].contact.restitution == 0.5
    assert lines == []


def test_moments_of_tiny_bodies_survive(tmp_path):
    # OpenUSD's own sum takes moments of 1e-5 and less for none, and those of the shapes instead.
    before = arm()
    shape = Shape(ShapeKind.SPHERE, (0.1,))
    before.links[1].collisions = [shape]
    before.links[1].inertial = Inertial(0.1, inertia=(4e-6, 3e-6, 2e-9, 0.0, 0.0, 0.0))
    (after,), _ = again([before], tmp_path)
    assert after.links[1].inertial.inertia[:3] == pytest.approx((4e-6, 3e-6, 2e-9), rel=SINGLE)


def test_what_a_stage_cannot_say_is_listed(tmp_path):
    robot = arm()
    robot.links[1].joint = Joint("a", JointType.PLANAR)
    robot.links[1].inertial = Inertial()
    robot.links[0].contact = ContactParameters(rolling_friction=0.1, cfm=0.1)
    robot.links[0].collisions = [Shape(ShapeKind.BOX, (1.0, 1.0, 1.0), group=2, mask=1)]
    robot.links.append(Link("loose", 1, Joint("f", JointType.FLOATING), SOLID))
    _, lines = again([robot], tmp_path)
    for word, name in (
        ("planar", "'a'"), ("without a mass", "'tip'"), ("rolling", "'base'"),
        ("contact_cfm", "'base'"), ("groups", "'base'"), ("leaves all free", "'f'"),
    ):  # fmt: skip
        assert any(word in line and name in line for line in lines), word


def test_several_models_stand_side_by_side_below_a_world(tmp_path):
    one, two = arm(pose=Pose((1.0, 0.0, 0.0))), arm(pose=Pose((2.0, 0.0, 0.0)))
    after, _ = again([one, two], tmp_path)
    assert [asset.name for asset in after] == ["arm", "arm_1"]
    assert [asset.pose.pos[0] for asset in after] == [1.0, 2.0]


def test_openusd_itself_finds_bodies_and_joints_and_nothing_wrong(tmp_path):
    from pxr import Usd, UsdPhysics, UsdValidation

    write_usd([arm(fixed_base=True)], OutputFolder(str(tmp_path / "out.usd")))
    stage = Usd.Stage.Open(str(tmp_path / "out.usd"))
    assert stage.GetDefaultPrim().HasAPI(UsdPhysics.ArticulationRootAPI)
    tip = UsdPhysics.MassAPI(stage.GetPrimAtPath("/arm/tip"))
    assert tip.GetMassAttr().Get() == 1.0
    joint = UsdPhysics.RevoluteJoint(stage.GetPrimAtPath("/arm/joints/a"))
    assert joint.GetUpperLimitAttr().Get() == pytest.approx(math.degrees(2.0))
    registry = UsdValidation.ValidationRegistry()
    rules = UsdValidation.ValidationContext(registry.GetOrLoadAllValidators())
    assert [error.GetMessage() for error in rules.Validate(stage)] == []


def test_a_stage_that_another_one_moves_takes_its_base_along(tmp_path):
    from pxr import Gf, Usd, UsdGeom

    write_usd([arm(fixed_base=True)], OutputFolder(str(tmp_path / "out.usd")))
    stage = Usd.Stage.CreateNew(str(tmp_path / "scene.usda"))
    UsdGeom.SetStageUpAxis(stage, "Z")
    UsdGeom.SetStageMetersPerUnit(stage, 1.0)
    place = UsdGeom.Xform.Define(stage, "/World/Robot")
    place.GetPrim().GetReferences().AddReference("./out.usd")
    place.ClearXformOpOrder()
    place.AddTranslateOp(opSuffix="moved").Set(Gf.Vec3d(3.0, 0.0, 0.0))
    stage.Save()
    (after,) = load_assets(tmp_path / "scene.usda", SearchPath((str(tmp_path),)))
    assert after.fixed_base
    assert after.pose.pos == (3.0, 0.0, 0.0)
