"""Stacks and piles stay where they are."""

from __future__ import annotations

import numpy as np
import pytest

import unibody.bullet
from tests.support.duo import GRAVITY, box, connected, ground

# Ten boxes press the lowest contact together by 2 % of a step's fall each, divided by the
# correction rate of 0.08: 0.04 mm a box, 2 mm in all ten contacts.
PRESSED = 2e-3


@pytest.mark.parametrize("gap", [0.0, 0.005])
def test_a_stack_of_ten_boxes_stands_for_twenty_seconds(gap: float) -> None:
    with connected(unibody.bullet) as p:
        p.setGravity(0, 0, -GRAVITY)
        ground(p)
        bodies = [box(p, (0, 0, 0.1 + (0.2 + gap) * n)) for n in range(10)]
        for _ in range(20 * 240):
            p.stepSimulation()
        places = np.array([p.getBasePositionAndOrientation(body)[0] for body in bodies])
        turns = np.array([p.getBasePositionAndOrientation(body)[1] for body in bodies])
    assert np.abs(places[:, :2]).max() < 1e-3
    np.testing.assert_allclose(places[:, 2], 0.1 + 0.2 * np.arange(10), rtol=0, atol=PRESSED)
    assert np.abs(turns[:, 3]).min() > 1 - 1e-6


def test_a_heavy_box_stands_on_a_light_one() -> None:
    with connected(unibody.bullet) as p:
        p.setGravity(0, 0, -GRAVITY)
        ground(p)
        bodies = [box(p, (0, 0, 0.1), 1.0), box(p, (0, 0, 0.3), 100.0)]
        for _ in range(5 * 240):
            p.stepSimulation()
        places = np.array([p.getBasePositionAndOrientation(body)[0] for body in bodies])
    assert np.abs(places[:, :2]).max() < 1e-3
    # The lower contact carries a hundred times what its compliance is made for: 4 mm.
    np.testing.assert_allclose(places[:, 2], (0.1, 0.3), rtol=0, atol=6e-3)


def test_a_leaning_tower_within_its_base_stands_and_one_beyond_falls() -> None:
    with connected(unibody.bullet) as p:
        p.setGravity(0, 0, -GRAVITY)
        ground(p)
        lower = [box(p, (x, 0, 0.1), 10.0) for x in (0.0, 5.0)]
        within, beyond = box(p, (0.09, 0, 0.3)), box(p, (5.11, 0, 0.3))
        for _ in range(3 * 240):
            p.stepSimulation()
        heights = [p.getBasePositionAndOrientation(body)[0][2] for body in (within, beyond)]
        assert len(lower) == 2
    assert heights[0] == pytest.approx(0.3, abs=1e-3)
    assert heights[1] < 0.2
