"""Every function takes and refuses the arguments that PyBullet's takes and refuses."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pybullet
import pytest

import unibody.bullet
from tests.bullet.sequences import same
from tests.support.duo import DATA

ARM, BOX, PLANE, UNKNOWN = 0, 1, 2, 99
LINK = 3
QUAT, TURN, VECTOR = (0.1, 0.2, 0.3, 0.927), (0.0, 0.0, 0.6, 0.8), (0.1, 0.2, 0.3)
Q = [0.1] * 7
UP, DOWN = (1.0, 0.0, 5.0), (1.01, 0.01, -5.0)
# Bullet computes transforms in float32, and finds hits and closest points by iteration.
CLOSE = 2e-2


class Case(NamedTuple):
    """A valid call with all arguments that matter, in positional order."""

    names: tuple[str, ...]
    values: tuple[Any, ...]


def _case(**arguments: Any) -> Case:
    return Case(tuple(arguments), tuple(arguments.values()))


REQUIRED = tomllib.loads(Path(__file__).parents[1].joinpath("signatures.toml").read_text("utf-8"))
CASES: dict[str, Case] = {
    "getNumJoints": _case(bodyUniqueId=ARM),
    "getJointInfo": _case(bodyUniqueId=ARM, jointIndex=LINK),
    "getJointState": _case(bodyUniqueId=ARM, jointIndex=LINK),
    "getJointStates": _case(bodyUniqueId=ARM, jointIndices=[0, 1]),
    "resetJointState": _case(
        bodyUniqueId=ARM, jointIndex=LINK, targetValue=0.3, targetVelocity=0.1
    ),
    "getLinkState": _case(
        bodyUniqueId=ARM, linkIndex=LINK, computeLinkVelocity=1, computeForwardKinematics=1
    ),
    "getLinkStates": _case(
        bodyUniqueId=ARM, linkIndices=[1, 2], computeLinkVelocity=1, computeForwardKinematics=1
    ),
    "getBasePositionAndOrientation": _case(bodyUniqueId=BOX),
    "resetBasePositionAndOrientation": _case(bodyUniqueId=BOX, posObj=VECTOR, ornObj=QUAT),
    "getBaseVelocity": _case(bodyUniqueId=BOX),
    "resetBaseVelocity": _case(
        objectUniqueId=BOX, linearVelocity=VECTOR, angularVelocity=VECTOR
    ),
    "applyExternalForce": _case(
        objectUniqueId=BOX, linkIndex=-1, forceObj=VECTOR, posObj=VECTOR, flags=2
    ),
    "applyExternalTorque": _case(objectUniqueId=BOX, linkIndex=-1, torqueObj=VECTOR, flags=2),
    "getDynamicsInfo": _case(bodyUniqueId=BOX, linkIndex=-1),
    "changeDynamics": _case(bodyUniqueId=ARM, linkIndex=LINK, mass=1.0, lateralFriction=0.5),
    "setJointMotorControl2": _case(
        bodyUniqueId=ARM, jointIndex=LINK, controlMode=2, targetPosition=0.1, targetVelocity=0.0,
        force=10.0, positionGain=0.1, velocityGain=1.0,
    ),
    "setJointMotorControlArray": _case(
        bodyUniqueId=ARM, jointIndices=[0, 1], controlMode=2, targetPositions=[0.1, 0.1],
        targetVelocities=[0.0, 0.0], forces=[10.0, 10.0], positionGains=[0.1, 0.1],
        velocityGains=[1.0, 1.0],
    ),
    "calculateJacobian": _case(
        bodyUniqueId=ARM, linkIndex=6, localPosition=VECTOR, objPositions=Q, objVelocities=Q,
        objAccelerations=Q,
    ),
    "calculateMassMatrix": _case(bodyUniqueId=ARM, objPositions=Q),
    "calculateInverseDynamics": _case(
        bodyUniqueId=ARM, objPositions=Q, objVelocities=Q, objAccelerations=Q
    ),
    "calculateInverseKinematics": _case(
        bodyUniqueId=ARM, endEffectorLinkIndex=6, targetPosition=(0.4, 0.1, 0.5)
    ),
    "computeDofCount": _case(bodyUniqueId=ARM),
    "getAABB": _case(bodyUniqueId=BOX, linkIndex=-1),
    "rayTest": _case(rayFromPosition=UP, rayToPosition=DOWN),
    "rayTestBatch": _case(rayFromPositions=[UP, DOWN], rayToPositions=[DOWN, UP]),
    "getContactPoints": _case(bodyA=ARM, bodyB=BOX),
    "getClosestPoints": _case(bodyA=BOX, bodyB=PLANE, distance=20.0),
    "getNumBodies": _case(),
    "getBodyUniqueId": _case(serialIndex=1),
    "getBodyInfo": _case(bodyUniqueId=ARM),
    "setGravity": _case(gravX=0.0, gravY=0.0, gravZ=-9.8),
    "setTimeStep": _case(timeStep=0.004),
    "stepSimulation": _case(),
    "getPhysicsEngineParameters": _case(),
    "isConnected": _case(),
    "getQuaternionFromEuler": _case(eulerAngles=VECTOR),
    "getEulerFromQuaternion": _case(quaternion=QUAT),
    "getMatrixFromQuaternion": _case(quaternion=QUAT),
    "getQuaternionSlerp": _case(
        quaternionStart=QUAT, quaternionEnd=TURN, interpolationFraction=0.3
    ),
    "getQuaternionFromAxisAngle": _case(axis=VECTOR, angle=0.5),
    "getAxisAngleFromQuaternion": _case(quaternion=QUAT),
    "getDifferenceQuaternion": _case(quaternionStart=QUAT, quaternionEnd=TURN),
    "getAxisDifferenceQuaternion": _case(quaternionStart=QUAT, quaternionEnd=TURN),
    "calculateVelocityQuaternion": _case(
        quaternionStart=QUAT, quaternionEnd=TURN, deltaTime=0.1
    ),
    "multiplyTransforms": _case(
        positionA=VECTOR, orientationA=QUAT, positionB=VECTOR, orientationB=TURN
    ),
    "invertTransform": _case(position=VECTOR, orientation=QUAT),
    "rotateVector": _case(quaternion=QUAT, vector=VECTOR),
    "computeViewMatrix": _case(
        cameraEyePosition=VECTOR, cameraTargetPosition=(1.0, 1.0, 1.0),
        cameraUpVector=(0.0, 0.0, 1.0),
    ),
    "computeProjectionMatrix": _case(
        left=-1.0, right=1.0, bottom=-1.0, top=1.0, nearVal=0.1, farVal=10.0
    ),
    "computeProjectionMatrixFOV": _case(fov=60.0, aspect=1.0, nearVal=0.1, farVal=10.0),
}  # fmt: skip
IDS = ("bodyUniqueId", "objectUniqueId", "jointIndex", "linkIndex")
# Numbers that PyBullet reads from memory nobody wrote, or a crash, where an error is raised here.
STRICTER = {
    ("resetBaseVelocity", "linearVelocity"),
    ("resetBaseVelocity", "angularVelocity"),
    ("rayTest", "rayFromPosition"),
    ("rayTest", "rayToPosition"),
    ("calculateMassMatrix", "objPositions"),  # too few: the missing ones are what lay there
    ("getLinkState", "linkIndex"),  # too large: None is returned
    ("getDynamicsInfo", "linkIndex"),
    ("applyExternalForce", "linkIndex"),
    ("applyExternalTorque", "linkIndex"),
}
# Which of two lists of different lengths is named depends on the order of the checks.
ORDER = {("setJointMotorControlArray", "jointIndices")}


@pytest.fixture(scope="module", autouse=True)
def _scenes() -> Iterator[None]:
    for p in (pybullet, unibody.bullet):
        assert p.connect(p.DIRECT) == 0, "another test left its world behind"
        p.setAdditionalSearchPath(DATA)
        p.loadURDF("kuka_iiwa/model.urdf", useFixedBase=True)
        shape = p.createCollisionShape(p.GEOM_BOX, halfExtents=[0.1] * 3)
        p.createMultiBody(1.0, shape, basePosition=(1.0, 0.0, 0.5))
        p.loadURDF("plane.urdf", basePosition=(0.0, 0.0, -3.0))
        p.stepSimulation()
    yield
    for p in (pybullet, unibody.bullet):
        p.disconnect()


def _outcome(p: Any, name: str, *args: Any, **named: Any) -> tuple[str, Any]:
    """ "returned" and the result, or the name of the error and, for PyBullet's own, the message."""
    try:
        return "returned", getattr(p, name)(*args, **named)
    except p.error as problem:
        return "error", str(problem)
    except Exception as problem:
        return type(problem).__name__, None


