"""The viewer for programs that have poses as arrays: one world, or many side by side."""

from __future__ import annotations

import itertools
import os
import time
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from unibody.core.assets.whole_file import whole_file
from unibody.core.render.visual_shapes import Deformed, VisualShape, visuals_of_scene
from unibody.errors import InvalidArgumentError
from unibody.viewer.actions import ActionEvent, Actions
from unibody.viewer.groups import Group, Groups
from unibody.viewer.items import Item, Line
from unibody.viewer.view import View
from unibody.viewer.viewer import Viewer

if TYPE_CHECKING:
    from unibody.core.engine.scene.scene import Scene

_FASTEST = 1.0 / 60.0  # s between two frames that are sent
_HERE = ((0.0, 0.0, 0.0),)


class Display:
    """A page with worlds on it.

    A program adds scenes, each once or many times with an offset, hands in poses, and calls
    ``draw``, which costs next to nothing while no page is open::

        display = Display()
        print(display.url)
        group = display.add_scene(scene, grid_offsets(64, spacing=2.0))
        display.look_at((6.0, -6.0, 4.0), (0.0, 0.0, 0.0))
        display.subscribe_key("Escape", "quit")
        while not display.closed:
            worlds.step()
            display.update(group, worlds.body_positions, worlds.body_quats)
            display.draw()
            if any(event.action == "quit" for event in display.poll_events()):
                break
        display.close()

    Args:
        host: Address to listen on; leave it at loopback, and tunnel from other machines.
        port: First port to try; 0: any.
        title: Of the page.

    Attributes:
        viewer: The page itself, for what is not here: sliders, recordings, shadows.

    Raises:
        NotSupportedError: viser is not installed.
    """

    def __init__(
        self, *, host: str = "127.0.0.1", port: int = 8080, title: str = "unibody"
    ) -> None:
        self.viewer: Viewer = Viewer(host=host, port=port, title=title)
        self._groups = Groups()
        self._actions = Actions(self.viewer.inputs)
        self._lines: dict[object, list[Line]] = {}
        self._drawn = -np.inf
        self._deformed: Deformed = {}

    def _repr_html_(self) -> str:
        """What a notebook shows of it: the page."""
        return self.viewer._repr_html_()

    @property
    def url(self) -> str:
        """Address of the page, with its token."""
        return self.viewer.url

    @property
    def closed(self) -> bool:
        """True once a page was open and all are closed, or after ``close``."""
        return self.viewer.closed

    # --- worlds -----------------------------------------------------------------------------------

    def add_scene(
        self, scene: Scene, offsets: ArrayLike = _HERE, *, collisions: bool = False
    ) -> Group:
        """Add the bodies of a scene, once for each offset; frames are the bodies of MuJoCo.

        Args:
            scene: The scene, as it is now.
            offsets: Where the origin of each world is on the display, (worlds, 3) [m].
            collisions: Show collision shapes in place of visual ones.
        """
        parts = list(visuals_of_scene(scene, collisions=collisions))
        return self.add_parts(parts, int(scene.world.model.nbody), offsets)

    def add_parts(
        self, parts: Iterable[VisualShape], frames: int, offsets: ArrayLike = _HERE
    ) -> Group:
        """Add shapes on frames, once for each offset.

        Args:
            parts: Of one world; ``VisualShape.frame`` is the frame it follows, ``owner`` is kept.
            frames: How many frames one world has.
            offsets: (worlds, 3) [m].

        Raises:
            InvalidArgumentError: A part follows a frame that is not there, or the offsets are not
                triples.
        """
        return self._groups.add(parts, frames, offsets)

    def remove(self, group: Group) -> None:
        """Take a group off the display."""
        self._groups.remove(group)

    def update(self, group: Group, positions: ArrayLike, quats: ArrayLike) -> None:
        """Say where the frames of a group are, each world in its own coordinates.

        Args:
            group: From ``add_scene`` or ``add_parts``.
            positions: (worlds, frames, 3) [m]; of a single world also (frames, 3).
            quats: Orientations wxyz, (worlds, frames, 4) or (frames, 4).

        Raises:
            InvalidArgumentError: The shapes do not fit the group.
        """
        self._groups.update(group, positions, quats)

    def deform(self, deformed: Deformed) -> None:
        """Say how parts that deform look, by their ``owner``, until the next call."""
        self._deformed = deformed

    def update_poses(self, group: Group, poses: ArrayLike) -> None:
        """Say where the frames of a group are, in the form of batched simulators.

        Args:
            group: From ``add_scene`` or ``add_parts``.
            poses: Position [m] and orientation xyzw, (worlds * frames, 7) or (worlds, frames, 7).

        Raises:
            InvalidArgumentError: The shape does not fit the group.
        """
        found = np.asarray(poses, dtype=np.float64)
        if found.size != 7 * group.frames * len(group.offsets) or found.shape[-1] != 7:
            expected = f"an array {(len(group.offsets), group.frames, 7)}"
            raise InvalidArgumentError("poses", found.shape, expected)
        flat = found.reshape(-1, 7)
        self.update(group, flat[:, :3], flat[:, [6, 3, 4, 5]])

    def set_color(
        self,
        group: Group,
        rgb: tuple[float, float, float],
        *,
        world: int | None = None,
        frame: int | None = None,
        owner: tuple[int, int] | None = None,
    ) -> None:
        """Colour the parts of a group: of one world, on one frame, or of one owner; else all.

        Args:
            group: From ``add_scene`` or ``add_parts``.
            rgb: Each 0 to 1.
            world: Number of the world.
            frame: Frame the parts follow.
            owner: As in ``VisualShape.owner``.
        """
        worlds = range(len(group.offsets)) if world is None else (world,)
        for number, part in enumerate(group.parts):
            if frame in (None, part.frame) and owner in (None, part.owner):
                for each in worlds:
                    group.colors[each, number] = (*rgb, part.rgba[3])
        self._groups.changed = True

    # --- lines ------------------------------------------------------------------------------------

    def draw_lines(
        self,
        starts: ArrayLike,
        ends: ArrayLike,
        colors: ArrayLike,
        *,
        width: float = 1.0,
        owner: object = None,
    ) -> None:
        """Add lines, which stay until they are cleared.

        Args:
            starts: On the display, (n, 3) [m]: add ``group.offsets[k]`` to those of a world.
            ends: (n, 3) [m].
            colors: (n, 3), or one for all (3,), each 0 to 1.
            width: [pixels].
            owner: Whatever ``clear_lines`` shall know them by.

        Raises:
            InvalidArgumentError: The numbers of starts, ends and colours differ.
        """
        a, b = (np.asarray(ends_, dtype=np.float64).reshape(-1, 3) for ends_ in (starts, ends))
        shades = np.asarray(colors, dtype=np.float64).reshape(-1, 3)
        if len(a) != len(b):
            raise InvalidArgumentError("ends", b.shape, f"as many as starts, {a.shape}")
        if len(shades) not in (1, len(a)):
            raise InvalidArgumentError("colors", shades.shape, f"(3,) or {a.shape}")
        shades = np.broadcast_to(shades, a.shape)
        self._lines.setdefault(owner, []).extend(
            Line((x, y, z), (u, v, w), (red, green, blue), width)
            for (x, y, z), (u, v, w), (red, green, blue) in zip(
                a.tolist(), b.tolist(), shades.tolist(), strict=True
            )
        )

    def clear_lines(self, owner: object = None) -> None:
        """Remove the lines of an owner; with None all lines."""
        if owner is None:
            self._lines.clear()
        else:
            self._lines.pop(owner, None)

    # --- frames -----------------------------------------------------------------------------------

    def draw(self, seconds: float | None = None) -> None:
        """Send what has changed to the pages, sixty times a second at most.

        Args:
            seconds: How long this frame is shown in recordings [s]; None: by the clock. Frames of
                a recording are never left out.
        """
        now = time.monotonic()
        recorded = seconds is not None and self.viewer.records
        if not self.viewer.busy or (now - self._drawn < _FASTEST and not recorded):
            return
        self._drawn = now
        self._send(seconds)

    def _send(self, seconds: float | None) -> None:
        if self._groups.changed:
            self.viewer.show(self._groups.parts())
        lines: dict[int, Item] = dict(enumerate(itertools.chain(*self._lines.values())))
        self.viewer.draw(lines)
        poses = self._groups.positions.copy(), self._groups.quats.copy()
        self.viewer.place(*poses, seconds, self._deformed)

    def picture(self, width: int = 1280, height: int = 720) -> NDArray[np.uint8]:
        """What a page would show, drawn here: (height, width, 3), red, green and blue."""
        self._send(0.0)
        return np.ascontiguousarray(self.viewer.picture(width, height)[..., :3])

    def write_image(
        self, file: str | os.PathLike[str], width: int = 1280, height: int = 720
    ) -> None:
        """Write what a page would show to an image file, drawn here: it needs no page.

        Raises:
            OSError: The file cannot be written.
            ValueError: Its suffix is that of no image.
        """
        from PIL import Image

        picture = self.picture(width, height)
        kind = Image.registered_extensions().get(Path(file).suffix.lower())
        if kind is None:
            raise ValueError(f"unknown file extension: {Path(file).suffix}")
        with whole_file(file) as stream:
            Image.fromarray(picture).save(stream, kind)

    # --- camera -----------------------------------------------------------------------------------

    def look_at(
        self,
        position: tuple[float, float, float],
        target: tuple[float, float, float],
        offset: tuple[float, float, float] = (0.0, 0.0, 0.0),
    ) -> None:
        """Move the camera of all pages: where it stands and what it looks at [m].

        ``offset`` is that of the world they are given in.
        """
        x, y, z = offset
        self.viewer.look(
            (position[0] + x, position[1] + y, position[2] + z),
            (target[0] + x, target[1] + y, target[2] + z),
        )

    def view(self) -> View | None:
        """The camera of the page that was opened first; None without one."""
        return self.viewer.view()

    # --- keys and mouse ---------------------------------------------------------------------------

    def subscribe_key(self, key: str, action: str) -> None:
        """Have ``poll_events`` tell of a key.

        Args:
            key: Its name in the browser: "a", "5", " ", "ArrowUp", "Escape", "Shift", "F1", ...;
                upper and lower case are one key.
            action: The name events get.
        """
        self._actions.subscribe_key(key, action)

    def subscribe_mouse(self, what: str, action: str) -> None:
        """Have ``poll_events`` tell of a button ("left", "middle", "right"), "move" or "wheel".

        Raises:
            InvalidArgumentError: Something else.
        """
        self._actions.subscribe_mouse(what, action)

    def poll_events(self) -> list[ActionEvent]:
        """What happened since the last call, of what was subscribed to."""
        return self._actions.poll()

    @property
    def mouse_position(self) -> tuple[float, float]:
        """Where the mouse was when events were last polled, as shares of the page from its corner.

        (0, 0) is the upper left corner.
        """
        return self._actions.mouse_position

    def close(self) -> None:
        """End the server; pages that are open stand still."""
        self.viewer.close()
