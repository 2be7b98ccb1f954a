"""Files become assets by Isaac Gym's rules of order, names, masses and shapes."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.isaacgym.asset_files import BOX, joint, link, load_mjcf, load_urdf, options
from unibody.errors import AssetError, InvalidArgumentError, NotSupportedError
from unibody.isaacgym import gymapi
from unibody.isaacgym.errors import ArgumentTypeError
from unibody.isaacgym.models.loading import load_model

LARGEST = float(np.finfo(np.float32).max)


def test_children_of_a_urdf_link_are_in_alphabetical_order_of_their_joints(tmp_path: Path) -> None:
    model = load_urdf(
        tmp_path,
        *(link(name) for name in ("base", "hip", "knee", "arm", "hand")),
        joint("z_hip", "base", "hip"),
        joint("a_arm", "base", "arm"),
        joint("knee", "hip", "knee"),
        joint("hand", "arm", "hand"),
    )
    assert model.body_names == ["base", "arm", "hand", "hip", "knee"]
    assert [dof.name for dof in model.dofs] == ["a_arm", "hand", "z_hip", "knee"]
    assert [joint.link for joint in model.joints] == [1, 2, 3, 4]


def test_children_of_an_mjcf_body_are_in_file_order(tmp_path: Path) -> None:
    leg = '<body name="{0}"><joint name="{0}" axis="0 1 0"/><geom size="1"/></body>'
    inside = leg.format("z") + leg.format("a")
    model = load_mjcf(tmp_path, f'<body name="base"><freejoint/><geom size="1"/>{inside}</body>')
    assert model.body_names == ["base", "z", "a"]
    assert [dof.name for dof in model.dofs] == ["z", "a"]
    assert not model.fixed


def test_collapsing_merges_fixed_links_in_alphabetical_order_of_what_moves(tmp_path: Path) -> None:
    model = load_urdf(
        tmp_path,
        *(link(name) for name in ("base", "mount", "sensor", "left", "right")),
        joint("a_mount", "base", "mount", "fixed", '<origin xyz="0 0 1"/>'),
        joint("z_left", "mount", "left", inside='<origin xyz="0 2 0"/>'),
        joint("right", "base", "right"),
        joint("sensor", "left", "sensor", "fixed"),
        collapse_fixed_joints=True,
    )
    assert model.body_names == ["base", "right", "left"]
    assert model.tree.links[2].joint.origin.pos == pytest.approx((0.0, 2.0, 1.0))
    assert [link.inertial.mass for link in model.tree.links] == [2.0, 1.0, 2.0]


def test_a_joint_marked_dont_collapse_keeps_its_link(tmp_path: Path) -> None:
    kept = joint("foot", "base", "foot", "fixed").replace(
        'type="fixed"', 'type="fixed" dont_collapse="true"'
    )
    model = load_urdf(tmp_path, link("base"), link("foot"), kept, collapse_fixed_joints=True)
    assert model.body_names == ["base", "foot"]


def test_collapsing_composes_inertias_about_the_common_mass_centre(tmp_path: Path) -> None:
    turned = '<origin xyz="2 0 0" rpy="0 0 1.5707963267948966"/>'
    child = (
        '<link name="child"><inertial><mass value="3"/>'
        '<inertia ixx="1" iyy="2" izz="3"/></inertial></link>'
    )
    model = load_urdf(
        tmp_path, link("base"), child, joint("j", "base", "child", "fixed", turned),
        collapse_fixed_joints=True,
    )  # fmt: skip
    inertial = model.tree.links[0].inertial
    assert inertial.mass == pytest.approx(4.0)
    assert inertial.pose.pos == pytest.approx((1.5, 0.0, 0.0))
    # 1 kg at 1.5 m and 3 kg at 0.5 m; a quarter turn exchanges the child's x and y.
    apart = 1.0 * 1.5**2 + 3.0 * 0.5**2
    expected = (1.0 + 2.0, 1.0 + 1.0 + apart, 1.0 + 3.0 + apart, 0.0, 0.0, 0.0)
    assert inertial.inertia == pytest.approx(expected, abs=1e-12)


def test_welded_bodies_of_an_mjcf_file_stay_bodies(tmp_path: Path) -> None:
    # Scripts count on it: with the option, the palm of a ShadowHand is its fourth body.
    tip = '<body name="tip"><joint name="hinge"/><geom size=".1"/></body>'
    body = f'<body name="base"><geom size="1"/><body name="arm"><geom size="1"/>{tip}</body></body>'
    model = load_mjcf(tmp_path, body, collapse_fixed_joints=True)
    assert model.body_names == ["base", "arm", "tip"]


def test_a_body_with_three_hinges_is_one_rigid_body_with_three_dofs(tmp_path: Path) -> None:
    hinges = "".join(f'<joint name="{a}" axis="{v}"/>' for a, v in
                     (("x", "1 0 0"), ("y", "0 1 0"), ("z", "0 0 1")))  # fmt: skip
    arm = f'<body name="arm" pos="0 0 1">{hinges}<geom size="1"/></body>'
    model = load_mjcf(tmp_path, f'<body name="base"><freejoint/><geom size="1"/>{arm}</body>')
    assert model.body_names == ["base", "arm"]
    assert [dof.name for dof in model.dofs] == ["x", "y", "z"]
    assert [joint.name for joint in model.joints] == ["x", "y", "z"]
    assert len(model.tree.links) == 2  # a ball joint in the engine
    assert model.body_links == [0, 1]


def test_a_file_of_one_empty_link_is_a_body_of_one_kilogram(tmp_path: Path) -> None:
    (tmp_path / "one.urdf").write_text('<robot name="r"><link name="only"/></robot>')
    model = load_model(str(tmp_path), "one.urdf", None)
    assert model.body_names == ["only"]
    assert model.tree.links[0].inertial.mass == 1.0


def test_a_hinge_off_the_origin_of_its_body_needs_no_further_link(tmp_path: Path) -> None:
    arm = '<body name="arm" pos="1 0 0"><joint name="j" pos="0 0 .5"/><geom size="1"/></body>'
    model = load_mjcf(tmp_path, f'<body name="base"><geom size="1"/>{arm}</body>')
    assert len(model.tree.links) == 2
    assert model.tree.links[1].joint.anchor == pytest.approx((0.0, 0.0, 0.5))
    assert model.tree.links[1].joint.origin.pos == pytest.approx((1.0, 0.0, 0.0))


def test_a_ball_joint_has_three_dofs_of_one_joint(tmp_path: Path) -> None:
    arm = '<body name="arm"><joint name="ball" type="ball"/><geom size="1"/></body>'
    model = load_mjcf(tmp_path, f'<body name="base"><freejoint/><geom size="1"/>{arm}</body>')
    assert [joint.type for joint in model.joints] == [gymapi.JOINT_BALL]
    assert [dof.name for dof in model.dofs] == ["ball_x", "ball_y", "ball_z"]
    assert [dof.joint for dof in model.dofs] == [0, 0, 0]
    assert model.body_names == ["base", "arm"]


def test_a_planar_joint_slides_twice_and_turns_about_its_axis(tmp_path: Path) -> None:
    plane = joint("p", "base", "puck", "planar", '<axis xyz="1 0 0"/>')
    model = load_urdf(tmp_path, link("base"), link("puck"), plane)
    kinds = [dof.type for dof in model.dofs]
    assert kinds == [gymapi.DOF_TRANSLATION, gymapi.DOF_TRANSLATION, gymapi.DOF_ROTATION]
    axes = np.array([model.tree.links[dof.link].joint.axis for dof in model.dofs])
    np.testing.assert_allclose(axes[2], (1.0, 0.0, 0.0), atol=1e-12)
    np.testing.assert_allclose(axes @ axes.T, np.eye(3), atol=1e-12)


@pytest.mark.parametrize("fixed", [False, True])
def test_a_urdf_base_floats_unless_it_is_fixed(tmp_path: Path, fixed: bool) -> None:
    assert load_urdf(tmp_path, link("base"), fix_base_link=fixed).fixed is fixed


@pytest.mark.parametrize("fixed", [False, True])
def test_an_mjcf_base_without_joints_floats_unless_it_is_fixed(tmp_path: Path, fixed: bool) -> None:
    body = '<body name="base" pos="1 2 3"><geom size="1"/></body>'
    model = load_mjcf(tmp_path, body, fix_base_link=fixed)
    assert model.fixed is fixed
    assert model.tree.pose.pos == (0.0, 0.0, 0.0)


def test_an_mjcf_base_with_joints_of_its_own_hangs_on_the_world(tmp_path: Path) -> None:
    pole = '<body name="pole"><joint name="hinge" axis="0 1 0"/><geom size=".1"/></body>'
    cart = f'<body name="cart"><joint name="slide" type="slide"/><geom size=".1"/>{pole}</body>'
    model = load_mjcf(tmp_path, cart)
    assert model.fixed
    assert [dof.name for dof in model.dofs] == ["slide", "hinge"]
    assert model.body_names[1:] == ["cart", "pole"]


def test_an_actor_of_an_mjcf_file_is_turned_as_its_base_and_not_moved(tmp_path: Path) -> None:
    load_mjcf(tmp_path, '<body pos="1 2 3" euler="90 0 180"><geom size=".1"/></body>')
    gym = gymapi.acquire_gym()
    sim = gym.create_sim(params=gymapi.SimParams())
    asset = gym.load_asset(sim, str(tmp_path), "robot.xml", gymapi.AssetOptions())
    env = gym.create_env(sim, gymapi.Vec3(), gymapi.Vec3(), 1)
    about_z = gymapi.Quat.from_axis_angle(gymapi.Vec3(0, 0, 1), math.pi)
    start = gymapi.Transform(gymapi.Vec3(0, 0, 5), about_z)
    actor = gym.create_actor(env, asset, start, "a", 0, 0)
    pose = gym.get_actor_rigid_body_states(env, actor, gymapi.STATE_POS)["pose"][0]
    gym.destroy_sim(sim)
    assert list(pose["p"].tolist()) == pytest.approx([0.0, 0.0, 5.0])
    turned = gymapi.Quat(*pose["r"].tolist()).rotate(gymapi.Vec3(0, 0, 1))
    assert (turned.x, turned.y, turned.z) == pytest.approx((0.0, 1.0, 0.0), abs=1e-6)
    assert abs(pose["r"]["x"]) == pytest.approx(math.sqrt(0.5))


def test_an_mjcf_base_with_a_locked_joint_floats(tmp_path: Path) -> None:
    locked = '<joint name="root" type="hinge" limited="true" range="0 0"/>'
    rotor = '<body name="rotor"><joint name="roll" axis="0 0 1"/><geom size=".1"/></body>'
    model = load_mjcf(tmp_path, f'<body name="base">{locked}<geom size=".1"/>{rotor}</body>')
    assert not model.fixed
    assert model.body_names == ["base", "rotor"]
    assert [dof.name for dof in model.dofs] == ["roll"]


def test_a_joint_name_may_occur_twice_in_an_mjcf_file(tmp_path: Path) -> None:
    rotor = '<body name="{}"><joint name="roll" axis="0 0 1"/><geom size=".1"/></body>'
    rotors = rotor.format("upper") + rotor.format("lower")
    model = load_mjcf(tmp_path, f'<body name="base"><geom size=".1"/>{rotors}</body>')
    assert [dof.name for dof in model.dofs] == ["roll", "roll_1"]


def test_the_floor_of_an_mjcf_file_is_no_part_of_the_asset(tmp_path: Path) -> None:
    floor = '<geom type="plane" size="1 1 1"/>'
    model = load_mjcf(tmp_path, f'{floor}<body name="base"><geom size="1"/></body>')
    assert model.body_names == ["base"]
    assert len(model.shapes) == 1


def test_what_an_mjcf_file_says_of_joints_and_bodies_it_does_not_have_is_left_out(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """As in the pen of the Shadow hand, whose file includes the tendons of the hand."""
    body = '<body name="pen"><joint name="spin"/><geom size="1"/></body>'
    outside = """<contact><exclude body1="pen" body2="palm"/></contact>
      <tendon><fixed name="finger"><joint joint="FFJ0" coef="1"/></fixed></tendon>
      <actuator>
        <position name="bend" joint="FFJ0"/><motor name="turn" joint="spin"/>
      </actuator>"""
    model = load_mjcf(tmp_path, body, outside)
    assert [dof.name for dof in model.dofs] == ["spin"]
    assert not model.tendons
    for name in ("<exclude> refers to palm", "'finger' refers to FFJ0", "'bend' refers to FFJ0"):
        assert name in caplog.text
    assert "turn" not in caplog.text


def test_a_second_body_of_an_mjcf_file_is_left_out_with_a_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    body = '<body name="{}"><geom size="1"/></body>'
    model = load_mjcf(tmp_path, body.format("one") + body.format("two"))
    assert model.body_names == ["one"]
    assert "'two' are left out" in capsys.readouterr().err


def test_of_several_bodies_the_first_that_moves_is_the_asset(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    scenery = '<body name="table"><geom size="1"/></body>'
    robot = '<body name="robot"><freejoint/><geom size="1"/></body>'
    assert load_mjcf(tmp_path, scenery + robot).body_names == ["robot"]
    assert "'table' are left out" in capsys.readouterr().err


def test_limits_of_a_urdf_joint_are_those_of_the_file(tmp_path: Path) -> None:
    inside = '<dynamics damping="5" friction="6"/>'
    model = load_urdf(tmp_path, link("a"), link("b"), joint("j", "a", "b", inside=inside))
    (record,) = model.dof_properties.tolist()
    assert record == (True, -1.0, 2.0, 0, 4.0, 3.0, 0.0, 5.0, 6.0, 0.0)


@pytest.mark.parametrize(
    ("kind", "inside"),
    [
        ("continuous", ""),
        ("continuous", '<limit effort="0"/>'),
        ("prismatic", '<limit effort="0"/>'),
    ],
)
def test_what_a_file_does_not_limit_is_limited_at_the_largest_float(
    tmp_path: Path, kind: str, inside: str
) -> None:
    model = load_urdf(tmp_path, link("a"), link("b"), joint("j", "a", "b", kind, inside))
    (record,) = model.dof_properties
    assert not record["hasLimits"]
    assert (record["lower"], record["upper"]) == (-LARGEST, LARGEST)
    assert record["velocity"] == LARGEST
    assert record["effort"] == (0.0 if inside else LARGEST)
    engine = model.tree.links[1].joint
    assert engine.lower > engine.upper


def test_limits_in_the_wrong_order_are_told_as_they_are_and_simulated_in_order(
    tmp_path: Path,
) -> None:
    inside = '<limit lower="1" upper="-1" effort="1" velocity="1"/>'
    model = load_urdf(tmp_path, link("a"), link("b"), joint("j", "a", "b", inside=inside))
    record = model.dof_properties[0]
    assert (record["lower"], record["upper"]) == (1.0, -1.0)
    engine = model.tree.links[1].joint
    assert (engine.lower, engine.upper) == (-1.0, 1.0)


def test_the_drives_of_an_asset_are_in_its_properties_and_not_in_its_tree(tmp_path: Path) -> None:
    hinge = (
        '<joint name="j" damping="2" stiffness="3" armature="4" frictionloss="5" springref="6"/>'
    )
    arm = f'<body name="arm">{hinge}<geom size="1"/></body>'
    model = load_mjcf(tmp_path, f'<body name="base"><geom size="1"/>{arm}</body>')
    record = model.dof_properties[0]
    values = [record[name] for name in ("damping", "stiffness", "armature", "friction")]
    assert values == [2.0, 3.0, 4.0, 5.0]
    engine = model.tree.links[1].joint
    assert engine.damping == engine.stiffness == engine.armature == engine.friction == 0.0
    assert engine.spring_reference == engine.effort == engine.velocity == 0.0


ACTUATORS = [
    ('<motor gear="7" joint="j"/>', gymapi.DOF_MODE_EFFORT, 3.0, 2.0, LARGEST),
    ('<position kp="9" joint="j"/>', gymapi.DOF_MODE_POS, 9.0, 2.0, LARGEST),
    ('<position kp="9" kv="8" joint="j"/>', gymapi.DOF_MODE_POS, 9.0, 8.0, LARGEST),
    ('<position kp="9" forcerange="-5 4" joint="j"/>', gymapi.DOF_MODE_POS, 9.0, 2.0, 5.0),
    ('<velocity kv="8" joint="j"/>', gymapi.DOF_MODE_VEL, 3.0, 8.0, LARGEST),
]


@pytest.mark.parametrize(("actuator", "mode", "stiffness", "damping", "effort"), ACTUATORS)
def test_an_actuator_of_an_mjcf_file_sets_mode_and_gains_of_its_dof(
    tmp_path: Path, actuator: str, mode: Any, stiffness: float, damping: float, effort: float
) -> None:
    arm = '<body name="arm"><joint name="j" damping="2" stiffness="3"/><geom size="1"/></body>'
    outside = f"<actuator>{actuator}</actuator>"
    model = load_mjcf(tmp_path, f'<body name="base"><geom size="1"/>{arm}</body>', outside)
    record = model.dof_properties[0]
    assert record["driveMode"] == mode
    assert (record["stiffness"], record["damping"]) == (stiffness, damping)
    assert record["effort"] == pytest.approx(effort)


def test_other_dofs_have_the_default_mode(tmp_path: Path) -> None:
    parts = link("a"), link("b"), joint("j", "a", "b")
    model = load_urdf(tmp_path, *parts, default_dof_drive_mode=gymapi.DOF_MODE_VEL)
    assert model.dof_properties["driveMode"].tolist() == [gymapi.DOF_MODE_VEL]


@pytest.mark.parametrize(
    ("motor", "effort"),
    [
        ('gear="15" ctrllimited="true" ctrlrange="-1 1"', 15.0),
        ('gear="15" ctrllimited="true" ctrlrange="-.4 .2"', 6.0),
        ('gear="15"', 15.0),
    ],
)
def test_the_effort_of_a_motor_is_gear_times_control_range(
    tmp_path: Path, motor: str, effort: float
) -> None:
    arm = '<body name="arm"><joint name="j"/><geom size="1"/></body>'
    outside = f'<actuator><motor name="m" joint="j" {motor}/></actuator>'
    model = load_mjcf(tmp_path, f'<body name="base"><geom size="1"/>{arm}</body>', outside)
    (actuator,) = model.actuators
    assert (actuator.name, actuator.joint) == ("m", "j")
    assert actuator.properties.motor_effort == pytest.approx(effort)
    assert actuator.properties.control_limited is ("ctrlrange" in motor)


def test_a_fixed_tendon_keeps_joints_coefficients_and_limits(tmp_path: Path) -> None:
    arm = '<body name="arm"><joint name="j"/><joint name="k" axis="1 0 0"/><geom size="1"/></body>'
    outside = (
        '<tendon><fixed name="t" limited="true" range="-1 2" stiffness="3" damping="4">'
        '<joint joint="j" coef="0.5"/><joint joint="k" coef="-2"/></fixed></tendon>'
    )
    base = f'<body name="base"><geom size="1"/>{arm}</body>'
    model = load_mjcf(tmp_path, base, outside, tendon_limit_stiffness=7.0)
    (tendon,) = model.tendons
    assert (tendon.name, tendon.joints, tendon.coefficients) == ("t", ["j", "k"], [0.5, -2.0])
    properties = tendon.properties
    assert properties.is_fixed_limited
    assert (properties.fixed_lower_limit, properties.fixed_upper_limit) == (-1.0, 2.0)
    assert (properties.stiffness, properties.damping) == (3.0, 4.0)
    assert (properties.limit_stiffness, properties.num_joints) == (7.0, 2)


def test_armature_goes_to_joints_where_the_file_has_none(tmp_path: Path) -> None:
    parts = link("a"), link("b"), joint("j", "a", "b")
    model = load_urdf(tmp_path, *parts, armature=0.5)
    assert model.dof_properties["armature"].tolist() == [0.5]
    assert model.tree.links[1].inertial.inertia[:3] == (1.0, 1.0, 1.0)


def test_armature_goes_to_inertias_where_the_joints_are_not_to_have_it(tmp_path: Path) -> None:
    parts = link("a"), link("b"), joint("j", "a", "b")
    model = load_urdf(tmp_path, *parts, armature=0.5, use_physx_armature=False)
    assert model.dof_properties["armature"].tolist() == [0.0]
    assert model.tree.links[1].inertial.inertia[:3] == pytest.approx((1.5, 1.5, 1.5))


def test_a_mimicking_joint_is_free(tmp_path: Path) -> None:
    follows = joint("k", "a", "c", inside='<mimic joint="j"/>')
    model = load_urdf(tmp_path, *map(link, "abc"), joint("j", "a", "b"), follows)
    assert [link.joint.mimic for link in model.tree.links] == [None] * 3
    assert len(model.dofs) == 2


def test_an_empty_root_with_a_floating_joint_is_left_out(tmp_path: Path) -> None:
    parts = '<link name="world"/>', link("base"), link("arm")
    joints = joint("free", "world", "base", "floating"), joint("j", "base", "arm")
    model = load_urdf(tmp_path, *parts, *joints)
    assert model.body_names == ["base", "arm"]


def test_links_that_no_joint_connects_to_the_first_root_are_left_out_with_a_line(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    parts = link("base"), link("arm"), link("lost"), link("lost_too")
    joints = joint("a", "base", "arm"), joint("b", "lost", "lost_too")
    assert load_urdf(tmp_path, *parts, *joints).body_names == ["base", "arm"]
    assert "['lost', 'lost_too'] are not connected to the root 'base', left out" in caplog.text


def test_a_floating_joint_between_links_is_refused(tmp_path: Path) -> None:
    with pytest.raises(NotSupportedError, match="'free'"):
        load_urdf(tmp_path, link("a"), link("b"), joint("free", "a", "b", "floating"))


def test_shape_properties_start_with_the_friction_of_the_file(tmp_path: Path) -> None:
    geoms = '<geom size="1" friction="0.3 0 0"/><geom size="2" friction="0.6 0 0"/>'
    model = load_mjcf(tmp_path, f'<body name="b">{geoms}</body>', thickness=0.01)
    assert [p.friction for p in model.shape_properties] == pytest.approx([0.3, 0.6])
    assert [p.restitution for p in model.shape_properties] == [0.0, 0.0]
    assert [p.thickness for p in model.shape_properties] == pytest.approx([0.01, 0.01])
    assert [p.filter for p in model.shape_properties] == [0, 0]


def test_shapes_that_an_mjcf_file_keeps_apart_share_a_bit_of_the_filter(tmp_path: Path) -> None:
    geoms = (
        '<geom size="1"/><geom size="1" contype="1" conaffinity="0"/>'
        '<geom size="1" contype="1" conaffinity="0"/><geom size="1" contype="2" conaffinity="2"/>'
    )
    model = load_mjcf(tmp_path, f'<body name="b">{geoms}</body>')
    plain, one, two, other = (p.filter for p in model.shape_properties)
    assert one & two
    assert not plain & one
    assert plain & other
    assert one & other


def test_bodies_that_an_mjcf_file_excludes_share_a_bit_of_the_filter(tmp_path: Path) -> None:
    limb = '<body name="{0}"><joint name="{0}"/><geom size="1"/></body>'
    body = f'<body name="b"><geom size="1"/>{"".join(map(limb.format, "xyz"))}</body>'
    outside = '<contact><exclude body1="x" body2="z"/></contact>'
    model = load_mjcf(tmp_path, body, outside)
    base, x, y, z = (p.filter for p in model.shape_properties)
    assert x & z
    assert base == y == 0


def test_a_friction_that_only_bullet_knows_does_not_count(tmp_path: Path) -> None:
    inside = f'<contact><lateral_friction value="0.1"/></contact>{BOX}'
    model = load_urdf(tmp_path, link("a", inside))
    assert model.shape_properties[0].friction == 1.0
    assert model.tree.links[0].contact.lateral_friction is None


def test_the_options_are_copied(tmp_path: Path) -> None:
    (tmp_path / "r.urdf").write_text(f'<robot name="r">{link("a")}</robot>')
    chosen = options(density=7.0)
    model = load_model(str(tmp_path), "r.urdf", chosen)
    chosen.density = 8.0
    assert model.options.density == 7.0


def test_a_missing_file_is_named_with_its_root(tmp_path: Path) -> None:
    with pytest.raises(AssetError, match=r"nothing\.urdf.*rootpath=.*" + tmp_path.name):
        load_model(str(tmp_path), "nothing.urdf", None)


def test_a_mesh_is_found_below_the_root_by_its_package(tmp_path: Path) -> None:
    (tmp_path / "robots" / "deep").mkdir(parents=True)
    (tmp_path / "pkg").mkdir()
    (tmp_path / "pkg" / "m.obj").write_text(TETRAHEDRON)
    mesh = '<collision><geometry><mesh filename="package://pkg/m.obj"/></geometry></collision>'
    (tmp_path / "robots" / "deep" / "r.urdf").write_text(
        f'<robot name="r">{link("a", mesh)}</robot>'
    )
    model = load_model(str(tmp_path), "robots/deep/r.urdf", None)
    assert len(model.shapes) == 1


def test_a_missing_collision_mesh_is_an_error(tmp_path: Path) -> None:
    mesh = '<collision><geometry><mesh filename="m.obj"/></geometry></collision>'
    with pytest.raises(AssetError, match=r"m\.obj"):
        load_urdf(tmp_path, link("a", mesh))


def test_a_missing_visual_mesh_is_left_out(tmp_path: Path) -> None:
    mesh = '<visual><geometry><mesh filename="m.obj"/></geometry></visual>'
    model = load_urdf(tmp_path, link("a", mesh + BOX))
    assert model.tree.links[0].visuals == []
    assert len(model.shapes) == 1


TETRAHEDRON = """v 0 0 0
v 1 0 0
v 0 1 0
v 0 0 1
f 1 3 2
f 1 2 4
f 1 4 3
f 2 3 4
"""


@pytest.mark.parametrize("name", ["robot", "robot.txt", "robot.sdf"])
def test_an_unknown_suffix_is_refused_with_those_that_are_known(tmp_path: Path, name: str) -> None:
    with pytest.raises(InvalidArgumentError, match=r"\.urdf, \.xml"):
        load_model(str(tmp_path), name, None)


def test_formats_without_a_reader_are_refused_by_name(tmp_path: Path) -> None:
    with pytest.raises(NotSupportedError, match="OpenSim"):
        load_model(str(tmp_path), "robot.osim", None)


@pytest.mark.parametrize(
    ("name", "value"),
    [("default_dof_drive_mode", 4), ("density", -1.0), ("armature", float("nan"))],
)
def test_an_option_without_a_meaning_is_refused(tmp_path: Path, name: str, value: Any) -> None:
    with pytest.raises(InvalidArgumentError, match=f"AssetOptions.{name}"):
        load_urdf(tmp_path, link("a"), **{name: value})


def test_options_of_another_type_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ArgumentTypeError, match="AssetOptions"):
        load_model(str(tmp_path), "r.urdf", {"density": 1.0})


@pytest.mark.parametrize("path", [None, 3, ["a.urdf"]])
def test_a_path_of_another_type_is_refused(tmp_path: Path, path: Any) -> None:
    with pytest.raises(ArgumentTypeError, match="filename"):
        load_model(str(tmp_path), path, None)


def test_a_size_below_zero_is_refused(tmp_path: Path) -> None:
    ball = '<collision><geometry><sphere radius="-1"/></geometry></collision>'
    with pytest.raises(AssetError, match=r"link 'a'.*sphere"):
        load_urdf(tmp_path, link("a", ball))


def test_the_first_of_several_links_or_joints_of_one_name_counts(tmp_path: Path) -> None:
    model = load_urdf(
        tmp_path,
        link("base"),
        link("leg"),
        link("foot", BOX),
        joint("end", "base", "foot"),
        link("foot"),
        joint("knee", "base", "leg"),
        joint("end", "leg", "foot"),
    )
    assert model.body_names == ["base", "foot", "leg"]
    assert [shape.body for shape in model.shapes] == [1]


TET = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nt 0 1 2 3\n"
SOFT = '<fem><origin xyz="0 0 1"/><youngs value="2e4"/><tetmesh filename="ball.tet"/></fem>'


def test_a_tet_file_is_a_soft_body_without_rigid_ones(tmp_path: Path) -> None:
    (tmp_path / "ball.tet").write_text(TET)
    model = load_model(tmp_path, "ball.tet", options(density=300.0))
    assert (model.body_names, model.name, model.fixed) == ([], "ball", True)
    (body,) = model.soft
    assert (body.carrier, body.density, len(body.points)) == ("", 300.0, 4)
    assert sorted(map(sorted, body.faces.tolist())) == [[0, 1, 2], [0, 1, 3], [0, 2, 3], [1, 2, 3]]
    assert body.parents.tolist() == [0, 0, 0, 0]


def test_a_soft_link_is_carried_by_the_rigid_one_it_is_fixed_to(tmp_path: Path) -> None:
    (tmp_path / "ball.tet").write_text(TET)
    hold = joint("hold", "arm", "soft", "fixed", '<origin xyz="2 0 0"/>')
    links = (link("base"), link("arm"), link("soft", SOFT))
    model = load_urdf(tmp_path, *links, joint("turn", "base", "arm"), hold)
    assert model.body_names == ["base", "arm"]
    (body,) = model.soft
    assert (body.name, body.carrier, body.material.youngs) == ("soft", "arm", 2e4)
    assert body.points[0] == pytest.approx((2.0, 0.0, 1.0))


@pytest.mark.parametrize(
    ("kind", "below", "refused"),
    [("revolute", "", "revolute joint above the soft link"), ("fixed", "tip", "a link below the")],
)
def test_soft_links_that_move_or_carry_are_refused_by_name(
    tmp_path: Path, kind: str, below: str, refused: str
) -> None:
    (tmp_path / "ball.tet").write_text(TET)
    parts = [link("base"), link("soft", SOFT), joint("hold", "base", "soft", kind)]
    if below:
        parts += [link(below), joint("last", "soft", below)]
    with pytest.raises(NotSupportedError, match=refused):
        load_urdf(tmp_path, *parts)


@pytest.mark.parametrize(
    ("inside", "named"),
    [
        ('<poissons value="0.5"/>', "poisson is 0.5"),
        ('<youngs value="0"/>', "young is 0"),
        ('<tetmesh filename="none.tet"/>', "no <tetmesh>|not found"),
    ],
)
def test_a_wrong_value_of_a_soft_link_is_named(tmp_path: Path, inside: str, named: str) -> None:
    (tmp_path / "ball.tet").write_text(TET)
    mesh = "" if "tetmesh" in inside else '<tetmesh filename="ball.tet"/>'
    with pytest.raises(AssetError, match=named):
        load_urdf(tmp_path, link("soft", f"<fem>{inside}{mesh}</fem>"))
