# pyright: reportInvalidTypeForm=false
"""Which edges, triangles, springs and tetrahedra of deformable bodies meet where."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import warp as wp

from unibody.newton.exceptions import NewtonWarning, warn

if TYPE_CHECKING:
    from numpy.typing import NDArray

_KINDS = ("tris", "edges", "springs", "tets")


@wp.struct
class MeshAdjacencyData:
    """The tables of a `MeshAdjacency` on a device."""

    edge_tri_indices: wp.array2d(dtype=wp.int32)
    tri_edge_indices: wp.array2d(dtype=wp.int32)
    v_adj_tris: wp.array(dtype=wp.int32)
    v_adj_tris_offsets: wp.array(dtype=wp.int32)
    v_adj_edges: wp.array(dtype=wp.int32)
    v_adj_edges_offsets: wp.array(dtype=wp.int32)
    v_adj_springs: wp.array(dtype=wp.int32)
    v_adj_springs_offsets: wp.array(dtype=wp.int32)
    v_adj_tets: wp.array(dtype=wp.int32)
    v_adj_tets_offsets: wp.array(dtype=wp.int32)


class MeshAdjacency:
    """Tables of what meets where.

    Args:
        tri_indices: Corners, shape (n, 3).
        edge_indices: Opposite vertices and ends of edges, shape (n, 4); None: those of the
            triangles.
        spring_indices: Two ends a spring, flat.
        tet_indices: Corners, shape (n, 4).

    Attributes:
        indices: Corners of triangles, or None.
        spring_indices: As given.
        tet_indices: As given.
        edge_indices: Rows of (opposite in the first triangle, in the second or -1, ends).
        edge_tri_indices: The two triangles of each edge; -1 for none.
        tri_edge_indices: The edges of each triangle, that between corners k and k + 1 at k; -1 for
            none.
        v_adj_tris: Beside its ``_offsets``, and those of ``edges``, ``springs`` and ``tets``: of
            vertex i the entries from offset i to offset i + 1, which are pairs of an element and
            the vertex's place in it; of springs the elements alone. None before
            `init_vertex_adjacency`.
        vertex_adjacency_initialized: Whether they are there.
    """

    v_adj_tris: np.ndarray | None
    v_adj_tris_offsets: np.ndarray | None
    v_adj_edges: np.ndarray | None
    v_adj_edges_offsets: np.ndarray | None
    v_adj_springs: np.ndarray | None
    v_adj_springs_offsets: np.ndarray | None
    v_adj_tets: np.ndarray | None
    v_adj_tets_offsets: np.ndarray | None

    def __init__(
        self,
        tri_indices: Any = None,
        edge_indices: Any = None,
        spring_indices: Any = None,
        tet_indices: Any = None,
    ) -> None:
        self.indices: NDArray[np.int32] | None = (
            None if tri_indices is None else np.array(tri_indices, np.int32)
        )
        self.spring_indices: NDArray[np.int32] | None = (
            None if spring_indices is None else np.array(spring_indices, np.int32)
        )
        self.tet_indices: NDArray[np.int32] | None = (
            None if tet_indices is None else np.array(tet_indices, np.int32)
        )
        triangles = _rows(self.indices, 3)
        if edge_indices is None:
            self.edge_indices, self.edge_tri_indices, self.tri_edge_indices = _edges_of(triangles)
        else:
            self.edge_indices: NDArray[Any] = _rows(np.array(edge_indices, np.int32), 4)
            self.edge_tri_indices: NDArray[Any]
            self.tri_edge_indices: NDArray[Any]
            self.edge_tri_indices, self.tri_edge_indices = _maps(self.edge_indices, triangles)
        self.vertex_adjacency_initialized = False
        for kind in _KINDS:
            setattr(self, f"v_adj_{kind}", None)
            setattr(self, f"v_adj_{kind}_offsets", None)

    def init_vertex_adjacency(self, particle_count: int) -> MeshAdjacency:
        """Work out which elements each vertex is part of; the second time nothing is done.

        Args:
            particle_count: How many vertices there are.
        """
        if self.vertex_adjacency_initialized:
            return self
        tables = {
            "tris": _rows(self.indices, 3),
            "edges": self.edge_indices,
            "springs": _rows(self.spring_indices, 2),
            "tets": _rows(self.tet_indices, 4),
        }
        for kind, rows in tables.items():
            entries, offsets = _by_vertex(rows, particle_count, alone=kind == "springs")
            setattr(self, f"v_adj_{kind}", entries)
            setattr(self, f"v_adj_{kind}_offsets", offsets)
        self.vertex_adjacency_initialized: bool = True
        return self

    def to(self, device: Any) -> Any:
        """The tables on a device, a `MeshAdjacencyData`.

        Warns where those by vertex are not there yet.
        """
        made: Any = MeshAdjacencyData()
        names = ["edge_tri_indices", "tri_edge_indices"]
        if self.vertex_adjacency_initialized:
            names += [f"v_adj_{kind}{end}" for kind in _KINDS for end in ("", "_offsets")]
        else:
            warn("MeshAdjacency.to() before init_vertex_adjacency(): v_adj_* are None")
        for name in names:
            setattr(made, name, wp.array(getattr(self, name), dtype=wp.int32, device=device))
        return made


def _rows(indices: Any, width: int) -> np.ndarray:
    return np.zeros((0, width), np.int32) if indices is None else indices.reshape(-1, width)


def _sides(
    triangles: np.ndarray,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Begin, end and opposite vertex of the sides of triangles, three a triangle in turn."""
    return tuple(np.roll(triangles, -k, axis=1).reshape(-1) for k in range(3))  # type: ignore[return-value]


