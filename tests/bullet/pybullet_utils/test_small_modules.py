"""Our small modules do what those of the original package do."""

from __future__ import annotations

import random

import numpy as np
from pybullet_utils import math_util as original_math
from pybullet_utils import util as original_util

from unibody.bullet.pybullet_utils import math_util, util


def test_interpolation_and_flattening_equal_the_original() -> None:
    x, y = np.array([1.0, 2.0]), np.array([3.0, 8.0])
    for t in (-0.5, 0.0, 0.3, 1.0):
        # The same formula in float64: equal to rounding.
        np.testing.assert_allclose(math_util.lerp(x, y, t), original_math.lerp(x, y, t), 1e-14)
        np.testing.assert_allclose(
            math_util.log_lerp(x, y, t), original_math.log_lerp(x, y, t), 1e-14
        )
    parts = [np.eye(2), np.arange(3)]
    np.testing.assert_array_equal(math_util.flatten(parts), original_math.flatten(parts))
    # The original writes 57.2957795 for 180 / pi.
    assert abs(math_util.RAD_TO_DEG - original_math.RAD_TO_DEG) < 1e-7


def test_a_seed_gives_the_draws_it_gives_in_the_original() -> None:
    def draws() -> list[float]:
        return [float(np.random.rand()), random.random(), *np.random.rand(3)]  # noqa: NPY002

    original_util.set_global_seeds(7)
    expected = [*draws(), *(original_math.flip_coin(0.5) for _ in range(20))]
    util.set_global_seeds(7)
    assert [*draws(), *(math_util.flip_coin(0.5) for _ in range(20))] == expected
