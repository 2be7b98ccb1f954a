"""A picture of a fleet, drawn here: it needs no page."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from unibody.core.assets.description import Pose, Shape, ShapeKind
from unibody.core.render.camera import Frames
from unibody.core.render.visual_shapes import VisualShape
from unibody.fleet.bodies.object_visuals import ObjectVisuals
from unibody.fleet.window.page import MARGIN
from unibody.viewer.framing import camera_for
from unibody.viewer.items import Vec3
from unibody.viewer.painter import Painter, Sight
from unibody.viewer.view import View
from unibody.viewer.viewer import FOV

F64 = NDArray[np.float64]
_TOWARDS = (0.35, -0.8, 0.5)  # where the camera stands, from what it looks at
_GROUND = (0.80, 0.82, 0.84, 1.0)
_SKY = (0.90, 0.93, 0.96)
_THICK = 0.1  # m


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
    core._physics_world.read()
    visuals = ObjectVisuals(core.sim_objects)
    positions, quats = visuals.frames(core._tables)
    parts = [part for _, part in visuals.visuals()]
    places = core._tables.bodies.data["pos"][visuals.rows].reshape(-1, 3)
    if not len(places):
        places = np.zeros((1, 3))
    low, high = places.min(axis=0) - MARGIN, places.max(axis=0) + MARGIN
    position, target = look or camera_for((low, high), FOV, _TOWARDS, width / height)
    if core.params.enable_floor:
        parts.append(_floor(low, high, len(positions)))  # its frame is behind all others
    frames = Frames(
        np.vstack([positions, np.zeros((1, 3))]),
        np.vstack([quats[:, [3, 0, 1, 2]], (1.0, 0.0, 0.0, 0.0)]),
    )
    painter = Painter()
    painter.show(parts)
    view = View(position, target, FOV, width, height)
    return painter.picture(Sight(view, frames, background=_SKY))


def _floor(low: F64, high: F64, frame: int) -> VisualShape:
    """A ground without a pattern, as chequers far away are finer than pixels."""
    wide = 20.0 * float(np.max(high - low))
    middle = 0.5 * (low + high)
    place = Pose((float(middle[0]), float(middle[1]), -0.5 * _THICK))
    shape = Shape(ShapeKind.BOX, (wide, wide, _THICK), place)
    return VisualShape(frame, shape, rgba=_GROUND)
