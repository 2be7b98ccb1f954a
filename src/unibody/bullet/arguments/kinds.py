"""What the parameters of a function take, and arguments that have to be converted first.

PyBullet reads arguments as C integers, floats and strings before it does anything. So an integer
is what Python can use as an index, within 32 bits, a number is what Python can take for a float,
and an error of a kind is told before any other.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterable
from operator import index
from typing import Any

from unibody.machine_code.calls.argument_forms import ANYTHING, INTEGER, NUMBER, TEXT
from unibody.machine_code.calls.functions import signature_of

_KINDS = {"int": INTEGER, "float": NUMBER, "str": TEXT}
_LEAST, _MOST, _WIDEST = -(1 << 31), (1 << 31) - 1, 1 << 63
_HEAP_TYPE = 1 << 9  # Py_TPFLAGS_HEAPTYPE


def kinds_of(function: Callable[..., Any]) -> tuple[int, ...]:
    """The kind of each parameter, by its annotation."""
    parameters = signature_of(function).parameters.values()
    return tuple(_KINDS.get(parameter.annotation, ANYTHING) for parameter in parameters)


def converting(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function that calls another with arguments converted to what its parameters take."""
    names = signature_of(function).parameters
    kinds = dict(zip(names, enumerate(kinds_of(function), 1), strict=True))
    converted = {name: kind for name, kind in kinds.items() if kind[1] != ANYTHING}
    places = tuple(converted.values())

    @functools.wraps(function)
    def convert(*args: Any, **named: Any) -> Any:
        if args:
            count, fitting = len(args), list(args)
            for place, kind in places:
                if place > count:
                    break
                fitting[place - 1] = fitted(args[place - 1], place, kind)
            args = tuple(fitting)
        if named:
            known = {n: fitted(named[n], *kind) for n, kind in converted.items() if n in named}
            named.update(known)
        return function(*args, **named)

    return convert


def fitted(value: Any, place: int, kind: int) -> Any:
    """An argument as its parameter takes it.

    Raises:
        TypeError: It is of another kind; PyBullet's messages.
        OverflowError: An integer beyond 32 bits.
    """
    if kind == INTEGER:
        return c_int(value)
    if kind == NUMBER:
        plain = value.__class__ is int and _LEAST <= value <= _MOST
        return value if plain or isinstance(value, (float, bool)) else math.copysign(value, value)
    if kind == TEXT and not isinstance(value, str):
        shown = "None" if value is None else _type_name(type(value))
        raise TypeError(f"argument {place} must be str, not {shown}")
    return value


def _type_name(kind: type) -> str:
    """The name that Python's own messages have for a type."""
    made_by_script = bool(kind.__flags__ & _HEAP_TYPE)
    if made_by_script or kind.__module__ == "builtins":
        return kind.__name__
    return f"{kind.__module__}.{kind.__name__}"


def c_int(value: Any) -> int:
    """A value that can be used as an index, as an integer of 32 bits.

    Raises:
        TypeError: It cannot.
        OverflowError: It is beyond 32 bits; the messages are Python's for C integers.
    """
    number = index(value)
    if _LEAST <= number <= _MOST:
        return number
    if not -_WIDEST <= number < _WIDEST:
        raise OverflowError("Python int too large to convert to C long")
    if number > 0:
        raise OverflowError("signed integer is greater than maximum")
    raise OverflowError("signed integer is less than minimum")


def whole_numbers(name: str, values: Iterable[Any]) -> list[int]:
    """The elements of a sequence argument as integers.

    Raises:
        TypeError: It is no sequence, or something in it is no integer.
        OverflowError: One is beyond 32 bits.
    """
    found = listed(name, values)
    try:
        return [c_int(value) for value in found]
    except TypeError as problem:
        raise TypeError(f"{name}={_shown(values)} is not allowed: {problem}") from None


def numbers(name: str, values: Iterable[Any]) -> list[float]:
    """The elements of a sequence argument as floats.

    Raises:
        TypeError: It is no sequence, or something in it is no number.
        OverflowError: One is beyond the range of floats.
    """
    found = listed(name, values)
    try:
        return [math.copysign(value, value) for value in found]
    except TypeError as problem:
        raise TypeError(f"{name}={_shown(values)} is not allowed: {problem}") from None


def number(name: str, value: Any) -> float:
    """An element of an argument as a float.

    Raises:
        TypeError: It is no number.
    """
    try:
        return math.copysign(value, value)
    except TypeError as problem:
        raise TypeError(f"{name}={_shown(value)} is not allowed: {problem}") from None


def listed(name: str, values: Iterable[Any]) -> list[Any]:
    """The elements of a sequence argument.

    Raises:
        TypeError: It is no sequence.
    """
    try:
        return list(values)
    except TypeError:
        shown = _shown(values)
        raise TypeError(f"{name}={shown} is not allowed: expected a sequence") from None


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:80]}..."
