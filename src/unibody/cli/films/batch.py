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
from unibody.viewer.viewer import FOV

if TYPE_CHECKING:
    from collections.abc import Sequence

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
        self.fov: float = FOV
        self.names: Sequence[str] | None = None
        self.parts: list[VisualShape] = []
        self._groups: object = None

    def read(self, stepped: Batch) -> tuple[Frames, Deformed]:
        """Where the bodies are."""
        stepped.kinematics()
        if stepped.groups is not self._groups:
            self._groups, self.parts = stepped.groups, self._parts_of(stepped)
        positions, quats = [np.zeros((0, 3))], [np.zeros((0, 4))]
        for group in stepped.groups:
            places, turns = _numbers(group.worlds.xpos), _numbers(group.worlds.xquat)
            for world in range(min(group.worlds.count, self._most)):
                positions.append(places[world] + group.exchange.origins[world])
                quats.append(turns[world])
        return Frames(np.concatenate(positions), np.concatenate(quats)), {}

    def _parts_of(self, batch: Batch) -> list[VisualShape]:
        """What is drawn, on the frames in the order of `read`; one ground for each group."""
        parts: list[VisualShape] = []
        first = 0
        for group in batch.groups:
            shapes = list(visuals_of_scene(group.scene))
            bodies = _numbers(group.worlds.xpos).shape[1]
            for world in range(min(group.worlds.count, self._most)):
                parts += [
                    replace(part, frame=first + part.frame) for part in shapes
                    if world == 0 or part.shape.kind != ShapeKind.PLANE
                ]  # fmt: skip
                first += bodies
        return parts

    def look(self) -> tuple[Vec3, Vec3] | None:
        """None: there is no camera."""
        return None


def _numbers(array: Any) -> NDArray[np.float64]:
    return np.asarray(array.numpy() if hasattr(array, "numpy") else array, np.float64)
