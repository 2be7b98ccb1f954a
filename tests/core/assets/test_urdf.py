"""What the URDF reader makes of each element."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from tests.core.assets.urdf_texts import INERTIAL, LIMIT, RICH, joint, link, read, robot
from unibody.core.assets.description import (
    ContactParameters,
    Inertial,
    JointType,
    Mimic,
    Pose,
    ShapeKind,
)
from unibody.core.assets.limits import Limits
from unibody.core.assets.paths import SearchPath
from unibody.core.assets.transforms import quat_from_rpy, quat_rotate
from unibody.core.assets.urdf import UrdfOptions, load_urdf, parse_urdf_text
from unibody.errors import AssetError, InvalidArgumentError

BOX = "<geometry><box size='1 1 1'/></geometry>"


def test_links_come_depth_first_with_children_in_joint_order() -> None:
    asset = read(RICH)
    assert asset.name == "rich"
    assert [entry.name for entry in asset.links] == ["base", "upper", "lower", "tip", "ball"]
    assert [entry.parent for entry in asset.links] == [-1, 0, 1, 2, 0]


def test_the_link_order_of_the_file_can_be_maintained() -> None:
    text = robot(
        *map(link, "abcd"), joint("j", "a", "d"), joint("k", "a", "b"), joint("l", "b", "c")
    )
    assert [entry.name for entry in read(text).links] == ["a", "d", "b", "c"]
    kept = read(text, maintain_link_order=True).links
    assert [(entry.name, entry.parent) for entry in kept] == [
        ("a", -1),
        ("b", 0),
        ("c", 1),
        ("d", 0),
    ]


def test_a_joint_has_its_frame_unit_axis_limits_and_dynamics() -> None:
    shoulder = read(RICH).links[1].joint
    assert shoulder.name == "shoulder"
    assert shoulder.type is JointType.REVOLUTE
    assert shoulder.origin == Pose((0.0, 0.0, 1.0), quat_from_rpy(0.0, 1.57, 0.0))
    assert shoulder.axis == (0.0, 0.0, 1.0)
    assert (shoulder.lower, shoulder.upper) == (-1.5, 1.5)
    assert (shoulder.effort, shoulder.velocity) == (10.0, 3.0)
    assert (shoulder.damping, shoulder.friction) == (0.5, 0.1)


@pytest.mark.parametrize("kind", list(JointType))
def test_every_joint_type_is_read(kind: JointType) -> None:
    asset = read(robot(link("a"), link("b"), joint("j", "a", "b", kind.value)))
    assert asset.links[1].joint.type is kind


def test_a_joint_without_axis_turns_about_x() -> None:
    text = robot(link("a"), link("b"), joint("j", "a", "b", content=LIMIT + "<axis/>"))
    assert read(text).links[1].joint.axis == (1.0, 0.0, 0.0)


def test_a_continuous_joint_without_limit_has_an_empty_range() -> None:
    wheel = read(RICH).links[4].joint
    assert (wheel.lower, wheel.upper, wheel.effort, wheel.velocity) == (0.0, -1.0, 0.0, 0.0)


def test_limits_may_be_infinite() -> None:
    content = '<limit lower="-inf" upper="inf" effort="Infinity"/>'
    shaft = read(robot(link("a"), link("b"), joint("j", "a", "b", content=content))).links[1].joint
    assert (shaft.lower, shaft.upper, shaft.effort) == (-math.inf, math.inf, math.inf)


def test_a_spherical_joint_keeps_its_twist_limit() -> None:
    content = '<limit lower="1" upper="2" twist="0.5" effort="3"/>'
    text = robot(link("a"), link("b"), joint("j", "a", "b", "spherical", content))
    assert read(text).links[1].joint.twist == 0.5


def test_mimic_is_read_and_left_out_where_its_joint_does_not_exist() -> None:
    assert read(RICH).links[2].joint.mimic == Mimic("shoulder", 2.0, 0.1)
    assert (
        read(RICH.replace('mimic joint="shoulder"', 'mimic joint="x"')).links[2].joint.mimic is None
    )


def test_an_inertial_keeps_its_rotated_frame_and_products() -> None:
    inertial = read(RICH).links[0].inertial
    pose = Pose((0.1, 0.2, 0.3), quat_from_rpy(0.1, 0.2, 0.3))
    assert inertial == Inertial(2.5, pose, (0.1, 0.2, 0.25, 0.01, 0.02, 0.03))


def test_a_link_without_inertial_weighs_one_kilogram_as_in_pybullet() -> None:
    expected = Inertial(1.0, Pose(), (1.0, 1.0, 1.0, 0.0, 0.0, 0.0), stated=False)
    assert read(RICH).links[2].inertial == expected


def test_a_link_named_world_without_inertial_fixes_the_base() -> None:
    text = robot(link("world", inertial=""), link("a"), joint("j", "world", "a"))
    asset = read(text)
    assert asset.links[0].inertial.mass == 0.0
    assert asset.fixed_base is True


def test_the_base_is_free_unless_the_file_or_the_caller_says_otherwise() -> None:
    assert read(robot(link("a"))).fixed_base is None
    assert read(robot(link("a")), fixed_base=True).fixed_base is True
    massless = INERTIAL.replace('mass value="2"', 'mass value="0"')
    assert read(robot(link("a", inertial=massless))).fixed_base is True


def test_products_of_inertia_count_only_if_all_three_are_stated() -> None:
    inertial = '<inertial><mass value="1"/><inertia ixx="1" iyy="2" izz="3" ixy="4"/></inertial>'
    asset = read(robot(link("a", inertial=inertial)))
    assert asset.links[0].inertial.inertia == (1.0, 2.0, 3.0, 0.0, 0.0, 0.0)


def test_shapes_have_full_extents_names_groups_and_flags() -> None:
    base, upper = read(RICH).links[:2]
    box, sphere = base.visuals
    assert (box.kind, box.size, box.name) == (ShapeKind.BOX, (1.0, 2.0, 3.0), "body")
    assert box.pose == Pose((0.0, 0.0, 0.1))
    assert (sphere.kind, sphere.size) == (ShapeKind.SPHERE, (0.5,))
    assert (base.collisions[0].group, base.collisions[0].mask) == (4, 5)
    assert base.collisions[0].concave is False
    assert (upper.visuals[0].kind, upper.visuals[0].size) == (ShapeKind.CYLINDER, (0.1, 0.4))
    capsule = upper.collisions[0]
    assert (capsule.kind, capsule.size) == (ShapeKind.CAPSULE, (0.1, 0.4))
    assert capsule.concave is True


def test_the_z_axis_of_a_plane_shape_is_its_normal() -> None:
    plane = read(RICH).links[0].collisions[1]
    assert plane.kind is ShapeKind.PLANE
    assert quat_rotate(plane.pose.quat, (0.0, 0.0, 1.0)) == pytest.approx((0.0, 1.0, 0.0))


def test_materials_are_shared_by_name_and_local_ones_are_seen_by_later_links() -> None:
    base, upper = read(RICH).links[:2]
    assert base.visuals[0].rgba == (0.8, 0.1, 0.1, 1.0)
    assert base.visuals[0].specular == (0.1, 0.2, 0.3)
    assert base.visuals[1].rgba == (0.0, 0.0, 1.0, 0.5)
    assert (upper.visuals[0].material, upper.visuals[0].rgba) == ("blue", (0.0, 0.0, 1.0, 0.5))


def test_a_material_named_before_it_is_defined_has_the_colour_it_gets() -> None:
    first = link("a", f'<visual>{BOX}<material name="m"/></visual>')
    second = link(
        "b", f'<visual>{BOX}<material name="m"><color rgba="1 0 0 1"/></material></visual>'
    )
    asset = read(robot(first, second, joint("j", "a", "b")))
    assert asset.links[0].visuals[0].rgba == (1.0, 0.0, 0.0, 1.0)
    assert asset.links[1].visuals[0].rgba == (1.0, 0.0, 0.0, 1.0)


def test_the_first_of_two_global_materials_with_one_name_counts() -> None:
    colors = ("1 0 0 1", "0 1 0 1")
    materials = [f'<material name="m"><color rgba="{rgba}"/></material>' for rgba in colors]
    body = link("a", f'<visual>{BOX}<material name="m"/></visual>')
    assert read(robot(*materials, body)).links[0].visuals[0].rgba == (1.0, 0.0, 0.0, 1.0)


def test_contact_parameters_are_read_and_none_where_not_stated() -> None:
    asset = read(RICH)
    assert asset.links[0].contact == ContactParameters(
        lateral_friction=0.9,
        rolling_friction=0.01,
        spinning_friction=0.02,
        restitution=0.4,
        stiffness=3000.0,
        damping=30.0,
        cfm=0.1,
        erp=0.2,
        inertia_scaling=2.0,
        friction_anchor=True,
    )
    assert asset.links[1].contact == ContactParameters()


def test_contact_stiffness_and_damping_come_as_a_pair() -> None:
    stiff = read(robot(link("a", '<contact><stiffness value="5"/></contact>'))).links[0].contact
    damped = read(robot(link("a", '<contact><damping value="5"/></contact>'))).links[0].contact
    assert (stiff.stiffness, stiff.damping) == (5.0, 1.0)
    assert (damped.stiffness, damped.damping) == (1e4, 5.0)


def test_scale_applies_to_lengths_and_not_to_masses_or_angles() -> None:
    asset = read(RICH, scale=2.0)
    base, upper, lower = asset.links[:3]
    assert base.inertial.pose.pos == (0.2, 0.4, 0.6)
    assert base.inertial.mass == 2.5
    assert base.visuals[0].size == (2.0, 4.0, 6.0)
    assert base.visuals[0].pose.pos == (0.0, 0.0, 0.2)
    assert upper.joint.origin.pos == (0.0, 0.0, 2.0)
    assert (upper.joint.lower, upper.joint.upper) == (-1.5, 1.5)
    assert (lower.joint.lower, lower.joint.upper) == (-0.2, 0.4)


@pytest.mark.parametrize("scale", [0.0, -1.0, math.nan, math.inf])
def test_a_scale_that_is_not_positive_is_refused(scale: float) -> None:
    with pytest.raises(InvalidArgumentError, match="scale"):
        UrdfOptions(scale=scale)


@pytest.mark.parametrize(
    ("text", "expected"),
    [("1.5f", 1.5), ("1,5", 1.0), (" +2e1x", 20.0), ("abc", 0.0), ("0x10", 16.0), (".5.", 0.5)],
)
def test_a_number_is_read_up_to_where_it_ends_with_a_warning(
    text: str, expected: float, caplog: pytest.LogCaptureFixture
) -> None:
    asset = read(robot(link("a", inertial=INERTIAL.replace('"2"', f'"{text}"'))))
    assert asset.links[0].inertial.mass == expected
    assert bool(caplog.records) is (text != "0x10")


def test_a_vector_with_too_few_numbers_is_zero_with_a_warning(
    caplog: pytest.LogCaptureFixture,
) -> None:
    content = LIMIT + '<origin xyz="1 2"/>'
    asset = read(robot(link("a"), link("b"), joint("j", "a", "b", content=content)))
    assert asset.links[1].joint.origin == Pose()
    assert "joint 'j' <origin> line 1" in caplog.text


def test_links_in_a_circle_of_their_own_are_left_out(caplog: pytest.LogCaptureFixture) -> None:
    text = robot(*map(link, "abc"), joint("j", "b", "c"), joint("k", "c", "b"))
    assert [entry.name for entry in read(text).links] == ["a"]
    assert "['b', 'c'] are not connected" in caplog.text


MESH_BODY = """<robot name="m"><link name="a">{inertial}
<visual><geometry><mesh filename="package://pkg/meshes/{mesh}" {scale}/></geometry>
<material name="skin"><texture filename="{texture}"/></material></visual>
</link></robot>"""


def _package(tmp_path: Path, **values: str) -> Path:
    (tmp_path / "pkg/meshes").mkdir(parents=True)
    (tmp_path / "pkg/meshes/body.STL").write_text("")
    (tmp_path / "pkg/urdf").mkdir()
    (tmp_path / "pkg/urdf/skin.png").write_text("")
    filled = {"inertial": INERTIAL, "mesh": "body.STL", "scale": "", "texture": "skin.png"} | values
    file = tmp_path / "pkg/urdf/m.urdf"
    file.write_text(MESH_BODY.format(**filled))
    return file


def test_meshes_and_textures_are_resolved_to_absolute_paths(tmp_path: Path) -> None:
    file = _package(tmp_path, scale='scale="1 2 3"')
    asset = load_urdf(file, search_path=SearchPath(), options=UrdfOptions(scale=2.0))
    shape = asset.links[0].visuals[0]
    assert asset.file == str(file)
    assert shape.kind is ShapeKind.MESH
    assert shape.mesh is not None
    assert shape.mesh.file == str(tmp_path / "pkg/meshes/body.STL")
    assert shape.mesh.name == "package://pkg/meshes/body.STL"
    assert shape.mesh.scale == (2.0, 4.0, 6.0)
    assert shape.texture == str(tmp_path / "pkg/urdf/skin.png")
    assert shape.rgba == (0.8, 0.8, 0.8, 1.0)  # as PyBullet takes it


def test_a_single_number_scales_a_mesh_in_all_directions(tmp_path: Path) -> None:
    file = _package(tmp_path, scale='scale="0.5"')
    mesh = load_urdf(file, search_path=SearchPath()).links[0].visuals[0].mesh
    assert mesh is not None
    assert mesh.scale == (0.5, 0.5, 0.5)


def test_a_missing_texture_is_a_warning(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    file = _package(tmp_path, texture="none.png")
    assert load_urdf(file, search_path=SearchPath()).links[0].visuals[0].texture == ""
    assert "texture 'none.png' not found" in caplog.text


@pytest.mark.parametrize("mesh", ["none.stl", "body.cdf", "body"])
def test_a_missing_or_unreadable_mesh_is_an_error_that_names_it(tmp_path: Path, mesh: str) -> None:
    file = _package(tmp_path, mesh=mesh)
    with pytest.raises(AssetError, match=rf"m\.urdf: link 'a' <mesh> line 2.*{mesh}"):
        load_urdf(file, search_path=SearchPath())


def test_a_text_finds_its_meshes_relative_to_the_directory_given(tmp_path: Path) -> None:
    text = _package(tmp_path).read_text()
    asset = parse_urdf_text(text, search_path=SearchPath(), directory=str(tmp_path / "pkg/urdf"))
    assert asset.links[0].visuals[0].mesh is not None
    assert asset.file == ""


def test_a_file_is_found_on_the_search_path(tmp_path: Path) -> None:
    file = _package(tmp_path)
    asset = load_urdf("m.urdf", search_path=SearchPath((str(file.parent),)))
    assert asset.file == str(file)
    with pytest.raises(AssetError, match=r"none\.urdf: no such file"):
        load_urdf("none.urdf", search_path=SearchPath())


def test_a_file_larger_than_the_limit_is_refused(tmp_path: Path) -> None:
    with pytest.raises(AssetError, match="limit of 20 bytes"):
        load_urdf(_package(tmp_path), search_path=SearchPath(), limits=Limits(file_bytes=20))


def test_fixed_links_can_be_merged_into_their_parents() -> None:
    body = '<collision><origin xyz="0 0 1"/><geometry><box size="1 1 1"/></geometry></collision>'
    fixed = joint("f", "a", "b", "fixed", '<origin xyz="1 0 0"/>')
    turning = joint("t", "b", "c", content=LIMIT + '<origin xyz="0 1 0"/>')
    asset = read(
        robot(link("a"), link("b", body), link("c"), fixed, turning), merge_fixed_links=True
    )
    base, rest = asset.links
    assert (base.name, rest.name, rest.parent) == ("a", "c", 0)
    assert base.collisions[0].pose.pos == (1.0, 0.0, 1.0)
    assert rest.joint.origin.pos == (1.0, 1.0, 0.0)
    # Two bodies of 2 kg and unit inertia, 1 m apart on x: 2 + 4 * 0.5^2 about y and z.
    assert (base.inertial.mass, base.inertial.pose.pos) == (4.0, (0.5, 0.0, 0.0))
    assert base.inertial.inertia == pytest.approx((2.0, 3.0, 3.0, 0.0, 0.0, 0.0))


def test_merging_into_a_fixed_base_leaves_its_mass_alone() -> None:
    text = robot(link("a"), link("b"), joint("f", "a", "b", "fixed", ""))
    asset = read(text, merge_fixed_links=True, fixed_base=True)
    assert asset.links[0].inertial.mass == 2.0


def test_the_self_collision_tag_decides_nothing_as_in_pybullet() -> None:
    asset = read(robot(link("a", "<self_collision_checking><geometry/></self_collision_checking>")))
    assert asset.self_collision is None
    assert asset.links[0].collisions == []
