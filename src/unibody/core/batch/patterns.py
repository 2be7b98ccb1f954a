"""Names that fit a pattern: globs level by level, or regular expressions."""

from __future__ import annotations

import re
from collections.abc import Sequence

from unibody.errors import InvalidArgumentError

_SHOWN = 8  # names in a message
_WILD = {"*": "[^/]*", "?": "[^/]", "|": "|"}


def compiled_pattern(pattern: str, *, regex: bool = False) -> re.Pattern[str]:
    """What a whole name has to fit.

    Args:
        pattern: A glob: ``*``, ``?`` and ``[...]`` stay within a level of the name, and levels are
            parted by ``/``, alternatives of a level by ``|``; or a regular expression.
        regex: Which of the two it is.

    Raises:
        InvalidArgumentError: It is no regular expression.
    """
    if not regex:
        return re.compile("/".join(map(_level, pattern.split("/"))))
    try:
        return re.compile(pattern)
    except re.error as problem:
        raise InvalidArgumentError("pattern", pattern, f"a regular expression: {problem}") from None


def matching(names: Sequence[str], pattern: str, *, regex: bool = False) -> list[int]:
    """Numbers of the names that fit a pattern as a whole, in their order."""
    wanted = compiled_pattern(pattern, regex=regex)
    fits = {name: wanted.fullmatch(name) is not None for name in set(names)}
    return [number for number, name in enumerate(names) if fits[name]]


def none_fits(what: str, pattern: str, names: Sequence[str]) -> InvalidArgumentError:
    """The error that says which names there are."""
    known = sorted(set(names))
    more = f" and {len(known) - _SHOWN} more" if len(known) > _SHOWN else ""
    return InvalidArgumentError("pattern", pattern, f"{what} named {known[:_SHOWN]}{more}")


def _level(pattern: str) -> str:
    """A glob of one level as a regular expression."""
    found, place = "", 0
    while place < len(pattern):
        sign = pattern[place]
        end = pattern.find("]", place + 2) if sign == "[" else -1
        if end > 0:
            inside = pattern[place + 1 : end].replace("\\", "\\\\").replace("[", "\\[")
            found += f"[^{inside[1:]}]" if inside[0] == "!" else f"[{inside}]"
            place = end
        else:
            found += _WILD.get(sign) or re.escape(sign)
        place += 1
    return f"(?:{found})" if "|" in found else found
