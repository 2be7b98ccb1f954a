"""Arguments, results and errors of the functions for joints with several degrees of freedom."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import unibody.bullet as ours
from tests.bullet.paired import SIDES, both, connected
from tests.support.duo import DATA

BAD = 99
BALL, KNEE, FIXED = 1, 5, 0  # joints of the humanoid: chest, right knee, root
Call = Callable[[Any, int], Any]


def humanoid(p: Any) -> int:
    p.setAdditionalSearchPath(DATA)
    return p.loadURDF("humanoid/humanoid.urdf", globalScaling=0.25)


def shape(value: Any) -> Any:
    """Types and lengths of nested tuples."""
    return tuple(map(shape, value)) if isinstance(value, tuple) else type(value).__name__


def test_a_tuple_of_joints_that_was_read_is_read_again_and_one_like_it_is_looked_at() -> None:
    client = ours.connect(ours.DIRECT)
    try:
        ours.setAdditionalSearchPath(DATA)
        arm, joints = ours.loadURDF("kuka_iiwa/model.urdf"), (1, 3)
        before = [ours.getJointStatesMultiDof(arm, joints) for _ in range(2)]
        assert before[0] == before[1] == ours.getJointStatesMultiDof(arm, [1, 3])
        ours.resetJointState(arm, 3, 0.5)
        after = ours.getJointStatesMultiDof(arm, joints)
        assert [state[0] for state in after] == [(0.0,), (0.5,)]
        assert ours.getJointStatesMultiDof(arm, (3, 1)) == after[::-1]
        with pytest.raises(ours.error, match="out-of-range"):
            ours.getJointStatesMultiDof(arm, (1.0, 3.0))
    finally:
        ours.disconnect(client)


def test_states_have_pybullets_form() -> None:
    def play(p: Any) -> Any:
        body = humanoid(p)
        single = [p.getJointStateMultiDof(body, j) for j in range(p.getNumJoints(body))]
        several = p.getJointStatesMultiDof(body, [BALL, KNEE], physicsClientId=0)
        return shape(tuple(single)), shape(several), p.getJointStatesMultiDof(body, [])

    theirs, ours = both(play)
    assert ours == theirs


RESETS: dict[str, Call] = {
    "position and velocity": lambda p, b: p.resetJointStateMultiDof(
        b, BALL, [0, 0, 1, 1], [1, 2, 3]
    ),
    "position only": lambda p, b: p.resetJointStateMultiDof(b, BALL, [0, 0, 1, 1]),
    "velocity only": lambda p, b: p.resetJointStateMultiDof(b, BALL, [], [1, 2, 3]),
    "three numbers": lambda p, b: p.resetJointStateMultiDof(b, BALL, [0, 0, 1], [1, 2, 3]),
    "two speeds": lambda p, b: p.resetJointStateMultiDof(b, BALL, [0, 0, 1, 1], [1, 2]),
    "a joint with one axis": lambda p, b: p.resetJointStateMultiDof(b, KNEE, [-0.3], [0.2]),
    "a fixed joint": lambda p, b: p.resetJointStateMultiDof(b, FIXED, [0.3]),
    "two joints": lambda p, b: p.resetJointStatesMultiDof(
        b, [BALL, KNEE], [[0, 0, 1, 1], [-0.4]], [[1, 2, 3], [4]]
    ),
    "no joints": lambda p, b: p.resetJointStatesMultiDof(b, [], []),
    "by keyword": lambda p, b: p.resetJointStateMultiDof(
        bodyUniqueId=b, jointIndex=BALL, targetValue=[0, 1, 0, 1], targetVelocity=[1, 2, 3],
        physicsClientId=0,
    ),
}  # fmt: skip


@pytest.mark.parametrize("reset", RESETS.values(), ids=RESETS)
def test_a_joint_is_put_where_pybullet_puts_it(reset: Call) -> None:
    def play(p: Any) -> Any:
        body = humanoid(p)
        p.resetJointStateMultiDof(body, BALL, [0.1, 0, 0, 1], [0.4, 0.5, 0.6])
        assert reset(p, body) is None
        return [*sum((sum(p.getJointStateMultiDof(body, j)[:2], ()) for j in (BALL, KNEE)), ())]

    theirs, ours = both(play)
    assert ours == pytest.approx(theirs, abs=1e-9)


REFUSED: dict[str, Call] = {
    "state of an unknown joint": lambda p, b: p.getJointStateMultiDof(b, BAD),
    "state of a negative joint": lambda p, b: p.getJointStateMultiDof(b, -1),
    "state of an unknown body": lambda p, b: p.getJointStateMultiDof(BAD, 0),
    "state of a negative body": lambda p, b: p.getJointStateMultiDof(-1, 0),
    "states of an unknown joint": lambda p, b: p.getJointStatesMultiDof(b, [0, BAD]),
    "reset of an unknown joint": lambda p, b: p.resetJointStateMultiDof(b, BAD, [0.0]),
    "reset to nothing": lambda p, b: p.resetJointStateMultiDof(b, BALL, []),
    "resets of an unknown joint": lambda p, b: p.resetJointStatesMultiDof(b, [BAD], [[0.0]]),
    "resets of two joints to one value": lambda p, b: p.resetJointStatesMultiDof(
        b, [BALL, KNEE], [[0, 0, 0, 1]]
    ),
    "motor of an unknown joint": lambda p, b: p.setJointMotorControlMultiDof(
        b, BAD, p.POSITION_CONTROL
    ),
    "motor of an unknown body": lambda p, b: p.setJointMotorControlMultiDof(
        BAD, 0, p.POSITION_CONTROL
    ),
    "velocity control": lambda p, b: p.setJointMotorControlMultiDof(
        b, BALL, p.VELOCITY_CONTROL, targetVelocity=[1, 2, 3]
    ),
    "PD control of one joint": lambda p, b: p.setJointMotorControlMultiDof(b, BALL, p.PD_CONTROL),
    "velocity control of several": lambda p, b: p.setJointMotorControlMultiDofArray(
        b, [BALL], p.VELOCITY_CONTROL
    ),
    "several, one of them unknown": lambda p, b: p.setJointMotorControlMultiDofArray(
        b, [BALL, BAD], p.POSITION_CONTROL
    ),
    "stable PD control of one joint": lambda p, b: p.setJointMotorControl2(
        b, KNEE, p.STABLE_PD_CONTROL
    ),
    "stable PD control without the other function": lambda p, b: p.setJointMotorControlArray(
        b, [KNEE], p.STABLE_PD_CONTROL
    ),
}


@pytest.mark.parametrize("call", REFUSED.values(), ids=REFUSED)
def test_what_pybullet_refuses_is_refused_with_its_words(call: Call) -> None:
    messages: list[str] = []
    for module in SIDES:
        with connected(module) as p, pytest.raises(p.error) as caught:
            call(p, humanoid(p))
        messages.append(str(caught.value))
    assert messages[0] == messages[1]


ALLOWED: dict[str, Call] = {
    "no joints": lambda p, b: p.setJointMotorControlMultiDofArray(b, [], p.POSITION_CONTROL),
    "fewer targets than joints": lambda p, b: p.setJointMotorControlMultiDofArray(
        b, [BALL, KNEE], p.POSITION_CONTROL, targetPositions=[[0, 0, 0, 1]]
    ),
    "a motor of a fixed joint": lambda p, b: p.setJointMotorControlMultiDof(
        b, FIXED, p.POSITION_CONTROL, targetPosition=[1.0]
    ),
    "a target of the wrong length": lambda p, b: p.setJointMotorControlMultiDof(
        b, BALL, p.POSITION_CONTROL, targetPosition=[1.0, 2.0]
    ),
    "every argument by keyword": lambda p, b: p.setJointMotorControlMultiDof(
        bodyUniqueId=b, jointIndex=BALL, controlMode=p.POSITION_CONTROL,
        targetPosition=[0, 0, 0, 1], targetVelocity=[0, 0, 0], force=[1, 1, 1],
        positionGain=[0.1, 0.1, 0.1], velocityGain=[1, 1, 1], maxVelocity=3.0,
        damping=[1, 1, 1], physicsClientId=0,
    ),
    "single gains": lambda p, b: p.setJointMotorControlMultiDof(
        b, BALL, p.POSITION_CONTROL, [0, 0, 0, 1], [0, 0, 0], [1, 1, 1], 0.1, 1.0, 3.0, 0.5, 0
    ),
    "targets for several": lambda p, b: p.setJointMotorControlMultiDofArray(
        b, [BALL, KNEE], p.POSITION_CONTROL, [[0, 0, 0, 1], [0.1]], [[0, 0, 0], [0]],
        [[1, 1, 1], [1]], [0.1, 0.1], [1, 1], [1, 1], 0,
    ),
}  # fmt: skip


@pytest.mark.parametrize("call", ALLOWED.values(), ids=ALLOWED)
def test_what_pybullet_allows_is_allowed(call: Call) -> None:
    def play(p: Any) -> Any:
        body = humanoid(p)
        assert call(p, body) is None
        p.stepSimulation()
        return [*p.getJointStateMultiDof(body, BALL)[0]]

    theirs, ours = both(play)
    assert ours == pytest.approx(theirs, abs=2e-3)


def test_a_quaternion_of_no_length_is_refused_and_nothing_changes() -> None:
    with connected(SIDES[1]) as p:
        body = humanoid(p)
        with pytest.raises(p.error, match="no length"):
            p.resetJointStatesMultiDof(body, [KNEE, BALL], [[0.7], [0, 0, 0, 0]])
        assert p.getJointState(body, KNEE)[0] == 0.0


def test_ball_motors_survive_edits_and_snapshots() -> None:
    with connected(SIDES[1]) as p:
        body = humanoid(p)
        p.setJointMotorControlMultiDof(body, BALL, p.POSITION_CONTROL, [0.3, 0, 0, 1])
        saved = p.saveState()

        def run() -> tuple[float, ...]:
            p.restoreState(saved)
            for _ in range(20):
                p.stepSimulation()
            return p.getJointStateMultiDof(body, BALL)[0]

        alone = run()
        shape = p.createCollisionShape(p.GEOM_SPHERE, radius=0.1)
        p.createMultiBody(1, shape, basePosition=(9, 9, 9))
        p.loadURDF("humanoid/humanoid.urdf", (5, 5, 5), globalScaling=0.25)
        assert run() == pytest.approx(alone, abs=1e-6)


def test_limits_of_a_ball_joint_that_are_not_held_are_told_once(
    capfd: pytest.CaptureFixture[str],
) -> None:
    with connected(SIDES[1]) as p:
        p.setAdditionalSearchPath(DATA)
        humanoid(p)
        assert "spherical" not in capfd.readouterr().err
        p.loadURDF("spherical_joint_limit.urdf")
        p.loadURDF("spherical_joint_limit.urdf")
        assert capfd.readouterr().err.count("limits of spherical joints") == 1
