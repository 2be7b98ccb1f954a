"""The most used functions, in further forms that scripts call them in."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from benchmarks.bullet.argument_forms import FAMILY
from benchmarks.bullet.calls import END_EFFECTOR, arm_on_plane, repeat
from benchmarks.bullet.registry import Module, Prepared, work

_LINK = 3
_ZERO = (0.0, 0.0, 0.0)
_Make = Callable[[Module, int], Callable[[], object]]


def _form(name: str, title: str, make: _Make, count: int = 500) -> None:
    @work(name, FAMILY, title, "us/call")
    def prepare(p: Module) -> Prepared:
        """One call, or a few, with an arm on a plane."""
        return repeat(make(p, arm_on_plane(p)), count)


def _several(p: Module, arm: int) -> Callable[[], object]:
    frictions = [0.5, 0.7]

    def call() -> None:
        frictions.reverse()
        p.changeDynamics(
            arm, _LINK, mass=1.5, lateralFriction=frictions[0], spinningFriction=0.01,
            rollingFriction=0.001, restitution=0.1,
        )  # fmt: skip

    return call


def _all_links(p: Module, arm: int) -> Callable[[], object]:
    frictions = [0.5, 0.7]

    def call() -> None:
        frictions.reverse()
        for link in range(-1, 7):
            p.changeDynamics(arm, link, lateralFriction=frictions[0])

    return call


def _bound(p: Module, function: str) -> Callable[..., Any]:
    """A function of client 0 as the original's ``BulletClient`` binds it."""
    return functools.partial(getattr(p, function), physicsClientId=0)


def _bound_dynamics(p: Module, arm: int) -> Callable[[], object]:
    f, masses = _bound(p, "changeDynamics"), [1.0, 2.0]

    def call() -> None:
        masses.reverse()
        f(arm, _LINK, mass=masses[0])

    return call


def _bound_motor(p: Module, arm: int) -> Callable[[], object]:
    f, mode = _bound(p, "setJointMotorControl2"), p.POSITION_CONTROL
    return lambda: f(arm, _LINK, mode, targetPosition=0.5, force=300.0)


def _bound_color(p: Module, arm: int) -> Callable[[], object]:
    f, color = _bound(p, "changeVisualShape"), [1, 0, 0, 1]
    return lambda: f(arm, _LINK, rgbaColor=color)


def _motor_off(p: Module, arm: int) -> Callable[[], object]:
    mode = p.VELOCITY_CONTROL
    return lambda: p.setJointMotorControl2(arm, _LINK, mode, force=0)


def _motor_gains(p: Module, arm: int) -> Callable[[], object]:
    mode = p.POSITION_CONTROL
    return lambda: p.setJointMotorControl2(
        bodyUniqueId=arm, jointIndex=_LINK, controlMode=mode, targetPosition=0.5,
        targetVelocity=0, force=500, positionGain=0.03, velocityGain=1,
    )  # fmt: skip


def _motor_by_place(p: Module, arm: int) -> Callable[[], object]:
    mode = p.POSITION_CONTROL
    return lambda: p.setJointMotorControl2(arm, _LINK, mode, 0.5, 0.0, 300.0, 0.1, 1.0)


def _linear_velocity(p: Module, arm: int) -> Callable[[], object]:
    shape = p.createCollisionShape(p.GEOM_BOX, halfExtents=[0.1, 0.1, 0.1])
    box = p.createMultiBody(1.0, shape, basePosition=[2.0, 0.0, 1.0])
    return lambda: p.resetBaseVelocity(box, linearVelocity=[0, 0, 0])


def _collision_box(p: Module, arm: int) -> Callable[[], object]:
    return lambda: p.createCollisionShape(p.GEOM_BOX, halfExtents=[0.1, 0.1, 0.1])


def _ball(p: Module, arm: int) -> Callable[[], object]:
    return lambda: p.createVisualShape(p.GEOM_SPHERE, radius=0.1, rgbaColor=[1, 0, 0, 1])


def _states_of(p: Module, arm: int) -> Callable[[], object]:
    return lambda: p.getJointStates(arm, range(7))


def _parameter(**given: float) -> _Make:
    return lambda p, arm: lambda: p.setPhysicsEngineParameter(**given)


