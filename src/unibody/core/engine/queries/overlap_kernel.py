"""`geom_distance` of two convex geoms, checked as in ``overlap``, compiled by numba."""

from __future__ import annotations

import enum
import functools
import math
import sys
from collections.abc import Callable
from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from unibody.core.engine.queries import distance_kernel
from unibody.core.engine.queries.distance_kernel import geom_distance, made_row
from unibody.machine_code import pointers
from unibody.machine_code.calls import functions, objects
from unibody.machine_code.calls.copying import address_of
from unibody.machine_code.calls.functions import ENTRY, known_of, python_call
from unibody.machine_code.calls.objects import integer_at, new_tuple, read_number, set_item
from unibody.machine_code.compiled import compiled
from unibody.machine_code.jit import kernel
from unibody.machine_code.kept import kept_entry
from unibody.machine_code.pointers import (
    Pointer,
    pointer_f32,
    pointer_f64,
    pointer_i32,
    pointer_i64,
)

_GEOM = mujoco.mjtGeom
_BOX, _SPHERE, _CAPSULE = int(_GEOM.mjGEOM_BOX), int(_GEOM.mjGEOM_SPHERE), int(_GEOM.mjGEOM_CAPSULE)
_CYLINDER, _ELLIPSOID = int(_GEOM.mjGEOM_CYLINDER), int(_GEOM.mjGEOM_ELLIPSOID)
_MESH = int(_GEOM.mjGEOM_MESH)
_NOT_DONE = 0
# the same as in ``overlap`` and ``distances``
_ABSOLUTE, _RELATIVE, _PARALLEL, _MANY = 1e-6, 1e-4, 1e-6, 256
_TOUCHING, _BARELY = 1e-9, 1e-6
_X1, _Y1, _Z1 = 0.61e-6, 0.37e-6, -0.71e-6
_X2, _Y2, _Z2 = -0.43e-6, 0.83e-6, 0.29e-6


class _At(enum.IntEnum):
    """What each number of the table is: addresses of arrays, and MuJoCo's function and structs."""

    GEOM_TYPE = 0
    GEOM_SIZE = 1
    GEOM_DATAID = 2
    GEOM_RBOUND = 3
    MESH_VERTADR = 4
    MESH_VERTNUM = 5
    MESH_VERT = 6
    MESH_POLYADR = 7
    MESH_POLYNUM = 8
    MESH_POLYNORMAL = 9
    GEOM_XPOS = 10
    GEOM_XMAT = 11
    FUNCTION = 12
    MODEL = 13
    DATA = 14
    SCRATCH = 15
    SIZE = 16


_TYPE, _SIZE, _DATAID = int(_At.GEOM_TYPE), int(_At.GEOM_SIZE), int(_At.GEOM_DATAID)
_RBOUND, _XPOS, _XMAT = int(_At.GEOM_RBOUND), int(_At.GEOM_XPOS), int(_At.GEOM_XMAT)
_VERTADR, _VERTNUM, _VERT = int(_At.MESH_VERTADR), int(_At.MESH_VERTNUM), int(_At.MESH_VERT)
_POLYADR, _POLYNUM = int(_At.MESH_POLYADR), int(_At.MESH_POLYNUM)
_POLYNORMAL = int(_At.MESH_POLYNORMAL)
_FUNCTION, _MODEL, _DATA, _SCRATCH = (
    int(_At.FUNCTION), int(_At.MODEL), int(_At.DATA), int(_At.SCRATCH)
)  # fmt: skip
# the scratch: closest points, the smallest overlap and its direction; directions that MuJoCo found,
# and their number; what is known to be points of the two geoms, and their number
_POINTS, _BEST, _NORMAL, _FOUND, _FOUND_COUNT, _KNOWN_COUNT, _KNOWN = 0, 6, 7, 10, 25, 26, 27
_MOST_KNOWN = 16
_SCRATCH_SIZE = _KNOWN + 6 * _MOST_KNOWN


def fill_table(model: Any, data: Any, function: int) -> tuple[int, list[Any]]:
    """The address of a table for one model and its data, and what is to be kept with it."""
    table, scratch = np.zeros(_At.SIZE, dtype=np.int64), np.zeros(_SCRATCH_SIZE)
    kept: list[Any] = [table, scratch]
    for at in range(_FUNCTION):
        name = _At(at).name.lower()
        array: NDArray[Any] = getattr(model if at < _XPOS else data, name)
        kept.append(array)
        table[at] = address_of(array)
    table[_FUNCTION], table[_MODEL], table[_DATA] = function, model._address, data._address
    table[_SCRATCH] = address_of(scratch)
    return address_of(table), kept


