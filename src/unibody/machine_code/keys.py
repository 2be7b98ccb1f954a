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
from typing import Any

from unibody.errors import EngineError

__all__ = ["folder_of_numba", "key_of"]


def key_of(version: bytes, function: Callable[..., Any], signature: str) -> bytes:
    """A hash over a function, the types it is compiled for, the file it is in, and the machine.

    Args:
        version: Of the files that the key is for.
        function: To be compiled.
        signature: What it takes.

    Raises:
        TypeError: It closes over something whose content a key could not state.
        OSError: Its file cannot be read.
    """
    digest = hashlib.sha256(version)
    code = function.__code__
    cells = [cell.cell_contents for cell in function.__closure__ or ()]
    about = (*_machine(), signature, _file_hash(code.co_filename), *map(_stated, cells))
    digest.update("\n".join(about).encode() + code.co_code)
    return digest.digest()


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
def _machine() -> tuple[str, ...]:
    """What machine code depends on besides its source."""
    llvm: Any = importlib.import_module("llvmlite")
    binding: Any = importlib.import_module("llvmlite.binding")
    settings = (f"{k}={v}" for k, v in sorted(os.environ.items()) if k.startswith("NUMBA_"))
    return (
        sys.version,
        _version_of_numba(),
        llvm.__version__,
        str(binding.get_host_cpu_name()),
        str(binding.get_host_cpu_features().flatten()),
        *(line for line in settings if not line.startswith("NUMBA_CACHE_DIR=")),
        *map(_file_hash, filter(os.path.exists, (".numba_config.yaml",))),
    )


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
