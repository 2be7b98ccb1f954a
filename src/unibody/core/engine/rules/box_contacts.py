"""Four points of contact of two boxes at most: ``mjCOLLISIONFUNC`` for these two.

Bullet clips a side of one box by a side of the other as MuJoCo does, but of what is left it keeps
the deepest corner and the three that lie nearest to a quarter, a half and three quarters of a turn
from there, about the centroid of all. What two boxes bear and how they part depends on it.
"""

from __future__ import annotations

import ctypes
import math
from typing import Any

import mujoco

from unibody.core.engine.library.layout import Layout
from unibody.core.engine.records import rule_table as t
from unibody.core.engine.rules.ownership import is_ours, is_world
from unibody.machine_code import types
from unibody.machine_code.jit import inlined, rule
from unibody.machine_code.kept import kept_entry, provide_symbol
from unibody.machine_code.pointers import (
    Pointer,
    f64_array,
    int_at,
    pointer_f64,
    pointer_i64,
    symbol_address,
)

COLLIDE = "mjc_BoxBox"  # of libmujoco
MEASURE = "mj_geomDistance"  # of libmujoco
CALLED = (COLLIDE, MEASURE)
_WORDS = "unibody_boxes"  # symbol of: where MuJoCo has the function, its own one, and ours
MOST = 4  # points that are kept
_TYPES = 9  # mjNGEOMTYPES
PLACE = int(mujoco.mjtGeom.mjGEOM_BOX) * (_TYPES + 1)
_OVERRIDE = int(mujoco.mjtEnableBit.mjENBL_OVERRIDE)
_NUMBERS = 10  # of an mjPreContact: distance, position, normal, tangent
_ANGLE, _KEPT = 7, 8  # where a tangent would be, while points are chosen
_PAIR = types.int32(
    types.int64, types.int64, types.int64, types.int32, types.int32, types.float64
)  # fmt: skip
_collide = types.ExternalFunction(COLLIDE, _PAIR)
_ADDRESS = types.int64
_words = symbol_address(_WORDS)
_distance = types.ExternalFunction(
    MEASURE, types.float64(_ADDRESS, _ADDRESS, types.int32, types.int32, types.float64, _ADDRESS)
)


@inlined
def pairs_are_bullets(m: int, lay: Layout) -> bool:
    """Whether a model is of a world whose pairs are Bullet's."""
    return is_world(m, lay) and f64_array(m, lay.m_numeric_data)[t.N_PAIRS] != 0.0


@inlined
def _is_measuring(m: int, first: int, second: int, margin: float, lay: Layout) -> bool:
    """Whether MuJoCo measures a distance, and does not collide the boxes in a step.

    Of models of somebody else that have margins for pairs, or one for all, that is not known.
    """
    margins = f64_array(m, lay.m_geom_margin)
    if margin == margins[first] + margins[second]:
        return False
    if is_ours(m, lay):
        return True
    stated = int_at(m, lay.m_npair) > 0 or int_at(m, lay.m_opt + lay.o_enableflags) & _OVERRIDE
    return not stated and margin != max(margins[first], margins[second])


@inlined
def _apart(a: float, b: float) -> float:
    """The angle between two directions [rad], in 0..pi."""
    turn = abs(a - b) % (2.0 * math.pi)
    return min(turn, 2.0 * math.pi - turn)


@rule
def _directions(points: Pointer) -> tuple[float, float, float, float, float, float]:
    """Two perpendicular directions in the plane of the points."""
    x, y, z = points[4], points[5], points[6]
    if abs(z) > 0.7:
        size = math.hypot(y, z)
        ux, uy, uz = 0.0, -z / size, y / size
    else:
        size = math.hypot(x, y)
        ux, uy, uz = -y / size, x / size, 0.0
    return ux, uy, uz, y * uz - z * uy, z * ux - x * uz, x * uy - y * ux


@rule
def _turn_about(points: Pointer, count: int, place: tuple[float, float, float]) -> None:
    """Note at which angle about a place each point lies."""
    ux, uy, uz, vx, vy, vz = _directions(points)
    for i in range(count):
        o = i * _NUMBERS
        x, y, z = points[o + 1] - place[0], points[o + 2] - place[1], points[o + 3] - place[2]
        points[o + _ANGLE] = math.atan2(vx * x + vy * y + vz * z, ux * x + uy * y + uz * z)


@inlined
def _next(points: Pointer, count: int, i: int) -> int:
    """The point that follows another one in turning."""
    best, least = i, math.inf
    for j in range(count):
        ahead = (points[j * _NUMBERS + _ANGLE] - points[i * _NUMBERS + _ANGLE]) % (2.0 * math.pi)
        if j != i and ahead < least:
            best, least = j, ahead
    return best


