"""Files made from others, kept where nobody else can read or write them.

Whoever can write to the file of a model decides what is loaded. A folder for temporary files is
open to all users, and names in it can be guessed: one in there is used only if it is the user's.
"""

from __future__ import annotations

import atexit
import contextlib
import functools
import os
import shutil
import stat
import tempfile
from collections.abc import Iterable

_OTHERS = 0o077


def private_folder() -> str:
    """A folder that only the user can open, and that other processes of the user find too.

    Where something else stands in its place, this process gets one of its own, until it ends.
    """
    return _private_folder(tempfile.gettempdir())


@functools.lru_cache(maxsize=4)
def _private_folder(base: str) -> str:
    user = os.getuid() if hasattr(os, "getuid") else 0
    folder = os.path.join(base, f"unibody_fleet_{user}")
    with contextlib.suppress(OSError):
        os.mkdir(folder, mode=0o700)
    with contextlib.suppress(OSError):
        found = os.lstat(folder)
        mine = not hasattr(os, "getuid") or (found.st_uid == user and not found.st_mode & _OTHERS)
        if mine and stat.S_ISDIR(found.st_mode):
            return folder
    folder = tempfile.mkdtemp(prefix="unibody_fleet_", dir=base)
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def write_whole(path: str, parts: Iterable[str]) -> None:
    """Write a file whole or not at all; what stands in its place is replaced, not followed.

    Raises:
        OSError: It cannot be written.
    """
    folder, name = os.path.split(path)
    handle, temporary = tempfile.mkstemp(prefix=f".{name}.", dir=folder)
    try:
        with open(handle, "w", encoding="utf-8") as stream:
            stream.writelines(parts)
        os.replace(temporary, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise
