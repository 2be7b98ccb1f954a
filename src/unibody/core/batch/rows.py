"""Rows of the arrays of a batch, copied out and in."""

from __future__ import annotations

import abc
from typing import Any

import numpy as np
import numpy.typing as npt

from unibody.core.batch.buffers import Buffers
from unibody.errors import InvalidArgumentError

Ints = npt.NDArray[np.int64]


class Rows(abc.ABC):
    """Rows of arrays whose first axis counts actors, bodies, degrees of freedom or shapes.

    Attributes:
        numbers: Of the rows, of any shape; -1: there is none.
        shape: Of ``numbers``.
        whole: There is none that is -1.
    """

    def __init__(self, numbers: Ints, buffers: Buffers) -> None:
        self.numbers = numbers
        self.shape: tuple[int, ...] = numbers.shape
        self.whole: bool = bool((numbers >= 0).all())
        self._buffers = buffers

    @abc.abstractmethod
    def take(self, array: Any, first: int, width: int, out: Any = None) -> Any:
        """Columns of the rows of an array, (*shape, width), or (*shape,) of a vector.

        Args:
            array: Of the buffers, (rows, columns) or (rows,).
            first: First column.
            width: Number of columns.
            out: Where to write them; None: a new array.
        """

    @abc.abstractmethod
    def put(self, array: Any, first: int, values: Any) -> None:
        """Write the same; ``values`` as ``checked`` gives them."""

    def checked(self, values: Any, tail: tuple[int, ...] = ()) -> Any:
        """Values for the rows, of a shape (*shape, *tail) or one that spreads to it, for ``put``.

        Raises:
            InvalidArgumentError: They are of another shape.
        """
        shape = (*self.shape, *tail)
        given = tuple(getattr(values, "shape", None) or np.shape(values))
        try:
            fits = np.broadcast_shapes(given, shape) == shape
        except ValueError:
            fits = False
        if not fits:
            raise InvalidArgumentError("values.shape", given, f"{shape}")
        return self.own(values, shape)

    @abc.abstractmethod
    def own(self, values: Any, shape: tuple[int, ...]) -> Any:
        """Values as an array of this kind, with a shape that theirs can be spread to."""


class CpuRows(Rows):
    """See ``Rows``; arrays are NumPy's."""

    def __init__(self, numbers: Ints, buffers: Buffers) -> None:
        super().__init__(numbers, buffers)
        flat: Ints = numbers.reshape(-1)
        first = int(flat[0]) if len(flat) else 0
        run = len(flat) > 0 and np.array_equal(flat, np.arange(first, first + len(flat)))
        self._at: Any = slice(int(flat[0]), int(flat[0]) + len(flat)) if run else flat
        self._there = flat >= 0

    def take(self, array: Any, first: int, width: int, out: Any = None) -> Any:  # noqa: D102
        columns = array[:, first : first + width] if width else array
        found = columns[self._at].reshape(*self.shape, *columns.shape[1:])
        if not self.whole:
            found[self.numbers < 0] = 0
        elif isinstance(self._at, slice) and out is None:
            return found.copy()
        if out is None:
            return found
        out[...] = found
        return out

    def put(self, array: Any, first: int, values: Any) -> None:  # noqa: D102
        columns = array[:, first : first + values.shape[-1]] if array.ndim > 1 else array
        rows = values.reshape(-1, *columns.shape[1:])
        if self.whole:
            columns[self._at] = rows
        else:
            columns[self.numbers.reshape(-1)[self._there]] = rows[self._there]

    def own(self, values: Any, shape: tuple[int, ...]) -> Any:  # noqa: D102
        return np.broadcast_to(np.asarray(values), shape)
