"""Contacts that are farther away than contactProcessingThreshold have no force, as in PyBullet."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.duo import GRAVITY, both

# Bullet rests 10 micrometres deep
SUNK = 2e-5  # m


@pytest.mark.parametrize("who", ["ball", "floor"])
@pytest.mark.parametrize("threshold", [0.0, 0.001, 1.0])
def test_a_ball_sinks_in_before_it_is_stopped_where_no_contact_ahead_has_a_force(
    threshold: float, who: str
) -> None:
    """It falls by 7 mm a step, and is 3 mm above the floor before it hits it."""

    def script(p: Any) -> list[float]:
        p.setGravity(0, 0, -GRAVITY)
        box = p.createCollisionShape(p.GEOM_BOX, halfExtents=[5, 5, 0.5])
        floor = p.createMultiBody(0, box, -1, (0, 0, -0.5))
        shape = p.createCollisionShape(p.GEOM_SPHERE, radius=0.1)
        ball = p.createMultiBody(1, shape, -1, (0, 0, 0.103))
        p.resetBaseVelocity(ball, (0, 0, -0.65))
        chosen = ball if who == "ball" else floor
        p.changeDynamics(chosen, -1, contactProcessingThreshold=threshold)
        heights: list[float] = []
        for _ in range(30):
            p.stepSimulation()
            heights.append(p.getBasePositionAndOrientation(ball)[0][2])
        return heights

    theirs, ours = both(script)
    assert ours == pytest.approx(theirs, abs=2 * SUNK)


def test_the_threshold_of_a_link_is_that_of_its_shapes_alone() -> None:
    def script(p: Any) -> list[float]:
        p.setGravity(0, 0, -GRAVITY)
        box = p.createCollisionShape(p.GEOM_BOX, halfExtents=[5, 5, 0.5])
        p.createMultiBody(0, box, -1, (0, 0, -0.5))
        shape = p.createCollisionShape(p.GEOM_SPHERE, radius=0.1)
        balls: list[float] = []
        for link in (-1, 0):
            body = p.createMultiBody(
                1, -1, -1, (link, 0, 0.103),
                linkMasses=[1], linkCollisionShapeIndices=[shape], linkVisualShapeIndices=[-1],
                linkPositions=[(0, 0, 0)], linkOrientations=[(0, 0, 0, 1)],
                linkInertialFramePositions=[(0, 0, 0)],
                linkInertialFrameOrientations=[(0, 0, 0, 1)], linkParentIndices=[0],
                linkJointTypes=[p.JOINT_FIXED], linkJointAxis=[(0, 0, 1)],
            )  # fmt: skip
            p.resetBaseVelocity(body, (0, 0, -0.65))
            p.changeDynamics(body, link, contactProcessingThreshold=0.0)
            balls.append(body)
        for _ in range(2):
            p.stepSimulation()
        return [p.getBasePositionAndOrientation(ball)[0][2] for ball in balls]

    theirs, ours = both(script)
    assert ours == pytest.approx(theirs, abs=2 * SUNK)
    assert ours[0] - ours[1] > 1e-3
