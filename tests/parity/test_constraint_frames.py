"""Frames of constraints as they are told, against PyBullet."""

from typing import Any

import pytest

from tests.bullet.paired import add, both


@pytest.mark.parametrize("turn", [None, (0, 0, 1), (0, 0, 0.6, 0.8), (0, 0, 0, 0, 1)])
def test_an_orientation_without_four_numbers_is_passed_over(turn: Any) -> None:
    def told(p: Any) -> Any:
        ball = add(p, p.GEOM_SPHERE, (0, 0, 0), 1.0, radius=0.1)
        frames = {"parentFrameOrientation": turn, "childFrameOrientation": turn}
        held = p.createConstraint(
            ball, -1, -1, -1, p.JOINT_FIXED, [0, 0, 0], [0, 0, 0], [0, 0, 0], **frames
        )
        return p.getConstraintInfo(held)[8:10]

    theirs, ours = both(told)
    assert ours == theirs
