"""What example scripts check numbers with, which they know as ``newton.tests.unittest_utils``."""

from __future__ import annotations

from typing import Any

import numpy as np
import warp as wp


def assert_np_equal(result: Any, expect: Any, tol: float = 0.0) -> None:
    """Check that arrays are equal, up to an absolute difference."""
    if tol:
        np.testing.assert_allclose(np.ravel(result), np.ravel(expect), rtol=1e-7, atol=tol)
    else:
        np.testing.assert_array_equal(result, expect)


def most(x: Any, min_ratio: float = 0.8) -> bool:
    """Whether a share of numbers is greater than zero."""
    return bool(len(x) == 0 or np.mean(np.asarray(x) > 0) >= min_ratio)


def find_nan_members(obj: Any) -> list[str]:
    """The names of an object's arrays in which a number is none."""
    return [name for name, rows in _arrays(obj) if np.isnan(rows).any()]


def find_nonfinite_members(obj: Any) -> list[str]:
    """The names of an object's arrays in which a number is none or infinite."""
    return [name for name, rows in _arrays(obj) if not np.isfinite(rows).all()]


def _arrays(obj: Any) -> list[tuple[str, Any]]:
    held = {} if obj is None else vars(obj)
    found = [(name, value.numpy()) for name, value in held.items() if isinstance(value, wp.array)]
    return [(name, rows) for name, rows in found if rows.dtype.names is None]
