"""Bodies slide when the closed form says so."""

from __future__ import annotations

import math

import numpy as np
import pytest

import unibody.bullet
from tests.support.duo import GRAVITY, STEP, box, connected, ground, without_damping

PAIRS = ((0.5, 0.5), (1.0, 0.3), (0.9, 0.8), (2.0, 0.2), (0.1, 1.0))


def speed_on_slope(mu: float, mu_ground: float, degrees: float) -> float:
    """Speed of a box on a slope, half a second after it has settled [m/s]."""
    with connected(unibody.bullet) as p:
        p.setGravity(0, 0, -GRAVITY)
        turn = p.getQuaternionFromEuler((0, math.radians(degrees), 0))
        place = p.multiplyTransforms((0, 0, 0), turn, (0, 0, 0.6), (0, 0, 0, 1))[0]
        slope = box(p, (0, 0, 0), 0, (5, 5, 0.5), baseOrientation=turn)
        body = box(p, place, 1.0, (0.2, 0.2, 0.1), baseOrientation=turn)
        without_damping(p, body)
        p.changeDynamics(slope, -1, lateralFriction=mu_ground)
        p.changeDynamics(body, -1, lateralFriction=mu)
        for _ in range(180):
            p.stepSimulation()
        return float(np.linalg.norm(p.getBaseVelocity(body)[0]))


@pytest.mark.parametrize(("mu", "mu_ground"), PAIRS)
def test_a_box_holds_one_degree_below_the_angle_of_the_friction_product(
    mu: float, mu_ground: float
) -> None:
    angle = math.degrees(math.atan(mu * mu_ground))
    # Soft friction rows creep at the rate of their compliance; sliding would give 0.1 m/s.
    assert speed_on_slope(mu, mu_ground, angle - 1.0) < 5e-4


@pytest.mark.parametrize(("mu", "mu_ground"), PAIRS)
def test_a_box_slides_one_degree_above_the_angle_of_the_friction_product(
    mu: float, mu_ground: float
) -> None:
    angle = math.atan(mu * mu_ground)
    steep = angle + math.radians(1.0)
    acceleration = GRAVITY * (math.sin(steep) - mu * mu_ground * math.cos(steep))
    expected = acceleration * 180 * STEP
    # A quarter of the time may pass in settling.
    assert 0.7 * expected < speed_on_slope(mu, mu_ground, math.degrees(steep)) < 1.3 * expected


@pytest.mark.parametrize(("mu", "mu_ground"), PAIRS)
def test_a_box_on_the_level_is_braked_by_the_friction_product(mu: float, mu_ground: float) -> None:
    with connected(unibody.bullet) as p:
        p.setGravity(0, 0, -GRAVITY)
        p.changeDynamics(ground(p), -1, lateralFriction=mu_ground)
        body = box(p, (0, 0, 0.02), 1.0, (0.2, 0.2, 0.02))
        without_damping(p, body)
        p.changeDynamics(body, -1, lateralFriction=mu)
        for _ in range(30):
            p.stepSimulation()
        p.resetBaseVelocity(body, (3, 0, 0))
        for _ in range(24):
            p.stepSimulation()
        speed = p.getBaseVelocity(body)[0][0]
    assert speed == pytest.approx(max(3 - mu * mu_ground * GRAVITY * 0.1, 0.0), abs=0.02)


def test_friction_pulls_against_the_motion_in_every_direction() -> None:
    with connected(unibody.bullet) as p:
        p.setGravity(0, 0, -GRAVITY)
        ground(p)
        directions = np.linspace(0, 2 * math.pi, 12, endpoint=False)
        bodies = [box(p, (2.0 * n, 0, 0.02), 1.0, (0.2, 0.2, 0.02)) for n in range(12)]
        for body, angle in zip(bodies, directions, strict=True):
            p.resetBaseVelocity(body, (math.cos(angle), math.sin(angle), 0))
        for _ in range(12):
            p.stepSimulation()
        speeds = [p.getBaseVelocity(body)[0][:2] for body in bodies]
    # The cone is round: no direction is braked more than another.
    sizes = np.linalg.norm(speeds, axis=1)
    assert np.ptp(sizes) < 1e-3
    turned = [math.atan2(y, x) - angle for (x, y), angle in zip(speeds, directions, strict=True)]
    np.testing.assert_allclose(np.sin(turned), 0.0, rtol=0, atol=1e-3)
    assert min(np.cos(turned)) > 0.0
