"""Where machine code is kept, wherever this package is installed.

As numba does: beside the source, else in the user's cache folder. A service or a container often
can write to neither, and functions with ``cache=True`` could not even be defined there.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import os
import stat
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from unibody.errors import EngineError

__all__ = ["folder_beside", "private_folder", "register"]

_PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep


def _temporary_folders() -> Iterator[Path]:
    """Folders any user may write to, most usual first."""
    with contextlib.suppress(FileNotFoundError):
        yield Path(tempfile.gettempdir())
    yield Path("/dev/shm")


def private_folder() -> Path:
    """A folder for temporary files that nobody else can write to: machine code is run as it is.

    Raises:
        EngineError: There is none, and none can be made.
    """
    name = f"unibody-{os.getuid()}" if hasattr(os, "getuid") else "unibody"
    for base in _temporary_folders():
        folder = base / name
        try:
            folder.mkdir(mode=0o700, exist_ok=True)
            found = folder.lstat()
        except OSError:
            continue
        mine = not hasattr(os, "getuid") or (
            found.st_uid == os.getuid() and not found.st_mode & 0o077
        )
        if mine and stat.S_ISDIR(found.st_mode):
            return folder
    raise EngineError(
        "no folder for compiled functions can be written to, neither beside the package nor in "
        "the cache and temporary folders: name one in the environment variable NUMBA_CACHE_DIR"
    )


@functools.cache
def folder_beside(file: str) -> Path:
    """Where the machine code of a file's functions is kept: where numba would.

    Raises:
        EngineError: Nothing can be written to.
    """
    directory = os.path.dirname(os.path.abspath(file))
    digest = hashlib.sha1(directory.encode(), usedforsecurity=False).hexdigest()
    name = f"{os.path.basename(directory)}_{digest}"
    named = os.environ.get("NUMBA_CACHE_DIR")
    if named:
        return Path(named) / name
    beside = Path(directory, "__pycache__")
    if _is_writable(beside):
        return beside
    caches = os.environ.get("XDG_CACHE_HOME") or os.environ.get("LOCALAPPDATA")
    with contextlib.suppress(RuntimeError):  # there is no home
        users = (Path(caches) if caches else Path.home() / ".cache") / "numba" / name
        if _is_writable(users):
            return users
    return private_folder() / "numba" / name


def _is_writable(folder: Path) -> bool:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError:
        return False
    return os.access(folder, os.W_OK | os.X_OK)


def _last_resort(caching: Any) -> Any:
    """A locator for numba, which asks it after all others, about functions of this package."""

    class TemporaryCacheLocator(caching.UserWideCacheLocator):
        def __init__(self, py_func: Callable[..., Any], py_file: str) -> None:
            self._py_file = py_file
            self._lineno = py_func.__code__.co_firstlineno
            subpath: str = self.get_suitable_cache_subpath(py_file)
            self._cache_path = os.path.join(private_folder(), "numba", subpath)

        @classmethod
        def from_function(cls, py_func: Callable[..., Any], py_file: str) -> Any:
            if not os.path.abspath(py_file).startswith(_PACKAGE):
                return None
            return super().from_function(py_func, py_file)

    return TemporaryCacheLocator


def register() -> None:
    """Tell numba, once it is loaded."""
    from numba.core import caching

    locators: list[Any] = caching.CacheImpl._locator_classes  # it has no other way
    locators.append(_last_resort(caching))
