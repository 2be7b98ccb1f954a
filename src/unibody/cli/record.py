"""`unibody run --record FILE`: a video of a script's world, or a page that plays by itself."""

from __future__ import annotations

import contextlib
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from unibody.core.assets.whole_file import begun_beside
from unibody.core.engine.world import step_observers
from unibody.errors import InvalidArgumentError, UnibodyError

if TYPE_CHECKING:
    from unibody.bullet.clients.client import Client
    from unibody.bullet.window.film import WorldLog
    from unibody.fleet.window.film import FleetFilm

_KINDS = (".mp4", ".html")


class Record:
    """Records the first world a script opens, or the first fleet it steps; it needs no window.

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
        self._log: WorldLog | FleetFilm | None = None

    @property
    def _is_video(self) -> bool:
        return self._file.suffix.lower() == ".mp4"

    def start(self) -> None:
        """Wait for the first world, or the first step of a fleet."""
        from unibody.bullet.clients.registry import on_open

        on_open.append(self._begin)
        step_observers.add_observer(self)

    def _wait_no_more(self) -> None:
        from unibody.bullet.clients.registry import on_open

        step_observers.remove_observer(self)
        if self._begin in on_open:
            on_open.remove(self._begin)

    def on_step(self, timestep: float, contacts: int | None, stepped: Any) -> None:
        """Record the fleet that was stepped, if it is one."""
        fleet = sys.modules.get("unibody.fleet.simulation.core")  # loaded if there is any
        if fleet is None or not isinstance(stepped, fleet.MultiRobotSimulationCore):
            return
        from unibody.fleet.window.film import FleetFilm

        self._wait_no_more()
        self._log = FleetFilm(stepped, str(self._file))
        self._log.on_step(timestep, contacts, stepped)

    def _begin(self, client: Client) -> None:
        from unibody.bullet.window.film import FilmLog, ReplayLog

        self._wait_no_more()
        self._log = (FilmLog if self._is_video else ReplayLog)(client, str(self._file))
        client.ticks.append(self._log)

    def stop(self) -> None:
        """Complete the file, and say where it is."""
        self._wait_no_more()
        if self._log is None:
            print("unibody run: nothing to record: no world was opened", file=sys.stderr)
            return
        with contextlib.suppress(UnibodyError):
            self._log.close()
        if self._log.is_written:
            print(f"unibody run: recorded {self._file}", file=sys.stderr)
