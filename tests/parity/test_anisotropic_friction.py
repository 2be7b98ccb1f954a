"""Friction that differs along the axes of a body."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import unibody.bullet
from tests.support.duo import both, box, connected, ground

STEPS = 60
DECELERATION = 0.25 * 10.0  # m/s2, of two surfaces of 0.5


def slide(
    p: Any, factors: tuple[float, float, float] | None, yaw: float, velocity: Any, steps: int
) -> tuple[Any, Any]:
    """Place and velocity of a box after it slid for a while."""
    p.setGravity(0, 0, -10)
    ground(p)
    turn = p.getQuaternionFromEuler((0, 0, yaw))
    body = box(p, (0, 0, 0.05), half=(0.2, 0.2, 0.05), baseOrientation=turn)
    p.changeDynamics(body, -1, linearDamping=0, angularDamping=0)
    if factors is not None:
        p.changeDynamics(body, -1, anisotropicFriction=factors)
    for _ in range(20):
        p.stepSimulation()
    p.resetBaseVelocity(body, velocity)
    for _ in range(steps):
        p.stepSimulation()
    return p.getBasePositionAndOrientation(body)[0], p.getBaseVelocity(body)[0]


@pytest.mark.parametrize("yaw", [0.0, 0.5, math.pi / 2])
@pytest.mark.parametrize(("axis", "factor"), [(0, 1.0), (1, 0.1)])
def test_a_box_is_braked_along_each_of_its_axes_by_the_factor_of_that_axis(
    axis: int, factor: float, yaw: float
) -> None:
    direction = np.array([math.cos(yaw), math.sin(yaw), 0.0])
    if axis == 1:
        direction = np.array([-direction[1], direction[0], 0.0])
    with connected(unibody.bullet) as p:
        _, velocity = slide(p, (1.0, 0.1, 1.0), yaw, 2.0 * direction, STEPS)
    expected = 2.0 - factor * DECELERATION * STEPS / 240
    np.testing.assert_allclose(velocity, expected * direction, rtol=0, atol=0.01)


def test_a_box_drifts_to_where_it_slides_easily() -> None:
    with connected(unibody.bullet) as p:
        place, _ = slide(p, (1.0, 0.01, 0.01), math.pi / 4, (1.0, 0.0, 0.0), 480)
    assert place[1] < -0.9 * abs(place[0]) + 0.2


def test_equal_factors_are_a_smaller_coefficient() -> None:
    with connected(unibody.bullet) as p:
        _, ours = slide(p, (0.5, 0.5, 0.5), 0.3, (2.0, 0.5, 0.0), STEPS)
    with connected(unibody.bullet) as p:
        _, plain = slide(p, None, 0.3, (2.0, 0.5, 0.0), STEPS)
    lost, before = 2.0616 - np.linalg.norm(ours), 2.0616 - np.linalg.norm(plain)
    assert lost == pytest.approx(0.5 * before, rel=0.01)


@pytest.mark.parametrize("factors", [(1.0, 0.01, 0.01), (0.5, 1.0, 1.0)])
def test_across_the_slippery_axis_a_box_slides_as_in_pybullet(
    factors: tuple[float, float, float],
) -> None:
    velocity = (0.0, 2.0, 0.0) if factors[1] < 1 else (2.0, 0.0, 0.0)
    theirs, ours = both(lambda p: slide(p, factors, 0.0, velocity, STEPS))
    np.testing.assert_allclose(ours[1, :2], theirs[1, :2], rtol=0, atol=0.02)
