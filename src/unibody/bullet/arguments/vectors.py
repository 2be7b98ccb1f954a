"""Arguments that are numbers, vectors or joint indices."""

from __future__ import annotations

import math
from operator import index
from typing import TYPE_CHECKING, Any, Literal, overload

from unibody.bullet.calls.compiled_states import states
from unibody.bullet.errors import error

if TYPE_CHECKING:
    from unibody.core.assets.description import Vec3

_VECTOR, _QUATERNION = 3, 4  # the sizes that most calls are about


def joint_indices(values: Any) -> list[int]:
    """Joint or link indices: whatever has a length but a dict, as in PyBullet.

    Raises:
        error: It is none of these, or something in it is no integer; PyBullet's messages.
    """
    if values.__class__ is range:
        return list(values)
    plain = values.__class__ is tuple or values.__class__ is list
    if not plain and (isinstance(values, dict) or not hasattr(values, "__len__")):
        raise error("expected a sequence of joint indices")
    try:
        return list(map(index, values))
    except TypeError:
        raise error("Joint index out-of-range.") from None


def real(value: Any) -> float:
    """A number as a float.

    Raises:
        TypeError: It is not a real number. ``float`` would read text.
    """
    return math.copysign(value, value)


@overload
def vector(value: Any, size: Literal[3], message: str) -> Vec3: ...
@overload
def vector(value: Any, size: Literal[4], message: str) -> tuple[float, float, float, float]: ...
@overload
def vector(value: Any, size: int, message: str) -> tuple[float, ...]: ...
def vector(value: Any, size: int, message: str) -> tuple[float, ...]:
    """A sequence of numbers as floats.

    Raises:
        error: Not ``size`` numbers; ``message`` is PyBullet's.
    """
    read = plain_vector(value, size)
    if read is not None:
        return read
    try:
        numbers = tuple(map(float, value))
    except (TypeError, ValueError):
        raise error(message) from None
    if len(numbers) != size:
        raise error(message)
    return numbers


def plain_vector(value: Any, size: int) -> Any:
    """A sequence of numbers as floats, if it comes in a form that most scripts use; else None."""
    if value.__class__ is list:
        value = tuple(value)
    if value.__class__ is tuple and len(value) == size:
        if size == _VECTOR:
            x, y, z = value
            if x.__class__ is y.__class__ is z.__class__ is float:
                return value
        elif size == _QUATERNION:
            x, y, z, w = value
            if x.__class__ is y.__class__ is z.__class__ is w.__class__ is float:
                return value
    return states().vector(value, size)


def vec3_or(value: Any, default: Vec3) -> Vec3:
    """Three numbers, or the default where PyBullet passes over a value that is none."""
    try:
        return vector(value, 3, "")
    except error:
        return default
