"""Boxes that fall into a pile, and the pile at rest."""

from __future__ import annotations

import random

from benchmarks.bullet.registry import Module, Prepared, work

FAMILY = "Piles"
FALL_STEPS = 240
REST_STEPS = 24
SETTLING_STEPS = 480


def _drop(p: Module, count: int) -> None:
    """Build a ground and ``count`` boxes of 10 cm in a loose block above it."""
    p.resetSimulation()
    p.setGravity(0.0, 0.0, -9.81)
    ground = p.createCollisionShape(p.GEOM_BOX, halfExtents=(5.0, 5.0, 0.5))
    p.createMultiBody(0.0, ground, basePosition=(0.0, 0.0, -0.5))
    box = p.createCollisionShape(p.GEOM_BOX, halfExtents=(0.05, 0.05, 0.05))
    side = round((count / 4.0) ** 0.5) if count < 500 else 10
    chance = random.Random(1)
    for k in range(count):
        layer, place = divmod(k, side * side)
        row, column = divmod(place, side)
        x, y = (0.13 * i + chance.uniform(-0.02, 0.02) for i in (row, column))
        p.createMultiBody(0.5, box, basePosition=(x, y, 0.1 + 0.13 * layer))


def _steps(p: Module, count: int) -> None:
    for _ in range(count):
        p.stepSimulation()


def _falling(p: Module, count: int) -> Prepared:
    return Prepared(
        lambda: _steps(p, FALL_STEPS),
        FALL_STEPS,
        restart=lambda: _drop(p, count),
        counts_contacts=True,
    )


def _resting(p: Module, count: int) -> Prepared:
    _drop(p, count)
    _steps(p, SETTLING_STEPS)
    return Prepared(lambda: _steps(p, REST_STEPS), REST_STEPS, counts_contacts=True)


@work("boxes_100_falling", FAMILY, "100 boxes, the first second of their fall", "steps/s")
def boxes_100_falling(p: Module) -> Prepared:
    """Few contacts at first, then many."""
    return _falling(p, 100)


@work("boxes_100_rest", FAMILY, "100 boxes at rest", "steps/s")
def boxes_100_rest(p: Module) -> Prepared:
    """Two seconds after the fall; nothing sleeps."""
    return _resting(p, 100)


@work("boxes_1000_falling", FAMILY, "1000 boxes, the first second of their fall", "steps/s")
def boxes_1000_falling(p: Module) -> Prepared:
    """Ten layers of a hundred."""
    return _falling(p, 1000)


@work("boxes_1000_rest", FAMILY, "1000 boxes at rest", "steps/s")
def boxes_1000_rest(p: Module) -> Prepared:
    """Two seconds after the fall; nothing sleeps."""
    return _resting(p, 1000)
