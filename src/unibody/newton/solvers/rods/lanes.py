"""Rotations and small matrices of one lane, for loops that a compiler does many turns of at once.

Quaternions are (x, y, z, w); symmetric matrices are (xx, xy, xz, yy, yz, zz).
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from unibody.machine_code import numba

WIDTH = 16  # lanes of a tile: of float32, what one register of 512 bits holds

float32 = np.float32
_FLAGS = {"contract", "nsz", "nnan", "ninf"}

# Products may be added in one instruction; every body is the work of one lane.
vectorised: Any = numba.njit(cache=True, nogil=True, error_model="numpy", fastmath=_FLAGS)
compiled: Any = numba.njit(cache=True, nogil=True, error_model="numpy")
inlined: Any = numba.njit(forceinline=True, error_model="numpy", fastmath=_FLAGS)

_ZERO, _HALF, _ONE, _TWO = (float32(value) for value in (0.0, 0.5, 1.0, 2.0))
_TINY = float32(1e-30)
_SMALL = float32(1e-10)  # a squared sine below which an angle is its sine
_PI = float32(math.pi)
_PI_LEFT = float32(math.pi - float(_PI))
_PER_PI = float32(1.0 / math.pi)
_QUARTER = float32(0.5 * math.pi)
# Abramowitz and Stegun 4.4.49: the arc tangent on [0, 1] to 2e-8.
_A2, _A4, _A6, _A8 = (
    float32(c) for c in (-0.3333314528, 0.1999355085, -0.1420889944, 0.1065626393)
)
_A10, _A12, _A14, _A16 = (
    float32(c) for c in (-0.0752896400, 0.0429096138, -0.0161657367, 0.0028662257)
)
# Taylor's series on [-pi/2, pi/2] to 1e-9.
_S3, _S5, _S7, _S9, _S11, _S13 = (
    float32((-1.0) ** n / math.factorial(2 * n + 1)) for n in range(1, 7)
)
_C2, _C4, _C6, _C8, _C10, _C12, _C14 = (
    float32((-1.0) ** n / math.factorial(2 * n)) for n in range(1, 8)
)


@inlined
def multiplied(ax: Any, ay: Any, az: Any, aw: Any, bx: Any, by: Any, bz: Any, bw: Any) -> Any:
    """The product of two quaternions."""
    return (
        aw * bx + ax * bw + ay * bz - az * by,
        aw * by - ax * bz + ay * bw + az * bx,
        aw * bz + ax * by - ay * bx + az * bw,
        aw * bw - ax * bx - ay * by - az * bz,
    )


@inlined
def rotated(qx: Any, qy: Any, qz: Any, qw: Any, x: Any, y: Any, z: Any) -> Any:
    """A vector turned by a quaternion."""
    tx = _TWO * (qy * z - qz * y)
    ty = _TWO * (qz * x - qx * z)
    tz = _TWO * (qx * y - qy * x)
    return (
        x + qw * tx + qy * tz - qz * ty,
        y + qw * ty + qz * tx - qx * tz,
        z + qw * tz + qx * ty - qy * tx,
    )


@inlined
def columns(x: Any, y: Any, z: Any, w: Any) -> Any:
    """The columns of a quaternion's matrix, one after the other."""
    x2, y2, z2 = _TWO * x, _TWO * y, _TWO * z
    xx, yy, zz = x * x2, y * y2, z * z2
    xy, xz, yz = x * y2, x * z2, y * z2
    wx, wy, wz = w * x2, w * y2, w * z2
    return (
        _ONE - yy - zz, xy + wz, xz - wy,
        xy - wz, _ONE - xx - zz, yz + wx,
        xz + wy, yz - wx, _ONE - xx - yy,
    )  # fmt: skip


