"""A number that is not finite is refused, by its argument, before it gets into the world."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import unibody.bullet as p
from tests.support.duo import base_state, box, connected, ground

ARM = "kuka_iiwa/model.urdf"
JOINT = 2


def pin(pivot: Any = (0, 0, 0), inner: Any = (0, 0, 0)) -> int:
    return p.createConstraint(1, -1, -1, -1, p.JOINT_POINT2POINT, (0, 0, 1), inner, pivot)


def motor(mode: int, **numbers: float) -> None:
    p.setJointMotorControl2(3, JOINT, mode, **numbers)


def motors(mode: int, **numbers: Any) -> None:
    p.setJointMotorControlArray(3, [JOINT, JOINT + 1], mode, **numbers)


def made(**more: Any) -> int:
    return box(p, more.pop("basePosition", (9, 9, 9)), **more)


WORLD, LINK = p.WORLD_FRAME, p.LINK_FRAME
POSITION, VELOCITY, TORQUE = p.POSITION_CONTROL, p.VELOCITY_CONTROL, p.TORQUE_CONTROL
# what is called with a number, and the argument that an error names; bodies 1 and 2 are boxes, 3
# is an arm
REFUSED: dict[str, tuple[str, Callable[[float], Any]]] = {
    "force": ("forceObj", lambda v: p.applyExternalForce(1, -1, (0, v, 0), (0, 0, 0), WORLD)),
    "local force": ("forceObj", lambda v: p.applyExternalForce(1, -1, (v, 0, 0), (0, 0, 0), LINK)),
    "point": ("posObj", lambda v: p.applyExternalForce(1, -1, (1, 0, 0), (0, v, 0), WORLD)),
    "torque": ("torqueObj", lambda v: p.applyExternalTorque(1, -1, (0, 0, v), WORLD)),
    "force on a link": (
        "forceObj", lambda v: p.applyExternalForce(3, JOINT, (v, 0, 0), (0, 0, 0), WORLD)
    ),
    "velocity": ("linearVelocity", lambda v: p.resetBaseVelocity(1, (0, v, 0))),
    "spin": ("angularVelocity", lambda v: p.resetBaseVelocity(1, angularVelocity=(0, v, 0))),
    "position": (
        "posObj", lambda v: p.resetBasePositionAndOrientation(1, (0, v, 0), (0, 0, 0, 1))
    ),
    "array": (
        "posObj",
        lambda v: p.resetBasePositionAndOrientation(1, np.array((0, v, 0)), (0, 0, 0, 1)),
    ),
    "turn": ("ornObj", lambda v: p.resetBasePositionAndOrientation(1, (0, 0, 3), (0, v, 0, 1))),
    "joint": ("targetValue", lambda v: p.resetJointState(3, JOINT, v)),
    "joint speed": ("targetVelocity", lambda v: p.resetJointState(3, JOINT, 0, v)),
    "joint, as a list": ("targetValue", lambda v: p.resetJointStateMultiDof(3, JOINT, [v])),
    "joints": ("targetValue", lambda v: p.resetJointStatesMultiDof(3, [JOINT], [[v]])),
    "speed of joints": (
        "targetVelocity", lambda v: p.resetJointStatesMultiDof(3, [JOINT], [[0.0]], [[v]])
    ),
    "target speed": ("targetVelocity", lambda v: motor(VELOCITY, targetVelocity=v)),
    "gain": ("positionGain", lambda v: motor(POSITION, targetPosition=0.1, positionGain=v)),
    "joint torque": ("force", lambda v: motor(TORQUE, force=v)),
    "joint torques": ("force", lambda v: motors(TORQUE, forces=[0.0, v])),
    "target speeds": ("targetVelocity", lambda v: motors(VELOCITY, targetVelocities=[0.0, v])),
    "mass": ("mass", lambda v: p.changeDynamics(1, -1, mass=abs(v))),
    "inertia": (
        "localInertiaDiagonal", lambda v: p.changeDynamics(1, -1, localInertiaDiagonal=(v, 1, 1))
    ),
    "gravity": ("gravity", lambda v: p.setGravity(0, 0, v)),
    "time step": ("timeStep", p.setTimeStep),
    "time step, abs": (
        "fixedTimeStep", lambda v: p.setPhysicsEngineParameter(fixedTimeStep=abs(v))
    ),
    "new place": ("basePosition", lambda v: made(basePosition=(v, 0, 0))),
    "new turn": ("baseOrientation", lambda v: made(baseOrientation=(v, 0, 0, 1))),
    "new places": ("batchPositions", lambda v: made(batchPositions=[(8, 8, 8), (v, 0, 0)])),
    "file": ("basePosition", lambda v: p.loadURDF("cube_small.urdf", (0, v, 0))),
    "pivot": ("childFramePosition", lambda v: pin((v, 0, 0))),
    "inner pivot": ("parentFramePosition", lambda v: pin(inner=(v, 0, 0))),
    "moved pivot": ("jointChildPivot", lambda v: p.changeConstraint(pin(), (v, 0, 0))),
}  # fmt: skip
NO_NAN = ("mass", "time step, abs")  # they are passed over then, as in PyBullet
# PyBullet passes these over, or clamps them; so do we.
PASSED: dict[str, Callable[[], Any]] = {
    "endless motor force": lambda: motor(VELOCITY, targetVelocity=1, force=math.inf),
    "target beyond the limit": lambda: motor(POSITION, targetPosition=math.inf),
    "targets beyond the limit": lambda: motors(POSITION, targetPositions=[math.inf, 0.0]),
    "no mass": lambda: p.changeDynamics(1, -1, mass=math.nan),
    "endless constraint": lambda: p.changeConstraint(pin(), maxForce=math.inf),
}


@pytest.fixture(autouse=True)
def world() -> Iterator[None]:
    with connected(p):
        p.setGravity(0, 0, -9.81)
        ground(p)
        box(p, (0, 0, 1))
        box(p, (3, 0, 1))
        p.loadURDF(ARM, (0, 5, 0), useFixedBase=True)
        p.stepSimulation()
        yield


def state() -> list[float]:
    joints = [x for j in range(p.getNumJoints(3)) for x in p.getJointState(3, j)[:2]]
    return [*base_state(p, 1), *base_state(p, 2), *joints]


VALUES = (math.nan, math.inf, -math.inf)
CASES = [(name, v) for name in REFUSED for v in VALUES if not (name in NO_NAN and math.isnan(v))]


@pytest.mark.parametrize(("name", "value"), CASES)
def test_a_number_that_is_not_finite_is_refused_and_changes_nothing(
    name: str, value: float
) -> None:
    argument, call = REFUSED[name]
    count = p.getNumBodies()
    before = state()
    with pytest.raises(p.error, match=f"^{argument}=.*(nan|inf).* is not allowed"):
        call(value)
    assert p.getNumBodies() == count
    assert state() == before
    for _ in range(3):
        p.stepSimulation()
    assert np.isfinite(state()).all()


@pytest.mark.parametrize("name", PASSED)
def test_what_stays_without_an_effect_or_has_no_bound_does_not_end_the_world(name: str) -> None:
    PASSED[name]()
    for _ in range(3):
        p.stepSimulation()
    assert np.isfinite(state()).all()


@pytest.mark.parametrize("half", [(-0.1, 0.1, 0.1), (-0.1, -0.1, -0.1)])
def test_a_box_of_negative_size_is_the_box_mirrored(half: Any) -> None:
    body = box(p, (-3, 0, 0.5), half=half)
    like = box(p, (-5, 0, 0.5))
    for _ in range(240):
        p.stepSimulation()
    assert p.getCollisionShapeData(body, -1)[0][3] == tuple(2 * x for x in half)
    place, other = (p.getBasePositionAndOrientation(b)[0][2] for b in (body, like))
    assert place == pytest.approx(other, abs=1e-12)  # the same sums at another place
    low, high = p.getAABB(body)
    assert (np.array(low) < high).all()


def test_a_file_with_a_size_that_is_not_allowed_leaves_the_world_as_it_was(tmp_path: Path) -> None:
    file = tmp_path / "ball.urdf"
    file.write_text(
        '<robot name="r"><link name="b"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"'
        ' ixy="0" ixz="0" iyz="0"/></inertial><collision><geometry><sphere radius="-1"/>'
        "</geometry></collision></link></robot>"
    )
    count = p.getNumBodies()
    with pytest.raises(p.error):
        p.loadURDF(str(file))
    assert p.getNumBodies() == count
    p.stepSimulation()
    assert p.rayTest((0, 0, 5), (0, 0, -5))[0][0] == 1
