"""Worlds that clients of one machine share under a key."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import stat
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pybullet_data
import pytest

import unibody.bullet as p
from tests.bullet.remote.servers import line, serving, start
from unibody.bullet.remote.endpoints import is_alive, local_endpoint
from unibody.bullet.remote.messages import pack, unpack

DATA = pybullet_data.getDataPath()
PLANE = os.path.join(DATA, "plane.urdf")
OTHER_PROCESS = """
import sys
import unibody.bullet as p
p.connect(p.SHARED_MEMORY, int(sys.argv[1]))
body = p.loadURDF(sys.argv[2])
for _ in range(10):
    p.stepSimulation()
print(body, p.getNumBodies(), flush=True)
"""


@pytest.fixture(autouse=True)
def private_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Keys of this test alone."""
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    yield tmp_path


def test_without_a_server_connecting_returns_minus_one_and_leaves_nothing(tmp_path: Path) -> None:
    assert p.connect(p.SHARED_MEMORY) == -1
    assert p.connect(p.SHARED_MEMORY, 1234) == -1
    assert p.connect(p.GRAPHICS_CLIENT, 1234) == -1
    assert list(tmp_path.iterdir()) == []


def test_clients_of_one_key_share_a_world_and_those_of_another_do_not(tmp_path: Path) -> None:
    with serving("--shared-memory", "77") as server:
        assert server.first_line == "serving at shared-memory key 77"
        clients = [p.connect(p.SHARED_MEMORY, 77) for _ in range(2)]
        p.loadURDF(PLANE, physicsClientId=clients[0])
        assert p.getNumBodies(clients[1]) == 1
        assert p.getConnectionInfo(clients[1])["connectionMethod"] == p.SHARED_MEMORY
        assert p.connect(p.SHARED_MEMORY, 78) == -1
        found = local_endpoint(77).path
        assert found is not None
        assert stat.S_IMODE(found.stat().st_mode) & 0o077 == 0
        server.process.send_signal(signal.SIGTERM)
        assert server.process.wait(30) == 0
        assert not found.exists()
        assert [p.isConnected(client) for client in clients] == [0, 0]


def test_a_server_that_was_killed_leaves_a_key_that_can_be_used_again() -> None:
    with serving("--shared-memory", "77") as server:
        assert server.first_line
    endpoint = local_endpoint(77)
    assert endpoint.path is not None
    assert endpoint.path.exists()
    assert p.connect(p.SHARED_MEMORY, 77) == -1
    with serving("--shared-memory", "77") as server:
        assert server.first_line
        client = p.connect(p.SHARED_MEMORY, 77)
        assert p.getNumBodies(client) == 0
        p.disconnect(client)


def test_a_script_shares_its_own_world(tmp_path: Path) -> None:
    client = p.connect(p.SHARED_MEMORY_SERVER, 5)
    try:
        p.loadURDF(PLANE, physicsClientId=client)
        process = start(["-c", OTHER_PROCESS, "5", PLANE])
        while process.poll() is None:  # calls without a pause: the other has to get its turn
            p.stepSimulation(client)
        assert line(process) == "1 2"
        assert p.getNumBodies(client) == 2
        with pytest.raises(p.error, match="for shared-memory key 5 is running already"):
            p.connect(p.SHARED_MEMORY_SERVER, 5)
    finally:
        p.disconnect(client)
    assert not is_alive(local_endpoint(5))
    assert p.connect(p.SHARED_MEMORY, 5) == -1


def test_the_world_of_a_script_that_ends_is_gone(tmp_path: Path) -> None:
    script = "import unibody.bullet as p; p.connect(p.SHARED_MEMORY_SERVER, 5); print('here')"
    process = start(["-c", script])
    process.communicate(timeout=60)
    assert process.returncode == 0
    path = local_endpoint(5).path
    assert path is not None
    assert not path.exists()