@kernel
def _sign(value: float) -> float:
    return 1.0 if value > 0.0 else -1.0 if value < 0.0 else 0.0


@kernel
def _corner(tb: Pointer, geom: int, x: float, y: float, z: float) -> tuple[float, float, float]:
    """The vertex of a mesh that is farthest along a direction of its frame."""
    mesh = pointer_i32(tb[_DATAID])[geom]
    start, count = pointer_i32(tb[_VERTADR])[mesh], pointer_i32(tb[_VERTNUM])[mesh]
    corners = pointer_f32(tb[_VERT] + 12 * start)
    best, most = 0, -math.inf
    for i in range(count):
        along = x * corners[3 * i] + y * corners[3 * i + 1] + z * corners[3 * i + 2]
        if along > most:
            best, most = i, along
    return (
        np.float64(corners[3 * best]),
        np.float64(corners[3 * best + 1]),
        np.float64(corners[3 * best + 2]),
    )


@kernel
def _round(kind: int, size: Pointer, x: float, y: float, z: float) -> tuple[float, float, float]:
    """The point of a round geom that is farthest along a direction of its frame."""
    if kind == _CYLINDER:
        across = math.sqrt(x * x + y * y)
        share = size[0] / across if across > 0.0 else 0.0
        return x * share, y * share, _sign(z) * size[1]
    if kind == _ELLIPSOID:
        sx, sy, sz = size[0] * x, size[1] * y, size[2] * z
        length = math.sqrt(sx * sx + sy * sy + sz * sz)
        return size[0] * sx / length, size[1] * sy / length, size[2] * sz / length
    longer = _sign(z) * size[1] if kind == _CAPSULE else 0.0
    return x * size[0], y * size[0], z * size[0] + longer


@kernel
def _farthest(tb: Pointer, geom: int, x: float, y: float, z: float) -> tuple[float, float, float]:
    """As ``overlap``'s: the point of a geom that is farthest along a unit vector."""
    m, place = pointer_f64(tb[_XMAT] + 72 * geom), pointer_f64(tb[_XPOS] + 24 * geom)
    u = x * m[0] + y * m[3] + z * m[6]
    v = x * m[1] + y * m[4] + z * m[7]
    w = x * m[2] + y * m[5] + z * m[8]
    u = 0.0 if abs(u) < _PARALLEL else u
    v = 0.0 if abs(v) < _PARALLEL else v
    w = 0.0 if abs(w) < _PARALLEL else w
    kind, size = pointer_i32(tb[_TYPE])[geom], pointer_f64(tb[_SIZE] + 24 * geom)
    if kind == _BOX:
        a, b, c = _sign(u) * size[0], _sign(v) * size[1], _sign(w) * size[2]
    elif kind == _MESH:
        a, b, c = _corner(tb, geom, u, v, w)
    else:
        a, b, c = _round(kind, size, u, v, w)
    return (
        place[0] + m[0] * a + m[1] * b + m[2] * c,
        place[1] + m[3] * a + m[4] * b + m[5] * c,
        place[2] + m[6] * a + m[7] * b + m[8] * c,
    )


@kernel
def _depth(  # noqa: PLR0913, PLR0917 - a vector
    tb: Pointer, first: int, second: int, x: float, y: float, z: float
) -> float:
    """The overlap of two geoms along a unit vector from B to A; the points found are kept."""
    bx, by, bz = _farthest(tb, second, x, y, z)
    ax, ay, az = _farthest(tb, first, -x, -y, -z)
    s = pointer_f64(tb[_SCRATCH])
    count = int(s[_KNOWN_COUNT])
    if count < _MOST_KNOWN:
        k = _KNOWN + 6 * count
        s[k], s[k + 1], s[k + 2], s[k + 3], s[k + 4], s[k + 5] = ax, ay, az, bx, by, bz
        s[_KNOWN_COUNT] = count + 1.0
    return (bx - ax) * x + (by - ay) * y + (bz - az) * z


