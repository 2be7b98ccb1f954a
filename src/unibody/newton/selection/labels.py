"""Names of entities and patterns of scripts."""

from __future__ import annotations

import fnmatch
from collections.abc import Sequence
from typing import Any

from unibody.errors import InvalidArgumentError


def leaf(label: str) -> str:
    """The last part of a label."""
    return label.rpartition("/")[2] or label


def chosen(argument: str, patterns: Any, labels: Sequence[str]) -> set[int]:
    """Places of labels that numbers, names or patterns mean.

    Args:
        argument: Name of the argument, for the error.
        patterns: A name, a pattern, a number, or a sequence of them.
        labels: The labels.

    Raises:
        InvalidArgumentError: A number is out of range.
    """
    wanted = [patterns] if isinstance(patterns, str | int) else list(patterns)
    found: set[int] = set()
    for pattern in wanted:
        if isinstance(pattern, str):
            found |= {i for i, label in enumerate(labels) if _fits(label, pattern)}
        elif 0 <= int(pattern) < len(labels):
            found.add(int(pattern))
        else:
            raise InvalidArgumentError(argument, pattern, f"0 to {len(labels) - 1}, or a pattern")
    return found


def _fits(label: str, pattern: str) -> bool:
    return fnmatch.fnmatchcase(label, pattern) or fnmatch.fnmatchcase(leaf(label), pattern)
