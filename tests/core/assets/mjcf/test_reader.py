"""The MJCF reader: PyBullet as oracle for its rules, MuJoCo's own model for MuJoCo's."""

from __future__ import annotations

import math
import re
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import mujoco
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from unibody.core.assets.description import Asset, JointType, Pose, ShapeKind
from unibody.core.assets.limits import Limits
from unibody.core.assets.mjcf.reader import load_mjcf
from unibody.core.assets.paths import SearchPath
from unibody.core.assets.transforms import pose_multiply, quat_conjugate, quat_rotate
from unibody.errors import AssetError

pybullet = pytest.importorskip("pybullet")
DATA = Path(pytest.importorskip("pybullet_data").getDataPath())
FILES = sorted(path.name for path in (DATA / "mjcf").glob("*.xml"))

# What MuJoCo 3.17 itself refuses: global coordinates, unknown attributes, missing materials.
REFUSED = {
    "ground.xml",
    "ground_plane.xml",
    "half_cheetah.xml",
    "hopper.xml",
    "humanoid_fixed.xml",
    "humanoid_symmetric.xml",
    "swimmer.xml",
    "walker2d.xml",
}
# Our reader leaves out what refers to materials, joints and bodies that a file does not have.
READ = {"ground.xml", "humanoid_symmetric.xml", "swimmer.xml"}
KINDS = {
    JointType.FIXED: pybullet.JOINT_FIXED,
    JointType.REVOLUTE: pybullet.JOINT_REVOLUTE,
    JointType.CONTINUOUS: pybullet.JOINT_REVOLUTE,
    JointType.PRISMATIC: pybullet.JOINT_PRISMATIC,
}
# PyBullet reads numbers into float32 in places and returns link poses as float32.
SINGLE = 2e-6


@pytest.fixture
def client() -> Iterator[int]:
    number = pybullet.connect(pybullet.DIRECT)
    yield number
    pybullet.disconnect(number)


def load(path: Path, **options: bool) -> list[Asset]:
    return load_mjcf(path, SearchPath(), **options)


def load_text(folder: Path, text: str, **options: bool) -> list[Asset]:
    (folder / "a.xml").write_text(text)
    return load(folder / "a.xml", **options)


def world_poses(asset: Asset) -> list[Pose]:
    poses: list[Pose] = []
    for link in asset.links:
        above = poses[link.parent] if link.parent >= 0 else asset.pose
        poses.append(pose_multiply(above, link.joint.origin) if link.parent >= 0 else above)
    return poses


def without_counter(name: str) -> str:
    """PyBullet puts a counter of the whole process into made-up joint names."""
    return re.sub(r"^(jointfix_|joint)\d+_", r"\1#_", name)


def same_rotation(xyzw: tuple[float, ...], wxyz: tuple[float, ...]) -> bool:
    w, x, y, z = wxyz
    return math.isclose(abs(float(np.dot(xyzw, (x, y, z, w)))), 1.0, abs_tol=1e-6)


