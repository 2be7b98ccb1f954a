"""Quaternions and transforms agree with PyBullet and with the algebra they stand for."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pybullet
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from unibody.bullet.errors import error
from unibody.bullet.maths import transforms as ours

# getQuaternionFromEuler, getEulerFromQuaternion and getMatrixFromQuaternion are float64 in
# PyBullet too: both sides round each of about ten operations.
FLOAT64 = 1e-13
# Everything else is float32 in PyBullet: a dozen operations of relative error 6e-8 each.
FLOAT32 = 3e-6

angles = st.floats(-10.0, 10.0)
lengths = st.floats(-10.0, 10.0)
vectors = st.tuples(lengths, lengths, lengths)
components = st.floats(-1.0, 1.0)


@st.composite
def unit_quaternions(draw: st.DrawFn) -> tuple[float, float, float, float]:
    """Draw a unit quaternion, with exact zeros and halves more often than chance has them."""
    special = st.sampled_from([0.0, 0.5, -0.5, 1.0, -1.0, math.sqrt(0.5)])
    values = [draw(st.one_of(special, components)) for _ in range(4)]
    norm = math.sqrt(sum(value * value for value in values))
    assume(norm > 1e-3)
    return tuple(value / norm for value in values)


def _up_to_sign(quat: tuple[float, ...], expected: tuple[float, ...], tolerance: float) -> bool:
    sign = 1.0 if np.dot(quat, expected) >= 0.0 else -1.0
    return np.allclose(np.multiply(quat, sign), expected, rtol=0.0, atol=tolerance)


@given(angles, angles, angles)
def test_a_quaternion_from_euler_angles_equals_pybullets(
    roll: float, pitch: float, yaw: float
) -> None:
    expected = pybullet.getQuaternionFromEuler([roll, pitch, yaw])
    assert ours.getQuaternionFromEuler([roll, pitch, yaw]) == pytest.approx(expected, abs=FLOAT64)


@given(unit_quaternions())
def test_euler_angles_from_a_quaternion_equal_pybullets(quat: tuple[float, ...]) -> None:
    expected = pybullet.getEulerFromQuaternion(quat)
    # atan2 near its branch cut may land on either side: compare angles modulo a full turn.
    difference = np.subtract(ours.getEulerFromQuaternion(quat), expected)
    wrapped = (difference + math.pi) % (2.0 * math.pi) - math.pi
    # asin amplifies rounding by 1/cos(pitch), 224 at the threshold.
    assert np.abs(wrapped).max() < 1e3 * FLOAT64


@given(angles, angles, st.sampled_from([-1.0, 1.0]), st.floats(0.0, 4e-3))
def test_near_a_vertical_pitch_the_euler_angles_follow_pybullets_choice(
    roll: float, yaw: float, side: float, off: float
) -> None:
    quat = pybullet.getQuaternionFromEuler([roll, side * (math.pi / 2.0 - off), yaw])
    angles_found = ours.getEulerFromQuaternion(quat)
    assert angles_found[0] == 0.0
    assert angles_found == pytest.approx(pybullet.getEulerFromQuaternion(quat), abs=1e-12)


@given(st.tuples(components, components, components, components))
def test_a_matrix_of_a_quaternion_of_any_length_equals_pybullets(quat: tuple[float, ...]) -> None:
    assume(sum(value * value for value in quat) > 1e-6)
    expected = pybullet.getMatrixFromQuaternion(quat)
    assert ours.getMatrixFromQuaternion(quat) == pytest.approx(expected, abs=FLOAT64)


@given(vectors, unit_quaternions(), vectors, unit_quaternions())
def test_a_product_of_transforms_equals_pybullets(
    pos_a: tuple[float, ...],
    quat_a: tuple[float, ...],
    pos_b: tuple[float, ...],
    quat_b: tuple[float, ...],
) -> None:
    pos, quat = ours.multiplyTransforms(pos_a, quat_a, pos_b, quat_b)
    expected_pos, expected_quat = pybullet.multiplyTransforms(pos_a, quat_a, pos_b, quat_b)
    assert pos == pytest.approx(expected_pos, abs=30.0 * FLOAT32)
    assert _up_to_sign(quat, expected_quat, 1e3 * FLOAT32)


@given(vectors, unit_quaternions(), vectors, unit_quaternions())
def test_a_product_of_transforms_equals_the_product_of_its_rotations(
    pos_a: tuple[float, ...],
    quat_a: tuple[float, ...],
    pos_b: tuple[float, ...],
    quat_b: tuple[float, ...],
) -> None:
    pos, quat = ours.multiplyTransforms(pos_a, quat_a, pos_b, quat_b)
    rotation = Rotation.from_quat(quat_a)
    assert pos == pytest.approx(pos_a + rotation.apply(pos_b), abs=1e-12)
    expected = (rotation * Rotation.from_quat(quat_b)).as_quat()
    assert _up_to_sign(quat, tuple(expected), FLOAT64)


def test_the_sign_of_a_product_is_pybullets_for_all_right_angles_and_thirds_of_turns() -> None:
    half, root = 0.5, math.sqrt(0.5)
    signs = (-1.0, 1.0)
    group = [tuple(half * s for s in combo) for combo in itertools.product(signs, repeat=4)]
    for i in range(4):
        for s in signs:
            group.append(tuple(s if k == i else 0.0 for k in range(4)))
    for i, j in itertools.combinations(range(4), 2):
        for s, t in itertools.product(signs, signs):
            group.append(tuple({i: s * root, j: t * root}.get(k, 0.0) for k in range(4)))
    zero, identity = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0, 1.0)
    assert len(group) == 48
    for quat in group:
        expected = pybullet.multiplyTransforms(zero, quat, zero, identity)[1]
        found = ours.multiplyTransforms(zero, quat, zero, identity)[1]
        assert found == pytest.approx(expected, abs=FLOAT32), quat
        expected = pybullet.invertTransform(zero, quat)[1]
        assert ours.invertTransform(zero, quat)[1] == pytest.approx(expected, abs=FLOAT32), quat


@given(vectors, unit_quaternions())
def test_a_transform_times_its_inverse_is_the_identity(
    pos: tuple[float, ...], quat: tuple[float, ...]
) -> None:
    inverse = ours.invertTransform(pos, quat)
    found_pos, found_quat = ours.multiplyTransforms(pos, quat, *inverse)
    assert found_pos == pytest.approx((0.0, 0.0, 0.0), abs=1e-12)
    assert found_quat == pytest.approx((0.0, 0.0, 0.0, 1.0), abs=FLOAT64)
    expected_pos, expected_quat = pybullet.invertTransform(pos, quat)
    assert inverse[0] == pytest.approx(expected_pos, abs=30.0 * FLOAT32)
    assert _up_to_sign(inverse[1], expected_quat, 1e3 * FLOAT32)


@given(st.tuples(components, components, components, components), vectors)
def test_a_rotated_vector_equals_pybullets_also_where_the_quaternion_is_not_a_unit(
    quat: tuple[float, ...], vector: tuple[float, ...]
) -> None:
    expected = pybullet.rotateVector(quat, vector)
    # |q|^2 |v| is at most 4 * 17
    assert ours.rotateVector(quat, vector) == pytest.approx(expected, abs=70.0 * FLOAT32)


@given(unit_quaternions(), unit_quaternions(), st.floats(-0.5, 1.5))
def test_an_interpolated_quaternion_equals_pybullets(
    start: tuple[float, ...], end: tuple[float, ...], fraction: float
) -> None:
    cosine = abs(np.dot(start, end))
    # Where the arc is undetermined (a half turn) or lost in float32 (a milliradian) PyBullet's
    # result is noise.
    assume(1e-5 < cosine < 1.0 - 1e-4)
    expected = pybullet.getQuaternionSlerp(start, end, fraction)
    tolerance = FLOAT32 / (1.0 - cosine)
    found = ours.getQuaternionSlerp(start, end, fraction)
    assert found == pytest.approx(expected, abs=tolerance)


@given(unit_quaternions(), unit_quaternions())
def test_interpolation_starts_at_the_start_and_ends_at_the_end(
    start: tuple[float, ...], end: tuple[float, ...]
) -> None:
    # sin(theta) loses half of the digits where theta is small.
    assert ours.getQuaternionSlerp(start, end, 0.0) == pytest.approx(start, abs=1e-7)
    assert _up_to_sign(ours.getQuaternionSlerp(start, end, 1.0), end, 1e-7)


@given(vectors, angles)
def test_a_quaternion_from_axis_and_angle_equals_pybullets(
    axis: tuple[float, ...], angle: float
) -> None:
    length = math.sqrt(sum(value * value for value in axis))
    assume(length == 0.0 or length > 1e-6)
    expected = pybullet.getQuaternionFromAxisAngle(axis, angle)
    found = ours.getQuaternionFromAxisAngle(axis, angle)
    assert found == pytest.approx(expected, abs=FLOAT32)


@given(unit_quaternions())
def test_axis_and_angle_of_a_quaternion_equal_pybullets(quat: tuple[float, ...]) -> None:
    squared_sine = 1.0 - quat[3] * quat[3]
    assume(squared_sine == 0.0 or squared_sine > 1e-4)
    axis, angle = ours.getAxisAngleFromQuaternion(quat)
    expected_axis, expected_angle = pybullet.getAxisAngleFromQuaternion(quat)
    # Both divide by sin(angle / 2), at least 1e-2.
    assert axis == pytest.approx(expected_axis, abs=1e3 * FLOAT32)
    assert angle == pytest.approx(expected_angle, abs=100.0 * FLOAT32)


@given(unit_quaternions(), unit_quaternions())
def test_the_difference_of_two_quaternions_equals_pybullets(
    start: tuple[float, ...], end: tuple[float, ...]
) -> None:
    assume(abs(np.dot(start, end)) > 1e-6)  # at a half turn either sign is right
    expected = pybullet.getDifferenceQuaternion(start, end)
    found = ours.getDifferenceQuaternion(start, end)
    assert found == pytest.approx(expected, abs=FLOAT32)


@given(unit_quaternions(), unit_quaternions())
def test_the_axis_difference_of_two_quaternions_equals_pybullets(
    start: tuple[float, ...], end: tuple[float, ...]
) -> None:
    expected = pybullet.getAxisDifferenceQuaternion(start, end)
    assume(abs(abs(expected[1]) - math.pi / 2.0) > 1e-2)
    difference = np.subtract(ours.getAxisDifferenceQuaternion(start, end), expected)
    wrapped = (difference + math.pi) % (2.0 * math.pi) - math.pi
    # asin and atan2 amplify rounding by 1/cos of the second angle, at most 100
    assert np.abs(wrapped).max() < 200.0 * FLOAT32


@given(unit_quaternions(), unit_quaternions(), st.floats(1e-3, 10.0))
def test_the_velocity_between_two_quaternions_equals_pybullets(
    start: tuple[float, ...], end: tuple[float, ...], duration: float
) -> None:
    cosine = abs(np.dot(start, end))
    assume(1e-6 < cosine < 1.0 - 1e-4)
    expected = pybullet.calculateVelocityQuaternion(start, end, duration)
    found = ours.calculateVelocityQuaternion(start, end, duration)
    # acos amplifies rounding by 1/sin(angle / 2), at most 70
    assert found == pytest.approx(expected, abs=200.0 * FLOAT32 / duration)


def test_no_rotation_has_no_velocity() -> None:
    assert ours.calculateVelocityQuaternion((0, 0, 0, 1), (0, 0, 0, 1), 0.1) == (0.0, 0.0, 0.0)


CALLS = {
    "getQuaternionFromEuler": ([1, 2, 3],),
    "getEulerFromQuaternion": ([0, 0, 1, 0],),
    "getMatrixFromQuaternion": ([0, 1, 0, 1],),
    "multiplyTransforms": ([1, 2, 3], [0, 0, 1, 1], [3, 2, 1], [0, 0, 0, 1]),
    "invertTransform": ([1, 2, 3], [0, 0, 0, 1]),
    "getQuaternionSlerp": ([0, 0, 0, 1], [0, 0, 1, 1], 1),
    "getQuaternionFromAxisAngle": ([0, 0, 2], 1),
    "getAxisAngleFromQuaternion": ([0, 0, 1, 0],),
    "getDifferenceQuaternion": ([0, 0, 0, 1], [0, 0, 1, 0]),
    "getAxisDifferenceQuaternion": ([0, 0, 0, 1], [0, 0, 1, 0]),
    "calculateVelocityQuaternion": ([0, 0, 0, 1], [0, 0, 1, 0], 1),
    "rotateVector": ([0, 0, 0, 1], [1, 2, 3]),
}


def _flat(value: object) -> list[object]:
    return [leaf for item in value for leaf in _flat(item)] if isinstance(value, tuple) else [value]


@pytest.mark.parametrize("kind", [list, tuple, np.array, lambda v: np.array(v, np.float32)])
@pytest.mark.parametrize("name", CALLS)
def test_any_kind_of_sequence_of_integers_gives_tuples_of_python_floats(
    name: str, kind: type
) -> None:
    arguments = [kind(a) if isinstance(a, list) else a for a in CALLS[name]]
    found = getattr(ours, name)(*arguments, physicsClientId=0)
    expected = getattr(pybullet, name)(*arguments)
    assert [type(leaf) for leaf in _flat(found)] == [float] * len(_flat(expected))
    assert _flat(found) == pytest.approx(_flat(expected), abs=5.0 * FLOAT32)


CRASHES_PYBULLET = ("getQuaternionFromEuler", "getEulerFromQuaternion")  # on what is no sequence


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("bad", [None, 5, [1.0, 2.0], "ab", {0: 1, 1: 2, 2: 3, 3: 4}, iter("ab")])
def test_what_is_no_vector_raises_what_pybullet_raises(name: str, bad: object) -> None:
    for position, argument in enumerate(CALLS[name]):
        if not isinstance(argument, list):
            continue
        arguments = [*CALLS[name][:position], bad, *CALLS[name][position + 1 :]]
        oracle = [*CALLS[name][:position], [1.0, 2.0], *CALLS[name][position + 1 :]]
        with pytest.raises(pybullet.error) as expected:
            getattr(pybullet, name)(*(oracle if name in CRASHES_PYBULLET else arguments))
        with pytest.raises(error) as raised:
            getattr(ours, name)(*arguments)
        assert str(raised.value) == str(expected.value)


@pytest.mark.parametrize("name", CALLS)
def test_a_missing_or_a_strange_argument_raises_a_type_error(name: str) -> None:
    function = getattr(ours, name)
    with pytest.raises(TypeError):
        function()
    with pytest.raises(TypeError):
        function(*CALLS[name], nonsense=1)
    with pytest.raises(TypeError, match="must be real number, not str"):
        function(["a"] * len(CALLS[name][0]), *CALLS[name][1:])


def test_a_zero_quaternion_gives_nan_where_pybullet_divides_by_zero() -> None:
    zero, origin, identity = (0.0, 0.0, 0.0, 0.0), (1.0, 2.0, 3.0), (0.0, 0.0, 0.0, 1.0)
    assert all(map(math.isnan, ours.getMatrixFromQuaternion(zero)))
    assert all(map(math.isnan, _flat(ours.multiplyTransforms(origin, zero, origin, identity))))
    assert all(map(math.isnan, _flat(ours.invertTransform(origin, zero))))


def test_infinite_angles_and_no_time_give_the_infinities_pybullet_gives() -> None:
    assert all(map(math.isnan, ours.getQuaternionFromEuler((math.inf, 0.0, 0.0))))
    assert all(map(math.isnan, ours.getQuaternionFromAxisAngle((1.0, 0.0, 0.0), math.inf)))
    arguments = ((0.0, 0.0, 0.0, 1.0), (0.0, 0.0, 1.0, 0.0), 0.0)
    expected = pybullet.calculateVelocityQuaternion(*arguments)
    np.testing.assert_array_equal(ours.calculateVelocityQuaternion(*arguments), expected)
