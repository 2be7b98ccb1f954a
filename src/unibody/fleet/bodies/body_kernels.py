# ruff: noqa: PLR0912 - kernels take their state as plain arguments
"""Links, bounding boxes and contacts of all objects, each in one pass.

Shapes that are near (see `grid_kernels`) are compared with the algorithm of Gilbert, Johnson and
Keerthi (1988), which stops as soon as it knows on which side of the margin the distance lies.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from unibody.fleet.bodies import box_kernels
from unibody.machine_code import numba

_compiled = numba.njit(cache=True, error_model="numpy", nogil=True)
_quick_blocks = box_kernels.blocks
_ball_and_box = box_kernels.ball_and_box
_inner_radius = box_kernels.inner_radius
_UNSURE, _TOUCHING = box_kernels.UNSURE, box_kernels.TOUCHING

BOX, SPHERE, CYLINDER, CAPSULE, ELLIPSOID, HULL, PLANE = range(7)
FIXED, REVOLUTE, PRISMATIC = range(3)
_TOUCH = 1e-9  # m: closer is touching
_FAR = 1e30  # m: a plane has no end


@_compiled
def _compose(a: Any, i: int, b: Any, j: int, out: Any, k: int) -> None:
    """``out[k] = a[i] b[j]`` for poses (position, quaternion)."""
    qx, qy, qz, qw = a[i, 3], a[i, 4], a[i, 5], a[i, 6]
    x, y, z = b[j, 0], b[j, 1], b[j, 2]
    tx, ty, tz = 2 * (qy * z - qz * y), 2 * (qz * x - qx * z), 2 * (qx * y - qy * x)
    px = a[i, 0] + x + qw * tx + qy * tz - qz * ty
    py = a[i, 1] + y + qw * ty + qz * tx - qx * tz
    pz = a[i, 2] + z + qw * tz + qx * ty - qy * tx
    rx, ry, rz, rw = b[j, 3], b[j, 4], b[j, 5], b[j, 6]
    out[k, 0], out[k, 1], out[k, 2] = px, py, pz
    ox = qw * rx + qx * rw + qy * rz - qz * ry
    oy = qw * ry - qx * rz + qy * rw + qz * rx
    oz = qw * rz + qx * ry - qy * rx + qz * rw
    ow = qw * rw - qx * rx - qy * ry - qz * rz
    out[k, 3], out[k, 4], out[k, 5], out[k, 6] = ox, oy, oz, ow


@_compiled
def _base_frame(b: Any, out: Any) -> None:
    """Frame of an object's base in the world, into ``out[0]``: from that of its centre of mass."""
    ax, ay, az, aw = b.quat[0], b.quat[1], b.quat[2], b.quat[3]
    qx, qy, qz, qw = -b.com[3], -b.com[4], -b.com[5], b.com[6]
    x, y, z = -b.com[0], -b.com[1], -b.com[2]
    tx, ty, tz = 2 * (qy * z - qz * y), 2 * (qz * x - qx * z), 2 * (qx * y - qy * x)
    ix = x + qw * tx + qy * tz - qz * ty
    iy = y + qw * ty + qz * tx - qx * tz
    iz = z + qw * tz + qx * ty - qy * tx
    tx, ty, tz = 2 * (ay * iz - az * iy), 2 * (az * ix - ax * iz), 2 * (ax * iy - ay * ix)
    out[0, 0] = b.pos[0] + ix + aw * tx + ay * tz - az * ty
    out[0, 1] = b.pos[1] + iy + aw * ty + az * tx - ax * tz
    out[0, 2] = b.pos[2] + iz + aw * tz + ax * ty - ay * tx
    out[0, 3] = aw * qx + ax * qw + ay * qz - az * qy
    out[0, 4] = aw * qy - ax * qz + ay * qw + az * qx
    out[0, 5] = aw * qz + ax * qy - ay * qx + az * qw
    out[0, 6] = aw * qw - ax * qx - ay * qy - az * qz


