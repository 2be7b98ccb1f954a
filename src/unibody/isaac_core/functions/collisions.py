"""Rays against shapes."""

from __future__ import annotations

import numpy as np

from unibody.errors import NotSupportedError


def ray_cast(
    position: np.ndarray, orientation: np.ndarray, offset: np.ndarray, max_dist: float = 100.0
) -> tuple[str | None, float]:
    """The first shape along the x axis of a pose.

    Raises:
        NotSupportedError: Always: the stage is not simulated yet.
    """
    raise NotSupportedError("ray_cast", "bounds.compute_aabb tells where prims are")
