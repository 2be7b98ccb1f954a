"""Functions of vectors for kernels, which scripts know as ``newton.math``."""

from __future__ import annotations

from typing import Any

import warp as wp


@wp.func
def vec_allclose(a: Any, b: Any, rtol: float = 1e-5, atol: float = 1e-8) -> bool:
    """Whether all numbers of two vectors are near."""
    for i in range(wp.static(len(a))):  # noqa: SIM110
        if wp.abs(a[i] - b[i]) > atol + rtol * wp.abs(b[i]):
            return False
    return True


@wp.func
def vec_inside_limits(a: Any, lower: Any, upper: Any) -> bool:
    """Whether all numbers of a vector are between those of two others."""
    for i in range(wp.static(len(a))):  # noqa: SIM110
        if a[i] < lower[i] or a[i] > upper[i]:
            return False
    return True


@wp.func
def vec_min(a: Any, b: Any):
    """The lesser of each two numbers."""
    return wp.min(a, b)


@wp.func
def vec_max(a: Any, b: Any):
    """The greater of each two numbers."""
    return wp.max(a, b)


@wp.func
def vec_abs(a: Any):
    """The absolute value of each number."""
    return wp.abs(a)
