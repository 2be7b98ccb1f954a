"""Position motors whose velocity gain is not 1."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.support.duo import GRAVITY, both, without_damping

TARGETS = (0.7, 1.4)  # rad


def arm(p: Any, *, fixed: bool) -> int:
    """Two links of 1 kg on a base, with joints about the y axis."""
    link = p.createCollisionShape(p.GEOM_BOX, halfExtents=(0.14, 0.03, 0.03))
    base = p.createCollisionShape(p.GEOM_BOX, halfExtents=(0.05, 0.05, 0.05))
    body = p.createMultiBody(
        0.0 if fixed else 2.0,
        base,
        basePosition=(0, 0, 1),
        linkMasses=(1.0, 1.0),
        linkCollisionShapeIndices=(link, link),
        linkVisualShapeIndices=(-1, -1),
        linkPositions=((0.1, 0, 0), (0.3, 0, 0)),
        linkOrientations=((0, 0, 0, 1),) * 2,
        linkInertialFramePositions=((0.15, 0, 0),) * 2,
        linkInertialFrameOrientations=((0, 0, 0, 1),) * 2,
        linkParentIndices=(0, 1),
        linkJointTypes=(p.JOINT_REVOLUTE,) * 2,
        linkJointAxis=((0, 1, 0),) * 2,
    )
    without_damping(p, body)
    return body


def motion(p: Any, gains: tuple[float, float], *, fixed: bool = True) -> NDArray[np.float64]:
    """Angles and torques of both joints, every tenth step of a second."""
    p.setGravity(0, 0, -GRAVITY)
    body = arm(p, fixed=fixed)
    for joint, target in enumerate(TARGETS):
        p.setJointMotorControl2(
            body, joint, p.POSITION_CONTROL, target, force=300.0,
            positionGain=gains[0], velocityGain=gains[1],
        )  # fmt: skip
    rows: list[list[float]] = []
    for step in range(240):
        p.applyExternalTorque(body, 1, (0.0, 1.0, 0.0), p.WORLD_FRAME)
        p.stepSimulation()
        if step % 10 == 0:
            states = p.getJointStates(body, (0, 1))
            rows.append([state[0] for state in states] + [state[3] for state in states])
    return np.array(rows)


@pytest.mark.parametrize("fixed", [True, False])
@pytest.mark.parametrize("gains", [(0.2, 0.7), (0.05, 0.1), (0.02, 0.4)])
def test_a_motor_damps_the_velocity_that_forces_give_its_joint(
    gains: tuple[float, float], fixed: bool
) -> None:
    theirs, ours = both(lambda p: motion(p, gains, fixed=fixed), converged=True)
    # Rows are soft by 1e-5 of their force: 300 Nm or less over 0.05 kg m^2 and a step of 1/240 s
    # are 2e-4 rad/s, and the position follows.
    np.testing.assert_allclose(ours[:, :2], theirs[:, :2], atol=5e-4)


def test_a_motor_that_damps_less_hangs_through_as_in_the_original() -> None:
    theirs, ours = both(lambda p: motion(p, (0.05, 0.1)), converged=True)
    sagged = theirs[-1, :2] - TARGETS
    assert np.abs(sagged).min() > 5e-3  # what the motor's velocity takes from gravity
    np.testing.assert_allclose(ours[-1, :2] - TARGETS, sagged, rtol=2e-3)
