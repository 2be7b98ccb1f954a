# pyright: basic, reportInvalidTypeForm=false, reportAttributeAccessIssue=false
"""Rows of the arrays of a batch on a Warp device: nothing comes to the host."""

from __future__ import annotations

from typing import Any

import numpy as np
import warp as wp

from unibody.core.batch.rows import Rows
from unibody.core.batch.warp_buffers import WarpBuffers


@wp.kernel(enable_backward=False)
def take_rows(
    array: wp.array2d(dtype=float),
    rows: wp.array(dtype=int),
    first: int,
    out: wp.array2d(dtype=float),
):
    """Copy columns of rows; one thread a number."""
    i, k = wp.tid()
    if rows[i] >= 0:
        out[i, k] = array[rows[i], first + k]
    else:
        out[i, k] = 0.0


@wp.kernel(enable_backward=False)
def put_rows(
    values: wp.array2d(dtype=float),
    rows: wp.array(dtype=int),
    first: int,
    array: wp.array2d(dtype=float),
):
    """Copy into columns of rows; one thread a number."""
    i, k = wp.tid()
    if rows[i] >= 0:
        array[rows[i], first + k] = values[i, k]


class WarpRows(Rows):
    """See ``Rows``; arrays are Warp's."""

    _buffers: WarpBuffers

    def __init__(self, numbers: Any, buffers: WarpBuffers) -> None:
        super().__init__(numbers, buffers)
        self._device = buffers.device
        self._rows = buffers.indices(numbers.reshape(-1))

    def take(self, array: Any, first: int, width: int, out: Any = None) -> Any:  # noqa: D102
        if isinstance(array, np.ndarray):  # properties are in host memory
            shape = (*self.shape, *array.shape[1:])
            found = array[self.numbers]
            found[self.numbers < 0] = 0
            host = wp.array(found.reshape(shape), dtype=float, device=self._device)
            if out is None:
                return host
            wp.copy(out, host)
            return out
        shape = (*self.shape, width) if width else self.shape
        result = wp.empty(shape, dtype=float, device=self._device) if out is None else out
        wide = (len(self._rows), max(width, 1))
        self._launch(take_rows, _matrix(array), first, result.reshape(wide), wide)
        return result

    def put(self, array: Any, first: int, values: Any) -> None:  # noqa: D102
        if isinstance(array, np.ndarray):
            there = self.numbers >= 0
            own = values.numpy() if isinstance(values, wp.array) else values
            array[self.numbers[there]] = own[there]
            return
        wide = (len(self._rows), int(values.size) // max(len(self._rows), 1))
        self._launch(put_rows, values.reshape(wide), first, _matrix(array), wide)

    def _launch(self, kernel: Any, source: Any, first: int, target: Any, dim: Any) -> None:
        inputs = [source, self._rows, first, target]
        wp.launch(kernel, dim=dim, inputs=inputs, device=self._device)

    def own(self, values: Any, shape: tuple[int, ...]) -> Any:  # noqa: D102
        if isinstance(values, wp.array) and tuple(values.shape) == shape:
            return values.contiguous()
        host = values.numpy() if isinstance(values, wp.array) else np.asarray(values)
        spread = np.ascontiguousarray(np.broadcast_to(host, shape), np.float32)
        return wp.array(spread, dtype=float, device=self._device)


def _matrix(array: Any) -> Any:
    return array if array.ndim == 2 else array.reshape((array.shape[0], 1))
