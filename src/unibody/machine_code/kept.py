"""Compiled functions with the signature of C, loaded from a file of their machine code.

numba's own cache keeps a function's intermediate code beside its machine code, to put it into
others, and reads both; before that, it sets up all that it needs to compile. Entries, functions
that only C or Python calls, need nothing but their machine code: loading one takes a millisecond
instead of five to forty, and the first one of a process not a quarter of a second more.

What runs is what numba compiled on this machine; its file says so by a hash over its key and its
content, lies where numba keeps its own, and is not used if somebody else could have written it.
"""

from __future__ import annotations

import contextlib
import ctypes
import hashlib
import importlib
import importlib.util
import os
import stat
import sys
import tempfile
import threading
from collections.abc import Callable
from functools import cache
from importlib.machinery import EXTENSION_SUFFIXES, ExtensionFileLoader, FileFinder
from pathlib import Path
from typing import Any

from unibody.errors import EngineError
from unibody.machine_code import ahead, numba
from unibody.machine_code.claims import Claim, claimed
from unibody.machine_code.folders import folder_beside
from unibody.machine_code.late import make_all, real
from unibody.machine_code.linking import Code, NotLinkableError, entry_code

__all__ = ["ClaimedError", "Entry", "kept_entry", "provide_symbol"]

_VERSION = b"unibody code 2\n"  # of the files; to be changed with anything that changes them
_SUFFIX = ".code"
_MOST_VERSIONS = 4  # of one function: other processors, other Pythons
_MOST_BYTES = 32 << 20
_PATIENCE = 300.0  # s: so long another process may take, however busy the machine is
_TYPES: dict[str, Any] = {
    "none": None,
    "int32": ctypes.c_int32,
    "int64": ctypes.c_int64,
    "float64": ctypes.c_double,
}
_symbols: dict[str, int] = {}
_made_names: list[str] = []
_engines: list[Any] = []  # what was loaded stays for ever
_one_at_a_time = threading.RLock()  # LLVM's symbols are those of the process


class ClaimedError(Exception):
    """Another process compiles a function, and this one need not wait for it."""


class _NotLoadableError(Exception):
    """A file that is damaged, or code that needs what is not there."""


class Entry:
    """A function that was compiled.

    Attributes:
        address: Where it is.
        ctypes: The same for Python.
    """

    def __init__(self, address: int, signature: Any, compiled: Any = None) -> None:
        kinds = [_TYPES[str(kind)] for kind in (signature.return_type, *signature.args)]
        self.address = address
        self.ctypes: Any = ctypes.CFUNCTYPE(*kinds)(address)
        self._compiled = compiled  # kept alive


def provide_symbol(name: str, address: int) -> None:
    """Give the address of a C function that compiled functions call by its name."""
    _llvm().add_symbol(name, address)
    _symbols[name] = address


def kept_entry(signature: Any) -> Callable[[Callable[..., Any]], Entry]:
    """What ``numba.cfunc(signature, cache=True)`` does, for entries.

    As with numba's cache, a function is known by its file and by the numbers and strings that it
    closes over: those have to change with the code of all functions that it calls.

    Args:
        signature: Of numbers.
    """

    def decorate(function: Callable[..., Any]) -> Entry:
        store = _Store(function, signature)
        if not store.is_safe:
            compiled: Any = numba.cfunc(signature, cache=True)(function)
            return Entry(compiled.address, signature, compiled)
        with _one_at_a_time:
            with contextlib.suppress(_NotLoadableError, OSError):
                return _loaded(store.read(), signature)
            return _made(store, function, signature)

    return decorate


def _made(store: _Store, function: Callable[..., Any], signature: Any) -> Entry:
    """Compile a function, or wait for another process that is at it."""
    _made_names.append(function.__qualname__)
    with contextlib.ExitStack() as stack:
        claim = stack.enter_context(store.claimed(0.0))
        ahead.begin(together=claim is not Claim.IMPOSSIBLE)
        if claim is Claim.TAKEN:
            if ahead.is_worker():
                raise ClaimedError(f"another process compiles {function.__qualname__}")
            stack.enter_context(store.claimed(_PATIENCE))
        with contextlib.suppress(_NotLoadableError, OSError):
            return _loaded(store.read(), signature)
        with contextlib.suppress(_NotLoadableError, NotLinkableError):
            make_all()
            code = entry_code(function, real(signature))
            store.write(code)
            return _loaded(code, signature)
    compiled: Any = numba.cfunc(signature)(function)
    return Entry(compiled.address, signature, compiled)


def _loaded(code: Code, signature: Any) -> Entry:
    """The entry of some code.

    Raises:
        _NotLoadableError: It cannot be loaded. A process that only compiles need not load it.
    """
    try:
        return Entry(_load(code), signature)
    except _NotLoadableError:
        if ahead.is_worker():
            return Entry(0, signature)
        raise


def made() -> int:
    """How many entries had to be compiled, by this process or another one, when this asked."""
    return len(_made_names)


