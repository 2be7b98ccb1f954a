"""Bodies that deform as a whole, against rigid motions."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from unibody.core.deform.motion import mean_pose, mean_velocity, moved

_HERE = ((0.0, 0.0, 0.0), (1.0, 0.0, 0.0, 0.0))
_NUMBERS = st.floats(-1.0, 1.0)
_CUBE = np.array([[x, y, z] for x in (0.0, 1.0) for y in (0.0, 2.0) for z in (0.0, 3.0)])


@given(st.tuples(_NUMBERS, _NUMBERS, _NUMBERS, _NUMBERS), st.tuples(_NUMBERS, _NUMBERS, _NUMBERS))
def test_the_mean_pose_of_a_rigid_motion_is_that_motion(
    quat: tuple[float, float, float, float], pos: tuple[float, float, float]
) -> None:
    size = np.linalg.norm(quat)
    if size < 0.1:
        return
    turn = np.array(quat) / size
    masses = np.arange(1.0, 9.0)
    rest = _CUBE - np.average(_CUBE, axis=0, weights=masses)
    places = moved(rest, _HERE, (pos, turn))
    found_pos, found_quat = mean_pose(rest, places, masses)
    np.testing.assert_allclose(found_pos, pos, atol=1e-12)
    assert abs(abs(np.dot(found_quat, turn)) - 1.0) < 1e-12
    np.testing.assert_allclose(moved(places, (pos, turn), _HERE), rest, atol=1e-12)


@given(st.tuples(_NUMBERS, _NUMBERS, _NUMBERS), st.tuples(_NUMBERS, _NUMBERS, _NUMBERS))
def test_the_mean_velocity_of_a_rigid_motion_is_that_motion(
    linear: tuple[float, float, float], angular: tuple[float, float, float]
) -> None:
    masses = np.arange(1.0, 9.0)
    arms = _CUBE - np.average(_CUBE, axis=0, weights=masses)
    speeds = np.array(linear) + np.cross(np.array(angular), arms)
    found = mean_velocity(_CUBE, speeds, masses)
    np.testing.assert_allclose(found, [linear, angular], atol=1e-12)
