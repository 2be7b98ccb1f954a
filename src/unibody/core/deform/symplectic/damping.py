"""Velocities that damping leaves at the end of a step, by conjugate gradients.

Bodies whose damping is strong for the time step take it implicitly, as all do in PyBullet's
deformable world: (M + dt D) dv = -dt D v, of the masses M and the matrix of damping D, where v has
elastic forces and gravity of the step in it.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from unibody.core.deform.symplectic.forces import Elements, add_damping
from unibody.machine_code.jit import kernel

_ENOUGH = 1e-7  # of the first residual
_ROUNDS = 100
_TINY = 1e-300


@kernel
def _product(a: Any, b: Any) -> float:
    """Of two arrays (p, 3), added up in their order."""
    total = 0.0
    for p in range(len(a)):
        total += a[p, 0] * b[p, 0] + a[p, 1] * b[p, 1] + a[p, 2] * b[p, 2]
    return total


@kernel
def _residual(e: Elements, x: Any, v: Any, weights: Any, dt: float, out: Any) -> None:
    """Write the change of momentum by damping at given velocities; none of what is held."""
    out[:] = 0.0
    add_damping(e, x, v, out)
    for p in range(len(out)):
        for k in range(3):
            out[p, k] = dt * out[p, k] if weights[p] > 0.0 else 0.0


@kernel
def _times(weights: Any, a: Any, out: Any) -> None:
    """Write each row of an array times its weight, (p, 3)."""
    for p in range(len(a)):
        for k in range(3):
            out[p, k] = weights[p] * a[p, k]


@kernel
def _add(share: float, a: Any, sums: Any) -> None:
    """Add a share of an array, (p, 3)."""
    for p in range(len(a)):
        for k in range(3):
            sums[p, k] += share * a[p, k]


@kernel
def _weights(masses: Any, lossy: Any, kept: Any, dt: float) -> Any:
    """Of the preconditioner, 0 for what is held, (p,) [1/kg]."""
    weights = np.zeros(len(masses))
    for p in range(len(masses)):
        if masses[p] > 0.0 and not kept[p]:
            weights[p] = 1.0 / (masses[p] + 0.5 * dt * lossy[p])
    return weights


@kernel
def damp(e: Elements, x: Any, v: Any, masses: Any, lossy: Any, kept: Any, dt: float) -> None:
    """Take away of velocities what damping does.

    Args:
        e: The elements.
        x: Places, (p, 3) [m].
        v: Velocities, which change, (p, 3) [m/s].
        masses: (p,) [kg].
        lossy: A bound of each particle's damping, (p,) [N s/m].
        kept: Particles whose velocities stay, (p,).
        dt: Time step [s].
    """
    weights, shape = _weights(masses, lossy, kept, dt), (len(x), 3)
    left, change, ahead = np.zeros(shape), np.zeros(shape), np.zeros(shape)
    lost, scaled, momentum = np.zeros(shape), np.zeros(shape), np.zeros(shape)
    _residual(e, x, v, weights, dt, left)
    _times(weights, left, scaled)
    ahead[:] = scaled
    size = first = _product(left, scaled)
    for _ in range(_ROUNDS):
        if size <= _ENOUGH * _ENOUGH * first or size <= _TINY:
            break
        _residual(e, x, ahead, weights, dt, lost)
        _times(masses, ahead, momentum)
        _add(-1.0, lost, momentum)
        along = size / _product(ahead, momentum)
        _add(along, ahead, change)
        _add(-along, momentum, left)
        _times(weights, left, scaled)
        before, size = size, _product(left, scaled)
        for p in range(len(x)):
            for k in range(3):
                ahead[p, k] = scaled[p, k] + size / before * ahead[p, k]
    if math.isfinite(size):
        _add(1.0, change, v)
