"""Mechanisms that make the library fast, each of which it can do without.

The environment variable ``UNIBODY_PLAIN`` names those that are off in a process, with commas
between them: ``UNIBODY_PLAIN=calls,slots``. Results stay the same without a mechanism, but for
rounding, and take longer. ``unibody doctor`` says which are on.
"""

from __future__ import annotations

import difflib
import functools
import os
from typing import Final

from unibody.errors import InvalidArgumentError

__all__ = ["MECHANISMS", "VARIABLE", "cores", "is_plain", "plain"]

VARIABLE: Final = "UNIBODY_PLAIN"
MECHANISMS: Final = {
    "calls": "compiled functions read Python's arguments; plain: Python functions do",
    "slots": "bodies and constraints enter a compiled model; plain: the model is compiled again",
    "solver": "large scenes are solved by blocks of ours; plain: by MuJoCo's solver",
    "threads": "worlds, rows and images are shared among threads; plain: one thread",
    "machine-code": "machine code is linked and kept by us; plain: numba compiles and keeps it",
    "shared-memory": "workers of Ray on this machine share memory; plain: Ray carries messages",
    "shipped": "machine code that the wheel carries is used; plain: it is compiled here",
}
"""What each mechanism does, and what happens without it."""

_OTHER_NAMES: Final = {"places": "slots"}


def is_plain(name: str) -> bool:
    """Whether a mechanism is off.

    Raises:
        InvalidArgumentError: ``UNIBODY_PLAIN`` names one that there is not.
    """
    return name in plain()


@functools.cache
def plain() -> frozenset[str]:
    """The mechanisms that are off.

    Raises:
        InvalidArgumentError: ``UNIBODY_PLAIN`` names one that there is not.
    """
    words = [word.strip() for word in os.environ.get(VARIABLE, "").split(",")]
    return frozenset(_known(word) for word in words if word)


def _known(word: str) -> str:
    name = _OTHER_NAMES.get(word, word)
    if name not in MECHANISMS:
        near = difflib.get_close_matches(word, [*MECHANISMS, *_OTHER_NAMES], 1)
        hint = f"; did you mean {near[0]!r}?" if near else ""
        allowed = f"some of {', '.join(MECHANISMS)}, with commas between them{hint}"
        raise InvalidArgumentError(VARIABLE, word, allowed)
    return name


def cores() -> int:
    """Cores that this process may use; 1 where threads are off."""
    if is_plain("threads"):
        return 1
    if hasattr(os, "sched_getaffinity"):  # not on macOS and Windows
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