@kernel
def _exceeds(s: Pointer, x: float, y: float, z: float, limit: float) -> bool:
    """Whether the overlap along a unit vector is larger than a limit by the points known alone."""
    low, high = math.inf, -math.inf
    for i in range(int(s[_KNOWN_COUNT])):
        k = _KNOWN + 6 * i
        low = min(low, s[k] * x + s[k + 1] * y + s[k + 2] * z)
        high = max(high, s[k + 3] * x + s[k + 4] * y + s[k + 5] * z)
        if high - low > limit:
            return True
    return False


@kernel
def _try(  # noqa: PLR0913, PLR0917 - a vector
    tb: Pointer, pair: Any, x: float, y: float, z: float, bound: float
) -> None:
    """Take a direction if the overlap along it is the smallest; none beyond a bound is."""
    s = pointer_f64(tb[_SCRATCH])
    if _exceeds(s, x, y, z, min(s[_BEST], bound) + 2.0 * _ABSOLUTE):
        return
    depth = _depth(tb, pair[0], pair[1], x, y, z)
    if depth < s[_BEST] - _ABSOLUTE:
        s[_BEST], s[_NORMAL], s[_NORMAL + 1], s[_NORMAL + 2] = depth, x, y, z


@kernel
def _try_axis(  # noqa: PLR0913, PLR0917 - a vector
    tb: Pointer, pair: Any, away: Any, x: float, y: float, z: float, bound: float
) -> None:
    """Take an axis of any length, in the direction that leads away from B; across it both."""
    length = math.sqrt(x * x + y * y + z * z)
    if not length > _PARALLEL:
        return
    x, y, z = x / length, y / length, z / length
    along = x * away[0] + y * away[1] + z * away[2]
    if along < 0.0:
        x, y, z = -x, -y, -z
    _try(tb, pair, x, y, z, bound)
    if abs(along) < _ABSOLUTE:
        _try(tb, pair, -x, -y, -z, bound)


@kernel
def _ask(tb: Pointer, pair: Any, limit: float, shift: Any) -> float:
    """MuJoCo's distance of two geoms, the first of them a little beside its place."""
    place = pointer_f64(tb[_XPOS] + 24 * pair[0])
    x, y, z = place[0], place[1], place[2]
    place[0], place[1], place[2] = x + shift[0], y + shift[1], z + shift[2]
    found = geom_distance(
        tb[_FUNCTION], tb[_MODEL], tb[_DATA], pair[0], pair[1], limit, tb[_SCRATCH]
    )
    place[0], place[1], place[2] = x, y, z
    return found


@kernel
def _note(s: Pointer, x: float, y: float, z: float) -> None:
    k = int(s[_FOUND_COUNT])
    s[_FOUND + 3 * k], s[_FOUND + 3 * k + 1], s[_FOUND + 3 * k + 2] = x, y, z
    s[_FOUND_COUNT] = k + 1.0


@kernel
def _ask_around(tb: Pointer, pair: Any, away: Any) -> float:
    """Note the directions that MuJoCo and the centres give; the smallest overlap along them."""
    s = pointer_f64(tb[_SCRATCH])
    s[_FOUND_COUNT] = 0.0
    for shift in ((_X1, _Y1, _Z1), (_X2, _Y2, _Z2)):
        distance = _ask(tb, pair, 1.0, shift)
        x, y, z = s[0] - s[3], s[1] - s[4], s[2] - s[5]
        length = math.sqrt(x * x + y * y + z * z)
        if length > _ABSOLUTE:
            length = length if distance > 0.0 else -length
            _note(s, x / length, y / length, z / length)
            _note(s, -x / length, -y / length, -z / length)
    x, y, z = away
    length = math.sqrt(x * x + y * y + z * z)
    if length > _ABSOLUTE:
        _note(s, x / length, y / length, z / length)
    bound = math.inf
    for k in range(int(s[_FOUND_COUNT])):
        at = _FOUND + 3 * k
        bound = min(bound, _depth(tb, pair[0], pair[1], s[at], s[at + 1], s[at + 2]))
    return bound


