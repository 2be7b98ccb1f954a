"""The calls of a client that go through its lane in compiled code."""

from __future__ import annotations

import functools
import os
from collections import Counter
from typing import Any

import numpy as np

from unibody.bullet.calls.interception import (
    client_functions,
    place_of_client,
    position_of_client,
    without_client,
)
from unibody.bullet.errors import error
from unibody.bullet.remote import lane_calls, lane_layout, values
from unibody.bullet.remote.host import OWN
from unibody.bullet.remote.link import Link
from unibody.bullet.remote.notes import FOLLOWED, READS
from unibody.machine_code.calls.argument_forms import hand_over
from unibody.machine_code.calls.functions import make_builtin

_OFTEN = 2  # calls of a kind, until the server learns it
_connections = np.zeros(lane_calls.MAX_CLIENTS, dtype=np.int64)
_kept_alive: list[Any] = []  # builtins are made once a process, and stay


@functools.cache
def _numbers() -> dict[str, int]:
    """The functions that are called through lanes, which get their builtins now."""
    numbers: dict[str, int] = {}
    for function in client_functions():
        name = function.__name__
        if name in OWN | READS | FOLLOWED or len(numbers) == lane_calls.MAX_FUNCTIONS:
            continue
        numbers[name] = len(numbers)
        row = np.zeros(4, dtype=np.int64)
        row[lane_calls.F_POSITION] = position_of_client(name)
        row[lane_calls.F_NUMBER] = numbers[name]
        row[lane_calls.F_KNOWN] = values.table().ctypes.data
        row[lane_calls.F_CONNECTIONS] = _connections.ctypes.data
        _kept_alive.append(row)
        entry = lane_calls.call_entry()
        hand_over(function, make_builtin(function, __name__, entry, row.ctypes.data, ()))
    return numbers


class Patterns:
    """Has a server learn the calls that a client makes again and again.

    Args:
        client_id: The client; calls for it are being intercepted.
        link: To the server, with a lane.
    """

    def __init__(self, client_id: int, link: Link) -> None:
        self._client, self._link = client_id, link
        self._lane = link.lane
        self._seen: Counter[tuple[Any, ...]] = Counter()
        self._numbers: dict[str, int] = {}

    def start(self) -> None:
        """Take part in calls, once they are intercepted."""
        self._numbers = _numbers()
        if self._lane is not None and self._client < len(_connections):
            _connections[self._client] = self._lane.address

    def learn(self, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        """Take note of a call that was made in Python."""
        if name not in self._numbers or self._lane is None:
            return
        place = place_of_client(name, args, kwargs)
        kind = (name, len(args), *kwargs)
        self._seen[kind] += 1
        too_many = len(self._seen) > lane_layout.MAX_PATTERNS
        if place is None or too_many or self._seen[kind] != _OFTEN:
            return
        own_args, own_kwargs = without_client(name, args, kwargs)
        try:
            number = self._link.call("learn", (name, len(own_args), tuple(own_kwargs)), {})
        except error:
            return
        if isinstance(number, int):
            self._lane.learn(self._numbers[name], len(args), tuple(kwargs), place, number)

    def forget(self) -> None:
        """Take part no more."""
        if self._lane is None or self._client >= len(_connections):
            return
        if _connections[self._client] == self._lane.address:
            _connections[self._client] = 0


def _leave_connections() -> None:
    """In a forked process: they are those of the other one."""
    _connections[:] = 0


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_leave_connections)
