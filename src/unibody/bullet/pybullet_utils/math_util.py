"""Small array functions, under the names of `pybullet_utils.math_util`."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

RAD_TO_DEG = 180.0 / math.pi
DEG_TO_RAD = math.pi / 180.0
INVALID_IDX = -1


def lerp(x: Any, y: Any, t: Any) -> Any:
    """The value a fraction `t` of the way from `x` to `y`; not limited to [0, 1]."""
    return (1 - t) * x + t * y


def log_lerp(x: ArrayLike, y: ArrayLike, t: ArrayLike) -> Any:
    """As `lerp`, with equal factors instead of equal steps; `x` and `y` are positive."""
    return np.exp(lerp(np.log(x), np.log(y), t))


def flatten(arr_list: Sequence[ArrayLike]) -> NDArray[Any]:
    """All elements of all arrays one behind the other, shape (n,)."""
    return np.concatenate([np.ravel(array) for array in arr_list])


def flip_coin(p: float) -> bool:
    """True with probability `p`, from NumPy's global generator, which scripts seed."""
    return bool(np.random.binomial(1, p) == 1)  # noqa: NPY002
