"""The cache of functions that numba compiles for Python, in a folder that is this user's alone.

numba's own cache unpickles whatever lies beside the source, and fails for good where that is
damaged. This one takes its place in the dispatchers of our functions: one file for each function
and types, whose hash is checked before anything in it is looked at.

It relies on what numba does not promise to keep. Where that is not there, numba's cache is used, if
it lies in such a folder.
"""

from __future__ import annotations

import importlib
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

from unibody.machine_code import ahead
from unibody.machine_code.folders import folder_beside, is_safe
from unibody.machine_code.keys import key_of
from unibody.machine_code.sealed import (
    DamagedError,
    prune_versions,
    read_sealed,
    sealed,
    write_whole,
)
from unibody.mechanisms import is_plain
from unibody.notices import tell_once

__all__ = ["cached_cfunc", "cached_dispatcher"]

_VERSION = b"unibody overload 1\n"
_SUFFIX = ".overload"
_MOST_VERSIONS = 32  # of one function: types of arguments, other processors, other Pythons
_MOST_BYTES = 32 << 20


class _Overloads:
    """What numba asks for the compiled forms of a function, and gives them to.

    Attributes:
        cache_path: Where they are.
    """

    def __init__(self, function: Callable[..., Any], folder: Path, result: Any) -> None:
        self.cache_path = str(folder)
        self._function = function
        self._folder = folder
        self._result = result  # the class of what numba compiles
        name = f"{function.__module__}.{function.__qualname__}-"
        self._prefix = name.replace("<locals>.", "").replace("<lambda>", "lambda")

    def _place(self, signature: Any) -> tuple[Path, bytes]:
        key = key_of(_VERSION, self._function, str(signature))
        return self._folder / f"{self._prefix}{key.hex()[:24]}{_SUFFIX}", key

    def load_overload(self, signature: Any, context: Any) -> Any:
        """The compiled form for some types; None: there is none that can be used."""
        try:
            file, key = self._place(signature)
            content = read_sealed(file, _VERSION, key, _MOST_BYTES)
            context.refresh()
            return self._result._rebuild(context, *pickle.loads(content))
        except (OSError, DamagedError):
            return None
        except Exception as problem:  # of a numba whose inside changed
            _tell_changed(problem)
            return None

    def save_overload(self, signature: Any, compiled: Any) -> None:
        """Keep a compiled form."""
        try:
            if compiled.lifted or compiled.library.has_dynamic_globals:
                raise TypeError(f"{self._prefix[:-1]} names addresses of this process")
            dumps = importlib.import_module("numba.core.serialize").dumps
            file, key = self._place(signature)
            data = sealed(_VERSION, key, dumps(compiled._reduce()))
            with ahead.writing:
                write_whole(file, data)
            prune_versions(self._folder, self._prefix, _SUFFIX, _MOST_VERSIONS)
        except OSError as problem:
            tell_once(f"compiled functions are not kept: {problem}")
        except Exception as problem:  # of a numba whose inside changed
            _tell_changed(problem)

    def flush(self) -> None:
        """Forget all of them."""
        prune_versions(self._folder, self._prefix, _SUFFIX, 0)


def cached_dispatcher(function: Callable[..., Any], options: dict[str, Any]) -> Any:
    """What ``numba.njit(cache=True, **options)`` makes of a function, with a cache of ours.

    Args:
        function: To be compiled.
        options: Of ``njit``, without ``cache``.
    """
    njit: Any = importlib.import_module("numba").njit
    dispatcher: Any = njit(**options)(function)
    if is_plain("machine-code"):
        return _numbas_own(function, options) or dispatcher
    folder = folder_beside(function.__code__.co_filename)
    if folder is None:
        return dispatcher
    try:
        result: Any = importlib.import_module("numba.core.compiler").CompileResult
        needed = (result._reduce, result._rebuild, dispatcher._cache.load_overload)
        if all(map(callable, needed)):
            dispatcher._cache = _Overloads(function, folder, result)
    except (AttributeError, ImportError) as problem:
        _tell_changed(problem)
        return _numbas_own(function, options) or dispatcher
    return dispatcher


def cached_cfunc(function: Callable[..., Any], signature: Any) -> Any:
    """What ``numba.cfunc`` makes of a function, from numba's cache if that is this user's alone."""
    cfunc: Any = importlib.import_module("numba").cfunc
    if _numbas_own(function, {}) is not None:
        try:
            return cfunc(signature, cache=True)(function)
        except (OSError, EOFError, pickle.PickleError, ValueError, LookupError) as problem:
            tell_once(f"numba's cache of {function.__qualname__} is not used: {problem}")
    return cfunc(signature)(function)


def _numbas_own(function: Callable[..., Any], options: dict[str, Any]) -> Any:
    """A dispatcher with numba's cache; None if others could write to that, or there is none."""
    njit: Any = importlib.import_module("numba").njit
    try:
        dispatcher: Any = njit(cache=True, **options)(function)  # reads nothing yet
        return dispatcher if is_safe(Path(dispatcher.stats.cache_path)) else None
    except (RuntimeError, AttributeError, TypeError):
        return None


def _tell_changed(problem: Exception) -> None:
    version = importlib.import_module("numba").__version__
    tell_once(
        f"numba {version} is not built as expected ({problem}): it compiles in its own way, "
        "which takes longer"
    )
