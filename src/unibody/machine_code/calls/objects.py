"""Reading numbers out of Python objects, and making objects of numbers, in compiled functions.

Only objects of exactly the types that scripts pass nearly always are read here: tuples and lists
of floats, integers and NumPy's float64, and one-dimensional float64 arrays. Whatever else comes is
not read, and left to the Python function behind the short cut, which knows what to say about it.

Everything here runs with the interpreter's lock held, and calls nothing that runs Python code
before the numbers are read.
"""

from __future__ import annotations

import ctypes
import importlib
from typing import TYPE_CHECKING, Any

import numpy as np

from unibody.machine_code import intrinsic, types
from unibody.machine_code.jit import inlined_kernel, kernel
from unibody.machine_code.object_layout import (
    ARRAY_AT,
    FLOAT_AT,
    LIST_AT,
    SIZE_AT,
    TUPLE_AT,
    TYPE_AT,
    WORD,
)
from unibody.machine_code.pointers import Pointer, int_at, pointer_f64, pointer_i64

if TYPE_CHECKING:
    from unibody.machine_code.deferred import ExternalFunction

SCRATCH = 32  # numbers

_int64 = types.int64
_as_double = types.ExternalFunction("PyLong_AsDouble", types.float64(_int64))
as_integer: ExternalFunction = types.ExternalFunction("PyLong_AsLongLong", _int64(_int64))
_as_real = types.ExternalFunction("PyFloat_AsDouble", types.float64(_int64))
_as_index = types.ExternalFunction("PyNumber_Index", _int64(_int64))
_error_occurred = types.ExternalFunction("PyErr_Occurred", _int64())
_clear_error = types.ExternalFunction("PyErr_Clear", types.void())


# slots of the table of objects that compiled functions recognise by their address
K_TUPLE, K_LIST, K_FLOAT, K_INT, K_NUMPY_FLOAT, K_ARRAY, K_DTYPE, K_CLIENT_NAME = range(8)
K_BOOL, K_TEXT, K_NOT_IMPLEMENTED, K_NONE = range(8, 12)
K_SCRATCH = 12  # from here on: room for the numbers of one call
_LEAST, _MOST = -(1 << 31), (1 << 31) - 1  # of a C int


def known_objects(client_name: str) -> np.ndarray[Any, np.dtype[np.int64]]:
    """The table of this process, followed by the scratch memory.

    Args:
        client_name: Name of a keyword argument that is accepted with any integer.
    """
    table = np.zeros(K_SCRATCH + SCRATCH, dtype=np.int64)
    types_of_numbers = (float, int, np.float64, np.ndarray, np.dtype(np.float64))
    known = (tuple, list, *types_of_numbers, client_name, bool, str, NotImplemented, None)
    table[:K_SCRATCH] = [id(item) for item in known]
    return table


new_tuple: ExternalFunction = types.ExternalFunction("PyTuple_New", _int64(_int64))
keep: ExternalFunction = types.ExternalFunction("Py_IncRef", types.void(_int64))
drop: ExternalFunction = types.ExternalFunction("Py_DecRef", types.void(_int64))
dict_item: ExternalFunction = types.ExternalFunction(
    "PyDict_GetItem", _int64(_int64, _int64)
)  # borrowed, or 0
dict_size: ExternalFunction = types.ExternalFunction("PyDict_Size", _int64(_int64))
set_item: ExternalFunction = types.ExternalFunction(
    "PyTuple_SetItem", types.int32(_int64, _int64, _int64)
)


