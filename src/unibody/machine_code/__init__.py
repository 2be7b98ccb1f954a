"""numba, with a place for the machine code it keeps wherever this package is installed.

numba keeps it beside the source, else in the user's cache folder. A service or a container often
can write to neither, and functions with ``cache=True`` could not even be defined there. Modules
that have such functions import numba from here.

`kept` has functions with the signature of C, which are loaded without what numba does for that.
"""

from __future__ import annotations

import contextlib
import os
import stat
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numba

from unibody.errors import EngineError

__all__ = ["numba", "private_folder"]

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


def _register() -> None:
    from numba.core import caching

    locators: list[Any] = caching.CacheImpl._locator_classes  # it has no other way
    locators.append(_last_resort(caching))


_register()
