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

from unibody.machine_code import first_use
from unibody.machine_code.code_file import CodeFile, Format, folder_for
from unibody.machine_code.folders import is_safe
from unibody.machine_code.sealed import DamagedError
from unibody.mechanisms import is_plain
from unibody.notices import tell_once

__all__ = ["cached_cfunc", "cached_dispatcher"]

# As many of one function as there are types of arguments, other processors and other Pythons.
_FORMAT = Format(b"unibody overload 1\n", ".overload", most=32)


class _Overloads:
    """What numba asks for the compiled forms of a function, and gives them to.

    Attributes:
        cache_path: Where they are.
    """

    def __init__(self, function: Callable[..., Any], folder: Path, result: Any) -> None:
        self.cache_path = str(folder)
        self._function = function
        self._result = result  # the class of what numba compiles

    def _file(self, signature: Any) -> CodeFile:
        return CodeFile(_FORMAT, self._function, str(signature))

    def load_overload(self, signature: Any, context: Any) -> Any:
        """The compiled form for some types; None: there is none that can be used."""
        try:
            content = self._file(signature).read()
            context.refresh()
            return self._result._rebuild(context, *pickle.loads(content))
        except (OSError, DamagedError):
            first_use.begun()
            return None
        except Exception as problem:  # of a numba whose inside changed
            _tell_changed(problem)
            return None

    def save_overload(self, signature: Any, compiled: Any) -> None:
        """Keep a compiled form."""
        first_use.ended()
        try:
            if compiled.lifted or compiled.library.has_dynamic_globals:
                raise TypeError(f"{self._function.__qualname__} names addresses of this process")
            dumps = importlib.import_module("numba.core.serialize").dumps
            self._file(signature).write(dumps(compiled._reduce()))
        except OSError as problem:
            tell_once(f"compiled functions are not kept: {problem}")
        except Exception as problem:  # of a numba whose inside changed
            _tell_changed(problem)

    def flush(self) -> None:
        """Forget all of them."""
        self._file("").forget()


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
    folder = folder_for(function)
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
