"""Worlds, copies of builders, and builders that are inconsistent."""

from __future__ import annotations

import math

import numpy as np
import pytest
import warp as wp

from unibody import newton
from unibody.newton.builder.tables import COLUMNS, COUNTED_BY
from unibody.newton.builder.worlds import world_offsets
from unibody.newton.enums import AttributeFrequency


def _robot() -> newton.ModelBuilder:
    builder = newton.ModelBuilder()
    base, tip = builder.add_link(mass=1.0), builder.add_link(mass=1.0)
    joints = [builder.add_joint_free(base), builder.add_joint_revolute(base, tip, axis="y")]
    builder.add_articulation(joints, key="robot")
    for body in (base, tip):
        builder.add_shape_sphere(body, radius=0.1)
    builder.add_particles([(0, 0, 0), (1, 0, 0), (0, 1, 0)], [(0, 0, 0)] * 3, [1.0] * 3)
    builder.add_triangle(0, 1, 2)
    builder.add_spring(0, 1, 1.0, 0.0, 0.0)
    return builder


def test_copies_refer_to_their_own_entities_and_shapes_of_other_worlds_never_meet() -> None:
    builder = newton.ModelBuilder()
    builder.add_ground_plane()
    builder.replicate(_robot(), 3, spacing=(2.0, 0.0, 0.0))
    model = builder.finalize(device="cpu")
    assert model.num_worlds == model.world_count == 3
    assert model.joint_parent.numpy().tolist() == [-1, 0, -1, 2, -1, 4]
    assert model.joint_child.numpy().tolist() == [0, 1, 2, 3, 4, 5]
    assert model.tri_indices.numpy().tolist() == [[0, 1, 2], [3, 4, 5], [6, 7, 8]]
    assert model.body_world_start.numpy().tolist() == [0, 2, 4, 6, 6]
    assert model.shape_world_start.numpy().tolist() == [1, 3, 5, 7, 7]
    assert model.joint_coord_world_start.numpy().tolist() == [0, 8, 16, 24, 24]
    assert model.body_q.numpy()[::2, 0].tolist() == [-2.0, 0.0, 2.0]
    pairs = {tuple(pair) for pair in model.shape_contact_pairs.numpy().tolist()}
    assert pairs == {(0, shape) for shape in range(1, 7)}  # the ground; a joint hides the rest


@pytest.mark.parametrize("spacing", [(0.0, 0.0, 0.0), (2.0, 3.0, 0.0)])
def test_copies_made_at_once_are_those_made_one_by_one(spacing: tuple[float, float, float]) -> None:
    robot = _robot()
    turn = wp.quat_from_axis_angle(wp.vec3(1, 0, 0), 0.4)
    robot.joint_X_p[1] = wp.transform((0.1, 0.2, 0.3), turn)
    robot.add_joint_revolute(-1, robot.add_link(), axis="x")
    robot.add_shape_box(-1, hx=0.1, hy=0.1, hz=0.1)
    robot.color()
    robot.add_custom_frequency(newton.ModelBuilder.CustomFrequency("row"))
    for name, frequency, references in (
        ("tag", AttributeFrequency.BODY, None),
        ("pair", "row", "body"),
    ):
        robot.add_custom_attribute(
            newton.ModelBuilder.CustomAttribute(
                name=name, frequency=frequency, dtype=wp.int32, references=references
            )
        )
    robot.custom_attributes["tag"].values[1] = 7
    robot.custom_attributes["pair"].values.extend([0, 1, -1])
    at_once, one_by_one = newton.ModelBuilder(), newton.ModelBuilder()
    for builder in (at_once, one_by_one):
        builder.add_body(mass=1.0)
    at_once.replicate(robot, 5, spacing=spacing)
    for offset in world_offsets(5, spacing, at_once.up_axis):
        one_by_one.add_world(robot, xform=wp.transform(offset, wp.quat_identity()))
    for column in COLUMNS:
        mine, theirs = getattr(at_once, column.name), getattr(one_by_one, column.name)
        assert [_plain(row) for row in mine] == [_plain(row) for row in theirs], column.name
    for name in ("body_shapes", "joint_parents", "joint_children", "spring_indices"):
        assert getattr(at_once, name) == getattr(one_by_one, name)
    assert at_once.shape_collision_filter_pairs == one_by_one.shape_collision_filter_pairs
    assert [sorted(g) for g in at_once.particle_color_groups] == [
        sorted(g) for g in one_by_one.particle_color_groups
    ]
    for name in ("tag", "pair"):
        values = at_once.custom_attributes[name].values
        assert values == one_by_one.custom_attributes[name].values
    assert at_once.custom_attributes["pair"].values[3:6] == [4, 5, -1]
    assert at_once.joint_dof_count == one_by_one.joint_dof_count


