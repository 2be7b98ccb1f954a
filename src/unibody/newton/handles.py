"""Indices of entities, which is all that scripts hold in their hands, and their checks."""

from __future__ import annotations

from typing import Any

from unibody.errors import InvalidArgumentError

WORLD = -1
"""The index that stands for the world in place of a body, and for all worlds in place of one."""


def check(argument: str, value: Any, count: int, what: str, *, world: bool = False) -> int:
    """An index that refers to something.

    Args:
        argument: Name of the argument.
        value: The index that was given.
        count: How many entities of the kind there are.
        what: The kind, in the plural.
        world: Whether -1 stands for the world.

    Raises:
        InvalidArgumentError: The index is out of range.
    """
    lowest = WORLD if world else 0
    if lowest <= value < count:
        return int(value)
    allowed = f"{lowest} to {count - 1}" if count > lowest else "nothing yet"
    there = f"there are {count} {what}; an index out of range refers to none"
    raise InvalidArgumentError(argument, value, f"{allowed} ({there})")