def check_body(client: int, body: int, asset: Asset) -> None:
    base, name = pybullet.getBodyInfo(body, physicsClientId=client)
    assert (base.decode(), name.decode()) == (asset.links[0].name, asset.name)
    assert pybullet.getNumJoints(body, physicsClientId=client) == len(asset.links) - 1
    poses = world_poses(asset)
    centre = pose_multiply(poses[0], asset.links[0].inertial.pose)
    pos, quat = pybullet.getBasePositionAndOrientation(body, physicsClientId=client)
    np.testing.assert_allclose(pos, centre.pos, atol=SINGLE)
    assert same_rotation(quat, centre.quat)
    for index, link in enumerate(asset.links):
        dynamics = pybullet.getDynamicsInfo(body, index - 1, physicsClientId=client)
        assert dynamics[0] == pytest.approx(link.inertial.mass, rel=SINGLE)
        friction = link.contact.lateral_friction
        assert dynamics[1] == pytest.approx(0.5 if friction is None else friction, rel=SINGLE)
        np.testing.assert_allclose(dynamics[3], link.inertial.pose.pos, atol=SINGLE)
        if index == 0:
            continue
        info = pybullet.getJointInfo(body, index - 1, physicsClientId=client)
        joint = link.joint
        assert without_counter(info[1].decode()) == without_counter(joint.name)
        assert (info[2], info[12].decode(), info[16]) == (
            KINDS[joint.type],
            link.name,
            link.parent - 1,
        )
        assert info[6:8] == (joint.damping, joint.friction)
        np.testing.assert_allclose(info[8:10], (joint.lower, joint.upper), atol=SINGLE)
        if joint.type is not JointType.FIXED:
            axis = quat_rotate(quat_conjugate(link.inertial.pose.quat), joint.axis)
            np.testing.assert_allclose(info[13] / np.linalg.norm(info[13]), axis, atol=SINGLE)
        state = pybullet.getLinkState(body, index - 1, physicsClientId=client)
        np.testing.assert_allclose(state[4], poses[index].pos, atol=SINGLE)
        assert same_rotation(state[5], poses[index].quat)


@pytest.mark.parametrize("name", FILES)
def test_bodies_links_joints_and_poses_equal_those_of_pybullet(client: int, name: str) -> None:
    bodies = pybullet.loadMJCF(str(DATA / "mjcf" / name), physicsClientId=client)
    assets = load(DATA / "mjcf" / name)
    assert len(assets) == len(bodies)
    for body, asset in zip(bodies, assets, strict=True):
        check_body(client, body, asset)


ODD = """<mujoco model="odd"><compiler angle="{angle}"/>
<default><joint limited="true"/><geom friction="0.7 0.1 0.2" contype="3"/>
 <default class="c"><geom friction="0.9"/></default></default>
<worldbody>
 <body pos="0 0 1" quat="0.9 0.1 0.2 0.3">
  <inertial pos="0.1 0 0" mass="2" diaginertia="1 2 3"/>
  <joint type="hinge" axis="0 1 1" range="-30 60" pos="0 0.1 0" quat="0.5 0.5 0.5 0.1"/>
  <joint type="slide" axis="1 0 0" range="-1 1" pos="0.2 0 0"/>
  <geom type="box" size="0.1 0.2 0.3" condim="4" pos="0.5 0 0"/>
  <body name="inner" pos="0 0 0.5" childclass="c">
   <joint name="j" type="hinge" axis="0 0 1" limited="false"/>
   <geom type="capsule" size="0.1" fromto="0 0 0 0 0.3 0.4"/>
   <geom type="cylinder" size="0.1 0.2" axisangle="0 1 0 0.5"/>
   <body pos="1 1 1"><geom type="sphere" size="0.2"/></body>
  </body>
 </body>
 <geom type="plane" name="floor" friction="0.3"/>
 <body name="free"><joint type="free"/><geom type="sphere" size="0.3" pos="0 0 5"/></body>
</worldbody></mujoco>"""


@pytest.mark.parametrize("angle", ["degree", "radian"])
def test_rotated_joints_classes_and_free_bodies_equal_pybullets(
    client: int, tmp_path: Path, angle: str
) -> None:
    assets = load_text(tmp_path, ODD.format(angle=angle))
    bodies = pybullet.loadMJCF(str(tmp_path / "a.xml"), physicsClientId=client)
    assert len(bodies) == len(assets) == 3
    for body, asset in zip(bodies, assets, strict=True):
        check_body(client, body, asset)
    assert [asset.static for asset in assets] == [False, True, False]
    assert [asset.fixed_base for asset in assets] == [True, True, False]


