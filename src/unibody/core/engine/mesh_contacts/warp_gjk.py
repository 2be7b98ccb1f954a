# pyright: basic, reportInvalidTypeForm=false
"""Closest points of a triangle and a core on a Warp device: the second execution of ``gjk``."""

from __future__ import annotations

import warp as wp

from unibody.core.engine.mesh_contacts.warp_shapes import Hulls, Shape, support

ROUNDS: int = wp.constant(40)
CONVERGED: float = wp.constant(3e-8)  # share of the squared distance: float32 knows no smaller one
FLAT: float = wp.constant(1e-12)  # squared sine: a simplex that is flatter has no inside
OVERLAP: float = wp.constant(1e-13)  # m^2: closer than this is an overlap
FAR: float = wp.constant(1e30)
INSIDE: float = wp.constant(-1.0)  # a share that says that the origin is inside of a simplex


class mat43(wp.types.matrix(shape=(4, 3), dtype=wp.float32)):  # noqa: N801, D101 - a Warp type
    pass


@wp.struct
class Near:
    """The vector from a triangle to a core, its length (0: they overlap), shares of the corners."""

    vector: wp.vec3
    shares: wp.vec3
    length: float


@wp.func
def nearest_on_triangle(a: wp.vec3, b: wp.vec3, c: wp.vec3) -> wp.vec3:
    """Shares of the three corners in the point of a triangle that is nearest to the origin."""
    u = b - a
    v = c - a
    d1 = -wp.dot(u, a)
    d2 = -wp.dot(v, a)
    if d1 <= 0.0 and d2 <= 0.0:
        return wp.vec3(1.0, 0.0, 0.0)
    d3 = -wp.dot(u, b)
    d4 = -wp.dot(v, b)
    if d3 >= 0.0 and d4 <= d3:
        return wp.vec3(0.0, 1.0, 0.0)
    third = d1 * d4 - d3 * d2
    if third <= 0.0 and d1 >= 0.0 and d3 <= 0.0:
        share = d1 / (d1 - d3)
        return wp.vec3(1.0 - share, share, 0.0)
    d5 = -wp.dot(u, c)
    d6 = -wp.dot(v, c)
    if d6 >= 0.0 and d5 <= d6:
        return wp.vec3(0.0, 0.0, 1.0)
    second = d5 * d2 - d1 * d6
    if second <= 0.0 and d2 >= 0.0 and d6 <= 0.0:
        share = d2 / (d2 - d6)
        return wp.vec3(1.0 - share, 0.0, share)
    first = d3 * d6 - d5 * d4
    if first <= 0.0 and d4 - d3 >= 0.0 and d5 - d6 >= 0.0:
        share = (d4 - d3) / ((d4 - d3) + (d5 - d6))
        return wp.vec3(0.0, 1.0 - share, share)
    total = 1.0 / (first + second + third)
    return wp.vec3(1.0 - (second + third) * total, second * total, third * total)


@wp.func
def _on_edge(a: wp.vec3, b: wp.vec3) -> float:
    step = b - a
    square = wp.dot(step, step)
    if square <= 0.0:
        return 0.0
    return wp.clamp(-wp.dot(a, step) / square, 0.0, 1.0)


@wp.func
def _outside(a: wp.vec3, b: wp.vec3, c: wp.vec3, other: wp.vec3) -> bool:
    """Whether the origin is not on the side of a face where the simplex has its other corner."""
    n = wp.cross(b - a, c - a)
    m = other - a
    inner = wp.dot(n, m)
    flat = FLAT * wp.dot(n, n) * wp.dot(m, m)
    return inner * inner <= flat or -wp.dot(n, a) * inner <= 0.0


@wp.func
def _of_face(a: wp.vec3, b: wp.vec3, c: wp.vec3) -> wp.vec4:
    """Shares of three points in their nearest point, and its squared distance."""
    shares = nearest_on_triangle(a, b, c)
    point = shares[0] * a + shares[1] * b + shares[2] * c
    return wp.vec4(shares[0], shares[1], shares[2], wp.dot(point, point))


@wp.func
def _of_four(s: mat43) -> wp.vec4:
    best = float(FAR)
    shares = wp.vec4(INSIDE, 0.0, 0.0, 0.0)
    if _outside(s[0], s[1], s[2], s[3]):
        face = _of_face(s[0], s[1], s[2])
        best = face[3]
        shares = wp.vec4(face[0], face[1], face[2], 0.0)
    if _outside(s[0], s[1], s[3], s[2]):
        face = _of_face(s[0], s[1], s[3])
        if face[3] < best:
            best = face[3]
            shares = wp.vec4(face[0], face[1], 0.0, face[2])
    if _outside(s[0], s[2], s[3], s[1]):
        face = _of_face(s[0], s[2], s[3])
        if face[3] < best:
            best = face[3]
            shares = wp.vec4(face[0], 0.0, face[1], face[2])
    if _outside(s[1], s[2], s[3], s[0]):
        face = _of_face(s[1], s[2], s[3])
        if face[3] < best:
            shares = wp.vec4(0.0, face[0], face[1], face[2])
    return shares


@wp.func
def _share_out(s: mat43, count: int) -> wp.vec4:
    """Shares of the points of a simplex in its nearest point; ``INSIDE`` first if there is none."""
    if count == 1:
        return wp.vec4(1.0, 0.0, 0.0, 0.0)
    if count == 2:
        share = _on_edge(s[0], s[1])
        return wp.vec4(1.0 - share, share, 0.0, 0.0)
    if count == 3:
        face = _of_face(s[0], s[1], s[2])
        return wp.vec4(face[0], face[1], face[2], 0.0)
    return _of_four(s)


@wp.func
def _corner(t: wp.mat33, v: wp.vec3) -> int:
    """The corner of a triangle that is farthest along a direction."""
    a, b, c = wp.dot(t[0], v), wp.dot(t[1], v), wp.dot(t[2], v)
    if a >= b and a >= c:
        return 0
    return wp.where(b >= c, 1, 2)


@wp.func
def nearest(shape: Shape, hulls: Hulls, level: int, t: wp.mat33) -> Near:
    """Distance of a triangle, corners as rows, and a core that is drawn in to a level."""
    near = Near()
    on = nearest_on_triangle(t[0], t[1], t[2])
    v = -(on[0] * t[0] + on[1] * t[1] + on[2] * t[2])
    s = mat43()
    corners = wp.vec4i(0, 0, 0, 0)
    count = int(0)
    square = float(FAR)
    for _ in range(ROUNDS):
        corner = _corner(t, v)
        w = support(shape, hulls, level, -v) - t[corner]
        if count > 0 and square - wp.dot(v, w) <= CONVERGED * square:
            break
        known = bool(False)
        for n in range(count):
            if s[n, 0] == w[0] and s[n, 1] == w[1] and s[n, 2] == w[2]:
                known = True
        if known:
            break
        s[count] = w
        corners[count] = corner
        shares = _share_out(s, count + 1)
        if shares[0] == INSIDE:
            return near
        left = int(0)
        u = wp.vec3()
        on = wp.vec3()
        for n in range(count + 1):
            if shares[n] > 0.0:
                point = s[n]
                of = corners[n]
                u += shares[n] * point
                on[of] = on[of] + shares[n]
                s[left] = point
                corners[left] = of
                left += 1
        count = left
        closer = wp.dot(u, u)
        if count == 0 or closer <= OVERLAP:
            return near
        if closer >= square:
            break
        v = u
        square = closer
        near.shares = on
    near.vector = v
    near.length = wp.sqrt(square)
    return near