def _edges_of(
    triangles: np.ndarray,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Edges of triangles in the order that they are met, and the tables between the two."""
    begin, end, opposite = _sides(triangles)
    keys = np.stack([np.minimum(begin, end), np.maximum(begin, end)], axis=1)
    _, first, which = np.unique(keys, axis=0, return_index=True, return_inverse=True)
    number = np.empty(len(first), np.int32)
    number[np.argsort(first, kind="stable")] = np.arange(len(first))
    edge_of_side = number[which.reshape(-1)]
    edges = np.full((len(first), 4), -1, np.int32)
    owners = np.full((len(first), 2), -1, np.int32)
    met = np.zeros(len(first), np.int32)
    for side, edge in enumerate(edge_of_side.tolist()):
        if met[edge] < 2:
            edges[edge, met[edge]] = opposite[side]
            owners[edge, met[edge]] = side // 3
        else:
            warn(f"Detected non-manifold edge {keys[side].tolist()}", NewtonWarning)
        if not met[edge]:
            edges[edge, 2:] = begin[side], end[side]
        met[edge] += 1
    return edges, owners, edge_of_side.reshape(-1, 3).astype(np.int32)


def _maps(edges: np.ndarray, triangles: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The triangles of given edges, and the edges of triangles.

    A side belongs to an edge where the vertex opposite to it is one of those that the edge has.
    """
    by_ends = {(min(a, b), max(a, b)): row for row, (_, _, a, b) in enumerate(edges.tolist())}
    owners = np.full((len(edges), 2), -1, np.int32)
    found = np.full((len(triangles), 3), -1, np.int32)
    begin, end, opposite = (side.tolist() for side in _sides(triangles))
    for side, corner in enumerate(opposite):
        ends = (min(begin[side], end[side]), max(begin[side], end[side]))
        edge, triangle = by_ends.get(ends, -1), side // 3
        if edge < 0 or corner not in edges[edge, :2]:
            continue
        found[triangle, side % 3] = edge
        free = [k for k in (0, 1) if corner == edges[edge, k] and owners[edge, k] < 0]
        if free and triangle not in owners[edge]:
            owners[edge, free[0]] = triangle
    return owners, found


def _by_vertex(
    rows: np.ndarray, particle_count: int, *, alone: bool
) -> tuple[np.ndarray, np.ndarray]:
    """Elements of each vertex, with its places in them unless ``alone``; and where each begins."""
    flat = rows.reshape(-1).astype(np.int64)
    places = np.stack(np.unravel_index(np.arange(flat.size), rows.shape), axis=1)
    order = np.argsort(flat, kind="stable")
    order = order[flat[order] >= 0]
    width = 1 if alone else 2
    counts = np.bincount(flat[order], minlength=particle_count)
    offsets = np.concatenate([[0], np.cumsum(counts)]) * width
    return places[order, :width].reshape(-1).astype(np.int32), offsets.astype(np.int32)
