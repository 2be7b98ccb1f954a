"""The page of an app: the stage, seen by the camera of the viewport."""

from __future__ import annotations

import queue
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from unibody.core.assets.description import ShapeKind
from unibody.isaac_core.kit import debug_draw, settings, timeline
from unibody.isaac_core.window import sight
from unibody.isaac_core.window.drawn import items_of
from unibody.viewer.closing import Closing
from unibody.viewer.framing import camera_for_things
from unibody.viewer.lights import SUN
from unibody.viewer.painter import BACKGROUND
from unibody.viewer.viewer import FOV, Viewer

if TYPE_CHECKING:
    from unibody.core.render.camera import Frames
    from unibody.core.render.visual_shapes import VisualShape

RATE_LIMIT = "/app/runLoops/main/rateLimitEnabled"
"""Setting: False lets frames follow one another as fast as they can while a page is open."""
_PERIOD = 1.0 / 30.0  # s between two pictures
_SHARE = 4.0  # a picture of a large stage comes after so many times what the last one took
_SETTLE = 1.0  # s until a page tells of the view that it was given
_PLAY, _PAUSE, _STEP, _STOP = "Play", "Pause", "Step", "Stop"
_Z_UP, _Y_UP = (0.0, 0.0, 1.0), (0.0, 1.0, 0.0)


class Page:
    """Shows the stage in use.

    Args:
        title: Of the page.
        port: First port to try.

    Attributes:
        url: Of the page.
        viewer: The page itself.
    """

    def __init__(self, title: str, port: int = 8080) -> None:
        self.viewer: Viewer = Viewer(port=port, title=title)
        self.url: str = self.viewer.url
        self.viewer.set_background(BACKGROUND)
        self.viewer.lights.show(SUN)
        self.viewer.controls.offer(())
        self._pressed: queue.SimpleQueue[str] = queue.SimpleQueue()
        self._buttons: tuple[str, ...] = ()
        self._offer_buttons()
        self._steps_once = False
        self._parts: list[VisualShape] | None = None
        self._look: sight.Look | None = None
        self._framed = False
        self._seen: sight.Place | None = None
        self._settled = 0.0
        self._due = self._next_frame = 0.0
        self._closing = Closing()

    @property
    def closed(self) -> bool:
        """True once all pages that were open have been closed for a while."""
        return self._closing.is_over(closed=self.viewer.closed)

    def close(self) -> None:
        """End the server."""
        self.viewer.close()

    def before_frame(self) -> None:
        """Do what was pressed on the page."""
        clock = timeline.get_timeline_interface()
        does: dict[str, Callable[[], None]] = {
            _PLAY: clock.play, _STEP: clock.play, _PAUSE: clock.pause, _STOP: clock.stop,
        }  # fmt: skip
        while not self._pressed.empty():
            name = self._pressed.get()
            self._steps_once = name == _STEP
            does[name]()

    def after_frame(self, frame_time: float) -> None:
        """Show the stage, thirty times a second at most and only to somebody.

        While a page is open, frames take the time that they simulate.

        Args:
            frame_time: What the frame took on the timeline [s].
        """
        if self._steps_once:
            self._steps_once = False
            timeline.get_timeline_interface().pause()
        self._offer_buttons()
        if not self.viewer.busy:
            return
        begun = time.monotonic()
        if begun >= self._due:
            self.draw()
            took = time.monotonic() - begun
            self._due = begun + max(_PERIOD, _SHARE * took)
        if self.viewer.watched and settings.get_settings().get(RATE_LIMIT) is not False:
            now = time.monotonic()
            self._next_frame = max(now, self._next_frame + frame_time)
            time.sleep(self._next_frame - now)

    def draw(self) -> None:
        """Show the stage as it is."""
        parts, frames, _ = sight.seen()
        viewer = self.viewer
        viewer.set_up("y" if sight.is_y_up() else "z")
        if parts is not self._parts:
            self._parts = parts
            viewer.show(parts)
        if not self._follow_camera(parts, frames):
            self._lead_camera()
        viewer.draw(items_of(debug_draw.acquire_debug_draw_interface(), sight.beams()))
        viewer.place(frames.positions, frames.quats)

    def _follow_camera(self, parts: list[VisualShape], frames: Frames) -> bool:
        """Look as the script's camera does, where that has changed; without one, at everything.

        Returns:
            Whether the view of the page was moved.
        """
        look, last = sight.look(), self._look
        self._look = look
        if look is not None and look != last:
            self.viewer.set_fov(look.fov)
            self.viewer.look(look.eye, look.centre)
        elif look is None and not self._framed:
            self._framed = any(part.shape.kind != ShapeKind.PLANE for part in parts)
            up = _Y_UP if sight.is_y_up() else _Z_UP
            self.viewer.look(*camera_for_things(parts, frames, FOV, up=up))
        else:
            return False
        self._settled = time.monotonic() + _SETTLE
        return True

    def _lead_camera(self) -> None:
        """Put the camera of the viewport where somebody has moved the view of the page to."""
        view = self.viewer.view()
        if view is None:
            self._seen = None
            return
        seen, last = sight.Place(view.position, view.target), self._seen
        self._seen = seen
        if last is None or time.monotonic() < self._settled or not sight.differ(seen, last):
            return
        sight.move_camera(seen)
        self._look = sight.look()  # the page shows it already

    def _offer_buttons(self) -> None:
        clock = timeline.get_timeline_interface()
        buttons = (_PAUSE, _STOP) if clock.is_playing() else (_PLAY, _STEP, _STOP)
        if clock.is_stopped():
            buttons = (_PLAY,)
        if buttons != self._buttons:
            self._buttons: tuple[str, ...] = buttons
            self.viewer.controls.offer_runs(buttons, self._pressed.put)
