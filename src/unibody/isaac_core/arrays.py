"""Rows of arrays of any backend: which, taken from an array, and written to one."""

from __future__ import annotations

from typing import Any

import numpy as np

from unibody.errors import InvalidArgumentError
from unibody.isaac_core import convert
from unibody.isaac_core.simulation.manager import simulation


def rows(indices: Any, count: int) -> np.ndarray:
    """Numbers of rows; None stands for all.

    Raises:
        InvalidArgumentError: There is no such row.
    """
    if indices is None:
        return np.arange(count)
    found = np.atleast_1d(convert.plain(indices)).astype(np.int64)
    if found.size and (found.min() < -count or found.max() >= count):
        raise InvalidArgumentError("indices", indices, f"numbers from 0 to {count - 1}")
    return found


def out(values: Any, dtype: str = "float32") -> Any:
    """Numbers as an array of the backend, on its device."""
    return simulation.backend_utils().convert(values, device=simulation.device, dtype=dtype)


def table(values: Any, width: int | None = None, count: int | None = None) -> np.ndarray:
    """Numbers of a script as an array of NumPy, a row for each of ``count``."""
    found = np.asarray(convert.plain(values), dtype=np.float64)
    if width is not None and count is not None:
        return np.broadcast_to(found.reshape(-1, width), (count, width))
    return found


def take(values: Any, which: np.ndarray, columns: Any = None, clone: bool = True) -> Any:
    """Rows of an array of the backend, and columns of these, in the backend.

    Args:
        values: The array, whose first axis is that of a view.
        which: Rows.
        columns: Of the second axis: indices or a slice; None: all.
        clone: Whether the result is a copy; all rows without a copy are the array itself.
    """
    whole = len(which) == len(values) and np.array_equal(which, np.arange(len(values)))
    if whole and columns is None and not clone:
        return values
    if simulation.backend == "torch":
        import torch

        index = torch.as_tensor(which, device=values.device)
        picked = values if whole else values[index]
        if columns is not None:
            picked = picked[:, _of_torch(columns, values.device)]
        return picked.clone()
    picked = convert.plain(values) if whole else convert.plain(values)[which]
    if columns is not None:
        picked = picked[:, columns]
    if simulation.backend == "warp":
        kind = "int32" if picked.dtype.kind in "iu" else "float32"
        return out(np.ascontiguousarray(picked), kind)
    return np.array(picked)


def put(values: Any, which: np.ndarray, new: Any, columns: Any = None) -> Any:
    """An array of the backend with rows, and columns of these, replaced.

    Args:
        values: The array, of which a copy is made.
        which: Rows.
        new: What comes there, an array of any library.
        columns: Of the second axis: indices or a slice; None: all.

    Raises:
        InvalidArgumentError: It has another number of rows or columns.
    """
    try:
        return _merged(values, which, new, columns)
    except (ValueError, RuntimeError) as error:  # NumPy's, and torch's
        row = np.empty(tuple(values.shape[1:]))
        shape = (len(which), *(row if columns is None else row[columns]).shape)
        raise InvalidArgumentError("values.shape", np.shape(_plain(new)), f"{shape}") from error


def _merged(values: Any, which: np.ndarray, new: Any, columns: Any) -> Any:
    if simulation.backend == "torch":
        import torch

        merged = values.clone()
        index = torch.as_tensor(which, device=values.device)
        value = new if isinstance(new, torch.Tensor) else torch.as_tensor(np.array(_plain(new)))
        value = value.to(device=values.device, dtype=values.dtype)
        if columns is None:
            merged[index] = value.reshape(_shape(merged[index], value))
            return merged
        if isinstance(columns, slice):
            merged[index, columns] = value
        else:
            merged[index[:, None], _of_torch(columns, values.device)[None]] = value
        return merged
    merged = np.array(convert.plain(values))
    value = _plain(new)
    if columns is None:
        merged[which] = value.reshape(_shape(merged[which], value))
    elif isinstance(columns, slice):
        merged[which, columns] = value
    else:
        merged[np.ix_(which, columns)] = value
    if simulation.backend == "warp":
        kind = "int32" if merged.dtype.kind in "iu" else "float32"
        return out(merged, kind)
    return merged


def row_numbers(which: np.ndarray) -> Any:
    """Rows as the physics takes them: an array of the backend."""
    return simulation.backend_utils().resolve_indices(which, len(which), simulation.device)


def _of_torch(columns: Any, device: Any) -> Any:
    import torch

    return columns if isinstance(columns, slice) else torch.as_tensor(columns, device=device)


def _plain(new: Any) -> np.ndarray:
    return np.asarray(convert.plain(new))


def _shape(target: Any, value: Any) -> tuple[int, ...]:
    """The shape of rows, where as many numbers come; else that of the numbers, which broadcast."""
    same = int(np.prod(tuple(target.shape))) == int(np.prod(tuple(value.shape)))
    return tuple(target.shape) if same else tuple(value.shape)
