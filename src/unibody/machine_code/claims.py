"""Who of several processes makes a file, while the others wait for it.

A claim is a lock of the operating system on one byte of a file, and so ends with its process,
however that ends. Where there are no such locks, every process makes what it needs by itself.
"""

from __future__ import annotations

import contextlib
import os
import time
import zlib
from collections.abc import Generator
from enum import Enum
from pathlib import Path

try:
    import fcntl
except ImportError:  # not on Windows
    fcntl = None

__all__ = ["LOCKS", "Claim", "claimed", "holds_slot"]

LOCKS = fcntl is not None  # whether this system has such locks
_PAUSE = 0.02  # s
_RANGE = 1 << 30  # bytes that stand for names; a lock needs no byte to be there
_open: dict[Path, int] = {}  # closing any descriptor of a file would end all of a process's locks


class Claim(Enum):
    """What became of a claim."""

    OURS = 1
    TAKEN = 2  # another process has had it for as long as we wait
    IMPOSSIBLE = 3


@contextlib.contextmanager
def claimed(folder: Path, name: str, patience: float) -> Generator[Claim]:
    """Claim a file of a folder, after waiting for another process that has claimed it.

    Args:
        folder: Made if it is not there.
        name: Of the file.
        patience: How long to wait [s].
    """
    place = zlib.crc32(name.encode()) % _RANGE
    claim = _take(folder / ".claims", place, patience)
    try:
        yield claim
    finally:
        if claim is Claim.OURS:
            _free(folder / ".claims", place)


def holds_slot(folder: Path, count: int) -> bool:
    """Take one of some places in a folder until the process ends; False: there is none left."""
    return any(_take(folder / ".slots", place, 0.0) is Claim.OURS for place in range(count))


def _take(file: Path, place: int, patience: float) -> Claim:
    if fcntl is None:
        return Claim.IMPOSSIBLE
    end = time.monotonic() + patience
    try:
        handle = _descriptor(file)
        while True:
            try:
                fcntl.lockf(handle, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, place)
            except (BlockingIOError, PermissionError):  # which of them depends on the system
                if time.monotonic() >= end:
                    return Claim.TAKEN
                time.sleep(_PAUSE)
            else:
                return Claim.OURS
    except OSError:  # a folder that cannot be written to, a file system without locks
        return Claim.IMPOSSIBLE


def _free(file: Path, place: int) -> None:
    if fcntl is not None:
        with contextlib.suppress(OSError):
            fcntl.lockf(_open[file], fcntl.LOCK_UN, 1, place)


def _descriptor(file: Path) -> int:
    if file not in _open:
        file.parent.mkdir(parents=True, exist_ok=True)
        _open[file] = os.open(file, os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0), 0o600)
    return _open[file]
