"""``pxr.PhysxSchema``: a class for each schema of the table."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from pxr import Tf

from unibody.isaac_core.schemas.classes import classes
from unibody.isaac_core.schemas.table import INSTANCE, schemas


def _tokens() -> type:
    """Names of properties and allowed values, as constants in camel case."""
    words: dict[str, str] = {}
    for row in schemas():
        words[_camel(row.name)] = row.name
        for found in row.properties:
            words[_camel(found.name.replace(f"{INSTANCE}:", ""))] = found.name
            words |= {_camel(word): word for word in found.allowed}
    return type("Tokens", (), words | {"__doc__": "Names and values of the schemas."})


def _camel(name: str) -> str:
    first, *rest = re.split(r"[:_\s]+", name)
    return first + "".join(word[:1].upper() + word[1:] for word in rest)


if TYPE_CHECKING:

    def __getattr__(name: str) -> Any:
        """The classes come from the table."""


Tokens: type = _tokens()
globals().update(classes("physx"))
__all__ = ["Tokens", *(row.python for row in schemas())]  # noqa: PLE0604  # pyright: ignore[reportUnsupportedDunderAll]


def type_of(name: str) -> Tf.Type:
    """The type of a schema in USD's registry, by the name of its class."""
    return Tf.Type.FindByName(f"PhysxSchema{name}")
