"""View and projection matrices agree with PyBullet."""

from __future__ import annotations

import math

import numpy as np
import pybullet
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from unibody.bullet.errors import error
from unibody.bullet.maths import camera_matrices as ours

# PyBullet builds its view matrices in float32 with some thirty operations of error 6e-8 each; the
# translation column is a product with positions up to 30 m.
FLOAT32 = 3e-6
coordinates = st.floats(-10.0, 10.0, width=32)
points = st.tuples(coordinates, coordinates, coordinates)
degrees = st.floats(-360.0, 360.0)
distances = st.floats(0.125, 100.0, width=32)


@given(points, points, points)
def test_a_view_matrix_equals_pybullets(
    eye: tuple[float, ...], target: tuple[float, ...], up: tuple[float, ...]
) -> None:
    forward = np.subtract(target, eye)
    sine = np.linalg.norm(np.cross(forward, up))
    scale = np.linalg.norm(forward) * np.linalg.norm(up)
    # Rounding is amplified where the view is nearly along the up vector.
    assume(scale > 1e-2 and sine > 1e-2 * scale)
    expected = pybullet.computeViewMatrix(eye, target, up)
    found = ours.computeViewMatrix(eye, target, up)
    assert found == pytest.approx(expected, abs=30.0 * FLOAT32 * scale / sine)


@given(points, st.floats(0.125, 50.0), degrees, degrees, degrees, st.sampled_from([1, 2]))
def test_a_view_matrix_from_angles_equals_pybullets(
    target: tuple[float, ...], distance: float, yaw: float, pitch: float, roll: float, up: int
) -> None:
    expected = pybullet.computeViewMatrixFromYawPitchRoll(target, distance, yaw, pitch, roll, up)
    found = ours.computeViewMatrixFromYawPitchRoll(target, distance, yaw, pitch, roll, up)
    # PyBullet subtracts two positions of up to 60 m to find a direction of length ``distance``.
    assert found == pytest.approx(expected, abs=100.0 * FLOAT32 * (1.0 + 20.0 / distance))


@given(points, st.floats(0.1, 50.0), degrees, st.floats(-80.0, 80.0))
def test_the_camera_sees_its_target_in_the_middle_at_the_distance(
    target: tuple[float, ...], distance: float, yaw: float, pitch: float
) -> None:
    matrix = ours.computeViewMatrixFromYawPitchRoll(target, distance, yaw, pitch, 0.0, 2)
    seen = np.reshape(matrix, (4, 4)).T @ (*target, 1.0)
    assert seen == pytest.approx((0.0, 0.0, -distance, 1.0), abs=1e-4)


@given(st.lists(st.floats(-1e3, 1e3), min_size=6, max_size=6))
def test_a_projection_matrix_equals_pybullets_to_the_last_digit(edges: list[float]) -> None:
    expected = pybullet.computeProjectionMatrix(*edges)
    np.testing.assert_array_equal(ours.computeProjectionMatrix(*edges), expected)


@given(st.floats(1.0, 179.0), st.floats(0.1, 10.0), distances, distances)
def test_a_projection_matrix_from_a_field_of_view_equals_pybullets_to_the_last_digit(
    fov: float, aspect: float, near: float, far: float
) -> None:
    expected = pybullet.computeProjectionMatrixFOV(fov, aspect, near, far)
    np.testing.assert_array_equal(ours.computeProjectionMatrixFOV(fov, aspect, near, far), expected)


@pytest.mark.parametrize("arguments", [(0, 1, 1, 1), (60, 0, 1, 2), (1e300, 1, 1, 3)])
def test_a_degenerate_field_of_view_gives_the_infinities_pybullet_gives(
    arguments: tuple[float, ...],
) -> None:
    expected = pybullet.computeProjectionMatrixFOV(*arguments)
    np.testing.assert_array_equal(ours.computeProjectionMatrixFOV(*arguments), expected)


def test_a_camera_at_its_own_target_gives_nan_as_pybullet_does() -> None:
    arguments = ((1, 2, 3), (1, 2, 3), (0, 0, 1))
    expected = pybullet.computeViewMatrix(*arguments)
    np.testing.assert_array_equal(ours.computeViewMatrix(*arguments), expected)


def test_results_are_tuples_of_sixteen_python_floats_for_any_kind_of_input() -> None:
    for found in (
        ours.computeViewMatrix(np.array([1, 2, 3]), [0, 0, 0], (0, 0, 1)),
        ours.computeViewMatrixFromYawPitchRoll(np.zeros(3), 1, 2, 3, 4, np.int64(2)),
        ours.computeProjectionMatrix(-1, 1, -1, 1, np.float32(0.1), 3),
        ours.computeProjectionMatrixFOV(60, 1, np.float64(0.1), 3),
    ):
        assert isinstance(found, tuple)
        assert [type(value) for value in found] == [float] * 16


def test_bad_input_raises_pybullets_errors() -> None:
    with pytest.raises(error, match=r"^Error in computeViewMatrix\.$"):
        ours.computeViewMatrix((0, 0, 0), (1, 0), (0, 0, 1))
    with pytest.raises(error, match=r"^Cannot convert cameraTargetPosition\.$"):
        ours.computeViewMatrixFromYawPitchRoll(None, 1, 0, 0, 0, 2)
    with pytest.raises(error, match="upAxisIndex=0 is not allowed"):
        ours.computeViewMatrixFromYawPitchRoll((0, 0, 0), 1, 0, 0, 0, 0)
    with pytest.raises(TypeError, match="must be real number, not str"):
        ours.computeProjectionMatrixFOV("a", 1, 1, 3)
    with pytest.raises(TypeError):
        ours.computeViewMatrixFromYawPitchRoll((0, 0, 0), 1, 0, 0, 0, 2.0)
    with pytest.raises(TypeError):
        ours.computeProjectionMatrix(0, 1)
    assert math.isinf(ours.computeProjectionMatrix(1, 1, 2, 3, 4, 5)[0])
