"""Notes on bodies, links and shapes are kept and numbered as PyBullet does."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.bullet.paired import SIDES, add, both, connected

BAD = 77
Call = Callable[[Any, int, int], Any]

CALLS: list[Call] = [
    lambda p, a, b: p.getNumUserData(a),
    lambda p, a, b: p.addUserData(a, "one", "1"),
    lambda p, a, b: p.addUserData(a, "two", "2", 2),
    lambda p, a, b: p.addUserData(a, "two", "2 again", 2),
    lambda p, a, b: p.addUserData(a, "two", "of a shape", 2, 0),
    lambda p, a, b: p.addUserData(b, "one", "of the other"),
    lambda p, a, b: p.addUserData(a, "no such link", "", 99),
    lambda p, a, b: p.addUserData(a, "", "größe", physicsClientId=0),
    lambda p, a, b: p.addUserData(BAD, "one", "1"),
    lambda p, a, b: p.addUserData(a, "one", 5),
    lambda p, a, b: p.getNumUserData(a),
    lambda p, a, b: [p.getUserDataInfo(a, i) for i in range(p.getNumUserData(a))],
    lambda p, a, b: p.getUserDataInfo(a, 99),
    lambda p, a, b: p.getUserDataInfo(a, -1),
    lambda p, a, b: p.getUserDataInfo(BAD, 0),
    lambda p, a, b: p.getNumUserData(BAD),
    lambda p, a, b: p.getUserDataId(a, "two"),
    lambda p, a, b: p.getUserDataId(a, "two", 2),
    lambda p, a, b: p.getUserDataId(a, "two", 2, 0),
    lambda p, a, b: p.getUserDataId(bodyUniqueId=a, key="none", linkIndex=2, visualShapeIndex=0),
    lambda p, a, b: [p.getUserData(i) for i in range(-1, 9)],
    lambda p, a, b: p.removeUserData(1),
    lambda p, a, b: p.removeUserData(1),
    lambda p, a, b: p.removeUserData(userDataId=99),
    lambda p, a, b: [p.getUserDataInfo(a, i) for i in range(p.getNumUserData(a))],
    lambda p, a, b: p.addUserData(a, "new", "in the free number"),
    lambda p, a, b: p.addUserData(a, "newer", "in the next number"),
    lambda p, a, b: [p.getUserDataInfo(a, i) for i in range(p.getNumUserData(a))],
    lambda p, a, b: p.syncUserData(),
    lambda p, a, b: p.syncUserData([a, b]),
    lambda p, a, b: p.syncUserData(bodyUniqueId=a),
    lambda p, a, b: p.syncUserData(bodyUniqueIds=[BAD]),
    lambda p, a, b: p.removeBody(a),
    lambda p, a, b: [p.getUserData(i) for i in range(9)],
    lambda p, a, b: p.addUserData(b, "after", "a body went"),
    lambda p, a, b: p.resetSimulation(),
    lambda p, a, b: [p.getUserData(i) for i in range(9)],
    lambda p, a, b: p.addUserData(add(p, p.GEOM_SPHERE, (0, 0, 0), radius=1.0), "first", "again"),
]


def test_every_call_answers_as_pybullets_does() -> None:
    def play(p: Any) -> list[Any]:
        first = add(p, p.GEOM_SPHERE, (0, 0, 0), radius=1.0)
        second = add(p, p.GEOM_SPHERE, (5, 0, 0), radius=1.0)
        answers: list[Any] = []
        for call in CALLS:
            try:
                answers.append(call(p, first, second))
            except (p.error, TypeError) as problem:
                answers.append((type(problem).__name__, str(problem)))
        return answers

    theirs, ours = both(play)
    assert ours == theirs


def test_a_key_that_is_too_long_is_refused() -> None:
    """PyBullet ends the process."""
    with connected(SIDES[1]) as p:
        body = add(p, p.GEOM_SPHERE, (0, 0, 0), radius=1.0)
        with pytest.raises(p.error, match="at most 255 bytes"):
            p.addUserData(body, "k" * 256, "")
        assert p.getNumUserData(body) == 0
