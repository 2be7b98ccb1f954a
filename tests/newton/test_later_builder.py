"""What builders of later releases of 1.x do: one process finds all of it, as a dialect is chosen
once."""

from __future__ import annotations

from typing import Any

import pytest

from tests.newton.later import found_later

SCRIPT = '''
import inspect
found = {}

def told(call):
    """The message of the error that a call raises, or ""."""
    try:
        call()
    except (ValueError, AttributeError, TypeError) as problem:
        return str(problem)
    return ""

def filters(order, make):
    """How often the shape of a body and one of the world are filtered."""
    builder = newton.ModelBuilder()
    made = {}
    for what in order:
        if what == "world":
            made["world"] = builder.add_ground_plane()
        elif what == "link":
            made["body"] = builder.add_link(mass=1.0)
        elif what == "shape":
            made["shape"] = builder.add_shape_sphere(body=made["body"], radius=0.1)
        else:
            make(builder, made["body"])
    pair = (min(made["shape"], made["world"]), max(made["shape"], made["world"]))
    return builder.shape_collision_filter_pairs.count(pair)

fixed = lambda builder, body: builder.add_joint_fixed(parent=-1, child=body)
hinge = lambda builder, body: builder.add_joint_revolute(parent=-1, child=body)
asked = lambda builder, body: builder.add_joint_revolute(-1, body, collision_filter_parent=True)
orders = (["link", "joint", "shape", "world"], ["world", "link", "joint", "shape"],
          ["link", "shape", "joint", "world"])
found["filters"] = [[filters(order, make) for order in orders] for make in (fixed, hinge, asked)]

# poses of free joints
def pose(*p):
    return wp.transform(wp.vec3(*p), wp.quat_rpy(*map(float, p)))
builder = newton.ModelBuilder()
parent, child = builder.add_link(xform=pose(1, -2, 0.5)), builder.add_link(xform=pose(-0.5, 1, 2))
root = builder.add_joint_free(child=parent, parent_xform=pose(0.4, -0.2, 0.1))
joint = builder.add_joint_free(child=child, parent=parent, parent_xform=pose(0.3, -0.2, 0.1),
                               child_xform=pose(-0.1, 0.4, 0.2))
builder.add_articulation([root, joint])
scene = newton.ModelBuilder()
scene.add_builder(builder, xform=pose(-0.5, 0.7, 1.2))
model = scene.finalize(device="cpu")
state = model.state()
newton.eval_fk(model, state.joint_q, state.joint_qd, state)
wanted = [pose(-0.5, 0.7, 1.2) * wp.transform(*q) for q in builder.body_q]
gaps = state.body_q.numpy() - np.array([[float(v) for v in pose] for pose in wanted])
found["poses"] = float(np.abs(gaps).max())

# filters of models
robot = newton.ModelBuilder()
shapes = [robot.add_shape_sphere(robot.add_body(), radius=0.1) for _ in range(2)]
robot.add_shape_collision_filter_pair(*shapes)
builder = newton.ModelBuilder()
ground = builder.add_ground_plane()
builder.replicate(robot, 2)
model = builder.finalize(device="cpu")
found["rows"] = model.shape_collision_filter_pairs_array().tolist()
found["as a set"] = sorted(model.shape_collision_filter_pairs) == [(1, 2), (3, 4)]
found["contains"] = [model.shape_collision_filter_contains(np.int32(2), 1),
                     model.shape_collision_filter_contains(ground, 1)]
found["mask"] = model.shape_collision_filter_mask(np.array([[2, 1], [0, 3]])).tolist()
found["set"] = told(lambda: setattr(model, "shape_collision_filter_pairs", set()))
builder.shape_collision_filter_pairs.append((0, 9))
found["pair"] = told(lambda: builder.finalize(device="cpu"))

# articulations
builder = newton.ModelBuilder()
links = [builder.add_link(mass=1.0) for _ in range(2)]
for number, (above, below) in enumerate(((-1, 0), (0, 1))):
    builder.add_articulation([builder.add_joint_revolute(above, below)], label=f"tree_{number}")
found["apart"] = told(lambda: builder.finalize(device="cpu"))

# materials and configurations
def finished(collides, **given):
    builder = newton.ModelBuilder()
    cfg = newton.ModelBuilder.ShapeConfig(mu=float("nan"), has_shape_collision=collides,
                                          has_particle_collision=False)
    builder.add_shape_sphere(body=-1, cfg=cfg, label="ball")
    return told(lambda: builder.finalize(device="cpu", **given))
found["materials"] = [finished(True), finished(False), finished(True, skip_validation_shapes=True)]
config = newton.ModelBuilder.ShapeConfig
found["configs"] = [told(config(**{name: value}).validate) for name, value in (
    ("density", -1.0), ("sdf_target_voxel_size", 0.0), ("sdf_padding", -0.1),
    ("sdf_narrow_band_range", (0.1, 0.2)), ("sdf_max_resolution", -8))]

# objects that deform, their names and what refers to them
FREQUENCY = newton.Model.AttributeFrequency
def rod(builder, label, points=3):
    rod = newton.Rod([(0.1 * i, 0.0, 1.0) for i in range(points)], radius=0.02)
    return builder.add_rod(rod=rod, label=label, wrap_in_articulation=False,
                           body_frame_origin="com")
builder = newton.ModelBuilder()
for label, points in (("gone", 2), ("shorter", 3)):
    bodies, joints = rod(builder, label, points)
    builder.add_articulation([*joints, builder.add_joint_fixed(-1, bodies[0])], label=label)
builder.add_cloth_mesh(pos=(0, 0, 2), rot=wp.quat_identity(), scale=1.0, vel=(0, 0, 0), density=1.0,
                       vertices=[(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0)],
                       indices=[0, 1, 2, 0, 2, 3], label="cloth")
builder.add_soft_grid(pos=(0, 0, 3), rot=wp.quat_identity(), vel=(0, 0, 0), dim_x=1, dim_y=1,
                      dim_z=1, cell_x=1.0, cell_y=1.0, cell_z=1.0, density=1.0, k_mu=1.0,
                      k_lambda=1.0, k_damp=0.0)
attribute = newton.ModelBuilder.CustomAttribute
builder.add_custom_attribute(attribute(name="tag", dtype=wp.int32, frequency=FREQUENCY.CURVE,
                                       values={0: 10, 1: 20}))
builder.add_custom_attribute(attribute(name="pair", dtype=wp.vec2i, frequency=FREQUENCY.ONCE,
                                       references=FREQUENCY.CURVE, default=wp.vec2i(1, 0)))
builder.add_custom_attribute(attribute(name="owner", dtype=wp.int32, frequency=FREQUENCY.BODY,
                                       references="articulation", default=0, values={1: 1, 2: 1}))
scene = newton.ModelBuilder()
scene.replicate(builder, 2, label_prefixes=["a", "b"])
model = scene.finalize(device="cpu")
found["copies"] = [model.curve_label, model.surface_label, model.volume_label,
                   model.curve_body_start.numpy().tolist(), model.curve_body_end.numpy().tolist(),
                   model.surface_edge_end.numpy().tolist(), model.volume_tet_start.numpy().tolist(),
                   model.tag.numpy().tolist(), model.pair.numpy().tolist()]
with warnings.catch_warnings(record=True) as heard:
    warnings.simplefilter("always")
    remaps = builder.collapse_fixed_joints()
model = builder.finalize(device="cpu")
found["collapsed"] = [model.curve_label, model.curve_body_end.numpy().tolist(),
                      model.tag.numpy().tolist(), model.pair.numpy().tolist(),
                      model.owner.numpy().tolist(), remaps["articulation_remap"] == {1: 0}]
found["heard"] = "'gone'" in str(heard[0].message)
found["unknown"] = told(lambda: model.add_attribute("reference", wp.zeros(1, dtype=wp.int32),
                                                    FREQUENCY.ONCE, references="curve"))
found["adjacent"] = [model.soft_mesh_adjacency.tri_edge_indices[:2].tolist(),
                     model.soft_mesh_adjacency.edge_tri_indices[:5].tolist(),
                     model.soft_mesh_adjacency.v_adj_tris_offsets[:5].tolist()]
other = newton.ModelBuilder()
other.add_custom_frequency(newton.ModelBuilder.CustomFrequency(name="curve"))
other.add_custom_attribute(attribute(name="pair", dtype=wp.vec2i, frequency=FREQUENCY.ONCE,
                                     references="curve", default=wp.vec2i(1, 0)))
found["conflict"] = [told(lambda: other.add_world(builder)), other.world_count, other.body_count]

# rows of frequencies of scripts know their world
builder = newton.ModelBuilder()
builder.add_custom_frequency(newton.ModelBuilder.CustomFrequency(name="item"))
for name, refers in (("item_world", "world"), ("item_value", None)):
    builder.add_custom_attribute(attribute(name=name, frequency="item", dtype=wp.int32,
                                           references=refers))
builder.add_custom_values(item_value=1)
builder.begin_world()
builder.add_custom_values(item_value=2)
builder.end_world()
found["worlds"] = builder.custom_attributes["item_world"].values

# velocities of bodies that become one
builder = newton.ModelBuilder()
root = builder.add_link(mass=1.0, inertia=wp.mat33(np.eye(3)))
child = builder.add_link(mass=1.0, inertia=wp.mat33(np.eye(3)))
joints = [builder.add_joint_free(child=root), builder.add_joint_fixed(
    root, child, parent_xform=wp.transform(wp.vec3(2.0, 0.0, 0.0), wp.quat_identity()))]
builder.add_articulation(joints)
builder.body_qd[root] = wp.spatial_vector(0.0, 0.0, 0.0, 0.0, 0.0, 1.0)
builder.collapse_fixed_joints()
found["speed"] = [float(v) for v in builder.joint_qd]

# axes of joints by the earlier names of their targets
with warnings.catch_warnings(record=True) as heard:
    warnings.simplefilter("always")
    axis = newton.ModelBuilder.JointDofConfig(target_pos=0.4, target_vel=0.8)
    builder = newton.ModelBuilder()
    builder.add_joint_revolute(-1, builder.add_link(mass=1.0), target_pos=0.4)
    read = axis.target_pos
    quiet = len(heard)
    builder.add_joint_prismatic(-1, builder.add_link(mass=1.0), target_q=0.2)
    newton.ModelBuilder.JointDofConfig(target_q=0.1).target_q = 0.3
found["targets"] = [axis.target_q, axis.target_qd, read, builder.joint_target_pos[0]]
found["renamed"] = [quiet, len(heard), issubclass(heard[0].category, DeprecationWarning)]
found["both"] = told(lambda: newton.ModelBuilder.JointDofConfig(target_q=0.0, target_pos=0.4))
shown = inspect.signature(newton.CollisionPipeline).parameters
found["pipeline"] = ["speculative_contact_gap_max" in shown, "later" in shown]
'''


