"""How cloth of a stage is without load: triangles, lengths of edges and angles between faces."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from unibody.newton.importers.deformables.places import (
    rest_corners,
    rest_points,
    rest_shape,
    same_corners,
    whole_numbers,
)
from unibody.newton.importers.deformables.reading import LOGGER, read

_SMALLEST = 1e-12  # length of an edge [m], or area of a triangle [m^2]


@dataclass(slots=True)
class Rest:
    """Triangles without load.

    Attributes:
        points: (n, 3) [m].
        triangles: Points of each, (t, 3).
        poses: Inverses of their edges in their planes, (t, 2, 2).
        areas: (t,) [m^2].
        stated: Whether the prim states them; else they are as they begin.
    """

    points: np.ndarray
    triangles: np.ndarray
    poses: np.ndarray
    areas: np.ndarray
    stated: bool


def flattened(points: np.ndarray, triangles: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Edges of triangles in their planes, the first along x, (t, 2, 2); and their areas.

    Raises:
        ValueError: Some triangles are not finite, or have no area.
    """
    if not np.isfinite(points).all():
        raise ValueError("non-finite point coordinates")
    corners = points[triangles]
    first, second = corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]
    sizes = np.linalg.norm(np.stack([first, second, second - first], axis=1), axis=2)
    normals = np.linalg.norm(np.cross(first, second), axis=1)
    _refuse(~(np.isfinite(sizes).all(axis=1) & np.isfinite(normals)), "non-finite triangle")
    flat = (sizes <= _SMALLEST).any(axis=1) | (0.5 * normals <= _SMALLEST)
    _refuse(flat | (normals <= _SMALLEST), "degenerate triangle")
    along = first / sizes[:, :1]
    x = np.einsum("ij,ij->i", second, along)
    edges = np.zeros((len(triangles), 2, 2))
    edges[:, 0, 0], edges[:, 0, 1], edges[:, 1, 1] = sizes[:, 0], x, normals / sizes[:, 0]
    return edges, 0.5 * normals


def _refuse(wrong: np.ndarray, what: str) -> None:
    if wrong.any():
        first = np.flatnonzero(wrong)
        raise ValueError(f"{len(first)} {what}(s), first at {first[:5].tolist()}")


def rest_of(
    prim: Any, matrix: np.ndarray, points: np.ndarray, faces: tuple[np.ndarray, np.ndarray, bool]
) -> Rest:
    """How a surface is without load.

    Args:
        prim: The mesh.
        matrix: What takes its points to the world.
        points: In the world.
        faces: Triangles as they are simulated and as the prim has them, and whether those are
            turned round.

    Raises:
        ValueError: The surface itself is no cloth.
    """
    triangles, authored, flipped = faces
    edges, areas = flattened(points, triangles)
    live = Rest(points, triangles, np.linalg.inv(edges), areas, False)
    path = prim.GetPath()
    stated, corners = rest_shape(prim, "restTriVertexIndices")
    if stated is None:
        if corners is not None and not same_corners(corners, authored, 3):
            LOGGER.warning(
                "%s: restTriVertexIndices is authored without restShapePoints and is not the"
                " simulation topology: it is left out",
                path,
            )
        return live
    try:
        at_rest = rest_points(stated, matrix)
        own = rest_corners(corners, triangles, (len(points), len(at_rest)), "restTriVertexIndices")
        if corners is not None and flipped:
            own = own[:, ::-1]
        edges, areas = flattened(at_rest, own)
        return Rest(at_rest, own, np.linalg.inv(edges), areas, True)
    except (TypeError, ValueError, np.linalg.LinAlgError) as error:
        LOGGER.warning(
            "%s: invalid cloth rest shape (%s): the simulation shape counts", path, error
        )
        return live


