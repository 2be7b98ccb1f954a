"""Calls that go through memory shared with a server on the same machine."""

from __future__ import annotations

import mmap
import os
import random
import socket
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pybullet_data
import pytest

import unibody.bullet as p
from tests.bullet.remote.servers import free_port, serving
from unibody.bullet.remote import lane_layout
from unibody.bullet.remote.endpoints import local_endpoint
from unibody.bullet.remote.link import Link
from unibody.bullet.remote.messages import pack, unpack

KUKA = os.path.join(pybullet_data.getDataPath(), "kuka_iiwa/model.urdf")
OFTEN = 4  # calls of a kind: the first ones come one by one, until the server knows the kind

CALLS: tuple[tuple[str, tuple[Any, ...], dict[str, Any]], ...] = (
    ("getNumJoints", (0,), {}),
    ("getJointStates", (0, range(7)), {}),
    ("getJointStates", (0, [1, 2]), {}),
    ("getLinkState", (0, 6), {"computeLinkVelocity": 1, "computeForwardKinematics": True}),
    ("getLinkState", (), {"linkIndex": 3, "bodyUniqueId": 0}),
    ("getLinkState", (0, 99), {}),
    ("getJointInfo", (0, 2), {}),
    ("getBodyInfo", (0,), {}),
    ("getBasePositionAndOrientation", (7,), {}),
    ("getDynamicsInfo", (0, 1), {}),
    ("setJointMotorControlArray", (0, (1, 2), p.POSITION_CONTROL), {"targetPositions": [0.1, 2]}),
    ("setJointMotorControl2", (0, 1, p.VELOCITY_CONTROL), {"targetVelocity": np.float64(0.5)}),
    ("resetBasePositionAndOrientation", (0, np.arange(3.0), [0, 0, 0, 1.0]), {}),
    ("calculateInverseKinematics", (0, 6, np.array([0.4, 0.1, 0.8])), {"maxNumIterations": 5}),
    ("calculateJacobian", (0, 6, (0.0, 0.0, 0.1), [0.1] * 7, [0.0] * 7, [0.0] * 7), {}),
    ("rayTestBatch", (np.zeros((3, 3)), [[0, 0, 2]] * 3), {}),
    ("rayTest", ((0, 0, 5), (0, 0, -5)), {}),
    ("setAdditionalSearchPath", ("/nowhere/\N{LATIN SMALL LETTER E WITH ACUTE}",), {}),
    ("loadURDF", ("missing.urdf",), {}),
    ("changeDynamics", (0, 1), {"mass": 2, "anisotropicFriction": (1, 1, 0.5)}),
    ("changeDynamics", (0, 1), {"mass": "much"}),
    ("getPhysicsEngineParameters", (), {}),
    ("getCameraImage", (40, 30), {"renderer": p.ER_TINY_RENDERER}),
    ("stepSimulation", (), {}),
    ("getContactPoints", (), {}),
)


