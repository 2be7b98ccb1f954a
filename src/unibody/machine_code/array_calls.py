"""Compiled functions of arrays that Python calls, loaded from a file of their machine code.

numba's own way to call one reads intermediate code from its cache and sets up all that compiling
takes, half a second and 60 MB in a process that compiles nothing. Here an entry gets the addresses
and sizes of the arrays in a row of words, and makes arguments of them again.
"""

from __future__ import annotations

import ctypes
import functools
import hashlib
import importlib
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np

from unibody.machine_code import intrinsic, numba, types
from unibody.machine_code.jit import kernel
from unibody.machine_code.kept import kept_entry
from unibody.machine_code.object_layout import (
    ARRAY_AT,
    FLOAT_AT,
    SIZE_AT,
    TUPLE_AT,
    TYPE_AT,
    WORD,
)
from unibody.mechanisms import is_plain

__all__ = ["array_function"]

_NUMBAS_OPTIONS = {"error_model": "numpy", "nogil": True}  # as those of what is kept
_WANTED_FLAGS = 0x1 | 0x100  # rows one behind the other, numbers where the processor wants them
_TUPLE, _ARRAY, _FLOAT, _INT = range(4)  # codes of a plan
_PLAN_SIZE = 4  # numbers of a plan for each argument: code, its type, size, type of its elements
_READER = types.int64(types.int64, types.int64, types.int64, types.int64)
_ENTRY = types.int64(types.int64)

_as_integer = types.ExternalFunction("PyLong_AsLongLong", types.int64(types.int64))


@intrinsic
def _words(typing_context: Any, address: Any) -> Any:
    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.inttoptr(args[0], context.get_value_type(signature.return_type))

    return types.CPointer(types.int64)(address), codegen


@kernel
def _read_array(item: int, dtype: int, dimensions: int, words: Any, filled: int) -> bool:
    head = _words(item + ARRAY_AT)
    if head[1] & 0xFFFFFFFF != dimensions or head[5] != dtype:
        return False
    if head[6] & _WANTED_FLAGS != _WANTED_FLAGS:
        return False
    sizes = _words(head[2])
    words[filled] = head[0]
    for k in range(dimensions):
        words[filled + 1 + k] = sizes[k]
    return True


def _build_reader() -> Any:
    @kept_entry(_READER)
    def read(values: int, plan_at: int, length: int, words_at: int) -> int:
        """Put arguments into words; 0 where one is not as planned."""
        plan, words = _words(plan_at), _words(words_at)
        outer, inner, left, filled = values + TUPLE_AT, 0, 0, 0
        for step in range(length):
            if left > 0:
                item = _words(inner)[0]
                inner += WORD
                left -= 1
            else:
                item = _words(outer)[0]
                outer += WORD
            code, size = plan[_PLAN_SIZE * step], plan[_PLAN_SIZE * step + 2]
            if _words(item + TYPE_AT)[0] != plan[_PLAN_SIZE * step + 1]:
                return 0
            if code == _TUPLE:
                if _words(item + SIZE_AT)[0] != size:
                    return 0
                inner, left = item + TUPLE_AT, size
            elif code == _ARRAY:
                if not _read_array(item, plan[_PLAN_SIZE * step + 3], size, words, filled):
                    return 0
                filled += 1 + size
            else:
                words[filled] = _words(item + FLOAT_AT)[0] if code == _FLOAT else _as_integer(item)
                filled += 1
        return 1

    return read


@functools.cache
def _reader() -> Callable[..., int]:
    """Of the interpreter's objects: it is called with the interpreter's lock held."""
    entry = _build_reader()
    signature = ctypes.PYFUNCTYPE(
        ctypes.c_int64, ctypes.py_object, ctypes.c_int64, ctypes.c_int64, ctypes.c_int64
    )
    function: Any = signature(entry.address)
    function.kept_alive = entry
    return function


class _Kind(NamedTuple):
    """What an argument is.

    Attributes:
        name: Of the type of a number, or of the numbers of an array, or of a tuple.
        dimensions: Of an array; -1 for what is none.
        parts: Of a tuple.
        owner: The class of a tuple.
    """

    name: str
    dimensions: int = -1
    parts: tuple[Any, ...] = ()
    owner: Any = None

    def __str__(self) -> str:
        inside = ", ".join(map(str, self.parts))
        return f"{self.name}[{self.dimensions}]({inside})"

    def words(self) -> int:
        """How many of them it takes."""
        return (
            sum(part.words() for part in self.parts) if self.owner else max(self.dimensions, 0) + 1
        )

    def real(self) -> Any:
        """The type for numba."""
        kinds: Any = numba.types
        if self.owner is None:
            number = getattr(kinds, self.name)
            return number if self.dimensions < 0 else kinds.Array(number, self.dimensions, "C")
        parts = [part.real() for part in self.parts]
        named = hasattr(self.owner, "_fields")
        return kinds.NamedTuple(parts, self.owner) if named else kinds.Tuple(parts)


