"""How stiff tetrahedra are together, beside what bounds that element by element."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from unibody.core.deform.tables import Tables

FloatArray = npt.NDArray[np.floating[Any]]

_TIMES = 40  # power iteration: from below to a few percent
_ABOVE = 1.1


def shares_of_bounds(
    tables: Tables, weights: FloatArray, sizes: tuple[FloatArray, FloatArray]
) -> tuple[float, float]:
    """The largest eigenvalues of stiffness and damping over masses, as shares of their bounds.

    The bound of a sum of elements is the sum of theirs, as if all pulled along one line. At rest
    the eigenvalue is found by power iteration, and that of bodies that deform is taken to grow as
    the bound does.

    Args:
        tables: A world's.
        weights: Gradients of the corners of each tetrahedron, (m, 4, 3) [1/m].
        sizes: The largest eigenvalue of the products of the weights, and the sum of all [1/m^2].
    """
    solids = tables.tetrahedra
    if not len(solids.corners):
        return 1.0, 1.0
    volume, nu = solids.volume, solids.shear + solids.stretch
    pull = (1.0 - 0.25 * solids.barrier) * solids.shear
    gradual = 0.125 * solids.barrier * solids.shear  # second derivative of the barrier at rest

    def stiff(rates: FloatArray) -> FloatArray:
        """The change of the stress with that of F, where F is 1."""
        trace = np.trace(rates, axis1=1, axis2=2)[:, None, None] * np.eye(3)
        turned = rates.transpose(0, 2, 1)
        return (
            pull[:, None, None] * (rates + turned)
            + (nu - pull + gradual)[:, None, None] * trace
        )  # fmt: skip

    def lossy(rates: FloatArray) -> FloatArray:
        """The stress of damping, of the rate of F, where F is 1."""
        trace = np.trace(rates, axis1=1, axis2=2)[:, None, None] * np.eye(3)
        both = rates + rates.transpose(0, 2, 1)
        return 2.0 * solids.damping[:, None, None] * both + solids.dilation[:, None, None] * trace

    narrow, wide = sizes
    bound = (pull + pull + 2.0 * (3.0 / 16.0) * solids.barrier * solids.shear) * narrow + nu * wide
    loss = 4.0 * solids.damping * narrow + solids.dilation * wide
    return (
        _share(tables, weights, volume, stiff, volume * bound),
        _share(tables, weights, volume, lossy, volume * loss),
    )


def _share(
    tables: Tables, weights: FloatArray, volume: FloatArray, law: Callable[[FloatArray], Any],
    bounds: FloatArray,
) -> float:  # fmt: skip
    """The largest eigenvalue over the largest sum of bounds at a particle."""
    masses, corners = tables.masses, tables.tetrahedra.corners
    inverse = np.divide(1.0, masses, out=np.zeros(len(masses)), where=masses > 0.0)
    most = float((np.bincount(corners.reshape(-1), bounds.repeat(4), len(masses)) * inverse).max())
    if most <= 0.0:
        return 1.0
    ways = np.random.default_rng(0).standard_normal((len(masses), 3)) * (inverse > 0.0)[:, None]
    found = 0.0
    for _ in range(_TIMES):
        ways /= max(np.linalg.norm(ways), 1e-300)
        rates = np.einsum("nai,naj->nij", ways[corners], weights)
        pulls = np.einsum("nij,naj->nai", volume[:, None, None] * law(rates), weights)
        sums = np.zeros_like(ways)
        for axis in range(3):
            flat = pulls[:, :, axis].reshape(-1)
            sums[:, axis] = np.bincount(corners.reshape(-1), flat, len(masses))
        ways = inverse[:, None] * sums
        found = float(np.linalg.norm(ways))
    return min(_ABOVE * found / most, 1.0)
