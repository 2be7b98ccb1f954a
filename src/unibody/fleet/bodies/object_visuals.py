"""What objects look like, and where their links are."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unibody.core.render.visual_shapes import Rgba, VisualShape, shapes_of_link
from unibody.fleet.bodies import bounding_boxes
from unibody.fleet.bodies.tables import Tables

F64 = NDArray[np.float64]
_PLAIN: Rgba = (0.7, 0.7, 0.72, 1.0)


class ObjectVisuals:
    """The links of objects, numbered one object after the other.

    Args:
        objects: The objects.

    Attributes:
        rows: Row of each object in the tables, (n,).
        count: How many links they have.
    """

    def __init__(self, objects: Sequence[Any]) -> None:
        self._objects = list(objects)
        self.rows: NDArray[np.int64] = np.array([obj._row for obj in objects], dtype=np.int64)
        self._links = np.array([len(obj._template.asset.links) for obj in objects], dtype=np.int64)
        self.count: int = int(self._links.sum())
        self._firsts = np.cumsum(self._links) - self._links

    def visuals(self) -> Iterator[tuple[int, VisualShape]]:
        """The place of an object and a shape of it, for all shapes of all objects.

        The frame of a shape is the number of its link; its owner is (object id, link index), the
        base being link 0.
        """
        for place, obj in enumerate(self._objects):
            for number, link in enumerate(obj._template.asset.links):
                for shape in shapes_of_link(link):
                    frame, owner = int(self._firsts[place]) + number, (obj.object_id, number)
                    yield place, VisualShape(frame, shape, shape.rgba or _PLAIN, owner=owner)

    def frames(self, tables: Tables) -> tuple[F64, F64]:
        """Frames of all links: positions (n, 3) [m], orientations (x, y, z, w), (n, 4)."""
        bodies = tables.bodies.data
        com = bodies["com"][self.rows]
        frames = np.zeros((self.count, 7))
        quats = _product(bodies["quat"][self.rows], com[:, 3:] * (-1.0, -1.0, -1.0, 1.0))
        frames[self._firsts, :3] = bodies["pos"][self.rows] - _turned(quats, com[:, :3])
        frames[self._firsts, 3:] = quats
        for place in np.flatnonzero(self._links > 1).tolist():
            first, links = int(self._firsts[place]), int(self._links[place])
            frames[first : first + links] = bounding_boxes.link_frames(
                tables, int(self.rows[place]), links
            )
        return frames[:, :3], frames[:, 3:]


def _product(a: F64, b: F64) -> F64:
    """Products of quaternions (x, y, z, w), (n, 4)."""
    vector = a[:, 3:] * b[:, :3] + b[:, 3:] * a[:, :3] + np.cross(a[:, :3], b[:, :3])
    return np.column_stack([vector, a[:, 3] * b[:, 3] - np.sum(a[:, :3] * b[:, :3], axis=1)])


def _turned(quats: F64, vectors: F64) -> F64:
    """Vectors (n, 3) turned by quaternions (x, y, z, w), (n, 4)."""
    t = 2.0 * np.cross(quats[:, :3], vectors)
    return vectors + quats[:, 3:] * t + np.cross(quats[:, :3], t)
