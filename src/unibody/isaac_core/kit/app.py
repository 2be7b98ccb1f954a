"""The app: one loop that moves the timeline, tells listeners, and runs coroutines."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable
from typing import Any

from unibody.isaac_core.kit import extensions, timeline
from unibody.isaac_core.kit.events import EventStream
from unibody.notices import tell_once

_IDLE_FRAMES = 600
"""Frames at rest after which a script seems to wait for somebody: 10 s of an app with a window."""


class App:
    """What updates all the rest. Physics moves in an update, if the timeline plays.

    Attributes:
        frame_time: Of an update on the timeline [s].
        steppers: Called in each update while the timeline plays.
        window: The page, which is told before and after each frame; None: there is none.
    """

    def __init__(self) -> None:
        self._pre_update = EventStream("pre-update")
        self._update = EventStream("update")
        self._post_update = EventStream("post-update")
        self._shutdown = EventStream("shutdown")
        self._messages = EventStream("messages")
        self._waiting: list[asyncio.Future[float]] = []
        self._loop: asyncio.AbstractEventLoop | None = None
        self._in_frame = False
        self._frame_asked_for = False
        self._running = True
        self._updates = 0
        self._idle_frames = 0
        self.frame_time: float = 1.0 / 60.0
        self.steppers: list[Callable[[float], Any]] = []
        self.window: Any = None

    def is_running(self) -> bool:
        """Whether the app has not been closed."""
        return self._running

    def is_app_ready(self) -> bool:
        """Whether the app is ready for work: always."""
        return True

    def get_app_name(self) -> str:
        """Name of the app."""
        return "unibody"

    def print_and_log(self, message: str) -> None:
        """Write a line to stdout."""
        sys.stdout.write(f"{message}\n")

    def get_update_number(self) -> int:
        """How many updates there were."""
        return self._updates

    def get_pre_update_event_stream(self) -> EventStream:
        """What is told before the timeline moves."""
        return self._pre_update

    def get_update_event_stream(self) -> EventStream:
        """What is told once the timeline has moved."""
        return self._update

    def get_post_update_event_stream(self) -> EventStream:
        """What is told at the end of an update."""
        return self._post_update

    def get_shutdown_event_stream(self) -> EventStream:
        """What is told when the app ends."""
        return self._shutdown

    def get_message_bus_event_stream(self) -> EventStream:
        """Messages of scripts to one another."""
        return self._messages

    def get_extension_manager(self) -> extensions.ExtensionManager:
        """What knows the extensions."""
        return extensions.manager()

    def update(self) -> None:
        """Do one frame, and let the coroutines that wait go on."""
        self._frame()
        loop = self.event_loop()
        if loop is not None:
            loop.call_soon(loop.stop)
            loop.run_forever()

    async def next_update_async(self) -> float:
        """Wait for the next update.

        In a loop of the script's own (``asyncio.run``), where nobody calls `update`, the
        wait itself asks for one.

        Returns:
            The time that the update took on the timeline [s].
        """
        loop = asyncio.get_running_loop()
        waiting: asyncio.Future[float] = loop.create_future()
        self._waiting.append(waiting)
        if loop is not self._loop and not self._frame_asked_for:
            self._frame_asked_for = True
            loop.call_soon(self._frame)
        return await waiting

    async def post_update_async(self) -> float:
        """Wait for the end of the next update."""
        return await self.next_update_async()

    def event_loop(self) -> asyncio.AbstractEventLoop | None:
        """The loop that `update` runs; None inside of a loop that somebody else runs."""
        try:
            asyncio.get_running_loop()
        except RuntimeError:
            pass
        else:
            return None
        if self._loop is None or self._loop.is_closed():
            self._loop = asyncio.new_event_loop()
            asyncio.set_event_loop(self._loop)
        return self._loop

    def post_quit(self, return_code: int = 0) -> None:
        """End the app after this update.

        Args:
            return_code: The process's status, where the script returns it itself.
        """
        if self._running:
            self._running = False
            self._shutdown.dispatch(payload={"return_code": return_code})

    shutdown = post_quit

    def start(self) -> None:
        """Run, again if the app had ended."""
        self._running = True
        self.event_loop()

    def _frame(self) -> None:
        if self._in_frame:
            return  # a listener that calls update
        self._in_frame, self._frame_asked_for = True, False
        try:
            dt = self.frame_time
            if self.window is not None:
                self.window.before_frame()
            self._pre_update.dispatch(payload={"dt": dt})
            clock = timeline.get_timeline_interface()
            self._count_rest(playing=clock.is_playing())
            if clock.is_playing():
                for step in list(self.steppers):
                    step(dt)
            clock.tick(dt)
            self._update.dispatch(payload={"dt": dt})
            self._messages.pump()
            self._post_update.dispatch(payload={"dt": dt})
            self._updates += 1
            self._show(dt)
        finally:
            self._in_frame = False
            waiting, self._waiting = self._waiting, []
            for future in waiting:
                if not future.done() and not future.get_loop().is_closed():
                    future.set_result(self.frame_time)

    def _show(self, dt: float) -> None:
        """Show the frame; the app ends with its window."""
        if self.window is not None:
            self.window.after_frame(dt)
            if self.window.closed:
                self.post_quit()

    def _count_rest(self, *, playing: bool) -> None:
        """Tell of a script that makes frames until somebody presses Play."""
        self._idle_frames = 0 if playing else self._idle_frames + 1
        if self._idle_frames == _IDLE_FRAMES:
            where = (
                "there is no window to press Play in"
                if self.window is None
                else f"nobody pressed Play on the page {self.window.url}"
            )
            tell_once(
                f"{_IDLE_FRAMES} frames were made while the simulation is paused or stopped, and "
                f"{where}; World.play() or the timeline's play() goes on"
            )


_app = App()


def get_app() -> App:
    """The app of the process."""
    return _app


get_app_interface = get_app
