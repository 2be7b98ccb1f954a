"""Servers and clients in processes of their own."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from tests.support.process import ROOT


def environment(more: Mapping[str, str]) -> dict[str, str]:
    """That of a process which finds this checkout."""
    path = os.pathsep.join(filter(None, [str(ROOT / "src"), os.environ.get("PYTHONPATH", "")]))
    return {**os.environ, "PYTHONPATH": path, "PYTHONUNBUFFERED": "1", **more}


def free_port() -> int:
    """A port nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def start(arguments: list[str], cwd: Path = ROOT, **more: str) -> subprocess.Popen[str]:
    """Start the interpreter."""
    return subprocess.Popen(
        [sys.executable, *arguments],
        cwd=cwd, env=environment(more), stdout=subprocess.PIPE, text=True,
    )  # fmt: skip


class Server:
    """A process of `unibody serve`."""

    def __init__(self, process: subprocess.Popen[str], where: str) -> None:
        self.process = process
        self.where = where
        self.first_line = line(process)

    @property
    def port(self) -> int:
        return int(self.where.rpartition(":")[2])


def line(process: subprocess.Popen[str]) -> str:
    """The next line a process prints."""
    assert process.stdout is not None
    return process.stdout.readline().strip()


@contextmanager
def serving(*arguments: str, cwd: Path = ROOT, **more: str) -> Iterator[Server]:
    """A server that is up, and killed at the end."""
    process = start(["-m", "unibody", "serve", *arguments], cwd, **more)
    try:
        yield Server(process, arguments[1])
    finally:
        process.kill()
        process.wait()
        if process.stdout is not None:
            process.stdout.close()