@kernel
def _try_faces(tb: Pointer, pair: Any, geom: int, away: Any, bound: float) -> None:
    """Take the directions across the faces of a geom."""
    m, kind = pointer_f64(tb[_XMAT] + 72 * geom), pointer_i32(tb[_TYPE])[geom]
    if kind in (_BOX, _CYLINDER):
        for k in range(3):
            _try_axis(tb, pair, away, m[k], m[3 + k], m[6 + k], bound)
    elif kind == _MESH:
        mesh = pointer_i32(tb[_DATAID])[geom]
        count = pointer_i32(tb[_POLYNUM])[mesh]
        normals = pointer_f64(tb[_POLYNORMAL] + 24 * pointer_i32(tb[_POLYADR])[mesh])
        for i in range(count if count <= _MANY else 0):
            x, y, z = normals[3 * i], normals[3 * i + 1], normals[3 * i + 2]
            _try_axis(
                tb, pair, away,
                m[0] * x + m[1] * y + m[2] * z,
                m[3] * x + m[4] * y + m[5] * z,
                m[6] * x + m[7] * y + m[8] * z,
                bound,
            )  # fmt: skip


@kernel
def _try_edges(tb: Pointer, pair: Any, away: Any, bound: float) -> None:
    """Take the directions across two edges of two boxes."""
    m, n = pointer_f64(tb[_XMAT] + 72 * pair[0]), pointer_f64(tb[_XMAT] + 72 * pair[1])
    for i in range(3):
        for j in range(3):
            _try_axis(
                tb, pair, away,
                m[3 + i] * n[6 + j] - m[6 + i] * n[3 + j],
                m[6 + i] * n[j] - m[i] * n[6 + j],
                m[i] * n[3 + j] - m[3 + i] * n[j],
                bound,
            )  # fmt: skip


@kernel
def _try_all(tb: Pointer, pair: Any, away: Any, bound: float) -> None:
    """Take the directions across faces, and across edges of two boxes."""
    kinds = pointer_i32(tb[_TYPE])
    _try_faces(tb, pair, pair[0], away, bound)
    _try_faces(tb, pair, pair[1], away, bound)
    if kinds[pair[0]] == _BOX and kinds[pair[1]] == _BOX:
        _try_edges(tb, pair, away, bound)


@kernel
def _away(tb: Pointer, pair: Any) -> tuple[float, float, float]:
    """From the middle of B to that of A."""
    a, b = pointer_f64(tb[_XPOS] + 24 * pair[0]), pointer_f64(tb[_XPOS] + 24 * pair[1])
    return a[0] - b[0], a[1] - b[1], a[2] - b[2]


@kernel
def _is_flat(tb: Pointer, geom: int, x: float, y: float, z: float) -> bool:
    """Whether a geom has a flat face across a unit vector."""
    m, kind = pointer_f64(tb[_XMAT] + 72 * geom), pointer_i32(tb[_TYPE])[geom]
    u = abs(x * m[0] + y * m[3] + z * m[6])
    v = abs(x * m[1] + y * m[4] + z * m[7])
    w = abs(x * m[2] + y * m[5] + z * m[8])
    if kind == _BOX:
        return max(u, v, w) > 1.0 - _PARALLEL
    return kind == _CYLINDER and w > 1.0 - _PARALLEL


@kernel
def _deepest(tb: Pointer, pair: Any) -> float:
    """As ``overlap``'s: the smallest overlap; points and direction are in the scratch."""
    s, away = pointer_f64(tb[_SCRATCH]), _away(tb, pair)
    s[_KNOWN_COUNT], s[_BEST] = 0.0, math.inf
    s[_NORMAL], s[_NORMAL + 1], s[_NORMAL + 2] = 0.0, 0.0, 1.0
    bound = _ask_around(tb, pair, away)
    _try_all(tb, pair, away, bound)
    for k in range(int(s[_FOUND_COUNT])):
        at = _FOUND + 3 * k
        _try(tb, pair, s[at], s[at + 1], s[at + 2], math.inf)
    best, x, y, z = s[_BEST], s[_NORMAL], s[_NORMAL + 1], s[_NORMAL + 2]
    if _is_flat(tb, pair[0], x, y, z):
        s[3], s[4], s[5] = _farthest(tb, pair[1], x, y, z)
        s[0], s[1], s[2] = s[3] - best * x, s[4] - best * y, s[5] - best * z
    else:
        s[0], s[1], s[2] = _farthest(tb, pair[0], -x, -y, -z)
        s[3], s[4], s[5] = s[0] + best * x, s[1] + best * y, s[2] + best * z
    return best


