"""The viewer: one page that shows a world, and what people do on it."""

from __future__ import annotations

import dataclasses
import importlib.util
import math
import os
import threading
from collections.abc import Callable, Sequence
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unibody.core.assets.whole_file import write_whole_text
from unibody.core.render.camera import Frames
from unibody.core.render.visual_shapes import Deformed, VisualShape
from unibody.errors import NotSupportedError
from unibody.extras import install_command
from unibody.notices import tell
from unibody.viewer.controls import Controls
from unibody.viewer.crowd import Crowd
from unibody.viewer.guard import INLINE_PATH, guarded_server
from unibody.viewer.inputs import Inputs
from unibody.viewer.items import Item, Vec3
from unibody.viewer.lights import Lights
from unibody.viewer.notebook import inline_html
from unibody.viewer.overlay import Overlay, ground_grid
from unibody.viewer.painter import BACKGROUND, Painter, Sight
from unibody.viewer.recording import VIDEO_RATE, VIDEO_SIZE, Filming, Recording
from unibody.viewer.stage import Stage
from unibody.viewer.view import View

F64 = NDArray[np.float64]
FOV = math.radians(60.0)
_UP = {"z": (0.0, 0.0, 1.0), "y": (0.0, 1.0, 0.0)}
# orientation wxyz of the ground, by the axis that is up
_LEVEL = {"z": (1.0, 0.0, 0.0, 0.0), "y": (math.sqrt(0.5), -math.sqrt(0.5), 0.0, 0.0)}
_NOTHING: Deformed = MappingProxyType({})
HELP = (
    ("drag", "turn the view"),
    ("right button", "move the view"),
    ("wheel", "nearer, farther"),
    ("W A S D Q E", "fly"),
    ("arrow keys", "look around"),
)
"""What the mouse and the keys of every page do."""
_FRUSTUM = 0.08  # m: half of the height of a camera's sign


@dataclasses.dataclass(frozen=True, slots=True)
class Grip:
    """A body held with the mouse.

    Attributes:
        phase: "start", "update" or "end".
        owner: ``VisualShape.owner`` of what is held.
        point: The point of the body that is held, world frame [m].
        target: Where the mouse wants it, world frame [m].
    """

    phase: str
    owner: tuple[int, int]
    point: Vec3
    target: Vec3


def need_page_library() -> None:
    """Raise if no page can be made here.

    Raises:
        NotSupportedError: viser is not installed.
    """
    if importlib.util.find_spec("viser") is None:
        raise NotSupportedError(
            "the viewer without viser", f"install it: {install_command('viewer')}"
        )


