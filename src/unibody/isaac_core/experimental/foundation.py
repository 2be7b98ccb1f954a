"""Types of values: those of USD, by their names."""

from __future__ import annotations

import functools
from typing import Any

from pxr import Sdf

from unibody.errors import InvalidArgumentError

_LEFT_OUT = ("group", "opaque", "pathExpression")
_BACKENDS = ("usd", "usdrt", "fabric")


@functools.cache
def _types() -> dict[str, Any]:
    """Types by their names, without other names of the same type."""
    every = [getattr(Sdf.ValueTypeNames, name) for name in sorted(dir(Sdf.ValueTypeNames))]
    known = {str(one): one for one in every if isinstance(one, Sdf.ValueTypeName)}
    return {n: one for n, one in known.items() if n.removesuffix("[]") not in _LEFT_OUT}


def get_value_type_names(*, format: Any = str) -> list[Any]:
    """All types of values.

    Args:
        format: ``str`` for their names, ``Sdf.ValueTypeNames`` for themselves.

    Raises:
        InvalidArgumentError: It is neither.
    """
    if format is str:
        return list(_types())
    if format is Sdf.ValueTypeNames:  # that of usdrt is the same one here
        return list(_types().values())
    raise InvalidArgumentError("format", format, "str or Sdf.ValueTypeNames")


def resolve_value_type_name(type_name: Any, *, backend: str | None = None) -> Any:
    """The type of values of a name.

    Args:
        type_name: Its name, or itself.
        backend: "usd", "usdrt" or "fabric", whose types are the same here; None: the one chosen.

    Raises:
        InvalidArgumentError: There is no such type or backend.
    """
    if backend is not None and backend not in _BACKENDS:
        raise InvalidArgumentError("backend", backend, f"one of {', '.join(_BACKENDS)}")
    return _types()[value_type_name_to_str(type_name)]


def value_type_name_to_str(type_name: Any) -> str:
    """The name of a type of values.

    Raises:
        InvalidArgumentError: There is no such type.
    """
    name = str(type_name)
    if isinstance(type_name, (str, Sdf.ValueTypeName)) and name in _types():
        return name
    raise InvalidArgumentError("type_name", type_name, "a type of values such as 'float3[]'")
