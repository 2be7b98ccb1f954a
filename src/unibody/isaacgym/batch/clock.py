"""What time is spent on."""

from __future__ import annotations

import time
from types import TracebackType


class Clock:
    """Adds up time by what it was spent on; a context manager for one kind at a time."""

    def __init__(self) -> None:
        self._spent = {
            "physics_sim": 0.0,
            "graphics_sensor_rendering": 0.0,
            "graphics_image_retrieval": 0.0,
            "graphics_viewer_rendering": 0.0,
        }
        self._what = ""
        self._since = 0.0

    def measure(self, what: str) -> Clock:
        """Say what the time inside of ``with`` is spent on."""
        self._what = what
        return self

    def __enter__(self) -> None:
        self._since = time.perf_counter()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._spent[self._what] += time.perf_counter() - self._since

    def now(self) -> dict[str, float]:
        """Time by what it was spent on, and the clock as "total_time" [s]."""
        return {**self._spent, "total_time": time.perf_counter()}
