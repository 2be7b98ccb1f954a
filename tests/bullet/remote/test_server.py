"""Worlds in a server, seen by its clients."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgpack
import numpy as np
import pybullet_data
import pytest
import zmq

import unibody.bullet as p
from tests.bullet.remote.servers import Server, free_port, line, serving, start
from unibody.bullet import getNumBodies
from unibody.bullet.remote.endpoints import kept_token, network_endpoint, token_file
from unibody.bullet.remote.messages import pack, unpack
from unibody.bullet.remote.wire_network import _curve

DATA = pybullet_data.getDataPath()
TOKEN = "a token of more than 16 characters"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with serving(
        "--tcp", f"localhost:{free_port()}", cwd=tmp_path_factory.mktemp("server")
    ) as found:
        assert found.first_line.startswith("serving at localhost:")
        yield found


def join(server: Server) -> int:
    return p.connect(p.TCP, "localhost", server.port)


@pytest.fixture
def client(server: Server) -> Iterator[int]:
    number = join(server)
    assert number >= 0
    p.resetSimulation(physicsClientId=number)
    yield number
    if p.isConnected(number):
        p.disconnect(number)


@pytest.fixture
def other(server: Server) -> Iterator[int]:
    number = join(server)
    yield number
    if p.isConnected(number):
        p.disconnect(number)


def tour(client: int) -> list[Any]:
    """What a walk through the API returns."""
    there = {"physicsClientId": client}
    seen: list[Any] = [p.setAdditionalSearchPath(DATA, client), p.setGravity(0, 0, -9.81, client)]
    plane = p.loadURDF("plane.urdf", **there)
    arm = p.loadURDF("kuka_iiwa/model.urdf", [0, 0, 0], useFixedBase=1, **there)
    heights = np.linspace(0, 0.1, 16, dtype=np.float32)
    field = p.createCollisionShape(
        p.GEOM_HEIGHTFIELD, heightfieldData=heights, numHeightfieldRows=4,
        numHeightfieldColumns=4, physicsClientId=client,
    )  # fmt: skip
    seen += [plane, arm, field, p.createMultiBody(0, field, basePosition=(3, 0, 0), **there)]
    box = p.loadURDF("cube_small.urdf", np.array([1, 0, 0.03]), **there)
    p.setJointMotorControlArray(arm, range(7), p.POSITION_CONTROL, np.full(7, 0.3), **there)
    for _ in range(30):
        p.stepSimulation(client)
    seen += [
        p.getJointInfo(arm, 3, client), p.getJointStates(arm, [0, 3, 6], client),
        p.getLinkState(arm, 6, 1, physicsClientId=client), p.getBodyInfo(arm, client),
        p.getBasePositionAndOrientation(box, client), p.getContactPoints(box, **there),
        p.getPhysicsEngineParameters(client), p.getVisualShapeData(arm, physicsClientId=client),
        p.rayTestBatch([[0, 0, 3]], [[0, 0, -1]], physicsClientId=client),
        p.calculateInverseKinematics(arm, 6, (0.5, 0, 0.5), physicsClientId=client),
        p.calculateMassMatrix(arm, (0.1,) * 7, physicsClientId=client),
        p.getKeyboardEvents(client), p.saveState(client), p.getAABB(arm, 2, client),
        p.getDynamicsInfo(box, -1, client), p.getNumConstraints(client),
    ]  # fmt: skip
    return seen


def test_calls_return_far_away_what_they_return_at_home(client: int) -> None:
    home = p.connect(p.DIRECT)
    try:
        expected = tour(home)
        found = tour(client)
    finally:
        p.disconnect(home)
    assert found == expected
    assert repr(found) == repr(expected)  # also the types are the same


def test_a_function_without_a_client_is_about_the_first_one(client: int) -> None:
    assert client == 0
    p.loadURDF(os.path.join(DATA, "cube_small.urdf"), [0, 0, 0], physicsClientId=client)
    pixels = p.renderImage(8, 6)[2]
    assert len(np.unique(np.array(pixels))) > 1  # something is in the picture


def test_errors_are_raised_far_away_as_at_home(client: int) -> None:
    with pytest.raises(p.error, match=r"no such file"):
        p.loadURDF("nowhere.urdf", physicsClientId=client)
    with pytest.raises(TypeError, match="jointIndex"):
        p.getJointInfo(0, physicsClientId=client)
    with pytest.raises(p.error, match=r"GetJointInfo failed\."):
        p.getJointInfo(17, 0, client)


def test_several_clients_share_one_world(client: int, other: int) -> None:
    body = p.loadURDF(os.path.join(DATA, "r2d2.urdf"), [0, 0, 5], physicsClientId=client)
    p.syncBodyInfo(other)
    assert getNumBodies(other) == 1  # a name that was imported before anybody was far away
    assert p.getBodyInfo(body, other) == p.getBodyInfo(body, client)
    p.setGravity(0, 0, -10, other)
    p.stepSimulation(other)
    p.stepSimulation(client)
    height = p.getBasePositionAndOrientation(body, client)[0][2]
    assert height == p.getBasePositionAndOrientation(body, other)[0][2] < 5
    p.removeBody(body, other)
    assert p.getNumBodies(client) == 0


def test_a_client_far_away_does_not_touch_the_others_of_its_process(client: int) -> None:
    home = p.connect(p.DIRECT)
    try:
        p.loadURDF(os.path.join(DATA, "plane.urdf"), physicsClientId=client)
        assert (p.getNumBodies(home), p.getNumBodies(client)) == (0, 1)
        assert p.getConnectionInfo(client) == {"isConnected": 1, "connectionMethod": p.TCP}
    finally:
        p.disconnect(home)


def test_a_client_that_left_is_left(client: int) -> None:
    p.disconnect(client)
    assert p.isConnected(client) == 0
    with pytest.raises(p.error, match="Not connected"):
        p.stepSimulation(client)


STEPPER = """
import sys
import unibody.bullet as p
client = p.connect(p.TCP, "localhost", int(sys.argv[1]))
print("here", flush=True)
while True:
    p.stepSimulation()
    p.getJointStates(0, range(7))
