"""Seeding, under the name of `pybullet_utils.util`."""

from __future__ import annotations

import random

import numpy as np


def set_global_seeds(seed: int) -> None:
    """Seed the global generators of NumPy and of the standard library."""
    np.random.seed(seed)  # noqa: NPY002
    random.seed(seed)