@_compiled
def link_poses(b: Any, template: Any, links: Any, poses: Any, joints: Any, out: Any) -> None:
    """Frames of an object's links in the world.

    Args:
        b: The object.
        template: First link, number of links, first piece, number of pieces.
        links: Of all templates: parent in the template, kind of joint, axis (3).
        poses: Of all links: origin of the joint in the parent's frame.
        joints: All joint positions, in column 0.
        out: (links, 7), filled.
    """
    _base_frame(b, out)
    if template[1] == 1:
        return
    work = np.empty((2, 7))
    first = template[0]
    for i in range(1, template[1]):
        at = first + i
        _compose(out, int(links[at, 0]), poses, at, out, i)
        kind = links[at, 1]
        if kind == FIXED:
            continue
        q = joints[b.joint + i - 1, 0]
        ax, ay, az = links[at, 2], links[at, 3], links[at, 4]
        for k in range(7):
            work[0, k] = out[i, k]
            work[1, k] = 0.0
        work[1, 6] = 1.0
        if kind == REVOLUTE:
            s = math.sin(0.5 * q)
            work[1, 3], work[1, 4], work[1, 5] = s * ax, s * ay, s * az
            work[1, 6] = math.cos(0.5 * q)
        else:
            work[1, 0], work[1, 1], work[1, 2] = q * ax, q * ay, q * az
        _compose(work, 0, work, 1, out, i)


@_compiled
def _matrix(poses: Any, i: int, out: Any) -> None:
    x, y, z, w = poses[i, 3], poses[i, 4], poses[i, 5], poses[i, 6]
    s = 2.0 / (x * x + y * y + z * z + w * w)
    out[0, 0], out[0, 1], out[0, 2] = (
        1 - s * (y * y + z * z),
        s * (x * y - z * w),
        s * (x * z + y * w),
    )
    out[1, 0], out[1, 1], out[1, 2] = (
        s * (x * y + z * w),
        1 - s * (x * x + z * z),
        s * (y * z - x * w),
    )
    out[2, 0], out[2, 1], out[2, 2] = (
        s * (x * z - y * w),
        s * (y * z + x * w),
        1 - s * (x * x + y * y),
    )


@_compiled
def _support(kind: int, size: Any, verts: Any, first: int, count: int, d: Any, out: Any) -> None:
    """The point of a shape's core farthest along ``d``, in the shape's frame.

    The core of a sphere is its centre, that of a capsule its axis.
    """
    if kind == BOX:
        for k in range(3):
            out[k] = size[k] if d[k] >= 0.0 else -size[k]
    elif kind == SPHERE:
        out[0] = out[1] = out[2] = 0.0
    elif kind == CAPSULE:
        out[0] = out[1] = 0.0
        out[2] = size[1] if d[2] >= 0.0 else -size[1]
    elif kind == CYLINDER:
        n = math.sqrt(d[0] * d[0] + d[1] * d[1])
        scale = size[0] / n if n > 0.0 else 0.0
        out[0], out[1] = d[0] * scale, d[1] * scale
        out[2] = size[1] if d[2] >= 0.0 else -size[1]
    elif kind == ELLIPSOID:
        n = math.sqrt((size[0] * d[0]) ** 2 + (size[1] * d[1]) ** 2 + (size[2] * d[2]) ** 2)
        for k in range(3):
            out[k] = size[k] * size[k] * d[k] / n if n > 0.0 else 0.0
    else:
        best = -_FAR
        at = first
        for i in range(first, first + count):
            along = verts[i, 0] * d[0] + verts[i, 1] * d[1] + verts[i, 2] * d[2]
            if along > best:
                best = along
                at = i
        for k in range(3):
            out[k] = verts[at, k]


@_compiled
def _roundness(kind: int, size: Any) -> float:
    """How far a shape reaches beyond its core."""
    return size[0] if kind in (SPHERE, CAPSULE) else 0.0


