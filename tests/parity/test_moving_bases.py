"""Fixed bodies with a velocity move with it and carry along what lies on them."""

from typing import Any

import numpy as np
import pytest

from tests.bullet.paired import add, both
from tests.support.duo import base_state

FLAT = (1.0, 1.0, 0.1)  # m
# Bullet's contacts sink in by up to 2 mm while a body gathers speed.
CLOSE = 5e-3
Script = Any


def _load(p: Any, linear: Any, angular: Any) -> tuple[int, int]:
    p.setGravity(0, 0, -9.81)
    belt = add(p, p.GEOM_BOX, (0, 0, 0), halfExtents=FLAT)
    cargo = add(p, p.GEOM_BOX, (0.3, 0.2, 0.2), 1.0, halfExtents=(0.1, 0.1, 0.1))
    p.resetBaseVelocity(belt, linear, angular)
    return belt, cargo


def _belt(p: Any) -> np.ndarray:
    belt, cargo = _load(p, (0.5, 0.0, 0.0), (0.0, 0.0, 0.0))
    for _ in range(120):
        p.stepSimulation()
    return np.array([base_state(p, cargo)[:10], base_state(p, belt)[:10]])


def _turntable(p: Any) -> np.ndarray:
    _, cargo = _load(p, (0.0, 0.0, 0.0), (0.0, 0.0, 1.0))
    for _ in range(120):
        p.stepSimulation()
    return np.array(base_state(p, cargo))


def _stopped(p: Any) -> np.ndarray:
    belt, cargo = _load(p, (0.5, 0.0, 0.0), (0.0, 0.0, 0.0))
    for step in range(120):
        if step == 60:
            p.resetBasePositionAndOrientation(belt, (0, 0, 0), (0, 0, 0, 1))
        p.stepSimulation()
    return np.array(base_state(p, cargo))


@pytest.mark.parametrize("script", [_belt, _turntable, _stopped])
def test_a_box_is_carried_along_as_in_pybullet(script: Script) -> None:
    theirs, ours = both(script)
    assert ours == pytest.approx(theirs, abs=CLOSE)


def test_a_fixed_body_that_turns_moves_along_the_curve_of_pybullets() -> None:
    def script(p: Any) -> list[float]:
        belt, _ = _load(p, (0.5, 0.0, 0.1), (0.3, 0.0, 1.0))
        p.removeBody(1)
        for _ in range(120):
            p.stepSimulation()
        return base_state(p, belt)

    theirs, ours = both(script)
    assert ours == pytest.approx(theirs, abs=1e-6)


def test_velocities_of_fixed_bodies_are_told_kept_and_restored_as_in_pybullet() -> None:
    def script(p: Any) -> list[Any]:
        belt, _ = _load(p, (0.5, 0.0, 0.0), None)
        told = [p.getBaseVelocity(belt)]
        p.resetBaseVelocity(belt, angularVelocity=(0.0, 0.0, 2.0))
        told.append(p.getBaseVelocity(belt))
        state = p.saveState()
        p.resetBasePositionAndOrientation(belt, (0, 0, 1), (0, 0, 0, 1))
        told.append(p.getBaseVelocity(belt))
        p.restoreState(state)
        return [*told, p.getBaseVelocity(belt)]

    theirs, ours = both(script)
    assert ours == theirs


def test_a_force_on_a_fixed_body_moves_no_surface() -> None:
    def script(p: Any) -> list[float]:
        belt, cargo = _load(p, (0.0, 0.0, 0.0), (0.0, 0.0, 0.5))
        other = add(p, p.GEOM_BOX, (5, 0, 0), halfExtents=FLAT)
        load = add(p, p.GEOM_BOX, (5, 0, 0.2), 1.0, halfExtents=(0.1, 0.1, 0.1))
        for _ in range(60):
            for body in (belt, other):
                p.applyExternalForce(body, -1, (9.0, 0, 0), (0, 0, 0), p.LINK_FRAME)
            p.stepSimulation()
        return [*base_state(p, cargo), *base_state(p, load)]

    theirs, ours = both(script)
    assert ours == pytest.approx(theirs, abs=CLOSE)


def test_a_held_body_that_gets_the_id_of_a_moving_one_stands_still() -> None:
    def script(p: Any) -> Any:
        add(p, p.GEOM_BOX, (0, 0, 5), 1.0, halfExtents=FLAT)
        moving = add(p, p.GEOM_BOX, (0, 0, 1), halfExtents=FLAT)
        p.resetBaseVelocity(moving, (1, 0, 0))
        p.stepSimulation()
        p.removeBody(moving)
        other = add(p, p.GEOM_BOX, (2, 0, 1), halfExtents=FLAT)
        assert other == moving
        for _ in range(10):
            p.stepSimulation()
        return p.getBasePositionAndOrientation(other)[0]

    theirs, ours = both(script)
    assert ours == theirs == (2.0, 0.0, 1.0)
