"""Python values as words in memory, written and read in compiled code.

The kinds of values that calls and their results consist of nearly always: None, numbers, text,
bytes, tuples, lists and arrays of numbers. Whatever else comes is not written, and left to
``messages``. A value is a word that says its kind and size, and what belongs to it; tuples and
lists of floats are their floats in a row. Whoever reads checks everything: words may come from
anybody.
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from unibody.machine_code import object_layout, types
from unibody.machine_code.calls import objects
from unibody.machine_code.calls.functions import CLIENT, call_object
from unibody.machine_code.calls.objects import (
    K_ARRAY,
    K_BOOL,
    K_DTYPE,
    K_FLOAT,
    K_INT,
    K_LIST,
    K_NONE,
    K_NUMPY_FLOAT,
    K_TEXT,
    K_TUPLE,
    LIST_AT,
    SIZE_AT,
    TUPLE_AT,
    TYPE_AT,
    as_integer,
    boxed,
    drop,
    keep,
    new_tuple,
    set_item,
    stack_words,
    word_at,
)
from unibody.machine_code.jit import inlined_kernel, kernel
from unibody.machine_code.pointers import (
    Pointer,
    address_of,
    int_at,
    pointer_f64,
    pointer_i64,
    pointer_u8,
)

DEPTH = 16  # of tuples in tuples
_WORD = 8  # bytes
_ROW = 3  # words for each of them
_NONE, _BOOL, _INT, _FLOAT, _TUPLE, _LIST, _FLOATS, _FLOAT_LIST, _TEXT, _BYTES, _ARRAY = range(11)
_KIND = 255  # the bits of a head that say the kind
_SIZE = 8  # where those begin that say the size
_FIRST = objects.K_SCRATCH + objects.SCRATCH
K_BYTES, K_RANGE, K_TRUE, K_FALSE, K_EMPTY = range(_FIRST, _FIRST + 5)
_START_AT, _STEP_AT, _LENGTH_AT = (object.__basicsize__ + _WORD * i for i in (0, 2, 3))
_STRIDES_AT = 3 * _WORD

_i64 = types.int64
_text_of = types.ExternalFunction("PyUnicode_AsUTF8AndSize", _i64(_i64, _i64))
_new_text = types.ExternalFunction("PyUnicode_DecodeUTF8", _i64(_i64, _i64, _i64))
_new_bytes = types.ExternalFunction("PyBytes_FromStringAndSize", _i64(_i64, _i64))
_new_list = types.ExternalFunction("PyList_New", _i64(_i64))
_set_listed = types.ExternalFunction("PyList_SetItem", types.int32(_i64, _i64, _i64))
_error = types.ExternalFunction("PyErr_Occurred", _i64())
_clear = types.ExternalFunction("PyErr_Clear", types.void())
_one_word = stack_words(1)
_stack = stack_words(_ROW * DEPTH)


@functools.cache
def table() -> np.ndarray[Any, np.dtype[np.int64]]:
    """The objects that are recognised by their address."""
    more = [id(item) for item in (bytes, range, True, False, np.empty)]
    return np.concatenate([objects.known_objects(CLIENT), np.array(more, dtype=np.int64)])


@inlined_kernel
def _words_of(size: int) -> int:
    """How many words some bytes take."""
    return (size + _WORD - 1) // _WORD


@kernel
def _copy(to: int, origin: int, size: int) -> None:
    for i in range(size // _WORD):
        pointer_i64(to)[i] = pointer_i64(origin)[i]
    for i in range(size // _WORD * _WORD, size):
        pointer_u8(to)[i] = pointer_u8(origin)[i]


@kernel
def _write_block(out: Pointer, at: int, end: int, kind: int, origin: int, size: int) -> int:
    if origin == 0:
        _clear()
        return -1
    if size > (end - at - 1) * _WORD:
        return -1
    out[at] = kind | size << _SIZE
    _copy(address_of(out) + (at + 1) * _WORD, origin, size)
    return at + 1 + _words_of(size)


@inlined_kernel
def _write_integer(out: Pointer, at: int, item: int) -> int:
    value = as_integer(item)
    if value == -1 and _error() != 0:
        _clear()
        return -1
    out[at] = _INT
    out[at + 1] = value
    return at + 2


@kernel
def _write_array(known: Pointer, item: int, out: Pointer, at: int, end: int) -> int:
    fields = item + objects.ARRAY_AT
    if word_at(fields + 5 * _WORD) != known[K_DTYPE] or int_at(fields, _WORD) != 1:
        return -1
    count = word_at(word_at(fields + 2 * _WORD))
    if count > end - at - 1:
        return -1
    data, stride = word_at(fields), word_at(word_at(fields + _STRIDES_AT))
    out[at] = _ARRAY | count << _SIZE
    for i in range(count):
        out[at + 1 + i] = word_at(data + i * stride)
    return at + 1 + count


@kernel
def _write_range(out: Pointer, item: int, at: int, end: int) -> int:
    """A range as the tuple of its numbers."""
    start, step = as_integer(word_at(item + _START_AT)), as_integer(word_at(item + _STEP_AT))
    count = as_integer(word_at(item + _LENGTH_AT))
    if _error() != 0:
        _clear()
        return -1
    if count > (end - at - 1) // 2:
        return -1
    out[at] = _TUPLE | count << _SIZE
    for i in range(count):
        out[at + 1 + 2 * i] = _INT
        out[at + 2 + 2 * i] = start + i * step
    return at + 1 + 2 * count


@inlined_kernel
def _all_floats(known: Pointer, items: int, count: int) -> bool:
    for i in range(count):
        if word_at(word_at(items + i * _WORD) + TYPE_AT) != known[K_FLOAT]:
            return False
    return count > 0


@inlined_kernel
def _write_floats(items: int, count: int, kind: int, out: Pointer, at: int) -> int:
    out[at] = kind | count << _SIZE
    for i in range(count):
        out[at + 1 + i] = word_at(word_at(items + i * _WORD) + objects.FLOAT_AT)
    return at + 1 + count


@inlined_kernel
def _write_text(item: int, out: Pointer, at: int, end: int) -> int:
    size = _one_word()
    origin = _text_of(item, address_of(size))
    return _write_block(out, at, end, _TEXT, origin, size[0])


@inlined_kernel
def _write_one(known: Pointer, item: int, out: Pointer, at: int, end: int) -> int:
    """Write an object that holds no others."""
    cls = word_at(item + TYPE_AT)
    if cls in (known[K_FLOAT], known[K_NUMPY_FLOAT]):
        out[at] = _FLOAT
        out[at + 1] = word_at(item + objects.FLOAT_AT)
        return at + 2
    if cls == known[K_INT]:
        return _write_integer(out, at, item)
    if item == known[K_NONE]:
        out[at] = _NONE
        return at + 1
    if cls == known[K_BOOL]:
        out[at] = _BOOL | as_integer(item) << _SIZE
        return at + 1
    if cls == known[K_TEXT]:
        return _write_text(item, out, at, end)
    if cls == known[K_BYTES]:
        return _write_block(
            out, at, end, _BYTES, item + object_layout.BYTES_AT, word_at(item + SIZE_AT)
        )
    if cls == known[K_ARRAY]:
        return _write_array(known, item, out, at, end)
    return _write_range(out, item, at, end) if cls == known[K_RANGE] else -1


@kernel
def write_value(known: Pointer, item: int, out: Pointer, at: int, end: int) -> int:
    """Write an object from a word on.

    Returns:
        The word behind it; -1 if it is of another kind, or does not fit.
    """
    stack, level = _stack(), 0  # of what is being written: items, how many are done, their number
    while True:
        if at + 2 > end:
            return -1
        cls = word_at(item + TYPE_AT)
        if cls in (known[K_TUPLE], known[K_LIST]):
            listed, count = cls == known[K_LIST], word_at(item + SIZE_AT)
            items = word_at(item + LIST_AT) if listed else item + TUPLE_AT
            if count > end - at - 1:
                return -1
            if _all_floats(known, items, count):
                at = _write_floats(items, count, _FLOAT_LIST if listed else _FLOATS, out, at)
            elif level == DEPTH:
                return -1
            else:
                out[at] = (_LIST if listed else _TUPLE) | count << _SIZE
                at += 1
                top = _ROW * level
                stack[top], stack[top + 1], stack[top + 2] = items, 0, count
                level += 1
        else:
            at = _write_one(known, item, out, at, end)
            if at < 0:
                return -1
        while level > 0 and stack[_ROW * level - 2] == stack[_ROW * level - 1]:
            level -= 1
        if level == 0:
            return at
        top = _ROW * (level - 1)
        item = word_at(stack[top] + stack[top + 1] * _WORD)
        stack[top + 1] += 1


@inlined_kernel
def _new_floats(data: Pointer, at: int, count: int, listed: bool) -> int:
    made = _new_list(count) if listed else new_tuple(count)
    numbers = pointer_f64(address_of(data) + at * _WORD)
    for i in range(count):
        if listed:
            _set_listed(made, i, boxed(numbers[i]))
        else:
            set_item(made, i, boxed(numbers[i]))
    return made


@kernel
def _new_array(known: Pointer, data: Pointer, at: int, count: int) -> int:
    passed = _one_word()
    passed[0] = boxed(count)
    made = call_object(known[K_EMPTY], address_of(passed), 1, 0)
    drop(passed[0])
    if made != 0:
        _copy(word_at(made + objects.ARRAY_AT), address_of(data) + at * _WORD, count * _WORD)
    return made


@kernel
def _read_block(kind: int, origin: int, size: int) -> int:
    made = _new_text(origin, size, 0) if kind == _TEXT else _new_bytes(origin, size)
    if made == 0:
        _clear()
    return made


@inlined_kernel
def _kept(item: int) -> int:
    keep(item)
    return item


@inlined_kernel
def _read_one(known: Pointer, data: Pointer, where: Pointer, end: int) -> int:
    """A new object of the words from ``where[0]`` on; tuples and lists are still empty."""
    at = where[0]
    if at >= end:
        return 0
    kind, size = data[at] & _KIND, data[at] >> _SIZE
    at += 1
    words = size
    if kind in (_NONE, _BOOL):
        words = 0
    elif kind in (_INT, _FLOAT):
        words = 1
    elif kind in (_TEXT, _BYTES):
        words = _words_of(size) if size < (end - at + 1) * _WORD else -1
    if not 0 <= words <= end - at or (kind != _BOOL and size < 0):
        return 0
    where[0] = at if kind in (_TUPLE, _LIST) else at + words
    if kind in (_FLOATS, _FLOAT_LIST):
        return _new_floats(data, at, size, kind == _FLOAT_LIST)
    if kind in (_TUPLE, _LIST):
        return new_tuple(size) if kind == _TUPLE else _new_list(size)
    if kind == _NONE:
        return _kept(known[K_NONE])
    if kind == _BOOL:
        return _kept(known[K_TRUE] if size != 0 else known[K_FALSE])
    if kind == _INT:
        return boxed(data[at])
    if kind == _FLOAT:
        return boxed(pointer_f64(address_of(data) + at * _WORD)[0])
    if kind in (_TEXT, _BYTES):
        return _read_block(kind, address_of(data) + at * _WORD, size)
    return _new_array(known, data, at, size) if kind == _ARRAY else 0


@inlined_kernel
def _put(known: Pointer, holder: int, index: int, item: int) -> None:
    if word_at(holder + TYPE_AT) == known[K_TUPLE]:
        set_item(holder, index, item)
    else:
        _set_listed(holder, index, item)


@kernel
def read_value(known: Pointer, data: Pointer, where: Pointer, end: int) -> int:
    """A new object of the words from ``where[0]`` on, which moves behind it; 0: there is none."""
    stack, level = _stack(), 0  # of what is being filled: the object, how many are done, and all
    while True:
        start = where[0]
        item = _read_one(known, data, where, end)
        if item != 0:
            kind, size = data[start] & _KIND, data[start] >> _SIZE
            if kind in (_TUPLE, _LIST) and size > 0:
                if level < DEPTH:
                    top = _ROW * level
                    stack[top], stack[top + 1], stack[top + 2] = item, 0, size
                    level += 1
                    continue
                drop(item)
                item = 0
        if item == 0:
            for i in range(level):
                drop(stack[_ROW * i])
            return 0
        while level > 0:
            top = _ROW * (level - 1)
            _put(known, stack[top], stack[top + 1], item)
            stack[top + 1] += 1
            if stack[top + 1] < stack[top + 2]:
                break
            item = stack[top]
            level -= 1
        if level == 0:
            return item
