"""The SDF reader: PyBullet as oracle for its rules, closed forms for SDFormat's frames."""

from __future__ import annotations

import math
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from unibody.core.assets.description import Asset, JointType, Pose, ShapeKind
from unibody.core.assets.limits import Limits
from unibody.core.assets.paths import SearchPath
from unibody.core.assets.sdf import load_sdf
from unibody.core.assets.transforms import pose_multiply, quat_conjugate, quat_rotate
from unibody.errors import AssetError, InvalidArgumentError

pybullet = pytest.importorskip("pybullet")
DATA = Path(pytest.importorskip("pybullet_data").getDataPath())
# PyBullet refuses two for a missing mesh and dies of a third, which has an empty element.
REFUSED = {"kuka_world.sdf", "model2.sdf", "wsg50_one_motor_gripper_free_base.sdf"}
FILES = sorted(
    str(path.relative_to(DATA)) for path in DATA.rglob("*.sdf") if path.name not in REFUSED
)
KINDS = {
    JointType.FIXED: pybullet.JOINT_FIXED,
    JointType.REVOLUTE: pybullet.JOINT_REVOLUTE,
    JointType.CONTINUOUS: pybullet.JOINT_REVOLUTE,
    JointType.PRISMATIC: pybullet.JOINT_PRISMATIC,
    JointType.SPHERICAL: pybullet.JOINT_SPHERICAL,
}
# PyBullet returns link poses as float32 and keeps rotations as matrices between joints.
SINGLE = 2e-6


@pytest.fixture
def client() -> Iterator[int]:
    number = pybullet.connect(pybullet.DIRECT)
    pybullet.setPhysicsEngineParameter(enableFileCaching=0, physicsClientId=number)
    yield number
    pybullet.disconnect(number)


def world_poses(asset: Asset) -> list[Pose]:
    poses: list[Pose] = []
    for link in asset.links:
        above = poses[link.parent] if link.parent >= 0 else asset.pose
        poses.append(pose_multiply(above, link.joint.origin) if link.parent >= 0 else above)
    return poses


def pose_of(assets: list[Asset], name: str) -> Pose:
    for asset in assets:
        for link, pose in zip(asset.links, world_poses(asset), strict=True):
            if link.name == name:
                return pose
    raise KeyError(name)


def same_rotation(xyzw: tuple[float, ...], wxyz: tuple[float, ...]) -> bool:
    w, x, y, z = wxyz
    return math.isclose(abs(float(np.dot(xyzw, (x, y, z, w)))), 1.0, abs_tol=1e-6)


def load_text(folder: Path, text: str, **options: object) -> list[Asset]:
    (folder / "a.sdf").write_text(text)
    return load_sdf(folder / "a.sdf", SearchPath(), **options)  # type: ignore[arg-type]


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
        expected = 0.0 if index == 0 and asset.fixed_base else link.inertial.mass
        assert dynamics[0] == pytest.approx(expected, rel=SINGLE)
        friction = link.contact.lateral_friction
        assert dynamics[1] == pytest.approx(0.5 if friction is None else friction, rel=SINGLE)
        np.testing.assert_allclose(dynamics[3], link.inertial.pose.pos, atol=SINGLE)
        if index == 0:
            continue
        info = pybullet.getJointInfo(body, index - 1, physicsClientId=client)
        joint = link.joint
        assert (info[1].decode(), info[2]) == (joint.name, KINDS[joint.type])
        assert (info[12].decode(), info[16]) == (link.name, link.parent - 1)
        stated = (joint.damping, joint.friction, joint.lower, joint.upper)
        stated += (joint.effort, joint.velocity)
        np.testing.assert_allclose(info[6:12], stated, atol=SINGLE)
        if joint.type not in (JointType.FIXED, JointType.SPHERICAL):
            axis = quat_rotate(quat_conjugate(link.inertial.pose.quat), joint.axis)
            np.testing.assert_allclose(info[13], axis, atol=SINGLE)
        state = pybullet.getLinkState(body, index - 1, physicsClientId=client)
        np.testing.assert_allclose(state[4], poses[index].pos, atol=SINGLE)
        assert same_rotation(state[5], poses[index].quat)


@pytest.mark.parametrize("name", FILES)
def test_bodies_links_joints_and_poses_equal_those_of_pybullet(client: int, name: str) -> None:
    bodies = pybullet.loadSDF(str(DATA / name), physicsClientId=client)
    assets = load_sdf(DATA / name, SearchPath())
    assert len(assets) == len(bodies)
    for body, asset in zip(bodies, assets, strict=True):
        check_body(client, body, asset)


