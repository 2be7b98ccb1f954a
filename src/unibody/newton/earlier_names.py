"""Names that 1.8 has replaced: they still work, and say so after 1.0."""

from __future__ import annotations

from typing import Any

from unibody.newton.dialect import LATER_NAMES, is_after_first_of_1
from unibody.newton.exceptions import NewtonDeprecationWarning, warn

_REPLACED = {LATER_NAMES[name]: name for name in ("target_q", "target_qd")}
"""Parameters of axes of joints by their earlier names -> their names of 1.8."""


def with_earlier_name(earlier: str, name: str) -> property:
    """An attribute by its earlier name."""

    def get(self: Any) -> Any:
        _tell(earlier, name)
        return getattr(self, name)

    def put(self: Any, value: Any) -> None:
        _tell(earlier, name)
        setattr(self, name, value)

    return property(get, put, doc=f"The earlier name of ``{name}``.")


def without_earlier_names(given: dict[str, Any]) -> dict[str, Any]:
    """Arguments of a call after 1.0 by their names of 1.8.

    Args:
        given: What the script states.

    Raises:
        ValueError: Both names are given, with different values.
    """
    found = dict(given)
    if not is_after_first_of_1():
        return found
    for earlier, name in _REPLACED.items():
        old = found.get(earlier)
        if old is None:
            continue
        _tell(earlier, name)
        if found.get(name) not in (None, old):
            raise ValueError(f"Conflicting {name}={found[name]!r} and {earlier}={old!r}")
        found[name] = found.pop(earlier)
    return found


def _tell(earlier: str, name: str) -> None:
    if is_after_first_of_1():
        warn(f"{earlier} is {name} in newton 1.8", NewtonDeprecationWarning)
