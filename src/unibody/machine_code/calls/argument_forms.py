"""Builtin functions that sort their arguments, and call the Python function made for those given.

A Python function with twenty-five parameters spends most of a short call on binding them: every
one that is left out costs time, and every one that is looked at again. A builtin made here binds
the arguments in compiled code, sees which of them were given, and calls a function that takes only
those, by position, as integers, floats and tuples of floats where it takes numbers, and with the
object that they are about in place of its number. Whatever it does not understand it hands on,
unchanged, to the Python function of all parameters; arguments that cannot be converted to what a
parameter takes, to one that says so.
"""

from __future__ import annotations

import functools
import inspect
import sys
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from unibody.machine_code import pointers
from unibody.machine_code.calls import functions, objects, threads
from unibody.machine_code.calls.functions import (
    ENTRY,
    call_object,
    known_of,
    make_builtin,
    python_call,
    short_cut,
    signature_of,
)
from unibody.machine_code.calls.objects import (
    as_integer,
    boxed,
    boxed_numbers,
    dict_item,
    dict_size,
    drop,
    holds_floats,
    is_c_int,
    is_finite,
    is_plain_number,
    keep,
    new_c_int,
    new_float,
    read_number,
    read_numbers,
    slot_at,
    stack_words,
    word_at,
)
from unibody.machine_code.calls.threads import IN_PROGRESS, ONLY, OtherThread, thread_state
from unibody.machine_code.compiled import compiled
from unibody.machine_code.jit import inlined_kernel, kernel
from unibody.machine_code.kept import kept_entry
from unibody.machine_code.pointers import Pointer, address_of, pointer_f64, pointer_i64

_WORD = 8  # bytes
_MOST = 48  # parameters
_NOT_BOUND, _NOT_FITTING = -1, -2
# The plan of a function, in words: a head, three rows of `_MOST` words, and the forms, each a head
# and two rows.
_SWITCH, _POSITIONAL, _PARAMETERS, _REQUIRED, _FORMS, _OTHERWISE, _TABLE, _FIELD = range(8)
_CALLS, _ELSEWHERE, _AWAY, _HEAD = range(8, 12)
_NAMES, _DEFAULTS, _KINDS = (_HEAD + i * _MOST for i in range(3))
_FIRST_FORM = _HEAD + 3 * _MOST
ANYTHING, INTEGER, NUMBER, TEXT = range(4)  # kinds of parameters
_F_ALLOWED, _F_FUNCTION, _F_RETURNED, _F_COUNTED, _F_KEYS, _F_FIRST_KEY, _F_SECOND_KEY = range(7)
_F_COUNT, _F_ANSWER, _F_OWNER, _F_ITEMS, _F_LISTED = 7, 8, 9, 10, 11
_F_FINITE = 12
_F_PLACES, _F_SIZES = 13, 13 + _MOST
_FORM_SIZE = _F_SIZES + _MOST
# What a call has on the stack, in words: arguments by parameter, arguments of a form, numbers of
# one of these, and the objects that were made of such numbers, behind how many there are.
_GIVEN, _PASSED, _NUMBERS, _MADE = 0, _MOST, 2 * _MOST, 2 * _MOST + objects.SCRATCH
_ROOM = _MADE + 1 + _MOST
_room = stack_words(_ROOM)
# What a call has there whose arguments are converted: all of them, and the new objects among them.
_NEW = _MOST
_converted = stack_words(2 * _MOST)

_Call: TypeAlias = tuple[Pointer, Pointer, Pointer]  # known objects, plan, room

_kept_alive: list[Any] = []  # builtins are made once a process, and stay
_plans: dict[Callable[..., Any], np.ndarray[Any, np.dtype[np.int64]]] = {}  # by Python function
_switch = np.ones(1, dtype=np.int64)  # 0: all calls go to the Python functions