def _kind_of(value: Any) -> _Kind:
    """What a plain argument is."""
    if isinstance(value, np.ndarray):
        return _Kind(_ELEMENTS[value.dtype.str], value.ndim)
    if isinstance(value, tuple):
        owner = type(value)
        return _Kind(owner.__qualname__, -1, tuple(map(_kind_of, value)), owner)
    return _Kind(_NUMBERS[type(value)])


_NUMBERS: dict[type, str] = {bool: "boolean", int: "int64", float: "float64"}
_ELEMENTS = {
    "<f8": "float64", "<f4": "float32", "<i8": "int64", "<i4": "int32", "|u1": "uint8",
    "|b1": "boolean",
}  # fmt: skip
_DTYPES = {code: np.dtype(code) for code in _ELEMENTS}  # the one object that arrays share


def _plan_of(value: Any) -> Iterator[tuple[int, int, int, int]]:
    """What the reader shall find in a plain argument; of a tuple before its items."""
    kind = id(type(value))
    if isinstance(value, np.ndarray):
        yield _ARRAY, kind, value.ndim, id(value.dtype)
    elif isinstance(value, tuple):
        yield _TUPLE, kind, len(value), 0
        for item in value:
            yield from _plan_of(item)
    else:
        yield _FLOAT if isinstance(value, float) else _INT, kind, 0, 0


def _emitted(context: Any, builder: Any, words: Any, at: int, kind: Any) -> tuple[Any, int]:
    """LLVM's value of an argument whose words begin at a place, and the place behind them."""
    compiler: Any = importlib.import_module("numba.core.cgutils")
    kinds: Any = numba.types

    def word(index: int) -> Any:
        return builder.load(compiler.gep_inbounds(builder, words, index))

    if isinstance(kind, kinds.BaseTuple):
        values: list[Any] = []
        for part in kind.types:
            value, at = _emitted(context, builder, words, at, part)
            values.append(value)
        return context.make_tuple(builder, kind, values), at
    if isinstance(kind, kinds.Array):
        return _emitted_array(context, builder, word, at, kind), at + 1 + kind.ndim
    if kind is kinds.boolean:
        return builder.trunc(word(at), context.get_value_type(kind)), at + 1
    return builder.bitcast(word(at), context.get_value_type(kind)), at + 1


def _emitted_array(context: Any, builder: Any, word: Any, at: int, kind: Any) -> Any:
    populate: Any = importlib.import_module("numba.np.arrayobj").populate_array
    array = context.make_array(kind)(context, builder)
    shape = [word(at + 1 + k) for k in range(kind.ndim)]
    step = context.get_constant(
        types.int64.real, context.get_abi_sizeof(context.get_data_type(kind.dtype))
    )
    strides: list[Any] = []
    for count in reversed(shape):
        strides.insert(0, step)
        step = builder.mul(step, count)
    itemsize = strides[-1] if strides else step
    populate(
        array, data=builder.inttoptr(word(at), array.data.type), shape=shape, strides=strides,
        itemsize=itemsize, meminfo=None,
    )  # fmt: skip
    return array._getvalue()


def _taker(kind: _Kind, digest: str) -> Any:
    """A compiled function that makes arguments of words."""

    @intrinsic
    def arguments(typing_context: Any, words: Any) -> Any:
        kinds = kind.real()

        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            return _emitted(context, builder, args[0], 0, kinds)[0]

        return kinds(words), codegen

    arguments.stated = f"{kind} {digest}"
    return arguments


def _build(function: Any, kind: _Kind, digest: str, returns: bool) -> Any:
    arguments = _taker(kind, digest)
    inner = function.py_func
    types_hash = hashlib.sha256(str(kind).encode()).hexdigest()[:8]
    name = f"{inner.__module__}.{inner.__qualname__}-{types_hash}"
    if returns:

        @kept_entry(_ENTRY, name)
        def answering(words: int) -> int:
            return function(*arguments(_words(words)))

        return answering

    @kept_entry(_ENTRY, name)
    def entry(words: int) -> int:
        function(*arguments(_words(words)))
        return 0

    return entry


