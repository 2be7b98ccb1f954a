"""Lists of pairs that may be near, kept while no particle has gone far (Verlet 1967)."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from unibody.core.deform.surface_contact.search import (
    Apart,
    edges_and_edges,
    nearer,
    spread,
    vertices_and_triangles,
)
from unibody.errors import EngineError

IntArray = npt.NDArray[np.int64]
FloatArray = npt.NDArray[np.float32]

_LEAST_ROOM = 1024
_ROUNDING = 64.0 * float(np.finfo(np.float32).eps)  # of places, in boxes and distances
_SKINS = (1.0, 0.25, 0.0)  # shares; the next one where there are more pairs than _MOST
_SOON = 3.0  # uses: lists that hold for less are made without a skin
_WIDE = 0.3  # of a mean edge, that skins are shares of where the margin is less
_MOST = 1 << 22  # pairs of a list, 32 bytes each


class _Lists(NamedTuple):
    """What a search found.

    Attributes:
        start: Places at the time, flat [m].
        reach: How near in boxes the listed pairs were [m].
        faces: Vertices and triangles, (n, 4).
        crossings: Edges and edges, (m, 4).
    """

    start: FloatArray
    reach: float
    faces: IntArray
    crossings: IntArray


class Neighbors:
    """Pairs within a margin, chosen from lists of pairs that are as near as it and a skin.

    Between two things of a pair the gap along an axis shrinks by no more than the ways of two
    particles differ along it. While that is less than the skin, the lists have every pair that is
    near. What is chosen depends on the places alone, not on when the lists were made, so that lists
    that would be too long are made with a smaller skin, and more often; and those that hardly hold
    from one use to the next without any.

    Args:
        vertices: Those to look at, (v,).
        triangles: Their corners, (t, 3).
        edges: Their ends, (e, 2).
        apart: What does not count.
    """

    def __init__(
        self, vertices: IntArray, triangles: IntArray, edges: IntArray, apart: Apart
    ) -> None:
        self._vertices = vertices
        self._triangles = triangles
        self._edges = edges
        self._apart = apart
        self._room = [_LEAST_ROOM, _LEAST_ROOM]
        self._lists: _Lists | None = None
        self._uses = 0  # of the present lists
        self._faster = 0.0  # m: how much more differently particles moved, of late, in each of them

    def within(self, x: FloatArray, margin: float) -> tuple[IntArray, IntArray]:
        """Vertices and triangles, and edges and edges, within a margin of one another.

        Args:
            x: Places of all particles, flat [m].
            margin: m.

        Raises:
            EngineError: There are more pairs than there is room for.
        """
        faces, crossings = self.listed(x, margin)
        return (
            _chosen(x, faces, False, np.float32(margin)),
            _chosen(x, crossings, True, np.float32(margin)),
        )

    def listed(self, x: FloatArray, margin: float) -> tuple[IntArray, IntArray]:
        """Pairs of both kinds, all that are within a margin and some that are not.

        Which of the latter there are depends on when the lists were made; see `within`.
        """
        lists, moved = self._lists, 0.0
        self._uses += 1
        if lists is not None:
            moved, longest = spread(x, lists.start, self._vertices)
            if (1.0 + _ROUNDING) * (margin + moved) + _ROUNDING * longest <= lists.reach:
                return lists.faces, lists.crossings
        self._faster, self._uses = float(moved) / self._uses, 0
        lists = self._lists = self._search(x, margin)
        return lists.faces, lists.crossings

    def _search(self, x: FloatArray, margin: float) -> _Lists:
        """List the pairs that are near, and those that may soon be."""
        places = x.reshape(-1, 3)
        ends = places[self._edges]
        edge = float(np.linalg.norm(ends[:, 1] - ends[:, 0], axis=1).mean()) if len(ends) else 0.0
        wide = max(margin, _WIDE * edge)
        for skin in _SKINS if _SOON * self._faster <= wide else _SKINS[-1:]:
            reach = (1.0 + _ROUNDING) * (margin + skin * wide)
            around = np.float32(reach)
            faces = self._found(0, x, _boxes(places[self._triangles], around))
            if faces is not None:
                crossings = self._found(1, x, _boxes(ends, around / 2))
                if crossings is not None:
                    return _Lists(x.copy(), reach, faces, crossings)
        raise EngineError(
            f"more than {_MOST} pairs of a surface lie within {margin:g} m of one another: it is "
            "folded into itself; a smaller collision margin, or no self-collision, needs less room"
        )

    def _found(self, kind: int, x: FloatArray, boxes: Any) -> IntArray | None:
        """Pairs of a kind, with as much room as they need; None: there are more than `_MOST`."""
        while True:
            pairs = np.empty((self._room[kind], 4), dtype=np.int64)
            if kind == 0:
                count = vertices_and_triangles(
                    x, self._vertices, self._triangles, *boxes, self._apart, pairs
                )
            else:
                count = edges_and_edges(x, self._edges, *boxes, self._apart, pairs)
            if count <= len(pairs):
                return pairs[:count].copy()
            if count > _MOST:
                return None
            self._room[kind] = min(2 * count, _MOST)


def _chosen(x: FloatArray, pairs: IntArray, edges: bool, margin: Any) -> IntArray:
    """Those within a margin."""
    found = np.empty_like(pairs)
    return found[: nearer(x, pairs, edges, margin, found)]


def _boxes(points: FloatArray, around: Any) -> tuple[Any, Any, float, int]:
    """Boxes around points of things, a size of cells that suits them, and a mask of lists."""
    slack = around + np.float32(2.0 * _ROUNDING) * np.abs(points).max(axis=(1, 2))[:, None]
    low, high = points.min(axis=1) - slack, points.max(axis=1) + slack
    size = max(float((high - low).max(axis=1).mean()), 1e-9) if len(low) else 1.0
    return low, high, size, (1 << max(len(low), 1).bit_length()) - 1
