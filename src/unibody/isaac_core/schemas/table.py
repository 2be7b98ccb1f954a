"""The tables of schemas, PhysX's and those of sensors: classes, and the properties each has."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib import resources
from typing import Any, NamedTuple

INSTANCE = "__INSTANCE_NAME__"
"""What stands in names of properties in place of the name of an instance."""


class Property(NamedTuple):
    """One property of a schema.

    Attributes:
        name: On the prim.
        accessor: In ``Get...Attr``.
        type: As USD writes it, or "rel" for a relationship.
        uniform: Whether it has one value for all times.
        fallback: The value of a prim that says nothing; None for none.
        allowed: Tokens that are allowed; () for any.
    """

    name: str
    accessor: str
    type: str
    uniform: bool
    fallback: Any
    allowed: tuple[str, ...]


class Schema(NamedTuple):
    """One schema.

    Attributes:
        name: On prims.
        python: Of the class in Python.
        kind: "single" or "multiple" for applied schemas, "concrete" or "abstract" for types.
        base: The C++ type it is derived from.
        builtin: Schemas that come with it.
        properties: By the order of the table.
        library: What its type's name begins with in USD's registry.
    """

    name: str
    python: str
    kind: str
    base: str
    builtin: tuple[str, ...]
    properties: tuple[Property, ...]
    library: str = "PhysxSchema"

    @property
    def type_name(self) -> str:
        """Name of the type in USD's registry."""
        return f"{self.library}{self.python}"


LIBRARIES = {"physx": "PhysxSchema", "sensors": "IsaacSensor"}
"""Tables, and what names of their types begin with."""


@cache
def schemas(table: str = "physx") -> tuple[Schema, ...]:
    """All schemas of a table, by its order."""
    file = resources.files("unibody.isaac_core.schemas").joinpath(f"{table}.toml")
    rows = tomllib.loads(file.read_text(encoding="utf-8"))
    return tuple(
        Schema(
            name,
            row["class"],
            row["kind"],
            row.get("base", "UsdAPISchemaBase"),
            tuple(row.get("builtin", ())),
            tuple(_property(key, entry) for key, entry in row.get("properties", {}).items()),
            LIBRARIES[table],
        )
        for name, row in rows.items()
    )


def _property(name: str, entry: list[Any]) -> Property:
    accessor, type_name, *rest = entry
    uniform = type_name.startswith("uniform ")
    return Property(
        name,
        accessor,
        type_name.removeprefix("uniform "),
        uniform,
        _fallback(rest),
        tuple(rest[1]) if len(rest) > 1 else (),
    )


def _fallback(rest: list[Any]) -> Any:
    """The value in front of the allowed ones; an empty text holds the place of none."""
    if not rest or (len(rest) > 1 and rest[0] == ""):
        return None
    return rest[0]
