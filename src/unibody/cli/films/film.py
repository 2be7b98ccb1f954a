"""A film of whatever a script steps first, by simulated time."""

from __future__ import annotations

from typing import Any

from unibody.cli.films.base import Source
from unibody.core.engine.world import step_observers
from unibody.viewer.films import Film, open_film
from unibody.viewer.framing import camera_for_things
from unibody.viewer.recording import VIDEO_RATE, VIDEO_SIZE
from unibody.viewer.video import Pace
from unibody.viewer.view import View


class StepFilm:
    """A recording, told of steps as an observer.

    The camera stands where the script put its own; without one, where it sees everything that
    there is at the beginning.

    Args:
        source: What is seen.
        stepped: What made the first step; steps of others are not recorded.
        file: A name that ends in .mp4 or .html; a file that exists is replaced.

    Attributes:
        frames: How many there are.
        is_written: The file is complete.
    """

    def __init__(self, source: Source, stepped: Any, file: str) -> None:
        self._source, self._stepped, self._file = source, stepped, file
        self._pace = Pace(VIDEO_RATE)
        self._film: Film | None = None
        self.frames: int = 0
        self.is_written = False
        step_observers.add_observer(self)

    def on_step(self, timestep: float, _contacts: int | None, stepped: Any) -> None:
        """Take the frames that are due after a step."""
        if type(stepped) is not type(self._stepped):
            return
        self._stepped = stepped
        due = self._pace.due(timestep)
        if due > 0:
            self._take(due)

    def _take(self, count: int) -> None:
        frames, deformed = self._source.read(self._stepped)
        if self._film is None:
            up = self._source.up
            look, fov = self._source.look(), self._source.fov
            if look is None:
                aspect = VIDEO_SIZE[0] / VIDEO_SIZE[1]
                look = camera_for_things(self._source.parts, frames, fov, aspect, up)
            self._film = open_film(self._file, View(*look, fov, *VIDEO_SIZE, up))
        self._film.add(self._source.parts, frames, count, deformed)
        self.frames += count

    def close(self) -> None:
        """Complete the file; a run shorter than a frame is in it with one."""
        step_observers.remove_observer(self)
        if self._film is None:
            self._take(1)
        if self._film is not None:
            self.is_written: bool = self._film.close()
