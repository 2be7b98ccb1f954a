"""What constraints exert, and gears with a third joint, as in PyBullet."""

from __future__ import annotations

from typing import Any

import numpy as np
import pybullet
import pytest

import unibody.bullet
from tests.support.duo import GRAVITY, both, connected
from tests.support.tolerances import SOLVED

TURNED = (0.0922, 0.2338, 0.2077, 0.9453)
KINDS = ("JOINT_POINT2POINT", "JOINT_FIXED", "JOINT_PRISMATIC")
BAD = 99


def hung(p: Any, kind: str, quat: Any, child: bool, axis: Any) -> tuple[int, int]:
    """A body that hangs by a constraint, and the constraint."""
    p.setGravity(1, 2, -GRAVITY)
    shape = p.createCollisionShape(p.GEOM_BOX, halfExtents=(0.1, 0.2, 0.3))
    body = p.createMultiBody(
        2, shape, basePosition=(0, 0, 1), baseOrientation=quat,
        baseInertialFramePosition=(0.02, 0, 0),
    )  # fmt: skip
    other = p.createMultiBody(0, shape, basePosition=(0, 0, 3)) if child else -1
    here = p.getBasePositionAndOrientation(body)
    frame = ((0.05, 0.06, 0.07), p.getQuaternionFromEuler((0.2, 0.1, 0.3)))
    there = p.multiplyTransforms(*here, *frame)
    if child:
        back = p.invertTransform(*p.getBasePositionAndOrientation(other))
        there = p.multiplyTransforms(*back, *there)
    held = p.createConstraint(
        body, -1, other, -1, getattr(p, kind), axis, frame[0], there[0], frame[1], there[1]
    )
    return body, held


@pytest.mark.parametrize("axis", [(0, 0, 1), (0.6, 0.8, 0)])
@pytest.mark.parametrize("child", [False, True])
@pytest.mark.parametrize("quat", [(0, 0, 0, 1), TURNED])
@pytest.mark.parametrize("kind", KINDS)
def test_a_constraint_says_what_it_exerts(kind: str, quat: Any, child: bool, axis: Any) -> None:
    def play(p: Any) -> Any:
        _, held = hung(p, kind, quat, child, axis)
        rows = [p.getConstraintState(held)]
        for _ in range(10):
            p.stepSimulation()
            rows.append(p.getConstraintState(held))
        return rows

    theirs, ours = both(play, converged=True)
    # of 20 N; the axes of the report are those after the step here, those before it there
    np.testing.assert_allclose(ours, theirs, rtol=0, atol=0.02)


@pytest.mark.parametrize("spin", [(0, 0, 1), (1, 0.5, 0)])
@pytest.mark.parametrize("kind", KINDS)
def test_free_bodies_that_are_held_far_from_their_centres(kind: str, spin: Any) -> None:
    def play(p: Any) -> Any:
        shape = p.createCollisionShape(p.GEOM_BOX, halfExtents=(0.1, 0.2, 0.3))
        bodies = [p.createMultiBody(1 + x, shape, -1, (4 * x, 0, 6)) for x in range(2)]
        p.resetBaseVelocity(bodies[0], (0, 0, 0), spin)
        held = p.createConstraint(
            bodies[0], -1, bodies[1], -1, getattr(p, kind), (1, 0, 0), (2, 0, 0), (-2, 0, 0)
        )
        p.changeConstraint(held, maxForce=100)
        rows = []
        for _ in range(3):
            p.stepSimulation()
            rows.append(p.getConstraintState(held))
        return rows

    theirs, ours = both(play, converged=True)
    for found, expected in zip(ours, theirs, strict=True):
        # a turn of 1 rad/s in a step leaves an error that Bullet puts right at a slower pace
        np.testing.assert_allclose(found, expected, rtol=0, atol=0.02)


def test_a_limit_shows_in_what_is_exerted() -> None:
    def play(p: Any) -> Any:
        _, held = hung(p, "JOINT_POINT2POINT", (0, 0, 0, 1), False, (0, 0, 1))
        p.changeConstraint(held, maxForce=3.0)
        p.stepSimulation()
        return p.getConstraintState(constraintUniqueId=held)

    theirs, ours = both(play, converged=True)
    np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-3)


def test_error_reduction_of_its_own_is_for_gears_only() -> None:
    def play(p: Any) -> Any:
        body, held = hung(p, "JOINT_POINT2POINT", (0, 0, 0, 1), False, (0, 0, 1))
        p.changeConstraint(held, jointChildPivot=(0.1, 0.1, 1.1), erp=0.9, gearRatio=2.0)
        p.changeConstraint(held, gearAuxLink=3, relativePositionTarget=0.3)
        rows: list[Any] = []
        for _ in range(30):
            p.stepSimulation()
            rows.append(
                [*p.getBasePositionAndOrientation(body)[0], *p.getConstraintInfo(held)[10:]]
            )
        return rows

    theirs, ours = both(play, converged=True)
    np.testing.assert_allclose(ours, theirs, rtol=0, atol=SOLVED)


