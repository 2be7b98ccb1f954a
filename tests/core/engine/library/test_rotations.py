"""MuJoCo's conversions of rotations."""

from __future__ import annotations

import numpy as np
import pytest

from unibody.core.engine.library.rotations import quat_of_matrix


def test_a_quarter_turn_about_z_is_its_quaternion() -> None:
    half = np.sqrt(0.5)
    quat = quat_of_matrix([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
    # rounding of a square root and a division
    assert quat == pytest.approx((half, 0.0, 0.0, half), abs=4 * np.finfo(float).eps)
