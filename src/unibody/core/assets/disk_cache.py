"""Folders of files that can be worked out again: where they are, and how large they may become."""

from __future__ import annotations

import contextlib
import functools
import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, BinaryIO

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
    """Whether there is a note, in any process."""
    try:
        return os.path.exists(os.path.join(cache_directory(kind), name))
    except RuntimeError:  # there is no home
        return False


def note(kind: str, name: str) -> None:
    """Note something for all processes: an empty file in the folder of its kind."""
    with contextlib.suppress(OSError, RuntimeError):
        (_ready(kind) / name).touch()


def store(kind: str, name: str, write: Callable[[BinaryIO], Any]) -> None:
    """Store a file, whole or not at all.

    A folder that cannot be written to costs only the time of the next process.

    Args:
        kind: The folder.
        name: Of the file.
        write: Writes its content.
    """
    with contextlib.suppress(OSError, RuntimeError):
        directory = _ready(kind)
        handle, temporary = tempfile.mkstemp(dir=directory, suffix=".tmp")
        try:
            with os.fdopen(handle, "wb") as stream:
                write(stream)
            Path(temporary).replace(directory / name)
        except OSError:
            Path(temporary).unlink(missing_ok=True)


def _ready(kind: str) -> Path:
    """The folder of a kind, which is there and not too large."""
    directory = cache_directory(kind)
    directory.mkdir(parents=True, exist_ok=True)
    prune_once(directory)
    return directory
