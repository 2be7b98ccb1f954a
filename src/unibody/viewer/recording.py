"""A recording of the page: one HTML file that plays without a server."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any


class Recording:
    """Everything a viser server sends from now on, with the time in between."""

    def __init__(self, server: Any) -> None:
        self._serializer = server.get_scene_serializer()
        self._last: float | None = None

    def frame(self, seconds: float | None = None) -> None:
        """Say that a frame is complete.

        Args:
            seconds: How long it is shown; None: until now, by the clock.
        """
        now = time.monotonic()
        if seconds is None:
            seconds = 0.0 if self._last is None else now - self._last
        self._last = now
        if seconds > 0.0:
            self._serializer.insert_sleep(seconds)

    def html(self) -> str:
        """The page; the recording is over."""
        return self._serializer.as_html()

    def save(self, file: str | Path) -> None:
        """Write the page to a file; the recording is over."""
        Path(file).write_text(self.html(), encoding="utf-8")
