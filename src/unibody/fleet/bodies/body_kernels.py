"""Links and bounding boxes of all objects, each in one pass."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from unibody.machine_code import numba
from unibody.machine_code.pointers import borrowed

_compiled = numba.njit(cache=True, error_model="numpy", nogil=True)

BOX, SPHERE, CYLINDER, CAPSULE, ELLIPSOID, HULL, PLANE = range(7)
FIXED, REVOLUTE, PRISMATIC = range(3)
_FAR = 1e30  # m: a plane has no end


@_compiled
def compose(a: Any, i: int, b: Any, j: int, out: Any, k: int) -> None:
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
def base_frame(b: Any, out: Any) -> None:
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
    base_frame(b, out)
    if template[1] == 1:
        return
    first = template[0]
    for i in range(1, template[1]):
        at = first + i
        compose(out, int(links[at, 0]), poses, at, out, i)
        kind = links[at, 1]
        if kind == FIXED:
            continue
        q = joints[b.joint + i - 1, 0]
        ax, ay, az = links[at, 2], links[at, 3], links[at, 4]
        qx, qy, qz, qw = out[i, 3], out[i, 4], out[i, 5], out[i, 6]
        if kind == REVOLUTE:
            s = math.sin(0.5 * q)
            rx, ry, rz, rw = s * ax, s * ay, s * az, math.cos(0.5 * q)
            out[i, 3] = qw * rx + qx * rw + qy * rz - qz * ry
            out[i, 4] = qw * ry - qx * rz + qy * rw + qz * rx
            out[i, 5] = qw * rz + qx * ry - qy * rx + qz * rw
            out[i, 6] = qw * rw - qx * rx - qy * ry - qz * rz
        else:
            x, y, z = q * ax, q * ay, q * az
            tx, ty, tz = 2 * (qy * z - qz * y), 2 * (qz * x - qx * z), 2 * (qx * y - qy * x)
            out[i, 0] += x + qw * tx + qy * tz - qz * ty
            out[i, 1] += y + qw * ty + qz * tx - qx * tz
            out[i, 2] += z + qw * tz + qx * ty - qy * tx


@_compiled
def matrix(poses: Any, i: int, out: Any, k: int) -> None:
    """``out[k]``: the rotation matrix of ``poses[i]``."""
    x, y, z, w = poses[i, 3], poses[i, 4], poses[i, 5], poses[i, 6]
    s = 2.0 / (x * x + y * y + z * z + w * w)
    out[k, 0, 0] = 1 - s * (y * y + z * z)
    out[k, 0, 1] = s * (x * y - z * w)
    out[k, 0, 2] = s * (x * z + y * w)
    out[k, 1, 0] = s * (x * y + z * w)
    out[k, 1, 1] = 1 - s * (x * x + z * z)
    out[k, 1, 2] = s * (y * z - x * w)
    out[k, 2, 0] = s * (x * z - y * w)
    out[k, 2, 1] = s * (y * z + x * w)
    out[k, 2, 2] = 1 - s * (x * x + y * y)


@_compiled
def support(kind: int, size: Any, verts: Any, first: int, count: int, d: Any, out: Any) -> None:
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
def _reach(kind: int, shapes: Any, j: int, turn: Any, k: int) -> float:
    """How far a shape that is symmetric about its origin reaches along an axis of the world."""
    if kind == BOX:
        total = 0.0
        for m in range(3):
            total += abs(turn[0, k, m]) * shapes[j, 7 + m]
        return total
    if kind == SPHERE:
        return shapes[j, 7]
    along = abs(turn[0, k, 2])
    if kind == CAPSULE:
        return shapes[j, 7] + along * shapes[j, 8]
    if kind == CYLINDER:
        return along * shapes[j, 8] + shapes[j, 7] * math.sqrt(max(0.0, 1.0 - along * along))
    total = 0.0
    for m in range(3):
        total += (turn[0, k, m] * shapes[j, 7 + m]) ** 2
    return math.sqrt(total)


@_compiled
def _along(turn: Any, k: int, p: Any) -> float:
    """What a turned vector has along an axis of the world."""
    return turn[0, k, 0] * p[0] + turn[0, k, 1] * p[1] + turn[0, k, 2] * p[2]


def new_scratch(most_links: int) -> tuple[Any, ...]:
    """Arrays that `bounds` works in: what it borrows has to be held by who calls it.

    Args:
        most_links: Of any template.
    """
    return (
        np.empty((most_links, 7)),
        np.empty((1, 7)),
        np.empty((1, 3, 3)),
        np.empty(3),
        np.empty(3),
    )


@_compiled
def bounds(
    rows: Any, bodies: Any, templates: Any, links: Any, poses: Any, pieces: Any, shapes: Any,
    verts: Any, joints: Any, scratch: Any,
) -> None:  # fmt: skip
    """Renew the bounding boxes of objects that have moved since they were last made.

    Args:
        rows: Rows of ``bodies``.
        bodies: All objects.
        templates: Of all templates, see `link_poses`.
        links: See `link_poses`.
        poses: See `link_poses`.
        pieces: Of all shapes: link, kind, first vertex, number of vertices.
        shapes: Of all shapes: pose in the link's frame (7), size (3), radius about its origin.
        verts: Vertices of all hulls, (n, 3).
        joints: All joints.
        scratch: See `new_scratch`.
    """
    templates, links, poses = borrowed(templates), borrowed(links), borrowed(poses)
    pieces, shapes, verts = borrowed(pieces), borrowed(shapes), borrowed(verts)
    bodies, joints = borrowed(bodies), borrowed(joints)
    frames, one, turn, d, p = (
        borrowed(scratch[0]), borrowed(scratch[1]), borrowed(scratch[2]), borrowed(scratch[3]),
        borrowed(scratch[4]),
    )  # fmt: skip
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
            compose(frames, pieces[j, 0], shapes, j, one, 0)
            matrix(one, 0, turn, 0)
            kind = pieces[j, 1]
            for k in range(3):
                if kind == PLANE:
                    b.low[k], b.high[k] = -_FAR, _FAR
                    continue
                if kind != HULL:
                    reach = _reach(kind, shapes, j, turn, k)
                    b.high[k] = max(b.high[k], one[0, k] + reach)
                    b.low[k] = min(b.low[k], one[0, k] - reach)
                    continue
                size = shapes[j, 7:10]
                for m in range(3):
                    d[m] = turn[0, k, m]
                support(kind, size, verts, pieces[j, 2], pieces[j, 3], d, p)
                high = one[0, k] + _along(turn, k, p)
                for m in range(3):
                    d[m] = -turn[0, k, m]
                support(kind, size, verts, pieces[j, 2], pieces[j, 3], d, p)
                low = one[0, k] + _along(turn, k, p)
                b.high[k] = max(b.high[k], high)
                b.low[k] = min(b.low[k], low)
