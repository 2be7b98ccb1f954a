"""Builtin functions whose body is compiled, with a Python function behind them.

A builtin is entered with its arguments as they are. It reads them itself (see ``objects``); what it
does not understand it hands on, unchanged, to a Python function of the same meaning. So a builtin
is a short cut, and never decides what is an error.
"""

from __future__ import annotations

import ast
import ctypes
import functools
import inspect
import struct
import sys
import sysconfig
from collections.abc import Callable
from types import ModuleType
from typing import TYPE_CHECKING, Any

import numpy as np

from unibody.machine_code import object_layout, types
from unibody.machine_code.calls import objects
from unibody.machine_code.calls.objects import (
    K_CLIENT_NAME,
    K_INT,
    K_SCRATCH,
    read_number,
    read_numbers,
    word_at,
)
from unibody.machine_code.jit import inlined_kernel
from unibody.machine_code.pointers import Pointer, pointer_f64, pointer_i64, pointer_u8
from unibody.mechanisms import is_plain

if TYPE_CHECKING:
    from unibody.machine_code.deferred import ExternalFunction

_int64 = types.int64
ENTRY = _int64(_int64, _int64, _int64, _int64)  # self, arguments, their number, keyword names
_METH_FASTCALL, _METH_KEYWORDS = 0x0080, 0x0002
# table, Python function, which short cut, arity, argument sizes, names of the arguments
_RECORD = struct.Struct("=4q24s12q")
_MOST = 12  # arguments


class _Owner(ModuleType):
    """What a builtin has as its ``self``: a module, so that it can be pickled by its name."""

    __slots__ = ("record",)  # bytes


_OWNER_RECORD_AT = _Owner.__basicsize__ - 8
NUMBER, INTEGER = 0, 255  # sizes of arguments that are no sequences
CLIENT = "physicsClientId"
call_object: ExternalFunction = types.ExternalFunction(
    "PyObject_Vectorcall", _int64(_int64, _int64, _int64, _int64)
)


@inlined_kernel
def _record(self: int) -> int:
    """Address of a builtin's record."""
    return word_at(self + _OWNER_RECORD_AT) + object_layout.BYTES_AT


@inlined_kernel
def python_call(self: int, args: int, count: int, names: int) -> int:
    """What the Python function behind a builtin returns."""
    return call_object(word_at(_record(self) + 8), args, count, names)


@inlined_kernel
def short_cut(self: int) -> int:
    """Which short cut a builtin is."""
    return word_at(_record(self) + 16)


@inlined_kernel
def known_of(self: int) -> Pointer:
    """The table of known objects."""
    return pointer_i64(word_at(_record(self)))


@inlined_kernel
def numbers_of(self: int) -> Pointer:
    """The numbers that ``read_arguments`` found, one argument after the other."""
    return pointer_f64(word_at(_record(self)) + 8 * K_SCRATCH)


@inlined_kernel
def _place_of(self: int, name: int, first: int, arity: int) -> int:
    """Which argument has a name, from ``first`` on; -1: none of them."""
    names = pointer_i64(_record(self) + 56)
    for i in range(first, arity):
        if names[i] == name:
            return i
    return -1


@inlined_kernel
def _start_of(sizes: Pointer, place: int) -> int:
    """Where the numbers of an argument go."""
    start = 0
    for i in range(place):
        start += 1 if sizes[i] in (NUMBER, INTEGER) else sizes[i]
    return start


@inlined_kernel
def _read_one(known: Pointer, item: int, size: int, out: Pointer, start: int) -> bool:
    if size == NUMBER:
        return read_number(known, item, out, start)
    if size == INTEGER:
        if word_at(item + objects.TYPE_AT) != known[K_INT]:
            return False
        return read_number(known, item, out, start)
    return read_numbers(known, item, size, out, start)


@inlined_kernel
def _read_named(self: int, args: int, count: int, names: int) -> bool:
    """Read the arguments that are given by name, those behind the first ``count``.

    The client's is passed over: nothing a pure function returns depends on it.
    """
    known, out, arity = known_of(self), numbers_of(self), word_at(_record(self) + 24)
    sizes, found = pointer_u8(_record(self) + 32), count
    for k in range(word_at(names + objects.SIZE_AT)):
        name, item = word_at(names + objects.TUPLE_AT + 8 * k), pointer_i64(args)[count + k]
        if name == known[K_CLIENT_NAME]:
            if word_at(item + objects.TYPE_AT) != known[K_INT]:
                return False
            continue
        place = _place_of(self, name, count, arity)
        if place < 0 or not _read_one(known, item, sizes[place], out, _start_of(sizes, place)):
            return False
        found += 1
    return found == arity


@inlined_kernel
def read_arguments(self: int, args: int, count: int, names: int) -> bool:
    """Read the arguments of a pure function; False if one of them is not for the short cut."""
    known, out, used = known_of(self), numbers_of(self), 0
    arity, sizes = word_at(_record(self) + 24), pointer_u8(_record(self) + 32)
    if count > arity or (names == 0 and count != arity):
        return False
    for i in range(count):
        if not _read_one(known, pointer_i64(args)[i], sizes[i], out, used):
            return False
        used += 1 if sizes[i] in (NUMBER, INTEGER) else sizes[i]
    return names == 0 or _read_named(self, args, count, names)


