"""Force and torque sensors in joints read what PyBullet's read."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pybullet
import pytest

import unibody.bullet
from tests.support.duo import GRAVITY, both, connected, ground

Setup = Callable[[Any], int]
BAD = 99


def kuka(p: Any) -> int:
    body = p.loadURDF("kuka_iiwa/model.urdf", useFixedBase=True)
    for joint in range(7):
        p.resetJointState(body, joint, 0.3 * (joint + 1) * (-1) ** joint)
    return body


def gripper(p: Any) -> int:
    """Prismatic and fixed joints."""
    return p.loadURDF("franka_panda/panda.urdf", useFixedBase=True)


def standing(p: Any) -> int:
    """A box on top of a link that stands on the ground."""
    ground(p)
    shape = p.createCollisionShape(p.GEOM_BOX, halfExtents=(0.1, 0.1, 0.1))
    return p.createMultiBody(
        baseMass=2.0, baseCollisionShapeIndex=shape, basePosition=(0.03, 0, 0.4),
        linkMasses=[1.0], linkCollisionShapeIndices=[shape], linkVisualShapeIndices=[-1],
        linkPositions=[(0, 0, -0.3)], linkOrientations=[(0, 0, 0, 1)],
        linkInertialFramePositions=[(0.05, 0, 0)],
        linkInertialFrameOrientations=[(0, 0, 0, 1)], linkParentIndices=[0],
        linkJointTypes=[p.JOINT_FIXED], linkJointAxis=[(0, 0, 1)],
    )  # fmt: skip


def humanoid(p: Any) -> int:
    """Ball joints, held."""
    return p.loadURDF("humanoid/humanoid.urdf", globalScaling=0.25, useFixedBase=True)


def held(p: Any) -> int:
    """A box that hangs from a link that is tied to the world above its mass centre."""
    shape = p.createCollisionShape(p.GEOM_BOX, halfExtents=(0.1, 0.1, 0.1))
    body = p.createMultiBody(
        baseMass=2.0, baseCollisionShapeIndex=shape, linkMasses=[1.0],
        linkCollisionShapeIndices=[shape], linkVisualShapeIndices=[-1], linkPositions=[(0, 0, 0.4)],
        linkOrientations=[(0, 0, 0, 1)], linkInertialFramePositions=[(0, 0, 0)],
        linkInertialFrameOrientations=[(0, 0, 0, 1)], linkParentIndices=[0],
        linkJointTypes=[p.JOINT_FIXED], linkJointAxis=[(0, 0, 1)],
    )  # fmt: skip
    p.createConstraint(body, 0, -1, -1, p.JOINT_POINT2POINT, (0, 0, 0), (0, 0, 0.1), (0, 0, 0.5))
    return body


def readings(
    p: Any, setup: Setup, mode: int, steps: int, push: bool = False
) -> list[tuple[float, ...]]:
    p.setGravity(0, 0, -GRAVITY)
    p.setPhysicsEngineParameter(jointFeedbackMode=mode)
    body = setup(p)
    for joint in range(p.getNumJoints(body)):
        assert p.enableJointForceTorqueSensor(body, joint, True) is None
    for _ in range(steps):
        if push:
            p.applyExternalForce(body, 4, (10, 20, 30), (0.1, 0.2, 0.3), p.LINK_FRAME)
        p.stepSimulation()
    single = [p.getJointState(body, j)[2] for j in range(p.getNumJoints(body))]
    assert [s[2] for s in p.getJointStates(body, range(p.getNumJoints(body)))] == single
    assert [p.getJointStateMultiDof(body, j)[2] for j in range(p.getNumJoints(body))] == single
    return single


@pytest.mark.parametrize("mode", [0, 1, 2, 3])
@pytest.mark.parametrize("setup", [kuka, gripper, humanoid, standing, held])
def test_a_sensor_reads_what_a_held_joint_transmits(setup: Setup, mode: int) -> None:
    theirs, ours = both(lambda p: readings(p, setup, mode, 300), converged=True)
    assert np.abs(theirs).max() > 1.0
    # what moves at a micrometre a step under a motor of 1e-5 softness
    np.testing.assert_allclose(ours, theirs, rtol=5e-3, atol=0.15)


def test_external_forces_are_part_of_what_is_transmitted() -> None:
    theirs, ours = both(lambda p: readings(p, kuka, 0, 60, push=True), converged=True)
    np.testing.assert_allclose(ours, theirs, rtol=5e-3, atol=0.15)


def swinging(p: Any) -> int:
    body = kuka(p)
    for joint in range(7):
        p.setJointMotorControl2(body, joint, p.VELOCITY_CONTROL, force=0)
    return body


def test_a_pendulum_pulls_with_its_weight_and_its_centripetal_force() -> None:
    # not compared: PyBullet counts the forces of rotation a second time
    mass, length, angle, rate = 2.0, 0.5, 0.7, 3.0
    with connected(unibody.bullet) as p:
        p.setGravity(0, 0, -GRAVITY)
        body = p.createMultiBody(
            baseMass=0, linkMasses=[mass],
            linkCollisionShapeIndices=[p.createCollisionShape(p.GEOM_SPHERE, radius=0.1)],
            linkVisualShapeIndices=[-1], linkPositions=[(0, 0, 1)],
            linkOrientations=[(0, 0, 0, 1)], linkInertialFramePositions=[(0, 0, -length)],
            linkInertialFrameOrientations=[(0, 0, 0, 1)], linkParentIndices=[0],
            linkJointTypes=[p.JOINT_REVOLUTE], linkJointAxis=[(0, 1, 0)],
        )  # fmt: skip
        p.setJointMotorControl2(body, 0, p.VELOCITY_CONTROL, force=0)
        p.changeDynamics(body, 0, linearDamping=0, angularDamping=0, jointDamping=0)
        p.resetJointState(body, 0, angle, rate)
        p.enableJointForceTorqueSensor(body, 0)
        p.stepSimulation()
        force = p.getJointState(body, 0)[2]
    assert force[2] == pytest.approx(mass * (GRAVITY * np.cos(angle) + length * rate**2), rel=1e-6)
    assert force[1] == pytest.approx(0.0, abs=1e-9)


def test_the_torque_of_torque_control_is_transmitted_and_that_of_a_motor_is_not() -> None:
    def play(p: Any) -> Any:
        body = swinging(p)
        p.enableJointForceTorqueSensor(body, 1)
        p.setJointMotorControl2(body, 1, p.TORQUE_CONTROL, force=7.0)
        p.stepSimulation()
        driven = p.getJointState(body, 1)[2]
        p.setJointMotorControl2(body, 1, p.VELOCITY_CONTROL, force=1000.0)
        p.stepSimulation()
        axis = p.getJointInfo(body, 1)[13]
        return [np.dot(driven[3:], axis), np.dot(p.getJointState(body, 1)[2][3:], axis)]

    theirs, ours = both(play, converged=True)
    np.testing.assert_allclose(ours, theirs, rtol=0, atol=0.02)


def test_a_sensor_reads_nothing_before_it_is_on_and_after_it_is_off() -> None:
    def play(p: Any) -> Any:
        p.setGravity(0, 0, -GRAVITY)
        body = kuka(p)
        read = []
        p.stepSimulation()
        read.append(p.getJointState(body, 3)[2])
        p.enableJointForceTorqueSensor(body, 3, 1)
        read.append(p.getJointState(body, 3)[2])
        p.stepSimulation()
        read.append(p.getJointState(body, 2)[2])
        p.enableJointForceTorqueSensor(body, 3, 0)
        read.append(p.getJointState(body, 3)[2])
        p.stepSimulation()
        read.append(p.getJointState(body, 3)[2])
        return read

    theirs, ours = both(play)
    assert not np.any(theirs)
    assert not np.any(ours)


@pytest.mark.parametrize("arguments", [(0, BAD), (0, -1), (BAD, 0), (-1, 0)])
def test_a_sensor_of_no_joint_is_refused_with_pybullets_words(arguments: tuple[int, int]) -> None:
    words: list[str] = []
    for module in (pybullet, unibody.bullet):
        with connected(module) as p:
            kuka(p)
            with pytest.raises(p.error) as caught:
                p.enableJointForceTorqueSensor(*arguments)
            words.append(str(caught.value))
    assert words[0] == words[1]


def test_a_sensor_outlives_edits_and_goes_with_its_body() -> None:
    with connected(unibody.bullet) as p:
        p.setGravity(0, 0, -GRAVITY)
        first, second = kuka(p), kuka(p)
        p.resetBasePositionAndOrientation(second, (5, 0, 0), (0, 0, 0, 1))
        for body in (first, second):
            p.enableJointForceTorqueSensor(body, 3)
        p.stepSimulation()
        before = p.getJointState(second, 3)[2]
        p.removeBody(first)
        for _ in range(3):
            p.stepSimulation()
        assert p.getJointState(second, 3)[2] == pytest.approx(before, rel=0.2, abs=0.5)
        p.resetSimulation()
        again = kuka(p)
        p.stepSimulation()
        assert p.getJointState(again, 3)[2] == (0.0,) * 6
