"""What the core of a client asks of its parts, which know of it and not the other way round."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from unibody.bullet.state.debug_items import DebugParameter
    from unibody.core.render.camera import Camera, Picture
    from unibody.viewer.viewer import Viewer


class Clock(Protocol):
    """Lets a client follow the clock; see ``clients.clock``."""

    def stop(self) -> None:
        """Leave the world to the calls of the script."""
        ...


class Trace(Protocol):
    """A file of time spans; see ``logs.trace``."""

    def enter(self, name: str) -> None:
        """Begin a span; spans nest."""
        ...

    def leave(self) -> None:
        """End the innermost span."""
        ...

    def span(self, name: str, begin: int, end: int) -> None:
        """Write a span, by ``time.perf_counter_ns``."""
        ...

    def close(self) -> None:
        """Complete the file."""
        ...


class CommandRecord(Protocol):
    """A record of all calls; see ``logs.commands``."""

    def step(self) -> None:
        """Note a step that no call asked for."""
        ...

    def close(self) -> None:
        """Complete the file."""
        ...


class Recording(Protocol):
    """A video or page of a world; see ``window.film``."""

    def single_frame(self) -> None:
        """Take a frame now; from now on there is one for each call."""
        ...

    def close(self) -> None:
        """Complete the file."""
        ...


class Logs(Protocol):
    """The open logs; see ``logs.table``."""

    def stop(self, log_id: int) -> None:
        """Complete a log; an id that is not in use is no error."""
        ...

    def stop_states(self) -> None:
        """Complete the logs of states."""
        ...

    def close(self) -> None:
        """Complete all logs."""
        ...


class Plugins(Protocol):
    """The loaded plugins; see ``plugins.base``."""

    def find(self, name: str) -> int | None:
        """The id of a plugin that is loaded."""
        ...

    def close(self) -> None:
        """End all plugins."""
        ...


class CastRays(Protocol):
    """Where a page hears of rays."""

    def take(self, starts: Any, ends: Any, hits: Sequence[Any]) -> None:
        """Take note of rays (n, 3) [m] and their results."""
        ...


class Pictures(Protocol):
    """Where a page hears of pictures."""

    def take(self, camera: Camera, picture: Picture) -> None:
        """Take note of a picture."""
        ...


class Page(Protocol):
    """The window; see ``window.page``."""

    @property
    def viewer(self) -> Viewer:
        """What shows it, and hears of keys and the mouse."""
        ...

    @property
    def rays(self) -> CastRays:
        """Where it hears of rays."""
        ...

    @property
    def previews(self) -> Pictures:
        """Where it hears of pictures."""
        ...

    def before_step(self) -> None:
        """Let people act who are at the page."""
        ...

    def look(self, distance: float, yaw: float, pitch: float, target: tuple[float, ...]) -> None:
        """Place the page's camera."""
        ...

    def camera(self) -> dict[str, Any]:
        """Where people have put the page's camera."""
        ...

    def add_parameter(self, unique_id: int, parameter: DebugParameter) -> None:
        """Show a slider or button."""
        ...

    def remove_parameters(self) -> None:
        """Remove all sliders and buttons."""
        ...

    def close(self) -> None:
        """Close the page."""
        ...
