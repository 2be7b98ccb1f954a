"""What ``Gym`` calls a tensor: an array of any library, and where it lives."""

from __future__ import annotations

import ctypes
import functools
from typing import Any

import numpy as np

from unibody.isaacgym.errors import ArgumentTypeError
from unibody.isaacgym.types.enums import TensorDataType

CPU = -1
"""The ``device`` of host memory; others are ordinals of CUDA devices."""

NUMPY_TYPES: dict[TensorDataType, np.dtype[Any]] = {
    TensorDataType.DTYPE_FLOAT32: np.dtype(np.float32),
    TensorDataType.DTYPE_UINT32: np.dtype(np.uint32),
    TensorDataType.DTYPE_UINT64: np.dtype(np.uint64),
    TensorDataType.DTYPE_UINT8: np.dtype(np.uint8),
    TensorDataType.DTYPE_INT16: np.dtype(np.int16),
}
# Signed integers travel as the unsigned type of their size: the original has no other.
_BY_NAME = {
    "float32": TensorDataType.DTYPE_FLOAT32,
    "int32": TensorDataType.DTYPE_UINT32,
    "uint32": TensorDataType.DTYPE_UINT32,
    "int64": TensorDataType.DTYPE_UINT64,
    "uint64": TensorDataType.DTYPE_UINT64,
    "uint8": TensorDataType.DTYPE_UINT8,
    "int16": TensorDataType.DTYPE_INT16,
}


class Tensor:
    """An array of NumPy, torch or Warp, without its own arithmetic.

    Attributes:
        array: The array itself; it keeps the memory alive. None for an empty tensor.
        data_address: Where its first element is.
        device: -1 in host memory, else the ordinal of the CUDA device.
        dtype: A ``TensorDataType``.
        shape: Its shape.
        own_data: Whether the memory is this object's alone.
    """

    __slots__ = ("array", "data_address", "device", "dtype", "own_data", "shape")

    def __init__(self) -> None:
        self.array: Any = None
        self.data_address: int = 0
        self.device: int = CPU
        self.dtype: TensorDataType = TensorDataType.DTYPE_FLOAT32
        self.own_data: bool = False
        self.shape: tuple[int, ...] = ()

    @classmethod
    def of(cls, array: Any, *, own_data: bool = False) -> Tensor:
        """Describe an array, without a copy.

        Args:
            array: A contiguous NumPy, torch or Warp array.
            own_data: Whether nobody else uses its memory.

        Raises:
            ArgumentTypeError: It is none of these, its element type has no name here, or its
                memory has gaps.
        """
        if isinstance(array, np.ndarray):
            address, device = array.ctypes.data, CPU
            whole = array.flags.c_contiguous
        elif hasattr(array, "data_ptr"):
            address = array.data_ptr()
            device = CPU if array.is_cpu else _ordinal(array, array.is_cuda, array.device.index)
            whole = array.is_contiguous()
        elif hasattr(array, "ptr") and hasattr(array, "device"):
            address, on_gpu = array.ptr or 0, bool(array.device.is_cuda)
            device = _ordinal(array, on_gpu, array.device.ordinal if on_gpu else None)
            whole = bool(array.is_contiguous)
        else:
            raise ArgumentTypeError("array", type(array), "an array of NumPy, torch or Warp")
        kind = _kind(array.dtype)
        if kind is None:
            raise ArgumentTypeError("array.dtype", array.dtype, f"one of {', '.join(_BY_NAME)}")
        if not whole:
            raise ArgumentTypeError("array", tuple(array.shape), "a contiguous array")
        tensor = cls()
        tensor.array = array
        tensor.data_address = int(address)
        tensor.device = device
        tensor.dtype = kind
        tensor.own_data = own_data
        tensor.shape = tuple(array.shape)
        return tensor

    @property
    def data_ptr(self) -> ctypes.c_void_p:
        """The address, as a pointer."""
        return ctypes.c_void_p(self.data_address)

    @property
    def ndim(self) -> int:
        """Number of dimensions."""
        return len(self.shape)

    def __repr__(self) -> str:
        place = "cpu" if self.device == CPU else f"cuda:{self.device}"
        return f"Tensor(shape={self.shape}, dtype={self.dtype.name}, device={place})"


def _ordinal(array: Any, is_cuda: bool, index: int | None) -> int:
    if is_cuda:
        return index or 0
    # A torch device is named by its type, a Warp one by itself.
    if getattr(array.device, "type", "cpu") != "cpu":
        raise ArgumentTypeError("array.device", array.device, "the CPU or a CUDA device")
    return CPU


@functools.cache
def _kind(dtype: Any) -> TensorDataType | None:
    # np.dtype('float32'), torch.float32, warp.types.float32
    name = str(getattr(dtype, "__name__", dtype)).rpartition(".")[2]
    return _BY_NAME.get(name)