_form("changeDynamics_several", "changeDynamics, mass, frictions, restitution", _several)
_form("changeDynamics_links", "changeDynamics, friction of eight links", _all_links, 100)
_form("changeDynamics_bound", "changeDynamics, mass, BulletClient", _bound_dynamics)
_form("setJointMotorControl2_bound", "setJointMotorControl2, BulletClient", _bound_motor)
_form("setJointMotorControl2_off", "setJointMotorControl2, a motor off", _motor_off)
_form("setJointMotorControl2_gains", "setJointMotorControl2, all by name", _motor_gains)
_form("setJointMotorControl2_place", "setJointMotorControl2, all by place", _motor_by_place)
_form("changeVisualShape_bound", "changeVisualShape, colour, BulletClient", _bound_color)
_form("setJointMotorControl2_position", "setJointMotorControl2, a position by place",
      lambda p, arm: lambda: p.setJointMotorControl2(arm, _LINK, p.POSITION_CONTROL, 0.5),
      )  # fmt: skip
_form("changeDynamics_places", "changeDynamics, mass and friction by place",
      lambda p, arm: lambda: p.changeDynamics(arm, _LINK, 1.5, 0.5))  # fmt: skip
_form("changeDynamics_anchor", "changeDynamics, friction and anchor",
      lambda p, arm: lambda: p.changeDynamics(arm, _LINK, lateralFriction=0.8, frictionAnchor=1),
      )  # fmt: skip
_form("changeDynamics_inertia", "changeDynamics, inertia",
      lambda p, arm: lambda: p.changeDynamics(arm, _LINK, localInertiaDiagonal=[0.1, 0.1, 0.1]),
      )  # fmt: skip
_form("changeDynamics_speed", "changeDynamics, maximum velocity",
      lambda p, arm: lambda: p.changeDynamics(arm, _LINK, maxJointVelocity=10.0))  # fmt: skip
_form("changeVisualShape_texture", "changeVisualShape, no texture",
      lambda p, arm: lambda: p.changeVisualShape(arm, _LINK, textureUniqueId=-1))  # fmt: skip
_form("resetBasePositionAndOrientation_fixed", "resetBasePositionAndOrientation of a fixed arm",
      lambda p, arm: lambda: p.resetBasePositionAndOrientation(arm, _ZERO, [0, 0, 0, 1]),
      )  # fmt: skip
_form("resetBaseVelocity_linear", "resetBaseVelocity, linear alone", _linear_velocity)
_form("setGravity_integers", "setGravity, integers",
      lambda p, arm: lambda: p.setGravity(0, 0, -10))  # fmt: skip
_form("configureDebugVisualizer_light", "configureDebugVisualizer, position of the light",
      lambda p, arm: lambda: p.configureDebugVisualizer(lightPosition=[1, 1, 1]),
      )  # fmt: skip
_form("addUserDebugText_place", "addUserDebugText, by place",
      lambda p, arm: lambda: p.addUserDebugText("text", [0, 0, 0], [1, 0, 0], 1.5),
      )  # fmt: skip
_form("addUserDebugParameter_place", "addUserDebugParameter, by place",
      lambda p, arm: lambda: p.addUserDebugParameter("force", 0, 10, 1))  # fmt: skip
_form("createCollisionShape_alone", "createCollisionShape of a box", _collision_box, 100)
_form("createVisualShape_ball", "createVisualShape of a ball", _ball, 100)
_form("getBodyUniqueId", "getBodyUniqueId", lambda p, arm: lambda: p.getBodyUniqueId(1))
_form("getJointStates_range", "getJointStates, a range", _states_of)
_form("setPhysicsEngineParameter_step", "setPhysicsEngineParameter, step, iterations, substeps",
      _parameter(fixedTimeStep=1.0 / 240.0, numSolverIterations=50, numSubSteps=4))  # fmt: skip
_form("setPhysicsEngineParameter_cache", "setPhysicsEngineParameter, file caching",
      _parameter(enableFileCaching=0))  # fmt: skip
_form("resetJointState_velocity", "resetJointState, with a velocity",
      lambda p, arm: lambda: p.resetJointState(arm, _LINK, 0.4, 0.1))  # fmt: skip
_form("resetJointState_keyword", "resetJointState, the velocity by name",
      lambda p, arm: lambda: p.resetJointState(arm, _LINK, 0.4, targetVelocity=0))  # fmt: skip
_form("getLinkState_forward", "getLinkState, computeForwardKinematics by name",
      lambda p, arm: lambda: p.getLinkState(arm, END_EFFECTOR, computeForwardKinematics=True),
      )  # fmt: skip
_form("getContactPoints_one", "getContactPoints, a body by name",
      lambda p, arm: lambda: p.getContactPoints(bodyA=arm))  # fmt: skip
_form("resetDebugVisualizerCamera", "resetDebugVisualizerCamera",
      lambda p, arm: lambda: p.resetDebugVisualizerCamera(1.5, 50, -35, _ZERO))  # fmt: skip
_form("configureDebugVisualizer_off", "configureDebugVisualizer, by number",
      lambda p, arm: lambda: p.configureDebugVisualizer(p.COV_ENABLE_GUI, 0))  # fmt: skip
