"""Feet that hit the ground while they slip, with joints behind them, against PyBullet."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.support.duo import GRAVITY, both

# Where it slips in one direction only, what contacts give way: one to two per cent of the greatest
# speed. Else Bullet's friction is a pyramid along the slip before the impact, ours a cone.
ALONG, ACROSS = 0.025, 0.1
SINKS = 5e-4  # m: the same share of the speed of the impact, for a step
STEPS = 12


def _leg(p: Any, friction: float) -> tuple[int, int]:
    """A trunk with a hip and a knee, its foot a ball, above a plane."""
    plane = p.createMultiBody(0, p.createCollisionShape(p.GEOM_PLANE))
    trunk = p.createCollisionShape(p.GEOM_BOX, halfExtents=[0.2, 0.1, 0.05])
    foot = p.createCollisionShape(p.GEOM_SPHERE, radius=0.05)
    leg = p.createMultiBody(
        5,
        trunk,
        basePosition=[0, 0, 0.6],
        linkMasses=[1, 0.5],
        linkCollisionShapeIndices=[-1, foot],
        linkVisualShapeIndices=[-1, -1],
        linkPositions=[[0.2, 0, 0], [0.2, 0, -0.25]],
        linkOrientations=[[0, 0, 0, 1]] * 2,
        linkInertialFramePositions=[[0.1, 0, -0.12], [0, 0, -0.25]],
        linkInertialFrameOrientations=[[0, 0, 0, 1]] * 2,
        linkParentIndices=[0, 1],
        linkJointTypes=[p.JOINT_REVOLUTE] * 2,
        linkJointAxis=[[0, 1, 0]] * 2,
    )
    for link in (-1, 0, 1):
        p.changeDynamics(leg, link, lateralFriction=friction)
    p.changeDynamics(plane, -1, lateralFriction=1.0)
    for joint in (0, 1):
        p.setJointMotorControl2(leg, joint, p.VELOCITY_CONTROL, force=0)
    return plane, leg


def _impact(
    friction: float, velocity: tuple[float, float, float]
) -> tuple[NDArray[Any], NDArray[Any]]:
    """Velocities of trunk and joints and the depth of the foot in the steps around an impact."""

    def script(p: Any) -> list[list[float]]:
        p.setGravity(0, 0, -GRAVITY)
        plane, leg = _leg(p, friction)
        p.resetBaseVelocity(leg, velocity)
        rows: list[list[float]] = []
        for _ in range(200):
            p.stepSimulation()
            touching = p.getContactPoints(leg, plane)
            if touching or rows:
                speeds = [state[1] for state in p.getJointStates(leg, (0, 1))]
                depth = min([contact[8] for contact in touching], default=0.0)
                rows.append([*p.getBaseVelocity(leg)[0], *speeds, min(depth, 0.0)])
            if len(rows) == STEPS:
                break
        return rows

    return both(script, converged=True)


def _differs(theirs: NDArray[Any], ours: NDArray[Any]) -> float:
    """Difference of the speeds of three steps from the impact on, relative to the greatest."""
    return float(np.abs(ours[:3, :5] - theirs[:3, :5]).max() / np.abs(theirs[:, :5]).max())


@pytest.mark.parametrize("friction", [0.2, 0.4, 0.8])
@pytest.mark.parametrize("velocity", [(2.0, 0.0, -3.0), (-2.0, 0.0, -2.0), (1.0, 0.0, -3.0)])
def test_a_foot_that_slips_takes_the_impulse_it_takes_in_pybullet(
    friction: float, velocity: tuple[float, float, float]
) -> None:
    theirs, ours = _impact(friction, velocity)
    assert _differs(theirs, ours) < ALONG
    assert ours[1:4, 5].min() > theirs[1:4, 5].min() - SINKS


@pytest.mark.parametrize("friction", [0.2, 0.4, 0.8])
def test_a_foot_that_slips_sideways_too_takes_about_that_impulse(friction: float) -> None:
    theirs, ours = _impact(friction, (0.5, -1.0, -4.0))
    assert _differs(theirs, ours) < ACROSS
    assert ours[1:4, 5].min() > theirs[1:4, 5].min() - SINKS
