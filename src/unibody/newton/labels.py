"""Entities by patterns of their labels."""

from __future__ import annotations

import re
from collections.abc import Sequence
from fnmatch import fnmatch

from unibody.errors import InvalidArgumentError

Pattern = str | list[str] | list[int] | re.Pattern[str]


def match_labels(labels: Sequence[str], pattern: Pattern) -> list[int]:
    """Indices of the labels that a pattern means.

    Args:
        labels: One an entity.
        pattern: As of file names, a list of them (each label once), a regular expression of whole
            labels, or indices, which are given back as they are.

    Raises:
        TypeError: A list has strings beside numbers, or neither.
    """
    if isinstance(pattern, str):
        return [k for k, label in enumerate(labels) if fnmatch(label, pattern)]
    if isinstance(pattern, re.Pattern):
        return [k for k, label in enumerate(labels) if pattern.fullmatch(label)]
    kinds = {type(item) for item in pattern}
    if all(issubclass(kind, int) for kind in kinds):
        return list(pattern)  # type: ignore[arg-type]
    if kinds == {str}:
        patterns = [str(item) for item in pattern]
        return [k for k, label in enumerate(labels) if any(fnmatch(label, p) for p in patterns)]
    names = ", ".join(sorted(kind.__name__ for kind in kinds))
    raise TypeError(f"Expected a list of str patterns or a list of int indices, got: {names}")


def matched(name: str, labels: Sequence[str], pattern: Pattern) -> list[int]:
    """Indices as of `match_labels`, of which there is one at least, and each exists.

    Args:
        name: Of the argument, for messages.
        labels: One an entity.
        pattern: See `match_labels`.
    """
    found = match_labels(labels, pattern)
    if not found:
        if isinstance(pattern, list) and not pattern:
            raise ValueError(f"'{name}' must not be empty")
        what = name.replace("_", " ")
        raise ValueError(f"No {what} matched the given pattern {pattern!r}")
    for index in found:
        if not 0 <= index < len(labels):
            allowed = f"0 to {len(labels) - 1} (Invalid {name} index: out of range)"
            raise InvalidArgumentError(name, index, allowed)
    return found