class Form(NamedTuple):
    """A function for calls that give no other arguments than these.

    It gets what ``finds`` finds, then what it takes. Numbers are floats. It may hand a call on to
    the whole function by returning NotImplemented.

    Attributes:
        function: Takes its arguments by position, and has no defaults. None: see ``returns``.
        takes: Their names; those that are left out have the defaults of the whole function.
        finds: Names of one or two arguments that are the keys of an object (see `Tables`). Without
            such an object the call is left to the whole function.
        vectors: Lengths of arguments that are sequences of numbers, where they are given.
        returns: What the call returns instead of calling a function: an attribute of the object,
            which is one of its class's ``__slots__``.
        counts: The same for an attribute that is a dict: the call returns its length.
        answer: What the call returns if there is such an object.
        looks_up: Attributes, of the object and of what that has, each of the ``__slots__`` of its
            class; the last one is a dict or list, and the call returns the item that its only
            argument names. Where there is none, ``function`` is called.
        finite: The function takes no number beyond `objects.MOST_NUMBER`, and none that is no
            number: calls with such ones are left to the whole function.
    """

    function: Callable[..., Any] | None
    takes: tuple[str, ...] = ()
    finds: tuple[str, ...] = ()
    vectors: Mapping[str, int] = MappingProxyType({})
    returns: tuple[type, str] | None = None
    counts: tuple[type, str] | None = None
    answer: Any = None
    looks_up: tuple[tuple[type, str], tuple[type, str], type] | None = None
    finite: bool = False


class Tables(NamedTuple):
    """Where the objects are that calls are about.

    Attributes:
        first: By the first key.
        field: The attribute of those, one of their class's ``__slots__``, that is a dict of further
            objects, by the second key.
    """

    first: dict[int, Any]
    field: tuple[type, str]


class Guard(NamedTuple):
    """What looks at the arguments of calls first.

    Attributes:
        kinds: What each parameter takes: ANYTHING, INTEGER (of 32 bits), NUMBER or TEXT.
        otherwise: Gets the arguments of a call where they are not of their kinds, or not bound.
    """

    kinds: Sequence[int] = ()
    otherwise: Callable[..., Any] | None = None


_NO_GUARD = Guard()


def switch_forms(on: bool) -> None:
    """Have the functions made for single forms called, or for all calls the whole functions."""
    _switch[0] = int(on)


def hand_over(python: Callable[..., Any], receiver: Callable[..., Any]) -> None:
    """Have a receiver get all calls of a function's builtin while `switch_forms` is off.

    Args:
        python: The function, from which a builtin was made.
        receiver: Gets the arguments of calls, which are of their kinds.
    """
    plan = _plans.get(python)
    if plan is not None:
        _kept_alive.append(receiver)
        plan[_AWAY] = id(receiver)


@inlined_kernel
def _fits(known: Pointer, kind: int, item: int) -> bool:
    """Whether an argument is, without conversion, what a parameter of a kind takes."""
    if kind == INTEGER:
        return is_c_int(known, item)
    if kind == TEXT:
        return word_at(item + objects.TYPE_AT) == known[objects.K_TEXT]
    return kind == ANYTHING or is_plain_number(known, item)


@inlined_kernel
def _named(names: int) -> int:
    """How many arguments are given by name."""
    return 0 if names == 0 else word_at(names + objects.SIZE_AT)


@inlined_kernel
def _bind(call: _Call, args: Pointer, count: int, names: int) -> int:
    """Sort the arguments by parameter, into room.

    Returns:
        Which were given, as bits; _NOT_BOUND or _NOT_FITTING.
    """
    known, plan, room = call
    total, place = plan[_PARAMETERS], count
    if count > plan[_POSITIONAL]:
        return _NOT_BOUND
    given = (1 << count) - 1
    for i in range(count):
        if not _fits(known, plan[_KINDS + i], args[i]):
            return _NOT_FITTING
        room[_GIVEN + i] = args[i]
    named = _named(names)
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
        room[_GIVEN + place] = args[count + k]
        given |= 1 << place
        place += 1
    return given


