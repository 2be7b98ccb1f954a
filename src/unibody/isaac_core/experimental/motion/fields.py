"""Fields of states: values of some of the names of a space, with their numbers in it."""

from __future__ import annotations

from typing import Any

import numpy as np
import warp as wp

from unibody.errors import InvalidArgumentError

Given = tuple[Any, Any] | None
"""Which rows of the space, by names or by numbers, and their values; None: of none."""
_FLOATS = (wp.float32, wp.float64, float)


class Field:
    """What is known of one kind, such as positions. All is on the CPU.

    Args:
        space: All names.
        data: (names, ...) values.
        valid: (names,) which of them are known.
    """

    def __init__(self, space: list[str], data: np.ndarray, valid: np.ndarray) -> None:
        self._data = data
        self._known = np.flatnonzero(valid)
        self.names: list[str] = [space[i] for i in self._known]
        self.indices: wp.array[Any] = wp.array(self._known, dtype=wp.int32, device="cpu")
        self._values: Any = None

    @property
    def values(self) -> wp.array[Any] | None:
        """Values of those that are known, in the order of the space; None if none are."""
        if self._values is None and len(self._known):
            rows = np.ascontiguousarray(self._data[self._known])
            self._values = wp.array(rows, dtype=wp.float32, device="cpu")
        return self._values


def check_names(argument: str, space: list[str]) -> None:
    """Refuse names that are there twice."""
    if len(set(space)) != len(space):
        raise InvalidArgumentError(argument, space, "names that differ")


def check_array(argument: str, values: Any, kind: Any, shape: tuple[int, ...]) -> np.ndarray:
    """The numbers of an array of Warp, which has a type and a shape."""
    if not isinstance(values, wp.array) or values.dtype is not kind:
        raise InvalidArgumentError(argument, values, f"an array of Warp of {kind.__name__}")
    if tuple(values.shape) != shape:
        raise InvalidArgumentError(f"{argument}.shape", tuple(values.shape), f"{shape}")
    return values.numpy()


def check_given(given: dict[str, Given]) -> None:
    """Refuse to know nothing at all."""
    if all(one is None for one in given.values()):
        raise InvalidArgumentError(next(iter(given)), None, f"one of {', '.join(given)}")


def rows_of(argument: str, space: list[str], given: Any, *, named: bool) -> np.ndarray:
    """Numbers in the space of the rows that are given.

    Args:
        argument: What they are of.
        space: All names.
        given: Names, or an array of Warp of numbers.
        named: Whether they are names.

    Raises:
        InvalidArgumentError: One is not in the space, or is there twice.
    """
    if named:
        if not isinstance(given, list) or not set(given) <= set(space):
            raise InvalidArgumentError(argument, given, f"a list of some of {', '.join(space)}")
        numbers = np.array([space.index(name) for name in given], np.int64)
    else:
        whole = isinstance(given, wp.array) and given.ndim == 1 and given.dtype in (wp.int32, int)
        numbers = given.numpy() if whole else np.array([-1])
        if ((numbers < 0) | (numbers >= len(space))).any():
            allowed = f"an array of Warp of whole numbers from 0 to {len(space) - 1}"
            raise InvalidArgumentError(argument, given, allowed)
    if len(set(numbers.tolist())) != len(numbers):
        raise InvalidArgumentError(argument, given, "each of them once")
    return numbers


def values_of(argument: str, values: Any, shape: tuple[int, ...]) -> np.ndarray:
    """Numbers of an array of Warp of floats, whose shape is given.

    Raises:
        InvalidArgumentError: It is none, or has another shape.
    """
    if not isinstance(values, wp.array) or values.dtype not in _FLOATS:
        raise InvalidArgumentError(argument, values, "an array of Warp of floats")
    plain = values.numpy()
    if len(shape) == 1 and plain.ndim == 2 and plain.shape[0] == 1:  # of one robot
        plain = plain[0]
    if plain.shape != shape or not shape[0]:
        raise InvalidArgumentError(f"{argument}.shape", plain.shape, f"{shape}, with rows")
    return plain