@kernel
def _holds(tb: Pointer, pair: Any, distance: float) -> bool:
    """As ``overlap``'s: whether MuJoCo's answer in the scratch agrees with the two geoms."""
    s = pointer_f64(tb[_SCRATCH])
    x, y, z = s[0] - s[3], s[1] - s[4], s[2] - s[5]
    length = math.sqrt(x * x + y * y + z * z)
    if length < _ABSOLUTE:
        return False
    length = length if distance > 0.0 else -length
    x, y, z = x / length, y / length, z / length
    if distance > 0.0:
        a = pointer_f64(tb[_XPOS] + 24 * pair[0])
        b = pointer_f64(tb[_XPOS] + 24 * pair[1])
        ahead = x * (a[0] - s[0]) + y * (a[1] - s[1]) + z * (a[2] - s[2])
        behind = x * (b[0] - s[3]) + y * (b[1] - s[4]) + z * (b[2] - s[5])
        return ahead >= -_ABSOLUTE and behind <= _ABSOLUTE
    s[_KNOWN_COUNT] = 0.0
    depth = _depth(tb, pair[0], pair[1], x, y, z)
    margin = _ABSOLUTE + _RELATIVE * depth
    if not abs(depth + distance) <= margin:
        return False
    s[_BEST] = depth
    _try_all(tb, pair, _away(tb, pair), math.inf)
    return s[_BEST] >= depth - margin


@kernel
def _may_overlap(tb: Pointer, pair: Any) -> bool:
    """Whether the bounding spheres of two geoms meet."""
    bound, (x, y, z) = pointer_f64(tb[_RBOUND]), _away(tb, pair)
    return math.sqrt(x * x + y * y + z * z) < bound[pair[0]] + bound[pair[1]]


@kernel
def _one(row: int) -> int:
    made = new_tuple(1)
    set_item(made, 0, row)
    return made


@kernel
def _settle(known: Pointer, numbers: Pointer, args: Pointer) -> int:
    """A row about two convex geoms, in a tuple; an empty one if they are beyond the limit.

    Arguments: address of the table, the two geoms, the limit, head and tail of the row.
    """
    if not read_number(known, args[3], numbers, 0):
        return _NOT_DONE
    tb, pair = pointer_i64(integer_at(args, 0)), (integer_at(args, 1), integer_at(args, 2))
    limit, s = numbers[0], pointer_f64(tb[_SCRATCH])
    beyond = max(limit, 0.0) * (1.0 + 1e-9) + 1e-6
    shift = (_X1, _Y1, _Z1)
    distance = _ask(tb, pair, beyond, (0.0, 0.0, 0.0))
    if distance >= beyond and _may_overlap(tb, pair):
        distance = _ask(tb, pair, beyond, shift)
    if distance > limit or distance >= beyond:
        return new_tuple(0)
    kinds = pointer_i32(tb[_TYPE])[pair[0]], pointer_i32(tb[_TYPE])[pair[1]]
    if distance < 0.0 and min(kinds) == _CAPSULE and max(kinds) == _BOX:
        return _NOT_DONE
    if not _holds(tb, pair, distance):
        depth = _deepest(tb, pair)
        if depth > -_BARELY:
            if -depth > limit:
                return new_tuple(0)
            n = (s[_NORMAL] + 0.0, s[_NORMAL + 1] + 0.0, s[_NORMAL + 2] + 0.0)
            return _one(made_row(args[4], args[5], -depth, s, n[0], n[1], n[2]))
        distance = _ask(tb, pair, beyond, shift)
        if distance > limit or distance >= beyond:
            return new_tuple(0)
    x, y, z = s[0] - s[3], s[1] - s[4], s[2] - s[5]
    length = math.sqrt(x * x + y * y + z * z)
    if not length > _TOUCHING:
        return _NOT_DONE
    scale = (1.0 if distance > 0.0 else -1.0) / length
    row = made_row(args[4], args[5], distance, s, x * scale + 0.0, y * scale + 0.0, z * scale + 0.0)
    return _one(row)


def _build(digest: str) -> Any:
    @kept_entry(ENTRY)
    def entry(self: int, args: int, count: int, names: int) -> int:
        if len(digest) > 0:
            found = _settle(known_of(self), functions.numbers_of(self), pointer_i64(args))
            if found != _NOT_DONE:
                return found
        return python_call(self, args, count, names)

    return entry


@functools.cache
def settle() -> Callable[..., Any]:
    """The compiled function `_settle`, or one that returns None."""
    sources = (sys.modules[__name__], distance_kernel, functions, objects, pointers)
    entry = None
    if functions.builtins_work():
        entry = compiled("the overlaps of shapes", _build, *sources)
    return functions.make_functions(entry, 1)[0]
