"""Arrays of Warp: made, copied, joined and written to."""

from __future__ import annotations

from typing import Any

import numpy as np
import warp as wp

from unibody.errors import InvalidArgumentError
from unibody.isaac_core.functions.numpy import tensor
from unibody.isaac_core.functions.warp.arrays import TYPES, back, plain

__all__ = [
    "as_type", "assign", "clone_tensor", "convert", "create_tensor_from_list",
    "create_zeros_tensor", "expand_dims", "move_data", "pad", "resolve_indices", "tensor_cat",
    "tensor_stack", "to_list", "to_numpy",
]  # fmt: skip


def _type(dtype: Any) -> Any:
    if not isinstance(dtype, str):
        return dtype
    if dtype not in TYPES:
        raise InvalidArgumentError("dtype", dtype, f"one of {', '.join(TYPES)}")
    return TYPES[dtype]


def as_type(data: Any, dtype: Any) -> Any:
    """The numbers in a type, by its name such as "float32"."""
    return back(plain(data), data, dtype=_type(dtype))


def convert(data: Any, device: Any, dtype: Any = "float32", indexed: Any = None) -> Any:
    """An array of a sequence, or of an array of NumPy, PyTorch or Warp.

    Args:
        data: The numbers.
        device: Of the result.
        dtype: Of the result, by its name.
        indexed: Taken for the other backends: the result holds its own numbers.
    """
    return back(plain(data), data, device, _type(dtype))


def to_numpy(data: Any) -> np.ndarray:
    """An array of NumPy."""
    return plain(data)


def to_list(data: Any) -> list[Any]:
    """A list of an array."""
    return plain(data).tolist()


def create_zeros_tensor(shape: Any, dtype: Any, device: Any = None) -> Any:
    """Zeros."""
    return wp.zeros(tuple(shape), dtype=_type(dtype), device=device)


def create_tensor_from_list(data: Any, dtype: Any, device: Any = None) -> Any:
    """An array of a list."""
    return back(data, None, device, _type(dtype))


def clone_tensor(data: Any, device: Any) -> Any:
    """A copy on a device."""
    return back(plain(data).copy(), data, device, data.dtype)


def move_data(data: Any, device: Any) -> Any:
    """The array on a device."""
    return back(plain(data), data, device, data.dtype)


def resolve_indices(indices: Any, count: int, device: Any) -> Any:
    """Indices as an array; None stands for all."""
    return back(tensor.resolve_indices(indices, count), None, device, wp.int32)


def assign(src: Any, dst: Any, indices: Any) -> Any:
    """Write to rows of an array, or with a list of indices to rows and columns of it.

    Returns:
        The array that was written to.
    """
    merged = plain(dst).copy()
    several = isinstance(indices, list | tuple)
    tensor.assign(plain(src), merged, [plain(i) for i in indices] if several else plain(indices))
    dst.assign(merged)
    return dst


def tensor_cat(data: Any, device: Any = None, dim: int = -1) -> Any:
    """Arrays one behind the other."""
    return back(np.concatenate([plain(one) for one in data], axis=dim), data[0], device)


def tensor_stack(data: Any, dim: int = 0) -> Any:
    """Arrays beside one another, in a new dimension."""
    return back(np.stack([plain(one) for one in data], axis=dim), data[0])


def expand_dims(data: Any, axis: int) -> Any:
    """The array with one more dimension, of length 1."""
    return back(np.expand_dims(plain(data), axis), data, dtype=data.dtype)


def pad(data: Any, pad_width: Any, mode: str = "constant", value: Any = None) -> Any:
    """The array with more numbers around it."""
    return back(tensor.pad(plain(data), pad_width, mode, value), data, dtype=data.dtype)
