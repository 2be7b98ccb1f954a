"""Fixed constraints that have to turn a body a long way."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.support.duo import GRAVITY, base_motion, both, box

ANGLES = [(0.3, 0.2, 0.5), (1.2, -0.7, 0.4), (-0.4, 0.9, 1.2)]  # rad, roll, pitch and yaw
INSIDE = (0.2, 0.1, -0.3)  # the same, of a constraint in a body


def turned(
    p: Any,
    angles: tuple[float, ...],
    *,
    child: bool = False,
    inside: tuple[float, ...] = INSIDE,
    force: float | None = None,
) -> NDArray[np.float64]:
    """The motion of a body that a constraint holds at another orientation than it has."""
    p.setGravity(0, 0, -GRAVITY)
    body = box(p, (0, 0, 1), 2.0, (0.1, 0.15, 0.2))
    target = p.getQuaternionFromEuler(angles)
    frame = p.getQuaternionFromEuler(inside)
    other = box(p, (0.5, 0, 1), 1.0) if child else -1
    offset = (-0.5, 0, 0) if child else (0, 0, 1)
    made = p.createConstraint(
        body, -1, other, -1, p.JOINT_FIXED, (0, 0, 0), (0, 0, 0), offset, frame, target
    )
    if force is not None:
        p.changeConstraint(made, maxForce=force)
    return np.array(base_motion(p, body, 60))


@pytest.mark.parametrize("angles", ANGLES)
@pytest.mark.parametrize("child", [False, True], ids=["to the world", "to a body"])
def test_a_fixed_constraint_turns_a_body_on_the_way_of_the_original(
    angles: tuple[float, ...], child: bool
) -> None:
    theirs, ours = both(lambda p: turned(p, angles, child=child), converged=True)
    # Rows give way by 1e-5 of their force, and by 10 times that where half of the angle is near
    # a right one: of the change of speed of a step, up to 70 rad/s.
    np.testing.assert_allclose(ours[:, 3:7], theirs[:, 3:7], atol=5e-4)
    np.testing.assert_allclose(ours[:, 10:], theirs[:, 10:], atol=5e-2)


def test_a_fixed_constraint_turns_with_its_largest_force_as_torque() -> None:
    theirs, ours = both(
        lambda p: turned(p, (0.6, 0.0, 0.0), inside=(0.0, 0.0, 0.0), force=25.0), converged=True
    )
    # 25 Nm give 0.042 kg m^2 a hundredth of a turn a step: 2.5 rad/s more each.
    assert np.diff(theirs[:3, 10]) == pytest.approx(2.5, rel=0.05)
    np.testing.assert_allclose(ours[:, 10], theirs[:, 10], atol=2e-2)