@_compiled
def _reach(kind: int, size: Any, turn: Any, k: int) -> float:
    """How far a shape that is symmetric about its origin reaches along an axis of the world."""
    if kind == BOX:
        return abs(turn[k, 0]) * size[0] + abs(turn[k, 1]) * size[1] + abs(turn[k, 2]) * size[2]
    if kind == SPHERE:
        return size[0]
    along = abs(turn[k, 2])
    if kind == CAPSULE:
        return size[0] + along * size[1]
    if kind == CYLINDER:
        return along * size[1] + size[0] * math.sqrt(max(0.0, 1.0 - along * along))
    total = 0.0
    for m in range(3):
        total += (turn[k, m] * size[m]) ** 2
    return math.sqrt(total)


@_compiled
def bounds(
    rows: Any, bodies: Any, templates: Any, links: Any, poses: Any, pieces: Any, shapes: Any,
    verts: Any, joints: Any, most_links: int,
) -> None:  # fmt: skip
    """Renew the bounding boxes of objects that have moved since they were last made."""
    frames = np.empty((most_links, 7))
    one = np.empty((1, 7))
    turn = np.empty((3, 3))
    d = np.empty(3)
    p = np.empty(3)
    for i in range(len(rows)):
        b = bodies[rows[i]]
        if not b.stale:
            continue
        b.stale = 0
        template = templates[b.template]
        if template[3] == 0:
            for k in range(3):
                b.low[k] = b.high[k] = b.pos[k]
            continue
        for k in range(3):
            b.low[k], b.high[k] = _FAR, -_FAR
        link_poses(b, template, links, poses, joints, frames)
        for j in range(template[2], template[2] + template[3]):
            _compose(frames, pieces[j, 0], shapes, j, one, 0)
            _matrix(one, 0, turn)
            kind = pieces[j, 1]
            size = shapes[j, 7:10]
            for k in range(3):
                if kind == PLANE:
                    b.low[k], b.high[k] = -_FAR, _FAR
                    continue
                if kind != HULL:
                    reach = _reach(kind, size, turn, k)
                    b.high[k] = max(b.high[k], one[0, k] + reach)
                    b.low[k] = min(b.low[k], one[0, k] - reach)
                    continue
                for m in range(3):
                    d[m] = turn[k, m]
                _support(kind, size, verts, pieces[j, 2], pieces[j, 3], d, p)
                high = one[0, k] + turn[k, 0] * p[0] + turn[k, 1] * p[1] + turn[k, 2] * p[2]
                for m in range(3):
                    d[m] = -turn[k, m]
                _support(kind, size, verts, pieces[j, 2], pieces[j, 3], d, p)
                low = one[0, k] + turn[k, 0] * p[0] + turn[k, 1] * p[1] + turn[k, 2] * p[2]
                b.high[k] = max(b.high[k], high)
                b.low[k] = min(b.low[k], low)


@_compiled
def _dot(a: Any, b: Any) -> float:
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@_compiled
def _nearest_on_line(s: Any, keep: Any) -> int:
    """Reduce a simplex of two points to the part nearest the origin; how many remain."""
    t0 = t1 = 0.0
    for k in range(3):
        e = s[1, k] - s[0, k]
        t0 -= s[0, k] * e
        t1 += e * e
    if t0 <= 0.0 or t1 == 0.0:
        keep[0] = 0
        return 1
    if t0 >= t1:
        keep[0] = 1
        return 1
    keep[0], keep[1] = 0, 1
    return 2


