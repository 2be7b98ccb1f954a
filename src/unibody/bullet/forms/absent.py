"""What does not exist yet: read from ``coverage.toml``, and functions that say so when called."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from importlib import resources
from typing import NamedTuple, NoReturn

from unibody.errors import NotSupportedError

_INSTEAD = "docs/coverage.md lists what exists"


class Entry(NamedTuple):
    """What is known about one name of the API.

    Attributes:
        group: Title of the group it stands in.
        status: "full", "partial" or "absent".
        note: A remark, or "".
    """

    group: str
    status: str
    note: str


@cache
def _text() -> str:
    return resources.files("unibody.bullet").joinpath("coverage.toml").read_text(encoding="utf-8")


@cache
def coverage() -> tuple[dict[str, Entry], dict[str, Entry]]:
    """Return what is known about every function, and about every constant, by name."""
    import tomllib

    data = tomllib.loads(_text())
    functions, constants = (
        {
            name: Entry(group, entry["status"], entry.get("note", ""))
            for group, entries in data[kind].items()
            for name, entry in entries.items()
        }
        for kind in ("functions", "constants")
    )
    return functions, constants


@cache
def absent_names() -> frozenset[str]:
    """Return the functions of PyBullet that do not exist here.

    They are asked for at each start, and found without reading all of the table.
    """
    names: set[str] = set()
    of_functions = False
    for line in _text().splitlines():
        if line.startswith("["):
            of_functions = line.startswith("[functions")
        elif of_functions and 'status = "absent"' in line:
            names.add(line.partition(" ")[0])
    return frozenset(names)


def absent_function(name: str) -> Callable[..., NoReturn]:
    """Build the function that stands in for an absent one.

    Args:
        name: One of ``absent_names``.

    Returns:
        A function that raises ``NotSupportedError`` whatever it is called with.

    Raises:
        KeyError: PyBullet has no function of that name, or it is not absent.
    """
    if name not in absent_names():
        raise KeyError(name)
    instead = coverage()[0][name].note or _INSTEAD

    def refuse(*_: object, **__: object) -> NoReturn:
        raise NotSupportedError(f"pybullet.{name}", instead)

    refuse.__name__ = refuse.__qualname__ = name
    refuse.__doc__ = f"Raise ``NotSupportedError``: {instead}."
    return refuse
