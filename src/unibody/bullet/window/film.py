"""Recordings of a client's world by simulated time: videos, and pages that play by themselves."""

from __future__ import annotations

import atexit
import contextlib
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from unibody.bullet import constants as c
from unibody.bullet.cameras.soft import soft_meshes
from unibody.bullet.debug.visualizer import FOV, visualizer_camera, y_is_up
from unibody.bullet.window.camera import eye_of
from unibody.bullet.window.light import sun_of
from unibody.bullet.window.scene import Shown, debug_items, shown_bodies
from unibody.core.engine.world.pose_reader import PoseReader
from unibody.core.render.camera import Frames
from unibody.core.render.visual_shapes import Deformed
from unibody.errors import UnibodyError
from unibody.viewer.items import Item
from unibody.viewer.painter import BACKGROUND, Painter, Sight
from unibody.viewer.video import Pace, Video
from unibody.viewer.view import View

if TYPE_CHECKING:
    from unibody.bullet.clients.client import Client

_PAGE_RATE = 30  # frames a second of simulated time
_open: list[WorldLog] = []


class WorldLog:
    """A recording of a client's world: a frame every ``1 / fps`` seconds of simulated time.

    It plays as fast as the world went. Once the script asks for single frames
    (``COV_ENABLE_SINGLE_STEP_RENDERING``), each of those calls is a frame, and there are no others.

    Args:
        client: Whose world.
        fps: Frames a second.

    Attributes:
        frames: How many there are.
        is_written: The file is complete.
    """

    def __init__(self, client: Client, fps: int) -> None:
        self.client = client
        self.frames: int = 0
        self._pace = Pace(fps)
        self._pose_reader: PoseReader | None = None
        self._seen: tuple[Any, ...] = ()
        self._shown = Shown()
        self._on_demand = False
        self.is_written = False
        client.films.append(self)
        if not _open:
            atexit.register(close_all)
        _open.append(self)

    def before_tick(self, client: Client) -> None:
        """Nothing: a frame shows what a step led to."""

    def after_tick(self, client: Client) -> None:
        """Take the frames that are due after a substep."""
        substep = client.parameters.fixedTimeStep / (client.parameters.numSubSteps or 1)
        due = self._pace.due(substep)
        if due > 0 and not self._on_demand:
            self._take(due)

    def single_frame(self) -> None:
        """Take a frame now; from now on there is one for each call."""
        self._on_demand = True
        self._take(1)

    def close(self) -> None:
        """Complete the file; a world that was never stepped is in it with one frame."""
        if self not in _open:
            return
        _open.remove(self)
        self.client.films.remove(self)
        if self in self.client.ticks:
            self.client.ticks.remove(self)
        try:
            if self.frames == 0:
                self._take(1)
        finally:
            self.complete()

    def _take(self, count: int) -> None:
        client = self.client
        world = client.scene.world
        if self._pose_reader is None or self._pose_reader.world is not world:
            self._pose_reader = PoseReader(world)
        generation, positions, quats = self._pose_reader.poses()
        wireframe = bool(client.visualizer.get(c.COV_ENABLE_WIREFRAME, 0))
        state = (world, generation, client.looks_version, len(client.bodies), wireframe)
        if state != self._seen:
            self._shown, self._seen = shown_bodies(client, len(positions)), state
        positions, quats = self._shown.places.all(positions, quats)
        items = debug_items(client, self._shown, positions, quats)
        rows = self._shown.rows
        self.add(Frames(positions[rows], quats[rows]), items, soft_meshes(client), count)
        self.frames += count

    def add(self, frames: Frames, items: dict[int, Item], deformed: Deformed, count: int) -> None:
        """Write what is shown now, as so many frames."""
        raise NotImplementedError

    def complete(self) -> None:
        """Complete the file."""
        raise NotImplementedError

    def view(self, width: int, height: int) -> View:
        """The visualizer's camera."""
        yaw, pitch, distance, target = visualizer_camera(self.client)[8:12]
        at = (float(target[0]), float(target[1]), float(target[2]))
        upright = y_is_up(self.client)
        eye = eye_of(max(distance, 1e-3), yaw, pitch, at, y_up=upright)
        up = (0.0, 1.0, 0.0) if upright else (0.0, 0.0, 1.0)
        return View(eye, at, FOV, width, height, up)


class FilmLog(WorldLog):
    """A video of what the visualizer's camera sees, as large as the window.

    Args:
        client: Whose world.
        file: The video; one that exists is replaced.
        fps: Frames a second; None: what ``--mp4fps`` says, or 60.

    Raises:
        InvalidArgumentError: A size or rate that is not positive or too large.
        NotSupportedError: PyAV is not installed.
        OSError: The file cannot be written.
    """

    def __init__(self, client: Client, file: str, fps: int | None = None) -> None:
        width, height = visualizer_camera(client)[:2]
        rate = fps or client.camera.get("mp4fps", 60)
        self._video = Video(file, width, height, rate)
        self._painter = Painter()
        super().__init__(client, rate)

    def add(self, frames: Frames, items: dict[int, Item], deformed: Deformed, count: int) -> None:
        """Draw a picture."""
        flags, camera = self.client.visualizer, self.client.camera
        self._painter.show(self._shown.parts)
        picture: NDArray[np.uint8] = self._painter.picture(
            Sight(
                self.view(self._video.width, self._video.height),
                frames,
                items.values(),
                camera.get("rgbBackground", BACKGROUND),
                sun_of(self.client),
                bool(flags.get(c.COV_ENABLE_WIREFRAME, 0)),
                deformed,
            )
        )
        self._video.add(picture, count)

    def complete(self) -> None:
        """Complete the video."""
        self._video.close()
        self.is_written: bool = self._video.is_written


class ReplayLog(WorldLog):
    """A page that plays what the bodies did, without a server, and can be looked at from all sides.

    Args:
        client: Whose world.
        file: The page; one that exists is replaced.

    Raises:
        NotSupportedError: viser is not installed.
    """

    def __init__(self, client: Client, file: str) -> None:
        from unibody.viewer.viewer import Viewer

        self._file = file
        self._viewer = Viewer(port=0)
        self._viewer.set_fov(FOV)
        self._viewer.set_background(client.camera.get("rgbBackground", BACKGROUND))
        self._viewer.start_recording()
        self._parts: list[Any] = []
        self._looks_from: View | None = None
        super().__init__(client, _PAGE_RATE)

    def add(self, frames: Frames, items: dict[int, Item], deformed: Deformed, count: int) -> None:
        """Record what moved."""
        self._viewer.lights.show(sun_of(self.client))
        if self._shown.parts != self._parts:
            self._parts = self._shown.parts
            self._viewer.show(self._parts)
        view = self.view(1, 1)
        if view != self._looks_from:
            self._looks_from = view
            self._viewer.set_up("y" if view.up[1] else "z")
            self._viewer.look(view.position, view.target)
        self._viewer.draw(items)
        self._viewer.place(frames.positions, frames.quats, count / _PAGE_RATE, deformed)

    def complete(self) -> None:
        """Write the page, or say why it is not written."""
        self.is_written: bool = self._viewer.save_recording(self._file)


def close_all() -> None:
    """Complete all recordings that are under way."""
    for log in tuple(_open):
        with contextlib.suppress(UnibodyError):
            log.close()