@_compiled
def _nearest_in_triangle(s: Any, i: int, j: int, m: int, v: Any, keep: Any) -> int:
    """The point of a triangle nearest the origin (Ericson 2005, 5.1.5), into ``v``."""
    d1 = d2 = d3 = d4 = d5 = d6 = 0.0
    for k in range(3):
        ab, ac = s[j, k] - s[i, k], s[m, k] - s[i, k]
        d1, d2 = d1 - ab * s[i, k], d2 - ac * s[i, k]
        d3, d4 = d3 - ab * s[j, k], d4 - ac * s[j, k]
        d5, d6 = d5 - ab * s[m, k], d6 - ac * s[m, k]
    if d1 <= 0.0 and d2 <= 0.0:
        v[:] = s[i]
        keep[0] = i
        return 1
    if d3 >= 0.0 and d4 <= d3:
        v[:] = s[j]
        keep[0] = j
        return 1
    vc = d1 * d4 - d3 * d2
    if vc <= 0.0 and d1 >= 0.0 and d3 <= 0.0:
        t = d1 / (d1 - d3) if d1 != d3 else 0.0
        for k in range(3):
            v[k] = s[i, k] + t * (s[j, k] - s[i, k])
        keep[0], keep[1] = i, j
        return 2
    if d6 >= 0.0 and d5 <= d6:
        v[:] = s[m]
        keep[0] = m
        return 1
    vb = d5 * d2 - d1 * d6
    if vb <= 0.0 and d2 >= 0.0 and d6 <= 0.0:
        t = d2 / (d2 - d6) if d2 != d6 else 0.0
        for k in range(3):
            v[k] = s[i, k] + t * (s[m, k] - s[i, k])
        keep[0], keep[1] = i, m
        return 2
    va = d3 * d6 - d5 * d4
    if va <= 0.0 and d4 - d3 >= 0.0 and d5 - d6 >= 0.0:
        t = (d4 - d3) / ((d4 - d3) + (d5 - d6)) if (d4 - d3) + (d5 - d6) != 0.0 else 0.0
        for k in range(3):
            v[k] = s[j, k] + t * (s[m, k] - s[j, k])
        keep[0], keep[1] = j, m
        return 2
    scale = 1.0 / (va + vb + vc)
    for k in range(3):
        v[k] = s[i, k] + scale * (vb * (s[j, k] - s[i, k]) + vc * (s[m, k] - s[i, k]))
    keep[0], keep[1], keep[2] = i, j, m
    return 3


@_compiled
def _outside(s: Any, a: int, b: int, c: int, d: int) -> bool:
    """True if the origin is on the other side of the plane abc than d."""
    here = there = 0.0
    for k in range(3):
        i, j = (k + 1) % 3, (k + 2) % 3
        normal = (s[b, i] - s[a, i]) * (s[c, j] - s[a, j]) - (s[b, j] - s[a, j]) * (
            s[c, i] - s[a, i]
        )
        here -= s[a, k] * normal
        there += (s[d, k] - s[a, k]) * normal
    return here * there <= 0.0


@_compiled
def _reduce(s: Any, count: int, v: Any) -> int:
    """Reduce a simplex to the part nearest the origin, that point into ``v``; 0: it is inside."""
    if count == 1:
        v[:] = s[0]
        return 1
    keep = np.empty(3, dtype=np.int64)
    if count == 2:
        left = _nearest_on_line(s, keep)
        if left == 1:
            v[:] = s[keep[0]]
        else:
            num = 0.0
            den = 0.0
            for k in range(3):
                e = s[1, k] - s[0, k]
                num -= s[0, k] * e
                den += e * e
            for k in range(3):
                v[k] = s[0, k] + num / den * (s[1, k] - s[0, k])
    elif count == 3:
        left = _nearest_in_triangle(s, 0, 1, 2, v, keep)
    else:
        point = np.empty(3)
        best = np.empty(3, dtype=np.int64)
        nearest = math.inf
        left = 0
        for f in range(4):
            a, b, c, d = (0, 1, 2, 3)
            if f == 1:
                a, b, c, d = (0, 2, 3, 1)
            elif f == 2:
                a, b, c, d = (0, 3, 1, 2)
            elif f == 3:
                a, b, c, d = (1, 3, 2, 0)
            if not _outside(s, a, b, c, d):
                continue
            number = _nearest_in_triangle(s, a, b, c, point, best)
            away = _dot(point, point)
            if away < nearest:
                nearest = away
                left = number
                v[:] = point
                keep[:] = best
        if left == 0:
            v[:] = 0.0
            return 0
    for i in range(left):
        for k in range(3):
            best_value = s[keep[i], k]
            s[4 + i, k] = best_value
    for i in range(left):
        for k in range(3):
            s[i, k] = s[4 + i, k]
    return left


