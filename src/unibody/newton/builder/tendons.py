"""Tendons: cables without mass that run over guides of bodies (of 1.x)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import warp as wp

from unibody.newton.builder import custom
from unibody.newton.builder.tables import Tables
from unibody.newton.enums import AttributeFrequency
from unibody.newton.tendons import TendonGuide, TendonGuideFlags, TendonGuideType

_LEAST = 2  # guides of a tendon
_SPAN_DEFAULTS = {"compliance": 0.0, "damping": 0.0, "rest_length": -1.0}
_NOT_NEGATIVE = {
    "radius": "radius",
    "mu": "friction coefficient mu",
    "compliance": "compliance",
    "damping": "damping",
}


def add_tendon(
    self: Tables,
    route: Sequence[TendonGuide],
    *,
    label: str | None = None,
    custom_attributes: dict[str, Any] | None = None,
) -> int:
    """Add a tendon.

    Args:
        self: The builder.
        route: Its guides in order, two or more, all of one world.
        label: Its name; None: its number.
        custom_attributes: Key -> value, of frequency TENDON.

    Returns:
        Its index.

    Raises:
        TypeError: An entry is no guide.
        ValueError: The guides make no tendon; the message says why.
    """
    guides = list(route)
    for guide in guides:
        if not isinstance(guide, TendonGuide):
            raise TypeError(f"route: {type(guide).__name__} is no newton.TendonGuide")
    if len(guides) < _LEAST:
        raise ValueError(f"a tendon has at least two guides, the route has {len(guides)}")
    rows = [_checked(self, number, guide) for number, guide in enumerate(guides)]
    _check_route(guides)
    world = _world_of(self, guides)
    _check_attributes(self, guides, custom_attributes)
    number, first, span = self.tendon_count, self.tendon_guide_count, self.tendon_segment_count
    self.tendon_start.append(first)
    self.tendon_label.append(f"tendon_{number}" if label is None else label)
    self.tendon_world.append(world)
    for row in rows:
        for name, value in row.items():
            getattr(self, f"tendon_guide_{name}").append(value)
    for guide in guides[1:]:
        self.tendon_segment_compliance.append(float(guide.compliance))
        self.tendon_segment_damping.append(float(guide.damping))
        self.tendon_segment_rest_length.append(float(guide.rest_length))
    custom.set_values(self, number, custom_attributes, AttributeFrequency.TENDON)
    for n, guide in enumerate(guides):
        kind = AttributeFrequency.TENDON_GUIDE
        custom.set_values(self, first + n, guide.custom_attributes, kind)
        if n:
            values, kind = guide.segment_custom_attributes, AttributeFrequency.TENDON_SEGMENT
            custom.set_values(self, span + n - 1, values, kind)
    return number


def _checked(self: Tables, number: int, guide: TendonGuide) -> dict[str, Any]:
    """The rows of a guide, by the ends of their lists' names."""
    where = f"guide {number} of the route"
    body = guide.body
    if isinstance(body, bool) or not isinstance(body, int | np.integer):
        raise ValueError(f"{where}: body index {body!r} is no whole number")
    if not -1 <= body < self.body_count:
        raise ValueError(f"{where}: body index {body} is not in -1 to {self.body_count - 1}")
    try:
        kind = TendonGuideType(guide.guide_type)
    except ValueError:
        allowed = ", ".join(f"{one.name} ({one.value})" for one in TendonGuideType)
        raise ValueError(f"{where}: guide type {guide.guide_type!r} is none of {allowed}") from None
    if guide.orientation not in {1, -1}:
        raise ValueError(f"{where}: orientation {guide.orientation!r} is neither 1 nor -1")
    for name, meant in _NOT_NEGATIVE.items():
        value = float(getattr(guide, name))
        if not (math.isfinite(value) and value >= 0.0):
            raise ValueError(f"{where}: {meant} {value} is not finite and non-negative")
    if kind == TendonGuideType.ROLLER and guide.radius <= 0.0:
        raise ValueError(f"{where}: the radius of a ROLLER is positive, not {guide.radius}")
    if not math.isfinite(guide.rest_length):
        raise ValueError(f"{where}: rest length {guide.rest_length} is not finite")
    if guide.dynamic and kind != TendonGuideType.ROLLER:
        raise ValueError(f"{where}: dynamic routing is only supported for ROLLER guides")
    axis = np.array(_vector(where, "axis", guide.axis))
    size = float(np.linalg.norm(axis))
    if size <= 0.0:
        raise ValueError(f"{where}: axis {guide.axis} has no length")
    x, y, z = (axis / size).tolist()
    return {
        "body": int(body),
        "type": int(kind),
        "radius": float(guide.radius),
        "orientation": int(guide.orientation),
        "mu": float(guide.mu),
        "flags": int(TendonGuideFlags.DYNAMIC) if guide.dynamic else 0,
        "offset": _vector(where, "offset", guide.offset),
        "axis": (x, y, z),
    }


