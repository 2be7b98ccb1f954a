"""Quaternion and pose algebra on plain floats."""

from __future__ import annotations

import math

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from unibody.core.assets.description import Pose, Quat, Vec3
from unibody.core.assets.transforms import (
    pose_inverse,
    pose_multiply,
    quat_between,
    quat_conjugate,
    quat_from_rpy,
    quat_multiply,
    quat_normalize,
    quat_rotate,
)

# Products of a few float64 numbers of size up to 10: rounding stays below 1e-13.
ROUNDING = 1e-12

angle = st.floats(-10.0, 10.0)
length = st.floats(-10.0, 10.0)
vectors = st.tuples(length, length, length)
quats = st.builds(quat_from_rpy, angle, angle, angle)
poses = st.builds(Pose, vectors, quats)


def _scipy(quat: Quat) -> Rotation:
    w, x, y, z = quat
    return Rotation.from_quat((x, y, z, w))


def _unit(vector: Vec3) -> Vec3:
    x, y, z = np.array(vector) / np.linalg.norm(vector)
    return (float(x), float(y), float(z))


@given(angle, angle, angle)
def test_rpy_turns_about_the_fixed_axes_x_y_z_in_this_order(
    roll: float, pitch: float, yaw: float
) -> None:
    expected = Rotation.from_euler("xyz", (roll, pitch, yaw)).as_matrix()
    ours = _scipy(quat_from_rpy(roll, pitch, yaw)).as_matrix()
    np.testing.assert_allclose(ours, expected, atol=ROUNDING)


@given(quats, quats, vectors)
def test_rotating_by_a_product_is_rotating_twice(a: Quat, b: Quat, vector: Vec3) -> None:
    twice = quat_rotate(a, quat_rotate(b, vector))
    np.testing.assert_allclose(quat_rotate(quat_multiply(a, b), vector), twice, atol=ROUNDING)


@given(quats, vectors)
def test_rotation_agrees_with_scipy_and_its_conjugate_undoes_it(quat: Quat, vector: Vec3) -> None:
    rotated = quat_rotate(quat, vector)
    np.testing.assert_allclose(rotated, _scipy(quat).apply(vector), atol=ROUNDING)
    np.testing.assert_allclose(quat_rotate(quat_conjugate(quat), rotated), vector, atol=ROUNDING)


@given(st.tuples(length, length, length, length))
def test_normalizing_gives_length_one_for_any_quaternion(quat: Quat) -> None:
    assert math.isclose(math.hypot(*quat_normalize(quat)), 1.0, rel_tol=ROUNDING)


@given(poses, poses, vectors)
def test_a_product_of_poses_maps_points_through_both(a: Pose, b: Pose, point: Vec3) -> None:
    def apply(pose: Pose, vector: Vec3) -> np.ndarray:
        return np.add(pose.pos, quat_rotate(pose.quat, vector))

    through_both = apply(a, tuple(apply(b, point)))
    np.testing.assert_allclose(apply(pose_multiply(a, b), point), through_both, atol=1e-11)


@given(poses)
def test_a_pose_times_its_inverse_is_the_identity(pose: Pose) -> None:
    product = pose_multiply(pose, pose_inverse(pose))
    np.testing.assert_allclose(product.pos, (0.0, 0.0, 0.0), atol=1e-11)
    np.testing.assert_allclose(np.abs(product.quat), (1.0, 0.0, 0.0, 0.0), atol=ROUNDING)


long_vectors = vectors.filter(lambda vector: math.hypot(*vector) > 1e-3).map(_unit)


@given(long_vectors, long_vectors)
def test_the_rotation_between_two_directions_turns_one_into_the_other(a: Vec3, b: Vec3) -> None:
    # Near opposite directions the half angle is taken from 1 + cos, which costs half the digits.
    np.testing.assert_allclose(quat_rotate(quat_between(a, b), a), b, atol=1e-5)


def test_the_rotation_between_opposite_directions_is_half_a_turn() -> None:
    for axis in ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)):
        opposite = (-axis[0], -axis[1], -axis[2])
        turned = quat_rotate(quat_between(axis, opposite), axis)
        np.testing.assert_allclose(turned, opposite, atol=ROUNDING)
