"""A line for the person who waits while something is compiled for the first time on a machine.

Functions are compiled one inside another and one after another. Who waits for a row of them is
told once, after a moment, and not of a single short one.
"""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass

from unibody.machine_code import ahead
from unibody.notices import tell

__all__ = ["begun", "ended"]

_PATIENCE = 2.0  # s: so long nobody asks what is going on
_PAUSE = 0.5  # s between two compiled functions of one row


@dataclass
class _Row:
    """Functions that are compiled one after another.

    Attributes:
        open: How many are begun and not ended.
        end: When the last one ended.
        watch: What tells of it in a moment.
    """

    open: int = 0
    end: float = 0.0
    watch: threading.Timer | None = None
    told: bool = False


_row = _Row()


def begun() -> None:
    """Note that a function is missing and is compiled now."""
    _row.open += 1
    if _row.told or _row.watch is not None or ahead.is_worker() or ahead.is_telling():
        return
    _row.watch = threading.Timer(_PATIENCE, _look)
    _row.watch.daemon = True
    _row.watch.start()


def ended() -> None:
    """Note that a function was compiled."""
    _row.open = max(0, _row.open - 1)
    _row.end = time.monotonic()


def _look() -> None:
    """Tell, if the row goes on; else be there for the next one."""
    _row.watch = None
    busy = _row.open > 0 or time.monotonic() - _row.end < _PAUSE
    if busy and not _row.told and not ahead.is_telling():
        _row.told = True
        tell("compiling what is used for the first time on this machine: up to half a minute")
