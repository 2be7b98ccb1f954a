"""What can be seen: shapes on frames."""

from __future__ import annotations

import functools
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from unibody.core.assets.description import Pose, Shape

Array = NDArray[np.float64]
_TILE = 32  # pixels of a square of the pattern


@dataclass(frozen=True, slots=True)
class Part:
    """One shape on one moving frame.

    Attributes:
        frame: Row of the poses it follows.
        shape: Geometry, and its pose in the frame.
        rgba: Colour and opacity, 0 to 1.
        texture: Image file, or "".
        owner: What a click on it means to the surface, such as (body id, link index).
        wireframe: Only its edges are drawn.
    """

    frame: int
    shape: Shape
    rgba: tuple[float, float, float, float] = (1.0, 1.0, 1.0, 1.0)
    texture: str = ""
    owner: tuple[int, int] = (-1, -1)
    wireframe: bool = False


def offsets(poses: list[Pose]) -> tuple[Array, Array]:
    """Positions (n, 3) and quaternions wxyz (n, 4) of poses."""
    positions = np.array([pose.pos for pose in poses]).reshape(-1, 3)
    return positions, np.array([pose.quat for pose in poses]).reshape(-1, 4)


@functools.cache
def chequers() -> NDArray[np.uint8]:
    """What an infinite plane without a texture looks like, (64, 64, 3): squares of half a metre."""
    image = np.full((2 * _TILE, 2 * _TILE, 3), (235, 238, 242), dtype=np.uint8)
    image[:_TILE, :_TILE] = image[_TILE:, _TILE:] = (176, 196, 222)
    return image
