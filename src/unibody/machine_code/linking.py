"""Machine code of an entry together with all that it calls, made in one go.

numba makes machine code of each function by itself, and before that optimises it together with all
functions that it calls: those at the bottom over and over. What only entries call needs no machine
code of its own. Here the functions are linked first; then all are optimised and translated once,
which takes half as long.

This works with what numba does not promise to keep. `entry_code` says so where it is not there.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
from collections.abc import Callable, Generator
from functools import cache
from typing import Any, NamedTuple

from unibody.machine_code import numba
from unibody.notices import tell_once

__all__ = ["Code", "NotLinkableError", "entry_code"]


class NotLinkableError(Exception):
    """This numba is not built as expected, or the code is only good for this process."""


class Code(NamedTuple):
    """Machine code that can be loaded.

    Attributes:
        name: Of the entry in the object file.
        needed: Symbols that the object file does not define.
        content: The object file.
    """

    name: str
    needed: list[str]
    content: bytes


def entry_code(function: Callable[..., Any], signature: Any) -> Code:
    """Compile a function with the signature of C.

    Args:
        function: To compile.
        signature: Of numbers.

    Raises:
        NotLinkableError: It has to be compiled by ``numba.cfunc``.
    """
    parts = _parts()
    try:
        return _linked(function, signature, parts)
    except NotLinkableError:
        raise
    except Exception as problem:  # what is wrong with the function itself, ``cfunc`` says, too
        raise _changed(problem) from problem


def _linked(function: Callable[..., Any], signature: Any, parts: _Parts) -> Code:
    """The code of a function."""
    compiler = parts.compiler
    target = parts.target.target_context
    flags = compiler.Flags()
    parts.target.options.parse_as_flags(flags, {})
    flags.no_cpython_wrapper, flags.no_cfunc_wrapper, flags.no_compile = True, False, True
    flags.enable_pyobject = False
    with parts.lock, _without_collection(), _codegen_of(target, parts) as codegen:
        library = parts.entry_class(codegen, function.__qualname__)
        result = compiler.compile_extra(
            parts.target.typing_context, target, function, signature.args, signature.return_type,
            flags, {}, library=library,
        )  # fmt: skip
        library.link()
        if library.has_dynamic_globals:
            raise NotLinkableError("it names addresses of this process")
        content = codegen._tm.emit_object(library._final_module)
    return Code(result.fndesc.llvm_cfunc_wrapper_name, library.undefined_symbols(), content)


class _Parts(NamedTuple):
    compiler: Any
    target: Any
    lock: Any
    codegen: Any
    entry_class: Any


@cache
def _parts() -> _Parts:
    """What is needed of numba.

    Raises:
        NotLinkableError: Something is not there.
    """
    try:
        compiler: Any = importlib.import_module("numba.core.compiler")
        registry: Any = importlib.import_module("numba.core.registry")
        lock: Any = importlib.import_module("numba.core.compiler_lock").global_compiler_lock
        libraries: Any = importlib.import_module("unibody.machine_code.libraries")
        usual: Any = registry.cpu_target.target_context._internal_codegen
        codegen = libraries.EntryCodegen(usual)
        codegen.check()
    except (ImportError, AttributeError, TypeError) as problem:
        raise _changed(problem) from problem
    return _Parts(compiler, registry.cpu_target, lock, codegen, libraries.EntryLibrary)


def problem() -> str:
    """Why functions cannot be linked with this numba; empty: they can."""
    try:
        _parts()
    except NotLinkableError as found:
        return str(found)
    return ""


def _changed(problem: Exception) -> NotLinkableError:
    """What is raised where numba is not built as expected, which is said once."""
    text = f"numba {numba.__version__} is not built as expected ({problem})"
    tell_once(f"{text}: it compiles in its own way, which takes longer")
    return NotLinkableError(text)


@contextlib.contextmanager
def _codegen_of(target: Any, parts: _Parts) -> Generator[Any]:
    """Let numba make libraries of ours in the meantime, under its lock."""
    target._internal_codegen = parts.codegen
    try:
        yield parts.codegen
    finally:
        target._internal_codegen = parts.codegen.usual


@contextlib.contextmanager
def _without_collection() -> Generator[None]:
    """Without looking for garbage, which takes a fifth of the time that compiling takes."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()
