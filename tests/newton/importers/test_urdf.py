"""URDF files into builders."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import warp as wp

from unibody import newton
from unibody.errors import AssetError, InvalidArgumentError

ARM = """<robot name="arm">
<link name="base"><collision><geometry><box size="0.2 0.4 0.6"/></geometry></collision></link>
<link name="upper">
  <inertial><origin xyz="0 0 0.1" rpy="0 0 1.5707963267948966"/><mass value="2"/>
    <inertia ixx="0.1" iyy="0.2" izz="0.3" ixy="0" ixz="0" iyz="0"/></inertial>
  <visual><geometry><sphere radius="0.1"/></geometry></visual>
  <collision><origin xyz="0 0 0.1"/>
    <geometry><cylinder radius="0.05" length="0.2"/></geometry></collision>
</link>
<link name="hand"><collision><geometry><sphere radius="0.05"/></geometry></collision></link>
<joint name="lift" type="prismatic"><parent link="base"/><child link="upper"/>
  <origin xyz="0 0 0.3"/><axis xyz="0 0 1"/>
  <limit lower="-0.1" upper="0.2" effort="1" velocity="1"/>
  <dynamics damping="0.7" friction="0.1"/></joint>
<joint name="turn" type="revolute"><parent link="upper"/><child link="hand"/>
  <origin xyz="0 0 0.2"/><axis xyz="0 1 0"/><limit lower="-1" upper="1" effort="1" velocity="1"/>
  <mimic joint="lift" multiplier="2" offset="0.5"/></joint>
</robot>"""


def arm(**options: Any) -> newton.ModelBuilder:
    builder = newton.ModelBuilder()
    builder.add_urdf(ARM, **options)
    return builder


def test_links_joints_and_shapes_of_a_text_are_added() -> None:
    builder = arm()
    assert builder.body_key == ["arm/base", "arm/upper", "arm/hand"]
    assert builder.joint_key == ["arm/fixed_base", "arm/lift", "arm/turn"]
    assert [int(t) for t in builder.joint_type] == [3, 0, 1]
    assert builder.articulation_key == ["arm"]
    assert builder.joint_limit_lower == [-0.1, -1.0]
    assert builder.joint_target_kd[0] == 0.7
    assert builder.joint_friction[0] == 0.1
    assert builder.constraint_mimic_coef0 == [0.5]
    assert builder.constraint_mimic_coef1 == [2.0]


def test_an_inertia_is_turned_to_the_frame_of_its_link() -> None:
    builder = arm()
    inertia = np.array(builder.body_inertia[1]).reshape(3, 3)
    # a quarter turn about z exchanges x and y
    np.testing.assert_allclose(inertia, np.diag([0.2, 0.1, 0.3]), atol=1e-7)
    assert tuple(builder.body_com[1]) == pytest.approx((0.0, 0.0, 0.1))
    assert arm(ignore_inertial_definitions=True).body_mass[1] == pytest.approx(
        1000.0 * np.pi * 0.05**2 * 0.2
    )


def test_a_scale_is_that_of_lengths_and_of_inertias_by_its_square() -> None:
    builder = arm(scale=2.0)
    assert builder.shape_scale[0] == (0.2, 0.4, 0.6)
    assert builder.joint_limit_upper[0] == pytest.approx(0.4)
    assert float(builder.body_inertia[1][2, 2]) == pytest.approx(1.2)
    assert tuple(builder.joint_X_p[1])[:3] == pytest.approx((0.0, 0.0, 0.6))


def test_a_root_is_fixed_free_or_on_a_joint_of_the_scripts_choice() -> None:
    place = wp.transform(wp.vec3(1.0, 2.0, 3.0), wp.quat_identity())
    free = arm(floating=True, xform=place)
    assert int(free.joint_type[0]) == newton.JointType.FREE
    assert free.joint_q[:3] == [1.0, 2.0, 3.0]
    axis = newton.ModelBuilder.JointDofConfig(axis=(1, 0, 0))
    railed = arm(base_joint={"joint_type": newton.JointType.PRISMATIC, "linear_axes": [axis]})
    assert int(railed.joint_type[0]) == newton.JointType.PRISMATIC
    with pytest.raises(InvalidArgumentError, match="Cannot specify both"):
        arm(floating=True, base_joint={"joint_type": newton.JointType.BALL})
    with pytest.raises(InvalidArgumentError, match="not part of any articulation"):
        builder = newton.ModelBuilder()
        builder.add_urdf(ARM, parent_body=builder.add_link())


def test_a_file_on_a_body_joins_its_articulation() -> None:
    builder = arm()
    builder.add_urdf(ARM.replace('name="arm"', 'name="tool"'), parent_body=2)
    assert builder.articulation_count == 1
    assert set(builder.joint_articulation) == {0}
    builder.finalize()


def test_other_axes_point_up_than_the_builders() -> None:
    builder = arm(up_axis="Y")
    up = wp.quat_rotate(wp.transform_get_rotation(builder.body_q[0]), wp.vec3(0.0, 1.0, 0.0))
    assert tuple(up) == pytest.approx((0.0, 0.0, 1.0), abs=1e-6)


def test_shapes_that_are_only_seen_do_not_collide() -> None:
    flags = [int(f) for f in arm().shape_flags]
    shown, collides = newton.ShapeFlags.VISIBLE, newton.ShapeFlags.COLLIDE_SHAPES
    assert [bool(f & collides) for f in flags] == [True, False, True, True]
    assert [bool(f & shown) for f in flags] == [True, True, False, True]
    assert len(arm(parse_visuals_as_colliders=True).shape_flags) == 1


def test_without_self_collisions_no_two_shapes_of_a_file_collide() -> None:
    model = arm(enable_self_collisions=False).finalize()
    assert model.shape_contact_pair_count == 0


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(AssetError, match=r"none\.urdf"):
        newton.ModelBuilder().add_urdf(str(tmp_path / "none.urdf"))


def test_cylinders_and_capsules_lie_along_the_up_axis_of_the_file() -> None:
    text = ARM.replace(
        '<cylinder radius="0.05" length="0.2"/>', '<capsule radius="0.05" height="0.2"/>'
    )
    builder = newton.ModelBuilder()
    builder.add_urdf(text, up_axis="Y")
    pose = next(
        pose
        for kind, pose in zip(builder.shape_type, builder.shape_transform, strict=True)
        if kind == newton.GeoType.CAPSULE
    )
    along = wp.quat_rotate(wp.transform_get_rotation(pose), wp.vec3(0.0, 0.0, 1.0))
    assert tuple(along) == pytest.approx((0.0, 1.0, 0.0), abs=1e-6)


def test_a_file_whose_root_is_not_first_is_read_in_any_order() -> None:
    lines = ARM.splitlines()
    base = lines.pop(1)
    lines.insert(-1, base)
    builder = newton.ModelBuilder()
    builder.add_urdf("\n".join(lines), joint_ordering=None, bodies_follow_joint_ordering=False)
    assert set(builder.body_key) == {"arm/base", "arm/upper", "arm/hand"}


TREE = """<robot name="t">
<link name="twig"/><link name="root"/><link name="left"/><link name="right"/>
<joint name="to_right" type="revolute"><parent link="root"/><child link="right"/>
 <limit lower="-1" upper="1"/></joint>
