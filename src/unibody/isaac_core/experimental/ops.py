"""Functions of arrays of Warp."""

from __future__ import annotations

from typing import Any

import numpy as np
import warp as wp

from unibody.errors import InvalidArgumentError
from unibody.isaac_core import convert
from unibody.isaac_core.experimental.arguments import Array, table


def parse_device(device: Any, *, raise_on_invalid: bool = False) -> Any:
    """The device of Warp of a name; None: its own.

    Args:
        device: The name, or a device.
        raise_on_invalid: Whether a name of no device is an error, else it is Warp's own.

    Raises:
        InvalidArgumentError: There is no such device.
    """
    try:
        return wp.get_device(device)
    except (RuntimeError, ValueError) as error:
        if raise_on_invalid:
            names = ", ".join(str(one) for one in wp.get_devices())
            raise InvalidArgumentError("device", device, f"one of {names}") from error
        return wp.get_device()


def place(x: Array, *, dtype: Any = None, device: Any = None) -> wp.array[Any]:
    """Numbers as an array of Warp, one number as an array of one.

    Args:
        x: The numbers.
        dtype: Their type; None: as they are.
        device: Of the result; None: that of Warp, or of an array of Warp.
    """
    if isinstance(x, wp.array) and dtype in (None, x.dtype):
        return x if device is None else x.to(device)
    where = x.device if device is None and isinstance(x, wp.array) else device
    plain = np.atleast_1d(convert.plain(x))
    kind = wp.dtype_from_numpy(plain.dtype) if dtype is None else dtype
    return wp.array(np.ascontiguousarray(plain), dtype=kind, device=where)


def resolve_indices(
    x: Array | None, *, count: int | None = None, dtype: Any = wp.int32, device: Any = None
) -> wp.array[Any]:
    """(K,) numbers of rows; None: all of ``count``.

    Raises:
        InvalidArgumentError: Neither rows nor their count is given.
    """
    if x is None and count is None:
        raise InvalidArgumentError("count", None, "a number, where there are no indices")
    rows = np.arange(count or 0) if x is None else np.asarray(convert.plain(x)).reshape(-1)
    return wp.array(rows, dtype=dtype or wp.int32, device=device)


def broadcast_to(
    x: Array, *, shape: list[int] | tuple[int, ...], dtype: Any = None, device: Any = None
) -> wp.array[Any]:
    """Numbers broadcast to a shape by NumPy's rules, as an array of Warp."""
    placed = place(x, dtype=dtype, device=device)
    spread = table("x", placed, tuple(shape), placed.numpy().dtype)
    return wp.array(np.ascontiguousarray(spread), dtype=placed.dtype, device=placed.device)
