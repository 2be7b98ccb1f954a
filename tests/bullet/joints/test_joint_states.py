"""States of joints that are read together are those that are read one by one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pybullet_data
import pytest

import unibody.bullet as p

SHAPES = (list, tuple)


@pytest.fixture
def client() -> Iterator[int]:
    number = p.connect(p.DIRECT)
    p.setAdditionalSearchPath(pybullet_data.getDataPath(), physicsClientId=number)
    p.setGravity(0, 0, -9.81, physicsClientId=number)
    yield number
    p.disconnect(number)


def robot(client: int, file: str) -> tuple[int, range]:
    body = p.loadURDF(file, [0, 0, 1], useFixedBase=True, physicsClientId=client)
    return body, range(p.getNumJoints(body, physicsClientId=client))


def check(client: int, body: int, joints: Any) -> None:
    alone = tuple(p.getJointState(body, joint, physicsClientId=client) for joint in joints)
    for _ in range(2):  # the second time, joints are known by the list they were named in
        assert p.getJointStates(body, joints, physicsClientId=client) == alone


@pytest.mark.parametrize("file", ["kuka_iiwa/model.urdf", "r2d2.urdf", "humanoid/humanoid.urdf"])
@pytest.mark.parametrize("shape", SHAPES)
def test_states_read_together_are_those_read_one_by_one(client: int, file: str, shape: Any) -> None:
    body, joints = robot(client, file)
    check(client, body, shape(joints))
    for _ in range(3):
        p.stepSimulation(physicsClientId=client)
        check(client, body, shape(joints))
        check(client, body, shape(joints[::2]))


@pytest.mark.parametrize(
    "change",
    [
        lambda body, client: p.resetJointState(body, 3, 0.4, 0.5, physicsClientId=client),
        lambda body, client: p.performCollisionDetection(physicsClientId=client),
        lambda body, client: p.loadURDF("cube_small.urdf", [3, 0, 0], physicsClientId=client),
        lambda body, client: p.setPhysicsEngineParameter(numSubSteps=3, physicsClientId=client),
        lambda body, client: p.enableJointForceTorqueSensor(body, 2, physicsClientId=client),
    ],
    ids=["reset", "contacts", "another body", "substeps", "sensor"],
)
def test_a_change_between_two_readings_is_seen_by_both(client: int, change: Any) -> None:
    body, joints = robot(client, "kuka_iiwa/model.urdf")
    p.stepSimulation(physicsClientId=client)
    check(client, body, list(joints))
    change(body, client)
    check(client, body, list(joints))
    p.stepSimulation(physicsClientId=client)
    check(client, body, list(joints))


def test_a_joint_out_of_range_is_an_error_after_a_reading_too(client: int) -> None:
    body, joints = robot(client, "kuka_iiwa/model.urdf")
    p.stepSimulation(physicsClientId=client)
    check(client, body, list(joints))
    with pytest.raises(p.error, match="Joint index out-of-range"):
        p.getJointStates(body, [0, 7], physicsClientId=client)
    with pytest.raises(p.error, match="Joint index out-of-range"):
        p.getJointStates(body, [0.5, 1], physicsClientId=client)
