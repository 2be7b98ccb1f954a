"""`--fast`: a script does not wait for real time to pass."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable

_PACING = ("unibody.isaacgym.gym.sims", "unibody.fleet.simulation.clock")
"""Modules of ours that hold a simulation back to real time for a script."""


def skip_sleeps() -> Callable[[], None]:
    """Make `time.sleep` return at once, except for callers that wait for something.

    Scripts sleep to slow a simulation down to real time, and so do the modules of `_PACING`. The
    standard library and we ourselves sleep while something is awaited, such as another process
    that compiles, and would spin if they could not. Another thread still gets its turn.

    Returns:
        A function that puts the original back.
    """
    original = time.sleep

    def sleep(seconds: float, /) -> None:
        caller = sys._getframe(1).f_globals.get("__name__") or ""
        original(seconds if _waits(caller) else 0.0)

    def restore() -> None:
        time.sleep = original

    time.sleep = sleep
    return restore


def _waits(caller: str) -> bool:
    package = caller.partition(".")[0]
    if package == "unibody":
        return caller not in _PACING
    return package in sys.stdlib_module_names and caller != "__main__"