@pytest.fixture(scope="module")
def found() -> Any:
    return found_later(SCRIPT)


def test_what_is_fixed_to_the_world_does_not_collide_with_it_in_any_order_of_calls(
    found: Any,
) -> None:
    fixed, hinge, asked = found["filters"]
    assert fixed == [1, 1, 1]
    assert hinge == [0, 0, 0]
    assert asked == [1, 1, 1]


def test_free_joints_begin_at_the_poses_of_both_bodies_and_their_copies_where_they_are_moved(
    found: Any,
) -> None:
    assert found["poses"] < 1e-5  # products of four transforms in single precision


def test_pairs_of_shapes_that_do_not_collide_are_an_array_and_a_set_that_does_not_change(
    found: Any,
) -> None:
    assert found["rows"] == [[1, 2], [3, 4]]
    assert found["as a set"]
    assert found["contains"] == [True, False]
    assert found["mask"] == [True, False]
    assert "cannot be set" in found["set"]
    assert "(0, 9)" in found["pair"]


def test_joints_do_not_connect_articulations(found: Any) -> None:
    assert "tree_0" in found["apart"]
    assert "tree_1" in found["apart"]


def test_materials_of_shapes_that_collide_are_finite_unless_shapes_are_not_checked(
    found: Any,
) -> None:
    checked, of_none, unchecked = found["materials"]
    assert "shape_material_mu of shape 0 ('ball') is nan" in checked
    assert of_none == unchecked == ""


