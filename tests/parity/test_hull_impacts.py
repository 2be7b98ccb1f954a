"""Hulls that land and lie on floors and planes, against PyBullet and what has to be."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.support.duo import DATA, GRAVITY, both

DROPS = 10


def _drop(p: Any, name: str, ground: str, seed: int) -> tuple[int, int]:
    """Put a body 4 mm above the ground, falling at 2 m/s and turning."""
    chance = np.random.default_rng(seed)
    p.resetSimulation()
    p.setGravity(0, 0, -GRAVITY)
    p.setAdditionalSearchPath(DATA)
    if ground == "floor":
        below = p.loadURDF("plane.urdf")
    else:
        below = p.createMultiBody(0, p.createCollisionShape(p.GEOM_PLANE))
    body = p.loadURDF(name)
    turn = chance.normal(size=4)
    turn /= np.linalg.norm(turn)
    p.resetBasePositionAndOrientation(body, (0, 0, 1), turn.tolist())
    gap = min(row[8] for row in p.getClosestPoints(body, below, 2))
    p.resetBasePositionAndOrientation(body, (0, 0, 1.004 - gap), turn.tolist())
    x, y, z = (0.3 * chance.normal(size=3)).tolist()
    p.resetBaseVelocity(body, (x, y, z - 2), (2 * chance.normal(size=3)).tolist())
    return body, below


@pytest.mark.parametrize("ground", ["floor", "plane"])
@pytest.mark.parametrize("name", ["duck_vhacd.urdf", "teddy_vhacd.urdf", "objects/mug.urdf"])
def test_a_hull_that_lands_is_turned_as_in_pybullet(name: str, ground: str) -> None:
    """It falls by 8 mm a step, so that corners are hit one after another."""

    def script(p: Any) -> list[list[float]]:
        rows: list[list[float]] = []
        for seed in range(DROPS):
            body, _ = _drop(p, name, ground, seed)
            for _ in range(7):
                p.stepSimulation()
            linear, angular = p.getBaseVelocity(body)
            rows.append([*linear, *angular])
        return rows

    theirs, ours = (np.array(rows) for rows in both(script))
    away = np.linalg.norm(ours - theirs, axis=1)
    share = away[:, None] / np.linalg.norm(theirs, axis=1)[:, None]
    # 0.03 to 0.1; softness of contacts makes 0.03 of a sphere's, and a corner may come a step later
    assert np.median(share) < 0.13


def test_what_touches_a_floor_is_pushed_straight_up() -> None:
    def script(p: Any) -> list[float]:
        off: list[float] = []
        for seed in range(DROPS):
            body, _ = _drop(p, "duck_vhacd.urdf", "floor", seed)
            for _ in range(8):
                p.stepSimulation()
                off.extend(1.0 - row[7][2] for row in p.getContactPoints(body))
        return off

    theirs, ours = both(script)
    assert max(theirs) < 1e-12
    assert len(ours) > DROPS
    assert max(ours) < 1e-12


@pytest.mark.parametrize("ground", ["floor", "plane"])
def test_a_mug_stands_still_on_what_is_lowest_of_it(ground: str) -> None:
    """Its rim has a second ring of corners 1.3 mm higher and farther out."""

    def script(p: Any) -> list[float]:
        body, _ = _drop(p, "objects/mug.urdf", ground, 0)
        p.resetBasePositionAndOrientation(body, (0, 0, 0.05), (0, 0, 0, 1))
        p.resetBaseVelocity(body, (0, 0, 0), (0, 0, 0))
        for _ in range(480):
            p.stepSimulation()
        push = sum(row[9] for row in p.getContactPoints(body))
        linear, angular = p.getBaseVelocity(body)
        weight = p.getDynamicsInfo(body, -1)[0] * GRAVITY
        return [push / weight, float(np.linalg.norm(linear)), float(np.linalg.norm(angular))]

    _, ours = both(script)
    assert ours == pytest.approx([1.0, 0.0, 0.0], abs=1e-4)


@pytest.mark.parametrize("share", [-0.02, 0.02])
def test_a_hull_tips_over_an_edge_once_its_middle_is_beyond(share: float) -> None:
    """Half of it is over the side of a box, where the nearest feature may be an edge."""

    def script(p: Any) -> float:
        p.setGravity(0, 0, -GRAVITY)
        box = p.createCollisionShape(p.GEOM_BOX, halfExtents=[0.2, 0.2, 0.2])
        p.createMultiBody(0, box, -1, (0, 0, -0.2))
        corners = [(x, y, z) for x in (-0.1, 0.1) for y in (-0.05, 0.05) for z in (-0.02, 0.02)]
        hull = p.createCollisionShape(p.GEOM_MESH, vertices=corners)
        body = p.createMultiBody(1, hull, -1, (0.2 + share, 0, 0.022))
        for _ in range(240):
            p.stepSimulation()
        return p.getBasePositionAndOrientation(body)[0][2]

    theirs, ours = both(script)
    assert (theirs < 0.0) == (share > 0.0)
    assert (ours < 0.0) == (share > 0.0)
