"""Products of arrays."""

from __future__ import annotations

from typing import Any

from unibody.isaac_core.functions.numpy import maths
from unibody.isaac_core.functions.warp.arrays import back, plain

__all__ = ["matmul"]


def matmul(matrix_a: Any, matrix_b: Any) -> Any:
    """Product of matrices."""
    return back(maths.matmul(plain(matrix_a), plain(matrix_b)), matrix_a)
