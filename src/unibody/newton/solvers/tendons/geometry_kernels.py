# pyright: basic, reportInvalidTypeForm=false
"""Ends of spans of tendons: points of bodies, and points where cables leave or reach rollers.

A cable runs from guide to guide. Where it moves forward around a roller of orientation 1, the
roller turns about its axis; so its direction at a radius r is ``orientation * (axis x r)``. Both
ends of a span are tangent to circles of signed radii that way, of which a point is one without
radius: with V from centre to centre in the plane of the rollers, the span leans from V by
``asin((r_left - r_right) / |V|)``.
"""

# Warp reads annotations as they stand: no `from __future__ import annotations` here.

import warp as wp

from unibody.newton.solvers.joint_force_kernels import beside
from unibody.newton.tendons import TendonGuideType

wp.set_module_options({"enable_backward": False})

ROLLER: int = wp.constant(int(TendonGuideType.ROLLER))
ANCHOR: int = wp.constant(int(TendonGuideType.ANCHOR))
PARALLEL: float = wp.constant(0.99999)
"""Cosine of the angle between axes of rollers above which their circles lie in one plane."""
TURNS: int = wp.constant(24)
"""Times that the ends of a span between rollers in two planes are found by turns."""
LEAST: float = wp.constant(1.0e-6)
"""Material [m] that a span keeps at least."""


@wp.struct
class Guides:
    """Guides of all tendons, as the model has them."""

    start: wp.array(dtype=int)
    body: wp.array(dtype=int)
    kind: wp.array(dtype=int)
    flags: wp.array(dtype=int)
    orientation: wp.array(dtype=int)
    radius: wp.array(dtype=float)
    mu: wp.array(dtype=float)
    offset: wp.array(dtype=wp.vec3)
    axis: wp.array(dtype=wp.vec3)


@wp.struct
class Spans:
    """Straight spans of all tendons, and what their guides do now.

    A span is the one behind a guide; where a cable leaves a roller out, the span before it goes on
    to the next guide, and the span behind it does nothing.
    """

    rest: wp.array(dtype=float)
    active: wp.array(dtype=int)
    guide_l: wp.array(dtype=int)
    guide_r: wp.array(dtype=int)
    left: wp.array(dtype=wp.vec3)
    right: wp.array(dtype=wp.vec3)
    left_local: wp.array(dtype=wp.vec3)
    right_local: wp.array(dtype=wp.vec3)
    length: wp.array(dtype=float)
    length_before: wp.array(dtype=float)
    material_compliance: wp.array(dtype=float)
    material_damping: wp.array(dtype=float)
    compliance: wp.array(dtype=float)
    damping: wp.array(dtype=float)
    stretch: wp.array(dtype=float)
    material: wp.array(dtype=float)
    drag: wp.array(dtype=float)
    rolled_l: wp.array(dtype=float)
    rolled_r: wp.array(dtype=float)
    neighbour: wp.array(dtype=int)
    ratio: wp.array(dtype=float)
    touched: wp.array(dtype=bool)
    """Of each guide: whether the cable touches it."""
    pull: wp.array(dtype=float)
    """Impulse of the tension of each span in a step [N s]."""
    pulled: wp.array(dtype=float)
    """The same before a round."""
    multiplier: wp.array(dtype=float)
    """The same after a step, less than 0 as a multiplier of a stretch."""
    friction: wp.array(dtype=float)
    """Impulse of each roller's rim in a step [N s]."""
    rubbed: wp.array(dtype=float)
    """The same before a round."""
    carried: wp.array(dtype=float)
    """Material that each roller has carried forward in a step by turning [m]."""
    grip: wp.array(dtype=float)
    """Of each guide: 1 where the cable sticks to its roller."""
    moved: wp.array(dtype=wp.spatial_vector)
    """Impulses on the body of each guide in a round."""
    sweeps: wp.array(dtype=int)
    """Of each tendon: sweeps until the tensions of its spans had settled."""


@wp.struct
class Rules:
    """When sweeps end, and when rollers are touched."""

    max_sweeps: int
    settled: float
    activation: float