class _Kept:
    """A function for arguments of certain types."""

    def __init__(self, entry: Any, kind: _Kind, values: tuple[Any, ...]) -> None:
        plan = [row for value in values for row in _plan_of(value)]
        self._entry = entry.ctypes
        self._plan = np.array(plan, dtype=np.int64)
        self._plan_at, self._length = self._plan.ctypes.data, len(plan)
        self._types = [type(item) for item in values]  # kept alive: the plan has their addresses
        self._count = len(values)
        self._room = ctypes.c_int64 * kind.words()
        self._rooms: list[tuple[Any, int]] = []  # as many as there were calls at once
        self._read = _reader()

    def call(self, values: tuple[Any, ...]) -> int | None:
        """Its result; None if these are not its types."""
        if len(values) != self._count:
            return None
        try:
            room = self._rooms.pop()
        except IndexError:
            words = self._room()
            room = words, ctypes.addressof(words)
        at = room[1]
        result: int | None = None
        if self._read(values, self._plan_at, self._length, at):
            result = self._entry(at)
        self._rooms.append(room)
        return result


def keeps_code() -> bool:
    """Whether the code of functions of arrays is kept; else numba compiles it in each process."""
    return not (is_plain("calls") or is_plain("machine-code"))


class ArrayFunction:
    """A function that is compiled, or loaded, when it is called first with some types.

    The interpreter's lock is released while it runs.

    Attributes:
        py_func: What it was before it was compiled.
        signatures: Types of arguments that there is code for.
    """

    def __init__(
        self, function: Callable[..., Any], sources: tuple[ModuleType, ...], returns: bool
    ) -> None:
        self.py_func = function
        self._compiled: Any = kernel(function)
        self._sources = (function.__code__.co_filename, *(str(s.__file__) for s in sources))
        self._returns = returns
        self._numbas: Any = None if keeps_code() else numba.njit(function, **_NUMBAS_OPTIONS)
        self.signatures: list[str] = []
        self._kept: list[_Kept] = []

    def __call__(self, *values: Any) -> int:
        """Call it.

        Args:
            *values: Arrays whose rows follow one another, numbers, and tuples of them.

        Returns:
            What it returns, 0 for nothing.

        Raises:
            TypeError: An argument is something else.
        """
        if self._numbas is not None:
            return int(self._numbas(*map(_plain, values)) or 0)
        result = None
        for kept in self._kept:
            result = kept.call(values)
            if result is not None:
                return result
        if result is None:
            values = tuple(map(_plain, values))
            result = self._call_kept(values)
        if result is None:
            kind = _kind_of(values)
            entry = _build(self._compiled, kind, self._digest(), self._returns)
            self._kept.append(_Kept(entry, kind, values))
            self.signatures.append(str(kind))
            result = self._call_kept(values)
        if result is None:
            raise TypeError(f"{self.py_func.__name__} takes arrays and numbers, not {values!r}")
        return result

    def _call_kept(self, values: tuple[Any, ...]) -> int | None:
        for kept in self._kept:
            result = kept.call(values)
            if result is not None:
                return result
        return None

    def _digest(self) -> str:
        digest = hashlib.sha256()
        for source in self._sources:
            digest.update(Path(source).read_bytes())
        return digest.hexdigest()


def _plain(value: Any, nested: bool = False) -> Any:
    """The same argument, of exactly the types that the reader knows.

    Raises:
        TypeError: It is neither a number nor an array whose rows follow one another, nor a tuple of
            them.
    """
    if isinstance(value, np.ndarray) and value.dtype.str in _DTYPES:
        array = np.asarray(value).view(_DTYPES[value.dtype.str])
        if array.flags.c_contiguous and array.flags.aligned:
            return array
    if isinstance(value, tuple) and not nested:
        items = [_plain(item, nested=True) for item in value]
        make: Any = getattr(value, "_make", tuple)  # of a named tuple
        return make(items)
    for kind in (bool, int, float):
        if isinstance(value, kind):
            return kind(value)
    raise TypeError(f"a compiled function takes arrays and numbers, not {value!r}")


def array_function(
    *sources: ModuleType, returns: bool = False
) -> Callable[[Callable[..., Any]], ArrayFunction]:
    """Decorate a function of arrays that Python calls; compiled functions cannot call it.

    Args:
        *sources: Modules whose code it uses besides its own.
        returns: It returns an integer, else nothing.
    """

    def decorate(function: Callable[..., Any]) -> ArrayFunction:
        return ArrayFunction(function, sources, returns)

    return decorate
