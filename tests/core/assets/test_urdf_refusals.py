"""Degenerate robots: an error that names file, element and value."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.core.assets.urdf_texts import INERTIAL, LIMIT, joint, link, read, robot
from unibody.core.assets.paths import SearchPath
from unibody.core.assets.urdf import load_urdf
from unibody.errors import AssetError, NotSupportedError

SHAPES = {
    "no geometry": ("<visual/>", "link 'a' <visual> line 1: has no <geometry>"),
    "empty geometry": ("<visual><geometry/></visual>", "<geometry> line 1: has no shape in it"),
    "unknown shape": (
        "<collision><geometry><cone/></geometry></collision>",
        "unknown shape <cone>, expected one of box, sphere",
    ),
    "distance field that is not there": (
        '<collision><geometry><cdf filename="a.cdf"/></geometry></collision>',
        "<cdf> line 1: signed distance field 'a.cdf' not found",
    ),
    "distance field without a file": (
        "<collision><geometry><cdf/></geometry></collision>",
        "<cdf> line 1: has no attribute 'filename'",
    ),
    "no size": (
        "<collision><geometry><box/></geometry></collision>",
        "link 'a' <box> line 1: has no attribute 'size'",
    ),
    "NaN radius": (
        '<collision><geometry><sphere radius="nan"/></geometry></collision>',
        "<sphere> line 1: radius='nan' is not a number",
    ),
    "plane without direction": (
        '<collision><geometry><plane normal="0 0 0"/></geometry></collision>',
        "normal='0 0 0' has no direction",
    ),
    "nameless material": (
        '<visual><geometry><sphere radius="1"/></geometry><material/></visual>',
        "<material> line 1: has no attribute 'name'",
    ),
    "contact without value": (
        "<contact><lateral_friction/></contact>",
        "<lateral_friction> line 1: has no attribute 'value'",
    ),
    "group out of range": (
        '<collision group="1e20"><geometry><sphere radius="1"/></geometry></collision>',
        "group=100000000000000000000 does not fit into 32 bits",
    ),
}


@pytest.mark.parametrize(("content", "message"), SHAPES.values(), ids=SHAPES.keys())
def test_a_bad_shape_or_contact_is_named_with_its_link(content: str, message: str) -> None:
    with pytest.raises(AssetError) as caught:
        read(robot(link("a", content)))
    assert message in str(caught.value)


def test_a_signed_distance_field_is_refused_with_what_works(tmp_path: Path) -> None:
    (tmp_path / "hole.cdf").write_bytes(b"grid")
    content = '<collision><geometry><cdf filename="hole.cdf"/></geometry></collision>'
    file = tmp_path / "ground.urdf"
    file.write_text(robot(link("a", content)), encoding="utf-8")
    with pytest.raises(NotSupportedError, match=r"<cdf filename='hole.cdf'> .* use <mesh>"):
        load_urdf(file, search_path=SearchPath())


INERTIALS = {
    "no mass": ('<inertial><inertia ixx="1" iyy="1" izz="1"/></inertial>', "has no <mass>"),
    "no inertia": ('<inertial><mass value="1"/></inertial>', "has no <inertia>"),
    "half an inertia": (
        '<inertial><mass value="1"/><inertia ixx="1" iyy="1"/></inertial>',
        "link 'a' <inertia> line 1: has no attribute 'izz'",
    ),
    "NaN mass": (INERTIAL.replace('"2"', '"NaN"'), "link 'a' <mass> line 1: value='NaN' is not"),
    "infinite mass": (INERTIAL.replace('"2"', '"1e400"'), "value='1e400' is not a number up to"),
    "endless mass": (INERTIAL.replace('"2"', '"' + "1" * 5000 + '"'), "value of 5000 characters"),
}


@pytest.mark.parametrize(("inertial", "message"), INERTIALS.values(), ids=INERTIALS.keys())
def test_a_bad_inertial_is_named_with_its_link(inertial: str, message: str) -> None:
    with pytest.raises(AssetError) as caught:
        read(robot(link("a", inertial=inertial)))
    assert message in str(caught.value)


JOINTS = {
    "no limit": (joint("j", "a", "b", content=""), "has no <limit>, which a revolute joint needs"),
    "NaN limit": (
        joint("j", "a", "b", content='<limit lower="nan"/>'),
        "joint 'j' <limit> line 1: lower='nan' is not a number",
    ),
    "unknown type": (
        joint("j", "a", "b", "hinge"),
        "joint 'j' <joint> line 1: type='hinge' is unknown, expected one of revolute",
    ),
    "axis without direction": (
        joint("j", "a", "b", content=LIMIT + '<axis xyz="0 0 0"/>'),
        "joint 'j' <axis> line 1: xyz='0 0 0' has no direction, which a revolute joint needs",
    ),
    "short axis": (
        joint("j", "a", "b", content=LIMIT + '<axis xyz="0 1"/>'),
        "xyz='0 1' does not have 3 numbers",
    ),
    "empty dynamics": (
        joint("j", "a", "b", content=LIMIT + "<dynamics/>"),
        "has neither damping nor friction",
    ),
    "unknown parent": (joint("j", "x", "b"), "joint 'j' <joint> line 1: parent link 'x' does not"),
    "unknown child": (joint("j", "a", "x"), "child link 'x' does not exist"),
    "empty link name": (joint("j", "a", ""), "<child> line 1: link='' names no link"),
    "itself": (joint("j", "a", "b") + joint("k", "b", "b"), "already is the child of joint 'j'"),
    "loop": (joint("j", "a", "b") + joint("k", "b", "a"), "no root link"),
    "two parents": (
        joint("j", "a", "b") + joint("k", "a", "b"),
        "joint 'k' <joint> line 1: link 'b' already is the child of joint 'j'",
    ),
    "two roots": ("", "2 root links, one is allowed: a, b"),
}


@pytest.mark.parametrize(("joints", "message"), JOINTS.values(), ids=JOINTS.keys())
def test_a_bad_joint_is_named(joints: str, message: str) -> None:
    with pytest.raises(AssetError) as caught:
        read(robot(link("a"), link("b"), joints))
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("<robot/>", "<robot> line 1: has no attribute 'name'"),
        (robot(), "has no <link>"),
        ("<sdf/>", "expected a <robot> element, found <sdf>"),
        (robot(link("a"), link("a")), "the name 'a' is taken by another link"),
        (
            robot(*map(link, "abc"), joint("j", "a", "b"), joint("j", "a", "c")),
            "the name 'j' is taken by another joint",
        ),
        (robot("<deformable/>"), "<deformable> line 1: describes a deformable body"),
    ],
)
def test_a_bad_robot_is_refused(text: str, message: str) -> None:
    with pytest.raises(AssetError) as caught:
        read(text)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    "part",
    [
        '<xacro:macro name="leg"/>',
        "<gazebo><xacro:include filename='a'/></gazebo>",
        link("${prefix}_leg"),
    ],
)
def test_a_xacro_file_is_refused_with_what_to_do(part: str) -> None:
    with pytest.raises(AssetError, match="expand it with xacro first"):
        read(robot(link("a"), part))


def test_an_order_with_a_link_before_the_root_cannot_be_maintained() -> None:
    text = robot(link("b"), link("a"), joint("j", "a", "b"))
    assert read(text).links
    with pytest.raises(AssetError, match="so the link order cannot be maintained"):
        read(text, maintain_link_order=True)
