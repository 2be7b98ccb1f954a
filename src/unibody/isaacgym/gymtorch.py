"""``isaacgym.gymtorch``: tensors of ``Gym`` as torch tensors and back, without a copy."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from unibody.errors import InvalidArgumentError
from unibody.isaacgym.errors import ArgumentTypeError
from unibody.isaacgym.types.fields import to_int, to_list
from unibody.isaacgym.types.tensors import Tensor

if TYPE_CHECKING:
    import torch

# Not Tensor: scripts take all names, and mean torch's by that.
__all__ = ["unwrap_tensor", "wrap_tensor"]

_EXTENTS = (-(2**63), 2**63 - 1)
_SIGNED = {"uint32": np.int32, "uint64": np.int64}


def wrap_tensor(
    gym_tensor: Tensor,
    offsets: Sequence[int] | None = None,
    counts: Sequence[int] | None = None,
) -> torch.Tensor | None:
    """Give a tensor of ``Gym`` as a torch tensor of the same memory.

    Args:
        gym_tensor: What an ``acquire`` method of ``Gym`` returned.
        offsets: First element in each dimension; the first of all if not given.
        counts: Elements in each dimension; all that are left if not given.

    Returns:
        A tensor on the device of the memory. Unsigned 32 and 64 bit integers come as signed ones.
        None if there is nothing in it, as in Isaac Gym: the state of the joints of a drone.

    Raises:
        ArgumentTypeError: It is no tensor of ``Gym``.
        InvalidArgumentError: A part lies outside of it.
    """
    if not isinstance(gym_tensor, Tensor):
        raise ArgumentTypeError("gym_tensor", gym_tensor, "a Tensor that a method of Gym returned")
    if gym_tensor.array is None:
        raise InvalidArgumentError("gym_tensor", gym_tensor, "a Tensor with data")
    if 0 in gym_tensor.shape:
        return None
    whole = _as_torch(gym_tensor.array)
    starts = _extents("offsets", offsets, gym_tensor, [0] * gym_tensor.ndim)
    left = [size - start for size, start in zip(gym_tensor.shape, starts, strict=True)]
    sizes = _extents("counts", counts, gym_tensor, left)
    for axis, (start, size) in enumerate(zip(starts, sizes, strict=True)):
        if not (start >= 0 and 0 <= size <= left[axis]):
            allowed = f"a part of the shape {gym_tensor.shape}"
            raise InvalidArgumentError("offsets, counts", (tuple(starts), tuple(sizes)), allowed)
        if size != gym_tensor.shape[axis]:
            whole = whole.narrow(axis, start, size)
    return whole


def unwrap_tensor(torch_tensor: torch.Tensor) -> Tensor:
    """Give a torch tensor as a tensor of ``Gym`` of the same memory.

    Args:
        torch_tensor: Contiguous, on the CPU or a CUDA device.

    Raises:
        ArgumentTypeError: It is no torch tensor, has an element type that ``Gym`` does not know,
            or is on another device.
        InvalidArgumentError: It is not contiguous.
    """
    import torch

    if not isinstance(torch_tensor, torch.Tensor):
        raise ArgumentTypeError("torch_tensor", type(torch_tensor), "a torch.Tensor")
    if not torch_tensor.is_contiguous():
        raise InvalidArgumentError(
            "torch_tensor",
            f"shape {tuple(torch_tensor.shape)}, strides {torch_tensor.stride()}",
            "a contiguous tensor: input tensor must be contiguous, call .contiguous() on it",
        )
    return Tensor.of(torch_tensor.detach() if torch_tensor.requires_grad else torch_tensor)


def _as_torch(array: Any) -> torch.Tensor:
    import torch

    if isinstance(array, torch.Tensor):
        return array
    if isinstance(array, np.ndarray):
        return torch.from_numpy(array.view(_SIGNED.get(array.dtype.name, array.dtype)))
    import warp

    return warp.to_torch(array, requires_grad=False)


def _extents(
    name: str, values: Sequence[int] | None, tensor: Tensor, default: list[int]
) -> list[int]:
    if values is None:
        return default
    wanted = f"{tensor.ndim} integers, one a dimension"
    found = [to_int(name, value, _EXTENTS) for value in to_list(name, values, wanted)]
    if len(found) != tensor.ndim:
        raise InvalidArgumentError(name, values, wanted)
    return found
