"""Opening files of users: regular files only, and no more bytes than a bound allows."""

from __future__ import annotations

import errno
import os
import stat
from typing import BinaryIO

from unibody.errors import AssetError

# A pipe without a writer would otherwise hold the caller until somebody writes to it.
_FLAGS = os.O_RDONLY | sum(getattr(os, name, 0) for name in ("O_NONBLOCK", "O_BINARY", "O_NOCTTY"))


def open_regular(file: str | os.PathLike[str]) -> BinaryIO:
    """Opens a regular file to be read; what a device or a pipe would give has no end.

    Args:
        file: Path of the file; links are followed.

    Raises:
        OSError: It cannot be opened, or is a directory, a pipe, a socket or a device.
        ValueError: There is a NUL character in the path.
    """
    _refuse_special(os.stat(file).st_mode, file)  # to open some devices is an action by itself
    handle = os.open(file, _FLAGS)
    try:
        _refuse_special(os.fstat(handle).st_mode, file)  # something else may stand there by now
        return os.fdopen(handle, "rb")
    except BaseException:
        os.close(handle)
        raise


def read_regular(file: str | os.PathLike[str], most_bytes: int) -> bytes:
    """Reads a regular file.

    Args:
        file: Path of the file.
        most_bytes: The largest file that is read.

    Raises:
        AssetError: It cannot be opened, is no regular file, or larger than ``most_bytes``.
    """
    try:
        with open_regular(file) as stream:
            size = os.fstat(stream.fileno()).st_size
            data = stream.read(most_bytes + 1)
    except (OSError, ValueError) as error:
        raise AssetError(file, "", f"cannot be read: {error}") from error
    if len(data) > most_bytes:
        raise AssetError(
            file, "", f"{max(size, len(data))} bytes, larger than the limit of {most_bytes} bytes"
        )
    return data


def _refuse_special(mode: int, file: str | os.PathLike[str]) -> None:
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), os.fspath(file))
    if not stat.S_ISREG(mode):
        raise OSError(errno.EINVAL, "a pipe, a socket or a device, not a file", os.fspath(file))
