"""Values as arrays and the rest, so that arrays can lie in memory that two processes see.

A form is what a value looks like without its numbers: tuples and dictionaries with the types and
shapes of arrays, and the words, truth values and None in them. Values of one form differ in their
arrays, and in parts of other kinds, which are left over.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
Form = Hashable
_NUMBERS = "biufc"  # kinds of arrays that are numbers
_ARRAY, _TUPLE, _DICT, _WORD, _OTHER = range(5)


def taken_apart(value: Any, arrays: list[Array], others: list[Any]) -> Form:
    """The form of a value.

    Args:
        value: The value.
        arrays: Gets its arrays of numbers.
        others: Gets parts of other kinds.
    """
    kind = type(value)
    if kind is np.ndarray and value.dtype.kind in _NUMBERS:
        arrays.append(value)
        return _ARRAY, value.dtype.str, value.shape
    if kind is tuple:
        return _TUPLE, *[taken_apart(each, arrays, others) for each in value]
    if kind is dict and all(type(name) is str for name in value):
        inner = [taken_apart(each, arrays, others) for each in value.values()]
        return _DICT, tuple(value), *inner
    if value is None or kind in (str, bool):
        return _WORD, kind, value
    others.append(value)
    return (_OTHER,)


def put_together(form: Any, arrays: Iterator[Array], others: Iterator[Any]) -> Any:
    """The value of a form, its arrays and its parts of other kinds."""
    kind = form[0]
    if kind == _ARRAY:
        return next(arrays)
    if kind == _TUPLE:
        return tuple([put_together(each, arrays, others) for each in form[1:]])
    if kind == _DICT:
        names, inner = form[1], form[2:]
        return {
            name: put_together(each, arrays, others)
            for name, each in zip(names, inner, strict=True)
        }
    return form[2] if kind == _WORD else next(others)


def arrays_of(form: Any) -> list[tuple[str, tuple[int, ...]]]:
    """Types and shapes of the arrays of a form."""
    if form[0] == _ARRAY:
        return [form[1:]]
    inner = form[1:] if form[0] == _TUPLE else form[2:] if form[0] == _DICT else ()
    return [found for each in inner for found in arrays_of(each)]
