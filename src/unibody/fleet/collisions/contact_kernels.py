# ruff: noqa: PLR0912 - kernels take their state as plain arguments
"""Which objects touch, shape by shape.

Shapes that are near (see `grid_kernels`) are compared with the algorithm of Gilbert, Johnson and
Keerthi (1988), which stops as soon as it knows on which side of the margin the distance lies.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from unibody.fleet.bodies import body_kernels
from unibody.fleet.collisions import box_kernels
from unibody.machine_code import numba
from unibody.machine_code.pointers import borrowed

_compiled = numba.njit(cache=True, error_model="numpy", nogil=True)
_base_frame, _compose, _matrix = body_kernels.base_frame, body_kernels.compose, body_kernels.matrix
_link_poses, _support = body_kernels.link_poses, body_kernels.support
_quick_blocks = box_kernels.blocks
_ball_and_box = box_kernels.ball_and_box
_inner_radius = box_kernels.inner_radius
_UNSURE, _TOUCHING = box_kernels.UNSURE, box_kernels.TOUCHING
BOX, SPHERE, CYLINDER = body_kernels.BOX, body_kernels.SPHERE, body_kernels.CYLINDER
CAPSULE, HULL, PLANE = body_kernels.CAPSULE, body_kernels.HULL, body_kernels.PLANE
_TOUCH = 1e-9  # m: closer is touching


@_compiled
def _roundness(kind: int, size: Any) -> float:
    """How far a shape reaches beyond its core."""
    return size[0] if kind in (SPHERE, CAPSULE) else 0.0


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
def _outside_box(at: Any, p: int, radius: float, b: Any) -> bool:
    """Whether a ball is farther from an object's bounding box than shapes that touch can be."""
    gap = 0.0
    for k in range(3):
        out = max(b.low[k] - at[p, k], at[p, k] - b.high[k], 0.0)
        gap += out * out
    reach = radius + _TOUCH
    return gap > reach * reach


@_compiled
def _near(
    pieces: Any, shapes: Any, verts: Any, i: int, at_a: Any, p: int, turns_a: Any, j: int,
    at_b: Any, q: int, turns_b: Any, gap: float, margin: float, work: Any,
) -> bool:  # fmt: skip
    """Whether two shapes are no farther apart than the margin; ``gap``: of their origins, squared.

    Balls inside of them and the axes of boxes answer for most pairs.
    """
    kind, other = pieces[i, 1], pieces[j, 1]
    if kind not in (PLANE, HULL) and other not in (PLANE, HULL):
        ra, rb = _inner_radius(kind, shapes, i), _inner_radius(other, shapes, j)
        if gap <= (ra + rb) * (ra + rb):
            return True
        reach = margin + _TOUCH
        if kind in (BOX, CYLINDER) and other in (BOX, CYLINDER):
            verdict = _quick_blocks(
                kind, at_a, p, turns_a, i, other, at_b, q, turns_b, j, shapes, reach, work
            )
            if verdict != _UNSURE:
                return verdict == _TOUCHING
        elif BOX in (kind, other):
            if kind == BOX:
                square = _ball_and_box(at_b, q, at_a, p, turns_a, shapes, i)
                inner, outer = rb, shapes[j, 10] + reach
            else:
                square = _ball_and_box(at_a, p, at_b, q, turns_b, shapes, j)
                inner, outer = ra, shapes[i, 10] + reach
            if square > outer * outer:
                return False
            if square < inner * inner:
                return True
    fa, ta, fb, tb = at_a[p], turns_a[p], at_b[q], turns_b[q]
    if kind == PLANE:
        return _under_plane(pieces, shapes, verts, i, fa, ta, j, fb, tb, margin, work)
    if other == PLANE:
        return _under_plane(pieces, shapes, verts, j, fb, tb, i, fa, ta, margin, work)
    return _close(pieces, shapes, verts, i, fa, ta, j, fb, tb, margin, work)


@_compiled
def _find_piece(
    k: int, b: Any, template: Any, links: Any, poses: Any, pieces: Any, shapes: Any, joints: Any,
    frames: Any, at: Any, turns: Any,
) -> None:  # fmt: skip
    """Pose and axes of an object's piece ``k`` in the world; the pieces are asked for in order."""
    j = template[2] + k
    if pieces[j, 0] == 0:
        if k == 0:
            _base_frame(b, frames)
    elif k == 0 or pieces[j - 1, 0] == 0:
        _link_poses(b, template, links, poses, joints, frames)
    _compose(frames, pieces[j, 0], shapes, j, at, k)
    _matrix(at, k, turns, k)


