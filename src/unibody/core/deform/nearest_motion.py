"""The rigid motion nearest to that of particles, in compiled code."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from unibody.machine_code.array_calls import array_function
from unibody.machine_code.jit import kernel

_ROUNDS = 12  # each squares what is left, so that five are enough for most matrices
_SMALL = 1e-30


@kernel
def _centre(places: Any, weights: Any, found: Any) -> None:
    total = 0.0
    for p in range(len(places)):
        total += weights[p]
        for k in range(3):
            found[k] += weights[p] * places[p, k]
    for k in range(3):
        found[k] /= total


@kernel
def _quaternion_matrix(s: Any, n: Any) -> None:
    """Whose eigenvector of the largest eigenvalue is the rotation (Horn 1987, section 4.A)."""
    n[0, 0] = s[0, 0] + s[1, 1] + s[2, 2]
    n[1, 1] = s[0, 0] - s[1, 1] - s[2, 2]
    n[2, 2] = s[1, 1] - s[0, 0] - s[2, 2]
    n[3, 3] = s[2, 2] - s[0, 0] - s[1, 1]
    n[0, 1] = s[1, 2] - s[2, 1]
    n[0, 2] = s[2, 0] - s[0, 2]
    n[0, 3] = s[0, 1] - s[1, 0]
    n[1, 2] = s[0, 1] + s[1, 0]
    n[1, 3] = s[0, 2] + s[2, 0]
    n[2, 3] = s[1, 2] + s[2, 1]
    for i in range(4):
        for j in range(i):
            n[i, j] = n[j, i]


@kernel
def _turn(n: Any, vectors: Any, i: int, j: int) -> None:
    """One rotation of Jacobi's method, after which two axes do not mix."""
    angle = 0.5 * math.atan2(2.0 * n[i, j], n[i, i] - n[j, j])
    c, s = math.cos(angle), math.sin(angle)
    for k in range(4):
        a, b = n[i, k], n[j, k]
        n[i, k], n[j, k] = c * a + s * b, c * b - s * a
    for k in range(4):
        a, b = n[k, i], n[k, j]
        n[k, i], n[k, j] = c * a + s * b, c * b - s * a
        a, b = vectors[k, i], vectors[k, j]
        vectors[k, i], vectors[k, j] = c * a + s * b, c * b - s * a


@kernel
def _largest_eigenvector(n: Any, found: Any) -> None:
    """Of a symmetric matrix, (4, 4)."""
    vectors = np.eye(4)
    for _ in range(_ROUNDS):
        mixed, size = 0.0, 0.0
        for i in range(4):
            size += n[i, i] * n[i, i]
            for j in range(i):
                mixed += n[i, j] * n[i, j]
        if mixed <= _SMALL * size:
            break
        for i in range(4):
            for j in range(i):
                if n[i, j] != 0.0:
                    _turn(n, vectors, i, j)
    best = 0
    for i in range(1, 4):
        if n[i, i] > n[best, best]:
            best = i
    sign = -1.0 if vectors[0, best] < 0.0 else 1.0
    for k in range(4):
        found[k] = sign * vectors[k, best]


@array_function()
def nearest_motion(rest: Any, places: Any, weights: Any, found: Any) -> None:
    """The rigid motion that comes nearest, by least squares over weights.

    Args:
        rest: Places when they were not turned, (p, 3) [m].
        places: Where they are, (p, 3) [m].
        weights: (p,), not all zero.
        found: Gets the mean place x, y, z [m] and the quaternion w, x, y, z.
    """
    middle, centre = np.zeros(3), np.zeros(3)
    _centre(rest, weights, middle)
    _centre(places, weights, centre)
    sums, n = np.zeros((3, 3)), np.zeros((4, 4))
    for p in range(len(places)):
        for i in range(3):
            about = weights[p] * (rest[p, i] - middle[i])
            for j in range(3):
                sums[i, j] += about * (places[p, j] - centre[j])
    _quaternion_matrix(sums, n)
    found[:3] = centre
    _largest_eigenvector(n, found[3:])
