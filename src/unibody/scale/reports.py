"""What a script says about its run: the last lines that it prints."""

from __future__ import annotations

import json
import re
from typing import Any

_NUMBER = re.compile(r"[+-]?(\d|\.\d|inf$|nan$)", re.IGNORECASE)
_WORD = re.compile(r"[A-Za-z_][\w.\-/]*=\S*")


def last_line(text: str) -> str:
    """The last line that is not empty; "" if there is none."""
    return next((line.strip() for line in reversed(text.splitlines()) if line.strip()), "")


def reported(text: str) -> dict[str, Any]:
    """Names and values at the end of what a script printed.

    That is one line with a JSON object, or all lines at the end that have words ``name=value``
    and nothing else. Other scripts report nothing.

    Args:
        text: What it printed.
    """
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    if lines and lines[-1].startswith("{"):
        try:
            found = json.loads(lines[-1])
        except ValueError:
            return {}
        return dict(found)
    pairs: list[str] = []
    for line in reversed(lines):
        words = line.split()
        if not all(_WORD.fullmatch(word) for word in words):
            break
        pairs[:0] = words
    split = (pair.partition("=") for pair in pairs)
    return {name: value(written) for name, _, written in split}


def value(text: str) -> int | float | bool | str:
    """The number or truth value that a text is, else the text."""
    if text.lower() in ("true", "false"):
        return text.lower() == "true"
    if not _NUMBER.match(text) or "_" in text:
        return text
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text
