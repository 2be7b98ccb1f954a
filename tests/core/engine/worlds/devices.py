"""The devices that worlds run on, and their arrays as NumPy has them."""

from __future__ import annotations

import numpy as np
import pytest

DEVICES = ["cpu", "warp-cpu", pytest.param("cuda:0", marks=pytest.mark.gpu)]


def numbers(array):
    """A NumPy copy of an array of worlds on any device."""
    return np.array(array) if isinstance(array, np.ndarray) else array.numpy()


def put(array, values):
    """Overwrite an array of worlds on any device."""
    if isinstance(array, np.ndarray):
        array[:] = values
    else:
        array.assign(np.ascontiguousarray(values, dtype=np.float32))


def assert_same(found, expected, device):
    """Equal to the last bit; on a GPU, whose sums have no order, to float32's rounding."""
    allowed = 1e-4 if device.startswith("cuda") else 0.0
    np.testing.assert_allclose(found, expected, rtol=0.0, atol=allowed)
