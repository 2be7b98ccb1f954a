"""A film of whatever a script steps first, by simulated time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from unibody.cli.films.base import Source
from unibody.core.engine.world import step_observers
from unibody.viewer.films import Film, open_film
from unibody.viewer.framing import TOWARDS, box_of_things, camera_for
from unibody.viewer.recording import VIDEO_RATE, VIDEO_SIZE
from unibody.viewer.video import Pace
from unibody.viewer.viewer import FOV

if TYPE_CHECKING:
    from unibody.core.render.camera import Frames
    from unibody.core.render.visual_shapes import VisualShape
    from unibody.viewer.items import Vec3

_AROUND = 0.25  # of what is seen, for what moves


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
            look = self._source.look() or _everything(self._source.parts, frames, up)
            self._film = open_film(self._file, look, up=up)
        self._film.add(self._source.parts, frames, count, deformed)
        self.frames += count

    def close(self) -> None:
        """Complete the file; a run shorter than a frame is in it with one."""
        step_observers.remove_observer(self)
        if self._film is None:
            self._take(1)
        if self._film is not None:
            self.is_written: bool = self._film.close()


def _everything(parts: list[VisualShape], frames: Frames, up: Vec3) -> tuple[Vec3, Vec3]:
    """Where a camera stands that sees all things but the ground, and what it looks at [m]."""
    axis = 1 if up[1] else 2
    low, high = box_of_things(parts, frames.positions, frames.quats, axis)
    margin = _AROUND * float((high - low).max())
    low, high = low - margin, high + margin
    low[axis] += margin
    return camera_for((low, high), FOV, TOWARDS[axis], VIDEO_SIZE[0] / VIDEO_SIZE[1], up)
