"""Grippers hold what they grip against gravity."""

from __future__ import annotations

from typing import Any

import pytest

import unibody.bullet
from tests.support.duo import GRAVITY, box, connected

REST = (0.0, -0.215, 0.0, -2.57, 0.0, 2.356, 2.356)  # panda, hand down
FINGERS = (9, 10)
GRASP = 11
# Friction that holds creeps at the rate of its compliance: below 0.2 mm a second for 1 kg.
CREEP = 5e-4  # m in two seconds


def settle(p: Any, steps: int) -> None:
    for _ in range(steps):
        p.stepSimulation()


def panda_with_box(p: Any, mass: float) -> tuple[int, int]:
    """A panda arm whose open hand is around a box of 4 cm."""
    arm = p.loadURDF("franka_panda/panda.urdf", useFixedBase=True)
    for joint, angle in enumerate(REST):
        p.resetJointState(arm, joint, angle)
        p.setJointMotorControl2(arm, joint, p.POSITION_CONTROL, targetPosition=angle, force=240)
    for finger in FINGERS:
        p.resetJointState(arm, finger, 0.03)
    place = p.getLinkState(arm, GRASP)
    load = box(p, place[0], mass, (0.02, 0.02, 0.02), baseOrientation=place[1])
    return arm, load


def grip(p: Any, arm: int, force: float, target: float = 0.0) -> None:
    for finger in FINGERS:
        p.setJointMotorControl2(arm, finger, p.POSITION_CONTROL, targetPosition=target, force=force)


@pytest.mark.parametrize("mass", [0.1, 1.0])
def test_a_panda_hand_holds_a_box_against_gravity(mass: float) -> None:
    with connected(unibody.bullet) as p:
        arm, load = panda_with_box(p, mass)
        p.changeDynamics(load, -1, lateralFriction=1.0)
        grip(p, arm, 40.0)
        settle(p, 60)
        p.setGravity(0, 0, -GRAVITY)
        settle(p, 60)
        before = p.getBasePositionAndOrientation(load)[0][2]
        settle(p, 480)
        after = p.getBasePositionAndOrientation(load)[0][2]
    assert after == pytest.approx(before, abs=CREEP)


def test_a_panda_hand_that_grips_too_weakly_drops_the_box() -> None:
    with connected(unibody.bullet) as p:
        arm, load = panda_with_box(p, 1.0)
        grip(p, arm, 2.0)  # friction 0.5 * 0.5 on two sides carries 1 N of 9.8 N
        settle(p, 60)
        p.setGravity(0, 0, -GRAVITY)
        before = p.getBasePositionAndOrientation(load)[0][2]
        settle(p, 240)
        after = p.getBasePositionAndOrientation(load)[0][2]
    assert after < before - 0.15


def test_a_panda_arm_lifts_what_its_hand_holds() -> None:
    with connected(unibody.bullet) as p:
        p.setGravity(0, 0, -GRAVITY)
        arm, load = panda_with_box(p, 0.2)
        p.changeDynamics(load, -1, lateralFriction=1.0)
        grip(p, arm, 40.0)
        settle(p, 60)
        hand = p.getLinkState(arm, GRASP, 0, 1)[0][2]
        held = p.getBasePositionAndOrientation(load)[0][2] - hand
        p.setJointMotorControl2(
            arm, 1, p.POSITION_CONTROL, targetPosition=-0.6, force=240, positionGain=0.01
        )
        settle(p, 240)
        lifted = p.getLinkState(arm, GRASP, 0, 1)[0][2]
        now = p.getBasePositionAndOrientation(load)[0][2] - lifted
    assert lifted > hand + 0.1
    # The fingers do not know of one another: with the box they drift along their common axis,
    # in PyBullet too, and the hand has turned by 0.35 rad meanwhile.
    assert now == pytest.approx(held, abs=0.01)


@pytest.mark.parametrize("mass", [0.05, 0.5])
def test_a_pr2_gripper_holds_a_box_against_gravity(mass: float) -> None:
    with connected(unibody.bullet) as p:
        hand = p.loadURDF("pr2_gripper.urdf", (0, 0, 1), useFixedBase=True)
        for joint in (0, 2):
            p.resetJointState(hand, joint, 0.3)
        load = box(p, (0.29, 0, 1), mass, (0.01, 0.01, 0.02))  # between the tips
        p.changeDynamics(load, -1, lateralFriction=1.0)
        for joint in (0, 2):
            p.setJointMotorControl2(hand, joint, p.POSITION_CONTROL, targetPosition=0.0, force=20)
        settle(p, 120)
        p.setGravity(0, 0, -GRAVITY)
        settle(p, 60)
        before = p.getBasePositionAndOrientation(load)[0][2]
        settle(p, 480)
        after = p.getBasePositionAndOrientation(load)[0][2]
    assert before == pytest.approx(1.0, abs=1e-3)
    assert after == pytest.approx(before, abs=CREEP)
