"""Base poses and velocities that are set and read are those of PyBullet."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.support.duo import base_state, both, box
from tests.support.tolerances import ALGEBRA

OFFSET = {
    "baseInertialFramePosition": (0.1, 0.05, -0.2),
    "baseInertialFrameOrientation": (0.1, 0.2, 0.3, 0.9),
}
TURN = (0.5, -0.1, 0.7, -0.3)


@pytest.mark.parametrize("mass", [0.0, 2.0])
def test_a_base_with_its_mass_off_centre_is_placed_and_read_at_the_mass(mass: float) -> None:
    def script(p: Any) -> list[list[float]]:
        body = box(p, (1, 2, 3), mass, baseOrientation=TURN, **OFFSET)
        rows = [base_state(p, body)]
        p.resetBasePositionAndOrientation(body, (0, 0, 1), TURN)
        return [*rows, base_state(p, body)]

    theirs, ours = both(script)
    np.testing.assert_allclose(ours, theirs, rtol=0, atol=ALGEBRA)


@pytest.mark.parametrize(
    "file", ["duck_vhacd.urdf", "r2d2.urdf", "a1/a1.urdf", "racecar/racecar.urdf"]
)
def test_a_urdf_is_placed_by_its_link_frame_and_read_at_its_mass(file: str) -> None:
    def script(p: Any) -> list[list[float]]:
        body = p.loadURDF(file, (1, 2, 3), TURN)
        rows = [base_state(p, body)]
        p.resetBasePositionAndOrientation(body, (0, 0, 1), (0.1, 0.2, 0.3, 0.9))
        rows.append(base_state(p, body))
        p.resetBaseVelocity(body, (1, 2, 3), (4, 5, 6))
        return [*rows, base_state(p, body)]

    theirs, ours = both(script)
    np.testing.assert_allclose(ours, theirs, rtol=0, atol=ALGEBRA)


def test_velocities_can_be_set_one_at_a_time_as_in_pybullet() -> None:
    def script(p: Any) -> list[list[float]]:
        body = box(p, (0, 0, 0), 2.0, baseOrientation=TURN, **OFFSET)
        p.resetBaseVelocity(body, (1, 2, 3), (4, 5, 6))
        p.resetBaseVelocity(body, linearVelocity=(7, 8, 9))
        rows = [base_state(p, body)]
        p.resetBaseVelocity(body, angularVelocity=(-1, 0, 2))
        return [*rows, base_state(p, body)]

    theirs, ours = both(script)
    np.testing.assert_allclose(ours, theirs, rtol=0, atol=ALGEBRA)


def test_orientations_have_the_sign_pybullet_gives_them() -> None:
    turns = np.random.default_rng(0).normal(size=(100, 4))
    turns /= np.linalg.norm(turns, axis=1, keepdims=True)

    def script(p: Any) -> list[list[float]]:
        body = p.loadURDF("r2d2.urdf")
        rows: list[list[float]] = []
        for turn in turns.tolist():
            p.resetBasePositionAndOrientation(body, (0, 0, 0), turn)
            base = p.getBasePositionAndOrientation(body)[1]
            link = p.getLinkState(body, 5, 0, 1)
            rows.append([*base, *link[1], *link[5]])
        return rows

    theirs, ours = both(script)
    # PyBullet's link frames go through single precision.
    np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-6)


def test_setting_a_pose_stops_a_body_as_in_pybullet() -> None:
    def script(p: Any) -> list[float]:
        body = box(p, (0, 0, 0))
        p.resetBaseVelocity(body, (1, 2, 3), (4, 5, 6))
        p.resetBasePositionAndOrientation(body, (0, 0, 1), (0, 0, 0, 1))
        return base_state(p, body)

    theirs, ours = both(script)
    np.testing.assert_allclose(ours, theirs, rtol=0, atol=ALGEBRA)
