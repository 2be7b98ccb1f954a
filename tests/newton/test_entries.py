"""What scripts write into a builder: kinds of arguments, and entries of its lists."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
import warp as wp

from unibody import newton
from unibody.errors import InvalidArgumentError, NotSupportedError
from unibody.newton.builder import worlds

CALLS: dict[str, tuple[str, dict[str, Any], str]] = {
    "a number": ("add_link", {"mass": "heavy"}, r"mass='heavy' .*a number"),
    "a key": ("add_link", {"key": np.zeros(3)}, r"key=array.*a text"),
    "an index": ("add_shape_box", {"body": "torso"}, r"body='torso' .*whole number"),
    "a mesh": ("add_shape_mesh", {"body": 0, "mesh": 3}, r"mesh=3 .*a Mesh"),
    "settings": ("add_shape_box", {"body": 0, "cfg": 7}, r"cfg=7 .*ShapeConfig"),
    "a builder": ("add_builder", {"builder": None}, r"builder=None .*a ModelBuilder"),
    "joints": ("add_articulation", {"joints": 2}, r"joints=2 .*list of indices"),
    "a scale": (
        "add_shape_mesh",
        {"body": 0, "mesh": newton.Mesh.create_box(1.0, 1.0, 1.0), "scale": [[], []]},
        r"scale=\[\[\], \[\]\] .*three numbers",
    ),
    "axes": (
        "add_joint_d6",
        {"parent": -1, "child": 0, "linear_axes": [1.0]},
        r"linear_axes=\[1.0",
    ),
    "lists": ("add_edges", {"i": [-1], "j": [-1, -1], "k": [0, 0], "l": [1, 1]}, r"j='2 indices'"),
    "one particle of a spring": (
        "add_spring",
        {"i": [0], "j": 1, "ke": 1.0, "kd": 0.0, "control": 0.0},
        r"i=\[0\] .*whole number",
    ),
    "edges": (
        "add_rod_graph",
        {"node_positions": [(0, 0, 0), (1, 0, 0)], "edges": [0, 1]},
        r"edges=\[0, 1\] .*pairs of node indices",
    ),
    "coefficients": (
        "add_equality_constraint",
        {"constraint_type": newton.EqType.JOINT, "polycoef": [[], []]},
        r"polycoef=\[\[\], \[\]\] .*five coefficients",
    ),
    "a velocity": (
        "add_particle",
        {"pos": (0, 0, 0), "vel": np.zeros((2, 3)), "mass": 1.0},
        r"(?s)vel=array.*three numbers",
    ),
    "one number for many": (
        "add_particles",
        {"pos": [(0, 0, 0)], "vel": [(0, 0, 0)], "mass": [1.0], "radius": 0.1},
        r"radius=0.1 .*list of finite numbers",
    ),
    "names": ("collapse_fixed_joints", {"joints_to_keep": [[]]}, r"joints_to_keep.*list of texts"),
    "no such shape": ("approximate_meshes", {"shape_indices": [0, 4]}, r"shape_indices=4 .*0 to 0"),
    "too many worlds": (
        "replicate",
        {"builder": newton.ModelBuilder(), "num_worlds": 2**31},
        r"num_worlds=2147483648 .*at most 2147483647",
    ),
    "truth": ("add_link", {"is_kinematic": np.zeros(3)}, r"is_kinematic=array.*True or False"),
    "colours": ("set_coloring", {"particle_color_groups": [[0.5]]}, r"particle_color_groups"),
}


def _builder() -> Any:
    builder = newton.ModelBuilder()
    body = builder.add_link(mass=1.0, key="torso")
    builder.add_articulation([builder.add_joint_revolute(-1, body)])
    builder.add_shape_box(body, key="chest")
    builder.add_particle((0, 0, 0), (0, 0, 0), 1.0)
    builder.add_particle((1, 0, 0), (0, 0, 0), 1.0)
    builder.add_spring(0, 1, 1.0, 0.0, 0.0)
    return builder


@pytest.mark.parametrize("name", CALLS)
def test_an_argument_of_the_wrong_kind_is_refused_by_name_and_leaves_nothing(name: str) -> None:
    method, arguments, told = CALLS[name]
    builder = _builder()
    with pytest.raises(InvalidArgumentError, match=told):
        getattr(builder, method)(**arguments)
    builder.finalize(device="cpu")


@pytest.mark.parametrize(
    ("column", "value", "told"),
    [
        ("shape_body", 0.5, r"shape_body of shape 0 \('chest'\) is 0.5: expected a whole number"),
        ("shape_type", 77, r"shape_type of shape 0 .* is 77: expected one of GeoType"),
        ("shape_type", int(newton.GeoType.MESH), r"shape_source of shape 0 .*None.* a Mesh"),
        ("shape_scale", (0.1, -0.1, 0.1), r"shape_scale of shape 0 .*-0.1.*positive sizes"),
        ("shape_scale", (0.1, 0.1), r"shape_scale of shape 0 .*expected 3 numbers"),
        ("body_mass", "heavy", r"body_mass of body 0 \('torso'\) is 'heavy': expected a number"),
        ("joint_qd_start", 7, r"joint_qd_start of joint 0 .* is 7: expected 0"),
        (
            "articulation_start",
            -1,
            r"articulation_start of articulation 0 .* is -1: expected 0",
        ),
        ("joint_type", math.nan, r"joint_type of joint 0 .*nan"),
        ("body_key", ["torso"], r"body_key of body 0 is \['torso'\]: expected a text"),
        ("body_key", np.zeros(2), r"body_key of body 0 is array.*: expected a text"),
        ("spring_indices", 9, r"spring_indices\[0\] refers to particle 9.*\[0, 1\]"),
    ],
)
def test_an_entry_that_its_column_cannot_hold_is_told_by_its_owner(
    column: str, value: Any, told: str
) -> None:
    builder = _builder()
    getattr(builder, column)[0] = value
    with pytest.raises(ValueError, match=told):
        builder.finalize(device="cpu")


def test_worlds_that_memory_has_no_room_for_are_refused_by_name(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def full(*given: object) -> None:
        raise MemoryError

    monkeypatch.setattr(worlds, "world_offsets", full)
    builder = _builder()
    with pytest.raises(InvalidArgumentError, match=r"num_worlds=3 .*as many as memory holds"):
        builder.replicate(_builder(), 3)
    assert builder.num_worlds == 0


@pytest.mark.parametrize("world", [None, 0])
def test_gravity_that_is_no_number_is_refused_by_its_world(world: int | None) -> None:
    builder = _builder()
    if world is None:
        builder.gravity = math.nan
    else:
        builder.begin_world(gravity=(0.0, 0.0, math.nan))
        builder.add_link(mass=1.0)
        builder.end_world()
    told = "gravity is nan" if world is None else "gravity of world 0 is .*nan"
    with pytest.raises(ValueError, match=f"{told}.*: expected finite numbers"):
        builder.finalize(device="cpu", skip_validation_joints=True)


def test_a_mesh_that_a_script_took_away_is_told_when_meshes_are_approximated() -> None:
    builder = newton.ModelBuilder()
    builder.add_shape_mesh(builder.add_body(), mesh=newton.Mesh.create_box(1.0, 1.0, 1.0), key="a")
    builder.shape_source[0] = None
    with pytest.raises(
        ValueError, match=r"shape_source of shape 0 \('a'\) is None: expected a Mesh"
    ):
        builder.approximate_meshes()


@pytest.mark.parametrize("held", [2, np.True_])
def test_whether_sides_of_a_cloth_are_held_may_be_any_truth(held: Any) -> None:
    builder = newton.ModelBuilder()
    still = wp.quat_identity()
    builder.add_cloth_grid(
        (0, 0, 0), still, (0, 0, 0), 1, 1, 0.1, 0.1, 0.1, fix_left=held, fix_top=held
    )
    assert builder.particle_mass == [0.0, 0.1, 0.0, 0.0]


def _closed_chain() -> tuple[Any, int]:
    """A builder with a chain of two links, and the joint that closes a loop, the last one."""
    builder = newton.ModelBuilder()
    links = [builder.add_link(mass=1.0, inertia=np.eye(3)) for _ in range(2)]
    chain = [
        builder.add_joint_revolute(-1, links[0]),
        builder.add_joint_revolute(links[0], links[1]),
    ]
    builder.add_articulation(chain)
    loop = builder.add_joint_revolute(
        -1, links[1], parent_xform=wp.transform((1, 0, 0), (0, 0, 0, 1))
    )
    return builder, loop


def test_a_joint_outside_articulations_that_follows_another_is_refused_by_its_number() -> None:
    builder, loop = _closed_chain()
    builder.set_joint_mimic(loop, 0)
    model = builder.finalize(device="cpu")
    with pytest.raises(NotSupportedError, match="joint 2, which follows joint 0"):
        newton.solvers.SolverMuJoCo(model, use_mujoco_cpu=True)


def test_colours_and_filters_refer_to_what_there_is() -> None:
    builder = _builder()
    builder.set_coloring([[0], [5]])
    with pytest.raises(ValueError, match=r"particle_color_groups\[1\]\[0\] refers to particle 5"):
        builder.finalize(device="cpu")
    builder.set_coloring([[0], []])  # a colour that nothing has is none that is wrong
    builder.add_shape_collision_filter_pair(0, 40)
    builder.add_shape_box(builder.add_link(mass=1.0))
    with pytest.raises(ValueError, match=r"shape_collision_filter_pairs has \[0, 40\].*\[0, 1\]"):
        builder.finalize(device="cpu", skip_validation_joints=True)


def test_rigid_bodies_without_joints_are_moved_by_vbd() -> None:
    builder = newton.ModelBuilder()
    body = builder.add_link(mass=1.0, inertia=np.eye(3))
    builder.color()
    model = builder.finalize(device="cpu")
    solver = newton.solvers.SolverVBD(model)
    states = [model.state(), model.state()]
    for _ in range(100):
        solver.step(states[0], states[1], model.control(), None, 0.01)
        states.reverse()
    # A semi-implicit fall of n steps: g dt^2 n (n + 1) / 2, in single precision.
    assert states[0].body_q.numpy()[body, 2] == pytest.approx(-9.81 * 1e-4 * 5050, rel=1e-3)


def test_an_equality_of_a_joint_that_closes_a_loop_is_refused_by_its_number() -> None:
    builder, loop = _closed_chain()
    builder.add_equality_constraint_joint(joint1=0, joint2=loop)
    model = builder.finalize(device="cpu")
    with pytest.raises(NotSupportedError, match="joint 2"):
        newton.solvers.SolverMuJoCo(model, use_mujoco_cpu=True)


def test_a_cycle_through_two_articulations_is_refused() -> None:
    builder = newton.ModelBuilder()
    links = [builder.add_link(mass=1.0, inertia=np.eye(3)) for _ in range(2)]
    chain = [
        builder.add_joint_revolute(-1, links[0]),
        builder.add_joint_revolute(links[0], links[1]),
    ]
    builder.add_articulation(chain)
    builder.add_articulation([builder.add_joint_revolute(links[1], links[0])])
    with pytest.raises(ValueError, match=r"Cyclic joints: .*\[0, 1, 0\]"):
        builder.finalize(device="cpu")


@pytest.mark.parametrize("pair", [np.zeros(2), (0, np.zeros(2)), (0, 1, 2), (0, "1"), 3])
def test_a_pair_of_shapes_that_is_none_is_refused_by_its_list(pair: object) -> None:
    builder = newton.ModelBuilder()
    for _ in range(2):
        builder.add_shape_sphere(builder.add_body(), radius=0.1)
    builder.shape_collision_filter_pairs.append(pair)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"shape_collision_filter_pairs .*pairs of indices"):
        builder.finalize(device="cpu")


@pytest.mark.parametrize(("tri_ke", "tri_ka"), [(1e3, 0.0), (0.0, 1e3)])
def test_triangles_of_either_stiffness_have_corners_of_three_colors(
    tri_ke: float, tri_ka: float
) -> None:
    builder = newton.ModelBuilder()
    builder.add_cloth_grid(
        wp.vec3(), wp.quat_identity(), wp.vec3(), 3, 3, 0.1, 0.1, 0.1, tri_ke=tri_ke, tri_ka=tri_ka
    )
    builder.color()
    colors = {int(p): i for i, group in enumerate(builder.particle_color_groups) for p in group}
    assert all(len({colors[int(p)] for p in corners}) == 3 for corners in builder.tri_indices)
