"""Our own models are valid for the original, and are what scripts expect under their names."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pybullet as p
import pytest

import unibody.bullet as unibody
from unibody.sample_assets import getDataPath

FOLDER = Path(getDataPath())
MODELS = sorted(path.relative_to(FOLDER).as_posix() for path in FOLDER.rglob("*.urdf"))
FIXED = {"plane.urdf", "plane100.urdf", "table/table.urdf", "cartpole.urdf", "kuka_iiwa/model.urdf"}


@pytest.fixture
def client() -> Iterator[int]:
    number = p.connect(p.DIRECT)
    p.setAdditionalSearchPath(str(FOLDER), physicsClientId=number)
    yield number
    p.disconnect(number)


def test_every_promised_model_is_there() -> None:
    assert set(MODELS) == FIXED | {
        "cube.urdf",
        "cube_small.urdf",
        "sphere2.urdf",
        "sphere_small.urdf",
        "husky/husky.urdf",
        "racecar/racecar.urdf",
        "r2d2.urdf",
    }


@pytest.mark.parametrize("model", MODELS)
def test_a_model_loads_in_the_original_and_every_moving_link_has_mass(
    model: str, client: int
) -> None:
    flags = p.URDF_USE_INERTIA_FROM_FILE
    body = p.loadURDF(model, flags=flags, physicsClientId=client)
    base = p.getDynamicsInfo(body, -1, physicsClientId=client)
    assert (base[0] == 0.0) is (model in FIXED)
    for link in range(p.getNumJoints(body, physicsClientId=client)):
        info = p.getDynamicsInfo(body, link, physicsClientId=client)
        assert info[0] > 0.0
        assert min(info[2]) > 0.0
        a, b, c = sorted(info[2])
        assert a + b >= c * (1 - 1e-6), "no rigid body has such moments of inertia"


@pytest.mark.parametrize("model", MODELS)
def test_a_model_has_no_other_files(model: str) -> None:
    text = (FOLDER / model).read_text()
    assert "filename" not in text


def test_the_arm_has_seven_motors_and_the_reach_of_a_robot_of_its_size(client: int) -> None:
    arm = p.loadURDF("kuka_iiwa/model.urdf", physicsClientId=client)
    joints = [p.getJointInfo(arm, j, physicsClientId=client) for j in range(7)]
    assert p.getNumJoints(arm, physicsClientId=client) == 7
    assert {joint[2] for joint in joints} == {p.JOINT_REVOLUTE}
    p.resetJointState(arm, 1, math.pi / 2, physicsClientId=client)
    x, _, z = p.getLinkState(arm, 6, True, True, physicsClientId=client)[4]
    assert 0.9 < x < 1.3
    assert 0.2 < z < 0.5


@pytest.mark.parametrize(("model", "top"), [("plane.urdf", 0.0), ("plane100.urdf", 0.0005)])
def test_the_ground_has_a_pattern_and_is_seen_where_things_lie(model: str, top: float) -> None:
    number = unibody.connect(unibody.DIRECT)
    try:
        unibody.loadURDF(str(FOLDER / model), physicsClientId=number)
        view = unibody.computeViewMatrix([0.5, 0.5, 2.0], [0.5, 0.5, 0.0], [0.0, 1.0, 0.0])
        lens = unibody.computeProjectionMatrixFOV(60.0, 1.0, 0.1, 10.0)
        taken = unibody.getCameraImage(60, 60, view, lens, physicsClientId=number)
    finally:
        unibody.disconnect(number)
    colors = np.reshape(taken[2], (60, 60, 4))[..., :3].astype(int).reshape(-1, 3)
    assert np.ptp(colors, axis=0).max() > 50  # chequers
    depth = np.reshape(taken[3], (60, 60))[30, 30]
    away = 10.0 * 0.1 / (10.0 - 9.9 * depth)  # as PyBullet's depth buffer means it
    assert away == pytest.approx(2.0 - top, abs=2e-4)


@pytest.mark.parametrize(
    ("model", "wheels", "height"),
    [
        ("husky/husky.urdf", [2, 3, 4, 5], 0.2),
        ("racecar/racecar.urdf", [2, 3, 5, 7], 0.1),
        ("r2d2.urdf", [2, 3, 6, 7], 0.6),
    ],
)
def test_a_wheeled_robot_drives_forwards(
    model: str, wheels: list[int], height: float, client: int
) -> None:
    p.setGravity(0, 0, -9.81, physicsClientId=client)
    p.loadURDF("plane.urdf", physicsClientId=client)
    robot = p.loadURDF(model, [0, 0, height], physicsClientId=client)
    for wheel in wheels:
        p.setJointMotorControl2(
            robot, wheel, p.VELOCITY_CONTROL, targetVelocity=4.0, force=10, physicsClientId=client
        )
    for _ in range(480):
        p.stepSimulation(physicsClientId=client)
    (x, y, z), turn = p.getBasePositionAndOrientation(robot, physicsClientId=client)
    assert x > 0.2
    assert abs(y) < 0.1
    assert 0 < z < height + 0.1
    assert max(map(abs, p.getEulerFromQuaternion(turn)[:2])) < 0.1
