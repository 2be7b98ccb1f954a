"""A world that bodies come to and go from for ever does not grow."""

from __future__ import annotations

import gc
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import unibody.bullet
from tests.support.duo import GRAVITY, box, connected, ground, sphere
from unibody.bullet.clients.registry import get_client

ROUNDS = 10_000
WARM_UP = 2_000  # allocator pools and caches of files have their size by then
PAGE = 4096


def resident() -> int:
    """Memory this process occupies [bytes]."""
    return int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1]) * PAGE


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="needs Linux's /proc")
def test_ten_thousand_removals_additions_and_resets_leave_memory_flat() -> None:
    with connected(unibody.bullet) as p:
        p.setGravity(0, 0, -GRAVITY)
        ground(p)
        shape = p.createCollisionShape(p.GEOM_BOX, halfExtents=(0.1, 0.1, 0.1))
        kept = [sphere(p, (float(n), 2, 0.1)) for n in range(3)]
        rolling: list[int] = []
        before = 0

        def one_round(number: int) -> None:
            rolling.append(p.createMultiBody(1, shape, basePosition=(number % 5, 0, 0.5)))
            if len(rolling) > 3:
                p.removeBody(rolling.pop(0))
            if number % 50 == 0:
                robot = p.loadURDF("r2d2.urdf", (0, 5, 0.5))
                p.stepSimulation()
                p.removeBody(robot)
            p.resetBasePositionAndOrientation(kept[number % 3], (0, 2, 1), (0, 0, 0, 1))
            p.stepSimulation()

        for number in range(ROUNDS):
            if number == WARM_UP:
                gc.collect()
                before = resident()
            one_round(number)
        gc.collect()
        after = resident()
    assert after < 1.05 * before


def test_resetting_the_simulation_forgets_everything(tmp_path: Any) -> None:
    with connected(unibody.bullet) as p:
        for _ in range(3):
            ground(p)
            body = box(p, (0, 0, 1))
            p.stepSimulation()
            p.saveState()
            assert (body, p.getNumBodies()) == (1, 2)
            p.resetSimulation()
            assert p.getNumBodies() == 0


def test_memory_for_contacts_grows_by_the_body_and_not_by_the_square() -> None:
    with connected(unibody.bullet) as p:
        p.setGravity(0, 0, -GRAVITY)
        ground(p)
        shape = p.createCollisionShape(p.GEOM_BOX, halfExtents=(0.1, 0.1, 0.1))
        reserved: list[float] = []
        for batch in range(4):  # there is room for as many again, so that the last are 3200
            places = [(0.25 * k, 0.5 * batch, 0.1) for k in range(400)]
            p.createMultiBody(1, shape, batchPositions=places)
            p.stepSimulation()
            reserved.append(float(get_client(0).scene.world.model.narena))
        heights = [p.getBasePositionAndOrientation(body)[0][2] for body in range(1, 1601)]
    # By the square they would be 15 GB. 1 GiB holds whatever is small; contacts and the broad
    # phase of 3200 bodies take 0.6 GB and 50 MB more.
    assert max(reserved) < 1.8e9
    np.testing.assert_allclose(heights, 0.1, rtol=0, atol=1e-3)  # they rest on the plane
