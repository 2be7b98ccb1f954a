"""Where machine code and other files that are kept between processes lie.

What is loaded from such a folder is run as it is. So one rule decides for all of them: it belongs
to this user, nobody else can write to it, and nobody else could put another one in its place.
Candidates are those of numba: beside the source, then the user's cache folder, then one of this
user's alone among the temporary ones.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import os
import stat
import tempfile
from collections.abc import Iterator
from pathlib import Path

from unibody.errors import EngineError
from unibody.notices import tell_once

__all__ = ["folder_beside", "is_mine", "is_safe", "made_safe", "private_folder"]

_OTHERS_WRITE = stat.S_IWGRP | stat.S_IWOTH
_MOST_LINKS = 40  # as Linux allows


def is_mine(found: os.stat_result) -> bool:
    """Whether a file or a folder is this user's, and nobody else can write to it."""
    if not hasattr(os, "geteuid"):  # Windows: folders of a user are open to that user
        return True
    return found.st_uid == os.geteuid() and not found.st_mode & _OTHERS_WRITE


def is_safe(folder: Path) -> bool:
    """Whether what is in a folder can only be this user's.

    Not only the folder counts: who owns one above it, or a link on the way, or can write to one
    where everybody may take away the others' files, can put another folder in its place.

    Args:
        folder: It is followed link by link.
    """
    if not hasattr(os, "geteuid"):
        return True
    try:
        return _is_protected(os.path.abspath(folder))
    except OSError:
        return False


def _is_protected(path: str) -> bool:
    """Whether the folder is ours and all on the way to it are ours or the system's.

    Raises:
        OSError: Something is not there.
    """
    # In a container root may be mapped to another number; who owns "/" decides over all else.
    trusted = {os.geteuid(), 0, os.lstat("/").st_uid}
    left, at, links = _parts(path), "/", 0
    while left:
        part = left.pop()
        if part in {os.curdir, os.pardir}:  # of a link; what was gone through so far is no link
            at = os.path.dirname(at) if part == os.pardir else at
            continue
        here = os.path.join(at, part)
        found = os.lstat(here)
        if found.st_uid not in trusted:
            return False
        if stat.S_ISLNK(found.st_mode):
            links += 1
            target = os.readlink(here)
            at = "/" if os.path.isabs(target) else at
            left += _parts(target)
        elif found.st_mode & _OTHERS_WRITE and not found.st_mode & stat.S_ISVTX:
            return False
        else:
            at = here
        if links > _MOST_LINKS:
            return False
    found = os.lstat(at)
    return stat.S_ISDIR(found.st_mode) and is_mine(found)


def _parts(path: str) -> list[str]:
    """The names of a path, the first one last."""
    return [part for part in path.split(os.sep) if part][::-1]


def made_safe(folder: Path) -> bool:
    """Make a folder where there is none: whether it can be written to, by this user alone."""
    try:
        folder.mkdir(mode=0o755, parents=True, exist_ok=True)
    except OSError:
        return False
    return os.access(folder, os.W_OK | os.X_OK) and is_safe(folder)


def _temporary_folders() -> Iterator[Path]:
    """Folders any user may write to, most usual first."""
    with contextlib.suppress(FileNotFoundError):
        yield Path(tempfile.gettempdir())
    yield Path("/dev/shm")


def private_folder() -> Path:
    """A folder for temporary files that only this user can open.

    Raises:
        EngineError: There is none, and none can be made.
    """
    name = f"unibody-{os.geteuid()}" if hasattr(os, "geteuid") else "unibody"
    for base in _temporary_folders():
        folder = base / name
        try:
            folder.mkdir(mode=0o700, exist_ok=True)
            found = folder.lstat()
        except OSError:
            continue
        closed = not hasattr(os, "geteuid") or not found.st_mode & 0o077
        if closed and stat.S_ISDIR(found.st_mode) and is_safe(folder):
            return folder
    raise EngineError(
        "no folder for compiled functions can be written to by this user alone, neither beside the "
        "package nor in the cache and temporary folders: name one in the environment variable "
        "NUMBA_CACHE_DIR"
    )


@functools.cache
def folder_beside(file: str) -> Path | None:
    """Where the machine code of a file's functions is kept; None, said once: nowhere."""
    directory = os.path.dirname(os.path.abspath(file))
    digest = hashlib.sha1(directory.encode(), usedforsecurity=False).hexdigest()
    name = f"{os.path.basename(directory)}_{digest}"
    named = os.environ.get("NUMBA_CACHE_DIR")
    if named:
        folder = Path(named) / name
        if made_safe(folder):
            return folder
        tell_once(
            f"NUMBA_CACHE_DIR={named} is not used: it cannot be written to, or others can write "
            "to it"
        )
    for folder in _usual_folders(directory, name):
        if made_safe(folder):
            return folder
    try:
        folder = private_folder() / "numba" / name
    except EngineError as problem:
        tell_once(f"functions are compiled anew in each process: {problem}")
        return None
    return folder if made_safe(folder) else None


def _usual_folders(directory: str, name: str) -> Iterator[Path]:
    yield Path(directory, "__pycache__")
    caches = os.environ.get("XDG_CACHE_HOME") or os.environ.get("LOCALAPPDATA")
    with contextlib.suppress(RuntimeError):  # there is no home
        yield (Path(caches) if caches else Path.home() / ".cache") / "numba" / name
