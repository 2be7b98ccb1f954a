"""Bodies and constraints are counted in PyBullet's order."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import pybullet
import pytest

import unibody.bullet

SIDES: tuple[Any, Any] = (pybullet, unibody.bullet)
CHANGES = 60


@pytest.fixture(autouse=True)
def _connected() -> Iterator[None]:
    for p in SIDES:
        assert p.connect(p.DIRECT) == 0, "another test left its world behind"
        p.createMultiBody(1.0)
    yield
    for p in SIDES:
        p.disconnect()


def _bodies(p: Any) -> list[int]:
    return [p.getBodyUniqueId(i) for i in range(-1, p.getNumBodies() + 1)]


def _constraints(p: Any) -> list[int]:
    return [p.getConstraintUniqueId(i) for i in range(-1, p.getNumConstraints() + 1)]


def _hold(p: Any) -> int:
    return int(p.createConstraint(0, -1, -1, -1, p.JOINT_POINT2POINT, [0] * 3, [0] * 3, [0] * 3))


@pytest.mark.parametrize("seed", range(3))
def test_bodies_that_come_and_go_are_counted_as_in_pybullet(seed: int) -> None:
    draw, there = random.Random(seed), [0]
    for _ in range(CHANGES):
        if there and draw.random() < 0.4:
            gone = there.pop(draw.randrange(len(there)))
            for p in SIDES:
                p.removeBody(gone)
        else:
            expected, found = (p.createMultiBody(1.0) for p in SIDES)
            assert found == expected
            there.append(found)
        assert _bodies(unibody.bullet) == _bodies(pybullet)
    for p in SIDES:
        p.resetSimulation()
        p.createMultiBody(1.0)
    assert _bodies(unibody.bullet) == _bodies(pybullet)


@pytest.mark.parametrize("seed", range(3))
def test_constraints_that_come_and_go_are_counted_as_in_pybullet(seed: int) -> None:
    draw, there = random.Random(seed), list[int]()
    for _ in range(CHANGES):
        if there and draw.random() < 0.4:
            gone = there.pop(draw.randrange(len(there)))
            for p in SIDES:
                p.removeConstraint(gone)
        else:
            expected, found = (_hold(p) for p in SIDES)
            assert found == expected
            there.append(found)
        assert _constraints(unibody.bullet) == _constraints(pybullet)


def test_a_body_that_goes_takes_its_constraints_out_of_the_count() -> None:
    for p in SIDES:
        other = p.createMultiBody(1.0)
        for body in (0, other, 0, other, other):
            p.createConstraint(body, -1, -1, -1, p.JOINT_FIXED, [0] * 3, [0] * 3, [0] * 3)
        p.removeBody(0)
    assert _constraints(unibody.bullet) == _constraints(pybullet)
    assert _bodies(unibody.bullet) == _bodies(pybullet)