def _compare(name: str, *args: Any, **named: Any) -> None:
    kind, expected = _outcome(pybullet, name, *args, **named)
    found_kind, found = _outcome(unibody.bullet, name, *args, **named)
    if kind == "SystemError":  # PyBullet returned a result together with an error
        assert found_kind in {"error", "TypeError"}
        return
    assert (found_kind, found if found_kind == "error" else None) == (
        kind,
        expected if kind == "error" else None,
    )
    if kind == "returned" and name not in {"getJointState", "getJointStates"}:  # motor forces
        expected, found = (
            result[:11] if name == "getDynamicsInfo" else result for result in (expected, found)
        )  # the collision margin differs
        assert same(expected, found, CLOSE)


@pytest.mark.parametrize("name", CASES)
def test_a_call_by_position_and_by_name_returns_what_pybullets_does(name: str) -> None:
    case = CASES[name]
    _compare(name, *case.values)
    _compare(name, **dict(zip(case.names, case.values, strict=True)))
    _compare(name, *case.values, physicsClientId=0)


@pytest.mark.parametrize("name", CASES)
def test_a_missing_or_unknown_argument_is_the_same_kind_of_error(name: str) -> None:
    case = CASES[name]
    for count in range(REQUIRED[name]["required"]):
        _compare(name, *case.values[:count])
    _compare(name, *case.values, noSuchName=1)
    _compare(name, *case.values, *[1] * 30)


