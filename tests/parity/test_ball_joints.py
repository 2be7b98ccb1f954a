"""Spherical and planar joints move, and are driven, as in PyBullet."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pybullet
import pytest

import unibody.bullet
from tests.support.duo import GRAVITY, both, connected
from tests.support.tolerances import FIFTY_SWEEPS, SOLVED

START = (0.1, 0.2, 0.3, 1.0)
SPIN = (0.1, 0.2, 0.3)
TARGET = (0.3, -0.2, 0.2, 0.9)
EACH = {"positionGain": [0.1, 0.2, 0.3], "velocityGain": [1.0, 1.0, 1.0]}
BALL = """
<robot name="arm">
  <link name="base"><inertial><mass value="0"/>
    <inertia ixx="0" iyy="0" izz="0" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="arm"><inertial><origin xyz="0.1 0.05 -0.5" rpy="{rpy}"/><mass value="1.5"/>
    <inertia ixx="0.1" iyy="0.13" izz="0.05" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="shoulder" type="{kind}"><parent link="base"/><child link="arm"/>
    <origin xyz="0 0 1" rpy="0.5 0 0"/><axis xyz="0.6 0.8 0"/></joint>
</robot>
"""


@pytest.fixture
def arm(tmp_path: Path) -> Any:
    """Writes an arm on one joint, by its type and the turn of its inertial frame."""

    def write(kind: str = "spherical", rpy: str = "0 0 0") -> str:
        path = tmp_path / "arm.urdf"
        path.write_text(BALL.format(kind=kind, rpy=rpy))
        return str(path)

    return write


def load(p: Any, file: str) -> int:
    p.setGravity(0, 0, -GRAVITY)
    body = p.loadURDF(file, useFixedBase=True, flags=p.URDF_USE_INERTIA_FROM_FILE)
    for link in (-1, 0):
        p.changeDynamics(body, link, linearDamping=0, angularDamping=0, jointDamping=0)
    return body


def state(p: Any, body: int, joint: int = 0) -> list[float]:
    position, velocity, _, torque = p.getJointStateMultiDof(body, joint)
    return [*position, *velocity, *torque]


def motion(p: Any, file: str, steps: int = 60, **motor: Any) -> list[list[float]]:
    body = load(p, file)
    p.resetJointStateMultiDof(body, 0, START, SPIN)
    if motor:
        p.setJointMotorControlMultiDof(body, 0, p.POSITION_CONTROL, **motor)
    rows: list[list[float]] = []
    for _ in range(steps):
        p.stepSimulation()
        rows.append(state(p, body))
    return rows


MOTORS: dict[str, dict[str, Any]] = {
    "the default motor": {},
    "a motor without force": {"targetPosition": TARGET, "force": [0, 0, 0]},
    "a target": {"targetPosition": TARGET},
    "a long target": {"targetPosition": [3 * x for x in TARGET], "positionGain": 0.4},
    "a target on the other side": {"targetPosition": (0.5, -0.5, 0.2, 0.1)},
    "a target velocity, which does nothing": {"targetVelocity": [5, 5, 5]},
    "damping of a half": {"targetPosition": TARGET, "damping": 0.5},
    "too little force": {"targetPosition": TARGET, "force": [2, 3, 4]},
    "little force about one axis": {"targetPosition": TARGET, "force": [2, 300, 300], **EACH},
    "gains and damping by axis": {
        "targetPosition": TARGET, "force": [5e3, 5e3, 5e3], "damping": [0.5, 0.6, 0.7], **EACH,
    },
}  # fmt: skip


@pytest.mark.parametrize("motor", MOTORS.values(), ids=MOTORS)
def test_a_ball_joint_moves_as_in_pybullet(arm: Any, motor: dict[str, Any]) -> None:
    file = arm()
    theirs, ours = both(lambda p: motion(p, file, **motor), converged=True)
    # a row of a motor gives way by 1e-5 of its force: 4 m/s2 of the first step, 3e2 Nm
    np.testing.assert_allclose(ours[:, :4], theirs[:, :4], rtol=0, atol=2e-4)
    np.testing.assert_allclose(ours[:, 4:7], theirs[:, 4:7], rtol=0, atol=5e-3)
    np.testing.assert_allclose(ours[:, 7:], theirs[:, 7:], rtol=2e-3, atol=0.1)


def test_the_axes_of_a_ball_joint_are_those_of_the_inertial_frame(arm: Any) -> None:
    file = arm(rpy="0.5 0.4 0.3")
    motor = MOTORS["gains and damping by axis"]
    theirs, ours = both(lambda p: motion(p, file, **motor), converged=True)
    np.testing.assert_allclose(ours[:, :4], theirs[:, :4], rtol=0, atol=2e-4)
    np.testing.assert_allclose(ours[:, 4:7], theirs[:, 4:7], rtol=0, atol=5e-3)


def motors_in_a_row(p: Any, file: str) -> list[list[float]]:
    """A motor that is switched off, given force by axis, and on again."""
    body = load(p, file)
    calls: list[tuple[Any, dict[str, Any]]] = [
        (p.setJointMotorControl2, {"positionGain": 0.0, "force": 0.0}),
        (p.setJointMotorControlMultiDof, {"targetPosition": TARGET, "force": [9, 9, 9], **EACH}),
        (p.setJointMotorControlMultiDof, {"targetPosition": TARGET, "force": [9, 9, 9]}),
        (p.setJointMotorControlMultiDof, {"targetPosition": TARGET, "force": [0, 5, 7], **EACH}),
        (p.setJointMotorControlMultiDof, {"targetPosition": [1, 2], "force": [0, 0, 0]}),
    ]
    rows: list[list[float]] = []
    for call, motor in calls:
        call(body, 0, p.POSITION_CONTROL, **motor)
        for _ in range(10):
            p.stepSimulation()
            rows.append(state(p, body)[:7])
    return rows


def test_a_motor_without_any_force_only_wakes_up_to_one_force_for_all_axes(arm: Any) -> None:
    file = arm()
    theirs, ours = both(lambda p: motors_in_a_row(p, file), converged=True)
    np.testing.assert_allclose(ours, theirs, rtol=0, atol=5e-3)


def pushed(p: Any, file: str, torque: list[float], *, scalar: bool = False) -> list[float]:
    body = load(p, file)
    if p.getJointInfo(body, 0)[2] == p.JOINT_SPHERICAL:
        p.setJointMotorControlMultiDof(body, 0, p.POSITION_CONTROL, [0, 0, 0, 1], force=[0, 0, 0])
    for _ in range(5):
        if scalar:
            p.setJointMotorControl2(body, 0, p.TORQUE_CONTROL, force=torque[0])
        else:
            p.setJointMotorControlMultiDof(body, 0, p.TORQUE_CONTROL, force=torque)
        p.stepSimulation()
    return [*state(p, body)[:-2], *p.getLinkState(body, 0, 0, 1)[0], *p.getJointState(body, 0)[:2]]


@pytest.mark.parametrize("scalar", [False, True])
@pytest.mark.parametrize("rpy", ["0 0 0", "0.5 0.4 0.3"])
@pytest.mark.parametrize("kind", ["spherical", "planar"])
def test_torques_on_a_joint_with_several_axes(arm: Any, kind: str, rpy: str, scalar: bool) -> None:
    file = arm(kind, rpy)
    torque = [20.0, 3.0, 4.0] if kind == "spherical" else [20.0, 3.0]
    theirs, ours = both(lambda p: pushed(p, file, torque, scalar=scalar))
    if kind == "spherical" and rpy != "0 0 0":
        ours, theirs = ours[:-2], theirs[:-2]  # its single numbers are in the link's frame here
    # Bullet turns the velocity of a planar joint with the joint a step late: 0.1 rad/s in 5 steps
    np.testing.assert_allclose(ours, theirs, rtol=0, atol=SOLVED if kind == "spherical" else 0.02)


def humanoid(p: Any, *, order: bool) -> tuple[int, list[int]]:
    p.setGravity(0, 0, -GRAVITY)
    flags = p.URDF_MAINTAIN_LINK_ORDER if order else 0
    body = p.loadURDF("humanoid/humanoid.urdf", (0, 0, 1.5), globalScaling=0.25, flags=flags)
    joints = [j for j in range(p.getNumJoints(body)) if p.getJointInfo(body, j)[2] in (0, 2)]
    return body, joints


def ball(p: Any, body: int, joint: int) -> bool:
    return p.getJointInfo(body, joint)[2] == p.JOINT_SPHERICAL


def numbered(p: Any, order: bool) -> list[float]:
    """Every joint of the humanoid put somewhere else, and where that puts its links."""
    body, joints = humanoid(p, order=order)
    for joint in joints:
        value = [0.1 * joint, 0.2, 0.3, 0.4] if ball(p, body, joint) else [0.1 * joint]
        speed = [joint, 2.0, 3.0] if ball(p, body, joint) else [float(joint)]
        p.resetJointStateMultiDof(body, joint, value, speed)
    numbers: list[float] = []
    for joint in range(p.getNumJoints(body)):
        numbers += [*sum(p.getJointStateMultiDof(body, joint)[:2], ())]
        numbers += [*sum(p.getLinkState(body, joint)[:2], ())]
    return numbers


@pytest.mark.parametrize("order", [False, True])
def test_links_in_any_order_have_their_own_joints(order: bool) -> None:
    theirs, ours = both(lambda p: numbered(p, order))
    np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-6)


def stable(p: Any) -> list[float]:
    """A humanoid in the air that is driven into a pose by stable PD control."""
    body, joints = humanoid(p, order=True)
    for joint in joints:
        if ball(p, body, joint):
            p.setJointMotorControlMultiDof(
                body, joint, p.POSITION_CONTROL, [0, 0, 0, 1], positionGain=0, force=[0, 0, 0]
            )
        else:
            p.setJointMotorControl2(body, joint, p.VELOCITY_CONTROL, force=0)
    targets = [[0.1, 0.2, 0.05, 0.97] if ball(p, body, j) else [0.3] for j in joints]
    forces = [[200.0] * (3 if ball(p, body, j) else 1) for j in joints]
    for _ in range(240):
        p.setJointMotorControlMultiDofArray(
            body, joints, p.STABLE_PD_CONTROL, targetPositions=targets, forces=forces,
            positionGains=[300.0] * len(joints), velocityGains=[30.0] * len(joints),
        )  # fmt: skip
        p.stepSimulation()
    return [x for state in p.getJointStatesMultiDof(body, joints) for x in state[0]]


def test_stable_pd_control_brings_a_humanoid_into_a_pose_as_pybullets_does() -> None:
    theirs, ours = both(stable)
    # PyBullet takes the inertia of the links' outlines for this, here it is their own
    np.testing.assert_allclose(ours, theirs, rtol=0, atol=0.01)


def spring(p: Any, array: bool, motors: bool) -> list[list[float]]:
    p.setGravity(0, 0, -GRAVITY)
    body = p.loadURDF("cartpole.urdf")
    if not motors:
        p.setJointMotorControlArray(body, [0, 1], p.VELOCITY_CONTROL, forces=[0, 0])
    p.resetJointState(body, 1, 0.4)
    if array:
        p.setJointMotorControlArray(body, [0], p.PD_CONTROL, [1.0], [0.1], [25.0], [30.0], [2.0])
    else:
        p.setJointMotorControl2(body, 0, p.PD_CONTROL, 1.0, 0.1, 25.0, 30.0, 2.0)
    rows: list[list[float]] = []
    for step in range(120):
        if step == 80:
            p.setJointMotorControl2(body, 0, p.PD_CONTROL, force=0)
        p.stepSimulation()
        rows.append([x for s in p.getJointStates(body, [0, 1]) for x in (s[0], s[1], s[3])])
    return rows


@pytest.mark.parametrize("motors", [False, True])
@pytest.mark.parametrize("array", [False, True])
def test_pd_control_is_a_spring_besides_the_motor(array: bool, motors: bool) -> None:
    theirs, ours = both(lambda p: spring(p, array, motors), converged=True)
    np.testing.assert_allclose(ours, theirs, rtol=0, atol=FIFTY_SWEEPS if motors else SOLVED)


def capped(p: Any) -> list[list[float]]:
    body = p.loadURDF("kuka_iiwa/model.urdf", useFixedBase=True)
    rows: list[list[float]] = []
    for mode, more in (
        (p.POSITION_CONTROL, {"maxVelocity": 0.2}),
        (p.POSITION_CONTROL, {}),
        (p.VELOCITY_CONTROL, {"targetVelocity": 0.5}),
        (p.POSITION_CONTROL, {}),
    ):
        p.setJointMotorControl2(body, 2, mode, targetPosition=1.0, **more)
        for _ in range(10):
            p.stepSimulation()
            rows.append([*p.getJointState(body, 2)[:2]])
    return rows


def test_the_speed_limit_of_a_motor_stays_until_velocity_control() -> None:
    theirs, ours = both(capped, converged=True)
    np.testing.assert_allclose(ours, theirs, rtol=SOLVED, atol=SOLVED)


def full_dynamics(p: Any, motion: bool) -> tuple[Any, Any]:
    """Mass matrix and inverse dynamics of a humanoid, its base and ball joints included."""
    body, joints = humanoid(p, order=True)
    q = [0.1, 0.2, 1.5, *p.getQuaternionFromEuler((0.3, 0.4, 0.5))]
    v = [0.0] * 7
    for joint in joints:
        q += p.getQuaternionFromEuler((0.1, 0.2, 0.3)) if ball(p, body, joint) else [0.4]
        v += [0.1, 0.2, 0.3, 0.0] if ball(p, body, joint) else [0.5]
    if not motion:
        v = [0.0] * len(v)
    mass = np.array(p.calculateMassMatrix(body, q, flags=1))
    return mass, np.array(p.calculateInverseDynamics(body, q, v, [0.0] * len(v), flags=1))


@pytest.mark.parametrize("motion", [False, True])
def test_mass_matrix_and_inverse_dynamics_of_ball_joints(motion: bool) -> None:
    with connected(pybullet) as module:
        theirs = full_dynamics(module, motion)
    with connected(unibody.bullet) as module:
        ours = full_dynamics(module, motion)
    # PyBullet's inertias are those of outlines: 0.3 % of 6 kg m2; the humanoid weighs 45 kg
    np.testing.assert_allclose(ours[0], theirs[0], rtol=0, atol=0.02)
    np.testing.assert_allclose(ours[1], theirs[1], rtol=0, atol=0.2)


def weight(p: Any) -> list[float]:
    """The force on the base that holds a humanoid, under gravity that was set just now."""
    body, joints = humanoid(p, order=True)
    rows: list[float] = []
    for gravity in (0.0, -10.0, -5.0):
        p.setGravity(0, 0, gravity)
        q = [0.0, 0.0, 1.5, 0.0, 0.0, 0.0, 1.0]
        for joint in joints:
            q += [0.0, 0.0, 0.0, 1.0] if ball(p, body, joint) else [0.0]
        still = [0.0] * len(q)
        rows.append(p.calculateInverseDynamics(body, q, still, still, flags=1)[2])
    return rows


def test_inverse_dynamics_of_ball_joints_know_gravity_that_was_set_since_the_last_step() -> None:
    theirs, ours = both(weight)
    # a root without mass has the least that MuJoCo takes: 0.1 g of 45 kg
    np.testing.assert_allclose(ours, theirs, rtol=3e-6, atol=1e-9)
    assert ours[1] > 400.0
