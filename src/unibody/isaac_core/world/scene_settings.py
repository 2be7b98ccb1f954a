"""Settings of a physics scene that are attributes of its prim, and what each accepts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pxr import Sdf

from unibody.errors import InvalidArgumentError


def attribute_of(context: Any, name: str) -> Any:
    """The attribute of a physics context's scene; one that no schema has is a truth value."""
    prim = context.get_current_physics_scene_prim()
    found = prim.GetAttribute(f"physxScene:{name}")
    if found:
        return found
    return prim.CreateAttribute(f"physxScene:{name}", Sdf.ValueTypeNames.Bool)


def pair(
    name: str, argument: str, kind: Callable[[Any], Any], what: str
) -> tuple[Callable[..., Any], Callable[..., None]]:
    """A getter and a setter of an attribute, which is a record of what a script asked for.

    Args:
        name: Of the attribute, without its prefix.
        argument: What the setter calls its value.
        kind: Type of the value.
        what: What it is, for the docstrings.
    """

    def get(self: Any) -> Any:
        return attribute_of(self, name).Get()

    def put(self: Any, value: Any) -> None:
        try:
            attribute_of(self, name).Set(kind(value))
        except (TypeError, ValueError) as problem:
            raise InvalidArgumentError(argument, value, f"a value of {kind.__name__}") from problem

    get.__doc__, put.__doc__ = f"{what}; a record.", f"Set: {what}; a record."
    return get, put
