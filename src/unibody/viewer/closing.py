"""When a page counts as closed: whoever reloads it is back after a moment."""

from __future__ import annotations

import time

MOMENT = 5.0
"""Seconds without a page until it counts as closed."""


class Closing:
    """Remembers since when no page is open."""

    def __init__(self) -> None:
        self._since: float | None = None

    def is_over(self, *, closed: bool) -> bool:
        """Whether all pages have been closed for longer than a moment.

        Args:
            closed: Whether they all are now; see `Viewer.closed`.
        """
        if not closed:
            self._since = None
            return False
        now = time.monotonic()
        self._since = now if self._since is None else self._since
        return now - self._since > MOMENT