GEARS: dict[str, dict[str, Any]] = {
    "as created": {},
    "a ratio": {"gearRatio": -2.0, "maxForce": 10000},
    "little force": {"gearRatio": 1.5, "maxForce": 5.0},
    "error reduction": {"gearRatio": 1.5, "maxForce": 10000, "erp": 0.4},
    "a target": {"gearRatio": -1.0, "erp": 0.2, "relativePositionTarget": 0.3, "maxForce": 1000},
    "a third joint": {"gearRatio": 1.0, "gearAuxLink": 4, "maxForce": 1000},
    "a third joint and a target": {
        "gearRatio": 1.0, "gearAuxLink": 4, "maxForce": 1000, "erp": 0.3,
        "relativePositionTarget": 0.2,
    },
}  # fmt: skip


@pytest.mark.parametrize("change", GEARS.values(), ids=GEARS)
def test_a_gear_between_joints_of_an_arm(change: dict[str, Any]) -> None:
    def play(p: Any) -> Any:
        p.setGravity(0, 0, -GRAVITY)
        body = p.loadURDF("kuka_iiwa/model.urdf", useFixedBase=True)
        for joint in (1, 3):
            p.setJointMotorControl2(body, joint, p.VELOCITY_CONTROL, force=0)
        for joint in range(7):
            p.resetJointState(body, joint, 0.2 * (joint + 1))
        p.setJointMotorControl2(body, 4, p.VELOCITY_CONTROL, targetVelocity=0.5, force=100)
        gear = p.createConstraint(body, 1, body, 3, p.JOINT_GEAR, (0, 1, 0), (0, 0, 0), (0, 0, 0))
        if change:
            p.changeConstraint(gear, **change)
        rows: list[Any] = []
        for _ in range(60):
            p.stepSimulation()
            rows.append([s[0] for s in p.getJointStates(body, range(7))])
        assert len(p.getConstraintState(gear)) == 1
        return rows

    theirs, ours = both(play, converged=True)
    np.testing.assert_allclose(ours, theirs, rtol=0, atol=2e-4)


def test_a_car_with_two_differentials_drives_the_same_curve() -> None:
    """Its wheels are coupled by gears with a third joint."""

    def play(p: Any) -> Any:
        p.setGravity(0, 0, -GRAVITY)
        p.loadURDF("plane.urdf")
        car = p.loadURDF("racecar/racecar_differential.urdf", (0, 0, 0.1))
        for wheel in range(p.getNumJoints(car)):
            p.setJointMotorControl2(car, wheel, p.VELOCITY_CONTROL, targetVelocity=0, force=0)
        for a, b, ratio, aux in (
            (9, 11, 1, -1), (10, 13, -1, -1), (9, 13, -1, -1), (16, 18, 1, -1), (16, 19, -1, -1),
            (17, 19, -1, -1), (1, 18, -1, 15), (3, 19, -1, 15),
        ):  # fmt: skip
            gear = p.createConstraint(car, a, car, b, p.JOINT_GEAR, (0, 1, 0), (0, 0, 0), (0, 0, 0))
            more = {"gearAuxLink": aux} if aux >= 0 else {}
            p.changeConstraint(gear, gearRatio=ratio, maxForce=10000, **more)
        for hinge in (0, 2):
            p.setJointMotorControl2(car, hinge, p.POSITION_CONTROL, targetPosition=0.3)
        for wheel in (8, 15):
            p.setJointMotorControl2(car, wheel, p.VELOCITY_CONTROL, targetVelocity=8, force=10)
        rows: list[Any] = []
        for _ in range(240):
            p.stepSimulation()
            rows.append(p.getBasePositionAndOrientation(car)[0])
        return rows

    theirs, ours = both(play, converged=True)
    assert np.linalg.norm(theirs[-1, :2] - theirs[0, :2]) > 0.3
    np.testing.assert_allclose(ours[:, :2], theirs[:, :2], rtol=0, atol=0.02)


def test_what_pybullet_refuses() -> None:
    for module in (pybullet, unibody.bullet):
        with connected(module) as p:
            body = p.loadURDF("kuka_iiwa/model.urdf")
            for number in (BAD, 0, -1):
                with pytest.raises(p.error, match=r"^Couldn't getConstraintState\.$"):
                    p.getConstraintState(number)
            for kind in (p.JOINT_REVOLUTE, p.JOINT_SPHERICAL, p.JOINT_PLANAR, BAD):
                with pytest.raises(p.error, match=r"^createConstraint failed\.$"):
                    p.createConstraint(body, 1, body, 2, kind, (1, 0, 0), (0, 0, 0), (0, 0, 0))
            assert p.getNumConstraints() == 0
