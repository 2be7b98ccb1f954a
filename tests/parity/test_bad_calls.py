"""A call that PyBullet refuses is refused here, with the error of the module."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pybullet
import pytest

import unibody.bullet
from tests.support.duo import connected

BAD = 99  # no body, joint or constraint has it
Call = Callable[[Any, int], Any]

REFUSED: dict[str, Call] = {
    "joint info of an unknown body": lambda p, b: p.getJointInfo(BAD, 0),
    "joint info of an unknown joint": lambda p, b: p.getJointInfo(b, BAD),
    "joint info of a negative joint": lambda p, b: p.getJointInfo(b, -1),
    "joint state of an unknown body": lambda p, b: p.getJointState(BAD, 0),
    "joint state of an unknown joint": lambda p, b: p.getJointState(b, BAD),
    "joint states of an unknown body": lambda p, b: p.getJointStates(BAD, [0]),
    "joint states of an unknown joint": lambda p, b: p.getJointStates(b, [0, BAD]),
    "link state of an unknown body": lambda p, b: p.getLinkState(BAD, 0),
    "link state of the base": lambda p, b: p.getLinkState(b, -1),
    "base pose of an unknown body": lambda p, b: p.getBasePositionAndOrientation(BAD),
    "base velocity of an unknown body": lambda p, b: p.getBaseVelocity(BAD),
    "base pose of too few numbers": lambda p, b: p.resetBasePositionAndOrientation(
        b, (0, 0), (0, 0, 0, 1)
    ),
    "base turn of too few numbers": lambda p, b: p.resetBasePositionAndOrientation(
        b, (0, 0, 0), (0, 0, 0)
    ),
    "no velocity to set": lambda p, b: p.resetBaseVelocity(b),
    "resetting an unknown joint": lambda p, b: p.resetJointState(b, BAD, 0.0),
    "resetting a joint of an unknown body": lambda p, b: p.resetJointState(BAD, 0, 0.0),
    "motor of an unknown body": lambda p, b: p.setJointMotorControl2(BAD, 0, p.POSITION_CONTROL),
    "motor of an unknown joint": lambda p, b: p.setJointMotorControl2(b, BAD, p.POSITION_CONTROL),
    "motor in an unknown mode": lambda p, b: p.setJointMotorControl2(b, 0, 77),
    "motors in an unknown mode": lambda p, b: p.setJointMotorControlArray(b, [0], 77),
    "motors of an unknown joint": lambda p, b: p.setJointMotorControlArray(
        b, [0, BAD], p.POSITION_CONTROL
    ),
    "fewer targets than joints": lambda p, b: p.setJointMotorControlArray(
        b, [0, 1], p.POSITION_CONTROL, targetPositions=[0.0]
    ),
    "fewer forces than joints": lambda p, b: p.setJointMotorControlArray(
        b, [0, 1], p.VELOCITY_CONTROL, forces=[1.0]
    ),
    "force in an unknown frame": lambda p, b: p.applyExternalForce(b, -1, (1, 0, 0), (0, 0, 0), 7),
    "torque in an unknown frame": lambda p, b: p.applyExternalTorque(b, -1, (1, 0, 0), 7),
    "dynamics of an unknown body": lambda p, b: p.getDynamicsInfo(BAD, -1),
    "dynamics of an unknown link": lambda p, b: p.getDynamicsInfo(b, BAD),
    "a missing file": lambda p, b: p.loadURDF("no_such_file.urdf"),
    "an empty file name": lambda p, b: p.loadURDF(""),
    "a constraint on an unknown body": lambda p, b: p.createConstraint(
        BAD, -1, -1, -1, p.JOINT_FIXED, (0, 0, 0), (0, 0, 0), (0, 0, 0)
    ),
    "reading an unknown constraint": lambda p, b: p.getConstraintInfo(BAD),
    "an unknown state": lambda p, b: p.restoreState(BAD),
    "an unknown body's name": lambda p, b: p.getBodyInfo(BAD),
    "an unknown client": lambda p, b: p.stepSimulation(physicsClientId=5),
    "leaving an unknown client": lambda p, b: p.disconnect(5),
}
ALLOWED: dict[str, Call] = {
    "joints of an unknown body": lambda p, b: p.getNumJoints(BAD),
    "removing an unknown body": lambda p, b: p.removeBody(BAD),
    "removing an unknown constraint": lambda p, b: p.removeConstraint(BAD),
    "removing an unknown state": lambda p, b: p.removeState(BAD),
    "placing an unknown body": lambda p, b: p.resetBasePositionAndOrientation(
        BAD, (0, 0, 0), (0, 0, 0, 1)
    ),
    "pushing an unknown body": lambda p, b: p.resetBaseVelocity(BAD, (0, 0, 0)),
    "changing an unknown body": lambda p, b: p.changeDynamics(BAD, -1, mass=1),
    "a serial number past the end": lambda p, b: p.getBodyUniqueId(BAD),
    "a constraint's serial number past the end": lambda p, b: p.getConstraintUniqueId(BAD),
    "changing an unknown constraint": lambda p, b: p.changeConstraint(BAD, maxForce=1),
    "asking for an unknown client": lambda p, b: p.isConnected(5),
}
WRONG_TYPES: dict[str, Call] = {
    "removing no constraint": lambda p, b: p.removeConstraint(None),
    "reading a constraint by name": lambda p, b: p.getConstraintInfo("hinge"),
    "the state of a constraint by name": lambda p, b: p.getConstraintState("hinge"),
    "changing a constraint by half a number": lambda p, b: p.changeConstraint(0.5, maxForce=1),
    "a constraint's serial number as text": lambda p, b: p.getConstraintUniqueId("0"),
    "a joint type by name": lambda p, b: p.createConstraint(
        b, -1, -1, -1, "fixed", (0, 0, 0), (0, 0, 0), (0, 0, 0)
    ),
    "the looks of a body by name": lambda p, b: p.getVisualShapeData("r2d2"),
    "a kind of shape by name": lambda p, b: p.createCollisionShape("box"),
    "half a flag": lambda p, b: p.loadURDF("cube.urdf", flags=1.5),
    "a base fixed by None": lambda p, b: p.loadURDF("cube.urdf", useFixedBase=None),
}
NO_SHAPES: dict[str, Call] = {
    "a box without size": lambda p, b: p.createCollisionShape(p.GEOM_BOX),
    "a box to see without size": lambda p, b: p.createVisualShape(p.GEOM_BOX),
    "a mesh of nothing": lambda p, b: p.createVisualShape(p.GEOM_MESH),
    "a ball of no number": lambda p, b: p.createCollisionShape(p.GEOM_SPHERE, radius=float("nan")),
    "a ball inside out": lambda p, b: p.createCollisionShape(p.GEOM_SPHERE, radius=-1),
    "a cylinder upside down": lambda p, b: p.createCollisionShape(p.GEOM_CYLINDER, height=-1),
}
# PyBullet returns None without doing anything; nothing good can come of going on from there.
STRICTER: dict[str, Call] = {
    "link state of an unknown link": lambda p, b: p.getLinkState(b, BAD),
    "velocity of too few numbers": lambda p, b: p.resetBaseVelocity(b, (1, 2)),
}


def outcome(module: Any, call: Call) -> tuple[type[Exception] | None, Any]:
    """The class of what a call raises in a world with one robot, or what it returns."""
    with connected(module) as p:
        robot = p.loadURDF("r2d2.urdf")
        try:
            return None, call(p, robot)
        except Exception as problem:
            return type(problem), str(problem)


@pytest.mark.parametrize("name", REFUSED)
def test_what_pybullet_refuses_is_refused(name: str) -> None:
    assert outcome(pybullet, REFUSED[name])[0] is pybullet.error
    raised, message = outcome(unibody.bullet, REFUSED[name])
    assert raised is unibody.bullet.error
    assert message


@pytest.mark.parametrize("name", NO_SHAPES)
def test_a_shape_that_pybullet_refuses_to_make_is_refused_when_it_is_made(name: str) -> None:
    theirs, ours = (outcome(module, NO_SHAPES[name]) for module in (pybullet, unibody.bullet))
    assert theirs[0] is pybullet.error
    assert ours[0] is unibody.bullet.error
    assert ours[1].startswith(theirs[1])


@pytest.mark.parametrize("name", WRONG_TYPES)
def test_an_argument_of_the_wrong_type_is_a_type_error_as_in_pybullet(name: str) -> None:
    for module in (pybullet, unibody.bullet):
        assert outcome(module, WRONG_TYPES[name])[0] is TypeError


@pytest.mark.parametrize("name", ALLOWED)
def test_what_pybullet_lets_pass_passes_with_the_same_result(name: str) -> None:
    theirs, ours = (outcome(module, ALLOWED[name]) for module in (pybullet, unibody.bullet))
    assert theirs[0] is None
    assert ours == theirs


@pytest.mark.parametrize("name", STRICTER)
def test_what_pybullet_silently_does_not_do_is_refused(name: str) -> None:
    assert outcome(pybullet, STRICTER[name]) == (None, None)
    assert outcome(unibody.bullet, STRICTER[name])[0] is unibody.bullet.error


@pytest.mark.parametrize("module", [pybullet, unibody.bullet])
@pytest.mark.parametrize("name", ["numSubSteps", "numSolverIterations"])
@pytest.mark.parametrize("number", [2**31, 2**70])
def test_integers_that_c_cannot_hold_are_refused_and_nothing_changes(
    module: Any, name: str, number: int
) -> None:
    with connected(module) as p:
        before = p.getPhysicsEngineParameters()
        with pytest.raises(OverflowError):
            p.setPhysicsEngineParameter(fixedTimeStep=0.5, **{name: number})
        assert p.getPhysicsEngineParameters() == before
