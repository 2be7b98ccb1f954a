"""`--fast`: a script does not wait for real time to pass."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable


def skip_sleeps() -> Callable[[], None]:
    """Make `time.sleep` return at once, except for callers inside the standard library.

    Scripts sleep to slow a simulation down to real time; the standard library sleeps while it
    waits for something, and would spin if it could not. Another thread still gets its turn.

    Returns:
        A function that puts the original back.
    """
    original = time.sleep

    def sleep(seconds: float, /) -> None:
        caller = sys._getframe(1).f_globals.get("__name__") or ""
        inside = caller.partition(".")[0] in sys.stdlib_module_names and caller != "__main__"
        original(seconds if inside else 0.0)

    def restore() -> None:
        time.sleep = original

    time.sleep = sleep
    return restore