@pytest.mark.parametrize("name", sorted(REFUSED))
def test_a_file_that_pybullet_refuses_or_dies_of_is_an_error(name: str) -> None:
    (path,) = DATA.rglob(name)
    with pytest.raises(AssetError, match=r"not found|is empty"):
        load_sdf(path, SearchPath())


INERTIAL = (
    "<inertial><pose>0.1 0 0 0.2 0 0</pose><mass>{mass}</mass><inertia><ixx>1</ixx><ixy>0</ixy>"
    "<ixz>0</ixz><iyy>2</iyy><iyz>0</iyz><izz>3</izz></inertia></inertial>"
)
LINK = '<link name="{name}"><pose>{pose}</pose>' + INERTIAL + "{more}</link>"


def link(name: str, pose: str = "0 0 0 0 0 0", mass: float = 1, more: str = "") -> str:
    return LINK.format(name=name, pose=pose, mass=mass, more=more)


def joint(name: str, kind: str, parent: str, child: str, axis: str = "", more: str = "") -> str:
    axis = axis and f"<axis>{axis}</axis>"
    ends = f"<parent>{parent}</parent><child>{child}</child>"
    return f'<joint name="{name}" type="{kind}">{ends}{axis}{more}</joint>'


LIMIT = "<xyz>0 0.6 0.8</xyz><limit><lower>-1</lower><upper>2</upper><effort>5</effort></limit>"
ODD = f"""<sdf version="1.6"><world name="w"><model name="arm"><pose>1 2 3 0.1 0.2 0.3</pose>
{link("base", "0.5 0 0 0 0 1", 2, "<contact><lateral_friction>0.9</lateral_friction></contact>")}
{link("far", "0 1 0 0 0 0")}{link("near", "0 0 1 0.4 0 0")}{link("ball", "0 0 2 0 0 0")}
{joint("b", "revolute", "base", "near", LIMIT + "<dynamics><damping>0.3</damping></dynamics>")}
{joint("a", "prismatic", "near", "far", LIMIT)}
{joint("c", "spherical", "base", "ball")}
</model><model name="box"><static>1</static>{
    link(
        "l",
        more='''
<collision name="c"><pose>0 0 1 0 0 0</pose><geometry><box><size>1 2 3</size></box></geometry>
</collision><visual name="v"><geometry><sphere><radius>2</radius></sphere></geometry>
<material><diffuse>1 0 0 0.5</diffuse></material></visual>''',
    )
}</model></world>
<model name="outside">{link("x")}</model></sdf>"""


@pytest.mark.parametrize("scale", [1.0, 2.0])
def test_worlds_static_models_and_joints_equal_pybullets(
    client: int, tmp_path: Path, scale: float
) -> None:
    assets = load_text(tmp_path, ODD, scale=scale)
    bodies = pybullet.loadSDF(str(tmp_path / "a.sdf"), globalScaling=scale, physicsClientId=client)
    assert [asset.name for asset in assets] == ["arm", "box"]
    assert len(bodies) == len(assets)
    for body, asset in zip(bodies, assets, strict=True):
        check_body(client, body, asset)
    assert [asset.static for asset in assets] == [False, True]


def test_shapes_have_their_pose_size_and_colour(tmp_path: Path) -> None:
    _, box = load_text(tmp_path, ODD)
    (collision,), (visual,) = box.links[0].collisions, box.links[0].visuals
    assert (collision.kind, collision.size) == (ShapeKind.BOX, (1, 2, 3))
    assert (collision.pose.pos, collision.name) == ((0, 0, 1), "c")
    assert (visual.kind, visual.size, visual.rgba) == (ShapeKind.SPHERE, (2,), (1, 0, 0, 0.5))


def native(folder: Path, inner: str) -> list[Asset]:
    return load_text(folder, f'<sdf version="1.9">{inner}</sdf>', pybullet_numbering=False)


def model(name: str, inner: str) -> str:
    return f'<model name="{name}">{inner}</model>'


def test_poses_relative_to_links_joints_and_frames_are_worked_out(tmp_path: Path) -> None:
    quarter = math.pi / 2
    text = f"""<pose>10 0 0 0 0 0</pose>{link("a", f"1 0 0 0 0 {quarter}")}
    <link name="b"><pose relative_to="a">1 0 0 0 0 0</pose></link>
    <link name="c"><pose relative_to="f">0 0 1 0 0 0</pose></link>
    <frame name="f" attached_to="b"><pose>0 1 0 0 0 0</pose></frame>
    {joint("ab", "fixed", "a", "b")}{joint("bc", "fixed", "b", "c")}"""
    assets = native(tmp_path, model("m", text))
    assert pose_of(assets, "b").pos == pytest.approx((11, 1, 0))
    # f is 1 along b's y axis, which is -x of the model; c is 1 above it.
    assert pose_of(assets, "c").pos == pytest.approx((10, 1, 1))


