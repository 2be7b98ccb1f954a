"""The functions of ``transforms`` and ``camera_matrices`` as builtins, once the engine is loaded.

The formulas are compiled as they stand in ``rotations`` and ``projections``, so that results are
the same to the last bit. Before a client connects, and for arguments of unusual types, the Python
functions do the work.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from types import FunctionType
from typing import Any, NamedTuple

import numpy as np

from unibody.bullet.arguments.kinds import converting
from unibody.bullet.maths import camera_matrices, projections, rotations, transforms
from unibody.machine_code import numba, pointers
from unibody.machine_code.calls import functions, objects
from unibody.machine_code.calls.functions import ENTRY, INTEGER, NUMBER, make_builtin
from unibody.machine_code.calls.objects import boxed, taker
from unibody.machine_code.compiled import compiled
from unibody.machine_code.deferred import Late
from unibody.machine_code.jit import inlined, rule
from unibody.machine_code.kept import kept_entry
from unibody.machine_code.pointers import Pointer


class _Shortcut(NamedTuple):
    """A function, the sizes of its arguments (see `make_builtin`), and what it computes."""

    function: Callable[..., Any]
    sizes: tuple[int, ...]
    formula: Callable[..., Any]
    accepts: Callable[..., bool] = rotations.anything


SHORTCUTS = (
    _Shortcut(transforms.getQuaternionFromEuler, (3,), rotations.quaternion_from_euler),
    _Shortcut(transforms.getEulerFromQuaternion, (4,), rotations.euler_from_quaternion),
    _Shortcut(transforms.getMatrixFromQuaternion, (4,), rotations.matrix_from_quaternion),
    _Shortcut(transforms.multiplyTransforms, (3, 4, 3, 4), rotations.product_of_transforms),
    _Shortcut(transforms.invertTransform, (3, 4), rotations.inverse_of_transform),
    _Shortcut(transforms.rotateVector, (4, 3), rotations.rotated_vector),
    _Shortcut(transforms.getDifferenceQuaternion, (4, 4), rotations.difference_quaternion),
    _Shortcut(transforms.getAxisDifferenceQuaternion, (4, 4), rotations.axis_difference),
    _Shortcut(transforms.getQuaternionSlerp, (4, 4, NUMBER), rotations.slerp),
    _Shortcut(
        transforms.getQuaternionFromAxisAngle, (3, NUMBER), rotations.quaternion_from_axis_angle
    ),
    _Shortcut(transforms.getAxisAngleFromQuaternion, (4,), rotations.axis_angle_from_quaternion),
    _Shortcut(transforms.calculateVelocityQuaternion, (4, 4, NUMBER), rotations.angular_velocity),
    _Shortcut(camera_matrices.computeViewMatrix, (3, 3, 3), projections.view_from_points),
    _Shortcut(
        camera_matrices.computeViewMatrixFromYawPitchRoll,
        (3, NUMBER, NUMBER, NUMBER, NUMBER, INTEGER),
        projections.view_around_point,
        projections.has_up_axis,
    ),
    _Shortcut(camera_matrices.computeProjectionMatrix, (NUMBER,) * 6, projections.frustum),
    _Shortcut(camera_matrices.computeProjectionMatrixFOV, (NUMBER,) * 4, projections.field_of_view),
)


@rule
def _float32(value: float) -> float:
    return np.float64(np.float32(value))


def _compiled_formulas() -> dict[str, Any]:
    """The formulas by name, calling one another compiled."""
    names: dict[str, Any] = {**vars(rotations), **vars(projections)}
    for name, formula in list(names.items()):
        if isinstance(formula, FunctionType):
            copy = FunctionType(formula.__code__, names, name)
            names[name] = numba.njit(error_model="numpy")(copy)
    names["float32"] = _float32
    return names


def _nothing(which: int, numbers: Pointer) -> int:
    return 0


def _one_more(number: int, formula: Any, accepts: Any, count: int, others: Any) -> Any:
    """A choice between one formula and others; 0 if the numbers are not for it."""
    take = taker(count)

    @inlined
    def choose(which: int, numbers: Pointer) -> int:
        if which != number:
            return others(which, numbers)
        return boxed(formula(*take(numbers))) if accepts(*take(numbers)) else 0

    return choose


def _choice_of_formulas() -> Any:
    """The function that gives the result of a short cut, or 0 if the numbers are not for it."""
    formulas = _compiled_formulas()
    choose = numba.njit(_nothing)
    for number, (_, sizes, formula, accepts) in reversed(list(enumerate(SHORTCUTS))):
        count = sum(1 if size in (NUMBER, INTEGER) else size for size in sizes)
        choose = _one_more(
            number, formulas[formula.__name__], formulas[accepts.__name__], count, choose
        )

    return choose


_evaluate = Late(_choice_of_formulas)  # made only when there is no machine code


def _build(digest: str) -> Any:
    @kept_entry(ENTRY)
    def entry(self: int, args: int, count: int, names: int) -> int:
        if len(digest) > 0 and functions.read_arguments(self, args, count, names):
            result = _evaluate(functions.short_cut(self), functions.numbers_of(self))
            if result != 0:
                return result
        return functions.python_call(self, args, count, names)

    return entry


@functools.cache
def compile_all() -> Any:
    """The compiled functions behind one entry."""
    sources = (sys.modules[__name__], rotations, projections, functions, objects, pointers)
    return compiled("the quaternion functions", _build, *sources)


def install(namespace: dict[str, Any]) -> None:
    """Put the builtins into a namespace, in place of the Python functions where those are."""
    if not functions.builtins_work():
        return
    entry = compile_all()
    for number, shortcut in enumerate(SHORTCUTS):
        name = shortcut.function.__name__
        if namespace.get(name) is shortcut.function:
            python = converting(shortcut.function)
            sizes = shortcut.sizes
            namespace[name] = make_builtin(python, namespace["__name__"], entry, number, sizes)
