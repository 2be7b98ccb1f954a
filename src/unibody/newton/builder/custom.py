"""Attributes and frequencies that scripts define."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

import numpy as np

from unibody.newton.attributes import CustomAttribute, CustomFrequency
from unibody.newton.builder.references import domain
from unibody.newton.builder.tables import Tables
from unibody.newton.dialect import is_after_first_of_1
from unibody.newton.enums import AttributeFrequency

_SPEC = (
    "frequency_key",
    "dtype",
    "assignment",
    "namespace",
)
_OF_JOINTS = {
    AttributeFrequency.JOINT_DOF: ("qd", "joint_dof", "DOF"),
    AttributeFrequency.JOINT_COORD: ("q", "joint_coord", "coordinate"),
    AttributeFrequency.JOINT_CONSTRAINT: ("cts", "joint_constraint", "constraint"),
}


def add_custom_attribute(self: Tables, attribute: CustomAttribute) -> None:
    """Define an attribute; the same definition again changes nothing.

    Raises:
        ValueError: There is one of that key that is defined in another way, or its frequency is
            not registered.
    """
    key, frequency = attribute.key, attribute.frequency_key
    if isinstance(frequency, str) and frequency not in self.custom_frequencies:
        raise ValueError(
            f"Custom frequency {frequency!r} of attribute {key!r} is not registered: call"
            f" add_custom_frequency() first (registered: {sorted(self.custom_frequencies)})"
        )
    existing = self.custom_attributes.get(key)
    if existing is None:
        if attribute.usd_attribute_name == "*" and attribute.usd_value_transformer is None:
            raise ValueError(
                f"Custom attribute {key!r}: usd_attribute_name='*' requires a"
                " usd_value_transformer, which works out the value from the prim"
            )
        self.custom_attributes[key] = attribute
        return
    check_same(existing, attribute)


def check_same(existing: CustomAttribute, attribute: CustomAttribute) -> None:
    """Check that two definitions of an attribute mean the same.

    Raises:
        ValueError: They do not.
    """
    found = {name: (getattr(existing, name), getattr(attribute, name)) for name in _SPEC}
    found["references"] = (domain(existing.references), domain(attribute.references))
    for name, (first, second) in found.items():
        if first != second:
            raise ValueError(
                f"Custom attribute {attribute.key!r} already exists with incompatible spec: {name}"
                f" is {first!r}, not {second!r}"
            )


def add_custom_frequency(self: Tables, frequency: CustomFrequency) -> None:
    """Register a frequency of the script's own; the same again changes nothing.

    Raises:
        ValueError: It is registered with other functions.
    """
    existing = self.custom_frequencies.setdefault(frequency.key, frequency)
    if existing != frequency:
        raise ValueError(
            f"Custom frequency {frequency.key!r} is already registered with different callbacks"
        )


def has_custom_attribute(self: Tables, key: str) -> bool:
    """Whether an attribute of that key is defined."""
    return key in self.custom_attributes


def get_custom_attributes_by_frequency(
    self: Tables, frequencies: Sequence[AttributeFrequency | str]
) -> list[CustomAttribute]:
    """The attributes of some frequencies."""
    wanted = set(frequencies)
    found = self.custom_attributes.values()
    return [a for a in found if a.frequency in wanted or a.frequency_key in wanted]


def get_custom_frequency_keys(self: Tables) -> set[str]:
    """The frequencies of the script's own."""
    used = {a.frequency_key for a in self.custom_attributes.values() if a.is_custom_frequency}
    return used | set(self.custom_frequencies)


def add_custom_values(self: Tables, **kwargs: Any) -> dict[str, int]:
    """Append a row of values to attributes whose frequency is the script's own.

    Other attributes of the frequency have no value in that row: their default.

    Args:
        self: The builder.
        **kwargs: Key of an attribute -> value.

    Returns:
        Key -> index of the value.

    Raises:
        AttributeError: An attribute is not defined.
        TypeError: Its frequency is one of the model's entities.
    """
    counts = frequency_counts(self)
    indices = {}
    if is_after_first_of_1():
        kwargs = {**kwargs, **_worlds_of_rows(self, kwargs)}
    for key, value in kwargs.items():
        attribute = _defined(self, key)
        if not isinstance(attribute.values, list):
            raise TypeError(
                f"Custom attribute {key!r} has frequency={attribute.frequency!r}, but"
                " add_custom_values() only works with custom frequency attributes (a string)"
            )
        row = counts[str(attribute.frequency_key)]
        attribute.values.extend([None] * (row - len(attribute.values)))
        indices[key] = row
        attribute.values.append(value)
    return indices


def _worlds_of_rows(self: Tables, values: dict[str, Any]) -> dict[str, int]:
    """The current world, for attributes of the same rows that are worlds and have no value."""
    frequencies = {_defined(self, key).frequency_key for key in values}
    return {
        key: self.current_world
        for key, attribute in self.custom_attributes.items()
        if attribute.references is not None
        and attribute.is_custom_frequency
        and attribute.frequency_key in frequencies
        and domain(attribute.references) == AttributeFrequency.WORLD
        and values.get(key) is None
    }


def add_row(self: Tables, frequency: str, values: dict[str, Any]) -> int:
    """Append a row of all attributes of a frequency: defaults where it states nothing.

    Returns:
        Its number.
    """
    own = (a.key for a in self.custom_attributes.values() if a.frequency_key == frequency)
    return next(iter(add_custom_values(self, **(dict.fromkeys(own) | values)).values()))


