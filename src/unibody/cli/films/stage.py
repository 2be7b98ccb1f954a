"""What is seen of a stage of Isaac core's."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from unibody.cli.films.base import Y_UP, Z_UP
from unibody.viewer.viewer import FOV

if TYPE_CHECKING:
    from unibody.core.render.camera import Frames
    from unibody.core.render.visual_shapes import Deformed, VisualShape
    from unibody.viewer.items import Vec3


def make(_batch: Any, _most: int) -> StageSource:
    """The source for the stage in use."""
    return StageSource()


class StageSource:
    """The prims that are seen, simulated or not."""

    def __init__(self) -> None:
        from unibody.isaac_core.window import sight

        self.up: Vec3 = Y_UP if sight.is_y_up() else Z_UP
        self.fov: float = FOV
        self.parts: list[VisualShape] = []

    def read(self, stepped: Any) -> tuple[Frames, Deformed]:
        """Where the prims are; cloth is a mesh that looks otherwise in each frame."""
        from unibody.isaac_core.window import sight

        del stepped  # the stage has it all
        self.parts, frames = sight.seen()
        return frames, {}

    def look(self) -> tuple[Vec3, Vec3] | None:
        """Where the camera of the script's viewport stands, and what is 1 m ahead of it."""
        from unibody.isaac_core.window import sight

        found = sight.look()
        if found is None:
            return None
        self.fov = found.fov
        return found.eye, found.target