"""


def test_a_client_that_is_killed_leaves_the_world_whole(client: int, server: Server) -> None:
    p.loadURDF(os.path.join(DATA, "kuka_iiwa/model.urdf"), physicsClientId=client)
    for _ in range(2):
        steppers = [start(["-c", STEPPER, str(server.port)]) for _ in range(3)]
        for process in steppers:
            assert line(process) == "here"
        for process in steppers:
            for _ in range(20):
                assert len(p.getJointStates(0, range(7), client)) == 7
            process.send_signal(signal.SIGKILL)
            process.communicate()
    before = p.getJointStates(0, range(7), client)
    assert p.getJointStates(0, range(7), client) == before  # nobody steps any more
    p.stepSimulation(client)


def test_a_call_that_takes_too_long_fails_and_the_next_one_works(
    client: int, server: Server
) -> None:
    p.setTimeOut(0.3, client)
    server.process.send_signal(signal.SIGSTOP)
    try:
        with pytest.raises(p.error, match=r"did not answer within 0\.3 s"):
            p.getNumBodies(client)
    finally:
        server.process.send_signal(signal.SIGCONT)
    p.setTimeOut(20, client)
    assert p.getPhysicsEngineParameters(client)["fixedTimeStep"] == 1 / 240
    assert p.getNumBodies(client) == 0


def test_a_connection_does_not_survive_a_fork(client: int) -> None:
    child = os.fork()
    if child == 0:
        try:
            p.getNumBodies(client)
        except p.error as problem:
            os._exit(0 if "fork" in str(problem) else 1)
        os._exit(2)
    assert os.waitpid(child, 0)[1] == 0
    assert p.getNumBodies(client) == 0


def kept(server: Server) -> str:
    """The token that clients of this user find by themselves."""
    return kept_token(network_endpoint("localhost", server.port), server.port)


def ask(server: Server, message: bytes) -> Any:
    """The reply to a message that no client of ours would send; None if there is none."""
    with zmq.Context() as context, context.socket(zmq.DEALER) as wire:
        wire.linger = 0
        wire.curve_serverkey = _curve(kept(server))[0]
        wire.curve_publickey, wire.curve_secretkey = zmq.curve_keypair()
        wire.connect(f"tcp://127.0.0.1:{server.port}")
        wire.send(message)
        return unpack(wire.recv()) if wire.poll(2000) else None


@pytest.mark.parametrize(
    "message",
    [b"", b"\xc1\xff", b"x" * 1000,
     *((1, *rest) for rest in (
         (2, 3), ("", "eval", (), {}), ("", "__import__", ("os",), {}), ("", "connect", (1,), {}),
         ("", "disconnect", (), {}), ("", None, (), {}), ("", "stepSimulation", 5, {}),
         ("", "error", ("x",), {}), ("", "stepSimulation", (), {1: 2}),
         ("another token", "stepSimulation", (), {}), ("", "load_everything", (), {}),
     ))],
)  # fmt: skip
def test_what_is_no_call_is_answered_with_an_error(server: Server, message: Any) -> None:
    if isinstance(message, tuple):
        number, *rest = message
        rest[0] = kept(server) if rest[0] == "" else rest[0]
        message = msgpack.packb((number, *rest))
    assert ask(server, message)[1] is False


def test_a_message_that_is_too_long_ends_the_connection_that_sent_it(
    server: Server, client: int
) -> None:
    assert ask(server, b"\xc6\x7f\xff\xff\xff" + b"x" * (65 << 20)) is None
    assert p.getNumBodies(client) == 0


def resident(server: Server) -> int:
    """Bytes of memory of a server."""
    text = Path(f"/proc/{server.process.pid}/status").read_text("utf-8")
    return int(text.partition("VmRSS:")[2].split()[0]) << 10


def test_strangers_cannot_fill_the_memory_with_unfinished_messages(tmp_path: Path) -> None:
    """Each begins a command of 32 MB, and sends 16 MB of it, before it has shown any key."""
    greeting = b"\xff" + bytes(8) + b"\x7f\x03\x01" + b"CURVE".ljust(20, b"\0") + bytes(32)
    head = b"\x06" + (32 << 20).to_bytes(8, "big") + b"\x05HELLO"
    where = "--tcp", f"localhost:{free_port()}"
    with contextlib.ExitStack() as stack:
        server = stack.enter_context(serving(*where, cwd=tmp_path, UNIBODY_TOKEN=TOKEN))
        before = resident(server)
        for _ in range(12):
            wire = stack.enter_context(socket.create_connection(("127.0.0.1", server.port)))
            with contextlib.suppress(OSError):
                wire.sendall(greeting + head + b"x" * (16 << 20))
        # 12 connections with one frame of 64 KiB each, and buffers; 192 MB were held before
        assert resident(server) - before < 32 << 20


def test_a_large_request_arrives_in_parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Through the network, as from another machine: 2 MB of heights."""
    monkeypatch.setattr("unibody.bullet.remote.link.Link.come_near", lambda _: None)
    heights = np.linspace(0, 1, 512 * 512)
    with serving("--tcp", f"localhost:{free_port()}", cwd=tmp_path) as server:
        client = join(server)
        shape = p.createCollisionShape(
            p.GEOM_HEIGHTFIELD, heightfieldData=heights, numHeightfieldRows=512,
            numHeightfieldColumns=512, physicsClientId=client,
        )  # fmt: skip
        assert shape >= 0
        p.disconnect(client)


