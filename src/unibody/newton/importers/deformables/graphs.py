"""Curves of a stage that attachments join at points: cables that branch."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any

import numpy as np
import warp as wp

from unibody.newton.builder import objects
from unibody.newton.builder.later_rods import add_held_rod
from unibody.newton.exceptions import warn
from unibody.newton.importers.deformables import cables, gains, masses, materials
from unibody.newton.importers.deformables.cables import Root, Stuff
from unibody.newton.importers.deformables.cloths import simulation
from unibody.newton.importers.deformables.context import Reading, target_of
from unibody.newton.importers.deformables.curves import Curve, Lines, curve_of, lines_of, shapes_of
from unibody.newton.importers.deformables.places import placed, rounded
from unibody.newton.importers.deformables.reading import (
    LOGGER,
    collides,
    read,
    reason_to_skip,
    tell_of_misplaced,
)
from unibody.newton.importers.deformables.scout import is_simulated_by_another
from unibody.newton.rod import Rod
from unibody.newton.vectors import quat_between_vectors_robust

_CLOSE = 0.1  # of the thinner radius: how far apart points are that become one
_SHORTEST = 1e-8  # of a segment [m]


class _Sets:
    """Sets that grow together."""

    def __init__(self, keys: Iterable[Any]) -> None:
        self._above: dict[Hashable, Any] = {key: key for key in keys}

    def find(self, key: Any) -> Any:
        """What stands for the set that a key is in."""
        while self._above[key] != key:
            self._above[key] = key = self._above[self._above[key]]
        return key

    def join(self, first: Any, second: Any) -> None:
        """Make two sets one, which the first one's stands for."""
        one, other = self.find(first), self.find(second)
        self._above[other] = one


@dataclass(slots=True)
class _Part:
    """A prim of one curve that may be part of a cable that branches."""

    prim: Any
    lines: Lines
    points: np.ndarray
    stuff: Stuff


@dataclass(slots=True)
class _Weld:
    """Points of two curves that are one."""

    attachment: str
    paths: tuple[str, str]
    points: list[tuple[int, int]] = field(default_factory=list[tuple[int, int]])


def add_graphs(reading: Reading) -> dict[str, Root]:
    """Add curves that attachments join hard at points as cables that branch.

    Returns:
        Path of other curves -> the attachment that holds their one end.
    """
    parts = _parts(reading)
    if not parts:
        return {}
    bodies = cables.last_articulation(reading.builder)
    welds: list[_Weld] = []
    uses: dict[str, int] = {}
    roots: dict[str, Root] = {}
    for prim in reading.found.attachments:
        enabled = read(prim, "attachmentEnabled")
        first, second = (target_of(prim, f"physics:src{end}") for end in (0, 1))
        if not first or (enabled is not None and not enabled):
            continue
        for path in dict.fromkeys((first, second)):
            if path in parts:
                uses[path] = uses.get(path, 0) + 1
        if first in parts:
            lines = parts[first].lines
            root = cables.root_of(reading, prim, (len(lines.points), lines.closed), bodies)
            if root is not None:
                roots[first] = root
        weld = _weld(prim, parts, (first, second))
        if weld is not None:
            welds.append(weld)
    joined = _Sets(parts)
    for weld in welds:
        joined.join(*weld.paths)
    for name in dict.fromkeys(joined.find(path) for path in parts):
        own = [weld for weld in welds if joined.find(weld.paths[0]) == name]
        members = sorted(path for path in parts if joined.find(path) == name)
        if own and _Graph(reading, name, {p: parts[p] for p in members}, own).add():
            reading.merged.update(weld.attachment for weld in own)
    return {p: r for p, r in roots.items() if uses.get(p) == 1 and p not in reading.cables}


