"""Prismatic constraints leave one direction free, and only that one, as in PyBullet."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.support.duo import GRAVITY, base_motion, both, box
from tests.support.tolerances import SOLVED


@pytest.mark.parametrize("others", [0, 12], ids=["dense", "sparse"])
def test_a_body_slides_along_the_axis_of_another_as_in_pybullet(others: int) -> None:
    """MuJoCo stores the Jacobian densely in small worlds and sparsely in larger ones."""

    def script(p: Any) -> Any:
        p.setGravity(0, 0, -GRAVITY)
        turned = p.getQuaternionFromEuler((0, 0.5, 0))
        held, body = box(p, (0, 0, 1), 0), box(p, (0, 0.5, 1))
        for one, place in ((held, (0, 0, 1)), (body, (0, 0.5, 1))):
            p.resetBasePositionAndOrientation(one, place, turned)
        for k in range(others):
            box(p, (5 + k, 0, 5))
        p.createConstraint(
            held, -1, body, -1, p.JOINT_PRISMATIC, (1, 0, 0), (0, 0.25, 0), (0, -0.25, 0)
        )
        return base_motion(p, body, 100)

    theirs, ours = both(script, converged=True)
    np.testing.assert_allclose(ours[:, :7], theirs[:, :7], rtol=0, atol=SOLVED)
    # the free axis is the parent's x: half a g sin(0.5) t^2, less the drag of 4 % a second
    assert ours[-1, 0] > 0.3


def test_a_slider_to_the_world_lets_a_body_fall_straight_down() -> None:
    def script(p: Any) -> Any:
        p.setGravity(1.0, 0, -GRAVITY)
        body = box(p, (0, 0, 5))
        p.createConstraint(body, -1, -1, -1, p.JOINT_PRISMATIC, (0, 0, 1), (0, 0, 0), (0, 0, 5))
        return base_motion(p, body, 100)

    theirs, ours = both(script, converged=True)
    np.testing.assert_allclose(ours[:, :7], theirs[:, :7], rtol=0, atol=SOLVED)
    assert abs(ours[-1, 0]) < SOLVED
    assert ours[-1, 2] < 4.5
