"""Arrays of Warp by way of NumPy's, and back to the same device."""

from __future__ import annotations

from typing import Any

import numpy as np
import warp as wp

from unibody.isaac_core import convert

TYPES: dict[str, Any] = {
    "float32": wp.float32, "float64": wp.float64, "bool": wp.bool, "int32": wp.int32,
    "int64": wp.int64, "long": wp.int64, "uint32": wp.uint32, "uint8": wp.uint8,
}  # fmt: skip


def plain(value: Any) -> np.ndarray:
    """An array of NumPy of one of Warp, indexed or not, of PyTorch, or of a sequence."""
    return convert.plain(value)


def back(array: Any, like: Any = None, device: Any = None, dtype: Any = wp.float32) -> Any:
    """An array of Warp.

    Args:
        array: The numbers.
        like: An array whose device is taken where none is named.
        device: Where it is to be; None: where the other is, else the CPU.
        dtype: Type of the numbers.
    """
    place = device if device is not None else getattr(like, "device", None)
    known = place if isinstance(like, wp.array | wp.indexedarray) or device else "cpu"
    return wp.array(np.ascontiguousarray(array), dtype=dtype, device=str(known or "cpu"))