def _parts(reading: Reading) -> dict[str, _Part]:
    found: dict[str, _Part] = {}
    for prim in reading.found.curves:
        path = str(prim.GetPath())
        if path in reading.cables or reason_to_skip(prim):
            continue
        lines = None
        if not is_simulated_by_another(reading.found, prim):
            lines = lines_of(prim, tell=False)
        if lines is None or len(lines.counts) != 1 or lines.counts[0] < 3:
            continue
        points = rounded(placed(lines.points, reading.matrix(prim)))
        if np.isfinite(points).all():
            found[path] = _Part(prim, lines, points, cables.stuff_of(reading, prim, lines))
    return found


def _weld(prim: Any, parts: dict[str, _Part], paths: tuple[str, str]) -> _Weld | None:
    """The points that an attachment makes one; None where it does not."""
    path = prim.GetPath()
    kinds = [str(read(prim, f"type{end}") or "") for end in (0, 1)]
    if paths[0] == paths[1] or any(p not in parts for p in paths) or kinds != ["point"] * 2:
        return None
    first, second = ([int(i) for i in read(prim, f"indices{end}") or ()] for end in (0, 1))
    told = f"{path}: curve-to-curve attachment"
    if not first or not second or len(first) != len(second):
        why = "differ in length" if first and second else "are empty"
        warn(f"{told}: indices0 and indices1 {why}: it is left out")
        return None
    for indices, name, end in ((first, paths[0], 0), (second, paths[1], 1)):
        count = len(parts[name].points)
        for index in indices:
            if not 0 <= index < count:
                warn(f"{told}: src{end} index {index} is out of range for its {count} points")
                return None
    stiffness, damping = materials.gains(read(prim, "stiffness"), read(prim, "damping"))
    if stiffness is None or damping is None or math.isnan(stiffness) or stiffness < 0.0:
        return None  # the pass of attachments tells of it
    if not (math.isfinite(damping) and damping >= 0.0):
        return None
    if stiffness != math.inf:
        warn(f"{told} has no hard (+inf stiffness) constraint: not welded")
        return None
    one, other = (parts[name] for name in paths)
    for a, b in zip(first, second, strict=True):
        apart = float(np.linalg.norm(one.points[a] - other.points[b]))
        if apart > _CLOSE * min(one.stuff.points[a], other.stuff.points[b]):
            warn(f"{told}: its sites are not coincident: not welded, which would move them")
            return None
    return _Weld(str(path), paths, list(zip(first, second, strict=True)))


