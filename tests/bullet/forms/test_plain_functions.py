"""Where compiled code cannot read objects, Python functions do what the builtins do."""

from __future__ import annotations

import subprocess
import sys
import sysconfig
from typing import Any

import pytest

from unibody.machine_code.calls import functions

_UNKNOWN = """
import inspect, threading
from unibody.machine_code.calls import functions

functions.builtins_work = lambda: False
"""
_CALLING = """
import numpy as np
import unibody.bullet as p

def outcome(function, *args, **named):
    try:
        return function(*args, **named)
    except (p.error, TypeError, OverflowError, ValueError) as problem:
        return type(problem).__name__, str(problem)

p.connect(p.DIRECT)
p.setGravity(0, 0, -10)
shape = p.createCollisionShape(p.GEOM_BOX, halfExtents=[0.1, 0.2, 0.3])
for number in range(2):
    p.createMultiBody(
        1.0, shape, basePosition=[number, 0, 5], linkMasses=[1.0], linkParentIndices=[0],
        linkCollisionShapeIndices=[shape], linkVisualShapeIndices=[-1],
        linkPositions=[[0, 0, 1]], linkOrientations=[[0, 0, 0, 1]],
        linkInertialFramePositions=[[0, 0, 0]], linkInertialFrameOrientations=[[0, 0, 0, 1]],
        linkJointTypes=[p.JOINT_REVOLUTE], linkJointAxis=[[1, 0, 0]],
    )
p.setJointMotorControl2(0, 0, p.VELOCITY_CONTROL, targetVelocity=1, force=np.float32(5))
p.resetJointState(np.int64(1), 0, np.float64(0.25), targetVelocity=True)
p.applyExternalForce(1, -1, np.array([1.0, 2.0, 3.0]), (0, 0, 0), p.LINK_FRAME)
p.changeDynamics(1, 0, mass=2, lateralFriction=0.25)
for _ in range(5):
    p.stepSimulation()
for body in range(2):
    print(p.getBasePositionAndOrientation(body), p.getBaseVelocity(bodyUniqueId=body))
    print(p.getJointState(body, 0), p.getLinkState(body, 0, computeLinkVelocity=True))
    print(p.getDynamicsInfo(body, 0), p.getAABB(body), p.getBodyInfo(body), p.getNumJoints(body))
print(p.rayTest([0, 0, 0], [0, 0, 9]), p.getNumBodies(), p.getQuaternionFromEuler([1, 2, 3]))
for number in (2.0, 1 << 40, None, "0", 7, np.float64(0)):
    print(outcome(p.getJointState, 0, number), outcome(p.getNumJoints, number))
    print(outcome(p.changeDynamics, 0, linkIndex=number, mass=1.0))
    print(outcome(p.setTimeStep, number), outcome(p.getBodyInfo, 0, physicsClientId=number))
print(outcome(p.getNumJoints), outcome(p.getNumJoints, 0, 0, 0), outcome(p.stepSimulation, x=1))
print(list(inspect.signature(p.getJointState).parameters), p.getJointState.__name__)
p.disconnect()
print(outcome(p.getNumBodies), p.isConnected())
"""
_SHARING = """
import time
import unibody.bullet as p

p.connect(p.DIRECT)
p.setGravity(0, 0, -10)
shape = p.createCollisionShape(p.GEOM_SPHERE, radius=0.1)
ball = p.createMultiBody(1.0, shape, basePosition=[0, 0, 2])
for _ in range(6000):
    p.getNumBodies()
over, wrong = threading.Event(), []

def call():
    while not over.is_set():
        body = p.createMultiBody(1.0, shape, basePosition=[1, 0, 0])
        p.stepSimulation()
        p.removeBody(body)

calling = threading.Thread(target=call)
calling.start()
for _ in range(200):
    p.getBasePositionAndOrientation(ball)
    p.resetBaseVelocity(ball, [0, 0, 0])
    if p.getNumBodies() not in (1, 2):
        wrong.append(p.getNumBodies())
over.set()
calling.join()
print(p.getNumBodies(), wrong)
p.disconnect()
"""


def _run(program: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", program]
    return subprocess.run(command, check=False, capture_output=True, text=True, timeout=300)


def test_python_functions_return_and_raise_what_the_builtins_do() -> None:
    builtin, plain = _run("import inspect\n" + _CALLING), _run(_UNKNOWN + _CALLING)
    assert builtin.returncode == plain.returncode == 0, plain.stderr
    expected, found = (run.stdout.splitlines() for run in (builtin, plain))
    assert len(expected) > 20
    assert found == expected


def test_python_functions_are_announced_on_the_terminal() -> None:
    run = _run(_UNKNOWN + "import unibody.bullet as p\np.connect(p.DIRECT)")
    assert "CPython with its lock" in run.stderr


def test_threads_take_turns_where_no_builtin_notices_them() -> None:
    run = _run(_UNKNOWN + _SHARING)
    assert "Traceback" not in run.stderr
    assert run.stdout.strip() == "1 []"


def test_a_build_that_can_do_without_the_lock_gets_python_functions(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def variable(name: str) -> Any:
        return 1 if name == "Py_GIL_DISABLED" else None

    assert functions.layout_is_known()
    monkeypatch.setattr(sysconfig, "get_config_var", variable)
    assert not functions.layout_is_known()
