"""Rotations and transforms next to the original module's."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest
from pybullet_utils import transformations as original

from unibody.bullet.pybullet_utils import transformations as ours
from unibody.errors import NotSupportedError

RANDOM = np.random.default_rng(3)
AXES = sorted(original._AXES2TUPLE)
# as arrays: the original does not take sequences with NumPy 2
V123, V456 = np.array([1.0, 2.0, 3.0]), np.array([4.0, 5.0, 6.0])
CLOSE = {"rtol": 1e-9, "atol": 1e-9}  # the same formulas in float64, through up to 3 products


def rotations() -> list[Any]:
    return [original.random_rotation_matrix(RANDOM.random(3)) for _ in range(5)]


def same_quaternion(a: Any, b: Any) -> bool:
    return bool(np.allclose(a, b, **CLOSE) or np.allclose(a, np.negative(b), **CLOSE))


@pytest.mark.parametrize("axes", AXES)
def test_euler_angles_are_the_originals_about_all_axes(axes: str) -> None:
    for angles in RANDOM.uniform(-3, 3, (5, 3)):
        wanted = original.euler_matrix(*angles, axes)
        np.testing.assert_allclose(ours.euler_matrix(*angles, axes), wanted, **CLOSE)
        code = original._AXES2TUPLE[axes]
        np.testing.assert_allclose(ours.euler_matrix(*angles, code), wanted, **CLOSE)
        found = ours.quaternion_from_euler(*angles, axes)
        assert same_quaternion(found, original.quaternion_from_euler(*angles, axes))
    for matrix in rotations():
        np.testing.assert_allclose(
            ours.euler_from_matrix(matrix, axes), original.euler_from_matrix(matrix, axes), **CLOSE
        )
        quaternion = original.quaternion_from_matrix(matrix)
        np.testing.assert_allclose(
            ours.euler_from_quaternion(quaternion, axes),
            original.euler_from_quaternion(quaternion, axes), **CLOSE,
        )  # fmt: skip


@pytest.mark.parametrize("axes", AXES)
def test_angles_that_are_not_unique_still_give_the_rotation(axes: str) -> None:
    for middle in (0.0, math.pi / 2, -math.pi / 2, math.pi):
        matrix = ours.euler_matrix(0.3, middle, 0.4, axes)
        again = ours.euler_matrix(*ours.euler_from_matrix(matrix, axes), axes)
        np.testing.assert_allclose(again, matrix, atol=1e-7)


@pytest.mark.parametrize("axes", ["", "sxy", "qxyz", "sxxy", "sxyy", "sabc"])
def test_axes_that_are_none_are_refused(axes: str) -> None:
    with pytest.raises(KeyError):
        ours.euler_matrix(0, 0, 0, axes)


def test_quaternions_are_the_originals() -> None:
    a, b = original.random_quaternion(RANDOM.random(3)), original.random_quaternion([0.1, 0.7, 0.4])
    for name, arguments in (
        ("quaternion_multiply", (a, b)), ("quaternion_conjugate", (a,)),
        ("quaternion_inverse", (2 * a,)), ("quaternion_matrix", (3 * a,)),
        ("quaternion_matrix", (0 * a,)), ("quaternion_about_axis", (0.7, V123)),
        ("random_quaternion", ((0.3, 0.5, 0.9),)), ("random_rotation_matrix", ((0.3, 0.5, 0.9),)),
        *(("quaternion_slerp", (a, b, t, spin, short))
          for t, spin, short in itertools.product((0, 0.3, 1), (0, 1), (True, False))),
    ):  # fmt: skip
        wanted = getattr(original, name)(*arguments)
        np.testing.assert_allclose(getattr(ours, name)(*arguments), wanted, **CLOSE, err_msg=name)
    for matrix in rotations():
        found = ours.quaternion_from_matrix(matrix)
        assert same_quaternion(found, original.quaternion_from_matrix(matrix))


def test_matrices_are_the_originals() -> None:
    m, n = rotations()[:2]
    for name, arguments in (
        ("identity_matrix", ()), ("translation_matrix", (V123,)),
        ("translation_from_matrix", (original.translation_matrix(V123),)),
        ("rotation_matrix", (0.7, V123)),
        ("rotation_matrix", (0.7, V123, V456)),
        ("reflection_matrix", (np.array([1.0, 2, 3, 1]), np.array([0.0, 1, 1, 0]))),
        ("scale_matrix", (2.0,)),
        ("scale_matrix", (2.0, V123)), ("scale_matrix", (-2.0, V123, np.array([0.0, 1, 1]))),
        ("inverse_matrix", (m,)), ("concatenate_matrices", (m, n, m)),
        ("is_same_transform", (m, 2 * m)), ("is_same_transform", (m, n)),
        ("vector_norm", (np.array([3.0, 4]),)), ("vector_norm", (m, 1)),
        ("unit_vector", (np.array([3.0, 4, 0]),)),
        ("unit_vector", (m, 0)),
    ):  # fmt: skip
        wanted = getattr(original, name)(*arguments)
        np.testing.assert_allclose(getattr(ours, name)(*arguments), wanted, **CLOSE, err_msg=name)


def test_a_rotation_is_taken_apart_into_angle_axis_and_point() -> None:
    for angle in (-2.0, 0.4, math.pi):
        wanted = original.rotation_matrix(angle, V123, V456)
        found = ours.rotation_matrix(*ours.rotation_from_matrix(wanted))
        np.testing.assert_allclose(found, wanted, atol=1e-7)
    with pytest.raises(ValueError, match="no rotation"):
        ours.rotation_from_matrix(np.diag([1, 1, -1, 1]))


def test_what_is_left_out_says_so() -> None:
    with pytest.raises(NotSupportedError, match="Arcball is not supported"):
        ours.Arcball  # noqa: B018
    with pytest.raises(AttributeError):
        ours.no_such_name  # noqa: B018
    names = {name for name in vars(original) if callable(getattr(original, name))}
    missing = {n for n in names if not n.startswith("_") and n not in vars(ours)} - ours._ABSENT
    assert missing <= {"division", "warnings"}