@_compiled
def _core_point(
    pieces: Any, shapes: Any, verts: Any, j: int, frame: Any, turn: Any, sign: float, v: Any,
    out: Any, work: Any,
) -> None:  # fmt: skip
    for k in range(3):
        work[0, k] = sign * (turn[0, k] * v[0] + turn[1, k] * v[1] + turn[2, k] * v[2])
    size = shapes[j, 7:10]
    _support(pieces[j, 1], size, verts, pieces[j, 2], pieces[j, 3], work[0], work[1])
    for k in range(3):
        out[k] = frame[k]
        for m in range(3):
            out[k] += turn[k, m] * work[1, m]


@_compiled
def _close(
    pieces: Any, shapes: Any, verts: Any, ia: int, fa: Any, ta: Any, ib: int, fb: Any, tb: Any,
    margin: float, work: Any,
) -> bool:  # fmt: skip
    """Whether two shapes are no farther apart than the margin."""
    reach = margin + _TOUCH
    reach += _roundness(pieces[ia, 1], shapes[ia, 7:10]) + _roundness(
        pieces[ib, 1], shapes[ib, 7:10]
    )
    simplex = work[:8]
    v, a, b = work[8], work[9], work[10]
    for k in range(3):
        v[k] = fa[k] - fb[k]
    if _dot(v, v) == 0.0:
        v[0] = 1.0
    count = 0
    length = math.inf
    for _ in range(100):
        _core_point(pieces, shapes, verts, ia, fa, ta, -1.0, v, a, work[11:13])
        _core_point(pieces, shapes, verts, ib, fb, tb, 1.0, v, b, work[11:13])
        vv = _dot(v, v)
        vw = 0.0
        for k in range(3):
            simplex[count, k] = a[k] - b[k]
            vw += v[k] * simplex[count, k]
        if vw > 0.0 and vw * vw > reach * reach * vv:
            return False
        if count > 0 and vv - vw <= 1e-14 * vv:
            return vv <= reach * reach
        count = _reduce(simplex, count + 1, v)
        vv = _dot(v, v)
        if count == 0 or vv <= reach * reach:
            return True
        if vv >= length:
            return False
        length = vv
    return length <= reach * reach


@_compiled
def _under_plane(
    pieces: Any, shapes: Any, verts: Any, ia: int, fa: Any, ta: Any, ib: int, fb: Any, tb: Any,
    margin: float, work: Any,
) -> bool:  # fmt: skip
    """Whether a shape comes closer to a plane ``ia`` than the margin."""
    for k in range(3):
        work[8, k] = ta[k, 2]
    _core_point(pieces, shapes, verts, ib, fb, tb, -1.0, work[8], work[9], work[11:13])
    height = 0.0
    for k in range(3):
        height += (work[9, k] - fa[k]) * work[8, k]
    return height - _roundness(pieces[ib, 1], shapes[ib, 7:10]) <= margin + _TOUCH


@_compiled
def _outside_box(centre: Any, radius: float, b: Any) -> bool:
    """Whether a ball is farther from an object's bounding box than shapes that touch can be."""
    gap = 0.0
    for k in range(3):
        out = max(b.low[k] - centre[k], centre[k] - b.high[k], 0.0)
        gap += out * out
    reach = radius + _TOUCH
    return gap > reach * reach


@_compiled
def _near(
    pieces: Any, shapes: Any, verts: Any, i: int, fa: Any, ta: Any, j: int, fb: Any, tb: Any,
    gap: float, margin: float, work: Any,
) -> bool:  # fmt: skip
    """Whether two shapes are no farther apart than the margin; ``gap``: of their origins, squared.

    Balls inside of them and the axes of boxes answer for most pairs.
    """
    kind, other = pieces[i, 1], pieces[j, 1]
    if kind == PLANE:
        return _under_plane(pieces, shapes, verts, i, fa, ta, j, fb, tb, margin, work)
    if other == PLANE:
        return _under_plane(pieces, shapes, verts, j, fb, tb, i, fa, ta, margin, work)
    size_a, size_b = shapes[i, 7:10], shapes[j, 7:10]
    ra, rb = _inner_radius(kind, size_a), _inner_radius(other, size_b)
    if ra > 0.0 and rb > 0.0 and gap <= (ra + rb) * (ra + rb):
        return True
    reach = margin + _TOUCH
    if kind in (BOX, CYLINDER) and other in (BOX, CYLINDER):
        verdict = _quick_blocks(kind, fa, ta, size_a, other, fb, tb, size_b, reach, work[:6])
        if verdict != _UNSURE:
            return verdict == _TOUCHING
    elif BOX in (kind, other):
        if kind == BOX:
            square = _ball_and_box(fb, fa, ta, size_a)
            inner, outer = rb, shapes[j, 10] + reach
        else:
            square = _ball_and_box(fa, fb, tb, size_b)
            inner, outer = ra, shapes[i, 10] + reach
        if square > outer * outer:
            return False
        if square < inner * inner:
            return True
    return _close(pieces, shapes, verts, i, fa, ta, j, fb, tb, margin, work)


