"""What is kept and shown of a simulation: a film, a log of its steps, and a page."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from unibody.fleet.foundation.loggers import LazyLogger, get_lazy_logger

if TYPE_CHECKING:
    from unibody.fleet.recording.event_log import EventLogWriter
    from unibody.fleet.recording.recorder import SimulationRecorder
    from unibody.fleet.window.live import LiveView

logger: LazyLogger = get_lazy_logger("pybullet_fleet.core_simulation")


class Recordings:
    """The film, the log and the page of a simulation, each None where there is none.

    Attributes:
        film: What films it.
        log: What writes its steps to a file.
        page: What shows it in the browser.
    """

    def __init__(self) -> None:
        self.film: SimulationRecorder | None = None
        self.log: EventLogWriter | None = None
        self.page: LiveView | None = None

    # --- film ----------------------------------------------------------------------------------

    def start_film(self, core: Any, **options: Any) -> SimulationRecorder:
        """Begin a film; one that is being made is written first."""
        from unibody.fleet.recording.recorder import SimulationRecorder

        if self.film is not None:
            core.stop_recording()
        self.film = SimulationRecorder(sim_core=core, **options)
        self.film.start()
        return self.film

    def stop_film(self) -> str | None:
        """Write the film; its path, None if there is no picture."""
        film, self.film = self.film, None
        if film is None:
            return None
        film.stop()
        try:
            return film.save()
        except ValueError:
            logger.warning("Recording stopped but no frames were captured")
            return None

    # --- log -----------------------------------------------------------------------------------

    def start_log(self, core: Any, path: str) -> EventLogWriter:
        """Begin a log; one that is being written ends."""
        from unibody.fleet.recording.event_log import EventLogWriter

        self.stop_log()
        self.log = EventLogWriter(core, path)
        return self.log

    def stop_log(self) -> None:
        """End the log; without one nothing happens."""
        if self.log is not None:
            self.log.close()
            self.log = None

    # --- page ----------------------------------------------------------------------------------

    def open_page(self, core: Any, port: int, rate: float) -> LiveView:
        """The page; made if there is none that is open."""
        from unibody.fleet.window.live import LiveView

        if self.page is None or self.page.closed:
            self.page = LiveView(core, port=port, rate=rate)
        return self.page

    def close_page(self) -> None:
        """Close the page; without one nothing happens."""
        if self.page is not None:
            self.page.close()
            self.page = None


def film_from_environment() -> dict[str, Any] | None:
    """The film that the variables ``RECORD...`` ask for; None without one."""
    path = os.environ.get("RECORD")
    if not path:
        return None
    read = os.environ.get
    return {
        "output": path,
        "duration": float(read("RECORD_DURATION", "4.0")),
        "fps": int(read("RECORD_FPS", "15")),
        "width": int(read("RECORD_WIDTH", "800")),
        "height": int(read("RECORD_HEIGHT", "600")),
        "time_base": read("RECORD_TIME_BASE", "sim"),
    }
