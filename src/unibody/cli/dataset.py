"""`unibody run --dataset PATH`: what a script simulates, as a data set."""

from __future__ import annotations

import importlib
import math
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from unibody.cli.progress import Progress
from unibody.core.engine.world import step_observers
from unibody.errors import InvalidArgumentError

if TYPE_CHECKING:
    from unibody.cli.readings.base import F64, Readings
    from unibody.core.render.camera import Frames
    from unibody.core.render.visual_shapes import Deformed, VisualShape
    from unibody.datasets.frames import Image, Layout, Writer
    from unibody.viewer.items import Vec3
    from unibody.viewer.view import View

MCAP = ".mcap"
_FOV = math.radians(45.0)
_FAR = 50.0  # m: what is further out does not move the camera away


class DatasetRun:
    """Records the first thing that a script steps, whatever it is written for.

    A frame has the state at a moment and the action that acts from then on, so that each is
    complete one step later.

    Args:
        path: A folder for LeRobot's layout, where the run is one more episode; or a file .mcap.
        fps: Frames a second of simulated time.
        size: Width and height of the camera's pictures [pixels]; None: there are none.
        task: What is done, in words.

    Raises:
        ImportError: What writes it is not installed.
    """

    def __init__(self, path: str, fps: int, size: tuple[int, int] | None, task: str) -> None:
        self._path = Path(path).resolve()  # the script may go elsewhere
        self._is_file = self._path.suffix.lower() == MCAP
        libraries = ("mcap.writer",) if self._is_file else ("pyarrow", *(("av",) if size else ()))
        for name in libraries:
            importlib.import_module(name)
        from unibody.viewer.video import Pace

        self._fps, self._size, self._task = fps, size, task
        self._pace = Pace(fps)
        self._readings: Readings | None = None
        self._kind: type | None = None
        self._writer: Writer | None = None
        self._waiting: tuple[F64, F64, dict[str, Image], int] | None = None
        self._camera: _Camera | None = None
        self.frames: int = 0
        self._progress: Progress | None = None

    def start(self) -> None:
        """Wait for the first step."""
        step_observers.add_observer(self)
        self._progress = Progress(self._path.name, self)

    def on_step(self, timestep: float, _contacts: int | None, stepped: Any) -> None:
        """Complete the frame before a step, and begin one if it is due."""
        from unibody.cli.readings.base import readings_of

        if self._readings is None:
            self._readings = readings_of(stepped)
            self._kind = type(stepped)
        readings = self._readings
        if readings is None or type(stepped) is not self._kind:
            return
        readings.follow(stepped)
        self._complete(readings.read_action())
        due = self._pace.due(timestep)
        if due > 0:
            positions, quats = readings.read_poses()
            poses = np.hstack([positions, quats])
            pictures = self._pictures(stepped, positions, quats)
            self._waiting = readings.read_state(), poses, pictures, due

    def _complete(self, action: F64) -> None:
        waiting, self._waiting = self._waiting, None
        if waiting is None:
            return
        from unibody.datasets.frames import Frame

        state, poses, pictures, count = waiting
        if self._writer is None:
            self._writer = self._open(len(poses))
        f32 = np.float32
        frame = Frame(state.astype(f32), action.astype(f32), poses.astype(f32), pictures)
        self._writer.add(frame, count)
        self.frames += count

    def _open(self, poses: int) -> Writer:
        from unibody.datasets.frames import Layout
        from unibody.datasets.lerobot import LeRobotWriter
        from unibody.datasets.mcap_file import McapWriter

        found: Any = self._readings
        cameras = {} if self._size is None else {"view": (self._size[1], self._size[0])}
        layout: Layout = Layout(found.state, found.action, self._fps, cameras, found.parts, poses)
        if self._is_file:
            return McapWriter(self._path, layout)
        return LeRobotWriter(self._path, layout, self._task)

    def _pictures(self, stepped: Any, positions: F64, quats: F64) -> dict[str, Image]:
        if self._size is None or self._readings is None:
            return {}
        if self._camera is None:
            self._camera = _Camera(self._size, stepped)
        return {"view": self._camera.picture(stepped, self._readings, positions, quats)}

    def stop(self) -> None:
        """Complete the data set, and say where it is."""
        step_observers.remove_observer(self)
        if self._progress is not None:
            self._progress.close()
        if self._waiting is not None and self._readings is not None:
            self._complete(self._readings.read_action())
        if self._writer is None:
            print("unibody run: nothing to record: nothing was stepped", file=sys.stderr)
            return
        self._writer.close()
        print(f"unibody run: recorded {self.frames} frames in {self._path}", file=sys.stderr)


class _Camera:
    """One where the script put its own, else one that sees what there was at the first moment."""

    def __init__(self, size: tuple[int, int], stepped: Any) -> None:
        from unibody.cli.films.base import source_of
        from unibody.viewer.painter import Painter

        self._size = size
        self._source = source_of(stepped, 1)  # the environment whose numbers are recorded
        self._painter = Painter()
        self._view: View | None = None

    def picture(self, stepped: Any, readings: Readings, positions: F64, quats: F64) -> Image:
        """What it sees now, (height, width, 3)."""
        from unibody.cli.films.base import Z_UP
        from unibody.core.render.camera import Frames
        from unibody.viewer.painter import Sight

        source = self._source
        frames, parts, up = Frames(positions, quats), list(readings.parts), Z_UP
        deformed: Deformed = {}
        if source is not None:
            frames, deformed = source.read(stepped)
            parts, up = source.parts, source.up
        if self._view is None:
            self._view = self._standing(parts, frames, up)
        self._painter.show(parts)
        image = self._painter.picture(Sight(self._view, frames, deformed=deformed))
        return np.ascontiguousarray(image[..., :3])

    def _standing(self, parts: list[VisualShape], frames: Frames, up: Vec3) -> View:
        from unibody.viewer.framing import TOWARDS, box_of_things, camera_for
        from unibody.viewer.view import View

        width, height = self._size
        source = self._source
        look = source.look() if source is not None else None
        if look is not None and source is not None:
            return View(*look, source.fov, width, height, up)
        axis = 1 if up[1] else 2
        at = frames.positions
        near = [part for part in parts if np.abs(at[part.frame]).max() <= _FAR]
        box = box_of_things(near, at, frames.quats, axis)
        look = camera_for(box, _FOV, TOWARDS[axis], width / height, up)
        return View(*look, _FOV, width, height, up)


def picture_size(text: str) -> tuple[int, int] | None:
    """Read WIDTHxHEIGHT, or 0 for no pictures.

    Raises:
        InvalidArgumentError: It is neither, or a number is odd.
    """
    if text == "0":
        return None
    width, cross, height = text.partition("x")
    if not (cross and width.isdecimal() and height.isdecimal()):
        raise InvalidArgumentError("--pictures", text, "WIDTHxHEIGHT, or 0 for none")
    size = int(width), int(height)
    if min(size) < 16 or max(size) > 4096 or size[0] % 2 or size[1] % 2:
        raise InvalidArgumentError("--pictures", text, "even numbers of pixels from 16 to 4096")
    return size
