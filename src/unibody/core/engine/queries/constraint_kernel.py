"""The force and torque behind the rows of a weld, compiled by numba."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from typing import Any

from unibody.core.assets import transforms
from unibody.core.engine.rules import equalities
from unibody.core.engine.rules.equalities import free_axis_frame
from unibody.machine_code import numba, pointers
from unibody.machine_code.calls import functions, objects
from unibody.machine_code.calls.functions import ENTRY, known_of, python_call
from unibody.machine_code.calls.objects import boxed, integer_at, read_numbers
from unibody.machine_code.compiled import compiled
from unibody.machine_code.jit import kernel
from unibody.machine_code.kept import kept_entry
from unibody.machine_code.pointers import Pointer, pointer_f64, pointer_i32, pointer_i64

_multiply = numba.njit(transforms.quat_multiply)
_conjugate = numba.njit(transforms.quat_conjugate)
_rotate = numba.njit(transforms.quat_rotate)
_NOT_DONE = 0
_COUNT, _SLIDES, _ROW, _FORCES, _FORCE_COUNT, _QUATS = range(6)  # places in the plan


def _make(multiply: Any, conjugate: Any, rotate: Any) -> Any:
    def wrench(slides: bool, weld: Any, axis: Any, rows: Any) -> tuple[Any, Any]:
        """Force on the parent (world), and torque on it in the frame of the constraint.

        MuJoCo's error of rotation is half the vector part of ``conj(q2) q1 relative``.

        Args:
            slides: The first three rows are those of a weld with a free axis.
            weld: Quaternions of the parent's link, of both bodies of the weld, of the weld itself,
                and of the constraint in the parent's link.
            axis: Free axis, in the parent's link.
            rows: Forces of the six rows.
        """
        parent, first, second, relative, frame = weld
        f = (rows[0], rows[1], rows[2])
        if slides:
            a = free_axis_frame(*rotate(parent, axis))
            f = (
                a[0] * f[0] + a[3] * f[1] + a[6] * f[2],
                a[1] * f[0] + a[4] * f[1] + a[7] * f[2],
                a[2] * f[0] + a[5] * f[1] + a[8] * f[2],
            )
        here, back = multiply(first, relative), conjugate(second)
        bx = multiply(multiply(back, (0.0, 1.0, 0.0, 0.0)), here)
        by = multiply(multiply(back, (0.0, 0.0, 1.0, 0.0)), here)
        bz = multiply(multiply(back, (0.0, 0.0, 0.0, 1.0)), here)
        torque = (
            0.5 * (bx[1] * rows[3] + bx[2] * rows[4] + bx[3] * rows[5]),
            0.5 * (by[1] * rows[3] + by[2] * rows[4] + by[3] * rows[5]),
            0.5 * (bz[1] * rows[3] + bz[2] * rows[4] + bz[3] * rows[5]),
        )
        return f, rotate(conjugate(multiply(parent, frame)), torque)

    return wrench


_compiled_wrench: Any = numba.njit(_make(_multiply, _conjugate, _rotate))
python_wrench: Any = _make(
    transforms.quat_multiply, transforms.quat_conjugate, transforms.quat_rotate
)


@kernel
def _quat_at(address: int) -> tuple[float, float, float, float]:
    q = pointer_f64(address)
    return (q[0], q[1], q[2], q[3])


@kernel
def _nothing() -> int:
    return boxed(((0.0, 0.0, 0.0), (0.0, 0.0, 0.0)))


@kernel
def _of_rows(f: Pointer, count: int) -> int:
    """Force and torque of a constraint that turns nothing."""
    y, z = (f[1], f[2]) if count > 1 else (0.0, 0.0)
    return boxed(((f[0], y, z), (0.0, 0.0, 0.0)))


@kernel
def _read(known: Pointer, numbers: Pointer, args: Pointer) -> int:
    """Force and torque of a constraint in the last step, whose rows and poses are still there.

    Arguments: address of the plan, the frame and the axis. The plan (int64): number of rows; 1 if
    the constraint slides; addresses of the number of its first row, of the pointer to the forces of
    the rows and of their number; and of the quaternions of the parent's link, of both bodies of
    the weld and of the weld.
    """
    plan = pointer_i64(integer_at(args, 0))
    count, row = plan[_COUNT], int(pointer_f64(plan[_ROW])[0])
    if row < 0 or row + count > pointer_i32(plan[_FORCE_COUNT])[0]:
        return _nothing()
    f = pointer_f64(pointer_i64(plan[_FORCES])[0] + 8 * row)
    if count < 6:
        return _of_rows(f, count)
    for i, size, place in ((1, 4, 0), (2, 3, 4)):
        if not read_numbers(known, args[i], size, numbers, place):
            return _NOT_DONE
    weld = (
        _quat_at(plan[_QUATS]),
        _quat_at(plan[_QUATS + 1]),
        _quat_at(plan[_QUATS + 2]),
        _quat_at(plan[_QUATS + 3]),
        (numbers[0], numbers[1], numbers[2], numbers[3]),
    )
    axis, rows = (numbers[4], numbers[5], numbers[6]), (f[0], f[1], f[2], f[3], f[4], f[5])
    return boxed(_compiled_wrench(plan[_SLIDES] == 1, weld, axis, rows))


def _build(digest: str) -> Any:
    @kept_entry(ENTRY)
    def entry(self: int, args: int, count: int, names: int) -> int:
        if len(digest) > 0:
            done = _read(known_of(self), functions.numbers_of(self), pointer_i64(args))
            if done != _NOT_DONE:
                return done
        return python_call(self, args, count, names)

    return entry


@functools.cache
def constraint_wrench() -> Callable[..., Any]:
    """The compiled function `_read`, or one that returns None."""
    sources = (sys.modules[__name__], transforms, equalities, functions, objects, pointers)
    entry = None
    if functions.builtins_work():
        entry = compiled("the forces of constraints", _build, *sources)
    return functions.make_functions(entry, 1)[0]
