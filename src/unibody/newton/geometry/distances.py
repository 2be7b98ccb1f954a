# pyright: basic, reportInvalidTypeForm=false
"""Signed distances to shapes, and their directions, as functions for Warp kernels.

Points are in the frame of the shape; distances are negative inside [m]. Formulas for solids of
revolution are those of the trapezoid that turns about the axis.
"""

# Warp reads annotations as they stand: no `from __future__ import annotations` here.

import warp as wp

from unibody.newton.enums import Axis

_Y = int(Axis.Y)


@wp.func
def along_axis(point: wp.vec3, up_axis: int):
    """A point with an axis as its third coordinate."""
    if up_axis == 0:
        return wp.vec3(point[1], point[2], point[0])
    if up_axis == 1:
        return wp.vec3(point[2], point[0], point[1])
    return point


@wp.func
def revolved(point: wp.vec3, low: float, high: float, half: float):
    """Direction and distance of a truncated cone along z, radius `low` below and `high` above."""
    rho = wp.sqrt(point[0] * point[0] + point[1] * point[1])
    z = point[2]
    rim = high
    if z < 0.0:
        rim = low
    cap = wp.vec2(rho - wp.min(rho, rim), wp.abs(z) - half)
    edge = wp.vec2(high - low, 2.0 * half)
    from_top = wp.vec2(high - rho, half - z)
    share = wp.clamp(wp.dot(from_top, edge) / wp.dot(edge, edge), 0.0, 1.0)
    side = edge * share - from_top
    outward = wp.vec2(2.0 * half, low - high) / wp.length(edge)
    sign = float(1.0)
    if cap[1] < 0.0 and wp.dot(side, outward) < 0.0:
        sign = float(-1.0)
    upward = float(1.0)
    if z < 0.0:
        upward = float(-1.0)
    square = wp.dot(cap, cap)
    profile = wp.vec2(cap[0], cap[1] * upward)
    flat = wp.vec2(0.0, upward)
    if wp.dot(side, side) < square:
        square = wp.dot(side, side)
        profile = side
        flat = outward
    distance = wp.sqrt(square)
    towards = flat
    if distance > 1.0e-7:
        towards = profile * (sign / distance)
    radial = wp.vec2(1.0, 0.0)
    if rho > 1.0e-9:
        radial = wp.vec2(point[0] / rho, point[1] / rho)
    return wp.vec4(radial[0] * towards[0], radial[1] * towards[0], towards[1], sign * distance)


@wp.func
def of_barrel(point: wp.vec3, size: wp.vec3):
    """Direction and distance of a barrel along z: radius of its rims, half height, and arc."""
    rho = wp.sqrt(point[0] * point[0] + point[1] * point[1])
    z = point[2]
    root = wp.sqrt(size[2] * size[2] - size[1] * size[1])
    from_arc = wp.vec2(rho - (size[0] - root), z)  # from the middle of the arc
    away = wp.max(wp.length(from_arc), 1.0e-9)
    at_side = from_arc / away
    side = away - size[2]
    cap = wp.abs(z) - size[1]
    towards = wp.vec2(0.0, wp.sign(z))
    distance = cap
    if wp.abs(at_side[1]) * size[2] <= size[1] and side >= cap:
        towards = at_side
        distance = side
    elif rho > size[0] and cap > wp.min(side, 0.0):
        from_rim = wp.vec2(rho - size[0], z - wp.sign(z) * size[1])
        distance = wp.length(from_rim)
        towards = from_rim / wp.max(distance, 1.0e-9)
    radial = wp.vec2(1.0, 0.0)
    if rho > 1.0e-9:
        radial = wp.vec2(point[0] / rho, point[1] / rho)
    return wp.vec4(radial[0] * towards[0], radial[1] * towards[0], towards[1], distance)


