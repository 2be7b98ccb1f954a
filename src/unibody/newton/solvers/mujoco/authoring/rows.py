"""Rows of MuJoCo's attributes of a builder, and checks of what they refer to."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from unibody.newton.builder import custom
from unibody.newton.enums import ShapeFlags
from unibody.newton.solvers.mujoco import attributes

_WORDS = {"false": 0, "true": 1, "auto": 2}


def know_attributes(builder: Any) -> None:
    """Let a builder know MuJoCo's attributes."""
    attributes.register(builder)


def add(builder: Any, frequency: str, values: dict[str, Any], given: dict[str, Any] | None) -> int:
    """Add a row.

    Args:
        builder: The builder.
        frequency: Of the row.
        values: Key -> value.
        given: More of them, which the script has chosen.

    Returns:
        Its number.
    """
    check_given(builder, frequency, values, given)
    return custom.add_row(builder, frequency, values | (given or {}))


def check_given(
    builder: Any, frequency: Any, values: dict[str, Any], given: dict[str, Any] | None
) -> None:
    """Check attributes that a script gives beside those a function sets.

    Raises:
        AttributeError: One is not defined.
        ValueError: One is set by the function, or is of other entities.
    """
    for key in given or {}:
        if key in values:
            raise ValueError(f"custom_attributes: {key!r} is set by this function itself")
        if key not in builder.custom_attributes:
            known = ", ".join(sorted(builder.custom_attributes))
            raise AttributeError(f"Custom attribute {key!r} is not defined (defined: {known})")
        found = builder.custom_attributes[key].frequency_key
        if found != frequency:
            raise ValueError(
                f"Custom attribute {key!r} has frequency {found!r}, expected {frequency!r}"
            )


def vector(
    builder: Any, key: str, values: Sequence[float], count: int, *, exact: bool = True
) -> Any:
    """Numbers as the type of an attribute.

    Args:
        builder: The builder.
        key: Of the attribute.
        values: The numbers.
        count: How many it has.
        exact: Whether there have to be as many; else zeros follow.

    Raises:
        ValueError: There are too many, or too few.
    """
    numbers = [float(v) for v in values]
    name = key.partition(":")[2].removeprefix("actuator_").removeprefix("tendon_")
    if exact and len(numbers) != count:
        raise ValueError(f"{name} requires exactly {count} values, got {len(numbers)}")
    if len(numbers) > count:
        raise ValueError(f"{name} accepts at most {count} values, got {len(numbers)}")
    return builder.custom_attributes[key].dtype(*numbers, *[0.0] * (count - len(numbers)))


def tristate(value: bool | int | str) -> int:
    """0 for no, 1 for yes, 2 for where a range is stated."""
    if isinstance(value, str):
        if value.lower() not in _WORDS:
            raise ValueError(f"{value!r} is not allowed: expected one of {sorted(_WORDS)}")
        return _WORDS[value.lower()]
    number = int(value)
    if number not in _WORDS.values():
        raise ValueError(f"{value!r} is not allowed: expected a bool, 0, 1, 2 or a word for them")
    return number


def check_index(name: str, index: int, count: int, lowest: int = 0) -> None:
    """Check that an entity exists.

    Raises:
        IndexError: It does not.
    """
    if not lowest <= index < count:
        raise IndexError(f"{name} index {index} is outside [{lowest}, {count})")


def check_world(builder: Any, name: str, index: int, world: int, what: str) -> None:
    """Check that an entity is of the world that is being built, or of all.

    Raises:
        ValueError: It is of another one.
    """
    if world not in {-1, builder.current_world}:
        raise ValueError(
            f"{name} index {index} belongs to world {world}, but the {what} is added to world"
            f" {builder.current_world}"
        )


def check_shape(builder: Any, name: str, shape: int, what: str, *, site: bool) -> None:
    """Check that a shape exists, is a site or none, and is of this world or of all.

    Raises:
        IndexError: It does not exist.
        ValueError: It is of another kind, or of another world.
    """
    check_index(name, shape, builder.shape_count)
    if bool(int(builder.shape_flags[shape]) & int(ShapeFlags.SITE)) != site:
        expected = "site" if site else "shape that is no site"
        raise ValueError(f"{name} index {shape} is no {expected}")
    check_world(builder, name, shape, int(builder.shape_world[shape]), what)


def world_of_row(builder: Any, key: str, row: int) -> int:
    """The world of a row that has one."""
    attribute = builder.custom_attributes[key]
    value = attribute.values[row] if row < len(attribute.values) else None
    return int(attribute.default if value is None else value)
