"""Tensors: made, copied, joined and written to."""

from __future__ import annotations

from typing import Any

import torch

from unibody.errors import InvalidArgumentError
from unibody.isaac_core import convert as between

__all__ = [
    "as_type", "assign", "clone_tensor", "convert", "create_tensor_from_list",
    "create_zeros_tensor", "expand_dims", "move_data", "pad", "resolve_indices", "tensor_cat",
    "tensor_stack", "to_list", "to_numpy",
]  # fmt: skip
_TYPES = {
    "float32": torch.float32, "float64": torch.float64, "bool": torch.bool,
    "int32": torch.int32, "int64": torch.int64, "long": torch.long, "uint8": torch.uint8,
}  # fmt: skip


def _type(dtype: Any) -> torch.dtype:
    if isinstance(dtype, torch.dtype):
        return dtype
    if str(dtype) not in _TYPES:
        raise InvalidArgumentError("dtype", dtype, f"one of {', '.join(_TYPES)}")
    return _TYPES[str(dtype)]


def as_type(data: torch.Tensor, dtype: Any) -> torch.Tensor:
    """The numbers in a type, by its name such as "float32"."""
    return data.to(_type(dtype))


def convert(data: Any, device: Any, dtype: Any = "float32", indexed: Any = None) -> torch.Tensor:
    """A tensor of a sequence, or of an array of NumPy, PyTorch or Warp."""
    if not isinstance(data, torch.Tensor):
        data = torch.from_numpy(between.plain(data).copy())
    return data.to(device=device, dtype=_type(dtype))


def to_numpy(data: Any) -> Any:
    """An array of NumPy."""
    return between.plain(data)


def to_list(data: Any) -> list[Any]:
    """A list of a tensor."""
    return between.plain(data).tolist()


def create_zeros_tensor(shape: Any, dtype: Any, device: Any = None) -> torch.Tensor:
    """Zeros."""
    return torch.zeros(shape, dtype=_type(dtype), device=device)


def create_tensor_from_list(data: Any, dtype: Any, device: Any = None) -> torch.Tensor:
    """A tensor of a list."""
    return torch.tensor(data, dtype=_type(dtype), device=device)


def clone_tensor(data: torch.Tensor, device: Any) -> torch.Tensor:
    """A copy on a device."""
    return data.clone().to(device)


def move_data(data: torch.Tensor, device: Any) -> torch.Tensor:
    """The tensor on a device."""
    return data.to(device)


def resolve_indices(indices: Any, count: int, device: Any) -> torch.Tensor:
    """Indices as a tensor; None stands for all."""
    if indices is None:
        return torch.arange(count, device=device)
    return convert(indices, device, "int64")


def assign(src: Any, dst: torch.Tensor, indices: Any) -> torch.Tensor:
    """Write to rows of a tensor, or with a list of indices to rows and columns of it.

    Returns:
        The tensor that was written to.
    """
    value = src.to(dst.device, dst.dtype) if isinstance(src, torch.Tensor) else src
    dst[tuple(indices) if isinstance(indices, list) else indices] = value
    return dst


def tensor_cat(data: Any, device: Any = None, dim: int = -1) -> torch.Tensor:
    """Tensors one behind the other."""
    return torch.cat(data, dim=dim)


def tensor_stack(data: Any, dim: int = 0) -> torch.Tensor:
    """Tensors beside one another, in a new dimension."""
    return torch.stack(data, dim=dim)


def expand_dims(data: torch.Tensor, axis: int) -> torch.Tensor:
    """The tensor with one more dimension, of length 1."""
    return torch.unsqueeze(data, axis)


def pad(
    data: torch.Tensor, pad_width: Any, mode: str = "constant", value: Any = None
) -> torch.Tensor:
    """The tensor with more numbers around it; widths are (before, after) of each dimension."""
    flat = [side for pair in reversed(list(pad_width)) for side in pair]
    return torch.nn.functional.pad(data, flat, mode=mode, value=value)
