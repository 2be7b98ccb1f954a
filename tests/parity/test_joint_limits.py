"""Joint limits act as in PyBullet."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.support.duo import STEP, both
from tests.support.tolerances import SOLVED

JOINT = 3  # of the Kuka arm: 2.09 rad to both sides


def swung(p: Any, start: float, speed: float, changes: dict[str, Any] | None = None) -> Any:
    """One joint of an arm swings freely, the others are held; position and velocity."""
    body = p.loadURDF("kuka_iiwa/model.urdf", useFixedBase=True)
    p.changeDynamics(body, JOINT, jointDamping=0, **(changes or {}))
    p.setJointMotorControl2(body, JOINT, p.VELOCITY_CONTROL, force=0)
    p.resetJointState(body, JOINT, start, speed)
    rows: list[Any] = []
    for _ in range(120):
        p.stepSimulation()
        rows.append(p.getJointState(body, JOINT)[:2])
    return rows


@pytest.mark.parametrize("speed", [2.0, -2.5])
def test_a_joint_that_meets_its_limit_stops_as_in_pybullet(speed: float) -> None:
    theirs, ours = both(lambda p: swung(p, 0.8 * speed, speed), converged=True)
    np.testing.assert_allclose(ours[:, 0], theirs[:, 0], rtol=0, atol=SOLVED)
    # Seen only once it is passed: by at most a step of the way.
    assert 2.0944 < np.abs(ours[:, 0]).max() < 2.0944 + abs(speed) * STEP


def test_a_joint_a_little_beyond_its_limit_comes_back_as_in_pybullet() -> None:
    theirs, ours = both(lambda p: swung(p, 2.12, 0.0), converged=True)
    np.testing.assert_allclose(ours[:, 0], theirs[:, 0], rtol=0, atol=SOLVED)
    assert ours[-1, 0] < 2.0944


def test_a_joint_far_beyond_its_limit_is_held_there_as_in_pybullet() -> None:
    theirs, ours = both(lambda p: swung(p, 2.5, 1.0), converged=True)
    np.testing.assert_allclose(ours[:, 0], theirs[:, 0], rtol=0, atol=SOLVED)
    assert ours[-1, 0] == pytest.approx(2.5, abs=1e-3)


def test_changed_limits_act_as_in_pybullet() -> None:
    limits = {"jointLowerLimit": -0.5, "jointUpperLimit": 0.25}
    theirs, ours = both(lambda p: swung(p, 0.0, 3.0, limits), converged=True)
    np.testing.assert_allclose(ours[:, 0], theirs[:, 0], rtol=0, atol=SOLVED)
    assert 0.25 < ours[:, 0].max() < 0.25 + 3.0 * STEP


def test_a_joint_can_be_put_beyond_its_limits_as_in_pybullet() -> None:
    def script(p: Any) -> float:
        body = p.loadURDF("kuka_iiwa/model.urdf", useFixedBase=True)
        p.resetJointState(body, JOINT, 3.0)
        return p.getJointState(body, JOINT)[0]

    theirs, ours = both(script)
    assert ours == theirs == 3.0