@wp.func
def place_of(q: wp.array(dtype=wp.transform), body: int, local: wp.vec3):
    """A point of a body in the world."""
    if body < 0:
        return local
    return wp.transform_point(q[body], local)


@wp.func
def vector_of(q: wp.array(dtype=wp.transform), body: int, local: wp.vec3):
    """A direction of a body in the world."""
    if body < 0:
        return local
    return wp.transform_vector(q[body], local)


@wp.func
def local_of(q: wp.array(dtype=wp.transform), body: int, point: wp.vec3):
    """A point of the world in the frame of a body."""
    if body < 0:
        return point
    return wp.transform_point(wp.transform_inverse(q[body]), point)


@wp.func
def flat(v: wp.vec3, n: wp.vec3):
    """A vector without what it has along a unit vector."""
    return v - n * wp.dot(n, v)


@wp.func
def side_of(way: wp.vec3, r_l: float, r_r: float, n: wp.vec3):
    """The direction that is to the left of a tangent of two circles with signed radii."""
    in_plane = flat(way, n)
    far = wp.length(in_plane)
    along = beside(n)
    if far > 1.0e-9:
        along = in_plane / far
    sine = wp.clamp((r_l - r_r) / wp.max(far, 1.0e-9), -1.0, 1.0)
    cosine = wp.sqrt(1.0 - sine * sine)
    return wp.cross(n, along * cosine + wp.cross(n, along) * sine)


@wp.func
def signed_radius(guides: Guides, g: int):
    """The radius of a roller with the sign of its orientation; 0 of points."""
    if guides.kind[g] != ROLLER:
        return 0.0
    return guides.radius[g] * float(guides.orientation[g])


@wp.func
def ends_of(guides: Guides, q: wp.array(dtype=wp.transform), gl: int, gr: int):
    """Both ends of the span between two guides in the world."""
    p_l = place_of(q, guides.body[gl], guides.offset[gl])
    p_r = place_of(q, guides.body[gr], guides.offset[gr])
    r_l = signed_radius(guides, gl)
    r_r = signed_radius(guides, gr)
    if r_l == 0.0 and r_r == 0.0:
        return p_l, p_r
    n_l = vector_of(q, guides.body[gl], guides.axis[gl])
    n_r = vector_of(q, guides.body[gr], guides.axis[gr])
    if r_l == 0.0:
        return p_l, p_r - side_of(p_r - p_l, 0.0, r_r, n_r) * r_r
    if r_r == 0.0:
        return p_l - side_of(p_r - p_l, r_l, 0.0, n_l) * r_l, p_r
    across = wp.dot(n_l, n_r)
    same = r_r
    if across < 0.0:
        same = -r_r
    side = side_of(p_r - p_l, r_l, same, n_l)
    left = p_l - side * r_l
    right = p_r - side * same
    if wp.abs(across) < PARALLEL:
        for _ in range(TURNS):
            right = p_r - side_of(p_r - left, 0.0, r_r, n_r) * r_r
            left = p_l - side_of(right - p_l, r_l, 0.0, n_l) * r_l
    return left, right


@wp.func
def turned_by(before: wp.vec3, after: wp.vec3, n: wp.vec3):
    """The angle between two radii about an axis [rad]: exactly 0 of equal ones."""
    change = after - before
    return wp.atan2(
        wp.dot(n, wp.cross(before, change)),
        wp.dot(flat(before, n), flat(before, n)) + wp.dot(before, flat(change, n)),
    )


@wp.func
def wrap_of(guides: Guides, g: int, reached: wp.vec3, left: wp.vec3):
    """How far a cable runs around a roller [rad], from -90 to 270 degrees.

    Both radii are in the frame of the body; less than none is a cable that only just passes.
    """
    n = guides.axis[g]
    angle = turned_by(reached - guides.offset[g], left - guides.offset[g], n)
    angle = angle * float(guides.orientation[g])
    if angle < -0.5 * wp.pi:
        angle = angle + 2.0 * wp.pi
    return angle
