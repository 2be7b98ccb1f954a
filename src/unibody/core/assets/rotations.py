"""Rotations of many frames at once."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def rotations(quats_wxyz: Any) -> NDArray[np.float64]:
    """Matrices (..., 3, 3) of unit quaternions (..., 4)."""
    q = np.asarray(quats_wxyz, float)
    w, x, y, z = (q[..., place] for place in range(4))
    found = np.empty((*q.shape[:-1], 3, 3))
    found[..., 0, 0] = 1 - 2 * (y * y + z * z)
    found[..., 0, 1] = 2 * (x * y - w * z)
    found[..., 0, 2] = 2 * (x * z + w * y)
    found[..., 1, 0] = 2 * (x * y + w * z)
    found[..., 1, 1] = 1 - 2 * (x * x + z * z)
    found[..., 1, 2] = 2 * (y * z - w * x)
    found[..., 2, 0] = 2 * (x * z - w * y)
    found[..., 2, 1] = 2 * (y * z + w * x)
    found[..., 2, 2] = 1 - 2 * (x * x + y * y)
    return found