def test_a_capsule_between_two_points_is_placed_in_their_middle(tmp_path: Path) -> None:
    geom = '<geom type="capsule" size="0.1" fromto="0 0 0 0 3 4"/>'
    (asset,) = load_text(tmp_path, f"<mujoco><worldbody><body>{geom}</body></worldbody></mujoco>")
    (shape,) = asset.links[0].collisions
    assert shape.kind is ShapeKind.CAPSULE
    assert shape.size == pytest.approx((0.1, 5.0))
    assert shape.pose.pos == pytest.approx((0, 1.5, 2))
    assert quat_rotate(shape.pose.quat, (0, 0, 1)) == pytest.approx((0, 0.6, 0.8))


@pytest.mark.parametrize(
    ("inner", "part"),
    [
        ('<body name="a"><body name="a"/></body>', "used twice"),
        ('<body><joint type="hinge" limited="true"/></body>', "range"),
        ('<body><geom type="capsule"/></body>', "size"),
        ('<body><joint type="hinge" axis="0 0 0"/></body>', "axis"),
        ('<body pos="nan 0 0"/>', "pos"),
        ("", "neither"),
    ],
)
def test_a_file_that_crashes_or_confuses_pybullet_is_an_error(
    tmp_path: Path, inner: str, part: str
) -> None:
    with pytest.raises(AssetError, match=part):
        load_text(tmp_path, f"<mujoco><worldbody>{inner}</worldbody></mujoco>")


@pytest.mark.parametrize("name", [name for name in FILES if name not in REFUSED])
def test_bodies_read_with_mujocos_rules_equal_mujocos_model(name: str) -> None:
    model = mujoco.MjModel.from_xml_path(str(DATA / "mjcf" / name))
    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    assets = load(DATA / "mjcf" / name, pybullet_numbering=False)
    links = {
        link.name: (link, pose)
        for asset in assets
        for link, pose in zip(asset.links, world_poses(asset), strict=True)
    }
    for body in range(1, model.nbody):
        link, pose = links[model.body(body).name or f"body{body}"]
        np.testing.assert_allclose(pose.pos, data.xpos[body], atol=1e-9)
        np.testing.assert_allclose(np.abs(np.dot(pose.quat, data.xquat[body])), 1, atol=1e-9)
        assert link.inertial.mass == pytest.approx(model.body_mass[body])
        assert link.inertial.inertia[:3] == pytest.approx(model.body_inertia[body].tolist())
    joints = {link.joint.name: link.joint for asset in assets for link in asset.links}
    for number in range(model.njnt):
        if model.jnt_type[number] != mujoco.mjtJoint.mjJNT_FREE:
            joint = joints[model.joint(number).name or f"joint{number}"]
            dof = model.jnt_dofadr[number]
            assert joint.armature == model.dof_armature[dof]
            assert joint.damping == model.dof_damping[dof]
            assert joint.stiffness == model.jnt_stiffness[number]


@pytest.mark.parametrize("name", sorted(REFUSED - READ))
def test_what_mujoco_refuses_is_an_error(name: str) -> None:
    with pytest.raises(ValueError, match="Error"):
        mujoco.MjModel.from_xml_path(str(DATA / "mjcf" / name))
    with pytest.raises(AssetError, match="MuJoCo refuses"):
        load(DATA / "mjcf" / name, pybullet_numbering=False)


def test_a_material_that_does_not_exist_does_not_matter_to_the_bodies() -> None:
    file = DATA / "mjcf" / "humanoid_symmetric.xml"
    with pytest.raises(ValueError, match="material 'geom' not found"):
        mujoco.MjModel.from_xml_path(str(file))
    plain = file.read_text(encoding="utf-8").replace('material="geom"', "")
    model = mujoco.MjModel.from_xml_string(plain)
    robot = load(file, pybullet_numbering=False)[-1]
    assert sum(link.inertial.mass for link in robot.links) == pytest.approx(
        float(model.body_mass.sum())
    )


def test_an_option_that_mujoco_refuses_does_not_matter_to_the_bodies() -> None:
    (robot,) = load(DATA / "mjcf" / "swimmer.xml", pybullet_numbering=False)[-1:]
    assert len(robot.links) > 3


