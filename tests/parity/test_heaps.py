"""Heaps of random objects, each of several convex parts, in a tray."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.support.duo import DATA, GRAVITY, both

OBJECTS = 20
STEPS = 960  # 4 s: the last ones land after one


@pytest.mark.parametrize("seed", [1, 4])
@pytest.mark.slow
def test_random_objects_that_fall_on_one_another_are_not_caught_in_one_another(seed: int) -> None:
    """They meet at up to 6 m/s, which is their own size in a step."""

    def script(p: Any) -> list[float]:
        chance = np.random.default_rng(seed)
        p.setAdditionalSearchPath(DATA)
        p.setGravity(0, 0, -GRAVITY)
        p.loadURDF("plane.urdf")
        p.loadURDF("tray/tray.urdf", useFixedBase=True)
        bodies: list[int] = []
        for k in range(OBJECTS):
            number = int(chance.integers(0, 1000))
            turn = chance.normal(size=4)
            turn /= np.linalg.norm(turn)
            place = [*chance.uniform(-0.08, 0.08, 2), 0.1 + 0.09 * k]
            name = f"random_urdfs/{number:03d}/{number:03d}.urdf"
            bodies.append(p.loadURDF(name, place, turn.tolist(), globalScaling=0.7))
        for _ in range(STEPS):
            p.stepSimulation()
        deepest = min(point[8] for point in p.getContactPoints())
        heights = [p.getBasePositionAndOrientation(body)[0][2] for body in bodies]
        return [deepest, float(np.mean(heights))]

    theirs, ours = both(script)
    assert theirs[0] > -1e-3
    assert ours[0] > -1e-3
    assert ours[1] == pytest.approx(theirs[1], abs=0.01)  # 12 heaps: 31 to 35 mm, 28 to 37 mm
