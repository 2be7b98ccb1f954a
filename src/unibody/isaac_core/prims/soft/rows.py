"""Rows of soft prims, which have as many parts as each its own."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from unibody.errors import InvalidArgumentError
from unibody.isaac_core import convert


def table_of(rows: list[Any]) -> np.ndarray:
    """One array of all rows; those that are shorter end in zeros."""
    parts = [np.asarray(row) for row in rows]
    found = np.zeros((len(parts), max(map(len, parts)), *parts[0].shape[1:]))
    for row, values in zip(found, parts, strict=True):
        row[: len(values)] = values
    return found


def rows_of_values(values: Any, which: np.ndarray) -> Iterable[tuple[int, np.ndarray]]:
    """Numbers of prims and what is for each; nothing of None.

    Raises:
        InvalidArgumentError: There are not as many rows as prims.
    """
    if values is None:
        return []
    given = np.asarray(convert.plain(values), np.float64)
    if len(given) != len(which):
        raise InvalidArgumentError("values", given.shape, f"{len(which)} rows")
    return zip(which.tolist(), given, strict=True)


def each_of(name: str, given: Any, count: int) -> list[Any]:
    """One object for each prim, from one for all or a list; none of None.

    Raises:
        InvalidArgumentError: There are not as many as prims.
    """
    if given is None:
        return []
    chosen = list(given) if isinstance(given, (list, tuple, np.ndarray)) else [given] * count
    if len(chosen) != count:
        raise InvalidArgumentError(name, f"{len(chosen)} of them", f"one, or {count}")
    return chosen
