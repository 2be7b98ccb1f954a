"""The panel of a page: play and pause, recording, layers, camera images, sliders and buttons."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from unibody.errors import NotSupportedError

LAYERS = (
    "Collision shapes", "Contacts", "Frames", "Mass centres", "Joint axes", "Rays", "Cameras",
)  # fmt: skip
_PAUSE_POLL = 1.0 / 30.0  # s
_FIRST = -10  # order of the first row; viser counts from 0
_LAST = 1e6
_RUNS = ("Pause", "Step")
_PAGE, _VIDEO = "Page", "Video"
_KINDS = (_PAGE, _VIDEO)
_SAVE_PAGE, _SAVE_VIDEO = "Stop and save page", "Stop and save video"


class Recorder(Protocol):
    """What the button for recordings starts and stops."""

    def start_recording(self) -> Any:
        """Begin a page."""
        ...

    def stop_recording(self) -> str:
        """End it."""
        ...

    def start_video(self, file: str) -> None:
        """Begin a video."""
        ...

    def stop_video(self) -> None:
        """Complete it."""
        ...


class Controls:
    """The panel of a viser server.

    Attributes:
        paused: Whether the page says pause.
    """

    def __init__(self, server: Any, recorder: Recorder) -> None:
        self._gui = server.gui
        self._recorder = recorder
        self.paused = False
        self._steps = 0
        self._all: list[Any] = []  # whatever is hidden with the panel
        self._shown = True
        self._previews: dict[str, Any] = {}
        self._images: Any = None  # the folder they are in
        self._help: Any = None
        self._video: tempfile.TemporaryDirectory[str] | None = None
        self._on_reset: Callable[[], None] = lambda: None
        self._on_run: Callable[[str], None] | None = None
        self._add_run()
        self._add_recording()
        self._layer_folder = self._keep(self._gui.add_folder("Show", expand_by_default=False))
        with self._layer_folder:
            self._layers = {
                name: self._gui.add_checkbox(name, name == "Cameras") for name in LAYERS
            }
        self._rate = self._keep(self._gui.add_markdown(""))

    def _keep(self, handle: Any) -> Any:
        handle.visible = self._shown
        self._all.append(handle)
        return handle

    def _add_run(self) -> None:
        self._run = self._keep(self._gui.add_button_group("World", _RUNS, order=_FIRST))

        @self._run.on_click
        def _(_event: Any) -> None:
            self.press(self._run.value)

    def press(self, name: str) -> None:
        """Do what a button of the first row says."""
        if self._on_run is not None:
            self._on_run(name)
        elif name == "Reset":
            self._on_reset()
        elif name == "Step":
            self._steps += 1
        else:
            self.paused: bool = not self.paused
            self._run.options = ("Play" if self.paused else "Pause", *self._run.options[1:])

    def _add_recording(self) -> None:
        self._record = self._keep(self._gui.add_button_group("Record", _KINDS, order=_FIRST + 1))

        @self._record.on_click
        def _(event: Any) -> None:
            kind = self._record.value
            begins = kind in _KINDS
            if kind in {_PAGE, _SAVE_PAGE}:
                self._record_page(event.client, begins=begins)
            else:
                begins = self._record_video(event.client, begins=begins)
            saves = _SAVE_PAGE if kind in {_PAGE, _SAVE_PAGE} else _SAVE_VIDEO
            self._record.options = (saves,) if begins else _KINDS

    def _record_page(self, page: Any, *, begins: bool) -> None:
        if begins:
            self._recorder.start_recording()
            return
        html = self._recorder.stop_recording().encode()
        page.send_file_download("recording.html", html, save_immediately=True)

    def _record_video(self, page: Any, *, begins: bool) -> bool:
        """Begin or complete a video; whether one is under way afterwards."""
        if begins:
            folder = tempfile.TemporaryDirectory()
            try:
                self._recorder.start_video(str(Path(folder.name) / "recording.mp4"))
            except NotSupportedError as problem:
                folder.cleanup()
                page.add_notification("No video", str(problem))
                return False
            self._video = folder
        elif self._video is not None:
            self._recorder.stop_video()
            folder, self._video = self._video, None
            film = (Path(folder.name) / "recording.mp4").read_bytes()
            page.send_file_download("recording.mp4", film, save_immediately=True)
            folder.cleanup()
        return begins

    def offer_help(self, *parts: Collection[tuple[str, str]]) -> None:
        """Say on the panel what mouse and keys do.

        Args:
            parts: What there is to press, and what it does; it replaces what was said before.
        """
        rows = [f"| {key} | {what} |" for part in parts for key, what in part]
        text = "\n".join(["| | |", "|---|---|", *rows])
        if self._help is None:
            folder = self._gui.add_folder("Mouse and keys", order=_LAST, expand_by_default=False)
            with self._keep(folder):
                self._help = self._gui.add_markdown(text)
        else:
            self._help.content = text

    def offer_runs(self, names: Sequence[str], on_press: Callable[[str], None]) -> None:
        """Replace the buttons of the first row, where the world has a clock of its own.

        Args:
            names: What is written on them.
            on_press: Called with the name of one, in a thread of the server.
        """
        self._on_run = on_press
        self._run.options = tuple(names)

    def offer_reset(self, on_click: Callable[[], None]) -> None:
        """Put a button on the panel that starts the world anew.

        Args:
            on_click: Called in a thread of the server.
        """
        self._on_reset = on_click
        self._run.options = (*self._run.options, "Reset")

    def wait_while_paused(
        self, watched: Callable[[], bool], meanwhile: Callable[[], None] | None = None
    ) -> None:
        """Hold the caller while the page says pause, except for single steps.

        Args:
            watched: Whether a page is open.
            meanwhile: Called again and again.
        """
        while self.paused and self._steps == 0 and watched():
            if meanwhile is not None:
                meanwhile()
            time.sleep(_PAUSE_POLL)
        self.take_step()

    def take_step(self) -> bool:
        """Whether the page has asked for a single step; each is told of once."""
        asked, self._steps = self._steps > 0, max(0, self._steps - 1)
        return asked

    def offer(self, names: Collection[str]) -> None:
        """Take all layers but some off the panel: those that nobody draws."""
        for name in [name for name in self._layers if name not in names]:
            self._layers.pop(name).remove()
        if not self._layers and self._layer_folder in self._all:
            self.remove(self._layer_folder)

    def offer_no_recording(self) -> None:
        """Take the buttons for recordings off the panel: where the page shows what they miss."""
        self.remove(self._record)

    def layers(self) -> set[str]:
        """Which of ``LAYERS`` the page asks for."""
        return {name for name, box in self._layers.items() if box.value}

    def toggle_layer(self, name: str) -> None:
        """Tick a box of ``LAYERS``, or clear it; nothing happens if the page does not offer it."""
        box = self._layers.get(name)
        if box is not None:
            box.value = not box.value

    def say(self, text: str) -> None:
        """Show a line of text."""
        if self._rate.content != text:
            self._rate.content = text

    def show(self, visible: bool) -> None:
        """Show the panel's content, or hide it."""
        if visible != self._shown:
            self._shown = visible
            for handle in self._all:
                handle.visible = visible

    def preview(self, name: str, image: NDArray[np.uint8] | None) -> None:
        """Show an image (height, width, 3) under a name; None takes it away."""
        handle = self._previews.get(name)
        if image is None:
            if handle is not None:
                self._previews.pop(name).remove()
            return
        if handle is None:
            if self._images is None:
                self._images = self._keep(self._gui.add_folder("Camera images"))
            with self._images:
                self._previews[name] = self._gui.add_image(image, label=name)
            return
        handle.image = image

    def add_slider(self, name: str, low: float, high: float, value: float) -> Any:
        """Add a slider; its ``value`` is where it stands. An empty range gets a hair of width."""
        span = max(high - low, 1e-9)
        start = min(max(value, low), low + span)
        return self._keep(self._gui.add_slider(name, low, low + span, span / 1000.0, start))

    def add_button(self, name: str, on_click: Callable[[], None]) -> Any:
        """Add a button."""
        button = self._keep(self._gui.add_button(name))
        button.on_click(lambda _event: on_click())
        return button

    def remove(self, handle: Any) -> None:
        """Take a slider or button off the panel."""
        self._all.remove(handle)
        handle.remove()
