"""A restored state is the saved one, and goes on as it did, to the last bit."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

import unibody.bullet
from tests.physics.scene import Busy
from tests.support.duo import box, connected


@pytest.fixture
def p() -> Iterator[Any]:
    with connected(unibody.bullet) as module:
        yield module


def moving(p: Any, steps: int = 60) -> Busy:
    """The busy scene in the middle of its motion."""
    busy = Busy(p)
    busy.step(steps)
    return busy


def continued(busy: Busy, steps: int = 60) -> tuple[bytes, bytes]:
    """The present state, and the one some steps later."""
    begin, count = busy.state(), busy.count
    busy.step(steps)
    end, busy.count = busy.state(), count
    return begin, end


def kinematic(busy: Busy) -> list[Any]:
    """Poses, velocities and joint states without motor torques, which belong to a step."""
    p = busy.p
    rows: list[Any] = []
    for body in (busy.arm, busy.dog, *busy.bodies):
        rows += [p.getBasePositionAndOrientation(body), p.getBaseVelocity(body)]
        rows += [state[:2] for state in p.getJointStates(body, range(p.getNumJoints(body)))]
    return rows


def test_a_restored_state_continues_bit_for_bit(p: Any) -> None:
    busy = moving(p)
    saved, begin = p.saveState(), kinematic(busy)
    end = continued(busy)[1]
    p.restoreState(saved)
    assert kinematic(busy) == begin
    assert continued(busy)[1] == end


def test_a_state_can_be_restored_again_and_again(p: Any) -> None:
    busy = moving(p)
    saved = p.saveState()
    end = continued(busy)[1]
    for steps in (1, 7, 30):
        busy.step(steps)
        p.restoreState(saved)
        busy.count = 60
        assert continued(busy)[1] == end


def test_a_state_continues_bit_for_bit_after_a_body_came_and_went(p: Any) -> None:
    busy = moving(p)
    saved = p.saveState()
    end = continued(busy)[1]
    extra = box(p, (0.05, 0.7, 3.0))
    busy.step(20)
    p.removeBody(extra)
    busy.step(5)
    p.restoreState(saved)
    busy.count = 60
    assert continued(busy)[1] == end


def test_a_state_continues_bit_for_bit_after_a_constraint_came_and_went(p: Any) -> None:
    busy = moving(p)
    saved = p.saveState()
    end = continued(busy)[1]
    held = p.createConstraint(busy.dog, -1, -1, -1, p.JOINT_FIXED, (0, 0, 0), (0, 0, 0), (1, 0, 1))
    busy.step(20)
    p.removeConstraint(held)
    p.restoreState(saved)
    busy.count = 60
    assert continued(busy)[1] == end


def test_saving_does_not_change_what_follows(p: Any) -> None:
    busy = moving(p)
    busy.step(30)
    watched = busy.state()
    p.resetSimulation()
    busy = moving(p)
    for _ in range(30):
        p.removeState(p.saveState())
        busy.step(1)
    assert busy.state() == watched


def test_adding_and_removing_a_body_far_away_does_not_change_what_follows(p: Any) -> None:
    busy = moving(p)
    busy.step(30)
    undisturbed = busy.state()
    p.resetSimulation()
    busy = moving(p)
    p.removeBody(box(p, (100, 100, 100)))
    busy.step(30)
    assert busy.state() == undisturbed


def test_a_state_whose_body_is_gone_is_refused(p: Any) -> None:
    body = box(p, (0, 0, 1))
    saved = p.saveState()
    p.removeBody(body)
    with pytest.raises(p.error, match="Couldn't restore state"):
        p.restoreState(saved)


def test_a_removed_state_is_refused(p: Any) -> None:
    saved = p.saveState()
    p.removeState(saved)
    with pytest.raises(p.error, match="Couldn't restore state"):
        p.restoreState(saved)


@pytest.mark.parametrize("resets", [False, True], ids=["in motion", "after it was put somewhere"])
def test_a_link_is_pushed_after_a_restoration_as_after_the_saving(p: Any, resets: bool) -> None:
    dog = p.loadURDF("a1/a1.urdf", (0, 0, 1))
    p.resetBaseVelocity(dog, (0, 0, 0), (9, 2, 3))

    def pushed() -> Any:
        p.applyExternalForce(dog, 2, (10, 20, 30), (0, 0, 0.1), p.LINK_FRAME)
        p.stepSimulation()
        return p.getBaseVelocity(dog)

    for _ in range(10):
        p.stepSimulation()
    if resets:
        p.resetBasePositionAndOrientation(dog, (0, 0, 1), (0, 0.6, 0, 0.8))
        p.resetBaseVelocity(dog, (0, 0, 0), (9, 2, 3))
    saved = p.saveState()
    expected = pushed()
    for _ in range(5):
        pushed()
    p.resetBasePositionAndOrientation(dog, (0, 0, 2), (0, 0, 0.6, 0.8))
    p.restoreState(saved)
    assert pushed() == expected