def slot_at(cls: type[Any], name: str) -> int:
    """Where in the objects of a class an attribute of its ``__slots__`` is, in bytes."""
    probe: Any = object.__new__(cls)
    marker = object()
    setattr(probe, name, marker)
    words = (ctypes.c_ssize_t * (cls.__basicsize__ // WORD)).from_address(id(probe))
    return WORD * list(words).index(id(marker))


@intrinsic
def boxed(typing_context: Any, value: Any) -> Any:
    """A new Python object (its address) of numbers and tuples of them."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        made = context.get_python_api(builder).from_native_value(signature.args[0], args[0])
        return builder.ptrtoint(made, context.get_value_type(signature.return_type))

    return types.int64(value), codegen


def stack_words(count: int) -> Any:
    """A compiled function that gives its caller room for words on the stack.

    What is in there belongs to one call of the caller: another may begin in the middle of it.
    """

    @intrinsic
    def room(typing_context: Any) -> Any:
        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            compiler: Any = importlib.import_module("numba.core.cgutils")
            word = context.get_value_type(signature.return_type).pointee
            return compiler.alloca_once(builder, word, size=count)

        return types.CPointer(types.int64)(), codegen

    return room


def taker(count: int) -> Any:
    """A compiled function that makes a tuple of the first ``count`` numbers behind a pointer."""

    @intrinsic
    def take(typing_context: Any, numbers: Any) -> Any:
        made = types.UniTuple(types.float64, count)

        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            words = [context.get_constant(types.int64.real, i) for i in range(count)]
            items = [builder.load(builder.gep(args[0], [word])) for word in words]
            return context.make_tuple(builder, signature.return_type, items)

        return made(numbers), codegen

    return take


@inlined_kernel
def word_at(address: int) -> int:
    """The pointer-sized integer at an address."""
    return pointer_i64(address)[0]


@inlined_kernel
def read_number(known: Pointer, item: int, out: Pointer, index: int) -> bool:
    """Put a float or an integer into ``out[index]``; False if it is neither."""
    kind = word_at(item + TYPE_AT)
    if kind in (known[K_FLOAT], known[K_NUMPY_FLOAT]):
        out[index] = pointer_f64(item + FLOAT_AT)[0]
        return True
    if kind != known[K_INT]:
        return False
    out[index] = _as_double(item)
    if out[index] == -1.0 and _error_occurred() != 0:  # an integer beyond all floats
        _clear_error()
        return False
    return True


@inlined_kernel
def is_c_int(known: Pointer, item: int) -> bool:
    """Whether an object is an integer, or a bool, that fits into 32 bits."""
    kind = word_at(item + TYPE_AT)
    if kind != known[K_INT]:
        return kind == known[K_BOOL]
    value = as_integer(item)
    if value == -1 and _error_occurred() != 0:  # beyond 64 bits
        _clear_error()
        return False
    return _LEAST <= value <= _MOST


@inlined_kernel
def is_plain_number(known: Pointer, item: int) -> bool:
    """Whether an object is a float, one of NumPy's float64, a bool or an integer of 32 bits."""
    kind = word_at(item + TYPE_AT)
    return kind in (known[K_FLOAT], known[K_NUMPY_FLOAT]) or is_c_int(known, item)


@kernel
def new_c_int(known: Pointer, item: int) -> int:
    """A new integer of 32 bits (its address) of what can be used as one; 0 if it cannot."""
    number = _as_index(item)
    if number == 0:
        _clear_error()
    elif not is_c_int(known, number):
        drop(number)
        number = 0
    return number


@kernel
def new_float(item: int) -> int:
    """A new float (its address) of what can be used as one; 0 if it cannot."""
    number = _as_real(item)
    if number == -1.0 and _error_occurred() != 0:
        _clear_error()
        return 0
    return boxed(number)


@inlined_kernel
def _read_array(known: Pointer, array: int, count: int, out: Pointer, index: int) -> bool:
    fields = array + ARRAY_AT
    if word_at(fields + 5 * WORD) != known[K_DTYPE] or int_at(fields, WORD) != 1:
        return False
    if word_at(word_at(fields + 2 * WORD)) != count:
        return False
    data, stride = word_at(fields), word_at(word_at(fields + 3 * WORD))
    for i in range(count):
        out[index + i] = pointer_f64(data + i * stride)[0]
    return True


@inlined_kernel
def items_of(known: Pointer, value: int, count: int) -> int:
    """Address of the items of a tuple or list of ``count``; 0 if it is none."""
    kind = word_at(value + TYPE_AT)
    if kind == known[K_TUPLE]:
        items = value + TUPLE_AT
    elif kind == known[K_LIST]:
        items = word_at(value + LIST_AT)
    else:
        return 0
    return items if word_at(value + SIZE_AT) == count else 0


@inlined_kernel
def holds_floats(known: Pointer, value: int, count: int) -> bool:
    """Whether an object is a tuple of ``count`` floats."""
    if word_at(value + TYPE_AT) != known[K_TUPLE] or word_at(value + SIZE_AT) != count:
        return False
    for i in range(count):
        if word_at(word_at(value + TUPLE_AT + i * WORD) + TYPE_AT) != known[K_FLOAT]:
            return False
    return True


MOST_NUMBER = 1e100


@inlined_kernel
def all_finite(numbers: Pointer, first: int, count: int) -> bool:
    """Whether some numbers are finite, and so the product of three of them."""
    result = True
    for i in range(first, first + count):
        result &= abs(numbers[i]) <= MOST_NUMBER
    return result


@inlined_kernel
def is_finite(known: Pointer, value: int) -> bool:
    """Whether an object is no float, nor a tuple of floats, that is not finite as above."""
    kind = word_at(value + TYPE_AT)
    if kind == known[K_FLOAT]:
        return abs(pointer_f64(value + FLOAT_AT)[0]) <= MOST_NUMBER
    if kind != known[K_TUPLE]:
        return True
    result = True
    for i in range(word_at(value + SIZE_AT)):
        item = word_at(value + TUPLE_AT + i * WORD)
        if word_at(item + TYPE_AT) == known[K_FLOAT]:
            result &= abs(pointer_f64(item + FLOAT_AT)[0]) <= MOST_NUMBER
    return result


@inlined_kernel
def read_numbers(known: Pointer, value: int, count: int, out: Pointer, index: int) -> bool:
    """Put a sequence of ``count`` numbers into ``out`` from ``index`` on; False if it is none."""
    if word_at(value + TYPE_AT) == known[K_ARRAY]:
        return _read_array(known, value, count, out, index)
    items = items_of(known, value, count)
    if items == 0:
        return False
    for i in range(count):  # noqa: SIM110 - numba compiles a loop, not a generator
        if not read_number(known, word_at(items + i * WORD), out, index + i):
            return False
    return True


@inlined_kernel
def integer_at(args: Pointer, index: int) -> int:
    """An argument that is an integer of ours, an address for instance."""
    return as_integer(args[index])


@kernel
def boxed_numbers(numbers: Pointer, count: int) -> int:
    """A new tuple (its address) of the numbers behind a pointer."""
    made = new_tuple(count)
    for i in range(count):
        set_item(made, i, boxed(numbers[i]))
    return made


@kernel
def boxed_rows(numbers: Pointer, rows: int, columns: int) -> int:
    """A new tuple of tuples of the numbers behind a pointer, row by row."""
    made = new_tuple(rows)
    for row in range(rows):
        inner = new_tuple(columns)
        for i in range(columns):
            set_item(inner, i, boxed(numbers[row * columns + i]))
        set_item(made, row, inner)
    return made