def test_configurations_of_shapes_name_the_number_that_is_not_allowed(found: Any) -> None:
    names = ("density", "voxel_size", "padding", "band_range", "max_resolution")
    for name, message in zip(names, found["configs"], strict=True):
        assert name in message


def test_cables_cloths_and_soft_bodies_are_objects_that_copies_and_attributes_follow(
    found: Any,
) -> None:
    curves = ["a/gone", "a/shorter", "b/gone", "b/shorter"]
    labels, surfaces, volumes, starts, ends, edges, tets, tags, pair = found["copies"]
    assert labels == curves
    assert surfaces == ["a/cloth", "b/cloth"]
    assert volumes == ["a/volume_0", "b/volume_0"]
    assert starts == [0, 1, 3, 4]
    assert ends == [1, 3, 4, 6]
    assert edges == [5, 5 + 18 + 5]  # the surface of a cube of five tetrahedra has 18 edges
    assert tets == [0, 5]
    assert tags == [10, 20, 10, 20]
    assert pair == [[1, 0]]


def test_cables_and_attributes_follow_bodies_that_become_one(found: Any) -> None:
    assert found["collapsed"] == [["shorter"], [1], [20], [[0, -1]], [0], True]
    assert found["heard"]


def test_names_of_objects_are_those_of_scripts_unless_a_frequency_is_meant(found: Any) -> None:
    assert found["unknown"].endswith("use Model.AttributeFrequency.CURVE")
    message, worlds, bodies = found["conflict"]
    assert "pair" in message
    assert "incompatible spec" in message
    assert worlds == bodies == 0


