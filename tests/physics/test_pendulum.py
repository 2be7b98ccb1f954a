"""A pendulum without damping keeps its energy."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import unibody.bullet
from tests.support.duo import GRAVITY, connected, without_damping, without_motors

LENGTH = 1.0  # m
SECONDS = 10.0


def pendulum(p: Any, angle: float) -> tuple[int, float]:
    """A ball of 1 kg on a massless rod; returns the body and its inertia about the axis."""
    body = p.createMultiBody(
        baseMass=0,
        linkMasses=[1.0],
        linkCollisionShapeIndices=[p.createCollisionShape(p.GEOM_SPHERE, radius=0.1)],
        linkVisualShapeIndices=[-1],
        linkPositions=[(0, 0, 0)],
        linkOrientations=[(0, 0, 0, 1)],
        linkInertialFramePositions=[(0, 0, -LENGTH)],
        linkInertialFrameOrientations=[(0, 0, 0, 1)],
        linkParentIndices=[0],
        linkJointTypes=[p.JOINT_REVOLUTE],
        linkJointAxis=[(0, 1, 0)],
    )
    without_damping(p, body)
    without_motors(p, body)
    p.resetJointState(body, 0, angle)
    return body, p.getDynamicsInfo(body, 0)[2][1] + LENGTH**2


def swing(angle: float) -> tuple[np.ndarray, np.ndarray, float]:
    """Angles and velocities after each step of ten seconds, and the inertia."""
    with connected(unibody.bullet) as p:
        p.setGravity(0, 0, -GRAVITY)
        body, inertia = pendulum(p, angle)
        states: list[Any] = []
        for _ in range(int(SECONDS * 240)):
            p.stepSimulation()
            states.append(p.getJointState(body, 0)[:2])
    angles, speeds = np.array(states).T
    return angles, speeds, inertia


@pytest.mark.parametrize("angle", [0.3, 1.0, 2.5])
def test_energy_stays_within_a_thousandth_for_ten_seconds(angle: float) -> None:
    angles, speeds, inertia = swing(angle)
    # The scheme steps speeds between the angles: the speed at an angle is the mean of the two
    # around it. What is left is of second order, (w dt)^2 / 8 = 2e-4 at the bottom of the swing.
    middle = 0.5 * (speeds[:-1] + speeds[1:])
    energy = 0.5 * inertia * middle**2 - GRAVITY * LENGTH * np.cos(angles[:-1])
    scale = GRAVITY * LENGTH * (1 - math.cos(angle))
    assert np.abs(energy - energy[0]).max() < 1e-3 * scale


def test_the_swing_does_not_shrink_or_grow() -> None:
    angles, _, _ = swing(1.0)
    assert angles[-500:].max() == pytest.approx(1.0, abs=1e-3)
    assert angles[-500:].min() == pytest.approx(-1.0, abs=1e-3)


def test_a_small_swing_has_the_period_of_the_closed_form() -> None:
    angles, _, inertia = swing(0.05)
    falling = np.flatnonzero((angles[:-1] > 0) & (angles[1:] <= 0))
    period = (falling[-1] - falling[0]) / 240 / (len(falling) - 1)
    # Amplitude 0.05 lengthens the period by 0.05^2 / 16; a crossing is known to one step.
    expected = 2 * math.pi * math.sqrt(inertia / (GRAVITY * LENGTH)) * (1 + 0.05**2 / 16)
    assert period == pytest.approx(expected, abs=1.0 / 240 / (len(falling) - 1))
