"""Arguments of plain functions, looked at before anything else, by the annotations of parameters.

Kinds are taken loosely: whatever converts to one number is a number. Numbers have to be finite.
"""

from __future__ import annotations

import functools
import inspect
import math
import operator
import re
from collections.abc import Callable, Mapping
from typing import Any, ParamSpec, TypeVar

import numpy as np

from unibody.isaacgym.errors import ArgumentTypeError

Params = ParamSpec("Params")
Result = TypeVar("Result")
Kind = tuple[Callable[[Any], bool], str]
_INT32 = 2**31
_OUTER = re.compile(r"\[.*\]")


def is_number(value: Any) -> bool:
    """Whether a value converts to a finite number."""
    if isinstance(value, (str, bytes)):
        return False
    try:
        return math.isfinite(value)
    except (TypeError, ValueError, OverflowError, RuntimeError):
        return False


def method_of(gym: Any, name: str) -> Callable[..., Any]:
    """A method of a ``Gym``, or of what stands for one.

    Raises:
        ArgumentTypeError: It has none.
    """
    if not hasattr(gym, name):
        raise ArgumentTypeError("gym", gym, "a Gym")
    return getattr(gym, name)


def _is_whole(value: Any) -> bool:
    try:
        return -_INT32 <= operator.index(value) < _INT32
    except (TypeError, RuntimeError):
        return False


def _is_flag(value: Any) -> bool:
    if value is None:
        return True
    try:
        return hasattr(value, "__bool__") and isinstance(bool(value), bool)
    except (TypeError, ValueError, RuntimeError):  # several numbers
        return False


def _is_array(value: Any) -> bool:
    return isinstance(value, np.ndarray) and value.dtype.kind in "biuf"


def _are_numbers(value: Any) -> bool:
    if isinstance(value, (str, bytes, Mapping)) or not hasattr(value, "__len__"):
        return False
    try:
        return all(map(is_number, value))
    except TypeError:
        return False


_KINDS: dict[str, Kind] = {
    "float": (is_number, "a finite number"),
    "int": (_is_whole, "an integer of 32 bits"),
    "bool": (_is_flag, "True or False"),
    "str": (lambda value: isinstance(value, str), "a str"),
    "None": (lambda value: value is None, "None"),
    "NDArray": (_is_array, "an array of numbers"),
    "Mapping": (lambda value: isinstance(value, Mapping), "a dict"),
    "Sequence[float]": (_are_numbers, "a list of finite numbers"),
}


def _kinds(annotation: str, names: Mapping[str, Any]) -> list[Kind]:
    """What an annotation allows; nothing: anything."""
    found: list[Kind] = []
    for part in annotation.split(" | "):
        name = _OUTER.sub("", part).rpartition(".")[2]
        kind = _KINDS.get(part) or _KINDS.get(name)
        if kind is None:
            wanted = names.get(name)
            if wanted is Any or not isinstance(wanted, type):
                return []
            kind = functools.partial(lambda of, value: isinstance(value, of), wanted), f"a {name}"
        found.append(kind)
    return found


def checked(function: Callable[Params, Result]) -> Callable[Params, Result]:
    """A function that refuses arguments of other kinds than its annotations say, by name.

    Its module has its annotations as text.
    """
    signature = inspect.signature(function)
    kinds: dict[str, list[Kind]] = {}

    @functools.wraps(function)
    def wrapper(*args: Params.args, **named: Params.kwargs) -> Result:
        if not kinds:
            for name, one in signature.parameters.items():
                kinds[name] = _kinds(str(one.annotation), function.__globals__)
        for name, value in signature.bind(*args, **named).arguments.items():
            allowed = kinds[name]
            if allowed and not any(check(value) for check, _ in allowed):
                words = " or ".join(word for _, word in allowed)
                raise ArgumentTypeError(name, value, words)
        return function(*args, **named)

    return wrapper
