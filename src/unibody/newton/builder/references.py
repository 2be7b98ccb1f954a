"""Values of attributes that are indices of entities, and follow them when these move."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import warp as wp

from unibody.newton.attributes import CustomAttribute
from unibody.newton.enums import AttributeFrequency

ENTITIES = {
    AttributeFrequency.TRIANGLE: "tri",
    AttributeFrequency.TETRAHEDRON: "tet",
}
"""Frequencies whose entities a builder calls otherwise."""
OBJECTS = ("curve", "surface", "volume")
"""Entities that only a frequency refers to: their names are free for frequencies of scripts."""
_NAMED = {
    frequency.name.lower(): frequency
    for frequency in AttributeFrequency
    if frequency.name.lower() not in OBJECTS
}


def domain(references: Any) -> Any:
    """What values refer to: a frequency, the name of one of the script's own, or None."""
    return _NAMED.get(references, references) if isinstance(references, str) else references


def entity_of(frequency: AttributeFrequency) -> str:
    """What a builder calls the entities of a frequency."""
    return ENTITIES.get(frequency, frequency.name.lower())


def moved(value: Any, change: Callable[[int], int]) -> Any:
    """A value with each of its indices changed: a number, or a list, tuple, array or vector."""
    if isinstance(value, bool) or value is None:
        return value
    if isinstance(value, list | tuple):
        return type(value)(moved(one, change) for one in value)
    if isinstance(value, np.ndarray):
        if value.dtype.kind not in "iu":
            return value
        flat = [change(one) for one in value.reshape(-1).tolist()]
        return np.array(flat, value.dtype).reshape(value.shape)
    if wp.types.type_is_vector(type(value)):
        whole = wp.types.type_is_int(type(value)._wp_scalar_type_)  # type: ignore[attr-defined]
        return type(value)(*(change(int(one)) for one in value)) if whole else value
    if isinstance(value, float):
        return value
    try:
        return change(int(value))
    except (TypeError, ValueError):
        return value


def with_defaults(attribute: CustomAttribute, count: int) -> Any:
    """The values of an attribute with its default for each entity that has none."""
    values = attribute.values or {}
    if attribute.is_custom_frequency:
        rows = [*values, *[None] * (count - len(values))]
        return [attribute.default if one is None else one for one in rows]
    return dict.fromkeys(range(count), attribute.default) | dict(values)  # type: ignore[arg-type]


def has_indices_by_default(attribute: CustomAttribute, change: Callable[[int], int]) -> bool:
    """Whether the default of an attribute refers to something that moves."""
    found = moved(attribute.default, change)
    return not np.array_equal(np.array(found), np.array(attribute.default))
