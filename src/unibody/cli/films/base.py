"""What all sources of films have in common, and which one belongs to what was stepped."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Sequence
from typing import Any, Protocol

from unibody.core.render.camera import Frames
from unibody.core.render.visual_shapes import Deformed, VisualShape
from unibody.viewer.items import Vec3

MOST = 64  # environments that are shown
Z_UP: Vec3 = (0.0, 0.0, 1.0)
Y_UP: Vec3 = (0.0, 1.0, 0.0)


class Source(Protocol):
    """What there is to see of one thing that is stepped."""

    parts: list[VisualShape]
    """How things look; a new list where that changed. Valid after `read`."""
    up: Vec3
    """The axis that is up."""
    fov: float
    """Vertical field of view of the camera [rad]. Valid after `look`."""
    names: Sequence[str] | None
    """What each frame is of, where frames come and go; None: they stay. Valid after `read`."""

    def read(self, stepped: Any) -> tuple[Frames, Deformed]:
        """Where the frames are that parts follow, and how parts look that deform."""
        ...

    def look(self) -> tuple[Vec3, Vec3] | None:
        """Where the script put its camera, and what that looks at [m]; None: nowhere."""
        ...


def source_of(stepped: Any, most: int = MOST) -> Source | None:
    """The source for what was stepped; None if nobody can show it.

    Args:
        stepped: What was stepped.
        most: Environments that are shown.
    """
    names = {kind.__name__ for kind in type(stepped).__mro__}
    if "SolverStep" in names:
        name = "newton"
    elif "Simulation" in names:
        name = "isaacgym"
    elif "Batch" in names:
        name = "stage" if _is_of_stage(stepped) else "batch"
    elif "MultiRobotSimulationCore" in names:
        name = "fleet"
    else:
        return None
    found: Source = importlib.import_module(f"{__package__}.{name}").make(stepped, most)
    return found


def _is_of_stage(batch: Any) -> bool:
    """Whether a batch is what simulates the stage of a script for Isaac core."""
    physics: Any = sys.modules.get("unibody.isaac_core.physics")  # loaded if there is a stage
    scene = None if physics is None else physics.current()
    return scene is not None and scene.batch is batch
