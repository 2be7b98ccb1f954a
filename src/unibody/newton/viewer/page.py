"""ViewerGL and ViewerViser: the project's page in the browser."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from unibody.core.assets.whole_file import whole_file
from unibody.errors import InvalidArgumentError, NotSupportedError
from unibody.newton.viewer.base import ViewerBase


class ViewerViser(ViewerBase):
    """Shows the shapes of a model on a page in the browser.

    Args:
        port: First port to try.
        label: Title of the page.
        verbose: Whether the address is told.
        share: Not supported: the page stays on this machine.
        record_to_viser: File of viser that `save_recording` and `close` write; None: no recording.
    """

    def __init__(
        self,
        *,
        port: int = 8080,
        label: str | None = None,
        verbose: bool = True,
        share: bool = False,
        record_to_viser: str | None = None,
    ) -> None:
        super().__init__()
        if share:
            raise NotSupportedError(
                "share=True", "a tunnel to the page's address shows it elsewhere"
            )
        from unibody.newton.window.page import Page

        self._page: Any = Page(port, label or "Newton", tell=verbose)
        self.url: str = self._page.url
        self._file, self._frame_time = record_to_viser, 0.0
        if record_to_viser is not None:
            self._page.record()

    def set_model(self, model: Any, max_worlds: int | None = None) -> None:
        """Say what is shown."""
        super().set_model(model, max_worlds)
        if model is not None:
            self._page.show(model, max_worlds)

    def set_visible_worlds(self, worlds: Sequence[int] | None) -> None:
        """Show some worlds only, and what belongs to none; None: all."""
        super().set_visible_worlds(worlds)
        self._page.show(self.model, self.max_worlds, self.visible_worlds)

    def set_camera(self, pos: Any, pitch: float, yaw: float) -> None:
        """Put the camera somewhere; angles in degrees."""
        up = 2 if self.model is None else int(self.model.up_axis)
        self._page.look([float(v) for v in pos], pitch, yaw, up)

    def log_state(self, state: Any) -> None:
        """Show a state."""
        offsets = None if self.world_offsets is None else self.world_offsets.numpy()
        self._page.update(state, offsets)

    def begin_frame(self, time: float) -> None:
        """Begin a frame of a time [s]; a recording shows the one before until then."""
        self._frame_time = max(time - self.time, 0.0)
        super().begin_frame(time)

    def end_frame(self) -> None:
        """Draw."""
        self._page.draw(None if self._file is None else self._frame_time)

    def save_recording(self) -> None:
        """Write what was shown so far, which ends the recording.

        Raises:
            InvalidArgumentError: The viewer was made without `record_to_viser`, or has written it.
        """
        file, self._file = self._file, None
        if file is None:
            raise InvalidArgumentError("record_to_viser", None, "a path, and one file is written")
        with whole_file(file) as stream:
            stream.write(self._page.recorded())

    def is_paused(self) -> bool:
        """Whether the page says pause."""
        return bool(self._page.paused)

    def should_step(self) -> bool:
        """Whether the simulation is to make a step; one that the page asked for is told of once."""
        return not self.is_paused() or bool(self._page.take_step())

    def is_running(self) -> bool:
        """Whether a page is open, or none was yet."""
        return not self._page.closed

    def close(self) -> None:
        """Write the recording, if there is one, and close the page."""
        if self._file is not None and not self._page.closed:
            self.save_recording()
        self._page.close()


class ViewerGL(ViewerViser):
    """The same page, in the place of a window.

    Args:
        width: Of the pictures of `get_frame` [pixels]; a page has the size of its browser.
        height: Likewise.
        vsync: Of the window.
        headless: Whether there is no page: `get_frame` draws what it would show.
    """

    def __init__(
        self, width: int = 1920, height: int = 1080, vsync: bool = False, headless: bool = False
    ) -> None:
        if headless:
            from unibody.newton.window.picture import Picture

            ViewerBase.__init__(self)
            self._page = Picture()
            self.url, self._file = "", None
        else:
            super().__init__()
        self.width: int = width
        self.height: int = height
        self.vsync: bool = vsync

    def get_frame(
        self, target_image: Any = None, render_ui: bool = False, *, output: Any = None
    ) -> Any:
        """What there is to see now, drawn here without a page: (height, width, 3), wp.uint8.

        Args:
            target_image: An array to fill; None: a new one.
            render_ui: Not supported: the panel belongs to the browser.
            output: The name of `target_image` in later releases.
        """
        target_image = output if target_image is None else target_image
        if render_ui:
            raise NotSupportedError("get_frame(render_ui=True)", "get_frame() has the scene alone")
        import warp as wp

        found = wp.array(self._page.picture(self.width, self.height), dtype=wp.uint8)
        if target_image is None:
            return found
        if tuple(target_image.shape) != found.shape:
            expected = f"an array {found.shape} of wp.uint8"
            raise InvalidArgumentError("target_image", tuple(target_image.shape), expected)
        wp.copy(target_image, found)
        return target_image

    def register_ui_callback(self, callback: Any, position: str = "side") -> None:
        """Refuse: panels of scripts are not drawn."""
        raise NotSupportedError("ViewerGL.register_ui_callback", "the page has a panel of its own")
