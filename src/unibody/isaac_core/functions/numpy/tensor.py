"""Arrays: made, copied, joined and written to."""

from __future__ import annotations

from typing import Any

import numpy as np

from unibody.isaac_core import convert as between

__all__ = [
    "as_type", "assign", "clone_tensor", "convert", "create_tensor_from_list",
    "create_zeros_tensor", "expand_dims", "move_data", "pad", "resolve_indices", "tensor_cat",
    "tensor_stack", "to_list", "to_numpy",
]  # fmt: skip


def as_type(data: Any, dtype: Any) -> np.ndarray:
    """The numbers in a type, by its name such as "float32"."""
    return np.asarray(data).astype(dtype)


def convert(
    data: Any, device: Any = None, dtype: Any = "float32", indexed: Any = None
) -> np.ndarray:
    """An array of a sequence, or of an array of NumPy, PyTorch or Warp."""
    return between.plain(data).astype(dtype)


def to_numpy(data: Any) -> np.ndarray:
    """An array of NumPy."""
    return between.plain(data)


def to_list(data: Any) -> list[Any]:
    """A list of an array."""
    return between.plain(data).tolist()


def create_zeros_tensor(shape: Any, dtype: Any, device: Any = None) -> np.ndarray:
    """Zeros."""
    return np.zeros(shape, dtype)


def create_tensor_from_list(data: Any, dtype: Any, device: Any = None) -> np.ndarray:
    """An array of a list."""
    return np.array(data, dtype)


def clone_tensor(data: Any, device: Any = None) -> np.ndarray:
    """A copy."""
    return np.array(data)


def move_data(data: Any, device: Any = None) -> Any:
    """The data themselves: NumPy has one device."""
    return data


def resolve_indices(indices: Any, count: int, device: Any = None) -> np.ndarray:
    """Indices as an array; None stands for all."""
    return np.arange(count) if indices is None else between.plain(indices).astype(np.int64)


def assign(src: Any, dst: Any, indices: Any) -> Any:
    """Write to rows of an array, or with a list of indices to rows and columns of it.

    Returns:
        The array that was written to.
    """
    if isinstance(indices, list | tuple):
        dst[tuple(between.plain(one) for one in indices)] = src
    else:
        dst[indices] = src
    return dst


def tensor_cat(data: Any, device: Any = None, dim: int = -1) -> np.ndarray:
    """Arrays one behind the other."""
    return np.concatenate(data, axis=dim)


def tensor_stack(data: Any, dim: int = 0) -> np.ndarray:
    """Arrays beside one another, in a new dimension."""
    return np.stack(data, axis=dim)


def expand_dims(data: Any, axis: int) -> np.ndarray:
    """The array with one more dimension, of length 1."""
    return np.expand_dims(data, axis)


def pad(data: Any, pad_width: Any, mode: str = "constant", value: Any = None) -> np.ndarray:
    """The array with more numbers around it."""
    if mode == "constant" and value is not None:
        return np.pad(data, pad_width, mode, constant_values=value)
    return np.pad(data, pad_width, mode)  # type: ignore[call-overload]
