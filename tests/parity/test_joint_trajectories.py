"""Joint trajectories of robots in the air are those of PyBullet, driven in four ways."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.parity.robots import (
    A1,
    KUKA,
    PANDA,
    R2D2,
    Robot,
    pd_control,
    position_control,
    torque_control,
    velocity_control,
)
from tests.support.duo import both
from tests.support.tolerances import FIFTY_SWEEPS, SOLVED, SOLVED_SPEED

ROBOTS = {"kuka": KUKA, "panda": PANDA, "a1": A1, "r2d2": R2D2}
# N or Nm: more than any joint needs, and so little that some joint slips for most of the time.
# R2D2's fingers weigh so little that PyBullet needs 600 sweeps to press them onto a limit with 5 N.
ENOUGH = {"kuka": 300.0, "panda": 87.0, "a1": 33.0, "r2d2": 5.0}
SCARCE = {"kuka": 15.0, "panda": 8.0, "a1": 1.0, "r2d2": 0.1}
UNLIMITED = 1e9


def agree(script: Any) -> tuple[Any, Any]:
    """Both trajectories (steps, joints) of positions; they and the velocities have to agree."""
    theirs, ours = both(script, converged=True)
    joints = theirs.shape[1] // 3
    assert np.ptp(theirs[:, :joints], axis=0).max() > 0.2  # rad: something moved
    np.testing.assert_allclose(ours[:, :joints], theirs[:, :joints], rtol=0, atol=SOLVED)
    np.testing.assert_allclose(
        ours[:, joints : 2 * joints], theirs[:, joints : 2 * joints], rtol=0, atol=SOLVED_SPEED
    )
    return theirs, ours


@pytest.mark.parametrize("name", ROBOTS)
@pytest.mark.parametrize("forces", [ENOUGH, SCARCE], ids=["enough", "scarce"])
def test_position_motors_move_a_robot_as_in_pybullet(name: str, forces: dict[str, float]) -> None:
    theirs, ours = agree(position_control(ROBOTS[name], forces[name]))
    joints = theirs.shape[1] // 3
    torque = slice(2 * joints, None)
    # A torque is what the last rest of velocity takes: inertia * SOLVED / dt**2, at 1 kg m^2.
    assert ours[-1, torque] == pytest.approx(theirs[-1, torque], rel=1e-3, abs=0.02)
    assert np.abs(ours[:, torque]).max() <= forces[name] * (1 + 1e-9)


@pytest.mark.parametrize("name", ROBOTS)
@pytest.mark.parametrize("forces", [ENOUGH, SCARCE], ids=["enough", "scarce"])
def test_velocity_motors_move_a_robot_as_in_pybullet(name: str, forces: dict[str, float]) -> None:
    agree(velocity_control(ROBOTS[name], forces[name]))


@pytest.mark.parametrize("name", ROBOTS)
def test_torques_move_a_robot_as_in_pybullet(name: str) -> None:
    agree(torque_control(ROBOTS[name], 3.0))


@pytest.mark.parametrize("name", ROBOTS)
@pytest.mark.parametrize("limit", [UNLIMITED, 20.0], ids=["enough", "scarce"])
def test_a_pd_law_of_the_scripts_own_moves_a_robot_as_in_pybullet(name: str, limit: float) -> None:
    agree(pd_control(ROBOTS[name], limit))


@pytest.mark.parametrize("robot", [KUKA, PANDA, A1], ids=["kuka", "panda", "a1"])
def test_position_motors_agree_with_pybullet_as_it_comes_within_its_own_error(
    robot: Robot,
) -> None:
    theirs, ours = both(position_control(robot, 87.0))
    joints = theirs.shape[1] // 3
    np.testing.assert_allclose(ours[:, :joints], theirs[:, :joints], rtol=0, atol=FIFTY_SWEEPS)
