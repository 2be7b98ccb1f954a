"""What is seen of a fleet."""

from __future__ import annotations

from typing import TYPE_CHECKING

from unibody.cli.films.base import Z_UP
from unibody.viewer.viewer import FOV

if TYPE_CHECKING:
    from collections.abc import Sequence

    from unibody.core.render.camera import Frames
    from unibody.core.render.visual_shapes import Deformed, VisualShape
    from unibody.fleet.simulation.core import MultiRobotSimulationCore
    from unibody.viewer.items import Vec3


def make(core: MultiRobotSimulationCore, _most: int) -> FleetSource:
    """The source for a simulation."""
    return FleetSource(core)


class FleetSource:
    """All objects and the floor."""

    def __init__(self, core: MultiRobotSimulationCore) -> None:
        from unibody.fleet.window.picture import Scenery

        self._scenery = Scenery(core)
        self.up: Vec3 = Z_UP
        self.fov: float = FOV
        self.names: Sequence[str] | None = None
        self.parts: list[VisualShape] = []

    def read(self, stepped: MultiRobotSimulationCore) -> tuple[Frames, Deformed]:
        """Where the objects are."""
        del stepped  # the scenery has it
        frames = self._scenery.frames()
        self.parts = self._scenery.parts
        return frames, {}

    def look(self) -> tuple[Vec3, Vec3] | None:
        """None: there is no camera."""
        return None
