"""The points of contact of two boxes that lie on one another."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.support.duo import both, box

TURNS = (0.2, 0.5, 0.8, 1.3)  # rad; the sides of the two boxes cross in six or eight points


@pytest.mark.parametrize("turn", TURNS)
@pytest.mark.parametrize("at", [(0.03, 0.01), (0.06, -0.04)])
def test_two_boxes_touch_in_the_four_points_that_pybullet_keeps(
    turn: float, at: tuple[float, float]
) -> None:
    def script(p: Any) -> list[list[float]]:
        below = box(p, (0, 0, 0), 0.0)
        leans = p.getQuaternionFromEuler((0.008, 0.005, turn))
        above = box(p, (*at, 0.196), 1.0, baseOrientation=leans)
        p.stepSimulation()
        return sorted([c[8], *c[6]] for c in p.getContactPoints(above, below))

    theirs, ours = both(script)
    assert len(theirs) == 4
    # After a step of gravity, at rest but for the depth that it takes away: 1e-4 of 0.1 m.
    np.testing.assert_allclose(ours, theirs, rtol=0, atol=2e-5)


def test_a_tower_of_twisted_boxes_stands() -> None:
    def script(p: Any) -> list[float]:
        p.setGravity(0, 0, -9.81)
        box(p, (0, 0, -0.1), 0.0)
        tower = [
            box(p, (0, 0, 0.1 + 0.2 * i), 1.0, baseOrientation=p.getQuaternionFromEuler((0, 0, i)))
            for i in range(6)
        ]
        for _ in range(480):
            p.stepSimulation()
        return [p.getBasePositionAndOrientation(tower[-1])[0][2]]

    theirs, ours = both(script)
    assert ours[0] == pytest.approx(1.1, abs=2e-4)  # twelve times the slop, and softness
    assert theirs[0] == pytest.approx(1.1, abs=5e-3)
