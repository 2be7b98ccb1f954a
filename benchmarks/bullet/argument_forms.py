"""Single calls with their arguments in the forms that scripts use.

Names and lists, NumPy arrays, and a client id in every call, which is what a ``BulletClient`` adds.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from benchmarks.bullet.calls import END_EFFECTOR, arm_on_plane, repeat
from benchmarks.bullet.registry import Module, Prepared, work

FAMILY = "Single calls, other forms of arguments"
_SEVEN = list(range(7))


class Scene(NamedTuple):
    """An arm on a plane, and a box in the air."""

    arm: int
    box: int


_Make = Callable[[Module, Scene], Callable[[], object]]


def _scene(p: Module) -> Scene:
    arm = arm_on_plane(p)
    shape = p.createCollisionShape(p.GEOM_BOX, halfExtents=[0.1, 0.1, 0.1])
    box = p.createMultiBody(1.0, shape, basePosition=[2.0, 0.0, 1.0])
    p.stepSimulation()
    return Scene(arm, box)


def _form(name: str, form: str, make: _Make, count: int = 500) -> None:
    title = f"{name.partition('_')[0]}, {form}"

    @work(name, FAMILY, title, "us/call")
    def prepare(p: Module) -> Prepared:
        """One call, with arguments of one form."""
        return repeat(make(p, _scene(p)), count)


def _named(
    function: str, make: Callable[[Module, Scene], dict[str, Any]], count: int = 500
) -> None:
    """All arguments by name, with the client's id."""

    def call(p: Module, scene: Scene) -> Callable[[], object]:
        f, named = getattr(p, function), make(p, scene)
        return lambda: f(**named, physicsClientId=0)

    _form(f"{function}_named", "by name, with a client", call, count)


def _with_client(
    function: str, make: Callable[[Module, Scene], tuple[Any, ...]], count: int = 500
) -> None:
    """Arguments by position, and the client's id by name."""

    def call(p: Module, scene: Scene) -> Callable[[], object]:
        f, args = getattr(p, function), make(p, scene)
        return lambda: f(*args, physicsClientId=0)

    _form(f"{function}_client", "with a client", call, count)


def _arrays(
    function: str, make: Callable[[Module, Scene], tuple[Any, ...]], count: int = 500
) -> None:
    """Sequences as NumPy arrays."""

    def call(p: Module, scene: Scene) -> Callable[[], object]:
        f, args = getattr(p, function), make(p, scene)
        return lambda: f(*args)

    _form(f"{function}_arrays", "NumPy arguments", call, count)


_POSITION, _TURN = [0.1, 0.2, 1.0], [0.0, 0.0, 0.0, 1.0]
_ARRAY, _TURN_ARRAY = np.array(_POSITION), np.array(_TURN)

