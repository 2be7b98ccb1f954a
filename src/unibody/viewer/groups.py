"""Worlds on a display: shapes on frames, each world at its place."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from unibody.core.render.visual_shapes import VisualShape
from unibody.errors import InvalidArgumentError

F64 = NDArray[np.float64]
Rgba = tuple[float, float, float, float]


@dataclasses.dataclass(eq=False)
class Group:
    """Equal worlds on a display.

    Attributes:
        parts: Of one world.
        frames: How many frames one world has.
        offsets: Where the origin of each world is on the display, (worlds, 3) [m].
        first: Row of its first frame on the display.
        colors: Other colours than those of the parts, by (world, part).
    """

    parts: list[VisualShape]
    frames: int
    offsets: F64
    first: int = 0
    colors: dict[tuple[int, int], Rgba] = dataclasses.field(
        default_factory=dict[tuple[int, int], Rgba]
    )


class Groups:
    """All groups of a display, and where their frames are.

    Attributes:
        positions: Of the frames of all groups, on the display (n, 3) [m].
        quats: Their orientations wxyz, (n, 4).
        changed: Whether ``parts`` gives others than the last time.
    """

    def __init__(self) -> None:
        self._groups: list[Group] = []
        self.positions, self.quats = np.zeros((0, 3)), np.zeros((0, 4))
        self.changed = False

    def add(self, parts: Iterable[VisualShape], frames: int, offsets: ArrayLike) -> Group:
        """See ``Display.add_parts``."""
        found = list(parts)
        last = max((part.frame for part in found), default=-1)
        if last >= frames or min((part.frame for part in found), default=0) < 0:
            raise InvalidArgumentError("frames", frames, f"more than the last part's frame {last}")
        places = np.array(offsets, dtype=np.float64)
        if places.ndim != 2 or places.shape[1] != 3:
            raise InvalidArgumentError("offsets", places.shape, "an array (worlds, 3)")
        group = Group(found, frames, places, len(self.positions))
        self._groups.append(group)
        count = frames * len(places)
        self.positions = np.concatenate([self.positions, np.repeat(places, frames, axis=0)])
        self.quats = np.concatenate([self.quats, np.tile((1.0, 0.0, 0.0, 0.0), (count, 1))])
        self.changed = True
        return group

    def remove(self, group: Group) -> None:
        """Take a group off."""
        count = group.frames * len(group.offsets)
        rows = slice(group.first, group.first + count)
        self._groups.remove(group)
        self.positions: NDArray[np.float64] = np.delete(self.positions, rows, axis=0)
        self.quats: NDArray[np.float64] = np.delete(self.quats, rows, axis=0)
        for other in self._groups:
            other.first -= count if other.first > group.first else 0
        self.changed = True

    def update(self, group: Group, positions: ArrayLike, quats: ArrayLike) -> None:
        """See ``Display.update``."""
        shape = (len(group.offsets), group.frames)
        rows = slice(group.first, group.first + shape[0] * shape[1])
        new = [np.asarray(values, dtype=np.float64) for values in (positions, quats)]
        for name, values, size in (("positions", new[0], 3), ("quats", new[1], 4)):
            if values.size != shape[0] * shape[1] * size or values.shape[-1] != size:
                raise InvalidArgumentError(name, values.shape, f"an array {(*shape, size)}")
        places = new[0].reshape(*shape, 3) + group.offsets[:, None, :]
        self.positions[rows] = places.reshape(-1, 3)
        self.quats[rows] = new[1].reshape(-1, 4)

    def parts(self) -> list[VisualShape]:
        """The parts of all groups, on the rows of ``positions``."""
        self.changed: bool = False
        return [
            dataclasses.replace(
                part,
                frame=group.first + world * group.frames + part.frame,
                rgba=group.colors.get((world, number), part.rgba),
            )
            for group in self._groups
            for world in range(len(group.offsets))
            for number, part in enumerate(group.parts)
        ]


def grid_offsets(count: int, spacing: float, columns: int = 0) -> F64:
    """Places of worlds side by side, around the origin.

    Args:
        count: How many.
        spacing: From one to the next [m].
        columns: In a row along x; 0: as square as can be.

    Returns:
        (count, 3) [m].
    """
    across = columns or max(1, int(np.ceil(np.sqrt(count))))
    number = np.arange(count)
    places = np.column_stack([number % across, number // across, np.zeros(count)]).astype(float)
    if count:
        places -= 0.5 * (places.max(axis=0) + places.min(axis=0))
    return spacing * places