NATIVE = """<mujoco model="m"><compiler autolimits="true"/>
<default><joint armature="0.3"/><geom density="500"/></default>
<include file="{include}"/>
<worldbody>
 <geom name="floor" type="plane" size="1 1 1"/>
 <body name="base" pos="0 0 1"><freejoint/>
  <geom name="shell" type="mesh" mesh="part" pos="0.1 0 0" euler="0 90 0" contype="0"
        conaffinity="0"/>
  <geom name="core" size="0.1"/>
  <body name="arm" pos="0.5 0 0">
   <joint name="x" axis="1 0 0" range="-90 90" pos="0 0 0.2" ref="30" springref="45" stiffness="7"
          damping="2" frictionloss="0.5"/>
   <joint name="y" axis="0 1 0"/>
   <geom size="0.1 0.2" type="capsule"/>
  </body>
 </body>
 <body name="fixture"><geom size="0.2"/></body>
</worldbody>
<actuator><motor joint="x" gear="2" ctrlrange="-3 3" ctrllimited="true"/>
 <position joint="y" kp="10" forcerange="-4 4"/></actuator></mujoco>"""
MESH = """<mujocoinclude>
<asset><mesh name="part" file="part.obj" scale="2 2 2"/></asset></mujocoinclude>"""
OBJ = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"


def native(folder: Path) -> list[Asset]:
    (folder / "part.obj").write_text(OBJ)
    (folder / "mesh.xml").write_text(MESH)
    return load_text(folder, NATIVE.format(include="mesh.xml"), pybullet_numbering=False)


def test_a_mesh_without_faces_is_refused_by_its_name(tmp_path: Path) -> None:
    (tmp_path / "part.obj").write_text("v 0 0 0\n")
    (tmp_path / "mesh.xml").write_text(MESH)
    with pytest.warns(UserWarning, match="left out"), pytest.raises(AssetError, match=r"part\.obj"):
        load_text(tmp_path, NATIVE.format(include="mesh.xml"), pybullet_numbering=False)


def test_everything_about_a_joint_survives(tmp_path: Path) -> None:
    world, robot, fixture = native(tmp_path)
    assert (world.name, world.static, fixture.fixed_base) == ("world", True, True)
    assert [link.name for link in robot.links] == ["base", "arm/x", "arm/y", "arm"]
    assert robot.fixed_base is False
    x = robot.links[1].joint
    assert (x.type, x.armature, x.damping, x.friction) == (JointType.REVOLUTE, 0.3, 2, 0.5)
    assert x.stiffness == 7
    # Values count from the pose of the file, which is the joint's ref.
    assert (x.lower, x.upper) == pytest.approx((math.radians(-120), math.radians(60)))
    assert x.spring_reference == pytest.approx(math.radians(15))
    assert robot.links[2].joint.type is JointType.CONTINUOUS
    assert robot.joint_efforts == {"x": 6, "y": 4}
    assert world_poses(robot)[3].pos == pytest.approx((0.5, 0, 1))
    assert world_poses(robot)[1].pos == pytest.approx((0.5, 0, 1.2))