@inlined_kernel
def _kind_of(plan: Pointer, name: int) -> int:
    """What the parameter of a name takes; ANYTHING if there is none."""
    for i in range(plan[_PARAMETERS]):
        if plan[_NAMES + i] == name:
            return plan[_KINDS + i]
    return ANYTHING


@kernel
def _convert(call: _Call, args: Pointer, count: int, names: int, out: Pointer) -> int:
    """Arguments as their parameters take them: numbers of NumPy, for one, as Python's.

    Returns:
        How many are new objects, listed from _NEW on; -1 if one cannot be converted.
    """
    known, plan, _ = call
    made = 0
    if count > plan[_POSITIONAL] or count + _named(names) > _MOST:
        return -1
    for i in range(count + _named(names)):
        if i < count:
            kind = plan[_KINDS + i]
        else:
            kind = _kind_of(plan, word_at(names + objects.TUPLE_AT + _WORD * (i - count)))
        item = args[i]
        if not _fits(known, kind, item):
            item = 0
            if kind == INTEGER:
                item = new_c_int(known, args[i])
            elif kind == NUMBER:
                item = new_float(args[i])
            if item == 0:
                _drop_all(out, made)
                return -1
            out[_NEW + made] = item
            made += 1
        out[i] = item
    return made


@inlined_kernel
def _drop_all(out: Pointer, made: int) -> None:
    """Give back the objects that arguments were converted to."""
    for k in range(made):
        drop(out[_NEW + k])


@inlined_kernel
def _find(plan: Pointer, form: int, room: Pointer) -> int:
    """The object that a form is about; 0 if there is none."""
    found = dict_item(plan[_TABLE], room[_GIVEN + plan[form + _F_FIRST_KEY]])
    if found == 0 or plan[form + _F_KEYS] == 1:
        return found
    return dict_item(word_at(found + plan[_FIELD]), room[_GIVEN + plan[form + _F_SECOND_KEY]])


@inlined_kernel
def _plain(call: _Call, item: int, kind: int, size: int) -> int:
    """An argument as a form takes it, a new object unless it is that already; 0: it cannot be."""
    known, _, room = call
    numbers = pointer_f64(address_of(room) + _WORD * _NUMBERS)
    if size != 0:
        if holds_floats(known, item, size):
            return item
        if not read_numbers(known, item, size, numbers, 0):
            return 0
        return boxed_numbers(numbers, size)
    cls = word_at(item + objects.TYPE_AT)
    if kind == INTEGER and cls == known[objects.K_BOOL]:
        return boxed(as_integer(item))
    if kind != NUMBER or cls == known[objects.K_FLOAT]:
        return item
    return boxed(numbers[0]) if read_number(known, item, numbers, 0) else 0


@inlined_kernel
def _place(call: _Call, form: int, given: int) -> bool:
    """Put the arguments of a form into room; False if one of them is not for it."""
    known, plan, room = call
    first = 1 if plan[form + _F_KEYS] > 0 else 0
    room[_MADE] = 0
    for k in range(plan[form + _F_COUNT]):
        i = plan[form + _F_PLACES + k]
        if (given >> i) & 1 == 0:
            room[_PASSED + first + k] = plan[_DEFAULTS + i]
            continue
        item = room[_GIVEN + i]
        plain = _plain(call, item, plan[_KINDS + i], plan[form + _F_SIZES + k])
        if plain == 0:
            return False
        if plain != item:
            room[_MADE] += 1
            room[_MADE + room[_MADE]] = plain
        room[_PASSED + first + k] = plain
        if plan[form + _F_FINITE] != 0 and not is_finite(known, plain):
            return False
    return True


