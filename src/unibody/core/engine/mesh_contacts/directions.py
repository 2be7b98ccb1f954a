"""Directions between a triangle and a convex geom, compiled by numba; in the frame of the geom."""

from __future__ import annotations

import math

from unibody.core.assets.mesh.types import FloatArray
from unibody.core.engine.mesh_contacts.convex import CAPSULE, SPHERE, WHOLE, Convex, support
from unibody.core.engine.mesh_contacts.geom_pose import Reach, Room
from unibody.core.engine.mesh_contacts.gjk import nearest, nearest_on_triangle
from unibody.machine_code.jit import kernel

MEETING = 12  # rounds in which two are brought together
MET = 1e-3  # of the gap at first: a smaller one is met
STRAIGHT = 1e-6  # one less the cosine: two that are closer to face to face stay so
ALONG_FACE = 1e-9  # one less the cosine: closer directions are the normal of the face
_POINT = 3  # level at which the core is a point


@kernel
def direction(geom: Convex, room: Room) -> float:
    """From the triangle to the core: the vector goes to ``room.near``; returns its length."""
    t, near = room.triangle, room.near
    if geom.kind != SPHERE:
        first = WHOLE if geom.kind == CAPSULE else WHOLE + 1
        for level in range(first, _POINT):
            length = nearest(geom, level, t, room.simplex, room.shares, room.spare, near)
            if length > 0.0:
                return length
    near[6], near[7], near[8] = nearest_on_triangle(t)
    square = 0.0
    for k in range(3):
        near[k] = -(near[6] * t[k] + near[7] * t[3 + k] + near[8] * t[6 + k])
        near[3 + k] = 0.0
        square += near[k] * near[k]
    return math.sqrt(square)


@kernel
def separation(geom: Convex, t: FloatArray, nx: float, ny: float, nz: float) -> float:
    """Distance of the geom from a triangle along a direction [m]."""
    px, py, pz = support(geom, WHOLE, -nx, -ny, -nz)
    top = max(
        nx * t[0] + ny * t[1] + nz * t[2], nx * t[3] + ny * t[4] + nz * t[5],
        nx * t[6] + ny * t[7] + nz * t[8],
    )  # fmt: skip
    return nx * px + ny * py + nz * pz - geom.radius - top


@kernel
def direction_met(
    geom: Convex, room: Room, reach: Reach, length: float, own: tuple[float, float, float]
) -> float:
    """From the triangle to the core when the two meet, if the geom goes on as it does.

    What passes an edge has the edge ahead of it, until it is beside it: a peg over the mouth of its
    socket would be stopped by the plane across the direction to the mouth's edge.

    Args:
        geom: The geom.
        room: Its ``near`` has the direction now, and gets the one then.
        reach: How far the geom goes.
        length: Of the direction now [m].
        own: The triangle's normal.

    Returns:
        The length of the direction; -1: the two do not meet in this step.
    """
    near, t = room.near, room.triangle
    close, gone, result = max(reach.ahead, reach.spin), 0.0, length
    met = -1.0
    for _ in range(MEETING):
        nx, ny, nz = near[0] / result, near[1] / result, near[2] / result
        if abs(nx * own[0] + ny * own[1] + nz * own[2]) > 1.0 - STRAIGHT:
            break
        gap = separation(geom, t, nx, ny, nz) - close
        if met < 0.0:
            met = max(MET * gap, 0.0)
        if gap <= met:
            break
        closing = -(nx * reach.x + ny * reach.y + nz * reach.z)
        if gap > (1.0 - gone) * closing:
            result = -1.0
            break
        gone += gap / closing
        _shift(t, reach, -gap / closing)
        result = direction(geom, room)
        if result <= 0.0:
            break
    _shift(t, reach, gone)
    return result


@kernel
def _shift(t: FloatArray, reach: Reach, share: float) -> None:
    """Move the triangle by a share of the geom's way."""
    for n in range(3):
        t[3 * n] += share * reach.x
        t[3 * n + 1] += share * reach.y
        t[3 * n + 2] += share * reach.z
