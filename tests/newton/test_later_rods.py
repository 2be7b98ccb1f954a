"""What rods of later releases of 1.x refuse: one process finds all of it, as a dialect is chosen
once."""

from __future__ import annotations

from typing import Any

import pytest

from tests.newton.later import found_later

SCRIPT = '''
import warnings

found = {"told": {}, "left": [], "warned": {}}

def told(name, call, builder=None):
    """Note the message of the ValueError that a call raises, and what it leaves in a builder."""
    try:
        call()
    except ValueError as problem:
        found["told"][name] = str(problem)
    if builder is not None:
        found["left"].append((builder.body_count, builder.shape_count, builder.joint_count))

def add(name, rod, **kwargs):
    builder = newton.ModelBuilder()
    told(name, lambda: builder.add_rod(rod=rod, **kwargs), builder)

line = [(0, 0, 0), (1, 0, 0), (2, 0, 0)]
star = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]
rays, ring = [(0, 1), (0, 2), (0, 3)], [(0, 1), (1, 2), (2, 0)]
rigid = dict(stretch_rigidity=1.0, shear_rigidity=0.0, bend_rigidity=0.0, twist_rigidity=0.0)
add("nan", newton.Rod(line), bend_stiffness=float("nan"))
add("density", newton.Rod(line), cfg=newton.ModelBuilder.ShapeConfig(density=-1.0))
add("branch", newton.Rod(star, edges=rays, **rigid))
add("ring", newton.Rod(star[:3], edges=ring, **rigid))
apart = [*star[:3], (5, 5, 5), (6, 5, 5)]
add("ring_and_more", newton.Rod(apart, edges=[*ring, (3, 4)], **rigid))

builder = newton.ModelBuilder()
_, joints = builder.add_rod(rod=newton.Rod(star, edges=rays, **rigid), stretch_stiffness=11.0)
found["stated"] = [builder.joint_target_ke[builder.joint_qd_start[j] + 2] for j in joints]

def warned(name, rod):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        newton.ModelBuilder().add_rod(rod=rod)
    found["warned"][name] = [str(w.message) for w in caught]

warned("ring", newton.Rod(star[:3], edges=ring))
warned("pair", newton.Rod([(0, 0, 0), (1, 0, 0), (0, 0, 0)], closed=True))
warned("line", newton.Rod(line))

loop = [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 0, 0)]
rest = [(0, 0, 0), (1, 0, 0), (5e-10, 0, 0), (0, 9e-10, 0)]
told("short_rest", lambda: newton.Rod(loop, closed=True, rest_points=rest))
nearly = [(0, 0, 0), (1, 0, 0), (1, 1, 0), (4e-4, 0, 0)]
found["closed_rest"] = newton.Rod(loop, closed=True, rest_points=nearly).rest_line()[-1].tolist()
straight = lambda **more: newton.Rod.create_straight((0, 0, 0), (0, 0, 1), 1.0, **more)
told("twist", lambda: straight(segment_count=1, twist_total=float("nan")))
told("count", lambda: straight(segment_count=0))

def joint(name, linear, angular=("xyz", {})):
    builder = newton.ModelBuilder()
    body = builder.add_link()
    config = newton.ModelBuilder.JointDofConfig
    sides = [[config(axis=newton.Axis("XYZ".index(a.upper())), **more) for a in axes]
             for axes, more in (linear, angular)]
    told(name, lambda: builder.add_joint(newton.JointType.ROD, -1, body,
                                         linear_axes=sides[0], angular_axes=sides[1]))

joint("two", ("xy", {}))
joint("order", ("yxz", {}))
joint("drive", ("xyz", dict(actuator_mode=newton.JointTargetMode.POSITION)))
joint("target", ("xyz", {}), ("xyz", dict(target_q=0.1)))
joint("rest", ("xyz", dict(rest_q=0.1)))
joint("fine", ("xyz", {}))
'''


@pytest.fixture(scope="module")
def found() -> dict[str, Any]:
    return found_later(SCRIPT)


@pytest.mark.parametrize(
    ("name", "part"),
    [
        ("nan", "bend_stiffness must be finite"),
        ("density", "density must be finite"),
        ("branch", "at most 2 incident"),
        ("ring", "cyclic graph"),
        ("ring_and_more", "cyclic graph"),
    ],
)
def test_what_a_rod_cannot_have_is_refused_before_there_is_a_part_of_it(
    found: dict[str, Any], name: str, part: str
) -> None:
    assert part in found["told"][name]
    assert found["left"] == [[0, 0, 0]] * 5


def test_stated_stiffnesses_let_rods_with_rigidities_branch(found: dict[str, Any]) -> None:
    assert found["stated"] == [11.0, 11.0]


def test_rods_tell_of_rings_without_a_joint_and_of_pairs_with_two(found: dict[str, Any]) -> None:
    assert "retain every cycle adjacency joint" in found["warned"]["ring"][0]
    assert "Parallel joints between the same pair" in found["warned"]["pair"][0]
    assert found["warned"]["line"] == []


def test_rings_are_closed_without_load(found: dict[str, Any]) -> None:
    assert found["closed_rest"] == [0.0, 0.0, 0.0]
    assert "rest_points segments must have finite length" in found["told"]["short_rest"]


def test_straight_rods_name_the_argument_that_is_wrong(found: dict[str, Any]) -> None:
    assert "twist_total" in found["told"]["twist"]
    assert "segment_count" in found["told"]["count"]


@pytest.mark.parametrize(
    ("name", "part"),
    [
        ("two", "exactly three linear and three angular axes"),
        ("order", "canonical XYZ"),
        ("drive", "actuator_mode=JointTargetMode.NONE"),
        ("target", "rest_rotation"),
        ("rest", "zero linear rest_q values"),
    ],
)
def test_joints_of_rods_have_the_axes_of_the_world_and_no_drives(
    found: dict[str, Any], name: str, part: str
) -> None:
    assert part in found["told"][name]
    assert "fine" not in found["told"]
