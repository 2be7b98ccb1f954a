"""A body bounces to the height its restitution says."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import unibody.bullet
from tests.support.duo import GRAVITY, box, connected, ground, sphere, without_damping

DROP = 1.0  # m
SHAPES: dict[str, Callable[..., int]] = {"sphere": sphere, "box": box}


def rebound(shape: str, e: float, e_ground: float, step: float = 1.0 / 240.0) -> float:
    """Height of the first rebound after a fall of 1 m."""
    with connected(unibody.bullet) as p:
        p.setGravity(0, 0, -GRAVITY)
        p.setTimeStep(step)
        p.changeDynamics(ground(p), -1, restitution=e_ground)
        body = SHAPES[shape](p, (0, 0, 0.1 + DROP))
        without_damping(p, body)
        p.changeDynamics(body, -1, restitution=e)
        heights: list[float] = []
        for _ in range(int(1.6 / step)):
            p.stepSimulation()
            heights.append(p.getBasePositionAndOrientation(body)[0][2] - 0.1)
    lowest = int(np.argmin(heights[: int(0.5 / step)]))
    return max(heights[lowest:])


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("e", [0.5, 0.8, 0.95])
def test_a_body_bounces_to_its_restitution_squared(shape: str, e: float) -> None:
    # A rebounding row gives up 1e-4 of the change of speed, the scheme sees the top to
    # (g dt)^2 / 8: both far below the 3 % that are promised.
    assert rebound(shape, e, 1.0) == pytest.approx(e**2 * DROP, rel=0.005)


@pytest.mark.parametrize("shape", SHAPES)
def test_a_body_without_restitution_stays_down(shape: str) -> None:
    # It comes back up from its penetration, at most a step's way at the speed of impact.
    assert rebound(shape, 0.0, 1.0) < 1e-4


@pytest.mark.parametrize(("first", "second"), [(0.8, 0.9), (0.9, 0.8), (0.5, 0.5)])
def test_the_restitutions_of_two_bodies_multiply(first: float, second: float) -> None:
    assert rebound("sphere", first, second) == pytest.approx((first * second) ** 2, rel=0.005)


@pytest.mark.parametrize("step", [1.0 / 60.0, 1.0 / 100.0, 1.0 / 1000.0])
def test_the_height_of_a_bounce_does_not_depend_on_the_time_step(step: float) -> None:
    assert rebound("sphere", 0.8, 1.0, step) == pytest.approx(0.64 * DROP, rel=0.03)


def test_a_slow_impact_does_not_bounce() -> None:
    with connected(unibody.bullet) as p:
        p.setGravity(0, 0, -GRAVITY)
        p.changeDynamics(ground(p), -1, restitution=1.0)
        body = sphere(p, (0, 0, 0.1015))  # reaches the ground at 0.17 m/s, the threshold is 0.2
        p.changeDynamics(body, -1, restitution=1.0)
        speeds: list[Any] = []
        for _ in range(60):
            p.stepSimulation()
            speeds.append(p.getBaseVelocity(body)[0][2])
    assert min(speeds) < -0.1
    assert max(speeds) < 0.05  # what its penetration gives it back


@pytest.mark.parametrize("e", [0.5, 0.9])
def test_a_tilted_box_comes_to_rest_where_the_slowest_impacts_bounce(e: float) -> None:
    """A step of gravity makes 0.04 m/s: what is no faster does not bounce for ever."""
    with connected(unibody.bullet) as p:
        p.setGravity(0, 0, -GRAVITY)
        p.setPhysicsEngineParameter(restitutionVelocityThreshold=0.0)
        p.changeDynamics(ground(p), -1, restitution=e)
        shape = p.createCollisionShape(p.GEOM_BOX, halfExtents=(0.3, 0.2, 0.25))
        turn = p.getQuaternionFromEuler((0.3, 0.1, 0.2))
        body = p.createMultiBody(2.0, shape, basePosition=(0, 0, 0.4), baseOrientation=turn)
        p.changeDynamics(body, -1, restitution=e)
        for _ in range(2400):
            p.stepSimulation()
        for _ in range(24):
            p.stepSimulation()
            assert abs(p.getBaseVelocity(body)[0][2]) < 1e-6
            assert len(p.getContactPoints(body)) == 4
