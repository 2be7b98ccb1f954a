"""Builtin functions that sort their arguments, and call the Python function made for those given.

A Python function with twenty-five parameters spends most of a short call on binding them: every
one that is left out costs time, and every one that is looked at again. A builtin made here binds
the arguments in compiled code, sees which of them were given, and calls a function that takes only
those, by position. Whatever it does not understand it hands on, unchanged, to the Python function
of all parameters; arguments that are not of the kind that a parameter takes, to one that says so.
"""

from __future__ import annotations

import functools
import inspect
import sys
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from unibody.core.engine.builtins import functions, objects
from unibody.core.engine.builtins.functions import (
    ENTRY,
    call_object,
    known_of,
    make_builtin,
    python_call,
    short_cut,
)
from unibody.core.engine.builtins.objects import is_c_int, is_plain_number, word_at
from unibody.core.engine.queries.compiled import compiled
from unibody.core.engine.rows import pointers
from unibody.core.engine.rows.pointers import Pointer, pointer_i64
from unibody.machine_code import numba

_WORD = 8  # bytes
_MOST = 48  # parameters
_NOT_BOUND, _NOT_FITTING = -1, -2
# The plan of a function, in words: a head, five rows of `_MOST` words, and the forms, each a head
# and a row.
_SWITCH, _POSITIONAL, _PARAMETERS, _REQUIRED, _FORMS, _OTHERWISE, _HEAD = range(7)
_NAMES, _DEFAULTS, _GIVEN, _PASSED, _KINDS = (_HEAD + i * _MOST for i in range(5))
_FIRST_FORM = _HEAD + 5 * _MOST
ANYTHING, INTEGER, NUMBER, TEXT = range(4)  # kinds of parameters
_F_ALLOWED, _F_FUNCTION, _F_COUNT, _F_PLACES = range(4)
_FORM_SIZE = _F_PLACES + _MOST

_kept_alive: list[Any] = []  # builtins are made once a process, and stay
_switch = np.ones(1, dtype=np.int64)  # 0: all calls go to the Python functions


class Form(NamedTuple):
    """A function for calls that give no other arguments than these.

    Attributes:
        function: Takes them by position, in this order, and has no defaults.
        takes: Their names; those that are left out have the defaults of the whole function.
    """

    function: Callable[..., Any]
    takes: tuple[str, ...]


def switch_forms(on: bool) -> None:
    """Have the functions made for single forms called, or for all calls the whole functions."""
    _switch[0] = int(on)


@numba.njit(error_model="numpy", forceinline=True)
def _fits(known: Pointer, kind: int, item: int) -> bool:
    """Whether an argument is, without conversion, what a parameter of a kind takes."""
    if kind == INTEGER:
        return is_c_int(known, item)
    if kind == TEXT:
        return word_at(item + objects.TYPE_AT) == known[objects.K_TEXT]
    return kind == ANYTHING or is_plain_number(known, item)


@numba.njit(error_model="numpy", forceinline=True)
def _bind(known: Pointer, plan: Pointer, args: Pointer, count: int, names: int) -> int:
    """Sort the arguments by parameter.

    Returns:
        Which were given, as bits; _NOT_BOUND or _NOT_FITTING.
    """
    total, place = plan[_PARAMETERS], count
    if count > plan[_POSITIONAL]:
        return _NOT_BOUND
    given = (1 << count) - 1
    for i in range(count):
        if not _fits(known, plan[_KINDS + i], args[i]):
            return _NOT_FITTING
        plan[_GIVEN + i] = args[i]
    named = 0 if names == 0 else word_at(names + objects.SIZE_AT)
    for k in range(named):
        name = word_at(names + objects.TUPLE_AT + _WORD * k)
        tries = total
        while tries > 0:  # mostly it is one that follows
            place = 0 if place >= total else place
            if plan[_NAMES + place] == name:
                break
            place, tries = place + 1, tries - 1
        if tries == 0 or (given >> place) & 1:
            return _NOT_BOUND
        if not _fits(known, plan[_KINDS + place], args[count + k]):
            return _NOT_FITTING
        plan[_GIVEN + place] = args[count + k]
        given |= 1 << place
        place += 1
    return given


