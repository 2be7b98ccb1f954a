"""The torque that is reported of a motor that may exert none any more."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tests.support.duo import GRAVITY, both

JOINTS = list(range(7))  # of a Kuka


def reported(p: Any) -> NDArray[np.float64]:
    """Torques while motors hold an arm, after two of them got no force, and after one got some."""
    p.setGravity(0, 0, -GRAVITY)
    arm = p.loadURDF("kuka_iiwa/model.urdf", useFixedBase=True)
    for joint in JOINTS:
        p.setJointMotorControl2(arm, joint, p.POSITION_CONTROL, 0.3, force=200.0)
    rows: list[list[float]] = []

    def step(count: int) -> None:
        for _ in range(count):
            p.stepSimulation()
        rows.append([state[3] for state in p.getJointStates(arm, JOINTS)])
        rows.append([p.getJointState(arm, joint)[3] for joint in JOINTS])
        rows.append([state[3][0] for state in p.getJointStatesMultiDof(arm, JOINTS)])

    step(120)
    p.setJointMotorControl2(arm, 5, p.VELOCITY_CONTROL, force=0.0)
    p.setJointMotorControlArray(arm, [1, 6], p.VELOCITY_CONTROL, forces=[0.0, 0.0])
    step(1)
    p.setJointMotorControl2(arm, 5, p.VELOCITY_CONTROL, force=0.0)
    step(2)
    p.setJointMotorControl2(arm, 1, p.POSITION_CONTROL, 0.3, force=200.0)
    step(1)
    return np.array(rows)


def test_the_last_torque_of_a_motor_is_reported_until_it_has_a_force_again() -> None:
    theirs, ours = both(reported, converged=True)
    assert abs(theirs[3, 1]) > 1.0
    # Torques agree to what rows give way by, 1e-5 of a force, on accelerations of falling links.
    np.testing.assert_allclose(ours, theirs, rtol=2e-3, atol=0.01)