class _Store:
    """The file of one function's machine code."""

    def __init__(self, function: Callable[..., Any], signature: Any) -> None:
        digest = hashlib.sha256(_VERSION)
        code = function.__code__
        cells = [cell.cell_contents for cell in function.__closure__ or ()]
        about = (*_machine(), str(signature), _file_hash(code.co_filename), *map(_stated, cells))
        digest.update("\n".join(about).encode() + code.co_code)
        self._key = digest.digest()
        self._prefix = f"{function.__module__}.{function.__qualname__}-".replace("<locals>.", "")
        self._folder = folder_beside(code.co_filename)
        self._file = self._folder / f"{self._prefix}{self._key.hex()[:24]}{_SUFFIX}"
        self.is_safe = not self._folder.exists() or _is_mine(self._folder.stat())

    def claimed(self, patience: float) -> contextlib.AbstractContextManager[Claim]:
        """The right to write it, after waiting so long [s] for who has it."""
        return claimed(self._folder, self._file.name, patience)

    def read(self) -> Code:
        """The code that was written.

        Raises:
            OSError: There is none.
            _NotLoadableError: It is damaged, or others could have written it.
        """
        with self._file.open("rb") as stream:
            if not _is_mine(os.fstat(stream.fileno())):
                raise _NotLoadableError("others can write to it")
            data = stream.read(_MOST_BYTES)
        head = len(_VERSION) + hashlib.sha256().digest_size
        content = data[head:]
        if data[:head] != _VERSION + hashlib.sha256(self._key + content).digest():
            raise _NotLoadableError("it is damaged")
        names, _, code = content.partition(b"\n")
        name, *needed = names.decode().split()
        return Code(name, needed, code)

    def write(self, code: Code) -> None:
        """Keep a compiled function."""
        names = " ".join([code.name, *code.needed])
        content = names.encode() + b"\n" + code.content
        data = _VERSION + hashlib.sha256(self._key + content).digest() + content
        with contextlib.suppress(OSError):
            self._folder.mkdir(parents=True, exist_ok=True)
            with ahead.writing:
                handle, temporary = tempfile.mkstemp(dir=self._folder, suffix=".tmp")
                try:
                    with os.fdopen(handle, "wb") as stream:
                        stream.write(data)
                    Path(temporary).replace(self._file)
                except OSError:
                    Path(temporary).unlink(missing_ok=True)
            self._prune()

    def _prune(self) -> None:
        found = [
            path for path in self._folder.iterdir()
            if path.name.startswith(self._prefix) and path.suffix == _SUFFIX
        ]  # fmt: skip
        found.sort(key=lambda path: path.stat().st_mtime_ns)
        for path in found[:-_MOST_VERSIONS]:
            path.unlink(missing_ok=True)


def _is_mine(found: os.stat_result) -> bool:
    """Whether a file or a folder is this user's, or root's, and not for all to write to."""
    return found.st_uid in (os.geteuid(), 0) and not found.st_mode & stat.S_IWOTH


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
    binding = _llvm()
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
    return _file_hash(os.path.join(_folder_of_numba(), "_version.py"))


@cache
def _folder_of_numba() -> str:
    found = importlib.util.find_spec("numba")
    if found is None or not found.origin:
        raise EngineError("numba is not installed: pip install numba")
    return os.path.dirname(found.origin)


def _llvm() -> Any:
    return importlib.import_module("llvmlite.binding")  # comes with numba, untyped


def _load(code: Code) -> int:
    """Address of a function.

    Raises:
        _NotLoadableError: It needs a symbol that there is not; LLVM would end the process.
    """
    llvm = _llvm()
    for symbol in code.needed:
        address = _resolve(symbol)
        if not address:
            raise _NotLoadableError(f"no symbol {symbol}")
        llvm.add_symbol(symbol, address)
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    target = llvm.Target.from_default_triple()
    machine = target.create_target_machine(jit=True, codemodel="jitdefault")
    engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), machine)  # one each: no clashes
    engine.add_object_file(llvm.ObjectFileRef.from_data(code.content))
    engine.finalize_object()
    _engines.append(engine)
    return int(engine.get_function_address(code.name))


@cache
def _libraries() -> tuple[Any, ...]:
    """Where symbols are looked for: the process, with Python's own, and the C mathematics."""
    found: list[Any] = [ctypes.CDLL(None), ctypes.pythonapi]
    with contextlib.suppress(OSError):
        found.append(ctypes.CDLL("libm.so.6"))
    return tuple(found)


def _resolve(name: str) -> int:
    """Address of a symbol, the same as numba's; 0: there is none."""
    if name in _symbols:
        return _symbols[name]
    helpers = _c_helpers("_helperlib")
    if name.startswith("NRT_"):
        return int(_c_helpers("core.runtime._nrt_python").get(name.removeprefix("NRT_"), 0))
    helper = helpers.get(name.removeprefix("numba_"))
    if helper is not None and (name.startswith("numba_") or name.removesuffix("f") in _MATHEMATICS):
        return int(helper)
    for library in _libraries():
        with contextlib.suppress(AttributeError):
            return int(ctypes.cast(getattr(library, name), ctypes.c_void_p).value or 0)
    return 0


@cache
def _c_helpers(module: str) -> dict[str, int]:
    """Addresses of C functions by name, of a module of numba that is written in C.

    It is loaded for itself, as a part of nothing: numba would load everything else with it.
    """
    name = f"numba.{module}"
    if "numba" in sys.modules:
        loaded: Any = importlib.import_module(name)
        return loaded.c_helpers
    finder = FileFinder(
        os.path.join(_folder_of_numba(), *module.split(".")[:-1]),
        (ExtensionFileLoader, EXTENSION_SUFFIXES),
    )
    spec = finder.find_spec(name)
    if spec is None or spec.loader is None:
        loaded = importlib.import_module(name)
        return loaded.c_helpers
    loaded = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(loaded)
    return loaded.c_helpers


# functions of C that numba brings along
_MATHEMATICS = frozenset((
    "acos", "acosh", "asin", "asinh", "atan", "atan2", "atanh", "ceil", "cos", "cosh", "exp",
    "expm1", "fabs", "floor", "fmod", "log", "log10", "log1p", "pow", "round", "sin", "sinh",
    "sqrt", "tan", "tanh", "trunc",
))  # fmt: skip