@dataclass(slots=True)
class Edges:
    """Bending edges of a cloth, in the builder's order.

    Attributes:
        rows: Points opposite in the first and the second triangle, -1: none, and ends, (e, 4).
        beside: Triangles beside each, -1: none, (e, 2).
        triangles: As they are simulated, (t, 3).
        inner: Those with two triangles.
    """

    rows: np.ndarray
    beside: np.ndarray
    triangles: np.ndarray
    inner: np.ndarray

    @staticmethod
    def of(rows: np.ndarray, triangles: np.ndarray) -> Edges:
        """The edges with the triangles beside them."""
        found: dict[tuple[int, int, int], list[int]] = {}
        for number, corners in enumerate(triangles.tolist()):
            for place in range(3):
                ends = sorted((corners[place], corners[place - 2]))
                own = (ends[0], ends[1], corners[place - 1])
                found.setdefault(own, []).append(number)
        beside = np.full((len(rows), 2), -1)
        for number, (first, second, *pair) in enumerate(rows.tolist()):
            low, high = sorted(pair)
            pairs = [found.get((low, high, o), []) for o in (first, second)]
            # two triangles with the same corners are apart: each is beside the edge once
            one = pairs[0][0] if pairs[0] else -1
            other = next((t for t in pairs[1] if t != one), -1)
            beside[number] = one, other
        return Edges(rows, beside, triangles, np.flatnonzero(beside[:, 1] >= 0))

    def at_rest(self, rest: Rest, edges: Any, side: int, column: int) -> np.ndarray:
        """Places without load of points of edges, as the triangle of one side has them."""
        triangles, points = self.beside[edges, side], self.rows[edges, column]
        slots = np.argmax(self.triangles[triangles] == points[:, None], axis=1)
        return rest.points[rest.triangles[triangles, slots]]

    def lengths(self, rest: Rest, path: str) -> np.ndarray:
        """Lengths without load; where the triangles beside an edge differ, the second's counts."""
        everything = np.arange(len(self.rows))
        found = self._lengths(rest, everything, 0)
        if not len(self.inner):
            return found
        others = self._lengths(rest, self.inner, 1)
        # the points are float32 and may be far from the origin, at two places for one point
        rounding = 4.0 * np.finfo(np.float32).eps * float(np.abs(rest.points).max(initial=0.0))
        apart = ~np.isclose(found[self.inner], others, rtol=1e-5, atol=rounding)
        if apart.any():
            LOGGER.warning(
                "%s: disjoint rest topology has inconsistent lengths of %s edge(s); using the last",
                path,
                int(apart.sum()),
            )
        found[self.inner] = others
        return found

    def _lengths(self, rest: Rest, edges: Any, side: int) -> np.ndarray:
        ends = [self.at_rest(rest, edges, side, column) for column in (2, 3)]
        return np.linalg.norm(ends[1] - ends[0], axis=1)

    def angles(self, rest: Rest) -> np.ndarray:
        """Angles between faces without load [rad]; 0 at the rim."""
        found = np.zeros(len(self.rows))
        if not len(self.inner):
            return found
        normals: list[np.ndarray] = []
        for side, (own, first, second) in enumerate(((0, 2, 3), (1, 3, 2))):
            top, one, other = (
                self.at_rest(rest, self.inner, side, column) for column in (own, first, second)
            )
            normals.append(np.cross(one - top, other - top))
        ends = [self.at_rest(rest, self.inner, 0, column) for column in (2, 3)]
        along = ends[1] - ends[0]
        along = along / np.linalg.norm(along, axis=1, keepdims=True)
        sine = np.einsum("ij,ij->i", np.cross(normals[0], normals[1]), along)
        found[self.inner] = np.arctan2(sine, np.einsum("ij,ij->i", *normals))
        return found


def stated_angles(
    prim: Any, edges: Edges, sources: np.ndarray, angles: np.ndarray
) -> tuple[np.ndarray, bool]:
    """Angles that a prim states for pairs of its faces, in place of some others.

    Args:
        prim: The mesh.
        edges: Its bending edges.
        sources: The face of the prim that each triangle is of, (t,).
        angles: The others, (e,) [rad].

    Returns:
        The angles, and whether any was stated.

    Raises:
        ValueError: There are not as many angles as pairs.
    """
    pairs = whole_numbers(read(prim, "restAdjTriPairs"), 2, "restAdjTriPairs").tolist()
    stated = np.asarray(read(prim, "restBendAngles") or [], dtype=float).reshape(-1).tolist()
    if len(pairs) != len(stated):
        raise ValueError("restAdjTriPairs and restBendAngles have different lengths")
    between: dict[tuple[int, ...], list[int]] = {}
    for edge in edges.inner.tolist():
        faces = tuple(sorted(sources[edges.beside[edge]].tolist()))
        if faces[0] != faces[1]:  # a diagonal inside a face is nobody's to say
            between.setdefault(faces, []).append(edge)
    found, seen = angles.copy(), set[tuple[int, ...]]()
    for entry, (pair, angle) in enumerate(zip(pairs, stated, strict=True)):
        faces = tuple(sorted(pair))
        problem = ""
        if faces not in between:
            problem = f"non-adjacent face pair {faces}"
        elif not math.isfinite(angle):
            problem = f"a non-finite angle for {faces}"
        if problem:
            LOGGER.warning(
                "%s: restAdjTriPairs entry %s contains %s: it is left out",
                prim.GetPath(), entry, problem,
            )  # fmt: skip
            continue
        if faces in seen:
            LOGGER.warning(
                "%s: duplicate restAdjTriPairs entry %s for %s: the last counts",
                prim.GetPath(), entry, faces,
            )  # fmt: skip
        seen.add(faces)
        found[between[faces]] = math.radians(angle)  # the proposal has degrees
    return found, bool(seen)