_with_client("getNumJoints", lambda p, s: (s.arm,))
_with_client("getJointInfo", lambda p, s: (s.arm, 3))
_with_client("getJointState", lambda p, s: (s.arm, 3))
_with_client("getJointStates", lambda p, s: (s.arm, _SEVEN))
_with_client("getLinkState", lambda p, s: (s.arm, END_EFFECTOR))
_with_client("getBasePositionAndOrientation", lambda p, s: (s.box,))
_with_client("getBaseVelocity", lambda p, s: (s.box,))
_with_client("getEulerFromQuaternion", lambda p, s: (_TURN,))
_with_client("getQuaternionFromEuler", lambda p, s: (_POSITION,))
_with_client("getMatrixFromQuaternion", lambda p, s: (_TURN,))
_with_client("multiplyTransforms", lambda p, s: (_POSITION, _TURN, _POSITION, _TURN))
_with_client("invertTransform", lambda p, s: (_POSITION, _TURN))
_with_client("resetBasePositionAndOrientation", lambda p, s: (s.box, _POSITION, _TURN))
_with_client("resetBaseVelocity", lambda p, s: (s.box, _POSITION, _POSITION))
_with_client("resetJointState", lambda p, s: (s.arm, 3, 0.4))
_with_client("getDynamicsInfo", lambda p, s: (s.arm, 3))
_with_client("getBodyInfo", lambda p, s: (s.arm,))
_with_client("getNumBodies", lambda p, s: ())
_with_client("getAABB", lambda p, s: (s.arm, 3))
_with_client("isConnected", lambda p, s: ())
_with_client("getContactPoints", lambda p, s: (s.arm, s.box))
_with_client("getClosestPoints", lambda p, s: (s.box, 0, 2.0), 50)
_with_client("setGravity", lambda p, s: (0, 0, -9.81))
_with_client("setTimeStep", lambda p, s: (1.0 / 240.0,))
_with_client("configureDebugVisualizer", lambda p, s: (p.COV_ENABLE_RENDERING, 0))
_with_client("getKeyboardEvents", lambda p, s: ())
_with_client("getDebugVisualizerCamera", lambda p, s: ())
_with_client("setRealTimeSimulation", lambda p, s: (0,))
_with_client("addUserDebugLine", lambda p, s: (_POSITION, [0.0, 0.0, 0.0], [1, 0, 0]))
_with_client("addUserDebugText", lambda p, s: ("text", _POSITION))
_with_client("getVisualShapeData", lambda p, s: (s.arm,))
_named("getLinkState", lambda p, s: {
    "bodyUniqueId": s.arm, "linkIndex": 6, "computeLinkVelocity": True,
    "computeForwardKinematics": True,
})  # fmt: skip
_named("getJointInfo", lambda p, s: {"bodyUniqueId": s.arm, "jointIndex": 3})
_named("getJointState", lambda p, s: {"bodyUniqueId": s.arm, "jointIndex": 3})
_named("getJointStates", lambda p, s: {"bodyUniqueId": s.arm, "jointIndices": _SEVEN})
_named("getBasePositionAndOrientation", lambda p, s: {"bodyUniqueId": s.box})
_named("resetBasePositionAndOrientation", lambda p, s: {
    "bodyUniqueId": s.box, "posObj": _POSITION, "ornObj": _TURN,
})  # fmt: skip
_named("resetBaseVelocity", lambda p, s: {
    "objectUniqueId": s.box, "linearVelocity": _POSITION, "angularVelocity": _POSITION,
})  # fmt: skip
_named("resetJointState", lambda p, s: {
    "bodyUniqueId": s.arm, "jointIndex": 3, "targetValue": 0.4, "targetVelocity": 0.0,
})  # fmt: skip
_named("setJointMotorControl2", lambda p, s: {
    "bodyUniqueId": s.arm, "jointIndex": 3, "controlMode": p.POSITION_CONTROL,
    "targetPosition": 0.5, "targetVelocity": 0.0, "force": 500.0, "positionGain": 0.03,
    "velocityGain": 1.0, "maxVelocity": 2.0,
})  # fmt: skip
_named("setJointMotorControlArray", lambda p, s: {
    "bodyUniqueId": s.arm, "jointIndices": _SEVEN, "controlMode": p.POSITION_CONTROL,
    "targetPositions": [0.5] * 7, "targetVelocities": [0.0] * 7, "forces": [500.0] * 7,
    "positionGains": [0.03] * 7, "velocityGains": [1.0] * 7,
})  # fmt: skip
_named("calculateInverseKinematics", lambda p, s: {
    "bodyUniqueId": s.arm, "endEffectorLinkIndex": 6, "targetPosition": [0.5, 0.2, 0.6],
    "targetOrientation": [1.0, 0.0, 0.0, 0.0], "maxNumIterations": 100,
    "residualThreshold": 1e-5,
}, 50)  # fmt: skip
_named("getContactPoints", lambda p, s: {"bodyA": s.arm, "bodyB": s.box})
_named("changeVisualShape", lambda p, s: {
    "objectUniqueId": s.arm, "linkIndex": 3, "rgbaColor": [1, 0, 0, 1],
})  # fmt: skip
_named("setPhysicsEngineParameter", lambda p, s: {
    "fixedTimeStep": 1.0 / 240.0, "numSolverIterations": 50, "numSubSteps": 0,
})  # fmt: skip
_named("resetDebugVisualizerCamera", lambda p, s: {
    "cameraDistance": 1.5, "cameraYaw": 50.0, "cameraPitch": -35.0,
    "cameraTargetPosition": _POSITION,
})  # fmt: skip
_named("computeViewMatrixFromYawPitchRoll", lambda p, s: {
    "cameraTargetPosition": _POSITION, "distance": 1.5, "yaw": 50.0, "pitch": -35.0, "roll": 0.0,
    "upAxisIndex": 2,
})  # fmt: skip
_named("computeViewMatrix", lambda p, s: {
    "cameraEyePosition": [1.0, 1.0, 1.0], "cameraTargetPosition": [0.0, 0.0, 0.5],
    "cameraUpVector": [0.0, 0.0, 1.0],
})  # fmt: skip
_named("computeProjectionMatrixFOV", lambda p, s: {
    "fov": 60.0, "aspect": 1.0, "nearVal": 0.1, "farVal": 100.0,
})  # fmt: skip
_named("addUserDebugParameter", lambda p, s: {
    "paramName": "force", "rangeMin": 0.0, "rangeMax": 10.0, "startValue": 1.0,
})  # fmt: skip
_arrays("resetBasePositionAndOrientation", lambda p, s: (s.box, _ARRAY, _TURN_ARRAY))
_arrays("resetBaseVelocity", lambda p, s: (s.box, _ARRAY, _ARRAY))
_arrays("calculateInverseKinematics", lambda p, s: (s.arm, 6, np.array([0.5, 0.2, 0.6])), 50)
_arrays("setJointMotorControlArray", lambda p, s: (
    s.arm, _SEVEN, p.POSITION_CONTROL, np.full(7, 0.5),
))  # fmt: skip
_arrays("invertTransform", lambda p, s: (_ARRAY, _TURN_ARRAY))
_arrays("computeViewMatrix", lambda p, s: (_ARRAY, np.zeros(3), np.array([0.0, 0.0, 1.0])))
_arrays("addUserDebugLine", lambda p, s: (_ARRAY, np.zeros(3), [1.0, 0.0, 0.0]))
_arrays("resetJointState", lambda p, s: (s.arm, 3, np.float64(0.4)))


