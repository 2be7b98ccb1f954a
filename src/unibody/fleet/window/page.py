"""What the pages of a running and of a recorded fleet have in common."""

from __future__ import annotations

import math
import re
import time
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from unibody.core.assets.description import Shape, ShapeKind
from unibody.core.render.visual_shapes import VisualShape
from unibody.errors import InvalidArgumentError
from unibody.viewer.closing import Closing
from unibody.viewer.crowd import Crowd
from unibody.viewer.framing import camera_for
from unibody.viewer.viewer import FOV, Viewer

F64 = NDArray[np.float64]
I64 = NDArray[np.int64]
IDLE, MOVING, WAITING, COLLIDING, SELECTED, OWN = range(6)
"""States of robots, as columns of colours; OWN leaves an object its own colour."""
_NAMES = ("idle (grey)", "moving (blue)", "waiting (amber)", "colliding (red)")
_COLORS = np.array(
    [(0.55, 0.58, 0.62), (0.15, 0.45, 0.95), (1.0, 0.65, 0.05), (0.9, 0.1, 0.1), (0.8, 0.2, 0.9)]
)
_SHARE = 0.25  # of the time that drawing may take at most
_FLOOR = VisualShape(0, Shape(ShapeKind.PLANE))
_UNSAFE = re.compile(r"[^\w .,/()+-]")  # the page takes braces and tags for code
MARGIN = 1.0  # m around the robots that the camera sees at the beginning
_TOWARDS = (0.0, -0.8, 0.65)  # where it stands then, from what it looks at
_ASPECT = 1.4  # of windows that see everything at the beginning
_LEAST = 0.01  # of the height of the picture that a robot takes then
_LONGEST = 60  # characters of a name


class FleetPage:
    """A page with robots on it, coloured by their state.

    Args:
        port: First port to try; 0: any.
        rate: Most pictures a second.
        title: Of the page.

    Attributes:
        viewer: The page itself.
        selected: Number of the object that was clicked last; None before.

    Raises:
        InvalidArgumentError: The rate is not positive.
        NotSupportedError: viser is not installed.
    """

    def __init__(self, port: int, rate: float, title: str) -> None:
        if not (0.0 < rate < math.inf):
            raise InvalidArgumentError("rate", rate, "pictures a second, more than 0")
        self.viewer: Viewer = Viewer(port=port, title=title)
        self.viewer.controls.offer(())
        self.viewer.controls.offer_no_recording()
        self.viewer.set_shadows(False)
        self.selected: int | None = None
        self._period = 1.0 / rate
        self._due = -math.inf
        self._closing = Closing()
        self._ended = False
        self._crowd: Crowd | None = None
        self._owners = np.zeros(0, dtype=np.int64)
        self._own = np.zeros((0, 3))

    @property
    def url(self) -> str:
        """Address of the page, with its token."""
        return self.viewer.url

    @property
    def closed(self) -> bool:
        """True once all pages that were open are closed for a while, or after ``close``."""
        return self._ended or self._closing.is_over(closed=self.viewer.closed)

    def close(self) -> None:
        """End the server; pages that are open stand still."""
        self._ended = True
        self.viewer.close()

    def wait_until_open(self) -> None:
        """Wait until somebody opens the page, or it is closed."""
        while not (self.viewer.watched or self._ended):
            time.sleep(self._period)

    def due(self) -> bool:
        """Whether it is time for another picture, and there is somebody to see it."""
        return time.monotonic() >= self._due and self.viewer.watched

    def drawn(self, begin: float) -> None:
        """Say that a picture was made which was begun at a time of the monotonic clock."""
        now = time.monotonic()
        self._due = max(begin + self._period, now + (now - begin) * (1.0 / _SHARE - 1.0))

    def show_floor(self) -> None:
        """Draw a plane at height 0."""
        self.viewer.show([_FLOOR])
        self.viewer.place(np.zeros((1, 3)), np.array([[1.0, 0.0, 0.0, 0.0]]))

    def show(self, parts: Sequence[VisualShape], places: Sequence[int]) -> None:
        """Replace the robots.

        Args:
            parts: Their shapes; ``VisualShape.owner`` begins with the number of the object.
            places: For each part, the row its object has in ``place``.
        """
        if self._crowd is not None:
            self._crowd.remove()
        self._owners = np.array(places, dtype=np.int64)
        self._own = np.array([part.rgba[:3] for part in parts]).reshape(-1, 3)
        self._crowd = self.viewer.add_crowd(parts, self._clicked)

    def _clicked(self, owner: tuple[int, int]) -> None:
        self.selected = owner[0]

    def place(self, positions: F64, quats: F64, ids: I64, states: I64) -> None:
        """Put the robots where their frames are.

        Args:
            positions: Of the frames of the parts, (n, 3) [m].
            quats: Orientations (x, y, z, w), (n, 4).
            ids: Numbers of the objects, (objects,).
            states: Of the objects, IDLE to COLLIDING or OWN, (objects,).
        """
        if self._crowd is None:
            return
        chosen = np.where(ids == (-1 if self.selected is None else self.selected), SELECTED, states)
        mine = chosen[self._owners]
        colors = np.where((mine == OWN)[:, None], self._own, _COLORS[np.minimum(mine, SELECTED)])
        self._crowd.place(positions, quats[:, [3, 0, 1, 2]], colors)

    def look_at(self, positions: F64, size: float = math.inf) -> None:
        """Put the camera where all places are seen, or as far away as robots can be told apart.

        Args:
            positions: The places, (n, 3) [m].
            size: Of a robot [m].
        """
        if not len(positions):
            return
        low, high = positions.min(axis=0) - MARGIN, positions.max(axis=0) + MARGIN
        eye, target = camera_for((low, high), FOV, _TOWARDS, _ASPECT)
        farthest = size / (2.0 * _LEAST * math.tan(0.5 * FOV))
        share = min(1.0, farthest / math.dist(eye, target))
        x, y, z = (t + share * (e - t) for e, t in zip(eye, target, strict=True))
        self.viewer.look((x, y, z), target)

    def say(self, now: float, states: I64, lines: Sequence[tuple[str, str]]) -> None:
        """Show the time [s], how many robots are in which state, and a table of two columns."""
        counts = np.bincount(states[states != OWN], minlength=4).tolist()
        told = ", ".join(f"{count} {name}" for count, name in zip(counts, _NAMES, strict=False))
        text = f"**{now:.2f} s**: {told}"
        if lines:
            rows = "\n".join(f"| {name} | {value} |" for name, value in lines)
            text += f"\n\n| robot | |\n|---|---|\n{rows}"
        else:
            text += "\n\nClick a robot."
        self.viewer.controls.say(text)


def plain(text: object) -> str:
    """A text as it can stand on a page that gives signs a meaning."""
    return _UNSAFE.sub("-", str(text)[:_LONGEST])


def triple(values: Sequence[float]) -> str:
    """Three numbers with two places each."""
    return "(" + ", ".join(f"{value:.2f}" for value in values) + ")"