@inlined
def _angle(sine: Any, cosine: Any) -> Any:
    """The angle of a sine and a cosine that are not negative, to a common scale [rad]."""
    t = min(sine, cosine) / max(sine, cosine, _TINY)
    x = t * t
    high = _A8 + x * (_A10 + x * (_A12 + x * (_A14 + x * _A16)))
    angle = t + t * x * (_A2 + x * (_A4 + x * (_A6 + x * high)))
    return _QUARTER - angle if sine > cosine else angle


@inlined
def rotation_vector(x: Any, y: Any, z: Any, w: Any) -> Any:
    """The rotation vector of a quaternion, the short way [rad]."""
    side = -_ONE if w < _ZERO else _ONE
    cosine = abs(w)
    square = x * x + y * y + z * z
    length = math.sqrt(square)
    large = _angle(length, cosine) / max(length, _TINY)
    small = _ONE / max(cosine, _TINY)
    scale = _TWO * side * (small if square < _SMALL else large)
    return x * scale, y * scale, z * scale


@inlined
def turned(tx: Any, ty: Any, tz: Any, x: Any, y: Any, z: Any, w: Any) -> Any:
    """A quaternion turned further by a rotation vector, of length 1.

    Half turns are left out of the angle: they change the quaternion's sign alone.
    """
    size = math.sqrt(tx * tx + ty * ty + tz * tz)
    half = _HALF * size
    turns = float32(np.int32(half * _PER_PI + _HALF))
    r = (half - turns * _PI) - turns * _PI_LEFT
    s = r * r
    sine = _S7 + s * (_S9 + s * (_S11 + s * _S13))
    sine = r * (_ONE + s * (_S3 + s * (_S5 + s * sine)))
    cosine = _C8 + s * (_C10 + s * (_C12 + s * _C14))
    cosine = _ONE + s * (_C2 + s * (_C4 + s * (_C6 + s * cosine)))
    share = sine / size if size > _TINY else _HALF
    x, y, z, w = multiplied(tx * share, ty * share, tz * share, cosine, x, y, z, w)
    scale = _ONE / math.sqrt(x * x + y * y + z * z + w * w)
    return x * scale, y * scale, z * scale, w * scale


@inlined
def spread(m: Any, a: Any, b: Any, c: Any) -> Any:
    """M diag(a, b, c) M' of a matrix given by its columns: a symmetric matrix."""
    return (
        a * m[0] * m[0] + b * m[3] * m[3] + c * m[6] * m[6],
        a * m[0] * m[1] + b * m[3] * m[4] + c * m[6] * m[7],
        a * m[0] * m[2] + b * m[3] * m[5] + c * m[6] * m[8],
        a * m[1] * m[1] + b * m[4] * m[4] + c * m[7] * m[7],
        a * m[1] * m[2] + b * m[4] * m[5] + c * m[7] * m[8],
        a * m[2] * m[2] + b * m[5] * m[5] + c * m[8] * m[8],
    )


@inlined
def inverted(xx: Any, xy: Any, xz: Any, yy: Any, yz: Any, zz: Any) -> Any:
    """The inverse of a symmetric matrix, whose determinant single precision need not hold."""
    scale = _ONE / max(xx + yy + zz, _TINY)
    xx, xy, xz = xx * scale, xy * scale, xz * scale
    yy, yz, zz = yy * scale, yz * scale, zz * scale
    a, b, c = yy * zz - yz * yz, xz * yz - xy * zz, xy * yz - xz * yy
    determinant = xx * a + xy * b + xz * c
    share = scale / determinant if determinant != _ZERO else _ZERO
    return (
        a * share,
        b * share,
        c * share,
        (xx * zz - xz * xz) * share,
        (xy * xz - xx * yz) * share,
        (xx * yy - xy * xy) * share,
    )


@inlined
def times(m: Any, x: Any, y: Any, z: Any) -> Any:
    """A symmetric matrix times a vector."""
    return (
        m[0] * x + m[1] * y + m[2] * z,
        m[1] * x + m[3] * y + m[4] * z,
        m[2] * x + m[4] * y + m[5] * z,
    )