def _made(
    name: str, title: str, make: Callable[[Module], Callable[[], object]], count: int
) -> None:
    @work(name, FAMILY, title, "us/call")
    def prepare(p: Module) -> Prepared:
        """Something made and taken away again."""
        return repeat(make(p), count)


def _removed(p: Module) -> Callable[[], object]:
    size = [0.1, 0.1, 0.1]
    box = p.createCollisionShape(p.GEOM_BOX, halfExtents=size)
    look = p.createVisualShape(p.GEOM_BOX, halfExtents=size, rgbaColor=[1, 0, 0, 1])

    def call() -> None:
        p.removeBody(p.createMultiBody(1.0, box, look, [0, 0, 1]))

    return call


def _look(p: Module) -> Callable[[], object]:
    named = {"halfExtents": [0.1, 0.1, 0.1], "rgbaColor": [1, 0, 0, 1]}
    return lambda: p.createVisualShape(p.GEOM_BOX, **named, physicsClientId=0)


def _shelf(p: Module) -> Callable[[], object]:
    def call() -> None:
        for body in p.loadSDF("gripper/wsg50_one_motor_gripper_new.sdf"):
            p.removeBody(body)

    return call


def _hopper(p: Module) -> Callable[[], object]:
    def call() -> None:
        for body in p.loadMJCF("mjcf/hopper.xml"):
            p.removeBody(body)

    return call


_made("removeBody", "createMultiBody of a box with looks, and removeBody", _removed, 20)
_made("createVisualShape_named", "createVisualShape of a box, by name", _look, 100)
_made("loadSDF", "loadSDF of a gripper and removeBody", _shelf, 2)
_made("loadMJCF", "loadMJCF of a hopper and removeBody", _hopper, 2)
