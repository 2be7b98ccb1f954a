"""What touches the ground at one point only bears as hard on it as in PyBullet."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.support.duo import GRAVITY, both, ground, sphere

SLOP = 1e-5  # m: PyBullet lets bodies sink in by this much


def test_a_ball_that_is_put_down_weighs_what_it_does_from_the_third_step_on() -> None:
    def script(p: Any) -> Any:
        p.setGravity(0, 0, -GRAVITY)
        plane, ball = ground(p), sphere(p, (0, 0, 0.1), mass=2.0)
        forces = []
        for _ in range(10):
            p.stepSimulation()
            forces.append(p.getContactPoints(plane, ball)[0][9])
        return forces[2:]

    theirs, ours = both(script)
    np.testing.assert_allclose(theirs, 2.0 * GRAVITY, rtol=1e-6)
    np.testing.assert_allclose(ours, 2.0 * GRAVITY, rtol=1e-5)


def test_a_ball_that_falls_down_stops_at_once() -> None:
    def script(p: Any) -> Any:
        p.setGravity(0, 0, -GRAVITY)
        plane, ball = ground(p), sphere(p, (0, 0, 0.3))
        heights, most = [], 0.0
        for _ in range(120):
            p.stepSimulation()
            heights.append(p.getBasePositionAndOrientation(ball)[0][2])
            most = max([most, *(contact[9] for contact in p.getContactPoints(plane, ball))])
        return [*heights, most]

    theirs, ours = both(script)
    np.testing.assert_allclose(ours[:-1], theirs[:-1], atol=1.1 * SLOP)
    # Where PyBullet's ball goes on by its slop before it is stopped: 1e-5 m of 2 m/s in 1/240 s.
    np.testing.assert_allclose(ours[-1], theirs[-1], rtol=2e-3)


def test_a_ball_weighs_the_same_among_many_others() -> None:
    """Twelve balls apart from one another, and two boxes that lie on one another."""

    def script(p: Any) -> Any:
        p.setGravity(0, 0, -GRAVITY)
        plane, first = ground(p), sphere(p, (0, 0, 0.1), mass=2.0)
        for k in range(1, 12):
            sphere(p, (0.5 * k, 0, 0.1), mass=1.0 + k)
        box = p.createCollisionShape(p.GEOM_BOX, halfExtents=(0.1, 0.1, 0.1))
        for k in range(2):
            p.createMultiBody(1.0, box, basePosition=(0, 1.0, 0.1 + 0.2 * k))
        forces = []
        for _ in range(10):
            p.stepSimulation()
            forces.append(p.getContactPoints(plane, first)[0][9])
        return forces[2:]

    _, ours = both(script)
    np.testing.assert_allclose(ours, 2.0 * GRAVITY, rtol=1e-5)
