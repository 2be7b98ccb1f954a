"""What is seen of a step of one of Newton's solvers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from unibody.cli.films.base import Y_UP, Z_UP
from unibody.core.render.camera import Frames
from unibody.viewer.viewer import FOV

if TYPE_CHECKING:
    from collections.abc import Sequence

    from unibody.core.render.visual_shapes import Deformed, VisualShape
    from unibody.newton.solvers.base import SolverStep
    from unibody.viewer.items import Vec3


def make(step: SolverStep, _most: int) -> NewtonSource:
    """The source for a step."""
    return NewtonSource(step)


class NewtonSource:
    """The shapes of a model, and the surfaces of what is made of particles."""

    def __init__(self, step: SolverStep) -> None:
        self._model: Any = None  # whose parts these are
        self.up: Vec3 = Y_UP if int(step.model.up_axis) == 1 else Z_UP
        self.fov: float = FOV
        self.names: Sequence[str] | None = None
        self.parts: list[VisualShape] = []

    def read(self, stepped: SolverStep) -> tuple[Frames, Deformed]:
        """Where bodies and particles are."""
        from unibody.newton.window.page import deformed_of, looks_of, poses_of

        if stepped.model is not self._model:
            self._model = stepped.model
            self.parts = looks_of(stepped.model, None)
        poses = poses_of(stepped.model, stepped.state)
        frames = Frames(poses[:, :3].copy(), poses[:, [6, 3, 4, 5]])
        return frames, deformed_of(stepped.model, stepped.state)

    def look(self) -> tuple[Vec3, Vec3] | None:
        """None: cameras belong to viewers, which the script has or has not."""
        return None
