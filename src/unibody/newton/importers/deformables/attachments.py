"""Attachments of a stage: points of deformable bodies that rigid ones or the world hold."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import warp as wp

from unibody.newton.exceptions import warn
from unibody.newton.importers.deformables import materials
from unibody.newton.importers.deformables.context import Anchors, Reading, target_of
from unibody.newton.importers.deformables.reading import read

_SHORTEST = 1e-8  # of a segment [m]


class _UnsupportedError(Exception):
    """An attachment has no counterpart; what it states is returned all the same."""


@dataclass(slots=True)
class _Attachment:
    """What a prim ``PhysicsAttachment`` states."""

    path: str
    source: str
    target: str
    kinds: tuple[str, str]
    indices: tuple[list[int], list[int]]
    places: tuple[list[wp.vec3], list[wp.vec3]]
    enabled: bool
    stiffness: float | None
    damping: float | None
    attributes: dict[str, Any]


def add_attachments(reading: Reading) -> None:
    """Add what attachments hold: cables by ball joints, particles by attachments to bodies."""
    for prim in reading.found.attachments:
        path = str(prim.GetPath())
        if path in reading.merged:
            continue
        found = _read(prim)
        reading.attributes["attachment"][path] = found.attributes
        if path in reading.held:
            found.attributes["joint_indices"] = list(reading.held[path])
            continue
        try:
            _add(reading, prim, found)
        except _UnsupportedError as problem:
            found.attributes["unsupported_reason"] = str(problem)
            warn(f"{path}: {problem}")


def _read(prim: Any) -> _Attachment:
    sources = [target_of(prim, f"physics:src{end}") for end in (0, 1)]
    kinds = [str(read(prim, f"type{end}") or "") for end in (0, 1)]
    indices = [[int(i) for i in read(prim, f"indices{end}") or ()] for end in (0, 1)]
    places = [
        [wp.vec3(*(float(v) for v in place)) for place in read(prim, f"coords{end}") or ()]
        for end in (0, 1)
    ]
    enabled = read(prim, "attachmentEnabled")
    stated = read(prim, "stiffness"), read(prim, "damping")
    stiffness, damping = materials.gains(*stated)
    holds = enabled is None or bool(enabled)
    attributes: dict[str, Any] = {"enabled": holds}
    for end in (0, 1):
        attributes |= {
            f"src{end}": sources[end],
            f"type{end}": kinds[end],
            f"indices{end}": list(indices[end]),
            f"coords{end}": [tuple(float(v) for v in place) for place in places[end]],
        }
    attributes["stiffness"] = stated[0] if stiffness is None else stiffness
    attributes["damping"] = stated[1] if damping is None else damping
    return _Attachment(
        str(prim.GetPath()),
        sources[0],
        sources[1],
        (kinds[0], kinds[1]),
        (indices[0], indices[1]),
        (places[0], places[1]),
        holds,
        stiffness,
        damping,
        attributes,
    )


def _add(reading: Reading, prim: Any, found: _Attachment) -> None:
    for name, value in (("stiffness", found.stiffness), ("damping", found.damping)):
        if value is None:
            stated = read(prim, name)
            raise _UnsupportedError(
                f"invalid PhysicsAttachment scalar physics:{name}={stated!r} is no numeric scalar"
            )
    assert found.stiffness is not None and found.damping is not None
    span = reading.cloths.get(found.source, reading.softs.get(found.source))
    if not found.enabled and span is None:
        return
    if not found.stiffness >= 0.0 or not 0.0 <= found.damping < math.inf:
        raise _UnsupportedError(
            f"invalid PhysicsAttachment stiffness/damping ({found.stiffness}, {found.damping}):"
            " they are 0 or more, and the damping is finite"
        )
    if span is None and found.source not in reading.segments:
        raise _UnsupportedError(
            f"physics:src0 target {found.source!r} is not an imported cable deformable"
        )
    places = _places(found, "cable attachments" if span is None else "cloth/volume deformables")
    if span is not None:
        _hold_particles(reading, found, places, span["particle"])
    else:
        _hold_cable(reading, found, places)


def _places(found: _Attachment, what: str) -> list[wp.vec3]:
    """Where on the target each site is held; its origin where nothing is stated."""
    sites, places = found.indices[0], found.places[1]
    if found.kinds[1] != "xform":
        raise _UnsupportedError(
            f"PhysicsAttachment type1={found.kinds[1]!r} is not supported for {what}; only 'xform'"
            " targets are"
        )
    if found.indices[1]:
        raise _UnsupportedError("PhysicsAttachment type1='xform' must not author indices1")
    if not sites:
        raise _UnsupportedError("PhysicsAttachment has no indices0 attachment sites")
    if places and len(places) != len(sites):
        raise _UnsupportedError(
            f"PhysicsAttachment coords1 length {len(places)} does not match indices0 length"
            f" {len(sites)} for xform sites"
        )
    return places or [wp.vec3()] * len(sites)


def _hold_particles(
    reading: Reading, found: _Attachment, places: list[wp.vec3], span: tuple[int, int]
) -> None:
    if found.kinds[0] != "point":
        raise _UnsupportedError(
            f"PhysicsAttachment type0={found.kinds[0]!r} is not supported for cloth/volume"
            " deformables; only 'point' sites are"
        )
    count = span[1] - span[0]
    wrong = [i for i in found.indices[0] if not 0 <= i < count]
    if wrong:
        raise _UnsupportedError(
            f"PhysicsAttachment indices0 {wrong} are out of range for {count} simulation points"
        )
    ends: Anchors = []
    for place in places:
        end = reading.target(found.target, place)
        if end is None or end[0] < 0:
            raise _UnsupportedError(
                f"physics:src1 target {found.target!r} is not an imported rigid body; cloth/volume"
                " attachments to static xforms or the world are not supported"
            )
        if not all(math.isfinite(v) for v in end[1]):
            raise _UnsupportedError("PhysicsAttachment anchor coordinates must be finite")
        ends.append(end)
    found.attributes["attachment_particle_body_indices"] = [
        reading.builder.add_attachment_particle_body(
            span[0] + site,
            body,
            body_point=point,
            stiffness=found.stiffness,
            damping=found.damping,
            enabled=found.enabled,
        )
        for site, (body, point) in zip(found.indices[0], ends, strict=True)
    ]


def _hold_cable(reading: Reading, found: _Attachment, places: list[wp.vec3]) -> None:
    kind, sites = found.kinds[0], found.indices[0]
    if kind not in ("point", "segment"):
        raise _UnsupportedError(
            f"PhysicsAttachment type0={kind!r} is not supported for imported cables; 'point' and"
            " 'segment' are"
        )
    if kind == "segment" and len(found.places[0]) != len(sites):
        raise _UnsupportedError(
            f"PhysicsAttachment coords0 length {len(found.places[0])} does not match indices0"
            f" length {len(sites)} for segment sites"
        )
    if math.isfinite(found.stiffness or 0.0):
        raise _UnsupportedError(
            "finite PhysicsAttachment stiffness cannot be represented by a joint of a cable"
        )
    joints: list[int] = []
    for number, site in enumerate(sites):
        own = found.places[0][number] if kind == "segment" else None
        end = _end(reading, found, site, own)
        if end is None:
            continue
        target = reading.target(found.target, places[number])
        if target is None:
            warn(
                f"{found.path}: physics:src1 target {found.target!r} could not be resolved as an"
                " xform: that site is left out"
            )
            continue
        joints.append(
            reading.builder.add_joint_ball(
                target[0],
                end[0],
                parent_xform=wp.transform(target[1], wp.quat_identity()),
                child_xform=wp.transform(end[1], wp.quat_identity()),
                key=f"{found.path}_site{number}",
            )
        )
    if joints:
        reading.held[found.path] = joints
        found.attributes["joint_indices"] = list(joints)


def _end(
    reading: Reading, found: _Attachment, site: int, place: wp.vec3 | None
) -> tuple[int, wp.vec3] | None:
    """The body of a cable's site and where it is in it; None, with a warning, for none.

    A point between two segments is held by the first of them: the joint between them holds the
    other. In a segment a site is at (u, s, t): u of its first point, s along the normal and t
    along the binormal, which is -x of the body.
    """
    kind = found.kinds[0]
    if kind == "point":
        ends = reading.ends[found.source].get(site)
        if not ends:
            warn(
                f"{found.path}: point index {site} is not an imported cable point of"
                f" {found.source}: that site is left out"
            )
            return None
        return ends[0]
    segment = reading.segments[found.source].get(site)
    if segment is None:
        warn(
            f"{found.path}: segment index {site} is not an imported cable segment of"
            f" {found.source}: that site is left out"
        )
        return None
    body, length = segment
    if place is None or length <= _SHORTEST:
        warn(f"{found.path}: segment site {site} has no coords0 or no length: it is left out")
        return None
    u, s, t = (float(v) for v in place)
    return body, wp.vec3(-t, s, (0.5 - u) * length)


def follow(reading: Reading, merged: dict[str, Any]) -> None:
    """Let cables and attachments name bodies and joints as they are after some were merged.

    Args:
        reading: The stage.
        merged: What `collapse_fixed_joints` returned.
    """
    bodies, joints = merged["body_remap"], merged["joint_remap"]
    parents = merged["body_merged_parent"]

    def joints_of(path: str, numbers: list[int]) -> list[int]:
        for joint in numbers:
            if joint not in joints:
                warn(f"{path}: joint {joint} was removed by collapse_fixed_joints")
        return [joints[joint] for joint in numbers if joint in joints]

    def body_of(body: int) -> int:
        if body in bodies:
            return bodies[body]
        parent = parents.get(body, body)
        return bodies.get(parent, parent)

    for path, (own, held) in reading.cables.items():
        reading.cables[path] = ([body_of(body) for body in own], joints_of(path, held))
    for path, held in reading.held.items():
        reading.held[path] = joints_of(path, held)
        attributes = reading.attributes["attachment"].get(path)
        if attributes is not None:
            attributes["joint_indices"] = list(reading.held[path])
