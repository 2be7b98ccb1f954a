"""How far a recording is, on a terminal: one line that is written over."""

from __future__ import annotations

import sys
import time
from typing import Any, Protocol

from unibody.core.engine.world import step_observers

_EVERY = 0.5  # s of the clock between lines; a recording that is shorter has none
_ERASE = "\x1b[K"


class _Counted(Protocol):
    @property
    def frames(self) -> int: ...


class Progress:
    """Tells of the frames of a recording while steps go on; nothing unless stderr is a terminal.

    The cursor waits at the beginning of the line, so that what a script prints comes over it.

    Args:
        name: What is recorded.
        recording: What has the frames.
    """

    def __init__(self, name: str, recording: _Counted) -> None:
        self._name, self._recording = name, recording
        self._told = time.monotonic()
        self._stands = False
        if sys.stderr.isatty():
            step_observers.add_observer(self)

    def on_step(self, _timestep: float, _contacts: int | None, _stepped: Any) -> None:
        """Write the line, if it is time to."""
        now = time.monotonic()
        if now - self._told < _EVERY:
            return
        self._told, self._stands = now, True
        line = f"unibody run: recording {self._name}: {self._recording.frames} frames"
        sys.stderr.write(f"{line}{_ERASE}\r")
        sys.stderr.flush()

    def close(self) -> None:
        """Take the line away."""
        step_observers.remove_observer(self)
        if self._stands:
            sys.stderr.write(_ERASE)
            sys.stderr.flush()
            self._stands = False