def _plain(row: object) -> object:
    return np.array(row).tolist() if hasattr(row, "__len__") else row


def test_a_copy_that_is_moved_turns_its_particles_too() -> None:
    builder = newton.ModelBuilder()
    half = math.sqrt(0.5)
    turned = wp.transform(wp.vec3(1.0, 0.0, 0.0), wp.quat(0.0, 0.0, half, half))
    builder.add_builder(_robot(), xform=turned)
    assert np.allclose(builder.particle_q, [(1, 0, 0), (1, 1, 0), (0, 0, 0)], atol=1e-6)
    assert np.allclose(builder.joint_q[:3], (1.0, 0.0, 0.0))


def test_the_pose_of_a_copy_is_warps_product_of_poses_to_the_bit() -> None:
    rng = np.random.default_rng(5)
    for numbers in rng.normal(size=(20, 12)):
        own = wp.transform(wp.vec3(*numbers[:3]), wp.quat_rpy(*numbers[3:6]))
        offset = wp.transform(wp.vec3(*numbers[6:9]), wp.quat_rpy(*numbers[9:]))
        part = newton.ModelBuilder()
        part.add_link(xform=own)
        builder = newton.ModelBuilder()
        builder.add_world(part, xform=offset)
        assert builder.body_q[0] == offset * own


def test_every_array_of_a_model_has_one_entry_for_each_of_its_entities() -> None:
    builder = newton.ModelBuilder()
    builder.replicate(_robot(), 2)
    model = builder.finalize(device="cpu", requires_grad=True)
    for column in COLUMNS:
        if column.dtype is not None:
            array = getattr(model, column.name.lstrip("_"))
            # Those of ranges have an end of their own; others close with the number of all.
            closed = column.name.endswith("_start") and not column.bounds
            assert len(array) - closed == builder.count(column.entity), column.name
            assert array.requires_grad == column.grad, column.name
    assert set(COUNTED_BY) <= {column.entity for column in COLUMNS} | {"muscle"}
    state, control = model.state(), model.control()
    assert state.body_count == 4
    assert len(control.joint_target_pos) == model.joint_dof_count
    assert not state.body_f.numpy().any()


def test_gravity_of_a_world_is_its_own() -> None:
    builder = newton.ModelBuilder()
    for gravity in (None, (0.0, 0.0, -1.6)):
        builder.begin_world(gravity=gravity)
        builder.add_body(mass=1.0)
        builder.end_world()
    model = builder.finalize(device="cpu")
    assert np.allclose(model.gravity.numpy(), [(0, 0, -9.81), (0, 0, -1.6)])
    model.set_gravity((1.0, 0.0, 0.0), world=0)
    assert np.allclose(model.gravity.numpy(), [(1, 0, 0), (0, 0, -1.6)])


def _nan(builder: newton.ModelBuilder) -> None:
    builder.joint_q[7] = math.nan


def _loop(builder: newton.ModelBuilder) -> None:
    builder.joint_parent[0] = 1


def _far(builder: newton.ModelBuilder) -> None:
    builder.shape_body[1] = 9


def _short(builder: newton.ModelBuilder) -> None:
    builder.joint_target_ke.pop()


