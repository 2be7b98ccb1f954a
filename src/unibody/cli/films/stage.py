"""What is seen of a stage of Isaac core's."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from unibody.cli.films.base import Y_UP, Z_UP
from unibody.core.render.camera import Frames
from unibody.viewer.viewer import FOV

if TYPE_CHECKING:
    from unibody.core.render.visual_shapes import Deformed, VisualShape
    from unibody.viewer.items import Vec3


def make(_batch: Any, most: int) -> StageSource:
    """The source for the stage in use, with so many of its environments."""
    return StageSource(most)


class StageSource:
    """The prims that are seen, simulated or not: of the first environments, and of none."""

    def __init__(self, most: int) -> None:
        from unibody.isaac_core.window import sight

        self.up: Vec3 = Y_UP if sight.is_y_up() else Z_UP
        self.fov: float = FOV
        self.names: list[str] = []
        self._most = most
        self._all: list[VisualShape] | None = None
        self._rows = np.zeros(0, np.int64)
        self.parts: list[VisualShape] = []

    def read(self, stepped: Any) -> tuple[Frames, Deformed]:
        """Where the prims are; cloth is a mesh that looks otherwise in each frame."""
        from unibody.isaac_core.window import sight

        del stepped  # the stage has it all
        seen = sight.seen()
        if seen.parts is not self._all:
            self._all = seen.parts
            self._choose(seen.parts, seen.paths)
        rows = self._rows
        return Frames(seen.frames.positions[rows], seen.frames.quats[rows]), {}

    def _choose(self, parts: list[VisualShape], paths: list[str]) -> None:
        """Leave out what is in later environments."""
        from unibody.isaac_core.window import sight

        hidden = set(sight.environments()[self._most :])
        kept = [row for row, path in enumerate(paths) if not hidden or not _is_in(path, hidden)]
        place = {row: number for number, row in enumerate(kept)}
        self.parts = [
            replace(part, frame=place[part.frame]) for part in parts if part.frame in place
        ]
        self.names = [paths[row] for row in kept]
        self._rows = np.array(kept, np.int64)

    def look(self) -> tuple[Vec3, Vec3] | None:
        """Where the camera of the script's viewport stands, and what is 1 m ahead of it."""
        from unibody.isaac_core.window import sight

        found = sight.look()
        if found is None:
            return None
        self.fov = found.fov
        return found.eye, found.target


def _is_in(path: str, roots: set[str]) -> bool:
    names = path.split("/")
    return any("/".join(names[:end]) in roots for end in range(2, len(names) + 1))
