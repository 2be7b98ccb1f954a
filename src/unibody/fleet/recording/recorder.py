"""Filming a simulation."""

from __future__ import annotations

import math
import os
import time
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from unibody.core.assets.whole_file import whole_file
from unibody.errors import InvalidArgumentError
from unibody.fleet.foundation.loggers import LazyLogger, get_lazy_logger

if TYPE_CHECKING:
    from unibody.fleet.objects.interfaces import SimulationInterface as MultiRobotSimulationCore
    from unibody.fleet.recording.picture import SimulationCamera

logger: LazyLogger = get_lazy_logger("pybullet_fleet.recorder")
_BLOCK = 16  # pixels: films are made of blocks of this size
_LARGE = 5.0  # MB
_MODES = ("auto", "orbit", "manual", "gui")


class SimulationRecorder:
    """Films a simulation into a GIF or MP4 file.

    Args:
        sim_core: The simulation.
        output: The file; ``.mp4`` needs the package ``imageio`` with PyAV.
        width: Of a picture.
        height: Of a picture.
        fps: Pictures a second.
        duration: Seconds to film; None: until stopped.
        camera_mode: "auto", "orbit", "manual", or "gui" for what the window shows.
        camera_params: Of "manual": ``camera_target``, ``camera_distance``, ``camera_yaw``,
            ``camera_pitch`` [m, deg].
        orbit_degrees: How far "orbit" goes.
        time_base: "sim" or "real": whose seconds.

    Raises:
        ValueError: Another mode or time base, or "gui" without a window.
    """

    def __init__(
        self,
        sim_core: MultiRobotSimulationCore,
        output: str = "recording.gif",
        width: int = 800,
        height: int = 600,
        fps: int = 15,
        duration: float | None = None,
        camera_mode: str = "auto",
        camera_params: dict[str, Any] | None = None,
        orbit_degrees: float = 60.0,
        time_base: str = "sim",
    ) -> None:
        if time_base not in ("sim", "real"):
            raise ValueError(f"time_base must be 'sim' or 'real', got '{time_base}'")
        if camera_mode not in _MODES:
            raise ValueError(f"camera_mode must be one of {_MODES}, got '{camera_mode}'")
        windowed = sim_core.params.gui
        if camera_mode == "gui" and not windowed:
            raise ValueError(
                "camera_mode='gui' requires p.GUI connection (params.gui=True). In DIRECT mode use "
                "'auto', 'orbit', or 'manual'."
            )
        from unibody.core.render.camera import MAX_PIXELS

        if min(width, height) < 1 or width * height > MAX_PIXELS:
            size = f"{width} x {height}"
            allowed = f"at least one pixel, at most {MAX_PIXELS}"
            raise InvalidArgumentError("width, height", size, allowed)
        self._sim_core = sim_core
        self._output = output
        self._width = int(width)  # True is taken for 1, which compiled code does not
        self._height = int(height)
        self._fps = fps
        self._duration = duration
        self._camera_mode = "gui" if camera_mode == "auto" and windowed else camera_mode
        self._camera_params = dict(camera_params or {})
        self._orbit_degrees = orbit_degrees
        self._time_base = time_base
        self._camera: SimulationCamera | None = None
        self._frames: list[NDArray[np.uint8]] = []
        self._recording = False
        self._start_sim_time = 0.0
        self._start_wall_time = 0.0
        self._last_wall_capture = -math.inf
        self._center = [0.0, 0.0, 0.3]
        self._extent = 10.0

    @property
    def is_recording(self) -> bool:
        """Whether it films."""
        return self._recording

    @property
    def frame_count(self) -> int:
        """Pictures so far."""
        return len(self._frames)

    def start(self) -> None:
        """Begin."""
        if self._recording:
            return
        self._recording = True
        self._frames.clear()
        self._start_sim_time = self._sim_core.sim_time
        self._start_wall_time = time.monotonic()
        self._last_wall_capture = -math.inf
        center, extent = self._sim_core.compute_scene_bounds()
        self._center = [center[0], center[1], 0.3]
        self._extent = max(extent[0], extent[1], 2.0) if any(extent) else 10.0
        rate = None if self._time_base == "real" else float(self._fps)
        self._sim_core.register_callback(self._capture_frame, frequency=rate)

    def stop(self) -> None:
        """End."""
        if self._recording:
            self._recording = False
            self._sim_core.unregister_callback(self._capture_frame)

    def save(self) -> str:
        """Write the file and return its path.

        Raises:
            ValueError: There is no picture.
            RuntimeError: MP4, and ``imageio`` is not installed.
        """
        if not self._frames:
            raise ValueError("No frames captured — call start() and run simulation before save()")
        os.makedirs(os.path.dirname(os.path.abspath(self._output)), exist_ok=True)
        if self._output.lower().endswith(".mp4"):
            self._save_mp4()
        else:
            self._save_gif()
        size = os.path.getsize(self._output) / 1e6
        logger.info("Saved: %s (%d frames, %.1f MB)", self._output, len(self._frames), size)
        return self._output

    def _save_gif(self) -> None:
        from PIL import Image

        first, *rest = [Image.fromarray(frame) for frame in self._frames]
        with whole_file(self._output) as stream:
            first.save(
                stream,
                "GIF",
                save_all=True,
                append_images=rest,
                duration=int(1000 / self._fps),
                loop=0,
                optimize=False,
            )
        if os.path.getsize(self._output) > _LARGE * 1e6:
            logger.warning("%s is larger than %.0f MB: MP4 is smaller", self._output, _LARGE)

    def _save_mp4(self) -> None:
        try:
            import imageio
        except ImportError:
            raise RuntimeError("MP4 output requires imageio: pip install imageio[pyav]") from None
        height, width = self._frames[0].shape[:2]
        pad = ((0, -height % _BLOCK), (0, -width % _BLOCK), (0, 0))
        frames = [np.pad(frame, pad, mode="edge") for frame in self._frames]
        imageio.v3.imwrite(
            self._output, np.stack(frames), plugin="pyav", codec="h264", fps=self._fps
        )

    def _capture_frame(self, sim_core: Any, dt: float) -> None:
        if not self._recording:
            return
        now = time.monotonic()
        real = self._time_base == "real"
        passed = now - self._start_wall_time if real else sim_core.sim_time - self._start_sim_time
        if self._duration is not None and passed >= self._duration:
            self.stop()
            return
        if real and now - self._last_wall_capture < 1.0 / self._fps:
            return
        self._last_wall_capture = now
        eye, target = self._view(sim_core)
        if self._camera is None:
            from unibody.fleet.recording.picture import SimulationCamera

            self._camera = SimulationCamera(sim_core)
        self._frames.append(self._camera.picture(eye, target, (self._width, self._height)))

    def _view(self, sim_core: Any) -> tuple[list[float], list[float]]:
        """Where the camera is and what it looks at [m]."""
        if self._camera_mode == "manual":
            stated = self._camera_params
            return _around(
                stated.get("camera_target", [0, 0, 0]),
                stated.get("camera_distance", 10.0),
                stated.get("camera_yaw", 0),
                stated.get("camera_pitch", -45),
            )
        if self._camera_mode == "gui" and sim_core.camera:
            at = sim_core.camera
            return _around(at["target"], at["distance"], at["yaw"], at["pitch"])
        yaw = math.radians(45.0)
        if self._camera_mode == "orbit":
            length = self._duration or 10.0
            done = min((sim_core.sim_time - self._start_sim_time) / length, 1.0)
            yaw += math.radians(self._orbit_degrees) * done
        x, y, _ = self._center
        radius = 0.9 * self._extent
        eye = [x + radius * math.cos(yaw), y + radius * math.sin(yaw), 0.7 * self._extent]
        return eye, self._center


def _around(
    target: Any, distance: float, yaw_degrees: float, pitch_degrees: float
) -> tuple[list[float], list[float]]:
    yaw, pitch = math.radians(yaw_degrees), math.radians(pitch_degrees)
    x, y, z = (float(value) for value in target)
    flat = distance * math.cos(pitch)
    eye = [x + flat * math.cos(yaw), y + flat * math.sin(yaw), z - distance * math.sin(pitch)]
    return eye, [x, y, z]