def test_a_server_reads_plain_files_only(client: int, tmp_path: Path) -> None:
    """A pipe would hold it for ever, a device has no end."""
    os.mkfifo(tmp_path / "pipe")
    p.setTimeOut(20, client)
    for name in (str(tmp_path / "pipe"), "/dev/zero"):
        calls = p.restoreState, p.loadBullet, p.loadURDF, p.loadMJCF, p.loadSDF, p.loadTexture
        for function, argument in zip(
            calls,
            ("fileName", "bulletFileName", "fileName", "mjcfFileName", "sdfFileName",
             "textureFilename"),
            strict=True,
        ):  # fmt: skip
            with pytest.raises(p.error, match=name):
                function(**{argument: name}, physicsClientId=client)
    assert p.getNumBodies(client) == 0


def test_bytes_of_another_protocol_do_no_harm(server: Server, client: int) -> None:
    for content in (b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n", b"\xff" * 1000, os.urandom(500)):
        with socket.create_connection(("127.0.0.1", server.port)) as wire:
            wire.sendall(content)
            assert p.getNumBodies(client) == 0


def test_calls_over_the_network_write_only_where_the_server_lets_them(
    client: int, tmp_path: Path
) -> None:
    outside = str(tmp_path / "log.bin")
    kind = p.STATE_LOGGING_GENERIC_ROBOT
    for name in (outside, "../log.bin"):
        with pytest.raises(p.error, match=r"this server writes to .* only"):
            p.startStateLogging(kind, name, physicsClientId=client)
        with pytest.raises(p.error, match=r"this server writes to .* only"):
            p.startStateLogging(loggingType=kind, fileName=name, physicsClientId=client)
    assert p.startStateLogging(kind, "log.bin", physicsClientId=client) is not None
    assert not os.path.exists(outside)


def test_a_port_of_this_machine_takes_nobody_who_does_not_have_the_token(server: Server) -> None:
    """What any other user can do: send a call in the clear."""
    with zmq.Context() as context, context.socket(zmq.DEALER) as wire:
        wire.linger = 0
        wire.connect(f"tcp://127.0.0.1:{server.port}")
        wire.send(pack((1, "", "getNumBodies", (), {}), 1000))
        assert not wire.poll(1000)


def test_the_token_of_a_port_of_this_machine_can_be_read_by_its_user_alone(tmp_path: Path) -> None:
    port = free_port()
    file = token_file(port)
    assert file is not None
    with serving("--tcp", f"localhost:{port}", cwd=tmp_path) as server:
        lines = server.first_line + line(server.process)
        assert file.stat().st_mode & 0o777 == 0o600
        assert kept(server) not in lines
        assert str(file) in lines
        assert len(kept(server)) >= 16
        client = join(server)
        assert client >= 0
        p.disconnect(client)
        server.process.send_signal(signal.SIGTERM)
        assert server.process.wait(30) == 0
    assert not file.exists()


def test_files_of_clients_over_the_network_lie_in_a_folder_of_their_own(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path.parent)
    with serving("--tcp", f"localhost:{free_port()}", cwd=tmp_path) as server:
        client = join(server)
        there = {"physicsClientId": client}
        folder = tmp_path / "served_files"
        p.createMultiBody(1.0, p.createCollisionShape(p.GEOM_SPHERE, **there), **there)
        p.saveBullet("first.bullet", **there)
        (folder / "link").symlink_to(tmp_path)
        os.mkfifo(folder / "pipe")
        for name in (
            ".bashrc",
            "./.bashrc",
            ".config/file",
            "link/file",
            "../file",
            "/file",
            "pipe",
        ):
            with pytest.raises(p.error, match="this server writes"):
                p.saveBullet(name, **there)
            with pytest.raises(p.error, match="this server writes"):
                p.startStateLogging(p.STATE_LOGGING_GENERIC_ROBOT, name, **there)
        p.stepSimulation(client)
        p.restoreState(fileName="first.bullet", **there)
        assert p.loadBullet("first.bullet", **there) == (1,)
        assert [path.name for path in tmp_path.iterdir() if path.name != "link"] == ["served_files"]
        assert {path.name for path in folder.iterdir()} == {"first.bullet", "link", "pipe"}
        p.disconnect(client)


def test_a_server_that_dies_is_an_error_and_no_hang(tmp_path: Path) -> None:
    port = free_port()
    with serving("--tcp", f"localhost:{port}", cwd=tmp_path) as server:
        first, second = join(server), join(server)
        server.process.kill()
        server.process.wait()
        with pytest.raises(p.error, match="is gone"):
            p.stepSimulation(first)
        assert p.isConnected(first) == 0
        assert p.isConnected(second) == 0
        with pytest.raises(p.error, match="Not connected"):
            p.stepSimulation(first)
    assert p.connect(p.TCP, "localhost", port) == -1
    assert p.connect(p.UDP, hostName="localhost", port=port) == -1


def test_an_address_that_others_can_reach_needs_the_token(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("UNIBODY_TOKEN", raising=False)
    with serving("--tcp", f"0.0.0.0:{free_port()}", cwd=tmp_path) as server:
        token = line(server.process).partition("UNIBODY_TOKEN=")[2]
        assert len(token) >= 16
        with pytest.raises(p.error, match=r"refuses|token"):
            join(server)
        monkeypatch.setenv("UNIBODY_TOKEN", token[:-1] + "?")
        with pytest.raises(p.error, match=r"refuses|token"):
            join(server)
        monkeypatch.setenv("UNIBODY_TOKEN", token)
        client = p.connect(p.UDP, hostName="127.0.0.1", port=server.port)
        assert p.getNumBodies(client) == 0
        p.disconnect(client)


def test_the_token_can_come_from_a_file_and_is_not_printed(tmp_path: Path) -> None:
    (tmp_path / "token").write_text(TOKEN + "\n", "utf-8")
    port = free_port()
    where = ["--tcp", f"localhost:{port}", "--token-file", "token"]
    with serving(*where, cwd=tmp_path) as server:
        assert TOKEN not in server.first_line
        with pytest.raises(p.error, match=r"refuses|token"):
            join(server)
    (tmp_path / "token").write_text("short", "utf-8")
    with serving(*where, cwd=tmp_path) as server:
        assert server.process.wait(30) == 1


@pytest.mark.parametrize("port", [0, 70_000])
def test_a_port_that_is_none_is_refused(port: int) -> None:
    with pytest.raises(p.error, match=rf"port={port} is not allowed"):
        p.connect(p.TCP, "localhost", port)


def test_a_host_that_is_none_is_refused() -> None:
    with pytest.raises(p.error, match="hostName='no such host'"):
        p.connect(p.TCP, "no such host", 5)


def test_a_server_ends_when_it_is_told_to(tmp_path: Path) -> None:
    with serving("--tcp", f"localhost:{free_port()}", cwd=tmp_path) as server:
        server.process.send_signal(signal.SIGTERM)
        assert server.process.wait(30) == 0


def test_a_second_server_at_an_address_is_refused(server: Server) -> None:
    process = start(["-m", "unibody", "serve", "--tcp", server.where])
    process.communicate(timeout=60)
    assert process.returncode == 1
    assert isinstance(server.process, subprocess.Popen)
