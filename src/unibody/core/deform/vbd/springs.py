"""Springs between two particles, seen from one of them.

The energy is k/2 (|d| - rest)^2; across the spring its second derivative is k (1 - rest/|d|), kept
where the spring is stretched. Damping resists the rate of the length, drag any motion of one end
beside the other.
"""

from __future__ import annotations

import math
from typing import Any

from unibody.core.deform.vbd.lanes import WIDTH, float32, vectorised

OTHERS = 1
PARAMETERS = 8
"""Rows: stiffness, damping, rest length, drag; length and way from end to end, x, y, z, at the
start of the step."""

_W = WIDTH
_ZERO = float32(0.0)
_ONE = float32(1.0)
_TINY = float32(1e-20)


@vectorised
def measure(d: Any, par: Any, base: int, lanes: int) -> None:
    """Write what damping compares with; see `membrane.measure`."""
    for j in range(lanes):
        x, y, z = d[j], d[_W + j], d[2 * _W + j]
        par[base + 4 * _W + j] = math.sqrt(x * x + y * y + z * z + _TINY)
        par[base + 5 * _W + j] = x
        par[base + 6 * _W + j] = y
        par[base + 7 * _W + j] = z


@vectorised
def add(d: Any, par: Any, base: int, lanes: int, rate: float, sums: Any) -> None:
    """Add gradient and second derivative of a round of springs; see `membrane.add`."""
    for j in range(lanes):
        x, y, z = d[j], d[_W + j], d[2 * _W + j]
        k, damping, rest = par[base + j], par[base + _W + j] * rate, par[base + 2 * _W + j]
        drag = par[base + 3 * _W + j] * rate
        dx = drag * (x - par[base + 5 * _W + j])
        dy = drag * (y - par[base + 6 * _W + j])
        dz = drag * (z - par[base + 7 * _W + j])
        length = math.sqrt(x * x + y * y + z * z + _TINY)
        inverse = _ONE / length
        x, y, z = x * inverse, y * inverse, z * inverse
        pull = k * (length - rest) + damping * (length - par[base + 4 * _W + j])
        sums[j] -= pull * x + dx
        sums[_W + j] -= pull * y + dy
        sums[2 * _W + j] -= pull * z + dz
        across = k * max(_ONE - rest * inverse, _ZERO)
        along = k + damping - across
        across += drag
        sums[3 * _W + j] += across + along * x * x
        sums[4 * _W + j] += along * x * y
        sums[5 * _W + j] += along * x * z
        sums[6 * _W + j] += across + along * y * y
        sums[7 * _W + j] += along * y * z
        sums[8 * _W + j] += across + along * z * z