def test_a_graphics_server_is_joined_by_graphics_clients(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("UNIBODY_VIEWER", "off")
    server = p.connect(p.GRAPHICS_SERVER)
    client = p.connect(p.GRAPHICS_CLIENT)
    try:
        p.loadURDF(PLANE, physicsClientId=client)
        assert p.getNumBodies(server) == 1
    finally:
        p.disconnect(client)
        p.disconnect(server)


def raw(key: int) -> socket.socket:
    """A connection to a server, for bytes that no client would send."""
    wire = socket.socket(socket.AF_UNIX)
    wire.settimeout(10)
    wire.connect(str(local_endpoint(key).path))
    return wire


def request(number: int, name: str) -> bytes:
    data = pack((number, "", name, (), {}), 1000)
    return len(data).to_bytes(8, "little") + data


def test_nobody_waits_for_a_client_that_sends_half_a_message_or_reads_no_answers() -> None:
    with serving("--shared-memory", "77") as server:
        assert server.first_line
        client = p.connect(p.SHARED_MEMORY, 77)
        with raw(77) as half, raw(77) as deaf:
            half.sendall(request(1, "getNumBodies")[:11])
            for number in range(3000):
                deaf.sendall(request(number, "getPhysicsEngineParameters"))
            assert p.getNumBodies(client) == 0
            half.sendall(request(1, "getNumBodies")[11:])
            length = int.from_bytes(half.recv(8), "little")
            assert unpack(half.recv(length)) == (1, True, 0)
        assert p.getNumBodies(client) == 0
        p.disconnect(client)


def test_unfinished_messages_of_many_clients_are_dropped_together_at_a_bound() -> None:
    """Each is allowed by itself; together they would hold all memory. The others go on."""
    with contextlib.ExitStack() as stack:
        server = stack.enter_context(serving("--shared-memory", "77"))
        client = p.connect(p.SHARED_MEMORY, 77)
        block = bytes(1 << 20)
        wires = [stack.enter_context(raw(77)) for _ in range(6)]
        for wire in wires:
            with contextlib.suppress(OSError):
                wire.sendall((60 << 20).to_bytes(8, "little"))
                for _ in range(40):
                    wire.sendall(block)
        assert p.getNumBodies(client) == 0
        status = Path(f"/proc/{server.process.pid}/status").read_text("utf-8")
        held = int(status.partition("RssAnon:")[2].split()[0]) << 10
        # two messages of the largest size, and what a server has anyway
        assert held < (128 << 20) + (100 << 20)
        p.disconnect(client)


def test_a_message_that_says_it_is_too_long_ends_its_connection_alone() -> None:
    with serving("--shared-memory", "77") as server:
        assert server.first_line
        client = p.connect(p.SHARED_MEMORY, 77)
        with raw(77) as wire:
            wire.sendall((1 << 62).to_bytes(8, "little"))
            assert wire.recv(1) == b""
        assert p.getNumBodies(client) == 0
        p.disconnect(client)


def test_an_answer_of_megabytes_arrives_whole() -> None:
    with serving("--shared-memory", "77") as server:
        assert server.first_line
        client = p.connect(p.SHARED_MEMORY, 77)
        rays = np.zeros((15_000, 3))
        found = p.rayTestBatch(rays, rays + 1.0, physicsClientId=client)
        assert found == ((-1, -1, 1.0, (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)),) * 15_000
        p.disconnect(client)


def test_a_folder_of_somebody_else_is_not_used(tmp_path: Path) -> None:
    folder = tmp_path / f"unibody-{os.getuid()}"
    folder.mkdir(mode=0o777)
    folder.chmod(0o777)
    with pytest.raises(p.error, match="is not a folder that only you can open"):
        p.connect(p.SHARED_MEMORY_SERVER, 5)
    folder.rmdir()
    folder.symlink_to("/tmp")
    with pytest.raises(p.error, match="is not a folder that only you can open"):
        p.connect(p.SHARED_MEMORY, 5)


def test_a_socket_nobody_listens_at_is_no_server(tmp_path: Path) -> None:
    path = local_endpoint(9, create=True).path
    assert path is not None
    with socket.socket(socket.AF_UNIX) as stale:
        stale.bind(str(path))
    assert p.connect(p.SHARED_MEMORY, 9) == -1


def names_in_shared_memory() -> set[str]:
    return set(os.listdir("/dev/shm")) if os.path.isdir("/dev/shm") else set()


def test_nothing_is_left_in_shared_memory() -> None:
    before = names_in_shared_memory()
    with serving("--shared-memory", "77") as server:
        assert server.first_line
        processes = [start(["-c", OTHER_PROCESS, "77", PLANE]) for _ in range(4)]
        for process in processes[:2]:
            process.send_signal(signal.SIGKILL)
        for process in processes:
            process.communicate(timeout=60)
        assert isinstance(server.process, subprocess.Popen)
    left, end = names_in_shared_memory() - before, time.monotonic() + 60.0
    while left and time.monotonic() < end:  # those of tests beside this one go
        time.sleep(0.2)
        left &= names_in_shared_memory()
    assert left == set()
