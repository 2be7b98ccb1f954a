"""Sequences that are none, or hold what is no number, are refused by the name of the argument."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import unibody.bullet as p

WORLD: dict[str, int] = {}
POSITION = p.POSITION_CONTROL


@pytest.fixture(autouse=True)
def _arm() -> Iterator[None]:
    client = p.connect(p.DIRECT)
    box = p.createCollisionShape(p.GEOM_BOX, halfExtents=[0.1, 0.1, 0.1])
    p.createMultiBody(
        1, box, linkMasses=[1], linkCollisionShapeIndices=[box], linkVisualShapeIndices=[-1],
        linkPositions=[[0, 0, 1]], linkOrientations=[[0, 0, 0, 1]],
        linkInertialFramePositions=[[0, 0, 0]], linkInertialFrameOrientations=[[0, 0, 0, 1]],
        linkParentIndices=[0], linkJointTypes=[p.JOINT_REVOLUTE], linkJointAxis=[[0, 1, 0]],
    )  # fmt: skip
    yield
    if p.isConnected(client):
        p.disconnect(client)


# what is called with a value, and how it is refused: kinds of errors, and their text
REFUSED: dict[str, tuple[Callable[[], Any], type[Exception], str]] = {
    "joints of states": (
        lambda: p.getJointStatesMultiDof(0, 1), p.error, "expected a sequence of joint indices"
    ),
    "joint that is text": (
        lambda: p.getJointStatesMultiDof(0, ["a"]), p.error, "Joint index out-of-range"
    ),
    "joint that is no integer": (
        lambda: p.getJointStatesMultiDof(0, [float("nan")]), p.error, "Joint index out-of-range"
    ),
    "joint that is an array": (
        lambda: p.getJointStatesMultiDof(0, [np.zeros(2)]), p.error, "Joint index out-of-range"
    ),
    "targets": (
        lambda: p.setJointMotorControlMultiDofArray(0, [0], POSITION, targetPositions=1.5),
        TypeError, "targetPositions=1.5 is not allowed: expected a sequence",
    ),
    "gain": (
        lambda: p.setJointMotorControlMultiDofArray(
            0, [0], POSITION, targetPositions=[[0.0]], positionGains=["a"]
        ),
        TypeError, "positionGain=.*must be real number, not str",
    ),
    "numbers of a plugin": (
        lambda: p.executePluginCommand(0, "", 3), TypeError, "intArgs=3 .* a sequence"
    ),
    "floats of a plugin": (
        lambda: p.executePluginCommand(0, "", [], ["x"]), TypeError, r"floatArgs=\['x'\]"
    ),
    "bodies of a log": (
        lambda: p.startStateLogging(p.STATE_LOGGING_GENERIC_ROBOT, "a.log", [1.5]),
        TypeError, r"objectUniqueIds=\[1.5\] is not allowed: 'float' object cannot",
    ),
    "positions of a mass matrix": (
        lambda: p.calculateMassMatrix(0, 0.1, 1), TypeError, "objPositions=0.1 .* a sequence"
    ),
    "text as positions": (
        lambda: p.calculateMassMatrix(0, "x", 1), TypeError, "objPositions='x' .*real number"
    ),
    "limits": (
        lambda: p.calculateInverseKinematics(0, 0, [0, 0, 1], lowerLimits=3),
        TypeError, "lowerLimits=3 is not allowed: expected a sequence",
    ),
    "start": (
        lambda: p.calculateInverseKinematics(0, 0, [0, 0, 1], currentPositions=3),
        TypeError, "currentPositions=3 is not allowed: expected a sequence",
    ),
    "damping": (
        lambda: p.calculateInverseKinematics(0, 0, [0, 0, 1], jointDamping=3),
        TypeError, "jointDamping=3 is not allowed: expected a sequence",
    ),
    "body left out": (
        lambda: p.calculateInverseDynamics(
            objPositions=[0.0], objVelocities=[0.0], objAccelerations=[0.0]
        ),
        TypeError, "missing required argument 'bodyUniqueId'",
    ),
    "joint left out": (
        lambda: p.setJointMotorControl2(bodyUniqueId=0, controlMode=POSITION),
        TypeError, "missing required argument 'jointIndex'",
    ),
    "kinds of shapes": (
        lambda: p.createVisualShapeArray([float("inf")]), p.error, "infinity to integer"
    ),
    "one kind of shape": (
        lambda: p.createVisualShapeArray(np.array(3)), p.error, "a sequence of shape types"
    ),
    "links": (
        lambda: p.createMultiBody(linkOrientations=np.array(3)), p.error, "need to be same size"
    ),
    "vector": (
        lambda: p.rotateVector([0, 0, 0, 1], ["a", None, 1]), TypeError, ".+ must be real number"
    ),
    "file": (lambda: p.saveBullet("\0"), p.error, "null"),
    "file of a world": (lambda: p.saveWorld("\ud800"), p.error, "surrogates"),
    "file of a log": (
        lambda: p.startStateLogging(p.STATE_LOGGING_GENERIC_ROBOT, "\0", [0]), p.error, "null"
    ),
    "record of commands": (
        lambda: p.startStateLogging(p.STATE_REPLAY_ALL_COMMANDS, "\0"), p.error, "null"
    ),
    "tiny time step": (lambda: p.setTimeStep(1e-320), p.error, "timeStep=.* from 1e-09 to 1000"),
    "huge time step": (lambda: p.setTimeStep(1e308), p.error, "timeStep=.* from 1e-09 to 1000"),
    "share": (
        lambda: p.setDefaultContactERP(float("inf")), p.error, "defaultContactERP=inf .* finite"
    ),
    "position": (
        lambda: p.resetBasePositionAndOrientation(0, [1e308] * 3, [0, 0, 0, 1]),
        p.error, r"posObj=\(1e\+308, .* finite numbers up to 1e\+100",
    ),
    "spin": (
        lambda: p.resetBaseVelocity(0, angularVelocity=[1e308] * 3),
        p.error, r"angularVelocity=\(1e\+308, .* finite numbers up to 1e\+100",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_an_argument_that_does_not_fit_is_refused_and_the_world_steps(
    name: str, tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    call, kind, said = REFUSED[name]
    with pytest.raises(kind, match=said):
        call()
    p.setGravity(0, 0, -10)
    p.stepSimulation()
    assert 0.0 < -p.getBaseVelocity(0)[0][2] < 1.0


def test_pixels_of_a_texture_that_are_no_numbers_are_refused() -> None:
    from tests.support.duo import DATA

    texture = p.loadTexture(f"{DATA}/tex256.png")
    for pixels, said in ((None, "pixels=None .* a sequence"), (["a"] * 3, "no whole number")):
        with pytest.raises(TypeError, match=said):
            p.changeTexture(texture, pixels, 1, 1)