class _Graph:
    """Curves that become one cable.

    Args:
        reading: The stage.
        name: Of the cable.
        parts: Path of a prim -> its curve, in order.
        welds: Points that are one.
    """

    def __init__(
        self, reading: Reading, name: str, parts: dict[str, _Part], welds: list[_Weld]
    ) -> None:
        self._reading, self._name, self._parts = reading, name, parts
        keys = [(path, i) for path, part in parts.items() for i in range(len(part.points))]
        sets = _Sets(keys)
        for weld in welds:
            for a, b in weld.points:
                sets.join((weld.paths[0], a), (weld.paths[1], b))
        numbers: dict[Any, int] = {}
        self._node = {key: numbers.setdefault(sets.find(key), len(numbers)) for key in keys}
        self._points = np.array([parts[path].points[i] for path, i in numbers])
        self._edges: list[tuple[int, int]] = []
        self._owners: list[tuple[str, int]] = []
        for path, part in parts.items():
            count = len(part.points)
            for segment in range(part.lines.segments(count)):
                ends = (path, segment), (path, (segment + 1) % count)
                self._edges.append((self._node[ends[0]], self._node[ends[1]]))
                self._owners.append((path, segment))

    def add(self) -> bool:
        """Add it; whether it is a cable, which is told where it is none."""
        problem = self._problem()
        if problem:
            warn(
                f"cable graph {self._name!r}: {problem}; skipping the weld: its curves are cables"
                " of their own"
            )
            return False
        curves = self._curves()
        self._tell()
        reading, builder = self._reading, self._reading.builder
        config = self._config()
        rod = self._rod(curves)
        before = objects.counts(builder, "curve")
        bodies, joints = add_held_rod(builder, rod, config, self._name)
        objects.record(builder, "curve", self._name, before)
        self._note_self_collision()
        radii = [self._parts[p].stuff.segments[segment] for p, segment in self._owners]
        for body, radius in zip(bodies, radii, strict=True):
            masses.set_radius(builder, body, radius)
        lengths = [curves[path].lengths[segment] for path, segment in self._owners]
        sizes = dict(zip(bodies, zip(lengths, radii, strict=True), strict=True))
        first = next(iter(self._parts.values()))
        at_joints = self._radii_at(joints, bodies, radii)
        material = first.stuff.material
        gains.write_gains(builder, joints, material, sizes, at_joints, reading.metres)
        for path in self._parts:
            own = [(n, s) for n, (owner, s) in enumerate(self._owners) if owner == path]
            self._note(path, {s: (bodies[n], lengths[n]) for n, s in own})
        return True

    def _problem(self) -> str:
        for (path, segment), (u, v) in zip(self._owners, self._edges, strict=True):
            if u == v:
                return f"welding collapses segment {segment} of {path!r}"
        if len(self._edges) >= len(self._points):
            return "the welded component contains a cycle, which no articulation closes"
        spans = np.array(self._edges)
        lengths = np.linalg.norm(self._points[spans[:, 1]] - self._points[spans[:, 0]], axis=1)
        if not (np.isfinite(lengths) & (lengths > _SHORTEST)).all():
            return "a welded curve has a non-finite or zero-length segment"
        return ""

    def _curves(self) -> dict[str, Curve]:
        """The curves with their ends where they are joined."""
        found: dict[str, Curve] = {}
        for path, part in self._parts.items():
            count = len(part.points)
            points = self._points[[self._node[path, i] for i in range(count)]]
            shapes, matrix = shapes_of(part.prim, count), self._reading.matrix(part.prim)
            curve = curve_of(points, shapes, matrix, path, closed=False)
            assert curve is not None  # its segments have lengths, by `_problem`
            found[path] = curve
        return found

    def _rod(self, curves: dict[str, Curve]) -> Rod:
        rod = Rod(self._points, edges=np.array(self._edges, dtype=np.int32), radius=self._radius)
        frames = rod.quaternions.copy()
        for number, (path, segment) in enumerate(self._owners):
            own = curves[path].frames
            if own is not None:
                frames[number] = own[segment]
        rod.quaternions = frames
        spans: list[np.ndarray] = []
        for curve in curves.values():
            line = curve.points if curve.rest_points is None else curve.rest_points
            spans += [b - a for a, b in pairwise(line)]
        if any(curve.rest_points is not None for curve in curves.values()):
            rod.rest_points = self._joined(spans)
        if any(curve.rest_frames is not None for curve in curves.values()):
            rod.rest_quaternions = [
                self._rest_frame(curves, number, frames[number], spans[number])
                for number in range(len(self._edges))
            ]
        return rod

    @property
    def _radius(self) -> float:
        return next(iter(self._parts.values())).stuff.segments[0]

    def _rest_frame(
        self, curves: dict[str, Curve], number: int, frame: np.ndarray, span: np.ndarray
    ) -> list[float]:
        path, segment = self._owners[number]
        own = curves[path].rest_frames
        if own is not None:
            return list(own[segment])
        u, v = self._edges[number]
        now = self._points[v] - self._points[u]
        ends = [wp.vec3(*(line / np.linalg.norm(line))) for line in (now, span)]
        return list(quat_between_vectors_robust(*ends) * wp.quat(*frame.tolist()))

    def _joined(self, spans: list[np.ndarray]) -> np.ndarray:
        """Points without load: curves may have origins of their own, and hang together here."""
        beside: list[list[tuple[int, np.ndarray]]] = [[] for _ in self._points]
        for (u, v), span in zip(self._edges, spans, strict=True):
            beside[u].append((v, span))
            beside[v].append((u, -span))
        found, pending, seen = np.zeros((len(self._points), 3)), [0], {0}
        while pending:
            node = pending.pop()
            for other, span in beside[node]:
                if other not in seen:
                    found[other] = found[node] + span
                    seen.add(other)
                    pending.append(other)
        return found

    def _tell(self) -> None:
        for path, part in self._parts.items():
            tell_of_misplaced(part.prim, cables.SCHEMA)
            gains.tell_of_misplaced(part.prim)
            gains.tell_of_earlier(path, part.stuff.material)

    def _config(self) -> Any:
        """The properties of all capsules, which are those of the first curve."""
        reading, first = self._reading, next(iter(self._parts))
        contacts = {p: cables.contacts_of(reading, part.prim) for p, part in self._parts.items()}
        kinds = {
            (
                frozenset(contacts[path].items()),
                part.stuff.material is None,
                frozenset((n, v) for n, v in (part.stuff.material or {}).items() if n != "density"),
            )
            for path, part in self._parts.items()
        }
        if len(kinds) > 1:
            warn(
                f"cable graph {self._name!r}: curves with differing stiffness, damping or contact"
                f" properties have those of {first!r}, but for their density"
            )
        states = [collides(part.prim, reading.ignored)[0] for part in self._parts.values()]
        if any(states) and not all(states):
            warn(
                f"cable graph {self._name!r}: curves mix collision-enabled and -disabled ones: the"
                " whole graph collides"
            )
        density = self._parts[first].stuff.density
        whole = (materials.overrides(part.prim)[0] for part in self._parts.values())
        if density <= 0.0 and any(mass is not None for mass in whole):
            density = 1.0
        return replace(
            reading.builder.default_shape_cfg,
            **contacts[first],
            density=density,
            has_shape_collision=any(states),
            has_particle_collision=any(states),
        )

    def _note_self_collision(self) -> None:
        stated = {cables.self_collision(part.prim) for part in self._parts.values()} - {None}
        if len(stated) > 1:
            LOGGER.warning(
                "cable graph %r: curves have differing self-collision settings: none collides with"
                " another",
                self._name,
            )
        if stated:
            number = len(self._reading.builder.articulation_start) - 1
            self._reading.apart[number] = all(stated)

    def _radii_at(self, joints: list[int], bodies: list[int], radii: list[float]) -> list[float]:
        """Radii at joints: the mean of the points that are their node."""
        builder = self._reading.builder
        samples: list[list[float]] = [[] for _ in self._points]
        for path, part in self._parts.items():
            for point, radius in enumerate(part.stuff.points):
                samples[self._node[path, point]].append(radius)
        ends = dict(zip(bodies, self._edges, strict=True))
        sizes = dict(zip(bodies, radii, strict=True))
        found: list[float] = []
        for joint in joints:
            pair = builder.joint_parent[joint], builder.joint_child[joint]
            shared = set(ends[pair[0]]) & set(ends[pair[1]])
            if len(shared) == 1:
                node = shared.pop()
                found.append(sum(samples[node]) / len(samples[node]))
            else:
                found.append(0.5 * (sizes[pair[0]] + sizes[pair[1]]))
        return found

    def _note(self, path: str, segments: dict[int, tuple[int, float]]) -> None:
        reading, part = self._reading, self._parts[path]
        lines, stuff = part.lines, part.stuff
        count = len(lines.points)
        ends: dict[int, Any] = {}
        for number, (body, length) in segments.items():
            for point, side in ((number, -0.5), (number + 1, 0.5)):
                place = (body, wp.vec3(0.0, 0.0, side * length))
                ends.setdefault(point % count, []).append(place)
        bodies = [body for body, _ in segments.values()]
        reading.cables[path] = (bodies, [])
        reading.segments[path], reading.ends[path] = segments, ends
        sizes = zip(stuff.segments, segments.values(), strict=True)
        volumes = [math.pi * radius**2 * length for radius, (_, length) in sizes]
        run = masses.Run(0, 0, count, 0, bodies, volumes, lines.closed)
        own = masses.weigh_segments(reading.builder, part.prim, [run], lines.parts, stuff.density)
        reading.attributes["cable"][path] = {
            "material": dict(stuff.material or {}),
            "resolved_density": stuff.density,
            "closed": lines.closed,
            "graph_component": self._name,
            **simulation(stuff.thicknesses, own),
        }