<joint name="to_twig" type="revolute"><parent link="right"/><child link="twig"/>
 <limit lower="-1" upper="1"/></joint>
<joint name="to_left" type="revolute"><parent link="root"/><child link="left"/>
 <limit lower="-1" upper="1"/></joint></robot>"""


@pytest.mark.parametrize(
    ("ordering", "joints"),
    [
        ("dfs", ["to_right", "to_twig", "to_left"]),
        ("bfs", ["to_right", "to_left", "to_twig"]),
        (None, ["to_right", "to_twig", "to_left"]),
    ],
)
def test_joints_and_bodies_are_in_the_order_that_is_asked_for(
    ordering: str | None, joints: list[str]
) -> None:
    bodies = {"to_right": "right", "to_twig": "twig", "to_left": "left"}
    for follow in (True, False):
        builder = newton.ModelBuilder()
        builder.add_urdf(TREE, joint_ordering=ordering, bodies_follow_joint_ordering=follow)
        assert [key[2:] for key in builder.joint_key] == ["fixed_base", *joints]
        expected = ["root", *(bodies[name] for name in joints)]
        assert [key[2:] for key in builder.body_key] == (
            expected if follow else ["twig", "root", "left", "right"]
        )
        assert builder.finalize(device="cpu").joint_count == 4


def test_damping_of_joints_is_that_of_drives_or_acts_by_itself() -> None:
    text = TREE.replace("<limit", '<dynamics damping="0.7"/><limit')
    for mode, name in (("drive", "joint_target_kd"), ("passive", "joint_damping")):
        builder = newton.ModelBuilder()
        builder.add_urdf(text, joint_damping_mode=mode)
        assert getattr(builder, name) == pytest.approx([0.7] * 3)
    builder = newton.ModelBuilder()
    with pytest.raises(ValueError, match="joint_damping_mode"):
        builder.add_urdf(text, joint_damping_mode="none")
    assert builder.body_count == 0


def test_shapes_have_the_color_and_opacity_of_their_material() -> None:
    builder = newton.ModelBuilder()
    builder.add_urdf(
        '<robot name="c"><link name="a"><visual><geometry><sphere radius="1"/></geometry>'
        '<material name="m"><color rgba="0.1 0.2 0.8 0.5"/></material></visual></link></robot>'
    )
    assert builder.shape_color == [pytest.approx((0.1, 0.2, 0.8))]
    assert builder.shape_opacity == [0.5]


def test_a_joint_that_its_damping_would_drive_is_refused_by_name(tmp_path: Path) -> None:
    file = tmp_path / "arm.urdf"
    file.write_text(ARM.replace('damping="0.7"', 'damping="-0.7"'))
    builder = newton.ModelBuilder()
    with pytest.raises(AssetError, match=r"arm\.urdf: joint 'lift': damping=-0\.7, 0 or more"):
        builder.add_urdf(str(file))
    assert builder.body_count == 0
