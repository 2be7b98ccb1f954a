"""Contacts are found at the distances at which PyBullet finds them, and stop what comes in."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.duo import both

SPEED = 0.05  # m/s
STEP = SPEED / 240.0  # m: distances are seen in steps of this


def _shape(p: Any, kind: str) -> int:
    sizes: dict[str, dict[str, Any]] = {
        "sphere": {"radius": 0.1},
        "box": {"halfExtents": (0.1, 0.1, 0.1)},
        "capsule": {"radius": 0.1, "height": 0.3},
        "cylinder": {"radius": 0.1, "height": 0.3},
        "plane": {},
        "ground": {"halfExtents": (5, 5, 5)},
    }
    kinds = {"ground": "BOX"}
    number = getattr(p, f"GEOM_{kinds.get(kind, kind).upper()}")
    return p.createCollisionShape(number, **sizes[kind])


def _first_distance(p: Any, kind: str, ground: str) -> float:
    """How far from one another two bodies that approach are when their first contact is listed."""
    if ground.endswith(".urdf"):
        below = p.loadURDF(ground)
    else:
        below = p.createMultiBody(0, _shape(p, ground))
    body = p.createMultiBody(1, _shape(p, kind), basePosition=(0.01, 0.02, 7))
    gap = min(point[8] for point in p.getClosestPoints(body, below, 20))
    p.resetBasePositionAndOrientation(body, (0.01, 0.02, 7 - gap + 0.02), (0, 0, 0, 1))
    p.resetBaseVelocity(body, (0, 0, -SPEED))
    for _ in range(200):
        p.stepSimulation()
        if points := p.getContactPoints(body):
            return min(point[8] for point in points)
    raise AssertionError("they never met")


KINDS = ["sphere", "box", "capsule", "cylinder"]
GROUNDS = ["plane", "ground", "plane.urdf"]


@pytest.mark.parametrize(
    ("kind", "ground"),
    [*((kind, ground) for kind in KINDS for ground in GROUNDS), ("sphere", "sphere")],
)
def test_a_contact_is_listed_at_the_distance_of_pybullets(kind: str, ground: str) -> None:
    def script(p: Any) -> float:
        p.setGravity(0, 0, 0)
        return _first_distance(p, kind, ground)

    theirs, ours = both(script)
    assert ours == pytest.approx(theirs, abs=1.5 * STEP)


FREE_PAIRS = [("capsule", "capsule"), ("capsule", "cylinder"), ("cylinder", "sphere")]


@pytest.mark.parametrize(("large", "small"), FREE_PAIRS)
def test_two_bodies_that_can_move_see_as_far_ahead_as_the_smaller_one(
    large: str, small: str
) -> None:
    def script(p: Any) -> list[float]:
        p.setGravity(0, 0, 0)
        below = p.createMultiBody(5, _shape(p, large))
        sizes = {"radius": 0.02} if small == "sphere" else {"radius": 0.02, "height": 0.06}
        number = getattr(p, f"GEOM_{small.upper()}")
        body = p.createMultiBody(1, p.createCollisionShape(number, **sizes))
        listed: list[float] = []
        for step in range(60):  # gaps from 6 mm down to 0.1 mm
            p.resetBasePositionAndOrientation(body, (0, 0, 7), (0, 0, 0, 1))
            gap = p.getClosestPoints(body, below, 20)[0][8]
            at = 7 - gap + 6e-3 - 1e-4 * step
            p.resetBasePositionAndOrientation(body, (0, 0, at), (0, 0, 0, 1))
            p.performCollisionDetection()
            listed.append(max((point[8] for point in p.getContactPoints(body)), default=0.0))
        return [max(listed)]

    theirs, ours = both(script)
    assert theirs[0] > 0.0
    assert ours == pytest.approx(theirs, abs=1.5e-4)  # distances are seen in steps of 0.1 mm


def test_what_falls_on_a_plane_is_not_thrown_back_by_a_strong_correction() -> None:
    def script(p: Any) -> list[float]:
        p.setGravity(0, 0, -9.8)
        p.setDefaultContactERP(0.9)
        p.createMultiBody(0, _shape(p, "plane"))
        body = p.createMultiBody(1, _shape(p, "capsule"), basePosition=(0, 0, 0.28))
        heights: list[float] = []
        for _ in range(60):
            p.stepSimulation()
            heights.append(p.getBasePositionAndOrientation(body)[0][2])
        return heights

    theirs, ours = both(script)
    assert ours == pytest.approx(theirs, abs=2e-4)  # Bullet stops 0.1 mm off


def test_contact_breaking_threshold_sets_how_far_ahead_contacts_are_found() -> None:
    def script(p: Any) -> list[float]:
        found: list[float] = []
        for threshold in (0.05, 0.0, 0.02):  # the default last: PyBullet has one for all worlds
            p.resetSimulation()
            p.setPhysicsEngineParameter(contactBreakingThreshold=threshold)
            found.append(_first_distance(p, "sphere", "ground"))
        return found

    theirs, ours = both(script)
    assert ours == pytest.approx(theirs, abs=1.5 * STEP)