def test_a_joint_with_a_pose_of_its_own_turns_about_that_place(tmp_path: Path) -> None:
    axis = (
        '<xyz expressed_in="__model__">0 0 1</xyz><limit><lower>-1</lower><upper>1</upper></limit>'
    )
    text = link("a") + link("b", "1 0 0 1.5707963267948966 0 0")
    text += joint("j", "revolute", "a", "b", axis, "<pose>0 0 -0.5 0 0 0</pose>")
    (asset,) = native(tmp_path, model("m", text))
    assert [item.name for item in asset.links] == ["a", "j/link", "b"]
    # The child's z axis is the model's -y axis.
    assert world_poses(asset)[1].pos == pytest.approx((1, 0.5, 0))
    assert world_poses(asset)[2].pos == pytest.approx((1, 0, 0))
    assert asset.links[1].joint.axis == pytest.approx((0, 1, 0))
    assert asset.links[2].joint.type is JointType.FIXED


def test_a_universal_joint_becomes_two_hinges(tmp_path: Path) -> None:
    axes = "<axis2><xyz>0 1 0</xyz></axis2>"
    text = link("a") + link("b", "0 0 1 0 0 0")
    text += joint("j", "universal", "a", "b", "<xyz>1 0 0</xyz>", axes)
    (asset,) = native(tmp_path, model("m", text))
    assert [item.joint.name for item in asset.links] == ["", "j", "j/axis2"]
    assert [item.joint.axis for item in asset.links[1:]] == [(1, 0, 0), (0, 1, 0)]
    assert world_poses(asset)[2].pos == pytest.approx((0, 0, 1))


def test_a_model_fixed_to_the_world_has_a_fixed_base(tmp_path: Path) -> None:
    text = link("a") + link("b") + joint("g", "fixed", "world", "a") + joint("f", "fixed", "a", "b")
    (asset,) = native(tmp_path, model("m", text))
    assert asset.fixed_base is True
    assert [item.name for item in asset.links] == ["a", "b"]


def test_a_model_that_slides_in_the_world_gets_a_fixed_root(tmp_path: Path) -> None:
    text = link("a", "0 0 2 0 0 0") + joint("s", "prismatic", "world", "a", "<xyz>1 0 0</xyz>")
    (asset,) = native(tmp_path, model("m", text))
    assert [item.name for item in asset.links] == ["a/root", "a"]
    assert asset.links[1].joint.type is JointType.PRISMATIC
    assert asset.links[1].joint.lower > asset.links[1].joint.upper  # unlimited
    assert world_poses(asset)[1].pos == pytest.approx((0, 0, 2))


def test_nested_models_join_the_model_around_them(tmp_path: Path) -> None:
    inner = f'<model name="hand"><pose>0 0 1 0 0 0</pose>{link("palm", "1 0 0 0 0 0")}</model>'
    text = link("arm") + inner + joint("wrist", "revolute", "arm", "hand::palm", LIMIT)
    (asset,) = native(tmp_path, model("m", text))
    assert [item.name for item in asset.links] == ["arm", "hand::palm"]
    assert pose_of([asset], "hand::palm").pos == pytest.approx((1, 0, 1))


def test_unconnected_links_are_assets_of_their_own(tmp_path: Path) -> None:
    assets = native(tmp_path, model("m", link("a") + link("b", "0 0 5 0 0 0")))
    assert [asset.name for asset in assets] == ["m", "m::b"]
    assert assets[1].pose.pos == (0, 0, 5)


def test_unconnected_links_crash_pybullet_and_are_an_error_with_its_rules(tmp_path: Path) -> None:
    with pytest.raises(AssetError, match="2 root links"):
        load_text(tmp_path, f"<sdf>{model('m', link('a') + link('b'))}</sdf>")


def test_included_models_take_name_and_pose_of_the_inclusion(tmp_path: Path) -> None:
    folder = tmp_path / "cup"
    folder.mkdir()
    (folder / "model.config").write_text("<model><sdf version='1.9'>cup.sdf</sdf></model>")
    (folder / "cup.sdf").write_text(
        f"<sdf>{model('cup', '<pose>9 9 9 0 0 0</pose>' + link('l'))}</sdf>"
    )
    include = "<include><uri>model://cup</uri>{}</include>"
    named = include.format("<name>mug</name><pose>0 0 1 0 0 0</pose><static>true</static>")
    cup, mug = native(tmp_path, f'<world name="w">{include.format("")}{named}</world>')
    assert (cup.name, cup.pose.pos, cup.static) == ("cup", (9, 9, 9), False)
    assert (mug.name, mug.pose.pos, mug.static) == ("mug", (0, 0, 1), True)


