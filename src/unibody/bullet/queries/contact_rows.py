"""PyBullet's tuples of contact points, made of the engine's arrays by compiled code.

Only those that are asked for are made: of hundreds of contacts a script mostly wants to know a few.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from typing import Any

from unibody.core.engine.contacts.arrays import Contacts
from unibody.machine_code import numba, pointers
from unibody.machine_code.calls import functions, objects
from unibody.machine_code.calls.functions import ENTRY, known_of, python_call
from unibody.machine_code.calls.objects import (
    boxed,
    drop,
    integer_at,
    new_tuple,
    read_number,
    set_item,
)
from unibody.machine_code.compiled import compiled
from unibody.machine_code.jit import kernel
from unibody.machine_code.kept import kept_entry
from unibody.machine_code.pointers import Pointer, pointer_f64, pointer_i64

ALL_LINKS = -2
Row = tuple[Any, ...]
Wanted = tuple[int, int, int, int]
"""Body A (negative: any), body B (the same), link of A (-1: the base, -2: any), link of B."""

_NOT_DONE = 0
_OTHER, _AS_IS, _SWAPPED = 0, 1, 2


def _side_of(wanted: Any, ids: Any, count: int, i: int) -> int:
    """Whether a contact is wanted, as it is or told from its other side."""
    a, b, link_a, link_b = wanted
    swapped = a >= 0 and ids[i] != a
    if swapped and ids[count + i] != a:
        return _OTHER
    other = ids[i] if swapped else ids[count + i]
    first = ids[3 * count + i] if swapped else ids[2 * count + i]
    second = ids[2 * count + i] if swapped else ids[3 * count + i]
    if b >= 0 and other != b:
        return _OTHER
    if (link_a >= -1 and first != link_a) or (link_b >= -1 and second != link_b):
        return _OTHER
    return _SWAPPED if swapped else _AS_IS


_side = numba.njit(_side_of, error_model="numpy", forceinline=True)


@kernel
def _made(ids: Pointer, n: Pointer, count: int, i: int, swapped: bool, substeps: float) -> int:
    """The tuple of one contact; told from its other side, friction stays as it is.

    A function of its own, as numba declares C functions in its way.
    """
    a, b, p, q, sign = 0, 1, 0, 3, 1.0
    if swapped:
        a, b, p, q, sign = 1, 0, 3, 0, -1.0
    on_a = (n[p * count + i], n[(p + 1) * count + i], n[(p + 2) * count + i])
    on_b = (n[q * count + i], n[(q + 1) * count + i], n[(q + 2) * count + i])
    normal = (sign * n[6 * count + i], sign * n[7 * count + i], sign * n[8 * count + i])
    first = (n[13 * count + i], n[14 * count + i], n[15 * count + i])
    second = (n[16 * count + i], n[17 * count + i], n[18 * count + i])
    bodies = ids[a * count + i], ids[b * count + i]
    links = ids[(2 + a) * count + i], ids[(2 + b) * count + i]
    force, first_force, second_force = n[10 * count + i], n[11 * count + i], n[12 * count + i]
    return boxed(
        (
            0, bodies[0], bodies[1], links[0], links[1], on_a, on_b, normal, n[9 * count + i],
            force / substeps, first_force / substeps, first, second_force / substeps, second,
        )
    )  # fmt: skip


@kernel
def _rows(known: Pointer, numbers: Pointer, args: Pointer) -> int:
    """Tuples of the contacts that are wanted.

    Arguments: addresses of ids and numbers, see ``Contacts``; their count; the number of substeps;
    and the four of ``Wanted``.
    """
    if not read_number(known, args[3], numbers, 0):
        return _NOT_DONE
    ids, n = pointer_i64(integer_at(args, 0)), pointer_f64(integer_at(args, 1))
    count, substeps, found = integer_at(args, 2), numbers[0], 0
    wanted = (integer_at(args, 4), integer_at(args, 5), integer_at(args, 6), integer_at(args, 7))
    for i in range(count):
        found += _side(wanted, ids, count, i) != _OTHER
    made, place = new_tuple(found), 0
    if made == 0:
        return _NOT_DONE
    for i in range(count):
        side = _side(wanted, ids, count, i)
        if side == _OTHER:
            continue
        row = _made(ids, n, count, i, side == _SWAPPED, substeps)
        if row == 0:
            drop(made)
            return _NOT_DONE
        set_item(made, place, row)
        place += 1
    return made


def _build(digest: str) -> Any:
    @kept_entry(ENTRY)
    def entry(self: int, args: int, count: int, names: int) -> int:
        if len(digest) > 0:
            made = _rows(known_of(self), functions.numbers_of(self), pointer_i64(args))
            if made != _NOT_DONE:
                return made
        return python_call(self, args, count, names)

    return entry


@functools.cache
def _compiled() -> Callable[..., Any]:
    sources = (sys.modules[__name__], functions, objects, pointers)
    entry = None
    if functions.builtins_work():
        entry = compiled("the rows of contacts", _build, *sources)
    return functions.make_functions(entry, 1)[0]


class RowMaker:
    """Makes the tuples of some contacts.

    Args:
        contacts: The contacts.
        substeps: Of a step: PyBullet takes the impulse of the last one for that of the step.
    """

    __slots__ = ("_arguments", "_contacts", "_make", "_substeps")

    def __init__(self, contacts: Contacts, substeps: float) -> None:
        self._contacts, self._substeps, self._make = contacts, substeps, _compiled()
        self._arguments = (*contacts.addresses, contacts.count, substeps)

    def rows(self, wanted: Wanted) -> tuple[Row, ...]:
        """Those that are wanted, with body A as A."""
        found = self._make(*self._arguments, *wanted)
        return python_rows(self._contacts, self._substeps, wanted) if found is None else found


def python_rows(contacts: Contacts, substeps: float, wanted: Wanted) -> tuple[Row, ...]:
    """What the compiled function does, where nothing can be compiled."""
    ids, count = contacts.ids.reshape(-1).tolist(), contacts.count
    sides = [_side_of(wanted, ids, count, i) for i in range(count)]
    columns = [[*column] for column in (*contacts.ids.tolist(), *contacts.numbers.tolist())]
    return tuple(
        [
            _python_row(row, side == _SWAPPED, substeps)
            for row, side in zip(zip(*columns, strict=True), sides, strict=True)
            if side != _OTHER
        ]
    )


def _python_row(row: tuple[Any, ...], swapped: bool, substeps: float) -> Row:
    body_a, body_b, link_a, link_b, *n = row
    on_a, on_b, normal = tuple(n[0:3]), tuple(n[3:6]), tuple(n[6:9])
    if swapped:
        body_a, body_b, link_a, link_b, on_a, on_b = body_b, body_a, link_b, link_a, on_b, on_a
        normal = tuple(-x for x in normal)
    return (
        0, body_a, body_b, link_a, link_b, on_a, on_b, normal, n[9], n[10] / substeps,
        n[11] / substeps, tuple(n[13:16]), n[12] / substeps, tuple(n[16:19]),
    )  # fmt: skip
