"""What a data set has for each moment of a run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from unibody.core.render.visual_shapes import VisualShape

Floats = NDArray[np.float32]
Image = NDArray[np.uint8]


@dataclass(frozen=True, slots=True)
class Layout:
    """What all frames of a data set have in common.

    Attributes:
        state: Names of the numbers of a state.
        action: Names of the numbers of an action.
        fps: Frames a second of simulated time.
        cameras: Height and width of the pictures of each camera [pixels], even numbers.
        parts: How things look; their frames are rows of the poses.
        poses: Number of those rows.
    """

    state: Sequence[str]
    action: Sequence[str]
    fps: int
    cameras: dict[str, tuple[int, int]] = field(default_factory=dict[str, tuple[int, int]])
    parts: Sequence[VisualShape] = ()
    poses: int = 0


@dataclass(frozen=True, slots=True)
class Frame:
    """One moment.

    Attributes:
        state: Of the layout's numbers.
        action: That which acted from this moment on.
        poses: Position [m] and quaternion wxyz of each frame of the parts, (n, 7).
        pictures: Of each camera, (height, width, 3).
        reward: Of the step from this moment on; None: nobody gave one.
        done: The episode ends with that step; None: nobody said.
    """

    state: Floats
    action: Floats
    poses: Floats
    pictures: dict[str, Image] = field(default_factory=dict[str, Image])
    reward: float | None = None
    done: bool | None = None


class Writer(Protocol):
    """What frames are written with."""

    def add(self, frame: Frame, count: int = 1) -> None:
        """Write a frame that lasts so many."""
        ...

    def end_episode(self) -> None:
        """Complete an episode; nothing happens if it has no frame."""
        ...

    def close(self) -> None:
        """Complete the data set."""
        ...
