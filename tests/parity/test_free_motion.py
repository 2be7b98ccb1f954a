"""Bodies in free flight move as in PyBullet, with its default damping and without."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import unibody.bullet
from tests.support.duo import (
    GRAVITY,
    STEP,
    base_motion,
    base_state,
    both,
    box,
    connected,
    sphere,
    without_damping,
)
from tests.support.tolerances import ALGEBRA, SCHEME

BRICK = (0.1, 0.2, 0.3)
OFFSET = {
    "baseInertialFramePosition": (0.1, 0.05, -0.2),
    "baseInertialFrameOrientation": (0.1, 0.2, 0.3, 0.9),
}


def thrown(p: Any, body: int) -> list[list[float]]:
    p.setGravity(0, 0, -GRAVITY)
    p.resetBaseVelocity(body, (1, 2, 3), (4, 5, 6))
    return base_motion(p, body, 240)


@pytest.mark.parametrize("damped", [True, False])
def test_a_tumbling_brick_flies_as_in_pybullet(damped: bool) -> None:
    def script(p: Any) -> list[list[float]]:
        body = box(p, (1, 2, 3), 2.0, BRICK, baseOrientation=(0.1, 0.2, 0.3, 0.9))
        if not damped:
            without_damping(p, body)
        return thrown(p, body)

    theirs, ours = both(script)
    np.testing.assert_allclose(ours, theirs, rtol=0, atol=SCHEME)


def test_a_brick_with_its_mass_off_centre_flies_as_in_pybullet() -> None:
    def script(p: Any) -> list[list[float]]:
        return thrown(p, box(p, (1, 2, 3), 2.0, BRICK, **OFFSET))

    theirs, ours = both(script)
    np.testing.assert_allclose(ours, theirs, rtol=0, atol=SCHEME)


def test_a_urdf_with_its_mass_off_centre_flies_as_in_pybullet() -> None:
    def script(p: Any) -> list[list[float]]:
        return thrown(p, p.loadURDF("duck_vhacd.urdf", (0, 0, 1)))

    theirs, ours = both(script)
    np.testing.assert_allclose(ours, theirs, rtol=0, atol=SCHEME)


def test_a_tumbling_quadruped_with_held_joints_flies_as_in_pybullet() -> None:
    def script(p: Any) -> list[list[float]]:
        body = p.loadURDF("a1/a1.urdf", (0, 0, 1))
        p.setGravity(0, 0, -GRAVITY)
        p.resetBaseVelocity(body, (1, 2, 3), (1, -2, 1.5))
        rows: list[list[float]] = []
        for _ in range(60):
            p.stepSimulation()
            links = p.getLinkStates(body, range(p.getNumJoints(body)), 1, 1)
            places = [value for state in links for value in (*state[0], *state[1])]
            rows.append(base_state(p, body) + places)
        return rows

    theirs, ours = both(script, converged=True)
    # Motors hold the joints (rows of a solver); angular speed amplifies by a lever of 1.
    np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-3)


def test_damping_slows_a_body_by_bullets_law() -> None:
    with connected(unibody.bullet) as p:
        body = sphere(p, (0, 0, 0))
        p.resetBaseVelocity(body, (10, 0, 0), (0, 0, 5))
        p.stepSimulation()
        linear, angular = p.getBaseVelocity(body)
    # v (1 - dt (c + c |v|)) with c = 0.04
    assert linear[0] == pytest.approx(10 * (1 - STEP * 0.04 * 11), abs=ALGEBRA)
    assert angular[2] == pytest.approx(5 * (1 - STEP * 0.04 * 6), abs=ALGEBRA)


def test_an_undamped_body_falls_as_the_time_stepping_scheme_says() -> None:
    with connected(unibody.bullet) as p:
        p.setGravity(1.0, -2.0, -GRAVITY)
        body = sphere(p, (0, 0, 0))
        without_damping(p, body)
        for _ in range(240):
            p.stepSimulation()
        pos = p.getBasePositionAndOrientation(body)[0]
    # v += a dt, then x += v dt: x = a dt^2 n (n + 1) / 2
    expected = np.array([1.0, -2.0, -GRAVITY]) * STEP**2 * 240 * 241 / 2
    np.testing.assert_allclose(pos, expected, rtol=0, atol=ALGEBRA)


def test_gravity_can_be_changed_between_steps_as_in_pybullet() -> None:
    def script(p: Any) -> list[list[float]]:
        body = sphere(p, (0, 0, 0))
        rows: list[list[float]] = []
        for number in range(6):
            p.setGravity(math.cos(number), math.sin(number), -number)
            rows += base_motion(p, body, 10)
        return rows

    theirs, ours = both(script)
    np.testing.assert_allclose(ours, theirs, rtol=0, atol=SCHEME)


@pytest.mark.parametrize("substeps", [0, 4])
def test_another_time_step_gives_pybullets_motion(substeps: int) -> None:
    def script(p: Any) -> list[list[float]]:
        p.setTimeStep(0.01)
        p.setPhysicsEngineParameter(numSubSteps=substeps)
        return thrown(p, box(p, (0, 0, 0), 2.0, BRICK))

    theirs, ours = both(script)
    np.testing.assert_allclose(ours, theirs, rtol=0, atol=10 * SCHEME)
