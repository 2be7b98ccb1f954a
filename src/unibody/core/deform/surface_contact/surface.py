"""Surfaces that may touch, and what of them is near at a time."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from unibody.core.deform.surface_contact.neighbors import Neighbors
from unibody.core.deform.surface_contact.search import Apart, by_particle, planes_between
from unibody.errors import InvalidArgumentError

IntArray = npt.NDArray[np.int64]
FloatArray = npt.NDArray[np.float32]


class Near(NamedTuple):
    """Pairs that are near one another.

    Attributes:
        pairs: A vertex and the corners of a triangle, or the ends of two edges, (n, 4).
        triangles: How many of them have a triangle; these come first.
        first: The first entry of each particle in `sides`, and the number of all, (p + 1,).
        sides: Four times the pair, plus the place in it, (4 n,).
        planes: Half-way between their closest points; see `search.planes_between`, (n, 4).
    """

    pairs: IntArray
    triangles: int
    first: IntArray
    sides: IntArray
    planes: FloatArray


class Surface:
    """Triangles whose vertices and edges may touch.

    Args:
        count: Of all particles.
        triangles: Their corners, (n, 3).
        rings: Pairs less than so many edges apart along the surface do not count; 1 or more.
        bodies: Which body each particle belongs to, (p,); None: all to one.
        alone: Whether this body does not touch itself, for each particle, (p,); None: all do.
        rest: Places at rest, (p, 3) [m].
        exclusion: Pairs of one body that are nearer than that at rest do not count [m].

    Raises:
        InvalidArgumentError: If a number is not allowed.
    """

    def __init__(
        self,
        count: int,
        triangles: Any,
        *,
        rings: int = 2,
        bodies: Any = None,
        alone: Any = None,
        rest: Any = None,
        exclusion: float = 0.0,
    ) -> None:
        if rings < 1:
            raise InvalidArgumentError("rings", rings, "1 or more")
        if not exclusion >= 0.0:
            raise InvalidArgumentError("exclusion", exclusion, "0 or more")
        if exclusion > 0.0 and rest is None:
            raise InvalidArgumentError("rest", rest, "places at rest, for an exclusion above 0")
        self._count = count
        corners: IntArray = np.array(triangles, dtype=np.int64).reshape(-1, 3)
        sides = np.sort(corners[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2), axis=1)
        edges: IntArray = np.unique(sides, axis=0)
        self._vertices: IntArray = np.unique(corners)
        apart = Apart(
            *_within(count, edges, rings - 1),
            np.zeros(count, dtype=np.int64) if bodies is None else np.array(bodies, dtype=np.int64),
            np.zeros(count, dtype=np.bool_) if alone is None else np.array(alone, dtype=np.bool_),
            np.zeros(0, dtype=np.float32)
            if rest is None
            else np.array(rest, dtype=np.float32).reshape(-1),
            float(exclusion),
        )
        self._neighbors = Neighbors(self._vertices, corners, edges, apart)

    @property
    def vertices(self) -> IntArray:
        """Particles that belong to a triangle."""
        return self._vertices

    def listed(self, x: FloatArray, margin: float) -> tuple[IntArray, IntArray]:
        """Pairs that may be within a margin; see `Neighbors.listed`."""
        return self._neighbors.listed(x, margin)

    def search(self, x: FloatArray, margin: float) -> Near:
        """Find what is near.

        Args:
            x: Places of all particles, flat [m].
            margin: How near pairs have to be to be found [m].

        Raises:
            InvalidArgumentError: If the margin is not positive.
        """
        if not margin > 0.0:
            raise InvalidArgumentError("margin", margin, "a positive number")
        faces, crossings = self._neighbors.within(x, margin)
        pairs = np.concatenate([faces, crossings])
        first, order = by_particle(pairs.reshape(-1), self._count)
        return Near(pairs, len(faces), first, order, planes_between(x, pairs, len(faces)))


def _within(count: int, edges: IntArray, steps: int) -> tuple[IntArray, IntArray]:
    """Vertices at most so many edges from each, itself among them: where its begin, and all."""
    own = np.arange(count, dtype=np.int64)
    reached = np.stack([own, own], axis=1)
    both = np.concatenate([edges, edges[:, ::-1]])
    both = both[np.argsort(both[:, 0], kind="stable")]
    first = np.searchsorted(both[:, 0], np.arange(count + 1))
    ahead = both
    for _ in range(steps):
        reached = np.unique(np.concatenate([reached, ahead]), axis=0)
        fan = first[ahead[:, 1] + 1] - first[ahead[:, 1]]
        begin = np.repeat(first[ahead[:, 1]], fan)
        turn = np.arange(len(begin)) - np.repeat(np.cumsum(fan) - fan, fan)
        ahead = np.stack([np.repeat(ahead[:, 0], fan), both[begin + turn, 1]], axis=1)
    starts: IntArray = np.searchsorted(reached[:, 0], np.arange(count + 1)).astype(np.int64)
    return starts, np.ascontiguousarray(reached[:, 1])
