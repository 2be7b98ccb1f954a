"""Folders of files that can be worked out again: where they are, and how large they may become."""

from __future__ import annotations

import contextlib
import functools
import os
from pathlib import Path

from unibody.machine_code.folders import made_safe
from unibody.machine_code.sealed import DamagedError, read_sealed, sealed, write_whole
from unibody.notices import tell_once

_VERSION = b"unibody file 1\n"
_MOST_OF_FILE = 64 << 20  # bytes
MOST_FILES = 20_000
MOST_BYTES = 256 << 20
_KEPT = 0.5  # share that is left when there are too many


@functools.lru_cache(maxsize=16)
def _directory(name: str, caches: str | None, _home: str | None) -> Path:
    base = Path(caches) if caches else Path.home() / ".cache"
    return base / "unibody" / name


def cache_directory(name: str) -> Path:
    """Where files of one kind are kept between processes."""
    caches = os.environ.get("XDG_CACHE_HOME") or os.environ.get("LOCALAPPDATA")
    return _directory(name, caches, os.environ.get("HOME"))


@functools.lru_cache(maxsize=8)
def prune_once(directory: Path) -> None:
    """Delete the oldest files of a folder, once in a process, if it has become too large."""
    with contextlib.suppress(OSError):
        prune(directory, MOST_FILES, MOST_BYTES)


def prune(directory: Path, most_files: int, most_bytes: int) -> None:
    """Delete the oldest files until half of what is allowed is left, if there is more than that.

    Raises:
        OSError: The folder cannot be read, or a file not be deleted.
    """
    with os.scandir(directory) as entries:
        found = [(entry.stat(), entry.path) for entry in entries if entry.is_file()]
    total = sum(stat.st_size for stat, _ in found)
    if len(found) <= most_files and total <= most_bytes:
        return
    found.sort(key=lambda pair: pair[0].st_mtime_ns)
    count = len(found)
    for stat, path in found:
        if count <= _KEPT * most_files and total <= _KEPT * most_bytes:
            break
        Path(path).unlink(missing_ok=True)
        count -= 1
        total -= stat.st_size


def is_noted(kind: str, name: str) -> bool:
    """Whether there is a note, in any process of this user."""
    try:
        return (_safe(kind, make=False) / name).exists()
    except (OSError, RuntimeError):  # there is no home, or it is not this user's alone
        return False


def note(kind: str, name: str) -> None:
    """Note something for all processes: an empty file in the folder of its kind."""
    with contextlib.suppress(OSError, RuntimeError):
        (_ready(kind) / name).touch()


def store(kind: str, name: str, content: bytes) -> None:
    """Store a file, whole or not at all.

    A folder that cannot be written to costs only the time of the next process.

    Args:
        kind: The folder.
        name: Of the file.
        content: Of the file, behind a hash of kind, name and content.
    """
    with contextlib.suppress(OSError, RuntimeError):
        write_whole(_ready(kind) / name, sealed(_VERSION, _key(kind, name), content))


def stored(kind: str, name: str) -> bytes | None:
    """The content of a file that this user stored; None: there is none, or it is damaged."""
    try:
        return read_sealed(
            _safe(kind, make=False) / name, _VERSION, _key(kind, name), _MOST_OF_FILE
        )
    except (OSError, RuntimeError, DamagedError):
        return None


def _key(kind: str, name: str) -> bytes:
    return f"{kind}/{name}\n".encode()


def _ready(kind: str) -> Path:
    """The folder of a kind, which is there, this user's alone and not too large."""
    directory = _safe(kind, make=True)
    prune_once(directory)
    return directory


def _safe(kind: str, *, make: bool) -> Path:
    """The folder of a kind, which is there and this user's alone.

    Args:
        kind: Of files.
        make: Make it if there is none.

    Raises:
        OSError: It is not.
        RuntimeError: There is no home.
    """
    directory = cache_directory(kind)
    if not make and not directory.exists():
        raise FileNotFoundError(directory)
    if not _made(directory):
        raise PermissionError(f"{directory} is not this user's alone")
    return directory


@functools.lru_cache(maxsize=16)
def _made(directory: Path) -> bool:
    if made_safe(directory):
        return True
    if directory.exists():
        tell_once(f"{directory} is not used: others can write to it, or this user cannot")
    return False