def _vector(where: str, name: str, given: Any) -> tuple[float, float, float]:
    values = [float(v) for v in given]
    if len(values) != 3 or not all(math.isfinite(v) for v in values):
        raise ValueError(f"{where}: {name} {given} is not three finite numbers")
    x, y, z = values
    return (x, y, z)


def _check_route(guides: list[TendonGuide]) -> None:
    """Check what guides have to be beside one another."""
    first = guides[0]
    stated = [name for name, value in _SPAN_DEFAULTS.items() if getattr(first, name) != value]
    if stated or first.segment_custom_attributes:
        names = ", ".join([*stated, *(first.segment_custom_attributes or ())])
        raise ValueError(f"the first guide has no incoming span, which {names} would belong to")
    if first.dynamic or guides[-1].dynamic:
        raise ValueError("a dynamic ROLLER needs guides on both sides of it in the route")
    if any(one.dynamic and other.dynamic for one, other in pairwise(guides)):
        raise ValueError("Consecutive dynamic ROLLER guides are not supported: one between works")


def _world_of(self: Tables, guides: list[TendonGuide]) -> int:
    """The world of a tendon: guides that are fixed to the world belong to the current one."""
    worlds = {
        self.body_world[guide.body] if guide.body >= 0 else self.current_world for guide in guides
    }
    if len(worlds) > 1:
        raise ValueError(
            f"all guides of a tendon belong to the same world, these to {sorted(worlds)}"
        )
    return worlds.pop()


def _check_attributes(
    self: Tables, guides: list[TendonGuide], of_tendon: dict[str, Any] | None
) -> None:
    """Check that attributes are defined, before anything is added."""
    given = [(AttributeFrequency.TENDON, of_tendon)]
    for guide in guides:
        given.append((AttributeFrequency.TENDON_GUIDE, guide.custom_attributes))
        given.append((AttributeFrequency.TENDON_SEGMENT, guide.segment_custom_attributes))
    for frequency, values in given:
        custom.check_values(self, values, frequency)


def pairs_of_bodies(
    start: Sequence[int], bodies: Sequence[int], flags: Sequence[int]
) -> list[tuple[int, int]]:
    """Bodies that spans of tendons connect, those of routes that leave rollers out included.

    Args:
        start: The first guide of each tendon.
        bodies: Of all guides.
        flags: Of all guides.
    """
    found: list[tuple[int, int]] = []
    for first, end in pairwise([*start, len(bodies)]):
        for guide in range(first, end - 1):
            found.append((bodies[guide], bodies[guide + 1]))
            if guide > first and flags[guide] & TendonGuideFlags.DYNAMIC:
                found.append((bodies[guide - 1], bodies[guide + 1]))
    return [(a, b) for a, b in found if min(a, b) >= 0 and a != b]


def move_guides(self: Tables, guides: Sequence[int], pose: wp.transform) -> None:
    """Move guides by a pose of their frame.

    Args:
        self: The builder.
        guides: Their indices.
        pose: From the frame that they were in to that they are in then.
    """
    for guide in guides:
        offset, axis = self.tendon_guide_offset[guide], self.tendon_guide_axis[guide]
        place = wp.transform_point(pose, wp.vec3(*offset))
        turned = wp.transform_vector(pose, wp.vec3(*axis))
        self.tendon_guide_offset[guide] = (float(place[0]), float(place[1]), float(place[2]))
        self.tendon_guide_axis[guide] = (float(turned[0]), float(turned[1]), float(turned[2]))
