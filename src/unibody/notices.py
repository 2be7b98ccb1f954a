"""Lines for the person at the terminal, on stderr, so that a script's own output stays clean."""

from __future__ import annotations

import sys

_told: set[str] = set()


def tell_once(text: str) -> None:
    """Write a line that is said once in a process, however often there is reason to."""
    if text not in _told:
        _told.add(text)
        tell(text)


def tell(text: str) -> None:
    """Write one line to stderr, marked as ours."""
    sys.stderr.write(f"unibody: {text}\n")
