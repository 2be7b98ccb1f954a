"""External forces and torques act as in PyBullet, in both frames, on bases and links."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.support.duo import base_motion, both, box
from tests.support.tolerances import SCHEME

FORCE = (3.0, 2.0, 1.0)
TORQUE = (0.3, 0.2, 0.1)
FRAMES = ("WORLD_FRAME", "LINK_FRAME")
LINK = 5  # a lower leg of A1


def brick(p: Any) -> int:
    return box(
        p,
        (1, 2, 3),
        2.0,
        (0.1, 0.2, 0.3),
        baseOrientation=(0.1, 0.2, 0.3, 0.9),
        baseInertialFramePosition=(0.1, 0.05, -0.2),
    )


@pytest.mark.parametrize("frame", FRAMES)
def test_a_force_on_a_base_acts_as_in_pybullet(frame: str) -> None:
    def script(p: Any) -> list[list[float]]:
        body = brick(p)
        point = (1.1, 2.2, 3.3) if frame == "WORLD_FRAME" else (0.1, 0.2, 0.3)
        rows: list[list[float]] = []
        for _ in range(120):
            p.applyExternalForce(body, -1, FORCE, point, getattr(p, frame))
            rows += base_motion(p, body, 1)
        return rows

    theirs, ours = both(script)
    np.testing.assert_allclose(ours, theirs, rtol=0, atol=SCHEME)


@pytest.mark.parametrize("frame", FRAMES)
def test_a_torque_on_a_base_acts_as_in_pybullet(frame: str) -> None:
    def script(p: Any) -> list[list[float]]:
        body = brick(p)
        rows: list[list[float]] = []
        for _ in range(120):
            p.applyExternalTorque(body, -1, TORQUE, getattr(p, frame))
            rows += base_motion(p, body, 1)
        return rows

    theirs, ours = both(script)
    np.testing.assert_allclose(ours, theirs, rtol=0, atol=SCHEME)


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("torque", [False, True], ids=["force", "torque"])
def test_a_wrench_on_a_link_acts_as_in_pybullet(frame: str, torque: bool) -> None:
    def script(p: Any) -> list[list[float]]:
        body = p.loadURDF("a1/a1.urdf", (0, 0, 1))
        rows: list[list[float]] = []
        for _ in range(60):
            if torque:
                p.applyExternalTorque(body, LINK, TORQUE, getattr(p, frame))
            elif frame == "LINK_FRAME":
                p.applyExternalForce(body, LINK, FORCE, (0, 0.02, 0.01), p.LINK_FRAME)
            else:
                place = p.getLinkState(body, LINK, 0, 1)[0]
                p.applyExternalForce(body, LINK, FORCE, place, p.WORLD_FRAME)
            rows += base_motion(p, body, 1)
        return rows

    theirs, ours = both(script, converged=True)
    # The joints are held by motors, and a motor's last 1e-6 turns the force in LINK_FRAME.
    np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-3)


def test_several_forces_of_one_step_add_up_and_last_for_that_step() -> None:
    def script(p: Any) -> list[list[float]]:
        body = brick(p)
        for direction in ((1, 0, 0), (1, 0, 0), (0, 1, 0)):
            p.applyExternalForce(body, -1, direction, (1, 2, 3), p.WORLD_FRAME)
        return base_motion(p, body, 3)

    theirs, ours = both(script)
    np.testing.assert_allclose(ours, theirs, rtol=0, atol=SCHEME)
    assert ours[0, 7] > 0.0
    assert ours[2, 7] == pytest.approx(ours[0, 7], rel=1e-3)  # only damping acts later
