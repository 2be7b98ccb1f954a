"""What does not exist yet: read from ``coverage.toml``, and methods that say so when called."""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from functools import cache
from importlib import resources
from typing import NamedTuple, NoReturn

from unibody.errors import NotSupportedError

_INSTEAD = "docs/coverage_isaacgym.md lists what exists"


class Entry(NamedTuple):
    """What is known about one name of the API.

    Attributes:
        group: Title of the group it stands in; for a member, its class.
        status: "full", "partial" or "absent".
        note: A remark, or "".
    """

    group: str
    status: str
    note: str


@cache
def coverage(kind: str) -> dict[tuple[str, str], Entry]:
    """Return what is known about every name of a kind.

    Args:
        kind: "gym" for the methods of ``Gym``, "functions", "constants", or "types".

    Returns:
        Entries by class and name; the class is "" but for types.
    """
    file = resources.files("unibody.isaacgym").joinpath("coverage.toml")
    groups = tomllib.loads(file.read_text(encoding="utf-8"))[kind]
    return {
        (group if kind == "types" else "", name): Entry(
            group, entry["status"], entry.get("note", "")
        )
        for group, entries in groups.items()
        for name, entry in entries.items()
    }


@cache
def absent_methods() -> frozenset[str]:
    """Return the methods of ``Gym`` that do not exist here."""
    table = coverage("gym")
    return frozenset(name for (_, name), entry in table.items() if entry.status == "absent")


def absent_method(name: str) -> Callable[..., NoReturn]:
    """Build the method that stands in for an absent one.

    Args:
        name: One of ``absent_methods``.

    Returns:
        A function that raises ``NotSupportedError`` whatever it is called with.

    Raises:
        KeyError: Isaac Gym has no method of that name, or it is not absent.
    """
    if name not in absent_methods():
        raise KeyError(name)
    instead = coverage("gym")["", name].note or _INSTEAD

    def refuse(*_: object, **__: object) -> NoReturn:
        raise NotSupportedError(f"Gym.{name}", instead)

    refuse.__name__ = refuse.__qualname__ = name
    refuse.__doc__ = f"Raise ``NotSupportedError``: {instead}."
    return refuse