class _MethodDef(ctypes.Structure):
    """CPython's PyMethodDef."""

    _fields_ = (
        ("name", ctypes.c_char_p),
        ("function", ctypes.c_void_p),
        ("flags", ctypes.c_int),
        ("doc", ctypes.c_char_p),
    )


_kept_alive: list[Any] = []  # builtins are made once a process, and stay


@functools.cache
def _table() -> np.ndarray[Any, np.dtype[np.int64]]:
    return objects.known_objects(sys.intern(CLIENT))


@functools.cache
def _signature_of(function: Callable[..., Any]) -> inspect.Signature:
    return inspect.signature(function)


def signature_of(function: Callable[..., Any]) -> inspect.Signature:
    """The signature of a function, or of what it wraps, worked out once."""
    return _signature_of(inspect.unwrap(function))


def make_builtin(
    python: Callable[..., Any], module: str, entry: Any, which: int, sizes: tuple[int, ...]
) -> Callable[..., Any]:
    """A builtin function in front of a Python function of the same name, signature and meaning.

    Args:
        python: What is called with the arguments that the short cut does not understand.
        module: Name of the module that holds the builtin.
        entry: Compiled, of signature ``ENTRY``.
        which: Number of the short cut, or an address, for the entry.
        sizes: Of each positional argument: NUMBER, INTEGER, or the length of a sequence.
    """
    name, owner = python.__name__, _Owner(module)
    signature = signature_of(python)
    words = [id(sys.intern(word)) for word in list(signature.parameters)[: len(sizes)]]
    words += [0] * (_MOST - len(words))
    head = _table().ctypes.data, id(python), which, len(sizes)
    owner.record = _RECORD.pack(*head, bytes(sizes), *words)
    bare = signature.replace(
        parameters=[_stated(p) for p in signature.parameters.values()],
        return_annotation=signature.empty,
    )
    doc = f"{name}{bare}\n--\n\n{inspect.getdoc(python) or ''}"
    flags = _METH_FASTCALL | _METH_KEYWORDS
    method = _MethodDef(name.encode(), entry.address, flags, doc.encode())
    new = ctypes.pythonapi.PyCFunction_NewEx
    new.restype = ctypes.py_object
    new.argtypes = [ctypes.POINTER(_MethodDef), ctypes.py_object, ctypes.py_object]
    _kept_alive.append((method, python, entry))
    return new(ctypes.byref(method), owner, module)


class _Unstated:
    """A default that a signature does not spell out."""

    def __repr__(self) -> str:
        return "..."


def _stated(parameter: inspect.Parameter) -> inspect.Parameter:
    """A parameter as the text of a signature can state it: only literals are defaults there."""
    default = parameter.default
    if default is not parameter.empty:
        try:
            ast.literal_eval(repr(default))
        except (SyntaxError, ValueError):
            default = _Unstated()
    return parameter.replace(annotation=parameter.empty, default=default)


def _not_done(*args: Any) -> None:
    """What is behind functions that do all they can, and leave the rest to their caller."""


def make_functions(entry: Any, count: int) -> tuple[Callable[..., Any], ...]:
    """The first ``count`` short cuts of an entry as functions that return None if they did nothing.

    Where nothing can be compiled they never do anything: ``entry`` is None then.
    """
    if entry is None:
        return (_not_done,) * count
    return tuple(make_builtin(_not_done, __name__, entry, which, ()) for which in range(count))


@functools.cache
def builtins_work() -> bool:
    """Whether builtins can be made; elsewhere the Python functions do the work alone."""
    return not is_plain("calls") and layout_is_known()


def layout_is_known() -> bool:
    """True if objects lie in memory the way the compiled functions read them.

    True for CPython with its lock. A build that can do without the lock counts as one that does,
    since importing any extension may set it free.
    """
    if sys.implementation.name != "cpython" or ctypes.sizeof(ctypes.c_void_p) != 8:
        return False
    if sysconfig.get_config_var("Py_GIL_DISABLED"):
        return False
    word = ctypes.c_int64.from_address
    pair, listed, number, text = (1.5, 2), [1.5, 2, 3], -2.25, b"12345678"
    array, owner = np.arange(6.0)[::2], _Owner("")
    owner.record = text
    fields = id(array) + objects.ARRAY_AT
    return (
        all(word(id(o) + objects.TYPE_AT).value == id(type(o)) for o in (pair, listed, number, 7))
        and word(id(pair) + objects.SIZE_AT).value == 2
        and word(id(listed) + objects.SIZE_AT).value == 3
        and word(id(pair) + objects.TUPLE_AT + 8).value == id(pair[1])
        and word(word(id(listed) + objects.LIST_AT).value + 16).value == id(listed[2])
        and ctypes.c_double.from_address(id(number) + objects.FLOAT_AT).value == number
        and ctypes.c_double.from_address(id(array[1]) + objects.FLOAT_AT).value == array[1]
        and ctypes.string_at(id(text) + object_layout.BYTES_AT, 8) == text
        and word(id(owner) + _OWNER_RECORD_AT).value == id(text)
        and word(fields).value == array.ctypes.data
        and ctypes.c_int.from_address(fields + 8).value == 1
        and word(word(fields + 16).value).value == 3
        and word(word(fields + 24).value).value == array.strides[0]
        and word(fields + 40).value == id(np.dtype(np.float64))
    )
