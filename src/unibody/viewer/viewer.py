"""The viewer: one page that shows a world, and what people do on it."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unibody.viewer.guard import guarded_server
from unibody.viewer.inputs import Inputs
from unibody.viewer.overlay import Item, Overlay
from unibody.viewer.parts import Part
from unibody.viewer.recording import Recording
from unibody.viewer.stage import Stage

Vec3 = tuple[float, float, float]
LAYERS = ("Collision shapes", "Contacts", "Frames", "Mass centres", "Joint axes")
_PAUSE_POLL = 1.0 / 30.0  # s


@dataclass(frozen=True, slots=True)
class View:
    """Where a camera stands and what it looks at [m], and its vertical field of view [rad]."""

    position: Vec3
    target: Vec3
    fov: float
    width: int
    height: int


@dataclass(frozen=True, slots=True)
class Grip:
    """A body held with the mouse.

    Attributes:
        phase: "start", "update" or "end".
        owner: ``Part.owner`` of what is held.
        point: The point of the body that is held, world frame [m].
        target: Where the mouse wants it, world frame [m].
    """

    phase: str
    owner: tuple[int, int]
    point: Vec3
    target: Vec3


class Viewer:
    """A page in the browser.

    Attributes:
        url: Address of the page, with its token.
        inputs: Keys and mouse events of all pages.
        on_grip: Called when a body is held, dragged and let go, in a thread of the server.
        paused: Whether the button says pause.
    """

    def __init__(
        self, *, host: str = "127.0.0.1", port: int = 8080, title: str = "unibody"
    ) -> None:
        self._server, guard = guarded_server(host, port, title)
        self.url = f"http://{host}:{self._server.get_port()}/?token={guard.token}"
        self.inputs = Inputs()
        guard.on_input = self.inputs.take
        self.on_grip: Callable[[Grip], None] = lambda _grip: None
        self._stage = Stage(self._server)
        self._overlay = Overlay(self._server)
        self._lock = threading.Lock()
        self._new_groups: dict[Any, list[Part]] = {}
        self.recording: Recording | None = None
        self.paused = False
        self._steps = 0
        self._axes: Any = None
        self._add_controls()

    def _add_controls(self) -> None:
        gui = self._server.gui
        run = gui.add_button("Pause")
        step = gui.add_button("Step")

        @run.on_click
        def _(_event: Any) -> None:
            self.paused = not self.paused
            run.label = "Play" if self.paused else "Pause"

        @step.on_click
        def _(_event: Any) -> None:
            self._steps += 1

        record = gui.add_button("Record")

        @record.on_click
        def _(event: Any) -> None:
            if self.recording is None:
                self.start_recording()
                record.label = "Stop and save"
                return
            record.label = "Record"
            page = self.stop_recording().encode()
            event.client.send_file_download("recording.html", page)

        with gui.add_folder("Show", expand_by_default=False):
            self._layers = {name: gui.add_checkbox(name, False) for name in LAYERS}
        self._rate = gui.add_markdown("")

    @property
    def watched(self) -> bool:
        """True while a page is open."""
        return bool(self._server.get_clients())

    def wait_while_paused(self) -> None:
        """Hold the caller while the page says pause, except for single steps."""
        while self.paused and self._steps == 0 and self.watched:
            time.sleep(_PAUSE_POLL)
        self._steps = max(0, self._steps - 1)

    def show(self, parts: list[Part]) -> None:
        """Replace the bodies on the page."""
        with self._lock:
            self._new_groups = self._stage.show(parts)

    def place(self, positions: NDArray[np.float64], quats: NDArray[np.float64]) -> None:
        """Put the bodies where their frames are; positions (n, 3) [m], quats (n, 4) wxyz."""
        with self._lock:
            self._stage.place(positions, quats)
            for group, parts in self._new_groups.items():
                self._make_draggable(group.handle, parts)
            self._new_groups = {}
            if self.recording is not None:
                self.recording.frame()

    def _make_draggable(self, handle: Any, parts: list[Part]) -> None:
        @handle.on_drag("left")
        def _(event: Any) -> None:
            owner = parts[event.instance_index or 0].owner
            self.on_grip(Grip(event.phase, owner, event.start_position, event.end_position))

    def draw(self, items: dict[int, Item]) -> None:
        """Replace lines, points and texts."""
        self._overlay.show(items)

    def layers(self) -> set[str]:
        """Which of ``LAYERS`` the page asks for."""
        return {name for name, box in self._layers.items() if box.value}

    def draw_frames(self, positions: NDArray[np.float64], quats: NDArray[np.float64]) -> None:
        """Draw axes (x red, y green, z blue) on frames; none with empty arrays."""
        if self._axes is not None:
            self._axes.remove()
            self._axes = None
        if len(positions):
            self._axes = self._server.scene.add_batched_axes(
                "/overlay/frames", quats, positions, axes_length=0.1, axes_radius=0.004
            )

    def say(self, text: str) -> None:
        """Show a line of text in the panel."""
        if self._rate.content != text:
            self._rate.content = text

    def add_slider(self, name: str, low: float, high: float, value: float) -> Any:
        """Add a slider; its ``value`` is where it stands. An empty range gets a hair of width."""
        span = max(high - low, 1e-9)
        start = min(max(value, low), low + span)
        return self._server.gui.add_slider(name, low, low + span, span / 1000.0, start)

    def add_button(self, name: str, on_click: Callable[[], None]) -> Any:
        """Add a button."""
        button = self._server.gui.add_button(name)
        button.on_click(lambda _event: on_click())
        return button

    def look(self, position: Vec3, target: Vec3) -> None:
        """Move the camera of all pages, and of those that open later; z is up."""
        self._server.initial_camera.position = position
        self._server.initial_camera.look_at = target
        for client in self._server.get_clients().values():
            client.camera.position = position
            client.camera.look_at = target

    def view(self) -> View | None:
        """The camera of the page that was opened first; None without one."""
        clients = self._server.get_clients()
        if not clients:
            return None
        camera = clients[min(clients)].camera
        return View(
            tuple(camera.position.tolist()),
            tuple(camera.look_at.tolist()),
            float(camera.fov),
            camera.image_width,
            camera.image_height,
        )

    def start_recording(self) -> Recording:
        """Record what the page shows from now on; every ``place`` is a frame."""
        self.recording = Recording(self._server)
        return self.recording

    def stop_recording(self) -> str:
        """End the recording; return it as a page that plays without a server."""
        recording, self.recording = self.recording, None
        return recording.html() if recording else ""

    def close(self) -> None:
        """End the server; pages that are open stand still."""
        self._server.stop()
