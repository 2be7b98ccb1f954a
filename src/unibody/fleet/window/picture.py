"""A fleet as pictures show it, and a picture of it: it needs no page."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unibody.core.assets.description import Pose, Shape, ShapeKind
from unibody.core.render.camera import Frames
from unibody.core.render.visual_shapes import Rgba, VisualShape
from unibody.fleet.bodies.object_visuals import ObjectVisuals
from unibody.fleet.window.page import MARGIN
from unibody.viewer.framing import box_of, camera_for
from unibody.viewer.items import Vec3
from unibody.viewer.painter import Painter, Sight
from unibody.viewer.view import View
from unibody.viewer.viewer import FOV

F64 = NDArray[np.float64]
_TOWARDS = (0.35, -0.8, 0.5)  # where the camera stands, from what it looks at
_GROUND = (0.80, 0.82, 0.84, 1.0)
SKY = (0.90, 0.93, 0.96)
_THICK = 0.1  # m
_MOST = 2000  # shapes that the camera is placed by; of more, those that are furthest out
_OUTERMOST = 200  # on each side


class Scenery:
    """All objects of a simulation in their colours, with the floor if there is one.

    Args:
        core: The simulation.

    Attributes:
        parts: What there is to see; a new list where that changed.
    """

    def __init__(self, core: Any) -> None:
        self._core = core
        self._objects: list[Any] | None = None
        self._colors: dict[int, Rgba] = {}
        self._visuals = ObjectVisuals(())
        self.parts: list[VisualShape] = []

    def frames(self) -> Frames:
        """Where everything is now; notices who came, went or has another colour."""
        core = self._core
        core._physics_world.read()
        colors = core._physics_world.colors
        if self._objects != core.sim_objects or self._colors != colors:
            self._objects, self._colors = list(core.sim_objects), dict(colors)
            self._visuals = ObjectVisuals(self._objects)
            self.parts: list[VisualShape] = list(self._colored())
        positions, quats = self._visuals.frames(core._tables)
        return Frames(
            np.vstack([positions, np.zeros((1, 3))]),
            np.vstack([quats[:, [3, 0, 1, 2]], (1.0, 0.0, 0.0, 0.0)]),
        )

    def _colored(self) -> Iterator[VisualShape]:
        """The shapes, those of bodies that were given a colour in that, and the floor."""
        objects = self._objects or []
        for place, visual in self._visuals.visuals():
            color = self._colors.get(objects[place].body_id)
            yield visual if color is None else dataclasses.replace(visual, rgba=color)
        if self._core.params.enable_floor:  # its frame is behind all others
            yield _floor(*self.room(), self._visuals.count)

    def room(self) -> tuple[F64, F64]:
        """The least and greatest corner of the room that the objects take [m]."""
        places = self._core._tables.bodies.data["pos"][self._visuals.rows].reshape(-1, 3)
        if not len(places):
            places = np.zeros((1, 3))
        return places.min(axis=0) - MARGIN, places.max(axis=0) + MARGIN

    def look(self, aspect: float, around: float = 0.0) -> tuple[Vec3, Vec3]:
        """Where a camera stands that sees all objects as a whole, and what it looks at [m].

        Args:
            aspect: Width of the picture by its height.
            around: Room on each side along the floor, as a share of the longer one.
        """
        seen = self.frames()
        ground = self._visuals.count  # whose frame is that of no object
        parts = [part for part in self.parts if part.frame != ground]
        if len(parts) > _MOST:
            kept = _outermost(seen.positions[[part.frame for part in parts]])
            parts = [parts[row] for row in kept]
        low, high = box_of(parts, seen.positions, seen.quats) or self.room()
        margin = around * float((high - low)[:2].max()) * np.array((1.0, 1.0, 0.0))
        return camera_for((low - margin, high + margin), FOV, _TOWARDS, aspect)


def picture_of(
    core: Any, width: int = 1280, height: int = 720, look: tuple[Vec3, Vec3] | None = None
) -> NDArray[np.uint8]:
    """What there is to see, with everything in its own colours.

    Args:
        core: The simulation.
        width: [pixels].
        height: [pixels].
        look: Where the camera stands, and what it looks at [m]; None: where it sees everything.

    Returns:
        Red, green, blue and 255, (height, width, 4).
    """
    scenery = Scenery(core)
    position, target = look or scenery.look(width / height)
    frames = scenery.frames()
    painter = Painter()
    painter.show(scenery.parts)
    view = View(position, target, FOV, width, height)
    return painter.picture(Sight(view, frames, background=SKY))


def _outermost(positions: F64) -> list[int]:
    """Rows of the positions that are furthest out along the axes."""
    rows: set[int] = set()
    for order in np.argsort(positions, axis=0).T:
        rows.update(order[:_OUTERMOST].tolist(), order[-_OUTERMOST:].tolist())
    return sorted(rows)


def _floor(low: F64, high: F64, frame: int) -> VisualShape:
    """A ground without a pattern, as chequers far away are finer than pixels."""
    wide = 20.0 * float(np.max(high - low))
    middle = 0.5 * (low + high)
    place = Pose((float(middle[0]), float(middle[1]), -0.5 * _THICK))
    shape = Shape(ShapeKind.BOX, (wide, wide, _THICK), place)
    return VisualShape(frame, shape, rgba=_GROUND)
