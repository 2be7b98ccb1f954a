"""Robots that stand on and drive over the ground do as they do in PyBullet."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.parity.robots import A1_STANDING, R2D2_STANDING
from tests.support.duo import base_state, both

WHEELS = (2, 3, 6, 7)
# PyBullet's convex hulls are 1 mm thicker than the mesh on every side; ours have its exact size.
# A soft foot sinks by less than 0.1 mm.
HULL_MARGIN = 1.2e-3


def stand(force: float, pose: tuple[float, ...]) -> Any:
    """A1 goes from its start pose to another on its motors, for 1.5 s."""

    def script(p: Any) -> list[list[float]]:
        body, joints = A1_STANDING.load(p)
        for number, joint in enumerate(joints):
            p.setJointMotorControl2(
                body, joint, p.POSITION_CONTROL, targetPosition=pose[number % 3], force=force
            )
        rows: list[list[float]] = []
        for _ in range(360):
            p.stepSimulation()
            angles = [state[0] for state in p.getJointStates(body, joints)]
            rows.append(angles + base_state(p, body))
        return rows

    return script


def drive(speed: float) -> Any:
    """R2D2 drives on its four wheels for 2 s."""

    def script(p: Any) -> list[list[float]]:
        body, _ = R2D2_STANDING.load(p)
        for joint in WHEELS:
            p.setJointMotorControl2(body, joint, p.VELOCITY_CONTROL, targetVelocity=speed, force=20)
        rows: list[list[float]] = []
        for _ in range(480):
            p.stepSimulation()
            rows.append(base_state(p, body))
        return rows

    return script


@pytest.mark.parametrize("force", [33.0, 12.0])
def test_a_quadruped_crouches_on_its_motors_as_in_pybullet(force: float) -> None:
    theirs, ours = both(stand(force, (0.0, 1.0, -1.9)), converged=True)
    # At rest the motors hold what the feet carry: the joints agree as in the air but for the
    # sharing of forces between four feet, of which three would do.
    assert ours[-1, :12] == pytest.approx(theirs[-1, :12], abs=2e-3)
    assert ours[-1, 14] == pytest.approx(theirs[-1, 14], abs=HULL_MARGIN)
    # On the way feet slip by millimetres where friction is not the same to the last digit.
    assert np.abs(ours[:, 12:15] - theirs[:, 12:15]).max() < 0.01
    assert np.abs(ours[-1, 19:]).max() < 1e-3


def test_a_quadruped_without_the_strength_to_stand_sinks_as_in_pybullet() -> None:
    theirs, ours = both(stand(3.0, (0.0, 0.8, -1.6)), converged=True)
    fall = theirs[0, 14] - theirs[-1, 14]
    assert fall > 0.1
    # The fall is a slide of feet on the ground: 5 % of its height.
    assert np.abs(ours[:, 14] - theirs[:, 14]).max() < 0.05 * fall


@pytest.mark.parametrize("speed", [-2.0, 6.0])
def test_a_wheeled_robot_drives_as_far_as_in_pybullet(speed: float) -> None:
    theirs, ours = both(drive(speed))
    travelled = theirs[-1, 1] - theirs[0, 1]
    assert abs(travelled) > 0.1
    # The wheels roll: the way is angle times radius, and the radius has the hull's margin (2 %).
    assert ours[-1, 1] - ours[0, 1] == pytest.approx(travelled, rel=0.05)
    assert ours[-1, 2] == pytest.approx(theirs[-1, 2], abs=HULL_MARGIN)