@numba.njit(error_model="numpy", forceinline=True)
def _call_form(plan_at: int, form: int, given: int) -> int:
    """What the function of a form returns."""
    plan = pointer_i64(plan_at)
    count = plan[form + _F_COUNT]
    for k in range(count):
        i = plan[form + _F_PLACES + k]
        row = _GIVEN if (given >> i) & 1 else _DEFAULTS
        plan[_PASSED + k] = plan[row + i]
    return call_object(plan[form + _F_FUNCTION], plan_at + _WORD * _PASSED, count, 0)


def _build(digest: str) -> Any:
    @numba.cfunc(ENTRY, cache=True)
    def entry(self: int, args: int, count: int, names: int) -> int:
        plan_at = short_cut(self)
        plan = pointer_i64(plan_at)
        if len(digest) > 0:
            given = _bind(known_of(self), plan, pointer_i64(args), count, names)
            if given == _NOT_FITTING:
                return call_object(plan[_OTHERWISE], args, count, names)
            sorts = given != _NOT_BOUND and word_at(plan[_SWITCH]) != 0
            if sorts and given & plan[_REQUIRED] == plan[_REQUIRED]:
                for k in range(plan[_FORMS]):
                    form = _FIRST_FORM + k * _FORM_SIZE
                    if given & ~plan[form + _F_ALLOWED] == 0:
                        return _call_form(plan_at, form, given)
        return python_call(self, args, count, names)

    return entry


@functools.cache
def _entry() -> Any:
    sources = (sys.modules[__name__], functions, objects, pointers)
    return compiled("the sorting of arguments", _build, *sources)


def make_sorter(
    python: Callable[..., Any],
    module: str,
    forms: Sequence[Form],
    kinds: Sequence[int] = (),
    otherwise: Callable[..., Any] | None = None,
) -> Callable[..., Any]:
    """A builtin of the same name, signature and meaning as a Python function with parameters.

    Args:
        python: The function of all parameters.
        module: Name of the module that holds the builtin.
        forms: The first that takes all arguments that are given is called.
        kinds: What each parameter takes: ANYTHING, INTEGER (of 32 bits), NUMBER or TEXT.
        otherwise: Gets the arguments of a call that are not of their kinds.
    """
    parameters = list(inspect.signature(python).parameters.values())
    plan, objects_in_it = _plan_of(parameters, forms)
    plan[_KINDS : _KINDS + len(kinds)] = kinds
    plan[_OTHERWISE] = id(otherwise or python)
    objects_in_it.append(otherwise)
    _kept_alive.append((plan, objects_in_it))
    return make_builtin(python, module, _entry(), plan.ctypes.data, ())


def _plan_of(
    parameters: list[inspect.Parameter], forms: Sequence[Form]
) -> tuple[np.ndarray[Any, np.dtype[np.int64]], list[Any]]:
    """The plan of a function, and the objects it refers to."""
    plan = np.zeros(_FIRST_FORM + len(forms) * _FORM_SIZE, dtype=np.int64)
    names = [sys.intern(parameter.name) for parameter in parameters]
    by_name_only = [p.kind is p.KEYWORD_ONLY for p in parameters]
    required = [p.default is p.empty for p in parameters]
    plan[_SWITCH] = _switch.ctypes.data
    plan[_POSITIONAL] = len(names) - sum(by_name_only)
    plan[_PARAMETERS], plan[_FORMS] = len(names), len(forms)
    plan[_REQUIRED] = sum(1 << i for i, needed in enumerate(required) if needed)
    defaults = [p.default for p in parameters]
    plan[_NAMES : _NAMES + len(names)] = [id(name) for name in names]
    plan[_DEFAULTS : _DEFAULTS + len(names)] = [id(value) for value in defaults]
    for k, form in enumerate(forms):
        places = [names.index(name) for name in form.takes]
        row = plan[_FIRST_FORM + k * _FORM_SIZE :]
        row[_F_ALLOWED] = sum(1 << i for i in places)
        row[_F_FUNCTION], row[_F_COUNT] = id(form.function), len(places)
        row[_F_PLACES : _F_PLACES + len(places)] = places
    return plan, [names, defaults, [form.function for form in forms]]
