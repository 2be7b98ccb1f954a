"""Notes on bodies that several clients of a server share."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pybullet_data
import pytest

import unibody.bullet as p
from tests.bullet.remote.servers import serving

PLANE = os.path.join(pybullet_data.getDataPath(), "plane.urdf")
KEY = 77


@pytest.fixture
def two(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[int, int]]:
    """Two clients of one server."""
    if not sys.platform.startswith("linux"):
        pytest.skip("servers of this machine need AF_UNIX")
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    with serving("--shared-memory", str(KEY)):
        clients = [p.connect(p.SHARED_MEMORY, KEY) for _ in range(2)]
        yield clients[0], clients[1]
        for client in clients:
            p.disconnect(client)


def test_notes_of_another_client_are_seen_once_they_are_asked_for(two: tuple[int, int]) -> None:
    a, b = two
    body = p.loadURDF(PLANE, physicsClientId=a)
    note = p.addUserData(body, "key", "value", physicsClientId=a)
    assert p.getUserData(note, a) == b"value"
    assert p.getUserData(note, b) is None
    assert p.getNumUserData(body, b) == 0
    p.syncUserData(physicsClientId=b)
    assert p.getUserData(note, b) == b"value"
    assert p.getUserDataId(body, "key", physicsClientId=b) == note
    assert p.getUserDataInfo(body, 0, b) == (note, b"key", body, -1, -1)


def test_a_note_that_another_client_changed_stays_until_it_is_asked_for(
    two: tuple[int, int],
) -> None:
    a, b = two
    body = p.loadURDF(PLANE, physicsClientId=a)
    note = p.addUserData(body, "key", "old", physicsClientId=a)
    assert p.addUserData(body, "key", "new", physicsClientId=b) == note
    assert p.getUserData(note, a) == b"old"
    p.syncUserData([body], a)
    assert p.getUserData(note, a) == b"new"
    p.removeUserData(note, a)
    assert p.getUserData(note, b) == b"new"
    p.syncUserData(physicsClientId=b)
    assert p.getUserData(note, b) is None


def test_who_comes_later_sees_the_notes_that_are_there(two: tuple[int, int]) -> None:
    body = p.loadURDF(PLANE, physicsClientId=two[0])
    note = p.addUserData(body, "key", "value", physicsClientId=two[0])
    late = p.connect(p.SHARED_MEMORY, KEY)
    try:
        assert p.getUserData(note, late) == b"value"
    finally:
        p.disconnect(late)


@pytest.mark.parametrize("forget", ["removeBody", "resetSimulation"])
def test_notes_go_with_their_body(two: tuple[int, int], forget: Any) -> None:
    client = two[0]
    body = p.loadURDF(PLANE, physicsClientId=client)
    note = p.addUserData(body, "key", "value", physicsClientId=client)
    if forget == "removeBody":
        p.removeBody(body, client)
    else:
        p.resetSimulation(physicsClientId=client)
    assert p.getUserData(note, client) is None
    assert p.getNumUserData(body, client) == 0


def test_the_server_refuses_notes_on_a_body_that_is_not_there(two: tuple[int, int]) -> None:
    with pytest.raises(p.error, match="addUserData"):
        p.addUserData(5, "key", "value", physicsClientId=two[0])
    with pytest.raises(p.error, match="removeUserData"):
        p.removeUserData(5, two[0])
