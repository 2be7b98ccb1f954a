"""The algorithms of one body, called with Python sequences and returning tuples.

Passing eight arrays to a compiled function costs more than the recursions do; here a chain is one
address. For arguments of unusual types, and where nothing can be compiled, the functions return
None and have done nothing.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from typing import Any, NamedTuple

from unibody.core.engine.kinematics import algorithms as algo
from unibody.machine_code import numba, pointers
from unibody.machine_code.calls import functions, objects
from unibody.machine_code.calls.functions import ENTRY, known_of, python_call, short_cut
from unibody.machine_code.calls.objects import (
    boxed_numbers,
    boxed_rows,
    integer_at,
    read_numbers,
)
from unibody.machine_code.compiled import compiled
from unibody.machine_code.jit import kernel
from unibody.machine_code.kept import kept_entry
from unibody.machine_code.pointers import Pointer, pointer_f64, pointer_i64

_numba: Any = numba  # its stub does not list what it exports
carray = _numba.carray
# the numbers that describe a chain: sizes, then addresses of its arrays
(C_LINKS, C_DOFS, C_BASE, C_TREE, C_GEOMETRY, C_INERTIALS, C_MARKED, C_FRAMES, C_Q, C_LOCAL,
 C_MOTION, C_JACOBIAN, C_MASS, C_FORCES, C_WORK) = range(15)  # fmt: skip
_TREE, _GEOMETRY, _INERTIAL = algo.TREE_SIZE, algo.GEOMETRY_SIZE, algo.INERTIAL_SIZE
_FRAME = algo.FRAME_SIZE
_NOT_DONE = 0


class Algorithms(NamedTuple):
    """The compiled functions; the first argument is the address of a chain's numbers."""

    jacobian: Callable[..., Any]
    mass_matrix: Callable[..., Any]
    inverse_dynamics: Callable[..., Any]


@kernel
def _jacobian(known: Pointer, args: Pointer) -> int:
    """Arguments: chain, joint positions, link, point in the link frame."""
    c = pointer_i64(integer_at(args, 0))
    n, size = c[C_LINKS], c[C_BASE] + c[C_DOFS]
    if not read_numbers(known, args[1], c[C_DOFS], pointer_f64(c[C_Q]), 0):
        return _NOT_DONE
    if not read_numbers(known, args[3], 3, pointer_f64(c[C_LOCAL]), 0):
        return _NOT_DONE
    algo.jacobian(
        carray(pointer_i64(c[C_TREE]), (n, _TREE)),
        carray(pointer_f64(c[C_GEOMETRY]), (n, _GEOMETRY)),
        carray(pointer_f64(c[C_Q]), (c[C_DOFS],)),
        integer_at(args, 2),
        carray(pointer_f64(c[C_LOCAL]), (6,)),
        c[C_BASE],
        carray(pointer_i64(c[C_MARKED]), (n,)),
        carray(pointer_f64(c[C_FRAMES]), (n, _FRAME)),
        carray(pointer_f64(c[C_JACOBIAN]), (6, size)),
    )
    return boxed_rows(pointer_f64(c[C_JACOBIAN]), 6, size)


@kernel
def _mass_matrix(known: Pointer, args: Pointer) -> int:
    """Arguments: chain, joint positions."""
    c = pointer_i64(integer_at(args, 0))
    n, size = c[C_LINKS], c[C_BASE] + c[C_DOFS]
    if not read_numbers(known, args[1], c[C_DOFS], pointer_f64(c[C_Q]), 0):
        return _NOT_DONE
    algo.mass_matrix(
        carray(pointer_i64(c[C_TREE]), (n, _TREE)),
        carray(pointer_f64(c[C_GEOMETRY]), (n, _GEOMETRY)),
        carray(pointer_f64(c[C_INERTIALS]), (n, _INERTIAL)),
        carray(pointer_f64(c[C_Q]), (c[C_DOFS],)),
        c[C_BASE],
        carray(pointer_i64(c[C_MARKED]), (n,)),
        carray(pointer_f64(c[C_FRAMES]), (n, _FRAME)),
        carray(pointer_f64(c[C_MASS]), (size, size)),
    )
    return boxed_rows(pointer_f64(c[C_MASS]), size, size)


@kernel
def _inverse_dynamics(known: Pointer, args: Pointer) -> int:
    """Arguments: chain, joint positions, velocities, accelerations, gravity."""
    c = pointer_i64(integer_at(args, 0))
    n, dofs, size = c[C_LINKS], c[C_DOFS], c[C_BASE] + c[C_DOFS]
    motion = pointer_f64(c[C_MOTION])
    if not read_numbers(known, args[1], dofs, motion, 0):
        return _NOT_DONE
    if not read_numbers(known, args[2], size, motion, dofs):
        return _NOT_DONE
    if not read_numbers(known, args[3], size, motion, dofs + size):
        return _NOT_DONE
    if not read_numbers(known, args[4], 3, motion, dofs + 2 * size):
        return _NOT_DONE
    algo.inverse_dynamics(
        carray(pointer_i64(c[C_TREE]), (n, _TREE)),
        carray(pointer_f64(c[C_GEOMETRY]), (n, _GEOMETRY)),
        carray(pointer_f64(c[C_INERTIALS]), (n, _INERTIAL)),
        carray(motion, (dofs + 2 * size + 3,)),
        c[C_BASE],
        carray(pointer_i64(c[C_MARKED]), (n,)),
        carray(pointer_f64(c[C_FRAMES]), (n, _FRAME)),
        carray(pointer_f64(c[C_WORK]), (n, algo.WORK_SIZE)),
        carray(pointer_f64(c[C_FORCES]), (size,)),
    )
    return boxed_numbers(pointer_f64(c[C_FORCES]), size)


def _build(digest: str) -> Any:
    @kept_entry(ENTRY)
    def entry(self: int, args: int, count: int, names: int) -> int:
        if len(digest) > 0:
            which, known, given = short_cut(self), known_of(self), pointer_i64(args)
            if which == 0:
                done = _jacobian(known, given)
            elif which == 1:
                done = _mass_matrix(known, given)
            else:
                done = _inverse_dynamics(known, given)
            if done != _NOT_DONE:
                return done
        return python_call(self, args, count, names)

    return entry


@functools.cache
def algorithms() -> Algorithms:
    """The compiled functions, or ones that never do anything."""
    sources = (sys.modules[__name__], algo, functions, objects, pointers)
    entry = None
    if functions.builtins_work():
        entry = compiled("the algorithms of one body", _build, *sources)
    return Algorithms(*functions.make_functions(entry, len(Algorithms._fields)))