@wp.func
def of_box(point: wp.vec3, half: wp.vec3):
    """Direction and distance of a box."""
    beyond = point - wp.min(wp.max(point, -half), half)
    outside = wp.length(beyond)
    if outside > 0.0:
        n = beyond / outside
        return wp.vec4(n[0], n[1], n[2], outside)
    gap = wp.vec3(
        wp.abs(point[0]) - half[0], wp.abs(point[1]) - half[1], wp.abs(point[2]) - half[2]
    )
    if gap[0] >= gap[1] and gap[0] >= gap[2]:
        return wp.vec4(wp.sign(point[0]), 0.0, 0.0, gap[0])
    if gap[1] >= gap[2]:
        return wp.vec4(0.0, wp.sign(point[1]), 0.0, gap[1])
    return wp.vec4(0.0, 0.0, wp.sign(point[2]), gap[2])


@wp.func
def of_capsule(point: wp.vec3, radius: float, half: float):
    """Direction and distance of a capsule along z."""
    apart = point - wp.vec3(0.0, 0.0, wp.clamp(point[2], -half, half))
    distance = wp.length(apart)
    n = wp.vec3(1.0, 0.0, 0.0)
    if half == 0.0:
        n = wp.vec3(0.0, 0.0, 1.0)
    if distance > 0.0:
        n = apart / distance
    return wp.vec4(n[0], n[1], n[2], distance - radius)


@wp.func
def of_ellipsoid(point: wp.vec3, radii: wp.vec3):
    """Direction and distance of an ellipsoid, exact to first order near its surface."""
    once = wp.cw_div(point, radii)
    twice = wp.cw_div(once, radii)
    level = wp.length(once)
    slope = wp.length(twice)
    if slope < 1.0e-9:
        return wp.vec4(0.0, 0.0, 1.0, -wp.min(radii))
    n = twice / slope
    return wp.vec4(n[0], n[1], n[2], level * (level - 1.0) / slope)


@wp.func
def sdf_sphere(point: wp.vec3, radius: float):
    """Signed distance to a sphere."""
    return wp.length(point) - radius


@wp.func
def sdf_box(point: wp.vec3, hx: float, hy: float, hz: float):
    """Signed distance to a box."""
    return of_box(point, wp.vec3(hx, hy, hz))[3]


@wp.func
def sdf_capsule(point: wp.vec3, radius: float, half_height: float, up_axis: int = _Y):
    """Signed distance to a capsule along an axis."""
    return of_capsule(along_axis(point, up_axis), radius, half_height)[3]


@wp.func
def sdf_cylinder(
    point: wp.vec3,
    radius: float,
    half_height: float,
    up_axis: int = _Y,
    top_radius: float = -1.0,
):
    """Signed distance to a cylinder, or to a truncated cone."""
    top = top_radius
    if top_radius < 0.0:
        top = radius
    return revolved(along_axis(point, up_axis), radius, top, half_height)[3]


@wp.func
def sdf_cone(point: wp.vec3, radius: float, half_height: float, up_axis: int = _Y):
    """Signed distance to a cone with its base at -half_height."""
    return revolved(along_axis(point, up_axis), radius, 0.0, half_height)[3]


@wp.func
def sdf_ellipsoid(point: wp.vec3, radii: wp.vec3):
    """Signed distance to an ellipsoid, exact to first order near its surface."""
    return of_ellipsoid(point, radii)[3]


@wp.func
def sdf_plane(point: wp.vec3, width: float, length: float):
    """Distance to a rectangle of half sizes in the x-y plane; without sizes, height above it."""
    if width > 0.0 and length > 0.0:
        beyond = wp.max(wp.abs(point[0]) - width, wp.abs(point[1]) - length)
        return wp.max(beyond, wp.abs(point[2]))
    return point[2]


@wp.func
def sdf_mesh(mesh: wp.uint64, point: wp.vec3, max_dist: float):
    """Signed distance to a mesh; `max_dist` where it is farther."""
    query = wp.mesh_query_point_sign_normal(mesh, point, max_dist)
    if query.result:
        nearest = wp.mesh_eval_position(mesh, query.face, query.u, query.v)
        return wp.length(point - nearest) * query.sign
    return max_dist
