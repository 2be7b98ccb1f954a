"""A model in pictures that are drawn here, without a page."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unibody.core.render.camera import Frames
from unibody.core.render.visual_shapes import Deformed, VisualShape
from unibody.newton.window.page import FOV, ahead_of, deformed_of, looks_of, poses_of, start_of
from unibody.viewer.painter import Painter, Sight
from unibody.viewer.view import View


class Picture:
    """What a page would show of a model, for viewers without one.

    Attributes:
        url: Empty: there is no page.
        closed: Whether it was closed.
        paused: False: there is nobody to say pause.
    """

    url = ""
    paused = False

    def __init__(self) -> None:
        self.closed: bool = False
        self._model: Any = None
        self._parts: list[VisualShape] = []
        self._poses: NDArray[np.float64] = np.zeros((1, 7))
        self._poses[0, 6] = 1.0
        self._deformed: Deformed = {}
        self._look: tuple[Any, float, float, int] | None = None

    def show(self, model: Any, most: int | None, only: Collection[int] | None = None) -> None:
        """Take the shapes of a model, those of the first `most` worlds and of `only` these."""
        self._parts = looks_of(model, most, only)
        if model is not self._model:
            self._poses = np.zeros((model.body_count + 1, 7))
            self._poses[:, 6] = 1.0
        self._model = model

    def update(self, state: Any, offsets: Any) -> None:
        """Say where the bodies are."""
        if self._model is None:
            return
        self._poses = poses_of(self._model, state, offsets)
        self._deformed = deformed_of(self._model, state)

    def take_step(self) -> bool:
        """False: nobody asks for single steps."""
        return False

    def look(self, position: Any, pitch: float, yaw: float, up: int) -> None:
        """Put the camera somewhere; angles in degrees."""
        self._look = (position, pitch, yaw, up)

    def picture(self, width: int, height: int) -> NDArray[np.uint8]:
        """What there is to see: (height, width, 3), red, green and blue."""
        axis = 2 if self._model is None else int(self._model.up_axis)
        position, pitch, yaw, up = self._look or start_of(axis)
        x, y, z = position
        ahead = ahead_of(pitch, yaw, up)
        upwards = (float(up == 0), float(up == 1), float(up == 2))
        target = (x + ahead[0], y + ahead[1], z + ahead[2])
        view = View((x, y, z), target, FOV, width, height, upwards)
        quats_wxyz = self._poses[:, [6, 3, 4, 5]]
        frames = Frames(np.ascontiguousarray(self._poses[:, :3]), quats_wxyz)
        painter = Painter()
        painter.show(self._parts)
        found = painter.picture(Sight(view, frames, deformed=self._deformed))
        return np.ascontiguousarray(found[..., :3])

    def draw(self, seconds: float | None = None) -> None:
        """Nothing: pictures are drawn when they are asked for."""

    def close(self) -> None:
        """End."""
        self.closed = True
