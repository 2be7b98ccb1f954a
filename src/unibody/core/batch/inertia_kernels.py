# pyright: basic
"""The inertia that joints move, from mass matrices, compiled by numba."""

from __future__ import annotations

from typing import Any

import numpy as np

from unibody.core.batch.kernel_arrays import compiled


@compiled
def joint_inertias(matrices: Any, flags: Any, least: float, out: Any) -> None:
    """1 / (M^-1)_ii for the last columns of mass matrices.

    With M = L L', (M^-1)_ii is the sum of the squares of column i of L^-1.

    Args:
        matrices: M, (worlds, columns, columns), symmetric and positive.
        flags: Of which columns, the last ones, it is wanted, (worlds, dofs); the others get 1.
        least: Of (M^-1)_ii, for what nothing can move.
        out: (worlds, dofs).
    """
    size, dofs = matrices.shape[1], flags.shape[1]
    base = size - dofs
    lower, column = np.zeros((size, size)), np.zeros(size)
    for w in range(len(matrices)):
        for i in range(size):
            for j in range(i + 1):
                total = float(matrices[w, i, j])
                for k in range(j):
                    total -= lower[i, k] * lower[j, k]
                lower[i, j] = np.sqrt(max(total, 1e-300)) if i == j else total / lower[j, j]
        for d in range(dofs):
            out[w, d] = 1.0
            if not flags[w, d]:
                continue
            response = 0.0
            for i in range(base + d, size):
                total = 1.0 if i == base + d else 0.0
                for k in range(base + d, i):
                    total -= lower[i, k] * column[k]
                column[i] = total / lower[i, i]
                response += column[i] * column[i]
            out[w, d] = 1.0 / max(response, least)
