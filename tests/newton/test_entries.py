"""What scripts write into a builder: kinds of arguments, and entries of its lists."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
import warp as wp

from unibody import newton
from unibody.errors import InvalidArgumentError, NotSupportedError

CALLS: dict[str, tuple[str, dict[str, Any], str]] = {
    "a number": ("add_link", {"mass": "heavy"}, r"mass='heavy' .*a number"),
    "a key": ("add_link", {"key": np.zeros(3)}, r"key=array.*a text"),
    "an index": ("add_shape_box", {"body": "torso"}, r"body='torso' .*whole number"),
    "a mesh": ("add_shape_mesh", {"body": 0, "mesh": 3}, r"mesh=3 .*a Mesh"),
    "settings": ("add_shape_box", {"body": 0, "cfg": 7}, r"cfg=7 .*ShapeConfig"),
    "a builder": ("add_builder", {"builder": None}, r"builder=None .*a ModelBuilder"),
    "joints": ("add_articulation", {"joints": 2}, r"joints=2 .*list of indices"),
    "axes": (
        "add_joint_d6",
        {"parent": -1, "child": 0, "linear_axes": [1.0]},
        r"linear_axes=\[1.0",
    ),
    "lists": ("add_edges", {"i": [-1], "j": [-1, -1], "k": [0, 0], "l": [1, 1]}, r"j='2 indices'"),
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
    builder = newton.ModelBuilder()
    links = [builder.add_link(mass=1.0, inertia=np.eye(3)) for _ in range(2)]
    chain = [builder.add_joint_revolute(-1, links[0]), builder.add_joint_revolute(*links)]
    builder.add_articulation(chain)
    loop = builder.add_joint_revolute(
        -1, links[1], parent_xform=wp.transform((1, 0, 0), (0, 0, 0, 1))
    )
    builder.add_equality_constraint_joint(joint1=0, joint2=loop)
    model = builder.finalize(device="cpu")
    with pytest.raises(NotSupportedError, match="joint 2"):
        newton.solvers.SolverMuJoCo(model, use_mujoco_cpu=True)


def test_a_cycle_through_two_articulations_is_refused() -> None:
    builder = newton.ModelBuilder()
    links = [builder.add_link(mass=1.0, inertia=np.eye(3)) for _ in range(2)]
    chain = [builder.add_joint_revolute(-1, links[0]), builder.add_joint_revolute(*links)]
    builder.add_articulation(chain)
    builder.add_articulation([builder.add_joint_revolute(links[1], links[0])])
    with pytest.raises(ValueError, match=r"Cyclic joints: .*\[0, 1, 0\]"):
        builder.finalize(device="cpu")
