"""What machine code depends on, stated in lines that go into the key of its file."""

from __future__ import annotations

import hashlib
import importlib
import importlib.util
import os
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

from unibody.errors import EngineError

__all__ = ["every_machine", "folder_of_numba", "key_of", "reached", "this_machine"]

_PACKAGE = "unibody."
_NOT_IN_CODE = {
    "NUMBA_CACHE_DIR",
    "NUMBA_NUM_THREADS",
    "NUMBA_THREADING_LAYER",
    "NUMBA_THREADING_LAYER_PRIORITY",
}
"""Settings of numba that machine code is the same with: it asks for threads as it runs."""


def key_of(
    version: bytes,
    function: Callable[..., Any],
    signature: str,
    machine: Callable[[], tuple[str, ...]],
) -> bytes:
    """A hash over a function, its types, the files of all that it calls, and the machine.

    Args:
        version: Of the files that the key is for.
        function: To be compiled.
        signature: What it takes.
        machine: `this_machine` or `every_machine`.

    Raises:
        TypeError: It closes over something whose content a key could not state.
        OSError: Its file cannot be read.
    """
    digest = hashlib.sha256(version)
    code = function.__code__
    cells = [cell.cell_contents for cell in function.__closure__ or ()]
    about = (*machine(), signature, *reached(function), *map(_stated, cells))
    digest.update("\n".join(about).encode() + code.co_code)
    return digest.digest()


def reached(function: Callable[..., Any]) -> list[str]:
    """What a function is compiled from: hashes of files, and constants that it names.

    The functions of this package that it calls may be in other files, which change on their own.

    Args:
        function: To be compiled.

    Raises:
        OSError: A file cannot be read.
    """
    files: set[str] = set()
    constants: set[str] = set()
    seen: set[Any] = set()
    ahead = [function]
    while ahead:
        code = ahead.pop()
        if code.__code__ in seen:
            continue
        seen.add(code.__code__)
        files.add(code.__code__.co_filename)
        for name, value in _named(code):
            inner = getattr(value, "py_func", None)
            home = getattr(value, "__module__", None)
            if inner is not None and hasattr(inner, "__code__"):
                ahead.append(inner)
            elif (text := _constant(value)) is not None:
                constants.add(f"{name}={text}")
            elif isinstance(home, str) and home.startswith(_PACKAGE):
                files.add(str(sys.modules[home].__file__))  # an instruction of ours
    return sorted(map(_file_hash, files)) + sorted(constants)


def _constant(value: Any) -> str | None:
    """A number, a string, an array or a tuple of them, as a line; None: it is none of these."""
    if isinstance(value, int | float | str):
        return repr(value)
    if isinstance(value, tuple):
        return str([_constant(part) for part in value])
    if hasattr(value, "tobytes") and not isinstance(value, type):
        return f"{value.dtype} {hashlib.sha256(value.tobytes()).hexdigest()}"
    return None


def _named(function: Callable[..., Any]) -> list[tuple[str, Any]]:
    """What a function's names may mean: globals, and parts of modules among them."""
    scope = function.__globals__
    names = function.__code__.co_names
    found = [(name, scope[name]) for name in names if name in scope]
    modules = [value for _, value in found if isinstance(value, ModuleType)]
    for module in modules:
        if module.__name__.startswith(_PACKAGE):
            parts = vars(module)
            found += [(f"{module.__name__}.{name}", parts[name]) for name in names if name in parts]
    cells = function.__closure__ or ()
    return found + list(
        zip(function.__code__.co_freevars, (c.cell_contents for c in cells), strict=True)
    )


def _stated(value: Any) -> str:
    """A number, a string, numbers in a tuple or the name of a function, as a line.

    Raises:
        TypeError: It is something else, whose content a key could not state.
    """
    if isinstance(value, tuple):
        return f"({','.join(map(_stated, value))})"
    if isinstance(value, int | float | str):
        return repr(value)
    dispatcher: Any = getattr(value, "py_func", None)
    if dispatcher is not None:  # its code is in the digest, as that of all functions
        return f"{dispatcher.__module__}.{dispatcher.__qualname__}"
    for name in ("symbol", "stated"):  # of an ExternalFunction; what an intrinsic was made of
        text = getattr(value, name, None)
        if isinstance(text, str):
            return text
    raise TypeError(f"a compiled entry closes over {value!r}, not over numbers and strings")


@cache
def _file_hash(file: str) -> str:
    return hashlib.sha256(Path(file).read_bytes()).hexdigest()


@cache
def this_machine() -> tuple[str, ...]:
    """What machine code that is made here depends on besides its source."""
    llvm: Any = importlib.import_module("llvmlite")
    binding: Any = importlib.import_module("llvmlite.binding")
    settings = (
        f"{name}={value}"
        for name, value in sorted(os.environ.items())
        if name.startswith("NUMBA_") and name not in _NOT_IN_CODE
    )
    return (
        sys.version,
        _version_of_numba(),
        llvm.__version__,
        str(binding.get_host_cpu_name()),
        str(binding.get_host_cpu_features().flatten()),
        *settings,
        *map(_file_hash, filter(os.path.exists, (".numba_config.yaml",))),
    )


@cache
def every_machine() -> tuple[str, ...]:
    """What machine code for all processors of a kind depends on besides its source."""
    llvm: Any = importlib.import_module("llvmlite")
    python = f"{sys.implementation.name} {sys.version_info.major}.{sys.version_info.minor}"
    return (python, _version_of_numba(), llvm.__version__, "any processor of the kind")


def _version_of_numba() -> str:
    """What its file says of it: it need not be loaded for that."""
    return _file_hash(os.path.join(folder_of_numba(), "_version.py"))


@cache
def folder_of_numba() -> str:
    """Where numba is installed.

    Raises:
        EngineError: Nowhere.
    """
    found = importlib.util.find_spec("numba")
    if found is None or not found.origin:
        raise EngineError("numba is not installed: pip install numba")
    return os.path.dirname(found.origin)
