"""Vectors that may be left out, and that PyBullet passes over where they cannot be read.

A script that gives three numbers for a colour runs on PyBullet, which goes on as if nothing had
been given. So it does here, and a line on stderr says so once.
"""

from __future__ import annotations

from typing import Any, Literal, Protocol, overload

from unibody.bullet.arguments.vectors import plain_vector, vector
from unibody.core.assets.description import Vec3
from unibody.notices import tell


class Teller(Protocol):
    """A client, as far as it says what it passes over."""

    def say_once(self, text: str) -> bool:
        """True the first time a text comes."""
        ...


@overload
def optional_vector(
    client: Teller, call: str, name: str, value: Any, size: Literal[3]
) -> Vec3 | None: ...
@overload
def optional_vector(
    client: Teller, call: str, name: str, value: Any, size: Literal[4]
) -> tuple[float, float, float, float] | None: ...
@overload
def optional_vector(
    client: Teller, call: str, name: str, value: Any, size: int
) -> tuple[float, ...] | None: ...
def optional_vector(
    client: Teller, call: str, name: str, value: Any, size: int
) -> tuple[float, ...] | None:
    """The numbers of an optional argument; None if it was left out, or PyBullet passes it over.

    Args:
        client: Whose stderr line it is.
        call: Name of the function of the API.
        name: Name of the argument.
        value: What was given.
        size: How many numbers it has to be.

    Raises:
        error: As many elements, but one of them is no number.
    """
    if value is None:
        return None
    if value.__class__ in (tuple, list) and len(value) == size:  # as nearly always
        read = plain_vector(value, size)
        return read or vector(value, size, f"{call}: {name} has to be {size} numbers")
    if not _is_sequence(value) or len(value) != size:
        if client.say_once(f"{call} {name}"):
            tell(f"{call} passes over {name}={_shortly(value)}: expected {size} numbers")
        return None
    return vector(value, size, f"{call}: {name} has to be {size} numbers")


def _is_sequence(value: Any) -> bool:
    return (
        hasattr(value, "__getitem__")
        and not hasattr(value, "keys")
        and not isinstance(value, (str, bytes))
        and getattr(value, "ndim", 1) > 0
        and hasattr(value, "__len__")
    )


def _shortly(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:60]}..."
