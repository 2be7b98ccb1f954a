"""Curves of a stage as cables."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import warp as wp

from unibody.newton import usd
from unibody.newton.builder import objects
from unibody.newton.builder.later_rods import HeldNode, add_held_rod
from unibody.newton.exceptions import warn
from unibody.newton.importers.deformables import gains, masses, materials
from unibody.newton.importers.deformables.cloths import simulation
from unibody.newton.importers.deformables.context import Anchors, Reading, target_of
from unibody.newton.importers.deformables.curves import (
    Curve,
    Lines,
    curve_of,
    lines_of,
    shapes_of,
    thicknesses,
)
from unibody.newton.importers.deformables.materials import Material
from unibody.newton.importers.deformables.places import placed, rounded
from unibody.newton.importers.deformables.reading import (
    Elements,
    collides,
    elements,
    read,
    reason_to_skip,
    tell_of_lost,
)
from unibody.newton.importers.deformables.scout import tell_of_second
from unibody.newton.rod import Rod

SCHEMA = "PhysicsCurvesDeformableMaterialAPI"
_SELF_COLLISION = "newton:selfCollisionEnabled"


@dataclass(frozen=True, slots=True)
class Root:
    """An attachment that holds an end of a cable, and so the root of its articulation.

    Attributes:
        path: Of the attachment.
        point: Of the cable.
        parent: Body, or -1 for the world.
        anchor: Where on it.
    """

    path: str
    point: int
    parent: int
    anchor: wp.vec3


@dataclass(slots=True)
class Stuff:
    """What a prim of curves is made of.

    Attributes:
        material: Of its family, or None.
        density: kg/m^3.
        thicknesses: That its geometry states, or None.
        segments: Radii of all segments [m].
        points: Radii at all points [m].
    """

    material: Material | None
    density: float
    thicknesses: Elements | None
    segments: list[float]
    points: list[float]


def stuff_of(reading: Reading, prim: Any, lines: Lines) -> Stuff:
    """What a prim of curves is made of."""
    material = materials.of_curves(prim)
    stated = elements(prim, "thicknesses", lines.parts)
    usual = 2.0 * gains.radius_of(material, reading.metres)
    found = thicknesses(stated, lines, usual)
    segments, points = ([0.5 * value for value in values] for values in found)
    density = materials.density_of(
        prim, (material or {}).get("density"), reading.metres, read_material=material is None
    )
    return Stuff(material, density, stated, segments, points)


def contacts_of(reading: Reading, prim: Any) -> dict[str, Any]:
    """What a prim and its material say of contacts of segments."""
    usual = reading.builder.default_shape_cfg
    config = replace(usual)
    material = materials.bound(prim)
    rigid = material is not None and usd.has_applied_api_schema(material, "PhysicsMaterialAPI")
    if rigid:  # as rigid shapes have it: no friction stated is that of the builder
        config.mu = usd.get_float(material, "physics:dynamicFriction") or usual.mu
        config.restitution = usd.get_float(material, "physics:restitution", 0.0)
    reading.configure(config, str(prim.GetPath()))
    fields = ("mu", "restitution", "torsional_friction", "rolling_friction", "ke", "kd", "kf", "ka")
    return {field: getattr(config, field) for field in fields}


def self_collision(prim: Any) -> bool | None:
    """Whether segments of a cable collide with one another, where its prim says so."""
    value = usd.get_attribute(prim, _SELF_COLLISION)
    return None if value is None else bool(value)


def add_cables(reading: Reading, prims: list[Any], roots: dict[str, Root]) -> None:
    """Add prims of curves as cables, each one an articulation.

    Args:
        reading: The stage.
        prims: The curves; those that are there already are left out.
        roots: Path of curves -> what holds their end.
    """

    def order(prim: Any) -> int:
        root = roots.get(str(prim.GetPath()))  # a body's articulation goes on before new ones begin
        return 2 if root is None else int(root.parent < 0)

    for prim in sorted(prims, key=order):
        path = str(prim.GetPath())
        if path in reading.cables:
            continue
        reason = reason_to_skip(prim)
        if reason:
            warn(f"{path}: {reason}: it is left out")
        elif not tell_of_second(reading.found, prim):
            lines = lines_of(prim)
            if lines is not None:
                _Cable(reading, prim, lines).add(roots.get(path))


class _Cable:
    """A prim of curves that becomes cables.

    Args:
        reading: The stage.
        prim: The curves.
        lines: Their points.
    """

    def __init__(self, reading: Reading, prim: Any, lines: Lines) -> None:
        self._reading, self._prim, self._lines = reading, prim, lines
        self._path, self._matrix = str(prim.GetPath()), reading.matrix(prim)
        self._bodies: list[int] = []
        self._joints: list[int] = []
        self._runs: list[masses.Run] = []
        self._segments: dict[int, tuple[int, float]] = {}
        self._ends: dict[int, Anchors] = {}

    def add(self, root: Root | None) -> None:
        """Add its curves.

        Args:
            root: What holds its end, or None.
        """
        reading, prim, lines = self._reading, self._prim, self._lines
        shapes = shapes_of(prim, len(lines.points))
        tell_of_lost(prim, SCHEMA)
        gains.tell_of_misplaced(prim)
        stuff = stuff_of(reading, prim, lines)
        gains.tell_of_earlier(self._path, stuff.material)
        collide, _ = collides(prim, reading.ignored)
        config = replace(
            reading.builder.default_shape_cfg,
            **contacts_of(reading, prim),
            density=stuff.density,
            has_shape_collision=collide,
            has_particle_collision=collide,
        )
        builder = reading.builder
        before = objects.counts(builder, "curve")
        if len(lines.counts) > 1 or lines.closed:
            root = None
        first = segment = 0
        for number, count in enumerate(lines.counts):
            place = (number, first, count, segment)
            curve = self._curve(place, shapes)
            if curve is not None:
                self._add_curve(place, curve, stuff, config, root)
            first, segment = first + count, segment + lines.segments(count)
        if self._bodies:
            own = masses.weigh_segments(builder, prim, self._runs, lines.parts, stuff.density)
            objects.record(builder, "curve", self._path, before)
            self._note(stuff, own)

    def _curve(self, place: tuple[int, int, int, int], shapes: Any) -> Curve | None:
        number, first, count, _ = place
        many = len(self._lines.counts) > 1
        closed, least = self._lines.closed, 2 if self._lines.closed else 3
        name = f"{self._path}: curve {number}" if many else self._path
        if count < least:
            warn(
                f"{self._path}: curve {number} has {count} points (need >= {least}); skipping that"
                " curve"
            )
            return None
        points = rounded(placed(self._lines.points[first : first + count], self._matrix))
        if closed:
            points = np.concatenate([points, points[:1]])
        own = shapes.part(first, count)
        curve = curve_of(points, own, self._matrix, name, closed=closed)
        if curve is None:
            warn(
                f"{self._path}: curve {number} has non-finite points or duplicate consecutive"
                " points (zero-length segment); skipping that curve"
            )
        return curve

    def _add_curve(
        self,
        place: tuple[int, int, int, int],
        curve: Curve,
        stuff: Stuff,
        config: Any,
        root: Root | None,
    ) -> None:
        number, first, count, segment = place
        closed, builder = self._lines.closed, self._reading.builder
        parts = len(curve.lengths)
        radii, at = stuff.segments[segment : segment + parts], stuff.points[first : first + count]
        at_joints = [*at[1:], at[0]] if closed else at[1:-1]
        rod = Rod(
            curve.points,
            quaternions=curve.frames,
            rest_points=curve.rest_points,
            rest_quaternions=curve.rest_frames,
            radius=radii[0],
            closed=closed,
        )
        many = len(self._lines.counts) > 1
        label = f"{self._path}_curve{number}" if many else self._path
        held = None
        if root is not None:
            held = self._held(root)
            if root.point == count - 1:
                at_joints.reverse()
        bodies, joints = add_held_rod(builder, rod, config, label, held)
        own = self_collision(self._prim)
        if own is not None and (root is None or root.parent < 0):
            self._reading.apart[len(builder.articulation_start) - 1] = own
        for body, radius in zip(bodies, radii, strict=True):
            masses.set_radius(builder, body, radius)
        sizes = zip(curve.lengths, radii, strict=True)
        segments = dict(zip(bodies, sizes, strict=True))
        gains.write_gains(
            builder, joints, stuff.material, segments, at_joints, self._reading.metres
        )
        self._bodies += bodies
        self._joints += joints
        volumes = [math.pi * r**2 * size for size, r in segments.values()]
        self._runs.append(masses.Run(number, first, count, segment, bodies, volumes, closed))
        for part, (body, length) in enumerate(zip(bodies, curve.lengths, strict=True)):
            self._segments[segment + part] = (body, length)
            for point, side in ((part, -0.5), (part + 1, 0.5)):
                ends = self._ends.setdefault(first + point % count, [])
                ends.append((body, wp.vec3(0.0, 0.0, side * length)))
        if closed:  # its first point comes at the end of the last segment, and then begins one
            self._ends[first].reverse()

    def _held(self, root: Root) -> HeldNode:
        """A ball joint at the end of the cable, which begins with its present turn."""
        builder = self._reading.builder
        made: list[int] = []
        self._reading.held[root.path] = made

        def join(child: int, frame: Any) -> int:
            own = wp.transform(root.anchor, wp.quat_identity())
            label = f"{root.path}_site0"
            joint = builder.add_joint_ball(
                root.parent, child, parent_xform=own, child_xform=frame, key=label
            )
            parent = builder.body_q[root.parent] if root.parent >= 0 else wp.transform_identity()
            ends = wp.transform_inverse(parent * own) * (builder.body_q[child] * frame)
            start = builder.joint_q_start[joint]
            builder.joint_q[start : start + 4] = list(wp.transform_get_rotation(ends))
            made.append(joint)
            return joint

        return HeldNode(root.point, root.parent, join)

    def _note(self, stuff: Stuff, own: Elements | None) -> None:
        reading, path = self._reading, self._path
        reading.cables[path] = (self._bodies, self._joints)
        reading.segments[path], reading.ends[path] = self._segments, self._ends
        reading.attributes["cable"][path] = {
            "material": dict(stuff.material or {}),
            "resolved_density": stuff.density,
            "closed": self._lines.closed,
            **simulation(stuff.thicknesses, own),
        }


def held_point(prim: Any, count: int, closed: bool) -> int | None:
    """The end of a cable that an attachment holds hard at a prim, or None.

    Args:
        prim: The attachment.
        count: Points of the cable.
        closed: Whether it has no ends.
    """
    points = [int(i) for i in read(prim, "indices0") or ()]
    kinds = tuple(str(read(prim, f"type{end}") or "") for end in (0, 1))
    stiffness, damping = materials.gains(read(prim, "stiffness"), read(prim, "damping"))
    enabled = read(prim, "attachmentEnabled")
    holds = enabled is None or bool(enabled)
    hard = stiffness == math.inf and damping is not None and 0.0 <= damping < math.inf
    lone = len(points) == 1 and not read(prim, "indices1") and len(read(prim, "coords1") or ()) < 2
    if closed or kinds != ("point", "xform") or not (holds and hard and lone):
        return None
    return points[0] if points[0] in (0, count - 1) else None


def root_of(reading: Reading, prim: Any, lines: tuple[int, bool], bodies: set[int]) -> Root | None:
    """What holds the root of a cable's articulation, by an attachment.

    Args:
        reading: The stage.
        prim: The attachment.
        lines: How many points the cable has, and whether it is closed.
        bodies: Those of the last articulation, which alone can go on.
    """
    point = held_point(prim, *lines)
    if point is None:
        return None
    places = [*(read(prim, "coords1") or ())]
    place = wp.vec3(*(float(v) for v in places[0])) if places else wp.vec3()
    target = reading.target(target_of(prim, "physics:src1"), place)
    if target is None or (target[0] >= 0 and target[0] not in bodies):
        return None
    return Root(str(prim.GetPath()), point, *target)


def last_articulation(builder: Any) -> set[int]:
    """The bodies of the last articulation."""
    last = len(builder.articulation_start) - 1
    joints = [j for j, own in enumerate(builder.joint_articulation) if own == last >= 0]
    bodies = {builder.joint_child[j] for j in joints} | {builder.joint_parent[j] for j in joints}
    return bodies - {-1}
