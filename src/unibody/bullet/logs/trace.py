"""A Chrome trace (chrome://tracing, Perfetto) that is a complete JSON file at any moment."""

from __future__ import annotations

import atexit
import json
import time

from unibody.core.assets.log_file import LogFile

_HEAD = '{"traceEvents":[\n'
_TAIL = '\n],\n"displayTimeUnit": "ns"}'
_MAX_WAITING = 4096  # events kept before they are written
_MAX_AGE = 0.5  # s: after this they are written even if there are few


class TraceFile:
    """Spans of time in a Chrome trace.

    The end of the file is rewritten with every block of events, so that a run that is cut off
    leaves a file that can be read, lacking the last half second at most.

    Args:
        path: The file; one that exists is replaced.

    Raises:
        OSError: It cannot be written.
    """

    def __init__(self, path: str) -> None:
        self.path = path
        self._file = LogFile(path, (_HEAD + _TAIL).encode())
        self._end = len(_HEAD)  # bytes; everything that is written is ASCII
        self._waiting: list[str] = []
        self._first = True
        self._zones: list[tuple[str, int]] = []
        self._written_at = time.perf_counter()
        atexit.register(self.close)

    def enter(self, name: str) -> None:
        """Begin a span; spans nest."""
        self._zones.append((name, time.perf_counter_ns()))

    def leave(self) -> None:
        """End the innermost span; without one nothing happens."""
        if self._zones:
            name, begin = self._zones.pop()
            self.span(name, begin, time.perf_counter_ns())

    def span(self, name: str, begin: int, end: int) -> None:
        """Note a span.

        Args:
            name: What is shown.
            begin: ``time.perf_counter_ns()`` at its begin.
            end: And at its end.
        """
        for phase, at in (("B", begin), ("E", end)):
            event = {"cat": "timing", "pid": 1, "tid": 0, "ts": at / 1000.0, "ph": phase}
            event |= {"name": name, "args": {}}
            # without spaces, one event a line: scripts merge such files line by line
            self._waiting.append(json.dumps(event, separators=(",", ":")))
        now = end * 1e-9
        if len(self._waiting) >= _MAX_WAITING or now - self._written_at > _MAX_AGE:
            self._written_at = now
            self._write()

    def close(self) -> None:
        """Write what is left; closing twice does no harm."""
        if not self._file.closed:
            self._write()
            self._file.close()
            atexit.unregister(self.close)

    def _write(self) -> None:
        if not self._waiting:
            return
        text = ("" if self._first else ",\n") + ",\n".join(self._waiting)
        self._first = False
        self._waiting.clear()
        self._file.write((text + _TAIL).encode(), at=self._end, end=_TAIL.encode())
        self._end += len(text)
