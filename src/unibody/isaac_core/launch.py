"""SimulationApp: what a script starts first, and closes last."""

from __future__ import annotations

from collections.abc import Mapping
from types import TracebackType
from typing import Any, ClassVar

from unibody.isaac_core.kit import app, context, coroutines, settings, timeline


class SimulationApp:
    """The running app. The options of the launch are kept as they are.

    Args:
        launch_config: Options. With ``{"headless": False}`` a page in the browser shows the stage,
            in the place of a window; the environment's ``UNIBODY_VIEWER=off`` opens none.
        experience: File of an app's settings: kept, not read.
    """

    DEFAULT_LAUNCHER_CONFIG: ClassVar[dict[str, Any]] = {
        "headless": True,
        "width": 1280,
        "height": 720,
        "window_width": 1440,
        "window_height": 900,
        "display_options": 3094,
        "renderer": "RaytracedLighting",
        "anti_aliasing": 3,
        "physics_gpu": 0,
        "active_gpu": None,
        "multi_gpu": True,
        "sync_loads": True,
        "fast_shutdown": True,
        "open_usd": None,
        "livesync_usd": None,
        "extra_args": [],
    }

    def __init__(
        self, launch_config: Mapping[str, Any] | None = None, experience: str = ""
    ) -> None:
        self.config: dict[str, Any] = {**self.DEFAULT_LAUNCHER_CONFIG, **(launch_config or {})}
        self.config["experience"] = experience
        self._app = app.get_app()
        self._app.start()
        self._exiting = False
        opened = self.config["open_usd"]
        if opened is not None:
            context.get_context().open_stage(str(opened))
        elif context.get_context().get_stage() is None:
            context.get_context().new_stage()
        if not self.config["headless"] and self._app.window is None:
            from unibody.isaac_core.window.opening import open_page

            self._app.window = open_page()

    def __enter__(self) -> SimulationApp:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    @property
    def app(self) -> app.App:
        """The app behind it."""
        return self._app

    @property
    def context(self) -> context.UsdContext:
        """What holds the stage."""
        return context.get_context()

    def update(self) -> None:
        """Do one frame."""
        self._app.update()

    def run_coroutine(self, coroutine: Any, run_until_complete: bool = True) -> Any:
        """Run a coroutine.

        Args:
            coroutine: The coroutine.
            run_until_complete: Whether to do frames until it ends.

        Returns:
            Its result; or, if it is not waited for, its task.
        """
        task = coroutines.run_coroutine(coroutine)
        while run_until_complete and not task.done():
            self._app.update()
        return task.result() if run_until_complete else task

    def is_running(self) -> bool:
        """Whether the app runs and has a stage."""
        return self._app.is_running() and context.get_context().get_stage() is not None

    def is_exiting(self) -> bool:
        """Whether the app is being closed."""
        return self._exiting

    def set_setting(self, setting: str, value: Any) -> None:
        """Set a value of the app's settings."""
        settings.get_settings().set(setting, value)

    def reset_render_settings(self) -> None:
        """Write the options of pictures into the settings again."""
        for key in ("width", "height"):
            self.set_setting(f"/app/renderer/resolution/{key}", self.config[key])

    def close(self, wait_for_replicator: bool = True, skip_cleanup: bool = False) -> None:
        """End the app. The process goes on: it is the script's to end.

        Args:
            wait_for_replicator: Nothing of the kind runs here.
            skip_cleanup: Whether the stage is kept.
        """
        self._exiting = True
        timeline.get_timeline_interface().stop()
        if not skip_cleanup:
            context.get_context().close_stage()
        self._app.post_quit()
        window, self._app.window = self._app.window, None
        if window is not None:
            window.close()
