# pyright: basic, reportArgumentType=false
"""What the compiled kernels of a batch are told: addresses of arrays, as one array of numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from unibody.core.assets import transforms
from unibody.errors import InvalidArgumentError
from unibody.machine_code import numba
from unibody.machine_code.pointers import (
    pointer_as,
    pointer_f64,
    pointer_i32,
    pointer_i64,
    pointer_u8,
)

if TYPE_CHECKING:
    from unibody.machine_code.deferred import Late

F64 = npt.NDArray[np.float64]
I32 = npt.NDArray[np.int32]

carray: Late = numba.carray  # pyright: ignore[reportPrivateImportUsage] - numba exports it
compiled: Any = numba.njit(cache=True, nogil=True, error_model="numpy")
inlined: Any = numba.njit(cache=True, nogil=True, error_model="numpy", inline="always")


vector_of_quat: Any = inlined(transforms.rotation_vector)
quat_of_vector: Any = inlined(transforms.quat_of_vector)


@inlined
def turned(w: float, x: float, y: float, z: float, a: float, b: float, c: float):
    """A vector (a, b, c) turned by a quaternion."""
    tx, ty, tz = 2.0 * (y * c - z * b), 2.0 * (z * a - x * c), 2.0 * (x * b - y * a)
    return (
        a + w * tx + y * tz - z * ty,
        b + w * ty + z * tx - x * tz,
        c + w * tz + x * ty - y * tx,
    )


def packed(
    fields: Sequence[F64],
    tables: Sequence[I32],
    others: Sequence[npt.NDArray[Any]] = (),
    more: Sequence[int] = (),
) -> npt.NDArray[np.int64]:
    """Addresses of arrays, for kernels that are often called: numba takes one faster than arrays.

    The caller keeps the arrays alive.

    Args:
        fields: Arrays of worlds, contiguous within a world; address, and numbers from one world to
            the next.
        tables: Address, and number of rows.
        others: The same, of any type.
        more: Further numbers.
    """
    numbers: list[int] = []
    for array in fields:
        numbers += [array.ctypes.data, array.strides[0] // array.itemsize]
    for table in (*tables, *others):
        if not table.flags.c_contiguous:
            raise InvalidArgumentError("tables", table.strides, "contiguous arrays")
        numbers += [table.ctypes.data, len(table)]
    if any(table.dtype != np.int32 for table in tables):
        raise InvalidArgumentError("tables", [t.dtype for t in tables], "arrays of int32")
    return np.array([*numbers, *more], np.int64)


@inlined
def field(address: int, i: int):
    """Array ``i`` of those that were packed, a row a world; a stride of 0: all share the row."""
    numbers = pointer_i64(address)
    return carray(pointer_f64(numbers[2 * i]), (1, numbers[2 * i + 1]))


@inlined
def table(address: int, i: int, columns: int):
    """Table ``i``, of int32."""
    numbers = pointer_i64(address)
    return carray(pointer_i32(numbers[2 * i]), (numbers[2 * i + 1], columns))


@inlined
def tensor(address: int, i: int, columns: int, like: float):
    """Array ``i`` of the batch, of the type of ``like``."""
    numbers = pointer_i64(address)
    return carray(pointer_as(numbers[2 * i], like), (numbers[2 * i + 1], columns))


@inlined
def number(address: int, arrays: int, i: int):
    """Number ``i`` behind those of the arrays."""
    return pointer_i64(address)[2 * arrays + i]


@inlined
def bytes_at(address: int, i: int):
    """Array ``i``, of bytes."""
    return pointer_u8(pointer_i64(address)[2 * i])