@inlined_kernel
def _item(plan: Pointer, form: int, room: Pointer) -> int:
    """The item of a dict or list that the only argument of a form names; 0 if there is none."""
    owner = word_at(room[_PASSED] + plan[form + _F_OWNER])
    items, named = word_at(owner + plan[form + _F_ITEMS]), room[_PASSED + 1]
    if plan[form + _F_LISTED] == 0:
        return dict_item(items, named)
    place = as_integer(named)
    if place < 0 or place >= word_at(items + objects.SIZE_AT):
        return 0
    return word_at(word_at(items + objects.LIST_AT) + _WORD * place)


@inlined_kernel
def _call_form(call: _Call, form: int, given: int) -> int:
    """What a form returns: a new reference, 0 for an exception, or _NOT_BOUND: it does nothing."""
    known, plan, room = call
    keys, result = plan[form + _F_KEYS], _NOT_BOUND
    for k in range(keys):  # those that are left out
        i = plan[form + _F_FIRST_KEY + k]
        if (given >> i) & 1 == 0:
            room[_GIVEN + i] = plan[_DEFAULTS + i]
    placed = _place(call, form, given)
    if placed and keys > 0:
        room[_PASSED] = _find(plan, form, room)
        placed = room[_PASSED] != 0
    if placed:
        if plan[form + _F_ANSWER] != 0:
            result = plan[form + _F_ANSWER]
            keep(result)
        elif plan[form + _F_RETURNED] != 0:
            result = word_at(room[_PASSED] + plan[form + _F_RETURNED])
            keep(result)
        elif plan[form + _F_OWNER] != 0 and _item(plan, form, room) != 0:
            result = _item(plan, form, room)
            keep(result)
        elif plan[form + _F_COUNTED] != 0:
            result = boxed(dict_size(word_at(room[_PASSED] + plan[form + _F_COUNTED])))
        else:
            count = plan[form + _F_COUNT] + (1 if keys > 0 else 0)
            passed = address_of(room) + _WORD * _PASSED
            result = call_object(plan[form + _F_FUNCTION], passed, count, 0)
            if result == known[objects.K_NOT_IMPLEMENTED]:
                drop(result)
                result = _NOT_BOUND
    for k in range(room[_MADE]):
        drop(room[_MADE + 1 + k])
    return result


@kernel
def _sorted(self: int, call: _Call, args: int, count: int, names: int) -> int:
    """What a call returns; _NOT_FITTING: an argument is not what its parameter takes."""
    _, plan, _ = call
    given = _bind(call, pointer_i64(args), count, names)
    if given == _NOT_FITTING:
        return _NOT_FITTING
    if given == _NOT_BOUND:  # a name of the right letters may be another object
        return call_object(plan[_OTHERWISE], args, count, names)
    if given & plan[_REQUIRED] != plan[_REQUIRED]:
        return python_call(self, args, count, names)
    if word_at(plan[_SWITCH]) != 0:
        for k in range(plan[_FORMS]):
            form = _FIRST_FORM + k * _FORM_SIZE
            if given & ~plan[form + _F_ALLOWED] == 0:
                result = _call_form(call, form, given)
                if result != _NOT_BOUND:
                    return result
                break
    elif plan[_AWAY] != 0:
        return call_object(plan[_AWAY], args, count, names)
    return python_call(self, args, count, names)


@inlined_kernel
def _call(self: int, plan: Pointer, args: int, count: int, names: int) -> int:
    """What a call returns."""
    call = known_of(self), plan, _room()
    result = _sorted(self, call, args, count, names)
    if result != _NOT_FITTING:
        return result
    out = _converted()
    made = _convert(call, pointer_i64(args), count, names, out)
    if made < 0:
        return call_object(plan[_OTHERWISE], args, count, names)
    result = _sorted(self, call, address_of(out), count, names)
    _drop_all(out, made)
    return result


