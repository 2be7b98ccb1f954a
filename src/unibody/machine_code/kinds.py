"""Types of numbers that compiled functions take and return, by numba's names."""

from __future__ import annotations

from typing import Any

from unibody.machine_code.deferred import ExternalFunction, Kind, NumberKind

__all__ = ["CPointer", "ExternalFunction", "UniTuple"]

void: NumberKind = NumberKind("void")
uint8: NumberKind = NumberKind("uint8")
int32: NumberKind = NumberKind("int32")
int64: NumberKind = NumberKind("int64")
float32: NumberKind = NumberKind("float32")
float64: NumberKind = NumberKind("float64")


def CPointer(element: Any) -> Kind:  # noqa: N802 - as in numba
    """An address of numbers."""
    return Kind("CPointer", element)


def UniTuple(element: Any, count: int) -> Kind:  # noqa: N802 - as in numba
    """A tuple of numbers of one type."""
    return Kind("UniTuple", element, count)
