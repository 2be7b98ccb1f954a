"""Numbers of one element for each of many vertices, side by side, for vectorised loops.

A tile holds ``WIDTH`` vertices of one colour, and a round one element of each of them. All that a
round needs lies in one run of memory, row after row of ``WIDTH`` numbers at constant distances: a
compiler then sees that the turns of a loop over the lanes do not depend on one another, and does
eight or sixteen of them at once.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from unibody.machine_code import numba

__all__ = ["SUMS", "WIDTH", "float32", "vectorised"]

WIDTH = 32  # lanes of a tile
SUMS = 9  # rows of a sum: gradient of the energy x, y, z; second derivative xx, xy, xz, yy, yz, zz

float32 = np.float32

# Products may be added in one instruction. Every vertex is the work of one lane, so that results do
# not depend on how tiles are spread over threads.
vectorised: Any = numba.njit(
    cache=True, nogil=True, error_model="numpy", fastmath={"contract", "nsz", "nnan", "ninf"}
)