class Viewer:
    """A page in the browser.

    The server runs in threads of its own; all methods may be called from any thread.

    Args:
        host: Address to listen on; leave it at loopback, and tunnel from other machines.
        port: First port to try; 0: any.
        title: Of the page.

    Attributes:
        url: Address of the page, with its token.
        inline_url: Address of the page inside another one, such as a notebook.
        inputs: Keys and mouse events of all pages.
        on_grip: Called when a body is held, dragged and let go, in a thread of the server; set it
            before bodies are shown. Without it, and on what cannot move, the mouse turns the view.
        controls: The panel.
        up: Which axis of the world is up: "z" or "y"; see ``set_up``.
        lights: The lights of the page, and of pictures and videos of it.
        recording: The recording as a page that is under way, or None.

    Raises:
        NotSupportedError: viser is not installed.
    """

    def __init__(
        self, *, host: str = "127.0.0.1", port: int = 8080, title: str = "unibody"
    ) -> None:
        need_page_library()
        self._server, guard = guarded_server(host, port, title)
        self._server.initial_camera.fov = FOV
        origin = f"http://{host}:{self._server.get_port()}"
        self.url: str = f"{origin}/?token={guard.token}"
        self.inline_url: str = f"{origin}{INLINE_PATH}{guard.token}/"
        self.inputs: Inputs = Inputs()
        guard.on_input = self.inputs.take
        self.on_grip: Callable[[Grip], None] | None = None
        self._stage = Stage(self._server)
        self._overlay = Overlay(self._server)
        self._lock = threading.Lock()
        self._new_groups: dict[Any, list[VisualShape]] = {}
        self._parts: list[VisualShape] = []
        self._poses: tuple[F64, F64] = np.zeros((0, 3)), np.zeros((0, 4))
        self._deformed: Deformed = _NOTHING
        self._items: dict[int, Item] = {}
        self.recording: Recording | None = None
        self._filming: Filming | None = None
        self._axes: Any = None
        self._grid: Any = None
        self._frustum: Any = None
        self._background: Vec3 | None = None
        self.lights: Lights = Lights(self._server)
        self.up = "z"
        self._crowds = 0
        self._visited = self._closed = False
        self._server.gui.configure_theme(show_logo=False, show_share_button=False)
        self.controls: Controls = Controls(self._server, self)
        self.controls.offer_help(HELP)

    def _repr_html_(self) -> str:
        """What a notebook shows of it: the page."""
        return inline_html(self.inline_url)

    # --- what is shown ----------------------------------------------------------------------------

    @property
    def watched(self) -> bool:
        """True while a page is open."""
        found = bool(self._server.get_clients())
        self._visited |= found
        return found

    @property
    def busy(self) -> bool:
        """True while there is anybody to show something to: a page, or a recording."""
        return self.watched or self.records

    @property
    def records(self) -> bool:
        """True while a recording is made."""
        return self.recording is not None or self._filming is not None

    @property
    def closed(self) -> bool:
        """True once a page was open and all are closed, or after ``close``."""
        return self._closed or (not self.watched and self._visited)

    def show(self, parts: list[VisualShape]) -> None:
        """Replace the bodies on the page."""
        with self._lock:
            self._parts = list(parts)
            self._new_groups = self._stage.show(parts)

    def add_crowd(
        self, parts: Sequence[VisualShape], on_click: Callable[[tuple[int, int]], None]
    ) -> Crowd:
        """Add shapes whose colours change as often as their poses, and which can be clicked.

        They are seen once they are placed, and belong to no picture that is drawn here.

        Args:
            parts: The shapes; textures are not drawn.
            on_click: Called with the ``owner`` of what was clicked, in a thread of the server.
        """
        self._crowds += 1
        return Crowd(self._server, f"/crowds/{self._crowds}", parts, on_click)

    def place(
        self,
        positions: F64,
        quats: F64,
        seconds: float | None = None,
        deformed: Deformed = _NOTHING,
    ) -> None:
        """Put the bodies where their frames are; this completes a frame of a recording.

        Args:
            positions: World frame, (n, 3) [m].
            quats: Orientations wxyz, (n, 4).
            seconds: How long the frame is shown in recordings; None: by the clock.
            deformed: How parts that deform look.
        """
        with self._lock:
            self._poses, self._deformed = (positions, quats), deformed
            self._stage.place(positions, quats, deformed)
            for group, parts in self._new_groups.items():
                if self.on_grip is not None and parts[0].movable:
                    self._make_draggable(group.handle, parts, self.on_grip)
            self._new_groups = {}
            if self.recording is not None:
                self.recording.frame(seconds)
            if self._filming is not None:
                self._filming.frame(self._parts, self._sight(), seconds)

    @staticmethod
    def _make_draggable(
        handle: Any, parts: list[VisualShape], on_grip: Callable[[Grip], None]
    ) -> None:
        @handle.on_drag("left")
        def _(event: Any) -> None:
            owner = parts[event.instance_index or 0].owner
            on_grip(Grip(event.phase, owner, event.start_position, event.end_position))

    def draw(self, items: dict[int, Item]) -> None:
        """Replace lines, points and texts, by id."""
        self._items = dict(items)
        self._overlay.show(items, self.view())

    def draw_frames(self, positions: F64, quats: F64) -> None:
        """Draw axes (x red, y green, z blue) on frames; none with empty arrays."""
        if self._axes is not None:
            self._axes.remove()
            self._axes = None
        if len(positions):
            self._axes = self._server.scene.add_batched_axes(
                "/overlay/frames", quats, positions, axes_length=0.1, axes_radius=0.004
            )

    def draw_camera(
        self, position: Any, quat: Any, fov: float, image: NDArray[np.uint8] | None
    ) -> None:
        """Draw a camera where it stands, with what it sees; without an image, draw none.

        Args:
            position: World frame [m].
            quat: Orientation wxyz of its frame (x right, y down, z forward).
            fov: Vertical field of view [rad].
            image: Red, green and blue, (height, width, 3).
        """
        if image is None:
            if self._frustum is not None:
                self._frustum.remove()
                self._frustum = None
            return
        aspect = image.shape[1] / image.shape[0]
        if self._frustum is None:
            self._frustum = self._server.scene.add_camera_frustum(
                "/overlay/camera",
                fov,
                aspect,
                scale=_FRUSTUM,
                image=image,
                thickness=2.0,
                thickness_units="screen",
            )
        self._frustum.fov, self._frustum.aspect, self._frustum.image = fov, aspect, image
        self._frustum.position, self._frustum.wxyz = position, quat

    def set_background(self, color: Vec3 | None) -> None:
        """Give the page a background colour, each 0 to 1; None: the page's own."""
        if color == self._background:
            return
        self._background = color
        plain = None
        if color is not None:
            shade = (255.0 * np.clip(color, 0.0, 1.0)).astype(np.uint8)
            plain = np.broadcast_to(shade, (2, 2, 3)).copy()
        self._server.scene.set_background_image(plain, format="png")

    def set_grid(self, shown: bool) -> None:
        """Show a grid on the ground, a square a metre, or take it away."""
        if shown == (self._grid is not None):
            return
        if not shown:
            self._grid.remove()
            self._grid = None
            return
        ends, colors = ground_grid()
        self._grid = self._server.scene.add_line_segments(
            "/overlay/grid",
            ends,
            colors,
            thickness=1.0,
            thickness_units="screen",
            wxyz=_LEVEL[self.up],
        )

    def set_up(self, axis: str) -> None:
        """Say which axis of the world is up: "y" or "z"."""
        if axis != self.up:
            self.up: str = axis
            self._server.scene.set_up_direction(f"+{axis}")
            if self._grid is not None:
                self._grid.wxyz = _LEVEL[axis]

    def set_shadows(self, cast: bool) -> None:
        """Let the lights cast shadows or not."""
        self.lights.show(dataclasses.replace(self.lights.sun, shadows=cast))

    # --- the camera -------------------------------------------------------------------------------

    def look(self, position: Vec3, target: Vec3) -> None:
        """Move the camera of all pages, and of those that open later; z is up."""
        self._server.initial_camera.position = position
        self._server.initial_camera.look_at = target
        for client in self._server.get_clients().values():
            client.camera.position = position
            client.camera.look_at = target

    def set_fov(self, fov: float) -> None:
        """Set the vertical field of view [rad] of all pages, and of those that open later."""
        self._server.initial_camera.fov = fov
        for client in self._server.get_clients().values():
            client.camera.fov = fov

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
            _UP[self.up],
        )

    def _sight(self) -> Sight:
        """What a page shows, or would show if there was one."""
        start = self._server.initial_camera
        position, target = tuple(start.position.tolist()), tuple(start.look_at.tolist())
        return Sight(
            self.view() or View(position, target, float(start.fov), *VIDEO_SIZE, _UP[self.up]),
            Frames(*self._poses),
            list(self._items.values()),
            self._background or BACKGROUND,
            self.lights.sun,
            bool(self._parts) and all(part.wireframe for part in self._parts),
            self._deformed,
        )

    # --- recordings -------------------------------------------------------------------------------

    def picture(self, width: int, height: int) -> NDArray[np.uint8]:
        """What a page would show, drawn here: (height, width, 4), red, green, blue and 255."""
        painter = Painter()
        with self._lock:
            painter.show(self._parts)
            sight = self._sight()
        view = dataclasses.replace(sight.view, width=width, height=height)
        return painter.picture(dataclasses.replace(sight, view=view))

    def start_recording(self) -> Recording:
        """Record what the page shows from now on; every ``place`` is a frame."""
        self.recording = Recording(self._server)
        return self.recording

    def stop_recording(self) -> str:
        """End the recording; return it as a page that plays without a server."""
        recording, self.recording = self.recording, None
        return recording.html() if recording else ""

    def save_recording(self, file: str) -> bool:
        """End the recording and the page; write the former, or say why it is not written.

        Returns:
            Whether the file is there.
        """
        try:
            write_whole_text(file, self.stop_recording())
        except OSError as problem:
            tell(f"the page {file} cannot be written: {problem.strerror or problem}")
            return False
        finally:
            self.close()
        return True

    def start_video(
        self,
        file: str | os.PathLike[str],
        *,
        fps: int = VIDEO_RATE,
        width: int = VIDEO_SIZE[0],
        height: int = VIDEO_SIZE[1],
    ) -> None:
        """Write what the page shows from now on into an MP4 file, drawn here and without a page.

        Args:
            file: The file; one that exists is replaced.
            fps: Frames a second.
            width: [pixels].
            height: [pixels].

        Raises:
            NotSupportedError: PyAV is not installed.
            OSError: The file cannot be written.
        """
        filming = Filming(file, fps, width, height)
        self.stop_video()
        with self._lock:
            self._filming = filming

    def stop_video(self) -> None:
        """Complete the video, if there is one."""
        with self._lock:
            filming, self._filming = self._filming, None
        if filming is not None:
            filming.close()

    def close(self) -> None:
        """End the server; pages that are open stand still."""
        self._closed = True
        self.stop_video()
        self._server.stop()
