"""Values between two processes of one machine, through memory that both see."""

from __future__ import annotations

import os
import signal
import socket
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.support.process import run_python
from unibody.scale import shared_meeting
from unibody.scale.shared_channel import SharedChannel
from unibody.scale.shared_meeting import MeetingPlace, accept

pytestmark = pytest.mark.skipif(bool(shared_meeting.problem()), reason="no shared memory here")


@pytest.fixture
def ends() -> Iterator[tuple[SharedChannel, SharedChannel]]:
    """Both ends of a channel, in this process."""
    one, other = socket.socketpair()
    channels = SharedChannel(one), SharedChannel(other)
    yield channels
    for each in channels:
        each.close()


def same(found: Any, expected: Any) -> None:
    assert type(found) is type(expected)
    if isinstance(expected, dict):
        assert list(found) == list(expected)
        for name in expected:
            same(found[name], expected[name])
    elif isinstance(expected, tuple | list):
        for one, other in zip(found, expected, strict=True):
            same(one, other)
    elif isinstance(expected, np.ndarray):
        assert (found.dtype, found.shape) == (expected.dtype, expected.shape)
        if expected.dtype != object:
            np.testing.assert_array_equal(found, expected)
            return
        for one, other in zip(found, expected, strict=True):
            same(one, other)
    else:
        assert found == expected


VALUES = {
    "numbers": (np.arange(3), np.ones((2, 3), np.float32), np.array([True, False]), np.float64(3)),
    "dictionary": {"state": np.ones(4), "camera": np.full((2, 8, 8, 3), 7, np.uint8), "": {}},
    "empty": (np.zeros((0, 3)), (), {}, np.array(2.5)),
    "steps": np.arange(24).reshape(4, 6)[::2, ::-3],
    "others": {"a": np.array([None, np.ones(2), "x"], object), "b": [1, None], 3: "number"},
    "words": ("step", None, True, False, 1, 1.0, "step"),
    "text": np.array(["left", "right"]),
}


@pytest.mark.parametrize("value", VALUES.values(), ids=VALUES)
def test_a_value_arrives_as_it_was_sent_however_often(
    ends: tuple[SharedChannel, SharedChannel], value: Any
) -> None:
    one, other = ends
    for _ in range(3):
        one.send(value)
        same(other.receive(), value)
        other.send(value)
        same(one.receive(), value)


def test_memory_grows_with_what_is_sent_and_earlier_forms_stay_right(
    ends: tuple[SharedChannel, SharedChannel],
) -> None:
    one, other = ends
    for size in (1, 5000, 3, 2_000_000, 1, 5000):
        value = {"a": np.arange(size), "b": np.full(size, size % 251, np.uint8)}
        one.send(value)
        same(other.receive(), value)


def test_forms_without_end_still_arrive(ends: tuple[SharedChannel, SharedChannel]) -> None:
    one, other = ends
    for size in [*range(1000), 3, 999]:
        one.send(np.arange(size % 700))
        same(other.receive(), np.arange(size % 700))


def test_what_is_received_cannot_be_written_into(
    ends: tuple[SharedChannel, SharedChannel],
) -> None:
    one, other = ends
    one.send(np.ones(3))
    with pytest.raises(ValueError, match="read-only"):
        other.receive()[0] = 2.0


def test_who_waits_for_a_process_that_is_killed_knows_at_once() -> None:
    place = MeetingPlace()
    child = os.fork()
    if child == 0:  # a process that answers once, and waits then
        channel = accept(place.invitation)
        assert channel is not None
        channel.send(channel.receive())
        time.sleep(60)
        os._exit(0)
    channel = place.met()
    place.close()
    channel.send(np.ones(100))
    same(channel.receive(), np.ones(100))
    killed: list[float] = []

    def kill() -> None:
        killed.append(time.monotonic())
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)

    threading.Timer(0.2, kill).start()
    with pytest.raises(EOFError):
        channel.receive()
    assert time.monotonic() - killed[0] < 2.0  # s, on a machine that is busy


def test_who_waits_takes_no_processor_time(ends: tuple[SharedChannel, SharedChannel]) -> None:
    one, other = ends
    busy: list[float] = []

    def wait() -> None:
        other.receive()
        busy.append(time.thread_time())

    thread = threading.Thread(target=wait)
    thread.start()
    time.sleep(1.0)
    one.send(None)
    thread.join()
    assert busy[0] < 0.1  # s


def test_strangers_who_do_not_know_the_word_are_not_let_in() -> None:
    place = MeetingPlace()
    stranger = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    stranger.connect(place.invitation.address)
    stranger.sendall(bytes(len(place.invitation.word)))
    own = accept(place.invitation)
    assert own is not None
    met = place.met()
    met.send("hello")
    assert own.receive() == "hello"
    assert stranger.recv(1) == b""  # closed
    for each in (stranger, own, met, place):
        each.close()


def test_there_is_no_channel_to_a_place_that_is_not_there_or_where_it_is_turned_off() -> None:
    place = MeetingPlace()
    invitation = place.invitation
    place.close()
    assert accept(invitation) is None
    program = "from unibody.scale.shared_meeting import problem; print(problem())"
    ran = run_python(["-c", program], environment={"UNIBODY_PLAIN": "shared-memory"})
    assert ran.stdout == "it is turned off\n"


def test_processes_that_are_killed_leave_no_memory(tmp_path: Path) -> None:
    before = set(os.listdir("/dev/shm"))
    program = """\
import os, signal, socket
import numpy as np
from unibody.scale.shared_channel import SharedChannel
one, other = map(SharedChannel, socket.socketpair())
one.send(np.ones(1 << 20))
assert other.receive().sum() == 1 << 20
os.kill(os.getpid(), signal.SIGKILL)
"""
    ran = run_python(["-c", program], cwd=tmp_path)
    assert ran.returncode == -signal.SIGKILL, ran.stderr
    assert {name for name in os.listdir("/dev/shm") if "unibody" in name} <= before
    assert not list(tmp_path.iterdir())
