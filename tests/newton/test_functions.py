"""Functions of newton.utils, in kernels."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest
import warp as wp

from unibody.errors import NotSupportedError
from unibody.newton import functions as utils

ABOUT_X = wp.constant(wp.vec3(1.0, 0.0, 0.0))


@wp.kernel
def _evaluate(numbers: wp.array(dtype=float), vectors: wp.array(dtype=wp.spatial_vector)):  # type: ignore[valid-type]
    numbers[0] = utils.boltzmann(1.0, 3.0, 0.0)
    numbers[1] = utils.boltzmann(1.0, 3.0, 20.0)
    numbers[2] = utils.smooth_max(1.0, 1.0, 0.04)
    numbers[3] = utils.leaky_min(-2.0, 5.0)
    turn = wp.quat_from_axis_angle(wp.vec3(1.0, 0.0, 0.0), 0.8)
    numbers[4] = utils.quat_twist_angle(ABOUT_X, turn)
    pose = wp.transform(wp.vec3(0.0, 0.0, 2.0), wp.quat_from_axis_angle(ABOUT_X, 0.5 * wp.pi))
    motion = wp.spatial_vector(1.0, 0.0, 0.0, 0.0, 1.0, 0.0)
    vectors[0] = utils.transform_twist(pose, motion)
    vectors[1] = utils.transform_wrench(pose, motion)
    speed = utils.velocity_at_point(motion, wp.vec3(0.0, 0.0, 1.0))
    vectors[2] = wp.spatial_vector(speed, utils.vec_leaky_max(speed, wp.vec3(0.0, 1.0, 2.0)))


def test_functions_of_kernels_are_those_of_their_formulas() -> None:
    with wp.ScopedDevice("cpu"):
        numbers, vectors = wp.zeros(5), wp.zeros(3, dtype=wp.spatial_vector)
        wp.launch(_evaluate, dim=1, inputs=[numbers, vectors])
    assert numbers.numpy() == pytest.approx([2.0, 3.0, 1.1, -2.0, 0.8], abs=1e-5)
    # Turned by 90 degrees about x: the angular velocity is along z, through (0, 0, 2): p x w = 0.
    assert vectors.numpy()[0] == pytest.approx([1, 0, 0, 0, 0, 1], abs=1e-6)
    assert vectors.numpy()[1] == pytest.approx([1, 0, 0, 0, 2, 1], abs=1e-6)
    assert vectors.numpy()[2] == pytest.approx([2, 0, 0, 2, 1, 2], abs=1e-4)


def test_twist_about_another_axis_is_none() -> None:
    half = math.sqrt(0.5)
    found = utils.quat_twist(wp.vec3(1.0, 0.0, 0.0), wp.quat(0.0, half, 0.0, half))
    assert np.array(found) == pytest.approx([0.0, 0.0, 0.0, 1.0])


def test_a_function_that_is_not_here_names_what_works() -> None:
    with pytest.raises(NotSupportedError, match=r"remesh_mesh.*trimesh"):
        utils.remesh_mesh  # noqa: B018


def test_turns_of_a_cable_follow_its_segments_without_twist_of_their_own() -> None:
    points = [(0.0, 0.0, 0.0), (0.0, 0.0, 1.0), (0.0, 1.0, 1.0), (1.0, 1.0, 1.0), (0.0, 1.0, 1.0)]
    turns = utils.create_parallel_transport_cable_quaternions(points)
    for turn, (first, second) in zip(turns, pairwise(points), strict=True):
        along = wp.quat_rotate(turn, wp.vec3(0.0, 0.0, 1.0))
        assert np.array(along) == pytest.approx(np.subtract(second, first), abs=1e-6)
    places, twisted = utils.create_straight_cable_points_and_quaternions(
        (1.0, 0.0, 0.0), (0.0, 0.0, 5.0), 2.0, 4, twist_total=0.8
    )
    assert np.array(places)[:, 2] == pytest.approx([0.0, 0.5, 1.0, 1.5, 2.0])
    # the last of four segments has all of the twist: 2 atan2(z, w) = 0.8
    assert 2.0 * np.arctan2(twisted[-1][2], twisted[-1][3]) == pytest.approx(0.8, abs=1e-6)
    with pytest.raises(ValueError, match="duplicate"):
        utils.create_parallel_transport_cable_quaternions([(0, 0, 0), (0, 0, 0)])


def test_stiffness_of_a_cable_is_that_of_a_round_section() -> None:
    axial, bending = utils.create_cable_stiffness_from_elastic_moduli(2e9, 0.01)
    assert axial == pytest.approx(2e9 * np.pi * 1e-4)
    assert bending == pytest.approx(2e9 * np.pi * 1e-8 / 4.0)
    with pytest.raises(ValueError, match="radius"):
        utils.create_cable_stiffness_from_elastic_moduli(2e9, 0.0)


def test_a_number_becomes_a_colour_from_blue_to_red() -> None:
    colors = [utils.bourke_color_map(2.0, 10.0, v) for v in (0.0, 4.0, 5.0, 6.0, 8.0, 20.0)]
    assert colors == [[0, 0, 1], [0, 1, 1], [0, 1, 0.5], [0, 1, 0], [1, 1, 0], [1, 0, 0]]
