"""What is seen of the environments of a simulation of Isaac Gym's."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from unibody.cli.films.base import Y_UP, Z_UP
from unibody.isaacgym.gym.cameras import studio_of
from unibody.isaacgym.types.enums import UpAxis
from unibody.viewer.viewer import FOV

if TYPE_CHECKING:
    from collections.abc import Sequence

    from unibody.core.render.camera import Frames
    from unibody.core.render.visual_shapes import Deformed, VisualShape
    from unibody.isaacgym.batch.simulation import Simulation
    from unibody.viewer.items import Vec3


def make(sim: Simulation, most: int) -> GymSource:
    """The source for so many environments of a simulation."""
    return GymSource(sim, most)


class GymSource:
    """The first environments, side by side as they were made."""

    def __init__(self, sim: Simulation, most: int) -> None:
        self._sim, self._most = sim, most
        self.up: Vec3 = Y_UP if sim.params.up_axis == UpAxis.UP_AXIS_Y else Z_UP
        self.fov: float = FOV
        self.names: Sequence[str] | None = None
        self.parts: list[VisualShape] = []
        self._state: Any = None

    def read(self, stepped: Simulation) -> tuple[Frames, Deformed]:
        """Where the bodies are; the parts are made anew where a script gave other looks."""
        from unibody.isaacgym.window.page import deformed_of, parts_of

        self._sim = stepped
        studio, envs = studio_of(stepped), stepped.envs[: self._most]
        state = studio.shown(envs, False)
        if state != self._state:
            self._state = state
            parts: list[VisualShape] = []
            first = 0
            for env in envs:
                found = parts_of(env, studio, False, ground=env is envs[0])
                parts += [replace(part, frame=first + max(part.frame, 0)) for part in found]
                first += studio.frame_count(env)
            self.parts = parts
        return studio.frames_of(envs), deformed_of(envs)

    def look(self) -> tuple[Vec3, Vec3] | None:
        """Where the camera of the script's viewer stands."""
        viewer = self._sim.viewer
        if viewer is None:
            return None
        return _point(viewer.camera.placed.position), _point(viewer.target)


def _point(values: Any) -> Vec3:
    x, y, z = (float(value) for value in values)
    return x, y, z