@rule
def _centroid(points: Pointer, count: int) -> tuple[float, float, float]:
    """The centroid of the polygon of the points; their mean if it has no area."""
    x = y = z = 0.0
    for i in range(count):
        x += points[i * _NUMBERS + 1] / count
        y += points[i * _NUMBERS + 2] / count
        z += points[i * _NUMBERS + 3] / count
    _turn_about(points, count, (x, y, z))
    total = cx = cy = cz = 0.0
    for i in range(count):  # triangles of the mean and two points that follow one another
        o, q = i * _NUMBERS, _next(points, count, i) * _NUMBERS
        ax, ay, az = points[o + 1] - x, points[o + 2] - y, points[o + 3] - z
        bx, by, bz = points[q + 1] - x, points[q + 2] - y, points[q + 3] - z
        area = points[4] * (ay * bz - az * by)
        area += points[5] * (az * bx - ax * bz) + points[6] * (ax * by - ay * bx)
        area = abs(area)
        total += area
        cx += area * (ax + bx) / 3.0
        cy += area * (ay + by) / 3.0
        cz += area * (az + bz) / 3.0
    if total <= 0.0:
        return x, y, z
    return x + cx / total, y + cy / total, z + cz / total


@rule
def thin_out(points: Pointer, count: int) -> int:
    """Leave the points that Bullet would, in their order; returns how many there are."""
    if count <= MOST:
        return count
    _turn_about(points, count, _centroid(points, count))
    deepest = 0
    for i in range(count):
        points[i * _NUMBERS + _KEPT] = 0.0
        if points[i * _NUMBERS] < points[deepest * _NUMBERS]:
            deepest = i
    points[deepest * _NUMBERS + _KEPT] = 1.0
    first = points[deepest * _NUMBERS + _ANGLE]
    for k in range(1, MOST):
        wanted = first + 2.0 * math.pi * k / MOST
        best, least = -1, math.inf
        for i in range(count):
            off = _apart(points[i * _NUMBERS + _ANGLE], wanted)
            if points[i * _NUMBERS + _KEPT] == 0.0 and off < least:
                best, least = i, off
        points[best * _NUMBERS + _KEPT] = 1.0
    kept = 0
    for i in range(count):
        o = i * _NUMBERS
        if points[o + _KEPT] == 1.0:
            for k in range(_ANGLE):
                points[kept * _NUMBERS + k] = points[o + k]
            kept += 1
    for k in range(kept):
        points[k * _NUMBERS + _ANGLE] = points[k * _NUMBERS + _KEPT] = 0.0
    return kept


@rule
def _measure(m: int, d: int, contacts: int, first: int, second: int, margin: float) -> int:
    """The closest points of two boxes, as one contact.

    MuJoCo knows how to measure boxes by its own function for them, which is back in the meantime.
    """
    words = pointer_i64(_words())
    place, point = pointer_i64(words[0]), pointer_f64(contacts)
    ends = contacts + 8 * _NUMBERS  # where a second contact would be
    place[0] = words[1]
    distance = _distance(m, d, first, second, margin, ends)
    place[0] = words[2]
    if distance >= margin:
        return 0
    end = pointer_f64(ends)
    point[0] = distance
    for k in range(3):
        point[1 + k] = 0.5 * (end[k] + end[3 + k])
        point[4 + k] = 1.0 if k == 2 else 0.0
        if distance != 0.0:
            point[4 + k] = (end[3 + k] - end[k]) / distance
        point[7 + k] = 0.0
    return 1


def build(lay: Layout, digest: str) -> Any:
    """Compile the function, or load it from numba's cache; see ``callbacks`` for the digest."""

    @kept_entry(_PAIR)
    def collide(m: int, d: int, contacts: int, first: int, second: int, margin: float) -> int:
        if len(digest) == 0:
            return _collide(m, d, contacts, first, second, margin)
        if _is_measuring(m, first, second, margin, lay):
            return _measure(m, d, contacts, first, second, margin)
        count = _collide(m, d, contacts, first, second, margin)
        if count <= MOST or not pairs_are_bullets(m, lay):
            return count
        return thin_out(pointer_f64(contacts), count)

    return collide


def words(library: ctypes.CDLL) -> Any:
    """What the function reads of this process, behind a symbol; to be kept alive."""
    table = (ctypes.c_void_p * (_TYPES * _TYPES)).in_dll(library, "mjCOLLISIONFUNC")
    own = ctypes.cast(library[COLLIDE], ctypes.c_void_p).value
    found = (ctypes.c_int64 * 3)(ctypes.addressof(table) + PLACE * ctypes.sizeof(ctypes.c_void_p))
    found[1] = found[2] = int(own or 0)
    provide_symbol(_WORDS, ctypes.addressof(found))
    return found


def install(function: Any, found: Any) -> None:
    """Put the function in the place of MuJoCo's own; one of somebody else stays."""
    place = ctypes.c_int64.from_address(found[0])
    if place.value == found[1]:
        found[2] = place.value = function.address
