"""The record of all calls and its replay."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pybullet_data
import pytest

import unibody.bullet as p
from unibody.bullet import stepSimulation
from unibody.bullet.api import FUNCTIONS
from unibody.bullet.calls.interception import client_functions
from unibody.bullet.worlds import settings

HEADER = '{"unibody": "commands", "version": 1}\n'


@pytest.fixture
def client() -> Iterator[int]:
    number = p.connect(p.DIRECT)
    yield number
    p.disconnect(number)


def state(client: int) -> list[Any]:
    found: list[Any] = []
    for i in range(p.getNumBodies(client)):
        body = p.getBodyUniqueId(i, client)
        found.append(p.getBasePositionAndOrientation(body, client))
        found.append(p.getBaseVelocity(body, client))
        joints = range(p.getNumJoints(body, client))
        found.append(p.getJointStates(body, joints, physicsClientId=client))
    return found


def play(client: int) -> None:
    p.setAdditionalSearchPath(pybullet_data.getDataPath(), physicsClientId=client)
    p.setGravity(0, 0, -9.81, physicsClientId=client)
    p.loadURDF("plane.urdf", physicsClientId=client)
    arm = p.loadURDF("kuka_iiwa/model.urdf", useFixedBase=True, physicsClientId=client)
    heights = np.linspace(0, 0.1, 16)
    field = p.createCollisionShape(
        p.GEOM_HEIGHTFIELD, heightfieldData=heights, numHeightfieldRows=4,
        numHeightfieldColumns=4, physicsClientId=client,
    )  # fmt: skip
    p.createMultiBody(0, field, basePosition=np.array([3, 0, 0.0]), physicsClientId=client)
    box = p.loadURDF("cube_small.urdf", (1, 0, 0.3), physicsClientId=client)
    p.setJointMotorControlArray(
        arm, range(7), p.POSITION_CONTROL, targetPositions=np.full(7, 1 / 3), physicsClientId=client
    )
    for number in range(60):
        p.applyExternalForce(
            box, -1, [0.1 * number, 0, 0], [0, 0, 0], p.LINK_FRAME, physicsClientId=client
        )
        stepSimulation(client)
        p.getLinkState(arm, 3, physicsClientId=client)


def test_a_replay_leads_to_the_same_states_bit_for_bit(client: int, tmp_path: Path) -> None:
    path = str(tmp_path / "commands.txt")
    log = p.startStateLogging(p.STATE_LOGGING_ALL_COMMANDS, path, physicsClientId=client)
    play(client)
    p.stopStateLogging(log, physicsClientId=client)
    p.setGravity(0, 0, 5, physicsClientId=client)  # no longer recorded
    wanted = state(client)
    other = p.connect(p.DIRECT)
    try:
        done = p.startStateLogging(p.STATE_REPLAY_ALL_COMMANDS, path, physicsClientId=other)
        assert done == 0
        assert state(other) == wanted
    finally:
        p.disconnect(other)


def test_only_the_calls_of_one_client_that_change_its_world_are_recorded(
    client: int, tmp_path: Path
) -> None:
    path = tmp_path / "commands.txt"
    other = p.connect(p.DIRECT)
    p.startStateLogging(p.STATE_LOGGING_ALL_COMMANDS, str(path), physicsClientId=client)
    stepSimulation(client)
    p.stepSimulation(physicsClientId=other)
    p.getNumBodies(client)
    with pytest.raises(p.error):
        p.setTimeStep(-1, client)
    p.setTimeStep(timeStep=0.01, physicsClientId=client)
    p.disconnect(other)
    lines = [json.loads(line) for line in path.read_text("utf-8").splitlines()[1:]]
    assert lines == [["stepSimulation", [], {}], ["setTimeStep", [], {"timeStep": 0.01}]]


def test_functions_are_as_they_were_once_nobody_records(client: int, tmp_path: Path) -> None:
    before = settings.stepSimulation.__code__
    path = str(tmp_path / "commands.txt")
    log = p.startStateLogging(p.STATE_LOGGING_ALL_COMMANDS, path, physicsClientId=client)
    assert settings.stepSimulation.__code__ is not before
    p.stopStateLogging(log, client)
    assert settings.stepSimulation.__code__ is before


def test_every_function_that_takes_a_client_can_be_intercepted() -> None:
    names = {name for names in FUNCTIONS.values() for name in names}
    found = client_functions()
    homes = {f"unibody.bullet.{module}" for module in FUNCTIONS}
    assert {function.__module__ for function in found} == homes
    assert names - {function.__name__ for function in found} == {"connect", "resetVisualShapeData"}
    assert p.resetVisualShapeData is p.changeVisualShape
    assert [function.__name__ for function in found if function.__closure__] == []


@pytest.mark.parametrize(
    ("content", "message"),
    [("", "first line"), (HEADER + "[1]\n", "line 2: no list"),
     (HEADER + '["getAPIVersion",[],{}]\n', "'getAPIVersion' is no call"),
     (HEADER + '["startStateLogging",[1,"/tmp/x"],{}]\n', "is no call that is replayed"),
     (HEADER + '["saveWorld",["x"],{}]\n', "is no call that is replayed"),
     (HEADER + '["__import__",["os"],{}]\n', "is no call that is replayed"),
     (HEADER + "[" * 100_000 + "\n", "line 2: no list"),
     (HEADER + '["setTimeStep",[0.1],{}]\n["setTimeStep",[-1],{}]\n', "line 3: setTimeStep fails"),
     (HEADER + '["setTimeStep",["x","y","z"],{}]\n', "line 2: setTimeStep fails")],
)  # fmt: skip
def test_a_record_from_a_stranger_is_refused(
    client: int, tmp_path: Path, content: str, message: str
) -> None:
    path = tmp_path / "commands.txt"
    path.write_text(content, "utf-8")
    with pytest.raises(p.error, match=message):
        p.startStateLogging(p.STATE_REPLAY_ALL_COMMANDS, str(path), physicsClientId=client)


def test_a_last_call_that_was_cut_off_is_left_out(client: int, tmp_path: Path) -> None:
    path = tmp_path / "commands.txt"
    path.write_text(HEADER + '["setTimeStep",[0.5],{}]\n["setTimeSt', "utf-8")
    p.startStateLogging(p.STATE_REPLAY_ALL_COMMANDS, str(path), physicsClientId=client)
    assert p.getPhysicsEngineParameters(client)["fixedTimeStep"] == 0.5


MESH = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"


@pytest.mark.parametrize("target", ["../outside.obj", "{}/outside.obj", ".bashrc", "link/o.obj"])
def test_a_replay_writes_to_the_present_folder_only(
    client: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, target: str
) -> None:
    """Of all calls that are replayed, ``vhacd`` alone writes files."""
    folder = tmp_path / "present"
    folder.mkdir()
    (folder / "mesh.obj").write_text(MESH)
    (folder / "link").symlink_to(tmp_path)
    monkeypatch.chdir(folder)
    for name in (target.format(tmp_path), "inside.obj"):
        calls = ["vhacd", ["mesh.obj", name, "log.txt"], {}]
        (tmp_path / "commands.txt").write_text(HEADER + json.dumps(calls) + "\n")
        path = str(tmp_path / "commands.txt")
        if name == "inside.obj":
            p.startStateLogging(p.STATE_REPLAY_ALL_COMMANDS, path, physicsClientId=client)
            continue
        with pytest.raises(p.error, match="a replay writes"):
            p.startStateLogging(p.STATE_REPLAY_ALL_COMMANDS, path, physicsClientId=client)
    assert {path.name for path in tmp_path.iterdir()} == {"present", "commands.txt"}
    assert {path.name for path in folder.iterdir()} == {"mesh.obj", "link", "inside.obj", "log.txt"}
