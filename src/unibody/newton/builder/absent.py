"""Methods that do not exist yet, with the names of their parameters; they say so when called."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import NoReturn

from unibody.errors import NotSupportedError
from unibody.newton.dialect import signatures

_INSTEAD = {
    "plot_articulation": "joint_parent and joint_child list the graph",
}


def method(name: str) -> Callable[..., NoReturn]:
    """The method that stands in for an absent one.

    Args:
        name: Of the method.

    Returns:
        A function that raises ``NotSupportedError`` whatever it is called with.
    """

    def refuse(self: object, *_: object, **__: object) -> NoReturn:
        raise NotSupportedError(f"ModelBuilder.{name}", _INSTEAD[name])

    refuse.__name__ = refuse.__qualname__ = name
    refuse.__doc__ = f"Raise ``NotSupportedError``: {_INSTEAD[name]}."
    refuse.__signature__ = _signature(signatures("0.2")[f"ModelBuilder.{name}"])  # type: ignore[attr-defined]
    return refuse


def _signature(text: str) -> inspect.Signature:
    """A signature of names alone: defaults of absent methods are never used."""
    own = inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD)
    names = [part.split("=")[0].strip() for part in _split(text)]
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    found = [own]
    for name in names:
        if name == "*":
            kind = inspect.Parameter.KEYWORD_ONLY
        elif name.startswith("**"):
            found.append(inspect.Parameter(name[2:], inspect.Parameter.VAR_KEYWORD))
        else:
            found.append(inspect.Parameter(name, kind))
    return inspect.Signature(found)


def _split(text: str) -> list[str]:
    """The parameters of a signature; commas inside brackets separate none."""
    parts, depth, start = [], 0, 0
    for position, letter in enumerate(text):
        depth += (letter in "([{") - (letter in ")]}")
        if letter == "," and depth == 0:
            parts.append(text[start:position])
            start = position + 1
    return [part.strip() for part in [*parts, text[start:]] if part.strip()]
