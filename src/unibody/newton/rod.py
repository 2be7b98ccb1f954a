"""Rod: points, frames, rest and material of a rod of 1.x, for `ModelBuilder.add_rod`."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
import warp as wp

from unibody.newton.cables import (
    create_parallel_transport_cable_quaternions,
    create_straight_cable_points,
)
from unibody.newton.vectors import quat_between_vectors_robust

_SHORTEST = 1e-9  # of a segment [m]
_GAP = 1e-3  # of the segments beside it: how far apart the ends of a ring may be without load
_ALIGNED = 0.999  # cosine between a segment and the z axis of its frame
_NOT_OFF = 1e-5  # sine of the angle between these that comes of single precision
_SHEAR_SHARE = 0.9  # of the area of a round section that bears shear
_RIGIDITIES = ("stretch_rigidity", "shear_rigidity", "bend_rigidity", "twist_rigidity")


class Section(NamedTuple):
    """What a section resists with: E A and k G A [N], E I and G J [N m^2]."""

    stretch: float
    shear: float
    bend: float
    twist: float


class Rod:
    """Segments of a rod, their frames, and what they are made of.

    Args:
        points: Ends of segments, (N, 3) [m].
        edges: Pairs of points, one a segment; None: each point with the next.
        quaternions: Frames of segments, (E, 4), whose z points along them; None: parallel
            transport along a line, else the shortest turn.
        rest_points: Points of the rod without load; None: those it begins with.
        rest_quaternions: Its frames then; None: those it begins with, turned to the segments.
        rest_straight: Whether it is straight without load.
        closed: Whether the last segment is joined to the first.
        radius: m; None: 0.1 where it is built.
        youngs_modulus: E [Pa]; with `radius` and one of the following two.
        poissons_ratio: nu.
        shear_modulus: G [Pa].
        stretch_rigidity: E A [N]; all four or none, in place of a material.
        shear_rigidity: k G A [N].
        bend_rigidity: E I [N m^2].
        twist_rigidity: G J [N m^2].

    Raises:
        ValueError: Something of it does not fit the rest.
    """

    def __init__(
        self,
        points: Any,
        *,
        edges: Any = None,
        quaternions: Any = None,
        rest_points: Any = None,
        rest_quaternions: Any = None,
        rest_straight: bool = False,
        closed: bool = False,
        radius: float | None = None,
        youngs_modulus: float | None = None,
        poissons_ratio: float | None = None,
        shear_modulus: float | None = None,
        stretch_rigidity: float | None = None,
        shear_rigidity: float | None = None,
        bend_rigidity: float | None = None,
        twist_rigidity: float | None = None,
    ) -> None:
        if edges is not None and closed:
            raise ValueError("closed is only valid when edges is omitted")
        self._chained = edges is None
        self._points = _table("points", points, 3)
        self._edges = _chain(len(self._points)) if edges is None else _pairs(edges, self._points)
        self.closed: bool = bool(closed)
        self.rest_straight: bool = bool(rest_straight)
        self.radius: float | None = _number("radius", radius)
        self.youngs_modulus: float | None = _number("youngs_modulus", youngs_modulus)
        self.poissons_ratio: float | None = _number("poissons_ratio", poissons_ratio)
        self.shear_modulus: float | None = _number("shear_modulus", shear_modulus)
        self.stretch_rigidity: float | None = _number("stretch_rigidity", stretch_rigidity)
        self.shear_rigidity: float | None = _number("shear_rigidity", shear_rigidity)
        self.bend_rigidity: float | None = _number("bend_rigidity", bend_rigidity)
        self.twist_rigidity: float | None = _number("twist_rigidity", twist_rigidity)
        self.section()
        self.rest_points, self._rest_quaternions = rest_points, None
        self.rest_quaternions = rest_quaternions
        self.check_line()
        if quaternions is None:
            self.compute_frames()
        else:
            self.quaternions = quaternions
        self.check()

    @property
    def points(self) -> np.ndarray:
        """Ends of segments, (N, 3) [m]."""
        return self._points

    @points.setter
    def points(self, value: Any) -> None:
        points = _table("points", value, 3)
        if self._chained and len(points) != len(self._points):
            self._edges = _chain(len(points))
        else:
            _pairs(self._edges, points)
        self._points = points

    @property
    def edges(self) -> np.ndarray:
        """Pairs of points, one a segment, (E, 2)."""
        return self._edges

    @edges.setter
    def edges(self, value: Any) -> None:
        self._edges, self._chained = _pairs(value, self._points), False

    @property
    def quaternions(self) -> np.ndarray:
        """Frames of segments, (E, 4), whose z points along them."""
        return self._quaternions

    @quaternions.setter
    def quaternions(self, value: Any) -> None:
        self._quaternions = _turns("quaternions", value, self.segment_count)

    @property
    def rest_points(self) -> np.ndarray | None:
        """Points of the rod without load, (N, 3) [m], or None."""
        return self._rest_points

    @rest_points.setter
    def rest_points(self, value: Any) -> None:
        self._rest_points = None if value is None else _table("rest_points", value, 3)

    @property
    def rest_quaternions(self) -> np.ndarray | None:
        """Frames of the rod without load, (E, 4), or None."""
        return self._rest_quaternions

    @rest_quaternions.setter
    def rest_quaternions(self, value: Any) -> None:
        count = self.segment_count
        self._rest_quaternions = None if value is None else _turns("rest_quaternions", value, count)

    @property
    def point_count(self) -> int:
        """How many points there are."""
        return len(self._points)

    @property
    def segment_count(self) -> int:
        """How many segments there are."""
        return len(self._edges)

    @property
    def segment_lengths(self) -> np.ndarray:
        """How long each segment is, (E,) [m]."""
        return _lengths(self._points, self._edges)

    @property
    def is_chain(self) -> bool:
        """Whether each segment joins a point with the next."""
        return np.array_equal(self._edges, _chain(len(self._points)))

    @staticmethod
    def create_straight(
        start: Any,
        direction: Any,
        length: float,
        *,
        segment_count: int,
        twist_total: float = 0.0,
        **more: Any,
    ) -> Rod:
        """A straight rod of equal segments.

        Args:
            start: Its first point [m].
            direction: Whereto, of any length.
            length: m.
            segment_count: How many segments.
            twist_total: Twist from before the first to the last segment [rad].
            **more: Arguments of `Rod`.

        Raises:
            ValueError: There is no length, or something else does not fit.
        """
        if not 0.0 < float(length) < math.inf:
            raise ValueError(f"length={length} must be finite and > 0")
        _check_twist(twist_total)
        if segment_count < 1:
            raise ValueError(f"segment_count={segment_count} must be >= 1")
        points = create_straight_cable_points(start, direction, length, segment_count)
        turns = create_parallel_transport_cable_quaternions(points, twist_total=twist_total)
        return Rod(points, quaternions=[list(turn) for turn in turns], **more)

    def compute_frames(self, *, twist_total: float = 0.0) -> None:
        """Work frames of segments out anew.

        Args:
            twist_total: Twist that is spread evenly over the segments of a line [rad].

        Raises:
            ValueError: The twist is infinite, or stated of what is no line.
        """
        _check_twist(twist_total)
        self.check_line()
        if self.is_chain:
            points = [wp.vec3(*point) for point in self._points.tolist()]
            found = create_parallel_transport_cable_quaternions(points, twist_total=twist_total)
        elif twist_total:
            raise ValueError("twist_total is only defined for an ordered chain")
        else:
            spans = _spans(self._points, self._edges)
            upwards = wp.vec3(0.0, 0.0, 1.0)
            found = [
                quat_between_vectors_robust(upwards, wp.vec3(*(span / np.linalg.norm(span))))
                for span in spans
            ]
        self._quaternions = _turns("quaternions", [list(q) for q in found], self.segment_count)

    def copy(self) -> Rod:
        """A rod of its own that is like this one."""
        own = {name: getattr(self, name) for name in _RIGIDITIES}
        own |= {name: getattr(self, name) for name in ("radius", "youngs_modulus")}
        own |= {name: getattr(self, name) for name in ("poissons_ratio", "shear_modulus")}
        made = Rod(
            self._points,
            edges=self._edges,
            quaternions=self._quaternions,
            rest_points=self._rest_points,
            rest_quaternions=self._rest_quaternions,
            rest_straight=self.rest_straight,
            **own,
        )
        made.closed, made._chained = self.closed, self._chained
        return made

    def section(self) -> Section | None:
        """What the section resists with; None where neither material nor rigidities are stated.

        Raises:
            ValueError: Too much or too little of it is stated, or a number is not allowed.
        """
        if self.radius is not None and not 0.0 < self.radius < math.inf:
            raise ValueError(f"radius={self.radius} must be finite and > 0")
        stated = [getattr(self, name) for name in _RIGIDITIES]
        material = (self.youngs_modulus, self.poissons_ratio, self.shear_modulus)
        if any(v is not None for v in material):
            if any(v is not None for v in stated):
                raise ValueError("elastic material and section rigidity are mutually exclusive")
            return self._round_section()
        if all(v is None for v in stated):
            return None
        if any(v is None for v in stated):
            raise ValueError(f"{', '.join(_RIGIDITIES)} must be supplied together")
        for name, value in zip(_RIGIDITIES, stated, strict=True):
            _check_positive(name, value)
        return Section(*stated)

    def _round_section(self) -> Section:
        for name in ("radius", "youngs_modulus"):
            if getattr(self, name) is None:
                raise ValueError(f"{name} is required with elastic material inputs")
        if (self.poissons_ratio is None) == (self.shear_modulus is None):
            raise ValueError("exactly one of poissons_ratio and shear_modulus must be supplied")
        modulus = _check_positive("youngs_modulus", self.youngs_modulus)
        if self.poissons_ratio is None:
            shear = _check_positive("shear_modulus", self.shear_modulus)
        elif -1.0 < self.poissons_ratio < 0.5:
            shear = modulus / (2.0 * (1.0 + self.poissons_ratio))
        else:
            raise ValueError(f"poissons_ratio={self.poissons_ratio} must satisfy -1 < nu < 0.5")
        r: Any = self.radius
        area, moment = math.pi * r**2, 0.25 * math.pi * r**4
        found = Section(
            modulus * area, _SHEAR_SHARE * shear * area, modulus * moment, shear * 2.0 * moment
        )
        if not all(map(math.isfinite, found)):
            raise ValueError("elastic material inputs must produce finite section rigidities")
        return found

    def check_line(self) -> None:
        """Check points and segments.

        Raises:
            ValueError: A segment has no length, or the ends of a closed rod are apart.
        """
        _check_lengths("points", self._points, self._edges)
        if not self.closed:
            return
        if not self.is_chain or self.segment_count < 2:
            raise ValueError("closed rods require ordered-chain edges, at least 2 segments")
        ends = self._points[[0, -1]]
        if self._rest_points is None and np.abs(ends[1] - ends[0]).max() > 1e-6:
            raise ValueError("closed rods require the first and last points to coincide")

    def check(self) -> None:
        """Check all of it, as it is now.

        Raises:
            ValueError: Something of it does not fit the rest.
        """
        self.check_line()
        _check_frames("quaternion", self._points, self._edges, self._quaternions)
        rest, turns = self._rest_points, self._rest_quaternions
        if self.rest_straight:
            if rest is not None or turns is not None:
                raise ValueError(
                    "rest_straight cannot be combined with explicit rest_points or rest_quaternions"
                )
            if self.segment_count < 2 or not self.is_chain:
                raise ValueError("rest_straight requires an ordered chain of at least two segments")
        if rest is not None:
            if len(rest) != len(self._points):
                raise ValueError(f"rest_points must contain {len(self._points)} points")
            _check_lengths("rest_points", rest, self._edges)
            if self.closed:
                rest = _closed_at_rest(rest, self._edges)
        if turns is not None:
            points = self._points if rest is None else rest
            _check_frames("rest quaternion", points, self._edges, turns)

    def rest_line(self) -> np.ndarray:
        """Points without load, (N, 3) [m]: those it begins with where none are stated."""
        if self._rest_points is None:
            return self._points
        if self.closed:
            return _closed_at_rest(self._rest_points, self._edges)
        return self._rest_points

    def rest_frames(self) -> np.ndarray:
        """Frames of segments without load, (E, 4)."""
        if self._rest_quaternions is not None:
            return self._rest_quaternions
        if self._rest_points is None:
            return self._quaternions
        found = []
        pairs = zip(
            _spans(self._points, self._edges), _spans(self.rest_line(), self._edges), strict=True
        )
        for (now, rest), frame in zip(pairs, self._quaternions, strict=True):
            ends = [wp.vec3(*(span / np.linalg.norm(span))) for span in (now, rest)]
            found.append(list(quat_between_vectors_robust(*ends) * wp.quat(*frame.tolist())))
        return np.array(found, np.float32)


def aligned_frames(points: np.ndarray, edges: np.ndarray, turns: np.ndarray) -> list[wp.quat]:
    """Frames of segments, turned the shortest way so that their z is along the segments.

    Args:
        points: Points, (N, 3) [m].
        edges: Points of segments, (E, 2).
        turns: Frames, which may be a little off, (E, 4).
    """
    found = []
    for span, turn in zip(_spans(points, edges), turns.tolist(), strict=True):
        along, frame = wp.vec3(*(span / np.linalg.norm(span))), wp.quat(*turn)
        present = wp.quat_rotate(frame, wp.vec3(0.0, 0.0, 1.0))
        if wp.length(wp.cross(present, along)) > _NOT_OFF:
            frame = wp.normalize(quat_between_vectors_robust(present, along) * frame)
        found.append(frame)
    return found


def _closed_at_rest(rest: np.ndarray, edges: np.ndarray) -> np.ndarray:
    """Points of a ring without load, whose last is the first and not only close to it."""
    lengths = _lengths(rest, edges)
    gap = float(np.linalg.norm(rest[-1].astype(float) - rest[0]))
    if gap > max(_SHORTEST, _GAP * float(min(lengths[0], lengths[-1]))):
        raise ValueError("closed rods require the first and last rest_points to coincide")
    closed = rest.copy()
    closed[-1] = closed[0]
    _check_lengths("closed rest_points", closed, edges)
    return closed


def _check_twist(twist_total: Any) -> None:
    if not math.isfinite(float(twist_total)):
        raise ValueError(f"twist_total={twist_total} must be finite")


def _number(name: str, value: Any) -> float | None:
    if value is None:
        return None
    try:
        return float(value)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{name}={value!r} must be finite and >= 0") from error


def _check_positive(name: str, value: Any) -> float:
    if not 0.0 <= value < math.inf:
        raise ValueError(f"{name}={value} must be finite and >= 0")
    return value


def _table(name: str, rows: Any, width: int) -> np.ndarray:
    try:
        found = np.array(rows, dtype=np.float32)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{name} must have shape (N, {width})") from error
    if found.ndim != 2 or found.shape[1] != width:
        raise ValueError(f"{name} must have shape (N, {width}), got {found.shape}")
    if len(found) < 2 and width == 3:
        raise ValueError(f"{name} must contain at least 2 points")
    if not np.isfinite(found).all():
        raise ValueError(f"{name} must be finite")
    return found


def _turns(name: str, rows: Any, count: int) -> np.ndarray:
    found = _table(name, rows, 4)
    if len(found) != count:
        raise ValueError(f"{name} must contain {count} frames, got {len(found)}")
    sizes = np.linalg.norm(found, axis=1, keepdims=True)
    if not (sizes > 0.0).all():
        raise ValueError(f"{name} must be non-zero")
    return found / sizes


def _chain(points: int) -> np.ndarray:
    first = np.arange(points - 1, dtype=np.int32)
    return np.stack([first, first + 1], axis=1)


def _pairs(edges: Any, points: np.ndarray) -> np.ndarray:
    found = np.asarray(edges)
    if found.ndim != 2 or found.shape[1] != 2 or found.dtype.kind not in "iu":
        raise ValueError("edges must have shape (E, 2) and contain integer indices")
    if not len(found):
        raise ValueError("edges must contain at least 1 edge")
    if found.min() < 0 or found.max() >= len(points):
        raise ValueError(f"edges must contain indices in [0, {len(points)})")
    if (found[:, 0] == found[:, 1]).any():
        raise ValueError("edges must not connect a point to itself")
    if len({tuple(sorted(pair)) for pair in found.tolist()}) != len(found):
        raise ValueError("edges must not contain duplicates")
    return np.array(found, dtype=np.int32)


def _spans(points: np.ndarray, edges: np.ndarray) -> np.ndarray:
    return points[edges[:, 1]].astype(float) - points[edges[:, 0]]


def _lengths(points: np.ndarray, edges: np.ndarray) -> np.ndarray:
    return np.linalg.norm(_spans(points, edges), axis=1)


def _check_lengths(name: str, points: np.ndarray, edges: np.ndarray) -> None:
    lengths = _lengths(points, edges)
    wrong = np.flatnonzero(~((lengths > _SHORTEST) & np.isfinite(lengths)))
    if len(wrong):
        raise ValueError(
            f"all {name} segments must have finite length > {_SHORTEST} m: segment {wrong[0]} is"
            f" {lengths[wrong[0]]} m long"
        )


def _check_frames(
    name: str,
    points: np.ndarray,
    edges: np.ndarray,
    turns: np.ndarray,
) -> None:
    spans = _spans(points, edges)
    x, y, z, w = turns.T.astype(float)
    along = np.stack([2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)], axis=1)
    cosine = (along * spans).sum(axis=1) / np.linalg.norm(spans, axis=1)
    wrong = np.flatnonzero(~(cosine >= _ALIGNED))
    if len(wrong):
        raise ValueError(
            f"{name} at segment index {wrong[0]} must align local +Z with the segment direction"
        )
