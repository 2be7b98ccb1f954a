"""Speed limits, and bodies that are too fast to be seen only where a step begins."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import unibody.bullet
from tests.support.duo import GRAVITY, both, box, connected, sphere, without_damping, without_motors
from tests.support.tolerances import SCHEME, SOLVED


def falling(p: Any, limit: float | None) -> list[list[float]]:
    p.setGravity(0, 0, -1000 * GRAVITY)
    body = sphere(p, (0, 0, 0))
    p.changeDynamics(body, -1, linearDamping=0, angularDamping=0)
    if limit is not None:
        p.changeDynamics(body, -1, maxJointVelocity=limit)
    rows: list[list[float]] = []
    for _ in range(30):
        p.stepSimulation()
        rows.append([p.getBasePositionAndOrientation(body)[0][2], p.getBaseVelocity(body)[0][2]])
    return rows


@pytest.mark.parametrize("limit", [None, 7.0, 60.0])
def test_a_free_body_gets_as_fast_as_it_may(limit: float | None) -> None:
    theirs, ours = both(lambda p: falling(p, limit))
    assert theirs[-1, 1] == pytest.approx(-(limit or 100.0))
    np.testing.assert_allclose(ours, theirs, rtol=SCHEME, atol=SCHEME)


def whirled(p: Any, limit: float | None) -> list[float]:
    """An arm whose last joint is driven far too hard."""
    body = p.loadURDF("kuka_iiwa/model.urdf", useFixedBase=True)
    without_motors(p, body)
    without_damping(p, body)
    if limit is not None:
        p.changeDynamics(body, 6, maxJointVelocity=limit)
    speeds: list[float] = []
    for _ in range(6):  # then it is at its limit
        p.setJointMotorControl2(body, 6, p.TORQUE_CONTROL, force=50)
        p.stepSimulation()
        speeds.append(p.getJointState(body, 6)[1])
    return speeds


@pytest.mark.parametrize("limit", [None, 30.0])
def test_a_joint_turns_as_fast_as_it_may(limit: float | None) -> None:
    theirs, ours = both(lambda p: whirled(p, limit))
    np.testing.assert_allclose(ours, theirs, rtol=SOLVED)
    assert max(np.abs(ours)) == pytest.approx(limit or 100.0)


def shot(p: Any, radius: float | None, speed: float = 90.0) -> float:
    """Where a small ball is after it was shot at a thin wall."""
    box(p, (1.0, 0, 0), mass=0, half=(0.005, 1.0, 1.0))
    ball = sphere(p, (0, 0, 0), radius=0.02)
    if radius is not None:
        p.changeDynamics(ball, -1, ccdSweptSphereRadius=radius)
    p.resetBaseVelocity(ball, (speed, 0, 0))
    for _ in range(60):
        p.stepSimulation()
    return p.getBasePositionAndOrientation(ball)[0][0]


def test_a_fast_body_passes_through_a_thin_wall_unless_it_is_swept() -> None:
    with connected(unibody.bullet) as p:
        assert shot(p, None) > 1.1
    with connected(unibody.bullet) as p:
        assert shot(p, 0.01) < 1.0


@pytest.mark.parametrize("start", np.linspace(0.0, 0.35, 8))
def test_a_swept_body_passes_through_from_no_distance(start: float) -> None:
    with connected(unibody.bullet) as p:
        p.setGravity(0, 0, -GRAVITY)
        box(p, (0, 0, 0), mass=0, half=(1.0, 1.0, 0.001))
        ball = sphere(p, (0, 0, 1.0 + start), radius=0.01)
        p.changeDynamics(ball, -1, ccdSweptSphereRadius=0.005)
        p.resetBaseVelocity(ball, (0, 0, -95.0))
        for _ in range(30):
            p.stepSimulation()
        assert p.getBasePositionAndOrientation(ball)[0][2] == pytest.approx(0.011, abs=2e-3)


def test_a_slow_swept_body_behaves_like_any_other() -> None:
    def bounce(swept: bool) -> float:
        with connected(unibody.bullet) as p:
            p.setGravity(0, 0, -GRAVITY)
            box(p, (0, 0, -0.5), mass=0, half=(1.0, 1.0, 0.5))
            ball = sphere(p, (0, 0, 0.5), radius=0.1)
            for body in (0, 1):
                p.changeDynamics(body, -1, restitution=0.8)
            if swept:
                p.changeDynamics(ball, -1, ccdSweptSphereRadius=0.1)
            for _ in range(100):
                p.stepSimulation()
            return p.getBasePositionAndOrientation(ball)[0][2]

    assert bounce(True) == bounce(False)


@pytest.mark.parametrize("spin", [(150, 20, 10), (90, 90, 90), (200, 150, -10)])
@pytest.mark.parametrize("half", [(0.1, 0.1, 0.1), (0.1, 0.2, 0.05)])
def test_a_body_turns_as_fast_as_it_may_about_each_axis_of_the_world(spin: Any, half: Any) -> None:
    def script(p: Any) -> Any:
        leans = p.getQuaternionFromEuler((0.3, 0.2, 0.6))
        body = box(p, (0, 0, 0), half=half, baseOrientation=leans)
        without_damping(p, body)
        p.resetBaseVelocity(body, (0, 0, 0), spin)
        rows: list[Any] = []
        for _ in range(6):
            p.applyExternalTorque(body, -1, (5, 3, -4), p.WORLD_FRAME)
            p.stepSimulation()
            turn = p.getBasePositionAndOrientation(body)[1]
            rows.append([*p.getBaseVelocity(body)[1], *turn])
        return rows

    theirs, ours = both(script)
    assert theirs[:, :3].max() == pytest.approx(100.0)
    np.testing.assert_allclose(ours, theirs, rtol=SCHEME, atol=SCHEME)


def two_balls(p: Any, pos: Any) -> int:
    """A ball with another one on a joint, 0.3 m behind it."""
    shape = p.createCollisionShape(p.GEOM_SPHERE, radius=0.02)
    return p.createMultiBody(
        1, shape, -1, pos, linkMasses=[1], linkCollisionShapeIndices=[shape],
        linkVisualShapeIndices=[-1], linkPositions=[(-0.3, 0, 0)],
        linkOrientations=[(0, 0, 0, 1)], linkInertialFramePositions=[(0, 0, 0)],
        linkInertialFrameOrientations=[(0, 0, 0, 1)], linkParentIndices=[0],
        linkJointTypes=[p.JOINT_PRISMATIC], linkJointAxis=[(0, 1, 0)],
    )  # fmt: skip


def test_a_body_that_gets_the_id_of_a_swept_one_is_not_swept() -> None:
    def passes(before: Any) -> float:
        with connected(unibody.bullet) as p:
            box(p, (1.0, 0, 0), mass=0, half=(0.005, 1.0, 1.0))
            if before is not None:
                old = before(p, (5, 5, 5))
                for link in range(-1, p.getNumJoints(old)):
                    p.changeDynamics(old, link, ccdSweptSphereRadius=0.01)
                p.resetBaseVelocity(old, (90, 0, 0))
                p.stepSimulation()
                p.removeBody(old)
            ball = sphere(p, (0, 0, 0), radius=0.02)
            assert before is None or ball == old
            p.resetBaseVelocity(ball, (90, 0, 0))
            for _ in range(60):
                p.stepSimulation()
            return p.getBasePositionAndOrientation(ball)[0][0]

    alone = passes(None)
    assert alone > 1.1
    assert passes(two_balls) == pytest.approx(alone, rel=SCHEME)
    assert passes(lambda p, pos: sphere(p, pos, radius=0.02)) == pytest.approx(alone, rel=SCHEME)


def test_a_swept_link_stays_swept_when_other_bodies_come_and_go() -> None:
    with connected(unibody.bullet) as p:
        box(p, (1.0, 0, 0), mass=0, half=(0.005, 1.0, 1.0))
        first = sphere(p, (0, 3, 0))
        body = two_balls(p, (0, 0, 0))
        p.changeDynamics(body, 0, ccdSweptSphereRadius=0.01)
        p.setCollisionFilterGroupMask(body, -1, 0, 0)  # only its link meets the wall
        p.resetBaseVelocity(body, (90, 0, 0))
        for step in range(60):
            if step == 1:
                p.removeBody(first)
            if step == 2:
                sphere(p, (0, -3, 0))
            p.stepSimulation()
        assert p.getLinkState(body, 0)[0][0] < 1.0