def test_friction_of_a_surface_reaches_the_link(tmp_path: Path) -> None:
    surface = "<surface><friction><ode><mu>0.33</mu></ode></friction></surface>"
    shape = "<geometry><ellipsoid><radii>1 2 3</radii></ellipsoid></geometry>"
    collision = f'<collision name="c">{shape}{surface}</collision>'
    (asset,) = native(tmp_path, model("m", link("a", more=collision)))
    assert asset.links[0].contact.lateral_friction == 0.33
    assert asset.links[0].collisions[0].kind is ShapeKind.ELLIPSOID


@pytest.mark.parametrize(
    ("inner", "part"),
    [
        ("", "no <model>"),
        ("<model/>", "name"),
        (model("m", ""), "no <link>"),
        (model("m", link("a") + link("a")), "twice"),
        (model("m", link("a") + joint("j", "fixed", "a", "b")), "b"),
        (model("m", link("a") + link("b") + joint("j", "screw", "a", "b")), "screw"),
        (model("m", '<link name="a"><collision/></link>'), "geometry"),
        (model("m", link("a", "nan 0 0 0 0 0")), "nan"),
        (
            model(
                "m",
                link("a")
                + link("b")
                + joint("j", "fixed", "a", "b")
                + joint("k", "fixed", "b", "a"),
            ),
            "root|parent",
        ),
    ],
)
@pytest.mark.parametrize("numbering", [True, False], ids=["pybullet", "sdformat"])
def test_a_broken_file_is_an_error_that_says_what_is_wrong(
    tmp_path: Path, inner: str, part: str, numbering: bool
) -> None:
    with pytest.raises(AssetError, match=part):
        load_text(tmp_path, f"<sdf>{inner}</sdf>", pybullet_numbering=numbering)


@pytest.mark.parametrize(
    ("inner", "part"),
    [
        (model("m", link("a") + '<frame name="f" attached_to="g"/>'), "'g' does not exist"),
        (
            model(
                "m",
                link("a") + '<frame name="f" attached_to="g"/><frame name="g" attached_to="f"/>',
            ),
            "relative to itself",
        ),
        ("<include><uri>model://none</uri></include>", "not found"),
        ("<include><uri>a.sdf</uri></include>", "no <model>|deeper"),
        ("<include/>", "uri"),
        (model("m", "<include><uri>a.sdf</uri></include>"), "deeper"),
    ],
)
def test_broken_frames_and_endless_includes_are_errors(
    tmp_path: Path, inner: str, part: str
) -> None:
    with pytest.raises(AssetError, match=part):
        native(tmp_path, inner)


def test_a_scale_that_is_not_positive_is_an_error() -> None:
    with pytest.raises(InvalidArgumentError, match="scale"):
        load_sdf(DATA / FILES[0], SearchPath(), scale=0.0)


TOKENS = ["nan", "1e300", "-1", "0", "", "ball", "universal", "revolute", "<pose/>", "</link>"]
TOKENS += ['<link name="a">', "<include><uri>a.sdf</uri></include>", "</model>", "world"]
TOKENS += ['<frame name="f" attached_to="base"/>', ' relative_to="near"', "<model name='q'>"]


@st.composite
def mutated(draw: st.DrawFn, original: str) -> str:
    text = original
    for _ in range(draw(st.integers(1, 5))):
        begin = draw(st.integers(0, len(text)))
        end = min(len(text), begin + draw(st.integers(0, 25)))
        other = draw(st.integers(0, len(text)))
        piece = draw(st.sampled_from([*TOKENS, text[other : other + 60]]))
        text = text[:begin] + piece + text[end:]
    return text


@pytest.mark.parametrize("numbering", [True, False], ids=["pybullet", "sdformat"])
@settings(max_examples=250, deadline=None)
@given(data=st.data())
def test_a_mutated_file_is_read_or_is_an_error(numbering: bool, data: st.DataObject) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "a.sdf"
        path.write_text(data.draw(mutated(ODD)))
        limits = Limits(xml_elements=5000, links=500)
        started = time.perf_counter()
        try:
            assets = load_sdf(path, SearchPath(), limits, pybullet_numbering=numbering)
        except AssetError as error:
            assert "sdf" in error.file
        else:
            for asset in assets:
                assert all(item.parent < index for index, item in enumerate(asset.links))
        assert time.perf_counter() - started < 5
