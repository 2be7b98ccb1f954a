"""`unibody run --record FILE`: a video of a script's world, or a page that plays by itself."""

from __future__ import annotations

import contextlib
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from unibody.cli.progress import Progress
from unibody.core.assets.whole_file import begun_beside
from unibody.core.engine.world import step_observers
from unibody.errors import InvalidArgumentError, UnibodyError

if TYPE_CHECKING:
    from unibody.bullet.clients.client import Client
    from unibody.bullet.window.film import WorldLog
    from unibody.cli.films.film import StepFilm
    from unibody.fleet.window.film import FleetFilm

_KINDS = (".mp4", ".html")


class Record:
    """Records the first world a script opens, or the first thing it steps; it needs no window.

    Args:
        file: A name that ends in .mp4 or .html.

    Raises:
        InvalidArgumentError: Another name.
        NotSupportedError: What writes such files is not installed.
        OSError: The file cannot be written.
    """

    def __init__(self, file: str) -> None:
        self._file = Path(file).resolve()  # the script may go elsewhere
        if self._file.suffix.lower() not in _KINDS:
            raise InvalidArgumentError(
                "--record", file, f"a name that ends in {' or '.join(_KINDS)}"
            )
        from unibody.viewer.video import need_video_library
        from unibody.viewer.viewer import need_page_library

        (need_video_library if self._is_video else need_page_library)()
        handle, beside = begun_beside(str(self._file))  # fails now, and not after the script
        os.close(handle)
        os.unlink(beside)
        self._log: WorldLog | FleetFilm | StepFilm | None = None
        self._progress: Progress | None = None

    @property
    def _is_video(self) -> bool:
        return self._file.suffix.lower() == ".mp4"

    def start(self) -> None:
        """Wait for the first world, or the first step of something else."""
        from unibody.bullet.clients.registry import on_open

        on_open.append(self._begin)
        step_observers.add_observer(self)

    def _wait_no_more(self) -> None:
        from unibody.bullet.clients.registry import on_open

        step_observers.remove_observer(self)
        if self._begin in on_open:
            on_open.remove(self._begin)

    def on_step(self, timestep: float, contacts: int | None, stepped: Any) -> None:
        """Record what was stepped, if it can be shown."""
        film = self._film_of(stepped)
        if film is not None:
            self._wait_no_more()
            self._log = film
            self._progress = Progress(self._file.name, film)
            film.on_step(timestep, contacts, stepped)

    def _film_of(self, stepped: Any) -> FleetFilm | StepFilm | None:
        fleet = sys.modules.get("unibody.fleet.simulation.core")  # loaded if there is any
        if fleet is not None and isinstance(stepped, fleet.MultiRobotSimulationCore):
            from unibody.fleet.window.film import FleetFilm

            return FleetFilm(stepped, str(self._file))
        from unibody.cli.films.base import source_of

        source = source_of(stepped)
        if source is None:
            return None
        from unibody.cli.films.film import StepFilm

        return StepFilm(source, stepped, str(self._file))

    def _begin(self, client: Client) -> None:
        from unibody.bullet.window.film import FilmLog, ReplayLog

        self._wait_no_more()
        self._log = (FilmLog if self._is_video else ReplayLog)(client, str(self._file))
        client.ticks.append(self._log)
        self._progress = Progress(self._file.name, self._log)

    def stop(self) -> None:
        """Complete the file, and say where it is."""
        self._wait_no_more()
        if self._progress is not None:
            self._progress.close()
        if self._log is None:
            print("unibody run: nothing to record: no world was opened or stepped", file=sys.stderr)
            return
        with contextlib.suppress(UnibodyError):
            self._log.close()
        if self._log.is_written:
            print(f"unibody run: recorded {self._file}", file=sys.stderr)