def _build(digest: str) -> Any:
    @kept_entry(ENTRY)
    def entry(self: int, args: int, count: int, names: int) -> int:
        if len(digest) == 0:
            return python_call(self, args, count, names)
        plan = pointer_i64(short_cut(self))
        calls = pointer_i64(plan[_CALLS])
        only = calls[ONLY]
        if only == 0:
            return _call(self, plan, args, count, names)
        if only != thread_state():
            return call_object(plan[_ELSEWHERE], args, count, names)
        calls[IN_PROGRESS] += 1
        result = _call(self, plan, args, count, names)
        calls[IN_PROGRESS] -= 1
        return result

    return entry


@functools.cache
def _entry() -> Any:
    sources = (sys.modules[__name__], functions, objects, threads, pointers)
    return compiled("the sorting of arguments", _build, *sources)


def make_sorter(
    python: Callable[..., Any],
    module: str,
    forms: Sequence[Form],
    guard: Guard = _NO_GUARD,
    tables: Tables | None = None,
) -> Callable[..., Any]:
    """A builtin of the same name, signature and meaning as a Python function with parameters.

    Args:
        python: The function of all parameters.
        module: Name of the module that holds the builtin.
        forms: The first that takes all arguments that are given is called.
        guard: Of the kinds of arguments.
        tables: Where forms find objects.
    """
    parameters = list(signature_of(python).parameters.values())
    plan, objects_in_it = _plan_of(parameters, forms, guard.kinds)
    plan[_OTHERWISE] = id(guard.otherwise or python)
    if tables is not None:
        plan[_TABLE], plan[_FIELD] = id(tables.first), slot_at(*tables.field)
    elsewhere = OtherThread(guard.otherwise or python)
    plan[_CALLS], plan[_ELSEWHERE] = threads.CALLS, id(elsewhere)
    objects_in_it += [guard, tables, elsewhere]
    _kept_alive.append((plan, objects_in_it))
    _plans[python] = plan
    elsewhere.function = make_builtin(python, module, _entry(), plan.ctypes.data, ())
    return elsewhere.function


def _plan_of(
    parameters: list[inspect.Parameter], forms: Sequence[Form], kinds: Sequence[int]
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
    for i, kind in enumerate(kinds):
        if kind == NUMBER and isinstance(defaults[i], int):
            defaults[i] = float(defaults[i])
    plan[_KINDS : _KINDS + len(kinds)] = kinds
    plan[_NAMES : _NAMES + len(names)] = [id(name) for name in names]
    plan[_DEFAULTS : _DEFAULTS + len(names)] = [id(value) for value in defaults]
    for k, form in enumerate(forms):
        _write_form(plan[_FIRST_FORM + k * _FORM_SIZE :], form, names)
    return plan, [names, defaults, list(forms)]


def _write_form(row: np.ndarray[Any, np.dtype[np.int64]], form: Form, names: list[str]) -> None:
    keys = [names.index(name) for name in form.finds]
    places = [names.index(name) for name in form.takes]
    row[_F_ALLOWED] = sum(1 << i for i in {*places, *keys})
    row[_F_FUNCTION] = id(form.function)
    row[_F_ANSWER] = 0 if form.answer is None else id(form.answer)
    row[_F_RETURNED] = 0 if form.returns is None else slot_at(*form.returns)
    row[_F_COUNTED] = 0 if form.counts is None else slot_at(*form.counts)
    if form.looks_up is not None:
        owner, items, kind = form.looks_up
        row[_F_OWNER], row[_F_ITEMS] = slot_at(*owner), slot_at(*items)
        row[_F_LISTED] = kind is list
    row[_F_KEYS], row[_F_COUNT], row[_F_FINITE] = len(keys), len(places), form.finite
    row[_F_FIRST_KEY : _F_FIRST_KEY + len(keys)] = keys
    row[_F_PLACES : _F_PLACES + len(places)] = places
    row[_F_SIZES : _F_SIZES + len(places)] = [form.vectors.get(name, 0) for name in form.takes]
