"""Friction without cones: each of two directions has a limit of its own."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from tests.support.duo import both, box, without_damping

MU, WEIGHT = 0.5, 10.0  # of a body of 1 kg [N]


def lying(p: Any, cone: int | None) -> int:
    """A flat box on a larger one, turned in the plane, after a few steps."""
    p.setGravity(0, 0, -WEIGHT)
    if cone is not None:
        p.setPhysicsEngineParameter(enableConeFriction=cone)
    ground = box(p, (0, 0, -0.5), 0.0, (5, 5, 0.5))
    turned = p.getQuaternionFromEuler((0, 0, 0.3))
    body = box(p, (0, 0, 0.02), half=(0.1, 0.1, 0.02), baseOrientation=turned)
    without_damping(p, body)
    p.changeDynamics(body, -1, lateralFriction=MU)
    p.changeDynamics(ground, -1, lateralFriction=1.0)
    for _ in range(5):
        p.stepSimulation()
    return body


def braking(p: Any, angle: float, cone: int | None) -> list[float]:
    """Mean acceleration along both axes while the box slides, and then its velocity."""
    body = lying(p, cone)
    p.resetBaseVelocity(body, (2 * math.cos(angle), 2 * math.sin(angle), 0))
    velocities: list[Any] = []
    for _ in range(21):
        p.stepSimulation()
        velocities.append(p.getBaseVelocity(body)[0][:2])
    first, last = velocities[4], velocities[20]
    return [*((b - a) / 16 * 240 for a, b in zip(first, last, strict=True)), *last]


@pytest.mark.parametrize("angle", [0.5, math.pi / 4, 1.1])
def test_without_cones_what_slides_is_braked_along_both_axes_of_the_plane(angle: float) -> None:
    theirs, ours = both(lambda p: braking(p, angle, 0))
    np.testing.assert_allclose(ours[:2], [-MU * WEIGHT] * 2, rtol=0.005)
    # Bullet's forces of four corners differ from the weight by up to 4 % after its 50 sweeps
    np.testing.assert_allclose(ours[:2], theirs[:2], rtol=0.05)
    np.testing.assert_allclose(ours[2:], theirs[2:], atol=0.02)


@pytest.mark.parametrize("cone", [None, 1])
def test_with_cones_what_slides_is_braked_against_its_way(cone: int | None) -> None:
    _, ours = both(lambda p: braking(p, math.pi / 4, cone))
    assert math.hypot(*ours[:2]) == pytest.approx(MU * WEIGHT, rel=0.06)


@pytest.mark.parametrize(
    ("share", "slides"), [((0.9, 0.9), False), ((0.0, 0.95), False), ((1.15, 0.0), True)]
)
def test_without_cones_a_body_stands_up_to_the_limit_of_each_axis(
    share: tuple[float, float], slides: bool
) -> None:
    def script(p: Any) -> float:
        body = lying(p, 0)
        p.setGravity(share[0] * MU * WEIGHT, share[1] * MU * WEIGHT, -WEIGHT)
        start = p.getBasePositionAndOrientation(body)[0]
        for _ in range(120):
            p.stepSimulation()
        return math.dist(start[:2], p.getBasePositionAndOrientation(body)[0][:2])

    theirs, ours = both(script)
    far = 0.5 * max(0.0, max(share) - 1.0) * MU * WEIGHT * 0.5**2
    if slides:
        assert ours == pytest.approx(far, rel=0.05)
        assert theirs == pytest.approx(far, rel=0.3)
    else:
        assert max(theirs, ours) < 2e-3  # 1 m and more with a cone