def test_a_mesh_geom_keeps_its_file_scale_and_pose(tmp_path: Path) -> None:
    _, robot, _ = native(tmp_path)
    base = robot.links[0]
    shell, core = base.visuals
    assert [shape.name for shape in base.collisions] == ["core"]
    assert core.kind is ShapeKind.SPHERE
    assert shell.mesh is not None
    assert shell.mesh.scale == (2, 2, 2)
    assert shell.mesh.file == str(tmp_path / "part.obj")
    assert shell.pose.pos == pytest.approx((0.1, 0, 0), abs=1e-6)
    assert quat_rotate(shell.pose.quat, (0, 0, 1)) == pytest.approx((1, 0, 0), abs=1e-6)
    # Density 500 of the tetrahedron of edge 2 and of the ball.
    assert base.inertial.mass == pytest.approx(500 * (8 / 6 + 4 / 3 * math.pi * 1e-3))


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ('<mujoco><include file="a.xml"/></mujoco>', "includes itself"),
        ('<mujoco><include file="none.xml"/></mujoco>', "not found"),
        ('<mujoco><include file="/etc/hostname"/></mujoco>', "outside|not found"),
        ('<mujoco><asset><mesh file="/etc/hostname"/></asset></mujoco>', "outside|not found"),
        (
            '<mujoco><worldbody><replicate count="1000000000"><body><geom size="1"/></body>'
            "</replicate></worldbody></mujoco>",
            "replication",
        ),
        (
            '<mujoco><worldbody><body pos="1e300 0 0"><geom size="1"/></body></worldbody></mujoco>',
            "beyond",
        ),
        (
            '<mujoco><worldbody><body pos="nan 0 0"><geom size="1"/></body></worldbody></mujoco>',
            "finite",
        ),
        ("<mujoco><worldbody><body><joint/></body></worldbody></mujoco>", "refuses"),
        (f"<mujoco><worldbody>{'<body>' * 150}{'</body>' * 150}</worldbody></mujoco>", "deeper"),
        ("<robot/>", "mujoco"),
    ],
)
def test_a_hostile_or_broken_file_is_an_error(tmp_path: Path, text: str, part: str) -> None:
    with pytest.raises(AssetError, match=part):
        load_text(tmp_path, text, pybullet_numbering=False)


@pytest.mark.parametrize("text", ["", "<robot/>", "<mujoco>"])
def test_a_broken_included_file_is_an_error_that_names_both_files(
    tmp_path: Path, text: str
) -> None:
    (tmp_path / "parts.txt").write_text(text)
    with pytest.raises(AssetError, match=r"a\.xml.*parts\.txt"):
        load_text(
            tmp_path, '<mujoco><include file="parts.txt"/></mujoco>', pybullet_numbering=False
        )


def test_a_missing_file_is_an_error() -> None:
    with pytest.raises(AssetError, match="no such file"):
        load(Path("/nowhere/a.xml"))


TOKENS = ["nan", "1e300", "-1", "0", "", "1e-300", "hinge", "ball", "free", "mesh", "1000000"]
TOKENS += ["<body>", "</body>", "<joint/>", "<geom/>", '"', "<freejoint/>", "<frame>", "true"]
TOKENS += ['<replicate count="3">', '<include file="a.xml"/>', "class", "ellipsoid", "hfield"]


@st.composite
def mutated(draw: st.DrawFn, original: str) -> str:
    text = original
    for _ in range(draw(st.integers(1, 5))):
        begin = draw(st.integers(0, len(text)))
        end = min(len(text), begin + draw(st.integers(0, 25)))
        other = draw(st.integers(0, len(text)))
        piece = draw(st.sampled_from([*TOKENS, text[other : other + 40]]))
        text = text[:begin] + piece + text[end:]
    return text


@pytest.mark.parametrize("numbering", [True, False], ids=["pybullet", "mujoco"])
@settings(max_examples=250, deadline=None)
@given(data=st.data())
def test_a_mutated_file_is_read_or_is_an_error(numbering: bool, data: st.DataObject) -> None:
    original = data.draw(st.sampled_from([ODD.format(angle="radian"), NATIVE]))
    text = data.draw(mutated(original.replace("{include}", "mesh.xml")))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder)
        (path / "part.obj").write_text(OBJ)
        (path / "mesh.xml").write_text(MESH)
        (path / "a.xml").write_text(text)
        limits = Limits(xml_elements=5000, links=500, mesh_vertices=10_000)
        started = time.perf_counter()
        try:
            assets = load_mjcf(path / "a.xml", SearchPath(), limits, pybullet_numbering=numbering)
        except AssetError as error:
            assert "xml" in error.file or "obj" in error.file
        else:
            for asset in assets:
                assert all(link.parent < index for index, link in enumerate(asset.links))
        assert time.perf_counter() - started < 5
