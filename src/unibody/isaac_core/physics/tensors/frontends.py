"""Between NumPy's arrays and those that a script asked for."""

from __future__ import annotations

import abc
from typing import Any

import numpy as np
import numpy.typing as npt

from unibody.errors import InvalidArgumentError, NotSupportedError

Array = npt.NDArray[Any]


class Frontend(abc.ABC):
    """A kind of arrays.

    Attributes:
        device: Where the arrays are, as the kind names it.
    """

    device: Any = "cpu"

    @abc.abstractmethod
    def give(self, array: Array) -> Any:
        """An array of this kind with the contents of an array of NumPy."""

    def take(self, tensor: Any) -> Array:
        """The contents of any array, in host memory."""
        if hasattr(tensor, "detach"):
            tensor = tensor.detach().cpu()
        if hasattr(tensor, "numpy"):
            tensor = tensor.numpy()
        return np.asarray(tensor)


class NumpyFrontend(Frontend):
    """Arrays of NumPy."""

    def give(self, array: Array) -> Any:
        """The array."""
        return array


class TorchFrontend(Frontend):
    """Tensors of torch."""

    def __init__(self, device: str) -> None:
        import torch

        self._torch = torch
        self.device = device

    def give(self, array: Array) -> Any:
        """A tensor."""
        if array.dtype == np.uint32:
            array = array.astype(np.int32)  # torch has few operations on the other
        found = self._torch.from_numpy(array)
        return found if self.device == "cpu" else found.to(self.device)


class WarpFrontend(Frontend):
    """Arrays of Warp."""

    def __init__(self, device: str) -> None:
        import warp as wp

        self._warp = wp
        self.device = device

    def give(self, array: Array) -> Any:
        """An array of scalars."""
        return self._warp.array(array, device=self.device, copy=True)


def frontend(name: str, device: str) -> Frontend:
    """The frontend of a name.

    Args:
        name: "numpy", "torch", "warp", or a short form.
        device: Of the worlds.

    Raises:
        InvalidArgumentError: There is no such frontend, or NumPy is asked for on a GPU.
        NotSupportedError: TensorFlow.
    """
    own = device if device.startswith("cuda") else "cpu"
    kind = str(name).lower()
    if kind in ("numpy", "np"):
        if own != "cpu":
            raise InvalidArgumentError("frontend_name", name, f"'torch' or 'warp' on {device!r}")
        return NumpyFrontend()
    if kind in ("torch", "pytorch"):
        return TorchFrontend(own)
    if kind in ("warp", "wp"):
        return WarpFrontend(own)
    if kind in ("tensorflow", "tf"):
        raise NotSupportedError("the frontend 'tensorflow'", "'numpy', 'torch' and 'warp' are")
    raise InvalidArgumentError("frontend_name", name, "one of ['numpy', 'torch', 'warp']")