@pytest.mark.parametrize("name", CASES)
def test_an_unknown_client_is_refused_where_pybullet_refuses_it(name: str) -> None:
    _compare(name, *CASES[name].values, physicsClientId=7)


def _arguments(*kinds: type) -> list[tuple[str, str]]:
    return [
        (name, argument)
        for name, case in CASES.items()
        for argument, value in zip(case.names, case.values, strict=True)
        if isinstance(value, kinds)
    ]


def _with(name: str, argument: str, value: Any) -> tuple[Any, ...]:
    case = CASES[name]
    place = case.names.index(argument)
    return (*case.values[:place], value, *case.values[place + 1 :])


@pytest.mark.parametrize(("name", "argument"), _arguments(tuple, list))
def test_sequences_of_every_kind_are_taken(name: str, argument: str) -> None:
    value = CASES[name].values[CASES[name].names.index(argument)]
    _compare(name, *_with(name, argument, list(value)))
    _compare(name, *_with(name, argument, tuple(value)))
    if argument[:3] != "obj" or name[:9] != "calculate":  # PyBullet crashes with arrays there
        _compare(name, *_with(name, argument, np.array(value)))
    whole = np.array(value)
    expected = getattr(unibody.bullet, name)(*_with(name, argument, value))
    found = getattr(unibody.bullet, name)(*_with(name, argument, whole))
    assert same(expected, found, 1e-12)


@pytest.mark.parametrize(
    ("name", "argument"), [c for c in _arguments(tuple, list) if c not in STRICTER | ORDER]
)
def test_a_sequence_of_the_wrong_length_is_the_same_error(name: str, argument: str) -> None:
    value = CASES[name].values[CASES[name].names.index(argument)]
    if argument in {"jointIndices", "linkIndices"}:
        return  # any number of them is right
    _compare(name, *_with(name, argument, value[:-1]))
    _compare(name, *_with(name, argument, type(value)([*value, value[0]])))


@pytest.mark.parametrize(("name", "argument"), sorted(STRICTER))
def test_what_pybullet_reads_from_nowhere_is_refused(name: str, argument: str) -> None:
    value = CASES[name].values[CASES[name].names.index(argument)]
    wrong = value[:-1] if isinstance(value, (tuple, list)) else UNKNOWN
    if name.startswith("applyExternal"):
        assert getattr(unibody.bullet, name)(*_with(name, argument, wrong)) is None  # passed over
    else:
        with pytest.raises(unibody.bullet.error):
            getattr(unibody.bullet, name)(*_with(name, argument, wrong))


@pytest.mark.parametrize(
    ("name", "argument"), [c for c in _arguments(int) if c[1] in IDS and c not in STRICTER]
)
def test_unknown_ids_and_ids_that_are_none_are_the_same_error(name: str, argument: str) -> None:
    for value in (UNKNOWN, -7, None, "text"):
        _compare(name, *_with(name, argument, value))
    _compare(
        name,
        *_with(name, argument, np.int64(CASES[name].values[CASES[name].names.index(argument)])),
    )


@pytest.mark.parametrize(("name", "argument"), _arguments(float))
def test_numbers_may_be_integers_and_may_not_be_text_or_none(name: str, argument: str) -> None:
    if name != "setTimeStep":  # which has to be positive here
        _compare(name, *_with(name, argument, 0))
    for value in (np.float64(0.004), None, "text", "0.5"):
        _compare(name, *_with(name, argument, value))