@pytest.fixture(autouse=True)
def private_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keys of this test alone."""
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))


@pytest.fixture
def client() -> Iterator[int]:
    """A client of a server on this machine."""
    with serving("--shared-memory", "61") as server:
        assert server.first_line
        found = p.connect(p.SHARED_MEMORY, 61)
        yield found
        if p.isConnected(found):
            p.disconnect(found)


def outcome(name: str, args: tuple[Any, ...], named: dict[str, Any], client: int) -> Any:
    """What a call returns or raises, with all types in it."""
    try:
        return plain(getattr(p, name)(*args, **named, physicsClientId=client))
    except Exception as problem:
        return type(problem), str(problem)


def plain(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return value.dtype.str, value.shape, value.tobytes()
    if isinstance(value, tuple | list):
        return type(value), [plain(item) for item in value]
    if isinstance(value, dict):
        return [(key, plain(item)) for key, item in value.items()]
    return type(value), repr(value)


@pytest.mark.parametrize("method", [p.SHARED_MEMORY, p.TCP])
def test_a_server_returns_to_the_last_bit_what_a_world_of_this_process_does(method: int) -> None:
    port = free_port()
    local = method == p.SHARED_MEMORY
    with serving(
        *(("--shared-memory", "61") if local else ("--tcp", f"localhost:{port}"))
    ) as server:
        assert server.first_line
        here = p.connect(p.DIRECT)
        there = p.connect(method, 61) if local else p.connect(method, "localhost", port)
        try:
            for client in (here, there):
                p.loadURDF(KUKA, useFixedBase=True, physicsClientId=client)
            for call in CALLS:
                for _ in range(OFTEN):
                    assert outcome(*call, there) == outcome(*call, here), call
        finally:
            p.disconnect(there)
            p.disconnect(here)


def test_calls_of_a_known_kind_pass_all_of_python_by(
    client: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    p.loadURDF(KUKA, physicsClientId=client)
    for _ in range(OFTEN):
        p.getLinkState(0, 6, physicsClientId=client)
        p.getNumJoints(0, client)

    def refused(*args: Any) -> None:
        raise AssertionError

    monkeypatch.setattr(Link, "call", refused)
    assert p.getNumJoints(0, client) == 7
    assert len(p.getLinkState(0, 6, physicsClientId=client)) == 6
    monkeypatch.undo()


def test_threads_that_share_a_client_get_each_their_own_answers(client: int) -> None:
    p.loadURDF(KUKA, useFixedBase=True, physicsClientId=client)
    expected = [p.getJointInfo(0, joint, physicsClientId=client) for joint in range(7)]
    wrong: list[Any] = []

    def ask(joint: int) -> None:
        for number in range(300):
            found = p.getJointInfo(0, joint, physicsClientId=client)
            parameters = p.getPhysicsEngineParameters(client) if number % 50 == 0 else {}
            if found != expected[joint] or parameters.get("gravityAccelerationX", 0.0) != 0.0:
                wrong.append((joint, found))

    threads = [threading.Thread(target=ask, args=(joint,)) for joint in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert wrong == []


def test_a_server_that_dies_is_an_error_in_calls_of_a_known_kind_too() -> None:
    with serving("--shared-memory", "61") as server:
        assert server.first_line
        client = p.connect(p.SHARED_MEMORY, 61)
        for _ in range(OFTEN):
            p.stepSimulation(client)
        child = os.fork()
        if child == 0:
            try:
                p.stepSimulation(client)
            except p.error as problem:
                os._exit(0 if "fork" in str(problem) else 1)
            os._exit(2)
        assert os.waitpid(child, 0)[1] == 0
        p.stepSimulation(client)
        server.process.kill()
        server.process.wait()
        with pytest.raises(p.error, match="is gone"):
            p.stepSimulation(client)
        assert p.isConnected(client) == 0


class Stranger:
    """A client that writes into its lane whatever it likes."""

    def __init__(self) -> None:
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(20)
        self.socket.connect(str(local_endpoint(61).path))
        self._handles: list[int] = []
        self._received = b""
        assert self.ask("lane") == (1, True, True)
        self.handle = self._handles[0]
        self.memory = mmap.mmap(self.handle, lane_layout.BYTES)
        self.words = memoryview(self.memory).cast("q")
        self.number = 0

    def ask(self, name: str, args: tuple[Any, ...] = ()) -> tuple[Any, ...]:
        data = pack((1, "", name, args, {}), 1000)
        self.socket.sendall(len(data).to_bytes(8, "little") + data)
        while True:
            while len(self._received) >= 8:
                end = 8 + int.from_bytes(self._received[:8], "little")
                if len(self._received) < end:
                    break
                data, self._received = self._received[8:end], self._received[end:]
                if data:
                    return unpack(data)
            block, handles, _, _ = socket.recv_fds(self.socket, 1 << 16, 1)
            assert block
            self._received += block
            self._handles += handles

    def send(self, form: int, words: list[int], size: int) -> bool:
        """Send a request; whether there is any reply."""
        for place, word in enumerate(words):
            self.words[lane_layout.REQUEST_AT + place] = word
        self.words[lane_layout.SIZE], self.words[lane_layout.FORM] = size, form
        self.number += 1
        self.words[lane_layout.NUMBER] = self.number
        self.socket.sendall(bytes(8))
        end = time.monotonic() + 20
        while self.words[lane_layout.REPLIED] != self.number and time.monotonic() < end:
            time.sleep(0)
        return self.words[lane_layout.REPLIED] == self.number

    def close(self) -> None:
        os.close(self.handle)
        self.socket.close()


def test_whatever_is_written_into_a_lane_the_server_answers_and_stays(client: int) -> None:
    draw = random.Random(5)
    stranger = Stranger()
    learned = [("getJointStates", 2), ("setJointMotorControlArray", 4), ("getNumBodies", 0)]
    for name, count in learned:
        assert stranger.ask("learn", (name, count, ()))[1] is True
    longest = lane_layout.REQUEST_WORDS * 8
    for _ in range(600):
        words = [draw.randrange(-2, 5)]
        for _ in range(draw.randrange(20)):
            kind, size = draw.randrange(13), draw.choice([0, 1, 2, 7, 1 << 20, 1 << 54, -1])
            words.append(draw.choice([kind | size << 8, draw.randrange(-(1 << 63), 1 << 63)]))
        size = draw.choice([len(words) * 8] * 9 + [-1, 0, 7, longest, longest + 8, 1 << 62])
        assert stranger.send(draw.choice([1] * 9 + [0, 2, -7]), words, size)
    for depth in (16, 17, 5000):
        assert stranger.send(1, [0] + [4 | 1 << 8] * depth + [0], 8 * (depth + 2))
    assert p.getNumBodies(client) == 0
    stranger.close()
    assert p.getNumBodies(client) == 0


@pytest.mark.parametrize(
    "pattern",
    [("eval", 1, ()), ("connect", 1, ()), ("getNumBodies", -1, ()), ("getNumBodies", 99, ()),
     ("getLinkState", 1, ("nothing",)), ("getLinkState", 0, ("linkIndex", "linkIndex")),
     ("getNumBodies", 0, ("physicsClientId",)), (None, 1, ()), (), ("getNumBodies", "1", ())],
)  # fmt: skip
def test_only_calls_of_the_api_can_be_learned(client: int, pattern: tuple[Any, ...]) -> None:
    stranger = Stranger()
    answer = stranger.ask("learn", pattern)
    stranger.close()
    assert answer[1] is False or answer[2] == -1


def test_nobody_can_make_a_lane_shorter_than_the_server_takes_it_for(client: int) -> None:
    stranger = Stranger()
    with pytest.raises(PermissionError):
        os.ftruncate(stranger.handle, 4096)
    stranger.close()
