"""What is seen of environments that are stepped together."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from unibody.cli.films.base import Z_UP
from unibody.core.assets.description import ShapeKind
from unibody.core.render.camera import Frames
from unibody.core.render.visual_shapes import visuals_of_scene

if TYPE_CHECKING:
    from unibody.core.batch.batch import Batch
    from unibody.core.render.visual_shapes import Deformed, VisualShape
    from unibody.viewer.items import Vec3


def make(_batch: Batch, most: int) -> BatchSource:
    """The source for so many worlds of each group of a batch."""
    return BatchSource(most)


class BatchSource:
    """The first worlds of each group, each at the place of its environment."""

    def __init__(self, most: int) -> None:
        self._most = most
        self.up: Vec3 = Z_UP
        self.parts: list[VisualShape] = []
        self._groups: object = None

    def read(self, stepped: Batch) -> tuple[Frames, Deformed]:
        """Where the bodies are."""
        stepped.kinematics()
        positions, quats = [np.zeros((0, 3))], [np.zeros((0, 4))]
        parts: list[VisualShape] = []
        first = 0
        for group in stepped.groups:
            shapes = list(visuals_of_scene(group.scene))
            for world in range(min(group.worlds.count, self._most)):
                own = _numbers(group.worlds.xpos)[world] + group.exchange.origins[world]
                positions.append(own)
                quats.append(_numbers(group.worlds.xquat)[world])
                parts += [
                    replace(part, frame=first + part.frame) for part in shapes
                    if world == 0 or part.shape.kind != ShapeKind.PLANE
                ]  # fmt: skip
                first += len(own)
        if stepped.groups is not self._groups:
            self._groups, self.parts = stepped.groups, parts
        return Frames(np.concatenate(positions), np.concatenate(quats)), {}

    def look(self) -> tuple[Vec3, Vec3] | None:
        """None: there is no camera."""
        return None


def _numbers(array: Any) -> NDArray[np.float64]:
    return np.asarray(array.numpy() if hasattr(array, "numpy") else array, np.float64)
