# ruff: noqa: PLR0913, PLR0917 - compiled code takes its state as plain arguments
"""Which particles of position based dynamics are on faces of other soft bodies.

As in Bullet: a particle and a face are taken for touching when the way of a step brings them
together.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from unibody.core.deform.pbd import rounds
from unibody.core.deform.pbd.contacts import (
    GIVES,
    MARGIN,
    RUBS,
    SIDE_COLUMNS,
    WEIGHTS,
    Sides,
)
from unibody.core.deform.pbd.rounds import Bodies, box_around
from unibody.core.deform.surface_contact import closest, grid
from unibody.core.deform.surface_contact.closest import on_triangle
from unibody.core.deform.surface_contact.grid import bucket, cell_of, fill
from unibody.machine_code.array_calls import array_function
from unibody.machine_code.jit import kernel

_TINY = 1e-30
_THINNEST = 1e-9  # m: of a cell
_AHEAD = 2.0  # ways of a step that are added to the margin between soft bodies
_RUBS = 0.5  # share of a slide on another soft body that is taken away


@kernel
def _write_side(bodies: Bodies, p: int, face: Any, margin: float, corners: Any, row: Any) -> bool:
    """Write a particle on a face, if it is near enough."""
    x = bodies.x
    place = (x[p, 0], x[p, 1], x[p, 2])
    a, b, c = x[face[0]], x[face[1]], x[face[2]]
    weights = on_triangle(place, (a[0], a[1], a[2]), (b[0], b[1], b[2]), (c[0], c[1], c[2]))
    way, moved, distance2 = np.zeros(3), 0.0, 0.0
    for k in range(3):
        way[k] = place[k] - (weights[0] * a[k] + weights[1] * b[k] + weights[2] * c[k])
        moved += (x[p, k] - bodies.start[p, k]) ** 2
        distance2 += way[k] * way[k]
    near = margin + _AHEAD * math.sqrt(moved)
    if distance2 >= near * near:
        return False
    lightness = weights[0] * a[3] + weights[1] * b[3] + weights[2] * c[3]
    if min(a[3], b[3], c[3]) <= 0.0:
        lightness = 0.0
    light = x[p, 3]
    both = light + lightness
    if both <= 0.0:
        return False
    if distance2 < _TINY:
        ux, uy, uz = b[0] - a[0], b[1] - a[1], b[2] - a[2]
        vx, vy, vz = c[0] - a[0], c[1] - a[1], c[2] - a[2]
        way[0], way[1], way[2] = uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx
        distance2 = max(way[0] ** 2 + way[1] ** 2 + way[2] ** 2, _TINY)
    corners[0] = p
    for k in range(3):
        corners[k + 1] = face[k]
        row[k] = way[k] / math.sqrt(distance2)
        row[WEIGHTS + k] = weights[k]
    row[MARGIN] = near
    row[GIVES], row[GIVES + 1] = light / both, lightness / both
    row[RUBS] = _RUBS
    return True


@kernel
def _face_boxes(bodies: Bodies, faces: Any, reach: float, low: Any, high: Any) -> float:
    """Boxes around faces; a size of cells that suits them."""
    size = 0.0
    for f in range(len(faces)):
        for k in range(3):
            u, v, w = bodies.x[faces[f, 0], k], bodies.x[faces[f, 1], k], bodies.x[faces[f, 2], k]
            low[f, k], high[f, k] = min(u, v, w) - reach, max(u, v, w) + reach
            size += high[f, k] - low[f, k]
    return max(size / max(3 * len(faces), 1), _THINNEST)


@kernel
def _on_faces(
    bodies: Bodies, b: int, faces: Any, margin: float, reach: float, sides: Sides, number: int
) -> int:
    """Find particles of a body that are near faces of another one; how many there are now."""
    low, high = np.empty((len(faces), 3)), np.empty((len(faces), 3))
    size = _face_boxes(bodies, faces, reach, low, high)
    mask = 1
    while mask < len(faces):
        mask *= 2
    mask -= 1
    first, listed = fill(low, high, size, mask)
    corners, row = np.zeros(4, dtype=np.int64), np.zeros(SIDE_COLUMNS)
    for p in range(bodies.first[b], bodies.first[b + 1]):
        x, last = bodies.x[p], -1
        at = bucket(cell_of(x[0], size), cell_of(x[1], size), cell_of(x[2], size), mask)
        for e in range(first[at], first[at + 1]):
            f = listed[e]
            if f == last:  # cells of a face may share a list
                continue
            last = f
            inside = True
            for k in range(3):
                inside = inside and low[f, k] <= x[k] <= high[f, k]
            if inside and _write_side(bodies, p, faces[f], margin, corners, row):
                if number < len(sides.corners):
                    sides.corners[number], sides.numbers[number] = corners, row
                number += 1
    return number


@kernel
def _longest_way(bodies: Bodies, b: int) -> float:
    """How far the fastest particle of a body goes in the step [m]."""
    most = 0.0
    for p in range(bodies.first[b], bodies.first[b + 1]):
        way = 0.0
        for k in range(3):
            way += (bodies.x[p, k] - bodies.start[p, k]) ** 2
        most = max(most, way)
    return math.sqrt(most)


@array_function(closest, grid, rounds, returns=True)
def find_sides(bodies: Bodies, faces: Any, starts: Any, sides: Sides) -> int:
    """Find particles that are on faces of other soft bodies, or come there in the step.

    Args:
        bodies: See `Bodies`.
        faces: Corners of triangles of all bodies, (f, 3).
        starts: The first triangle of each body and the number of all, (b + 1,).
        sides: Gets them, in the order of particles, bodies and triangles.

    Returns:
        How many there are; if more than there is room for, sides are not complete.
    """
    count, number = len(bodies.first) - 1, 0
    boxes = np.zeros((count, 2, 3))
    for b in range(count):
        box_around(bodies, b, 0.0, boxes[b, 0], boxes[b, 1])
    for b in range(count):
        sides.first[b] = number
        ahead = _AHEAD * _longest_way(bodies, b)
        for other in range(count):
            margin = bodies.margins[b] + bodies.margins[other]
            apart = other == b
            for k in range(3):
                apart = apart or boxes[b, 0, k] > boxes[other, 1, k] + margin + ahead
                apart = apart or boxes[other, 0, k] > boxes[b, 1, k] + margin + ahead
            if not apart:
                own = faces[starts[other] : starts[other + 1]]
                number = _on_faces(bodies, b, own, margin, margin + ahead, sides, number)
    sides.first[-1] = number
    return number