def test_triangles_and_edges_of_cloth_know_one_another(found: Any) -> None:
    triangles, edges, offsets = found["adjacent"]
    assert triangles == [[0, 1, 2], [2, 3, 4]]
    assert edges == [[0, -1], [0, -1], [0, 1], [1, -1], [1, -1]]
    assert offsets == [0, 4, 6, 10, 12]  # two numbers for each triangle of a vertex


def test_rows_of_frequencies_of_scripts_are_of_the_current_world(found: Any) -> None:
    assert found["worlds"] == [-1, 0]


def test_bodies_that_become_one_move_on_as_their_root_did(found: Any) -> None:
    # The middle of both is 1 m off the root, which turns by 1 rad/s about z.
    assert found["speed"] == pytest.approx([0.0, 1.0, 0.0, 0.0, 0.0, 1.0], abs=1e-6)


def test_targets_of_axes_have_new_names_and_the_earlier_ones_say_so(found: Any) -> None:
    assert found["targets"] == [0.4, 0.8, 0.4, 0.4]
    # two of the axis, one of the hinge, one of reading; none by the new names
    assert found["renamed"] == [4, 4, True]
    assert found["both"].startswith("Conflicting target_q=0.0 and target_pos=0.4")


def test_the_pipeline_shows_the_arguments_of_later_releases(found: Any) -> None:
    assert found["pipeline"] == [True, False]
