"""Files that are loaded as they are, with a hash over what they are for and what is in them.

One that is damaged, that was made for something else, or that another user could have written is
none: who asks makes it anew, and one line says so.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import stat
import tempfile
from pathlib import Path

from unibody.machine_code.folders import is_mine
from unibody.notices import tell_once

__all__ = ["DamagedError", "prune_versions", "read_sealed", "sealed", "write_whole"]

_FLAGS = os.O_RDONLY | sum(
    getattr(os, name, 0) for name in ("O_CLOEXEC", "O_NOFOLLOW", "O_NONBLOCK", "O_BINARY")
)
_SIZE = hashlib.sha256().digest_size


class DamagedError(Exception):
    """What is in a file is not what was written for this."""


def sealed(version: bytes, key: bytes, content: bytes) -> bytes:
    """What a file shall hold.

    Args:
        version: Of files of its kind; they begin with it.
        key: What the content is for.
        content: Any bytes.
    """
    return version + hashlib.sha256(key + content).digest() + content


def read_sealed(
    file: Path, version: bytes, key: bytes, most: int, *, private: bool = True
) -> bytes:
    """The content of a file.

    Args:
        file: To read.
        version: See `sealed`.
        key: See `sealed`.
        most: Bytes of the largest file.
        private: It must be this user's alone.

    Raises:
        OSError: There is none.
        DamagedError: It is damaged, or shall be and is not this user's alone; that was said.
    """
    try:
        return _content(_bytes(file, most, private), version, key)
    except DamagedError as problem:
        tell_once(f"{file} {problem}: it is made anew")
        raise


def _bytes(file: Path, most: int, private: bool) -> bytes:
    handle = os.open(file, _FLAGS)
    with os.fdopen(handle, "rb") as stream:
        found = os.fstat(handle)
        if not stat.S_ISREG(found.st_mode):
            raise DamagedError("is no file")
        if private and not is_mine(found):
            raise DamagedError("could have been written by others")
        if found.st_size > most:
            raise DamagedError(f"has more than {most} bytes")
        return stream.read(most)


def _content(data: bytes, version: bytes, key: bytes) -> bytes:
    head = len(version) + _SIZE
    content = memoryview(data)[head:]
    digest = hashlib.sha256(key)
    digest.update(content)
    if data[:head] != version + digest.digest():
        raise DamagedError("is damaged or of another version")
    return bytes(content)


def write_whole(file: Path, data: bytes) -> None:
    """Write a file, whole or not at all.

    Raises:
        OSError: It cannot be written; what was there before still is.
    """
    handle, temporary = tempfile.mkstemp(dir=file.parent, suffix=".tmp")
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(data)
        os.replace(temporary, file)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise


def prune_versions(folder: Path, prefix: str, suffix: str, most: int) -> None:
    """Delete all but the newest files of one function.

    Raises:
        OSError: The folder cannot be read, or a file not be deleted.
    """
    found = [
        path for path in folder.iterdir() if path.name.startswith(prefix) and path.suffix == suffix
    ]
    found.sort(key=lambda path: path.stat().st_mtime_ns)
    for path in found[:-most]:
        path.unlink(missing_ok=True)
