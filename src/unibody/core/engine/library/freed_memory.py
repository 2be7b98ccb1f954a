"""Memory of models that are gone, given back to the system.

A world's data is one block of ten megabytes and more. Where compiles follow one another with new
shapes each time, what little stays from each lies between the blocks that were freed, and the C
library goes on to take new memory: a hundred kilobytes a compile, without end.
"""

from __future__ import annotations

import ctypes
import functools
import itertools
from typing import Any

_EVERY = 128  # compiles; giving back takes as long as one or two of them
_compiles = itertools.count(1)


def note_compile() -> None:
    """Count a compile; after so many, give back what is free."""
    if next(_compiles) % _EVERY == 0 and (trim := _trim()) is not None:
        trim(0)


@functools.cache
def _trim() -> Any:
    """``malloc_trim`` of the GNU C library; None where there is another one."""
    try:
        return ctypes.CDLL(None).malloc_trim
    except (AttributeError, OSError, TypeError):
        return None
