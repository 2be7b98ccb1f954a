"""A joint that nobody commands is braked as in PyBullet."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.support.duo import GRAVITY, both
from tests.support.tolerances import FIFTY_SWEEPS, SOLVED


def motion(p: Any, file: str) -> list[list[float]]:
    p.setGravity(0, 0, -GRAVITY)
    body = p.loadURDF(file, useFixedBase=True)
    joints = [j for j in range(p.getNumJoints(body)) if p.getJointInfo(body, j)[2] in (0, 1)]
    for number, joint in enumerate(joints):
        p.resetJointState(body, joint, -0.1 * number, 0.5)
    rows: list[list[float]] = []
    for _ in range(120):
        p.stepSimulation()
        rows.append([state[0] for state in p.getJointStates(body, joints)])
    return rows


@pytest.mark.parametrize("converged", [True, False])
@pytest.mark.parametrize("file", ["kuka_iiwa/model.urdf", "franka_panda/panda.urdf"])
def test_an_arm_that_nobody_commands_stays_where_it_is_put(file: str, converged: bool) -> None:
    theirs, ours = both(lambda p: motion(p, file), converged=converged)
    tolerance = SOLVED if converged else FIFTY_SWEEPS
    np.testing.assert_allclose(ours, theirs, rtol=0, atol=tolerance)
    np.testing.assert_allclose(ours[-1], ours[1], rtol=0, atol=1e-3)


def heavy_door(p: Any, mass: float) -> list[list[float]]:
    """A horizontal arm of 1 m with all its mass at the end, on an axis nobody drives."""
    p.setGravity(0, 0, -GRAVITY)
    body = p.createMultiBody(
        baseMass=0,
        linkMasses=[mass],
        linkCollisionShapeIndices=[p.createCollisionShape(p.GEOM_SPHERE, radius=0.1)],
        linkVisualShapeIndices=[-1],
        linkPositions=[(0, 0, 0)],
        linkOrientations=[(0, 0, 0, 1)],
        linkInertialFramePositions=[(1, 0, 0)],
        linkInertialFrameOrientations=[(0, 0, 0, 1)],
        linkParentIndices=[0],
        linkJointTypes=[p.JOINT_REVOLUTE],
        linkJointAxis=[(0, 1, 0)],
    )
    rows: list[list[float]] = []
    for _ in range(60):
        p.stepSimulation()
        position, velocity, _, torque = p.getJointState(body, 0)
        rows.append([position, velocity, torque])
    return rows


@pytest.mark.parametrize("mass", [20.0, 30.0])
def test_the_default_motor_holds_240_newton_metres_at_a_240th_of_a_second(mass: float) -> None:
    theirs, ours = both(lambda p: heavy_door(p, mass), converged=True)
    np.testing.assert_allclose(ours[:, :2], theirs[:, :2], rtol=0, atol=SOLVED)
    assert ours[-1, 2] == pytest.approx(theirs[-1, 2], rel=1e-4)
    held = mass * GRAVITY < 240.0  # an impulse of 1 Nms in each step
    assert (abs(ours[-1, 0]) < 1e-3) == held