@_compiled
def touch(
    pairs: Any, count: int, rows: Any, bodies: Any, templates: Any, links: Any, poses: Any,
    pieces: Any, shapes: Any, verts: Any, joints: Any, most_links: int, margin: float, hit: Any,
) -> None:  # fmt: skip
    """Which of the pairs are no farther apart than the margin, shape by shape.

    The bounding boxes have to be up to date.

    Args:
        pairs: (n, 2), indices into ``rows``.
        count: How many.
        rows: Rows of ``bodies``.
        bodies: All objects.
        templates: Of all templates: first link, number of links, first piece, number of pieces.
        links: See `link_poses`.
        poses: See `link_poses`.
        pieces: Of all shapes: link, kind, first vertex, number of vertices.
        shapes: Of all shapes: pose in the link's frame (7), size (3), radius about its origin.
        verts: Vertices of all hulls, (n, 3).
        joints: All joints.
        most_links: Of any template.
        margin: Distance that counts [m].
        hit: (n,), filled with 1 and 0.
    """
    frames_a = np.empty((most_links, 7))
    frames_b = np.empty((most_links, 7))
    fa = np.empty((1, 7))
    fb = np.empty((1, 7))
    ta = np.empty((3, 3))
    tb = np.empty((3, 3))
    work = np.empty((13, 3))
    last = -1
    whole_a = False
    for n in range(count):
        hit[n] = 0
        a = bodies[rows[pairs[n, 0]]]
        b = bodies[rows[pairs[n, 1]]]
        form_a, form_b = templates[a.template], templates[b.template]
        if pairs[n, 0] != last:
            _base_frame(a, frames_a)
            last = pairs[n, 0]
            whole_a = False
        _base_frame(b, frames_b)
        whole_b = False
        for i in range(form_a[2], form_a[2] + form_a[3]):
            if hit[n]:
                break
            if pieces[i, 0] > 0 and not whole_a:  # most pairs are settled by their bases
                link_poses(a, form_a, links, poses, joints, frames_a)
                whole_a = True
            _compose(frames_a, pieces[i, 0], shapes, i, fa, 0)
            if pieces[i, 1] != PLANE and _outside_box(fa[0], shapes[i, 10] + margin, b):
                continue
            _matrix(fa, 0, ta)
            for j in range(form_b[2], form_b[2] + form_b[3]):
                if pieces[j, 0] > 0 and not whole_b:
                    link_poses(b, form_b, links, poses, joints, frames_b)
                    whole_b = True
                _compose(frames_b, pieces[j, 0], shapes, j, fb, 0)
                flat_a, flat_b = pieces[i, 1] == PLANE, pieces[j, 1] == PLANE
                if not flat_b and _outside_box(fb[0], shapes[j, 10] + margin, a):
                    continue
                if flat_a and flat_b:
                    continue
                gap = 0.0
                for k in range(3):
                    gap += (fa[0, k] - fb[0, k]) ** 2
                far = shapes[i, 10] + shapes[j, 10] + margin
                if not (flat_a or flat_b) and gap > far * far:
                    continue
                _matrix(fb, 0, tb)
                near = _near(pieces, shapes, verts, i, fa[0], ta, j, fb[0], tb, gap, margin, work)
                if near:
                    hit[n] = 1
                    break
