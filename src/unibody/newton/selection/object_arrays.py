"""Arrays of parts of objects: views of what they are in, checks, and conversions of values."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np
import warp as wp


def check_array(array: Any, dtype: Any, device: Any, least: int, kind: str) -> None:
    """Check an array of a state or model before it is read or written.

    Args:
        array: What the state or model has.
        dtype: Of its elements.
        device: Where it has to be.
        least: How many elements it has to have.
        kind: What they are, for messages.

    Raises:
        ValueError: It is something else.
    """
    if not isinstance(array, wp.array) or array.ndim != 1:
        raise ValueError(
            f"the state array of {kind} elements is {array!r}: a Warp array of one axis works"
        )
    if not wp.types.types_equal(array.dtype, dtype):
        raise ValueError(
            f"the state array of {kind} elements has the dtype {array.dtype.__name__}:"
            f" {dtype.__name__} works"
        )
    if array.device != device:
        raise ValueError(f"the state array of {kind} elements is on {array.device}: {device} works")
    if array.shape[0] < least:
        raise ValueError(
            f"the state array has {array.shape[0]} elements of kind {kind}: at least {least} work"
        )


def rows_of(source: Any, starts: list[int], parts: int) -> Any:
    """Parts of objects as a view of the array they are in, with its gradient.

    Args:
        source: The array.
        starts: Where each object begins.
        parts: Of each object.

    Returns:
        (objects, parts); None where objects are not evenly spaced.
    """
    step = parts if len(starts) == 1 else starts[1] - starts[0]
    if any(start != starts[0] + row * step for row, start in enumerate(starts)):
        return None

    def seen(data: Any) -> Any:
        size = data.strides[0]
        found = wp.array(
            ptr=int(data.ptr) + starts[0] * size,
            dtype=data.dtype,
            shape=(len(starts), parts),
            strides=(step * size, size),
            device=data.device,
            copy=False,
        )
        found._ref = data
        return found

    result = seen(source)
    if source.grad is not None:
        result.grad = seen(source.grad)
    return result


def check_host(what: str, device: Any) -> None:
    """Refuse values of the host while a graph is recorded.

    Raises:
        RuntimeError: One is.
    """
    if device.is_capturing:
        raise RuntimeError(
            f"{what} are of the host: make a Warp array of them before CUDA capture begins"
        )


def values_of(values: Any, shape: tuple[int, int], dtype: Any, device: Any) -> Any:
    """Values to write, as a Warp array.

    Args:
        values: A Warp array, or numbers.
        shape: (objects, parts).
        dtype: Of each part.
        device: Where they have to be.

    Raises:
        ValueError: They are of another shape, kind or device.
    """
    if values is None:
        raise ValueError("values=None: an array of them works")
    if not isinstance(values, wp.array):
        check_host("values", device)
        wanted = (*shape, wp.types.type_size(dtype))
        try:
            numbers = np.asarray(values, dtype=np.float32).reshape(wanted)
        except (TypeError, ValueError) as error:
            raise ValueError(f"values are no numbers of the shape {wanted}") from error
        return wp.array(numbers, dtype=dtype, shape=shape, device=device)
    if values.shape != shape:
        raise ValueError(f"values have the shape {values.shape}: {shape} works")
    if not wp.types.types_equal(values.dtype, dtype):
        raise ValueError(f"values have the dtype {values.dtype.__name__}: {dtype.__name__} works")
    if values.device != device:
        raise ValueError(f"values are on the device {values.device}: {device} works")
    return values


def mask_of(mask: Any, count: int, device: Any) -> Any:
    """A mask of objects as a Warp array; None: all of them.

    Raises:
        ValueError: It is of another shape, kind or device.
    """
    if mask is None:
        return None
    if not isinstance(mask, wp.array):
        check_host("entries of the mask", device)
        given = np.asarray(mask)
        if given.dtype != np.bool_:
            raise ValueError("the mask has entries that are not Boolean")
        mask = wp.array(given, dtype=wp.bool, device=device)
    if mask.dtype is not wp.bool:
        raise ValueError(f"the mask is of {mask.dtype}: a Boolean mask works")
    if mask.shape != (count,):
        raise ValueError(f"the mask has the shape {mask.shape}: ({count},) works")
    if mask.device != device:
        raise ValueError(f"the mask is on the device {mask.device}: {device} works")
    return mask


def indices_of(indices: Any, count: int, device: Any) -> Any:
    """Rows of objects as a Warp array.

    Raises:
        TypeError: One is no integer.
        ValueError: One is out of range, or the array is of another kind.
    """
    if isinstance(indices, wp.array):
        if indices.ndim != 1 or indices.dtype is not wp.int32:
            raise ValueError("deformable_object_indices is no int32 array of one axis")
        if indices.device != device:
            raise ValueError(
                f"deformable_object_indices is on the device {indices.device}: {device} works"
            )
        return indices
    check_host("deformable_object_indices", device)
    found: list[int] = []
    for value in indices:
        if isinstance(value, bool | np.bool_):
            raise TypeError(f"deformable_object_indices: {value!r} is no integer")
        index = operator.index(value)
        if not 0 <= index < count:
            raise ValueError(f"deformable_object_indices: {index} is not in [0, {count})")
        found.append(index)
    return wp.array(found, dtype=wp.int32, device=device)


def overlap(one: Any, other: Any) -> bool:
    """Whether two arrays may share memory."""
    if not one.size or not other.size:
        return False
    first, second = _bounds(one), _bounds(other)
    return bool(first[0] < second[1] and second[0] < first[1])


def _bounds(array: Any) -> tuple[int, int]:
    ways = [(size - 1) * stride for size, stride in zip(array.shape, array.strides, strict=True)]
    low = array.ptr + sum(min(0, way) for way in ways)
    high = array.ptr + sum(max(0, way) for way in ways)
    return low, high + wp.types.type_size_in_bytes(array.dtype)
