"""Lines for the person at the terminal, on stderr, so that a script's own output stays clean."""

from __future__ import annotations

import sys


def tell(text: str) -> None:
    """Write one line to stderr, marked as ours."""
    sys.stderr.write(f"unibody: {text}\n")
