"""Constraints between bodies, and between a body and the world, hold as in PyBullet."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import unibody.bullet
from tests.support.duo import (
    DATA,
    GRAVITY,
    STEP,
    base_motion,
    both,
    box,
    connected,
    without_damping,
)
from tests.support.tolerances import ALGEBRA, SOLVED

# A pendulum of constraint rows swings through 1 m at 6 rad/s: SOLVED grows with the swing.
SWINGING = 5 * SOLVED


def poses_agree(script: Any, tolerance: float) -> Any:
    theirs, ours = both(script, converged=True)
    np.testing.assert_allclose(ours[:, :7], theirs[:, :7], rtol=0, atol=tolerance)
    return ours


def test_a_body_swings_on_a_point_of_the_world_as_in_pybullet() -> None:
    def script(p: Any) -> Any:
        p.setGravity(0, 0, -GRAVITY)
        body = box(p, (0, 0, 1))
        p.createConstraint(
            body, -1, -1, -1, p.JOINT_POINT2POINT, (0, 0, 0), (0.3, 0, 0.1), (0.3, 0, 1.1)
        )
        return base_motion(p, body, 240)

    poses_agree(script, SWINGING)


def test_a_body_swings_on_a_point_of_another_as_in_pybullet() -> None:
    def script(p: Any) -> Any:
        p.setGravity(0, 0, -GRAVITY)
        held, body = box(p, (0, 0, 1), 0), box(p, (1.3, 0, 1), 2.0)
        p.createConstraint(
            held, -1, body, -1, p.JOINT_POINT2POINT, (0, 0, 0), (0.9, 0, 0), (-0.4, 0, 0)
        )
        return base_motion(p, body, 200)

    poses_agree(script, SWINGING)


def test_two_fixed_bodies_swing_as_one_as_in_pybullet() -> None:
    def script(p: Any) -> Any:
        p.setGravity(0, 0, -GRAVITY)
        first, second = box(p, (0, 0, 1)), box(p, (0.5, 0, 1))
        p.createConstraint(
            first, -1, second, -1, p.JOINT_FIXED, (0, 0, 0), (0.25, 0, 0), (-0.25, 0, 0)
        )
        p.createConstraint(
            first, -1, -1, -1, p.JOINT_POINT2POINT, (0, 0, 0), (0, 0, 0.1), (0, 0, 1.1)
        )
        return base_motion(p, second, 240)

    poses_agree(script, SWINGING)


def test_a_body_on_a_turned_fixed_frame_turns_to_it_as_in_pybullet() -> None:
    turn = (0.1, 0.05, 0.15, 0.98)

    def script(p: Any) -> Any:
        p.setGravity(0, 0, -GRAVITY)
        body = box(p, (0, 0, 1))
        p.createConstraint(
            body, -1, -1, -1, p.JOINT_FIXED, (0, 0, 0), (0.1, 0, 0), (0.1, 0, 1), turn, (0, 0, 0, 1)
        )
        return base_motion(p, body, 240)

    theirs, ours = both(script, converged=True)
    # PyBullet takes the turn's error as Euler angles and we as a quaternion: the same to first
    # order, so 3 % of 0.35 rad on the way, and the same end.
    np.testing.assert_allclose(ours[:, 3:7], theirs[:, 3:7], rtol=0, atol=0.03 * 0.35)
    np.testing.assert_allclose(ours[-1, :7], theirs[-1, :7], rtol=0, atol=SOLVED)


def test_a_moved_frame_pulls_its_body_as_in_pybullet() -> None:
    def script(p: Any) -> Any:
        p.setGravity(0, 0, -GRAVITY)
        body = box(p, (0, 0, 1))
        held = p.createConstraint(body, -1, -1, -1, p.JOINT_FIXED, (0, 0, 0), (0, 0, 0), (0, 0, 1))
        rows = base_motion(p, body, 20)
        p.changeConstraint(held, (0.1, 0.2, 1.1), maxForce=50)
        return rows + base_motion(p, body, 240)

    ours = poses_agree(script, SOLVED)
    assert ours[-1, :3] == pytest.approx((0.1, 0.2, 1.1), abs=1e-3)


def test_a_constraint_of_too_little_force_lets_its_body_fall_more_slowly() -> None:
    def script(p: Any) -> Any:
        p.setGravity(0, 0, -GRAVITY)
        body = box(p, (0, 0, 1), 1.0)
        without_damping(p, body)
        held = p.createConstraint(
            body, -1, -1, -1, p.JOINT_POINT2POINT, (0, 0, 0), (0, 0, 0), (0, 0, 1)
        )
        p.changeConstraint(held, maxForce=5)
        return base_motion(p, body, 60)

    ours = poses_agree(script, ALGEBRA)
    assert ours[-1, 9] == pytest.approx(-(GRAVITY - 5.0) * 60 * STEP, abs=ALGEBRA)


def test_a_constraint_with_no_force_left_lets_go_and_takes_hold_again_as_in_pybullet() -> None:
    def script(p: Any) -> Any:
        p.setGravity(0, 0, -GRAVITY)
        body = box(p, (0, 0, 1))
        held = p.createConstraint(body, -1, -1, -1, p.JOINT_FIXED, (0, 0, 0), (0, 0, 0), (0, 0, 1))
        p.changeConstraint(held, maxForce=0)
        falling = base_motion(p, body, 20)
        assert np.abs(p.getConstraintState(held)).max() < SOLVED
        p.changeConstraint(held, maxForce=500)
        return np.vstack([falling, base_motion(p, body, 20)])

    ours = poses_agree(script, SOLVED)
    assert ours[19, 2] < 0.98


@pytest.mark.parametrize("ratio", [1.0, -1.0, 0.5, 2.0])
def test_a_gear_turns_one_joint_by_another_as_in_pybullet(ratio: float) -> None:
    def script(p: Any) -> Any:
        body = p.loadURDF("kuka_iiwa/model.urdf", useFixedBase=True)
        p.setJointMotorControl2(body, 4, p.VELOCITY_CONTROL, force=0)
        gear = p.createConstraint(body, 2, body, 4, p.JOINT_GEAR, (0, 0, 1), (0, 0, 0), (0, 0, 0))
        p.changeConstraint(gear, gearRatio=ratio, maxForce=10000)
        p.setJointMotorControl2(body, 2, p.VELOCITY_CONTROL, targetVelocity=0.5, force=100)
        rows: list[Any] = []
        for _ in range(120):
            p.stepSimulation()
            rows.append([p.getJointState(body, joint)[0] for joint in (2, 4)])
        return rows

    theirs, ours = both(script, converged=True)
    np.testing.assert_allclose(ours, theirs, rtol=0, atol=SOLVED)
    assert ours[-1, 1] == pytest.approx(-ours[-1, 0] / ratio, abs=SOLVED)


def test_a_link_of_an_arm_carries_a_fixed_body_as_in_pybullet() -> None:
    def script(p: Any) -> Any:
        p.setGravity(0, 0, -GRAVITY)
        arm = p.loadURDF("kuka_iiwa/model.urdf", useFixedBase=True)
        hand = p.getLinkState(arm, 6, 0, 1)
        load = box(p, hand[0], 1.0, (0.05, 0.05, 0.05), baseOrientation=hand[1])
        for link in range(-1, 7):
            p.setCollisionFilterPair(arm, load, link, -1, 0)
        p.createConstraint(arm, 6, load, -1, p.JOINT_FIXED, (0, 0, 0), (0, 0, 0.1), (0, 0, 0))
        for joint in range(7):
            p.setJointMotorControl2(
                arm, joint, p.POSITION_CONTROL, targetPosition=0.3, force=200, positionGain=0.05
            )
        return base_motion(p, load, 120)

    # The load jumps by 0.1 m in the first steps; errors of its turn differ as described above.
    theirs, ours = both(script, converged=True)
    np.testing.assert_allclose(ours[-1, :7], theirs[-1, :7], rtol=0, atol=10 * SOLVED)


def test_a_removed_constraint_holds_no_more() -> None:
    with connected(unibody.bullet) as p:
        p.setGravity(0, 0, -GRAVITY)
        body = box(p, (0, 0, 1))
        held = p.createConstraint(
            body, -1, -1, -1, p.JOINT_POINT2POINT, (0, 0, 0), (0, 0, 0), (0, 0, 1)
        )
        standing = base_motion(p, body, 10)
        p.removeConstraint(held)
        falling = base_motion(p, body, 10)
    assert standing[-1][2] == pytest.approx(1.0, abs=1e-5)
    assert falling[-1][9] == pytest.approx(-GRAVITY * 10 * STEP, rel=0.01)


def test_loops_that_do_not_quite_close_leave_the_joints_alone_as_in_pybullet() -> None:
    def script(p: Any) -> list[list[float]]:
        p.setGravity(0, 0, -GRAVITY)
        robot = p.loadURDF("quadruped/minitaur.urdf", (0, 0, 1))
        joints = range(p.getNumJoints(robot))
        number = {p.getJointInfo(robot, joint)[1].decode(): joint for joint in joints}
        for leg, way in (("front_left", -1), ("back_left", -1), ("front_right", 1)):
            for side in "LR":
                hip, knee = number[f"motor_{leg}{side}_joint"], number[f"knee_{leg}{side}_link"]
                p.resetJointState(robot, hip, way * 1.5708)
                p.resetJointState(robot, knee, way * -2.1834)
            ends = [number[f"knee_{leg}{side}_link"] for side in "RL"]
            p.createConstraint(
                robot, ends[0], robot, ends[1], p.JOINT_POINT2POINT, (0, 0, 0), (0, 0.005, 0.2),
                (0, 0.01, 0.2),
            )  # fmt: skip
        p.setJointMotorControlArray(
            robot, list(joints), p.VELOCITY_CONTROL, forces=[0.0] * len(joints)
        )
        rows: list[list[float]] = []
        for _ in range(30):
            p.stepSimulation()
            rows.append([p.getJointState(robot, joint)[0] for joint in joints])
        return rows

    # The ends miss one another by 5 mm across their planes, and a ten-thousandth of what presses
    # them together turns the joints: with PyBullet's own 50 sweeps by less than 1 mrad in 30 steps,
    # with 2000 by 7. Ours is as soft as some 400 sweeps.
    theirs, ours = both(script)
    np.testing.assert_allclose(ours, theirs, rtol=0, atol=2e-3)


@pytest.mark.parametrize("while_running", [False, True])
@pytest.mark.parametrize("kind", ["POINT2POINT", "FIXED", "PRISMATIC", "GEAR"])
def test_what_is_held_to_itself_moves_as_if_it_were_not(kind: str, while_running: bool) -> None:
    """PyBullet makes such constraints; bodies fall freely with them."""

    def script(p: Any) -> Any:
        p.setAdditionalSearchPath(DATA)
        p.setGravity(0, 0, -GRAVITY)
        body = p.loadURDF("r2d2.urdf", (0, 0, 3))
        if while_running:
            p.stepSimulation()
        joint = getattr(p, f"JOINT_{kind}")
        held = p.createConstraint(body, 2, body, 2, joint, (1, 0, 0), (0, 0, 0), (0.1, 0, 0))
        p.changeConstraint(held, maxForce=10.0)
        for _ in range(60):
            p.stepSimulation()
        p.removeConstraint(held)
        p.stepSimulation()
        return p.getBasePositionAndOrientation(body)[0]

    theirs, ours = both(script)
    np.testing.assert_allclose(ours, theirs, atol=1e-5)  # what PyBullet's solver leaves open