def _late(builder: newton.ModelBuilder) -> None:
    builder.add_world(_robot())
    builder.add_world(_robot())
    builder.body_world[2:] = [1, 1, 0, 0]


def _orphan(builder: newton.ModelBuilder) -> None:
    builder.add_joint_fixed(-1, builder.add_link())


@pytest.mark.parametrize(
    ("spoil", "told"),
    [
        (_nan, r"joint_q of .*nan.*finite"),
        (_loop, r"Cyclic joints: .*\[0, 1, 0\]"),
        (_far, r"shape_body: shape 1 \('shape_1'\) refers to body 9.*\[-1, 1\]"),
        (_short, r"joint_target_ke has length 6, but expected 7"),
        (_late, r"body_world: .*world 0 after world 1 at index 4"),
        (_orphan, r"1 joint\(s\) not belonging.*joint_3"),
    ],
)
def test_an_inconsistent_builder_is_refused_by_entity_and_value(spoil, told: str) -> None:
    builder = _robot()
    spoil(builder)
    with pytest.raises(ValueError, match=told):
        builder.finalize(device="cpu")


def test_an_index_out_of_range_is_refused_when_it_is_given() -> None:
    builder = _robot()
    with pytest.raises(ValueError, match=r"body=7 .*-1 to 1"):
        builder.add_shape_box(7)
    with pytest.raises(ValueError, match=r"child=5 .*0 to 1"):
        builder.add_joint_fixed(0, 5)
    with pytest.raises(ValueError, match=r"j=12 .*0 to 2"):
        builder.add_spring(0, 12, 1.0, 0.0, 0.0)


def test_custom_values_move_with_the_entities_they_refer_to() -> None:
    robot = _robot()
    robot.add_custom_attribute(
        robot.CustomAttribute(
            "partner", wp.int32, newton.Model.AttributeFrequency.BODY, references="body", default=-1
        )
    )
    robot.add_custom_frequency(robot.CustomFrequency("pair", namespace="mine"))
    robot.add_custom_attribute(
        robot.CustomAttribute("pair", wp.int32, "pair", namespace="mine", references="shape")
    )
    robot.custom_attributes["partner"].values[0] = 1
    robot.add_custom_values(**{"mine:pair": 1})
    builder = newton.ModelBuilder()
    builder.replicate(robot, 2)
    model = builder.finalize(device="cpu")
    assert model.partner.numpy().tolist() == [1, -1, 3, -1]
    assert model.mine.pair.numpy().tolist() == [1, 3]
    assert model.custom_frequency_counts == {"mine:pair": 2}


def test_colours_part_all_particles_of_an_element() -> None:
    builder = newton.ModelBuilder()
    builder.add_cloth_grid((0, 0, 0), (0, 0, 0, 1), (0, 0, 0), 6, 4, 0.1, 0.1, 0.1)
    builder.color()
    model = builder.finalize(device="cpu")
    colors = model.particle_colors.numpy()[model.tri_indices.numpy()]
    assert all(len(set(row)) == 3 for row in colors.tolist())
    assert sum(len(group) for group in model.particle_color_groups) == model.particle_count


def test_a_soft_block_fills_its_volume_and_is_closed() -> None:
    builder = newton.ModelBuilder()
    builder.add_soft_grid(
        (0, 0, 0), (0, 0, 0, 1), (0, 0, 0), 3, 2, 2, 0.1, 0.1, 0.1, 1e3, 1e3, 1e3, 0.0
    )
    volumes = [1.0 / np.linalg.det(pose) / 6.0 for pose in builder.tet_poses]
    assert sum(volumes) == pytest.approx(3 * 2 * 2 * 1e-3)
    assert builder.tri_count == 2 * 2 * (3 * 2 + 2 * 2 + 3 * 2)
    assert sum(builder.tri_areas) == pytest.approx(2 * (6 + 4 + 6) * 1e-2)
    assert all(row[1] != -1 for row in builder.edge_indices)
