"""Curves of a stage: their points, thicknesses and frames, now and without load."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import warp as wp

from unibody.newton.exceptions import warn
from unibody.newton.importers.deformables.places import placed, rounded, turned
from unibody.newton.importers.deformables.reading import Elements, read
from unibody.newton.vectors import quat_between_vectors_robust

SHORTEST = 1e-8  # of a segment, and of a normal's part across it [m]


@dataclass(slots=True)
class Lines:
    """The points of a prim ``BasisCurves``.

    Attributes:
        points: (n, 3), in the prim's frame.
        counts: Points of each curve.
        closed: Whether the last of each is joined to its first.
    """

    points: np.ndarray
    counts: list[int]
    closed: bool

    def segments(self, count: int) -> int:
        """How many segments a curve of some points has."""
        return count if self.closed else max(0, count - 1)

    @property
    def parts(self) -> dict[str, int]:
        """How many parts of each kind there are, which thicknesses and masses are stated for."""
        return {
            "constant": 1,
            "curve": len(self.counts),
            "segment": sum(map(self.segments, self.counts)),
            "point": len(self.points),
        }


def lines_of(prim: Any, *, tell: bool = True) -> Lines | None:
    """The points of a prim; None, with a warning, where they make no cable."""
    from pxr import UsdGeom

    curves, path = UsdGeom.BasisCurves(prim), prim.GetPath()
    problem = ""
    points, counts = curves.GetPointsAttr().Get(), curves.GetCurveVertexCountsAttr().Get()
    sizes = [int(count) for count in counts or ()]
    if curves.GetTypeAttr().Get() != UsdGeom.Tokens.linear:
        problem = "is a non-linear curve, and only linear BasisCurves are cables"
    elif not points or not sizes:
        problem = "has no points / curveVertexCounts"
    elif min(sizes) < 0:
        place = next(i for i, size in enumerate(sizes) if size < 0)
        problem = f"curveVertexCounts[{place}] is {sizes[place]}: counts must be non-negative"
    elif sum(sizes) != len(points):
        problem = f"curveVertexCounts total {sum(sizes)} does not match points length {len(points)}"
    if problem:
        if tell:
            warn(f"{path}: {problem}: it is left out")
        return None
    closed = curves.GetWrapAttr().Get() == UsdGeom.Tokens.periodic
    return Lines(np.array(points, dtype=float), sizes, closed)


def thicknesses(
    stated: Elements | None, lines: Lines, usual: float
) -> tuple[list[float], list[float]]:
    """Thicknesses of all segments and all points of a prim's curves.

    A segment between points that state them has their mean, and so has a point between segments.
    """
    segments: list[float] = []
    points: list[float] = []
    values = list(stated.values) if stated is not None else []
    for number, count in enumerate(lines.counts):
        parts = lines.segments(count)
        if stated is None or stated.kind in ("constant", "curve"):
            value = usual
            if stated is not None:
                value = values[0 if stated.kind == "constant" else number]
            segments += [value] * parts
            points += [value] * count
        elif stated.kind == "segment":
            own = values[len(segments) : len(segments) + parts]
            segments += own
            points += _at_points(own, count, lines.closed, usual)
        else:
            own = values[len(points) : len(points) + count]
            points += own
            beside = zip(own, [*own[1:], *own[:1]], strict=True)
            segments += [0.5 * (a + b) for a, b in beside][:parts]
    return segments, points


def _at_points(segments: list[float], count: int, closed: bool, usual: float) -> list[float]:
    if not segments:
        return [usual] * count
    before = [segments[-1 if closed else 0], *segments]
    after = [*segments, segments[0 if closed else -1]]
    return [0.5 * (a + b) for a, b in zip(before, after, strict=True)][:count]


@dataclass(slots=True)
class Shapes:
    """What curves state beside their points, one row a point, or None.

    Attributes:
        normals: Directors of segments, at their first points.
        rest_points: Points without load.
        rest_normals: Directors then.
    """

    normals: np.ndarray | None
    rest_points: np.ndarray | None
    rest_normals: np.ndarray | None

    def part(self, first: int, count: int) -> Shapes:
        """That of some points."""
        rows = (self.normals, self.rest_points, self.rest_normals)
        own = [None if row is None else row[first : first + count] for row in rows]
        return Shapes(*own)


def shapes_of(prim: Any, count: int) -> Shapes:
    """What curves state beside their points; what does not fit is told of and left out."""
    from pxr import UsdGeom

    rest = [
        _triples(read(prim, name), prim, name, count) for name in ("restShapePoints", "restNormals")
    ]
    primvar = UsdGeom.PrimvarsAPI(prim).GetPrimvar("normals")
    if primvar.HasValue():
        normals, where = primvar.ComputeFlattened(), primvar.GetInterpolation()
    else:
        curves = UsdGeom.BasisCurves(prim)
        normals, where = curves.GetNormalsAttr().Get(), curves.GetNormalsInterpolation()
    if normals is not None and where not in (UsdGeom.Tokens.vertex, UsdGeom.Tokens.varying):
        warn(f"{prim.GetPath()}: normals interpolation {where!r} is not per-point: left out")
        normals = None
    return Shapes(_triples(normals, prim, "normals", count), rest[0], rest[1])


def _triples(values: Any, prim: Any, name: str, count: int) -> np.ndarray | None:
    if values is None:
        return None
    try:
        found = np.array([[float(v) for v in row] for row in values])
    except (TypeError, ValueError, OverflowError):
        found = np.zeros(0)
    if found.shape != (count, 3):
        warn(f"{prim.GetPath()}: {name} must contain one 3D value per point ({count}): left out")
        return None
    return found


@dataclass(slots=True)
class Curve:
    """One curve in the world, now and without load.

    Attributes:
        points: Ends of segments, (s + 1, 3) [m]; the last of a closed one is its first.
        frames: Of segments, (x, y, z, w); None: by parallel transport.
        rest_points: Without load; None: as they are now.
        rest_frames: None: those they begin with, turned to the segments without load.
        lengths: Without load [m].
    """

    points: np.ndarray
    frames: list[Any] | None
    rest_points: np.ndarray | None
    rest_frames: list[Any] | None
    lengths: list[float]


def curve_of(
    points: np.ndarray, shapes: Shapes, matrix: np.ndarray, path: str, *, closed: bool
) -> Curve | None:
    """A curve; None where segments have no length.

    Args:
        points: Ends of segments in the world.
        shapes: What its prim states beside them.
        matrix: What takes its points to the world.
        path: Its name for warnings.
        closed: Whether its last point is its first.
    """
    lengths = _lengths(points)
    if lengths is None:
        return None
    frames = _frames(points, shapes.normals, matrix, (path, "normals"), whole=False)
    at_rest, now = None, lengths
    if shapes.rest_points is not None:
        at_rest = rounded(placed(shapes.rest_points, matrix))
        if closed:
            at_rest = np.concatenate([at_rest, at_rest[:1]])
        found = _lengths(at_rest)
        if found is None:
            warn(
                f"{path}: restShapePoints has a non-finite or zero-length segment: the initial"
                " points count"
            )
            at_rest = None
        else:
            lengths = found
    rest_frames = None
    if at_rest is not None or shapes.rest_normals is not None:
        line = points if at_rest is None else at_rest
        rest_frames = _frames(line, shapes.rest_normals, matrix, (path, "restNormals"), whole=True)
        if rest_frames is None:
            rest_frames = _frames(line, shapes.normals, matrix, (path, "normals"), whole=True)
    return Curve(points, frames, at_rest, rest_frames, lengths if lengths is not None else now)


def _lengths(points: np.ndarray) -> list[float] | None:
    """Lengths of segments; None where one has none."""
    found = np.linalg.norm(np.diff(points, axis=0), axis=1)
    if not (np.isfinite(found) & (found > SHORTEST)).all():
        return None
    return found.tolist()


def _frames(
    points: np.ndarray,
    normals: np.ndarray | None,
    matrix: np.ndarray,
    names: tuple[str, str],
    *,
    whole: bool,
) -> list[Any] | None:
    """Frames of segments whose z points along them and whose y is a director.

    Args:
        points: Ends of segments.
        normals: Directors at their first points, or None.
        matrix: What takes points of the prim to the world; directors go with it as points do.
        names: Of the curve and of the directors.
        whole: Whether all are given up for one that is no director; else that one's frame is the
            shortest turn.
    """
    if normals is None:
        return None
    directors = turned(normals[: len(points) - 1], matrix)
    found: list[Any] = []
    for number, director in enumerate(directors):
        along = points[number + 1] - points[number]
        along = along / np.linalg.norm(along)
        turn = quat_between_vectors_robust(wp.vec3(0.0, 0.0, 1.0), wp.vec3(*along))
        across = director - director @ along * along
        size = float(np.linalg.norm(across))
        if math.isfinite(size) and size > SHORTEST:
            side = np.array(wp.quat_rotate(turn, wp.vec3(0.0, 1.0, 0.0)), dtype=float)
            roll = math.atan2(np.cross(side, across) @ along, side @ across)
            turn = wp.quat_from_axis_angle(wp.vec3(*along), roll) * turn
        elif whole:
            warn(
                f"{names[0]}: {names[1]} cannot define a rest frame at segment {number}: it is not"
                " finite, zero or along the segment: other frames count for this curve"
            )
            return None
        found.append(list(turn))
    return found
