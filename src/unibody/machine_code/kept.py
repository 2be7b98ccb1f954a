"""Compiled functions with the signature of C, loaded from a file of their machine code.

numba's own cache keeps a function's intermediate code beside its machine code, to put it into
others, and reads both; before that, it sets up all that it needs to compile. Entries, functions
that only C or Python calls, need nothing but their machine code: loading one takes a millisecond
instead of five to forty, and the first one of a process not a quarter of a second more.

What runs is what numba compiled on this machine; its file says so by a hash over its key and its
content, and lies in a folder that is this user's alone.
"""

from __future__ import annotations

import contextlib
import ctypes
import importlib
import importlib.util
import os
import sys
from collections.abc import Callable
from functools import cache
from importlib.machinery import EXTENSION_SUFFIXES, ExtensionFileLoader, FileFinder
from typing import Any

from unibody.errors import EngineError
from unibody.machine_code import ahead, first_use
from unibody.machine_code.claims import Claim
from unibody.machine_code.code_file import CodeFile, Format
from unibody.machine_code.deferred import make_all, real
from unibody.machine_code.forks import fork_safe_lock
from unibody.machine_code.keys import folder_of_numba
from unibody.machine_code.linking import Code, NotLinkableError, entry_code
from unibody.machine_code.overloads import cached_cfunc
from unibody.machine_code.sealed import DamagedError
from unibody.mechanisms import is_plain

__all__ = ["ClaimedError", "Entry", "kept_entry", "provide_symbol"]

_FORMAT = Format(b"unibody code 2\n", ".code", most=4)
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
_one_at_a_time = fork_safe_lock()  # LLVM's symbols are those of the process


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


def kept_entry(signature: Any, name: str = "") -> Callable[[Callable[..., Any]], Entry]:
    """What ``numba.cfunc(signature, cache=True)`` does, for entries.

    As with numba's cache, a function is known by its file and by the numbers and strings that it
    closes over: those have to change with the code of all functions that it calls.

    Args:
        signature: Of numbers.
        name: Of the function, where several have the same.
    """

    def decorate(function: Callable[..., Any]) -> Entry:
        if is_plain("machine-code"):
            with _one_at_a_time:
                return _made_by_numba(function, signature)
        file = CodeFile(_FORMAT, function, str(signature), name)
        with _one_at_a_time:
            with contextlib.suppress(_NotLoadableError, OSError):
                return _loaded(_read(file), signature)
            return _made(file, function, signature)

    return decorate


def _made(file: CodeFile, function: Callable[..., Any], signature: Any) -> Entry:
    """Compile a function, or wait for another process that is at it."""
    _made_names.append(function.__qualname__)
    with contextlib.ExitStack() as stack:
        claim = stack.enter_context(file.claimed(0.0))
        ahead.begin(together=claim is not Claim.IMPOSSIBLE)
        if claim is Claim.TAKEN:
            if ahead.is_worker():
                raise ClaimedError(f"another process compiles {function.__qualname__}")
            stack.enter_context(file.claimed(_PATIENCE))
        with contextlib.suppress(_NotLoadableError, OSError):
            return _loaded(_read(file), signature)
        with contextlib.suppress(NotLinkableError):
            make_all()
            first_use.begun()
            stack.callback(first_use.ended)
            code = entry_code(function, real(signature))
            _write(file, code)
            return _newly_loaded(code, function, signature)
    return _made_by_numba(function, signature)


def _newly_loaded(code: Code, function: Callable[..., Any], signature: Any) -> Entry:
    """The entry of code that this process has compiled.

    Raises:
        EngineError: It calls a function that is not in this process. What numba makes in its own
            way would not have that either: the first call of it would end the process.
    """
    try:
        return _loaded(code, signature)
    except _NotLoadableError as problem:
        raise EngineError(f"{function.__qualname__} cannot be loaded: {problem}") from problem


def _made_by_numba(function: Callable[..., Any], signature: Any) -> Entry:
    """What numba makes of a function in its own way, with its own cache."""
    make_all()
    compiled: Any = cached_cfunc(function, real(signature))
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


def _read(file: CodeFile) -> Code:
    """The code that was written.

    Raises:
        OSError: There is none.
        _NotLoadableError: It is damaged, or others could have written it.
    """
    try:
        content = file.read()
    except DamagedError as problem:
        raise _NotLoadableError(str(problem)) from problem
    names, _, code = content.partition(b"\n")
    name, *needed = names.decode().split()
    return Code(name, needed, code)


def _write(file: CodeFile, code: Code) -> None:
    names = " ".join([code.name, *code.needed])
    with contextlib.suppress(OSError):
        file.write(names.encode() + b"\n" + code.content)


def _llvm() -> Any:
    return importlib.import_module("llvmlite.binding")  # comes with numba, untyped


def _load(code: Code) -> int:
    """Address of a function.

    Raises:
        _NotLoadableError: It needs a symbol that there is not; LLVM would end the process.
    """
    llvm = _llvm()
    for symbol in code.needed:
        address = _resolve(symbol) or llvm.address_of_symbol(symbol)
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
    found: list[Any] = []
    for name in (None, "libm.so.6", "ucrtbase"):  # None: the process; not on Windows
        with contextlib.suppress(OSError, TypeError):
            found.append(ctypes.CDLL(name))
    return (*found, ctypes.pythonapi)


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
        os.path.join(folder_of_numba(), *module.split(".")[:-1]),
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
