"""Numbers of scripts to tables of NumPy, and these to arrays of Warp."""

from __future__ import annotations

from typing import Any

import numpy as np
import warp as wp

from unibody.errors import InvalidArgumentError
from unibody.isaac_core import convert
from unibody.isaac_core.simulation.manager import simulation

Array = Any
"""Numbers: one, a sequence, or an array of NumPy, PyTorch or Warp."""


def table(name: str, values: Array, shape: tuple[int, ...], dtype: Any = np.float64) -> np.ndarray:
    """Numbers broadcast to a shape, by NumPy's rules.

    Raises:
        InvalidArgumentError: They do not broadcast to it.
    """
    found = np.asarray(convert.plain(values)).astype(dtype)
    try:
        return np.broadcast_to(found, shape)
    except ValueError as error:
        raise InvalidArgumentError(name, found.shape, f"a shape that becomes {shape}") from error


def one_each(name: str, values: Any, count: int) -> list[Any]:
    """A word or an object for each of ``count``: one for all, or a list.

    Raises:
        InvalidArgumentError: There are neither one nor as many.
    """
    found = list(values) if isinstance(values, (list, tuple)) else [values]
    if len(found) not in (1, count):
        raise InvalidArgumentError(name, f"{len(found)} of them", f"one, or {count}")
    return found * count if len(found) == 1 else found


_KINDS = {"float32": wp.float32, "int32": wp.int32, "bool": wp.bool}


def warp(values: Any, dtype: str = "float32", device: Any = None) -> Any:
    """An array of Warp, on the device of the simulation unless another is named."""
    plain = np.ascontiguousarray(convert.plain(values))
    where = simulation.device if device is None else device
    return wp.array(plain, dtype=_KINDS[dtype], device=where)


def column(values: Any, dtype: str = "float32") -> Any:
    """(N, 1) numbers of N prims as an array of Warp."""
    return warp(np.asarray(convert.plain(values)).reshape(-1, 1), dtype)