def frequency_counts(self: Tables) -> dict[str, int]:
    """How many rows frequencies of the script's own have."""
    counts: dict[str, int] = {}
    for attribute in self.custom_attributes.values():
        if isinstance(attribute.values, list):
            key = attribute.frequency_key
            counts[key] = max(counts.get(key, 0), len(attribute.values))
    return counts


def resolve_owners(self: Tables) -> None:
    """Ask frequencies which articulations their rows belong to.

    Raises:
        ValueError: An answer does not have one value a row.
    """
    counts = frequency_counts(self)
    for key, frequency in self.custom_frequencies.items():
        if frequency.articulation_owner_resolver is None:
            continue
        attribute = _defined(self, str(frequency.articulation_owner_attribute))
        found, count = list(frequency.articulation_owner_resolver(self)), counts.get(key, 0)
        if len(found) != count:
            raise ValueError(
                f"articulation_owner_resolver of custom frequency {key!r} returned {len(found)}"
                f" values, expected {count}"
            )
        attribute.values = found


def add_custom_values_batch(
    self: Tables, entries: Sequence[dict[str, Any]]
) -> list[dict[str, int]]:
    """Append several rows of values."""
    return [add_custom_values(self, **entry) for entry in entries]


def check_values(
    self: Tables, values: dict[str, Any] | None, frequency: AttributeFrequency
) -> None:
    """Check that attributes are defined for an entity; see `set_values`.

    Raises:
        AttributeError: An attribute is not defined.
        ValueError: It belongs to other entities.
    """
    for key in values or {}:
        attribute = _defined(self, key)
        if attribute.frequency != frequency:
            raise ValueError(
                f"Custom attribute {key!r} has frequency {attribute.frequency!r}, but expected"
                f" {frequency!r} for this entity"
            )


def set_values(
    self: Tables,
    index: int | Sequence[int],
    values: dict[str, Any] | None,
    frequency: AttributeFrequency,
) -> None:
    """Give an entity, or several, values of attributes.

    Args:
        self: The builder.
        index: Of the entity; or of several, then a sequence of values has one for each.
        values: Key -> value.
        frequency: What the entity is.

    Raises:
        AttributeError: An attribute is not defined.
        ValueError: It belongs to other entities, or there is not one value for each.
    """
    check_values(self, values, frequency)
    for key, value in (values or {}).items():
        attribute = _defined(self, key)
        if isinstance(index, int):
            _by_entity(attribute)[index] = value
            continue
        several = isinstance(value, list | tuple | np.ndarray) and np.ndim(value) > 0
        if several and len(value) != len(index):
            raise ValueError(
                f"Custom attribute {key!r}: expected {len(index)} values, got {len(value)}"
            )
        row = value if several else [value] * len(index)
        _by_entity(attribute).update(zip(index, row, strict=True))


def set_joint_values(self: Tables, joint: int, values: dict[str, Any] | None) -> None:
    """Give a joint, and its degrees of freedom, coordinates and constraints, values.

    Raises:
        AttributeError: An attribute is not defined.
        ValueError: Its entities are not of a joint, or the numbers of values do not fit.
        TypeError: Values by index have an index that is no integer.
    """
    for key, value in (values or {}).items():
        attribute = _defined(self, key)
        frequency = attribute.frequency
        if frequency == AttributeFrequency.JOINT:
            _by_entity(attribute)[joint] = value
        elif frequency in _OF_JOINTS:
            _set_joint_space(self, joint, attribute, value)
        else:
            raise ValueError(
                f"Custom attribute {key!r} has unsupported frequency {frequency!r} for joints:"
                " expected JOINT, JOINT_DOF, JOINT_COORD or JOINT_CONSTRAINT"
            )


def _set_joint_space(self: Tables, joint: int, attribute: CustomAttribute, value: Any) -> None:
    short, space, word = _OF_JOINTS[attribute.frequency]  # type: ignore[index]
    starts = getattr(self, f"joint_{short}_start")
    start = starts[joint]
    end = starts[joint + 1] if joint + 1 < len(starts) else self.count(space)
    count = end - start
    name = f"{AttributeFrequency(attribute.frequency).name} attribute {attribute.key!r}"
    if count == 0:
        return
    if isinstance(value, dict):
        for offset, one in value.items():
            if not isinstance(offset, int):
                raise TypeError(f"{name} dict keys must be integers, got {type(offset)}")
            if not 0 <= offset < count:
                raise ValueError(
                    f"{name} has invalid {word} index {offset} (joint has {count} {word}s)"
                )
            _by_entity(attribute)[start + offset] = one
        return
    row = value.tolist() if isinstance(value, np.ndarray) else value
    if not isinstance(row, list | tuple):
        row = [row] * count
    if len(row) != count:
        raise ValueError(f"{name} has {len(row)} values, but the joint has {count} {word}s")
    for offset, one in enumerate(row):
        _by_entity(attribute)[start + offset] = one


def _by_entity(attribute: CustomAttribute) -> dict[int, Any]:
    """The values of an attribute whose frequency is not of the script's own: no list of rows."""
    return cast("dict[int, Any]", attribute.values)


def _defined(self: Tables, key: str) -> CustomAttribute:
    try:
        return self.custom_attributes[key]
    except KeyError:
        known = ", ".join(sorted(self.custom_attributes)) or "none"
        raise AttributeError(
            f"Custom attribute {key!r} is not defined: declare it first with"
            f" add_custom_attribute() (defined: {known})"
        ) from None
