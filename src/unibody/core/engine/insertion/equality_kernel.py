"""Writing an equality of a running world, compiled by numba."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from typing import Any

import mujoco

from unibody.core.assets import transforms
from unibody.core.engine.records import rule_table as t
from unibody.machine_code import numba, pointers
from unibody.machine_code.calls import functions, objects
from unibody.machine_code.calls.functions import ENTRY, known_of, python_call
from unibody.machine_code.calls.objects import boxed, integer_at, read_number, read_numbers
from unibody.machine_code.compiled import compiled
from unibody.machine_code.jit import kernel
from unibody.machine_code.kept import kept_entry
from unibody.machine_code.pointers import (
    Pointer,
    pointer_f64,
    pointer_i32,
    pointer_i64,
    pointer_u8,
)

# places in a plan (int64): addresses of model.eq_type, eq_objtype, eq_obj1id, eq_obj2id,
# eq_active0 and eq_data, of data.eq_active, and of the first rule in its userdata
TYPE, OBJECT, FIRST, SECOND, STATED, NUMBERS, ACTIVE, RULES = range(8)
PLAN = 8
_DATA = int(mujoco.mjNEQDATA)
_POINT = int(mujoco.mjtEq.mjEQ_CONNECT)
_NOT_DONE = 0

_multiply = numba.njit(transforms.quat_multiply)
_conjugate = numba.njit(transforms.quat_conjugate)


@kernel
def _begin(plan: Pointer, args: Pointer, place: int) -> None:
    """Let an equality be that of a constraint, as far as its type and ends go."""
    pointer_i32(plan[TYPE])[place] = integer_at(args, 2)
    pointer_i32(plan[OBJECT])[place] = integer_at(args, 3)
    pointer_i32(plan[FIRST])[place] = integer_at(args, 4)
    pointer_i32(plan[SECOND])[place] = integer_at(args, 5)
    pointer_u8(plan[STATED])[place] = 1
    pointer_u8(plan[ACTIVE])[place] = 1


@kernel
def _write(known: Pointer, n: Pointer, args: Pointer) -> int:
    """Write the frames, limit and gains of a point-to-point constraint or a weld, without a spring.

    Arguments: address of the plan, number of the equality, MuJoCo's type and kind of object, and
    numbers of its ends; position and quaternion of the frames in the parent and in the child;
    largest force, ``erp``, free axis, and 1 + a gear's auxiliary joint.
    """
    for k, size, start in ((6, 3, 0), (7, 4, 3), (8, 3, 7), (9, 4, 10), (12, 3, 16)):
        if not read_numbers(known, args[k], size, n, start):
            return _NOT_DONE
    for k, start in ((10, 14), (11, 15), (13, 19)):
        if not read_number(known, args[k], n, start):
            return _NOT_DONE
    plan, place = pointer_i64(integer_at(args, 0)), integer_at(args, 1)
    _begin(plan, args, place)
    data = pointer_f64(plan[NUMBERS] + 8 * _DATA * place)
    first, second = (0, 7) if integer_at(args, 2) == _POINT else (7, 0)
    for k in range(3):
        data[k], data[3 + k] = n[first + k], n[second + k]
    for k in range(6, _DATA):
        data[k] = 0.0
    if first == 7:
        quat = (n[3], n[4], n[5], n[6])
        if n[10] != 1.0 or n[11] != 0.0 or n[12] != 0.0 or n[13] != 0.0:
            quat = _multiply(quat, _conjugate((n[10], n[11], n[12], n[13])))
        data[6], data[7], data[8], data[9] = quat
        data[10] = 1.0
    rule = pointer_f64(plan[RULES] + 8 * t.EQUALITY_SIZE * place)
    rule[t.E_LIMIT], rule[t.E_ERP], rule[t.E_AUX] = n[14], n[15], n[19]
    for k in range(3):
        rule[t.E_AXIS + k] = n[16 + k]
    rule[t.E_SPRING] = 0.0
    for k in range(4):
        rule[t.E_FRAME + k] = n[3 + k]
    rule[t.E_FRAME + 4] = rule[t.E_FRAME + 5] = 0.0
    return boxed(True)


def _build(digest: str) -> Any:
    @kept_entry(ENTRY)
    def entry(self: int, args: int, count: int, names: int) -> int:
        if len(digest) > 0:
            done = _write(known_of(self), functions.numbers_of(self), pointer_i64(args))
            if done != _NOT_DONE:
                return done
        return python_call(self, args, count, names)

    return entry


@functools.cache
def writer() -> Callable[..., Any]:
    """The compiled function `_write`, or one that returns None."""
    sources = (sys.modules[__name__], transforms, functions, objects, pointers, t)
    entry = None
    if functions.builtins_work():
        entry = compiled("the writing of constraints", _build, *sources)
    return functions.make_functions(entry, 1)[0]
