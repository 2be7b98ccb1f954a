"""Homogeneous matrices, Euler angles and quaternions (x, y, z, w), as scripts import them.

The functions about rotations and rigid transforms of the module of this name, after textbook
formulas. Matrices are (4, 4) and act on columns. Euler angles come with the name of their axes:
``s`` or ``r`` for axes that stay or turn with the frame, then the axes in order (``sxyz``).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from unibody.errors import NotSupportedError

Array = NDArray[np.float64]
_EPS = 4.0 * float(np.finfo(float).eps)
_ABSENT = frozenset(
    {"Arcball", "arcball_map_to_sphere", "arcball_constrain_to_axis", "arcball_nearest_axis",
     "clip_matrix", "compose_matrix", "decompose_matrix", "orthogonalization_matrix",
     "projection_from_matrix", "projection_matrix", "reflection_from_matrix",
     "scale_from_matrix", "shear_from_matrix", "shear_matrix", "superimposition_matrix"}
)  # fmt: skip


def __getattr__(name: str) -> Any:
    if name in _ABSENT:
        raise NotSupportedError(
            f"pybullet_utils.transformations.{name}", "the package `transformations` has it"
        )
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def identity_matrix() -> Array:
    """The transform that changes nothing."""
    return np.identity(4)


def translation_matrix(direction: ArrayLike) -> Array:
    """A shift by a vector."""
    matrix = np.identity(4)
    matrix[:3, 3] = np.asarray(direction, dtype=float)[:3]
    return matrix


def translation_from_matrix(matrix: ArrayLike) -> Array:
    """The shift in a transform."""
    return np.array(matrix, dtype=float)[:3, 3].copy()


def reflection_matrix(point: ArrayLike, normal: ArrayLike) -> Array:
    """A reflection at the plane through a point."""
    n = unit_vector(np.asarray(normal, dtype=float)[:3])
    matrix = np.identity(4)
    matrix[:3, :3] -= 2.0 * np.outer(n, n)
    matrix[:3, 3] = 2.0 * np.dot(np.asarray(point, dtype=float)[:3], n) * n
    return matrix


def scale_matrix(
    factor: float, origin: ArrayLike | None = None, direction: ArrayLike | None = None
) -> Array:
    """A scaling about an origin, along one direction or all."""
    matrix = np.identity(4)
    if direction is None:
        matrix[:3, :3] *= factor
    else:
        d = unit_vector(np.asarray(direction, dtype=float)[:3])
        matrix[:3, :3] -= (1.0 - factor) * np.outer(d, d)
    if origin is not None:
        centre = np.asarray(origin, dtype=float)[:3]
        matrix[:3, 3] = centre - matrix[:3, :3] @ centre
    return matrix


def rotation_matrix(angle: float, direction: ArrayLike, point: ArrayLike | None = None) -> Array:
    """A rotation [rad] about an axis through a point, after Rodrigues."""
    x, y, z = unit_vector(np.asarray(direction, dtype=float)[:3])
    cross = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    matrix = np.identity(4)
    matrix[:3, :3] += math.sin(angle) * cross + (1.0 - math.cos(angle)) * cross @ cross
    if point is not None:
        centre = np.asarray(point, dtype=float)[:3]
        matrix[:3, 3] = centre - matrix[:3, :3] @ centre
    return matrix


def rotation_from_matrix(matrix: ArrayLike) -> tuple[float, Array, Array]:
    """Angle [rad], axis and a point on it (homogeneous) of a rotation.

    Raises:
        ValueError: The matrix is no rotation.
    """
    whole = np.array(matrix, dtype=float)
    turn = whole[:3, :3]
    if not np.allclose(turn @ turn.T, np.identity(3), atol=1e-6) or np.linalg.det(turn) < 0:
        raise ValueError("the matrix is no rotation")
    values, vectors = np.linalg.eig(turn)
    axis = np.real(vectors[:, int(np.argmin(abs(values - 1.0)))])
    skew = np.array([turn[2, 1] - turn[1, 2], turn[0, 2] - turn[2, 0], turn[1, 0] - turn[0, 1]])
    angle = math.atan2(0.5 * float(skew @ axis), 0.5 * (float(np.trace(turn)) - 1.0))
    point = np.append(np.linalg.lstsq(np.identity(3) - turn, whole[:3, 3], rcond=None)[0], 1.0)
    return angle, axis, point


# --- Euler angles ------------------------------------------------------------------------------


def _plan(axes: str | Sequence[int]) -> tuple[bool, tuple[int, int, int]]:
    """Whether the axes turn with the frame, and their numbers in order."""
    if not isinstance(axes, str):
        first, parity, repetition, frame = axes
        second = (first + 1 + parity) % 3
        third = first if repetition else 3 - first - second
        order = (first, second, third)
        return bool(frame), (third, second, first) if frame else order
    if len(axes) != 4 or axes[0] not in "sr" or any(axis not in "xyz" for axis in axes[1:]):
        raise KeyError(axes)
    i, j, k = "xyz".index(axes[1]), "xyz".index(axes[2]), "xyz".index(axes[3])
    if j in (i, k):
        raise KeyError(axes)
    return axes[0] == "r", (i, j, k)


def euler_matrix(ai: float, aj: float, ak: float, axes: str | Sequence[int] = "sxyz") -> Array:
    """The rotation of three angles [rad]."""
    turning, order = _plan(axes)
    turns = [
        rotation_matrix(angle, np.identity(3)[axis])
        for angle, axis in zip((ai, aj, ak), order, strict=True)
    ]
    return turns[0] @ turns[1] @ turns[2] if turning else turns[2] @ turns[1] @ turns[0]


def euler_from_matrix(
    matrix: ArrayLike, axes: str | Sequence[int] = "sxyz"
) -> tuple[float, float, float]:
    """The three angles of a rotation [rad]; where they are not unique the outer one is 0."""
    turning, order = _plan(axes)
    r = np.array(matrix, dtype=float)[:3, :3]
    first, second, third = order if turning else order[::-1]
    a, b, c = _turning_angles(r, first, second, third)
    return (a, b, c) if turning else (c, b, a)


def _turning_angles(r: Array, i: int, j: int, last: int) -> tuple[float, float, float]:
    """The angles of ``R_i(a) R_j(b) R_last(c)``, by comparing elements."""
    k = 3 - i - j
    sign = 1.0 if (j - i) % 3 == 1 else -1.0
    if last == i:  # the middle angle has the sign of the order of the axes
        b = math.atan2(sign * math.hypot(r[i, j], r[i, k]), r[i, i])
        if abs(math.sin(b)) > _EPS:
            a = math.atan2(sign * r[j, i], -r[k, i])
            return a, b, math.atan2(sign * r[i, j], r[i, k])
        return 0.0, b, math.atan2(-sign * r[j, k], r[j, j])
    b = math.atan2(sign * r[i, k], math.hypot(r[i, i], r[i, j]))
    if math.cos(b) > _EPS:
        return math.atan2(-sign * r[j, k], r[k, k]), b, math.atan2(-sign * r[i, j], r[i, i])
    return 0.0, b, math.atan2(sign * r[j, i], r[j, j])


def euler_from_quaternion(
    quaternion: ArrayLike, axes: str | Sequence[int] = "sxyz"
) -> tuple[float, float, float]:
    """The three angles of a quaternion [rad]."""
    return euler_from_matrix(quaternion_matrix(quaternion), axes)


def quaternion_from_euler(
    ai: float, aj: float, ak: float, axes: str | Sequence[int] = "sxyz"
) -> Array:
    """The quaternion of three angles [rad]."""
    turning, order = _plan(axes)
    turns = [
        quaternion_about_axis(angle, np.identity(3)[axis])
        for angle, axis in zip((ai, aj, ak), order, strict=True)
    ]
    if not turning:
        turns.reverse()
    return quaternion_multiply(quaternion_multiply(turns[0], turns[1]), turns[2])


# --- quaternions (x, y, z, w) ------------------------------------------------------------------


def quaternion_about_axis(angle: float, axis: ArrayLike) -> Array:
    """The quaternion of a rotation [rad] about an axis."""
    vector = np.asarray(axis, dtype=float)[:3]
    length = float(np.linalg.norm(vector))
    scale = math.sin(0.5 * angle) / length if length > _EPS else 0.0
    return np.append(scale * vector, math.cos(0.5 * angle))


def quaternion_matrix(quaternion: ArrayLike) -> Array:
    """The rotation of a quaternion of any length; the identity if it has none."""
    q = np.array(quaternion, dtype=float)[:4]
    square = float(q @ q)
    matrix = np.identity(4)
    if square < _EPS:
        return matrix
    x, y, z, w = q * math.sqrt(2.0 / square)
    matrix[:3, :3] = (
        (1.0 - y * y - z * z, x * y - z * w, x * z + y * w),
        (x * y + z * w, 1.0 - x * x - z * z, y * z - x * w),
        (x * z - y * w, y * z + x * w, 1.0 - x * x - y * y),
    )
    return matrix


def quaternion_from_matrix(matrix: ArrayLike) -> Array:
    """The quaternion of a rotation; its largest element is positive."""
    m = np.array(matrix, dtype=float)[:3, :3]
    squares = np.array(
        [1.0 + m[0, 0] - m[1, 1] - m[2, 2], 1.0 - m[0, 0] + m[1, 1] - m[2, 2],
         1.0 - m[0, 0] - m[1, 1] + m[2, 2], 1.0 + m[0, 0] + m[1, 1] + m[2, 2]]
    )  # fmt: skip
    products = np.array(
        [[0.0, m[1, 0] + m[0, 1], m[2, 0] + m[0, 2], m[2, 1] - m[1, 2]],
         [m[1, 0] + m[0, 1], 0.0, m[2, 1] + m[1, 2], m[0, 2] - m[2, 0]],
         [m[2, 0] + m[0, 2], m[2, 1] + m[1, 2], 0.0, m[1, 0] - m[0, 1]],
         [m[2, 1] - m[1, 2], m[0, 2] - m[2, 0], m[1, 0] - m[0, 1], 0.0]]
    )  # fmt: skip
    largest = int(np.argmax(squares))
    row = products[largest].copy()
    row[largest] = squares[largest]
    return row / np.linalg.norm(row)


def quaternion_multiply(quaternion1: ArrayLike, quaternion0: ArrayLike) -> Array:
    """The rotation of ``quaternion0``, then that of ``quaternion1``."""
    x1, y1, z1, w1 = np.asarray(quaternion1, dtype=float)
    x0, y0, z0, w0 = np.asarray(quaternion0, dtype=float)
    return np.array(
        [
            w1 * x0 + x1 * w0 + y1 * z0 - z1 * y0,
            w1 * y0 - x1 * z0 + y1 * w0 + z1 * x0,
            w1 * z0 + x1 * y0 - y1 * x0 + z1 * w0,
            w1 * w0 - x1 * x0 - y1 * y0 - z1 * z0,
        ]
    )


def quaternion_conjugate(quaternion: ArrayLike) -> Array:
    """The quaternion with its vector turned round."""
    x, y, z, w = np.asarray(quaternion, dtype=float)
    return np.array((-x, -y, -z, w))


def quaternion_inverse(quaternion: ArrayLike) -> Array:
    """The quaternion that undoes another."""
    q = np.asarray(quaternion, dtype=float)
    return quaternion_conjugate(q) / float(q @ q)


def quaternion_slerp(
    quat0: ArrayLike, quat1: ArrayLike, fraction: float, spin: int = 0, shortestpath: bool = True
) -> Array:
    """The rotation a fraction of the way from one to another, with ``spin`` extra turns."""
    begin, end = unit_vector(quat0), unit_vector(quat1)
    if fraction == 0.0:
        return begin
    if fraction == 1.0:
        return end
    cosine = float(begin @ end)
    if abs(abs(cosine) - 1.0) < _EPS:
        return begin
    if shortestpath and cosine < 0.0:
        cosine, end = -cosine, -end
    angle = math.acos(cosine) + spin * math.pi
    if abs(angle) < _EPS:
        return begin
    weights = math.sin((1.0 - fraction) * angle), math.sin(fraction * angle)
    return (weights[0] * begin + weights[1] * end) / math.sin(angle)


def random_quaternion(rand: ArrayLike | None = None) -> Array:
    """A quaternion drawn evenly from all rotations, from three numbers in [0, 1) if given."""
    u = np.random.rand(3) if rand is None else np.asarray(rand, dtype=float)  # noqa: NPY002
    inner, outer = math.sqrt(1.0 - u[0]), math.sqrt(u[0])
    s, t = 2.0 * math.pi * u[1], 2.0 * math.pi * u[2]
    return np.array(
        (math.sin(s) * inner, math.cos(s) * inner, math.sin(t) * outer, math.cos(t) * outer)
    )


def random_rotation_matrix(rand: ArrayLike | None = None) -> Array:
    """A rotation drawn evenly from all rotations."""
    return quaternion_matrix(random_quaternion(rand))


# --- vectors and matrices ----------------------------------------------------------------------


def vector_norm(data: ArrayLike, axis: int | None = None, out: Any = None) -> Any:
    """Euclidean length, along an axis if given."""
    length = np.linalg.norm(np.asarray(data, dtype=float), axis=axis) if axis is not None else (
        float(np.linalg.norm(np.ravel(np.asarray(data, dtype=float))))
    )  # fmt: skip
    if out is None:
        return length
    out[...] = length
    return None


def unit_vector(data: ArrayLike, axis: int | None = None, out: Any = None) -> Any:
    """The vector divided by its length, along an axis if given."""
    array = np.array(data, dtype=float)
    length = np.linalg.norm(array.ravel() if axis is None else array, axis=axis, keepdims=True)
    with np.errstate(divide="ignore", invalid="ignore"):
        result = array / (length if axis is not None else length.item())
    if out is None:
        return result
    out[...] = result
    return None


def random_vector(size: Any) -> Array:
    """Numbers drawn evenly from [0, 1)."""
    return np.random.random(size)  # noqa: NPY002


def inverse_matrix(matrix: ArrayLike) -> Array:
    """The inverse."""
    return np.linalg.inv(np.asarray(matrix, dtype=float))


def concatenate_matrices(*matrices: ArrayLike) -> Array:
    """The product of transforms: the last one acts first."""
    product = np.identity(4)
    for matrix in matrices:
        product = product @ np.asarray(matrix, dtype=float)
    return product


def is_same_transform(matrix0: ArrayLike, matrix1: ArrayLike) -> bool:
    """Whether two homogeneous matrices mean the same, whatever they are scaled by."""
    a, b = (np.array(matrix, dtype=float) for matrix in (matrix0, matrix1))
    return bool(np.allclose(a / a[3, 3], b / b[3, 3]))
