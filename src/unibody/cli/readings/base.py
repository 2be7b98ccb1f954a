"""What all readings have in common, and which one belongs to what was stepped."""

from __future__ import annotations

import importlib
import re
from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from unibody.core.render.visual_shapes import VisualShape

F64 = NDArray[np.float64]
_READINGS = {
    "Client": "bullet",
    "Batch": "batch",
    "MultiRobotSimulationCore": "fleet",
    "SolverStep": "newton",
}


class Readings(Protocol):
    """Numbers of one thing that is stepped; what there is, is that of the first moment."""

    state: Sequence[str]
    action: Sequence[str]
    parts: Sequence[VisualShape]

    def follow(self, stepped: Any) -> None:
        """Take over what was stepped; its numbers are read now."""
        ...

    def read_state(self) -> F64:
        """The state now; NaN for what is gone."""
        ...

    def read_action(self) -> F64:
        """Targets and efforts that acted in the step that has just ended."""
        ...

    def read_poses(self) -> tuple[F64, F64]:
        """Positions (n, 3) [m] and quaternions wxyz (n, 4) of the frames of the parts."""
        ...


def readings_of(stepped: Any) -> Readings | None:
    """Readings of what was stepped; None if nobody can read it."""
    for kind in type(stepped).__mro__:
        if kind.__name__ in _READINGS and kind.__module__.startswith("unibody."):
            module = importlib.import_module(f"{__package__}.{_READINGS[kind.__name__]}")
            found: Readings = module.make(stepped)
            return found
    return None


def plain(*words: Any) -> str:
    """A name of letters, digits and underscores."""
    return re.sub(r"\W+", "_", "_".join(str(word) for word in words if word != "")).strip("_")
