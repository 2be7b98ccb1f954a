"""Files that are written whole or not at all: on a full disk, what was there before stays."""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
import stat
from collections.abc import Generator
from typing import Any, BinaryIO

__all__ = ["begun_beside", "real_path", "whole_file", "write_whole_text"]


@contextlib.contextmanager
def whole_file(path: str | os.PathLike[str]) -> Generator[BinaryIO]:
    """A stream whose content becomes that of a file when all of it is written.

    Args:
        path: The file; one that exists is replaced and keeps its permissions. What is no plain
            file, as ``/dev/stdout``, is written to as it is.

    Raises:
        OSError: It cannot be written; then it is as it was before.
    """
    name: Any = os.fspath(path)
    target = real_path(name)
    if os.path.exists(target) and not os.path.isfile(target):
        with open(target, "wb") as stream:
            yield stream
        return
    handle, temporary = begun_beside(target)
    try:
        with os.fdopen(handle, "w+b") as stream:
            yield stream
        os.replace(temporary, target)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise


def real_path(name: str) -> str:
    """The path of a file without links.

    Raises:
        OSError: No file can have this name.
    """
    try:
        return os.path.realpath(name)
    except ValueError as problem:  # a null, or half of a pair of surrogates
        raise OSError(errno.EINVAL, str(problem), repr(name)) from None


def begun_beside(target: str) -> tuple[int, str]:
    """A new file in the folder of another one, with its permissions: descriptor and name.

    Raises:
        OSError: It cannot be made there, or the other one not be written.
    """
    folder, name = os.path.split(target)
    temporary = os.path.join(folder, f".{name[:100]}.{secrets.token_hex(6)}.tmp")
    try:
        before = os.stat(target)
    except FileNotFoundError:
        before = None
    if before is not None and not os.access(target, os.W_OK):
        raise PermissionError(13, "Permission denied", target)
    try:
        flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
        handle = os.open(temporary, flags | getattr(os, "O_CLOEXEC", 0), 0o666)
    except OSError as problem:
        raise OSError(problem.errno, problem.strerror, target) from None
    if before is not None and hasattr(os, "fchmod"):
        with contextlib.suppress(OSError):
            os.fchmod(handle, stat.S_IMODE(before.st_mode))
    return handle, temporary


def write_whole_text(path: str | os.PathLike[str], text: str) -> None:
    """Write a file of text, whole or not at all; see `whole_file`.

    Raises:
        OSError: It cannot be written; then it is as it was before.
    """
    with whole_file(path) as stream:
        left = memoryview(text.encode())
        while left:
            left = left[stream.write(left) :]
