"""The record of all calls that change a world, and its replay.

The file is text: a first line that says what it is, then one JSON list a call,
``[function, [positional arguments], {keyword arguments}]``, without the client id. Arrays are
written as lists and bytes as ``{"bytes": base64}``; numbers keep all their digits, so that a
replay into a world that is as empty as the recorded one was gives the same states to the last bit.
"""

from __future__ import annotations

import base64
import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from unibody.bullet.api import MODULE_OF
from unibody.bullet.calls import front_door
from unibody.bullet.calls.interception import intercept, next_handler, release, without_client
from unibody.bullet.calls.written_files import WRITERS, confined
from unibody.bullet.clients.registry import find_client
from unibody.bullet.errors import error
from unibody.core.assets.files import open_regular
from unibody.core.assets.log_file import LogFile
from unibody.core.assets.whole_file import real_path
from unibody.errors import AssetError

if TYPE_CHECKING:
    from unibody.bullet.clients.client import Client

_HEADER = '{"unibody": "commands", "version": 1}'
MAX_LINE = 1 << 26  # bytes
MAX_COMMANDS = 10_000_000
_LEFT_OUT = frozenset(
    {"connect", "disconnect", "syncBodyInfo", "syncUserData", "startStateLogging",
     "stopStateLogging", "submitProfileTiming", "setTimeOut", "saveWorld", "saveBullet",
     "setRealTimeSimulation", "loadPlugin", "unloadPlugin", "executePluginCommand"}
)  # fmt: skip
"""Calls about connections and files. What a world does by the clock is recorded step by step."""
_QUERIES = ("get", "is", "read", "rayTest", "calculate", "compute")


def _is_command(name: object) -> bool:
    return (
        isinstance(name, str)
        and name in MODULE_OF
        and name not in _LEFT_OUT
        and not name.startswith(_QUERIES)
    )


class CommandLog:
    """A record that is being written: a line for each call, as soon as the call is done.

    Args:
        client: Whose calls.
        path: The file; one that exists is replaced.

    Raises:
        OSError: It cannot be written.
    """

    def __init__(self, client: Client, path: str) -> None:
        self._client = client.id
        self._file = LogFile(path, f"{_HEADER}\n".encode())
        self._inside = False  # a function of the API that calls others is one call
        intercept(client.id, self._call)

    def close(self) -> None:
        """Complete the file."""
        release(self._client, self._call)
        self._file.close()

    def step(self) -> None:
        """Note a step that no call asked for."""
        self._write("stepSimulation", (), {})

    def _call(self, name: str, function: Callable[..., Any], args: Any, kwargs: Any) -> Any:
        go_on = next_handler(self._client, self._call)
        if self._inside or not _is_command(name):
            return go_on(name, function, args, kwargs)
        own = without_client(name, args, kwargs)
        self._inside = True
        try:
            result = go_on(name, function, args, kwargs)
        finally:
            self._inside = False
        self._write(name, *own)
        return result

    def _write(self, name: str, args: Any, kwargs: Any) -> None:
        if not self._file.closed:
            text = json.dumps([name, args, kwargs], default=_plain, separators=(",", ":"))
            self._file.write(f"{text}\n".encode())


def _plain(value: Any) -> Any:
    """What JSON has for a value it does not know."""
    if isinstance(value, np.ndarray | np.generic):
        return value.tolist()
    if isinstance(value, bytes | bytearray):
        return {"bytes": base64.b64encode(value).decode("ascii")}
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    return list(value)


def _revive(value: dict[str, Any]) -> Any:
    if value.keys() == {"bytes"} and isinstance(value["bytes"], str):
        return base64.b64decode(value["bytes"])
    return value


def read_commands(path: str) -> Iterator[tuple[str, list[Any], dict[str, Any]]]:
    """The calls of a record, one after the other; a last one that was cut off is left out.

    Raises:
        AssetError: It is no such record, or larger than allowed.
        OSError: It cannot be read.
    """
    with open_regular(real_path(path)) as file:
        if file.readline(len(_HEADER) + 1) != f"{_HEADER}\n".encode():
            raise AssetError(path, "", "no record of commands: its first line is another")
        for number in range(MAX_COMMANDS + 1):
            line = file.readline(MAX_LINE)
            if not line.endswith(b"\n"):
                if len(line) == MAX_LINE:
                    raise AssetError(path, f"line {number + 2}", f"longer than {MAX_LINE} bytes")
                return
            yield _command(path, number + 2, line)
        raise AssetError(path, "", f"more than {MAX_COMMANDS} commands")


def _command(path: str, number: int, line: bytes) -> tuple[str, list[Any], dict[str, Any]]:
    try:
        name, args, kwargs = json.loads(line, object_hook=_revive)
    except (ValueError, TypeError, RecursionError):
        raise AssetError(path, f"line {number}", "no list of name, arguments, keywords") from None
    if not (_is_command(name) and isinstance(args, list) and isinstance(kwargs, dict)):
        raise AssetError(path, f"line {number}", f"{str(name)[:40]!r} is no call that is replayed")
    return name, args, kwargs


def replay(path: str, client_id: int) -> int:
    """Make all calls of a record again, for a client; how many there were.

    What they write lies in the present folder, or where the clients of a server write to.

    Raises:
        AssetError: It is no such record, larger than allowed, or one of its calls fails.
        OSError: It cannot be read.
    """
    client = find_client(client_id)
    folder = Path((client and client.files) or os.curdir)
    count = 0
    for name, args, kwargs in read_commands(path):
        kwargs["physicsClientId"] = client_id
        try:
            function = front_door.function(name)
            if name in WRITERS:
                bound = confined(function, args, kwargs, folder, "a replay")
                function(*bound.args, **bound.kwargs)
            else:
                function(*args, **kwargs)
        except (error, TypeError, ValueError, ArithmeticError) as problem:
            raise AssetError(path, f"line {count + 2}", f"{name} fails: {problem}") from problem
        count += 1
    return count