def new_scratch(most_links: int, most_pieces: int) -> tuple[Any, ...]:
    """Arrays that `touch` works in: what it borrows has to be held by who calls it.

    Args:
        most_links: Of any template.
        most_pieces: Of any template.
    """
    frames, at, turns = (most_links, 7), (most_pieces, 7), (most_pieces, 3, 3)
    both = [np.empty(shape) for _ in range(2) for shape in (frames, at, turns)]
    return *both, np.empty(most_pieces, dtype=np.bool_), np.empty((13, 3))


@_compiled
def touch(
    pairs: Any, count: int, rows: Any, bodies: Any, templates: Any, links: Any, poses: Any,
    pieces: Any, shapes: Any, verts: Any, joints: Any, margin: float, hit: Any, scratch: Any,
) -> None:  # fmt: skip
    """Which of the pairs are no farther apart than the margin, shape by shape.

    The bounding boxes have to be up to date.

    Args:
        pairs: (n, 2), indices into ``rows``.
        count: How many.
        rows: Rows of ``bodies``.
        bodies: All objects.
        templates: Of all templates: first link, number of links, first piece, number of pieces.
        links: See `body_kernels.link_poses`.
        poses: See `body_kernels.link_poses`.
        pieces: Of all shapes: link, kind, first vertex, number of vertices.
        shapes: Of all shapes: pose in the link's frame (7), size (3), radius about its origin.
        verts: Vertices of all hulls, (n, 3).
        joints: All joints.
        margin: Distance that counts [m].
        hit: (n,), filled with 1 and 0.
        scratch: See `new_scratch`.
    """
    templates, links, poses = borrowed(templates), borrowed(links), borrowed(poses)
    pieces, shapes, verts = borrowed(pieces), borrowed(shapes), borrowed(verts)
    pairs, rows, bodies, joints = (
        borrowed(pairs),
        borrowed(rows),
        borrowed(bodies),
        borrowed(joints),
    )
    hit = borrowed(hit)
    frames_a, at_a, turns_a = borrowed(scratch[0]), borrowed(scratch[1]), borrowed(scratch[2])
    frames_b, at_b, turns_b = borrowed(scratch[3]), borrowed(scratch[4]), borrowed(scratch[5])
    inside, work = borrowed(scratch[6]), borrowed(scratch[7])
    last = -1
    known_a = 0  # pieces whose poses are known: most pairs are settled by their first ones
    for n in range(count):
        hit[n] = 0
        a, b = bodies[rows[pairs[n, 0]]], bodies[rows[pairs[n, 1]]]
        form_a, form_b = templates[a.template], templates[b.template]
        if pairs[n, 0] != last:
            last, known_a = pairs[n, 0], 0
        known_b = 0
        for p in range(form_a[3]):
            if hit[n]:
                break
            i = form_a[2] + p
            if p == known_a:
                _find_piece(
                    p, a, form_a, links, poses, pieces, shapes, joints, frames_a, at_a, turns_a
                )
                known_a += 1
            flat_a = pieces[i, 1] == PLANE
            if not flat_a and _outside_box(at_a, p, shapes[i, 10] + margin, b):
                continue
            for q in range(form_b[3]):
                j = form_b[2] + q
                flat_b = pieces[j, 1] == PLANE
                if q == known_b:
                    _find_piece(
                        q, b, form_b, links, poses, pieces, shapes, joints, frames_b, at_b, turns_b
                    )
                    known_b += 1
                    inside[q] = flat_b or not _outside_box(at_b, q, shapes[j, 10] + margin, a)
                if not inside[q] or (flat_a and flat_b):
                    continue
                gap = 0.0
                for k in range(3):
                    gap += (at_a[p, k] - at_b[q, k]) ** 2
                far = shapes[i, 10] + shapes[j, 10] + margin
                if not (flat_a or flat_b) and gap > far * far:
                    continue
                if _near(
                    pieces, shapes, verts, i, at_a, p, turns_a, j, at_b, q, turns_b, gap, margin,
                    work,
                ):  # fmt: skip
                    hit[n] = 1
                    break
