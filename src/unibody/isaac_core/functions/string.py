"""Functions of names and paths."""

from __future__ import annotations

import re
from collections.abc import Callable

_PLAIN = re.compile(r"[\w:]+")


def find_unique_string_name(initial_name: str, is_unique_fn: Callable[[str], bool]) -> str:
    """A name that is not taken: the one given, or with a number behind it."""
    name, number = initial_name, 1
    while not is_unique_fn(name):
        name = f"{initial_name}_{number}"
        number += 1
    return name


def find_root_prim_path_from_regex(prim_path_regex: str) -> tuple[str, int]:
    """Where in a path its first pattern stands.

    Returns:
        The path above the pattern, and the level of the pattern, 1 for that below "/". A path
        without a pattern is returned whole, with its own level.
    """
    parts = prim_path_regex.strip("/").split("/")
    for level, part in enumerate(parts):
        if not _PLAIN.fullmatch(part):
            return "/" + "/".join(parts[:level]), level + 1
    return "/" + "/".join(parts), len(parts)
