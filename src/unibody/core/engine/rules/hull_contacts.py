"""Hulls over a plane or over a side of a box: ``mjCOLLISIONFUNC`` for these two.

MuJoCo gives the contacts of a hull and a box the direction of the hull's own face where that is
nearly parallel to the box's: a duck that falls on a floor hits it under five degrees. Where all
that a hull touches lies over one side of the box, the direction is that of the side, the distances
are those of the corners, and up to four of these span what the hull stands on: the deepest, the
farthest from it, and the farthest on both sides of the line through the two.
"""

from __future__ import annotations

import ctypes
import math
from typing import Any, NamedTuple

import mujoco

from unibody.core.engine.library.layout import offsets_of
from unibody.core.engine.records import rule_table as t
from unibody.core.engine.rules.ownership import is_world
from unibody.core.engine.rules.pair_filter import JOINED, SIZE, SKIN
from unibody.machine_code import types
from unibody.machine_code.jit import inlined, rule
from unibody.machine_code.kept import kept_entry, provide_symbol
from unibody.machine_code.pointers import (
    Pointer,
    address_at,
    f64_array,
    i32_array,
    pointer_f32,
    pointer_f64,
)

_GEOM = mujoco.mjtGeom
_TYPES = 9  # mjNGEOMTYPES
PLANE, BOX = int(_GEOM.mjGEOM_PLANE), int(_GEOM.mjGEOM_BOX)
MESH = int(_GEOM.mjGEOM_MESH)
BEFORE = {  # names for what was in the table before, for compiled code to call
    PLANE: "unibody_plane_hull_before",
    BOX: "unibody_box_hull_before",
}
_NUMBERS = 10  # of an mjPreContact: distance, position, normal, tangent
MOST_CORNERS = 1000  # of a hull: with more, MuJoCo's search along its edges is faster
SPACING = 0.02  # of a hull's size: corners that are nearer to one another count as one
NOT_OURS = -1  # another feature of the box may be nearer
_PAIR = types.int32(
    types.int64, types.int64, types.int64, types.int32, types.int32, types.float64
)  # fmt: skip


class Offsets(NamedTuple):
    """Byte offsets of what is read: ``m_`` in mjModel, ``d_`` in mjData."""

    m_nnumeric: int
    m_numeric_size: int
    m_numeric_data: int
    m_geom_dataid: int
    m_geom_size: int
    m_geom_rbound: int
    m_geom_user: int
    m_geom_margin: int
    m_mesh_vert: int
    m_mesh_vertadr: int
    m_mesh_vertnum: int
    d_geom_xpos: int
    d_geom_xmat: int


def offsets() -> Offsets:
    """Those of the MuJoCo that is installed."""
    structs = {"m": offsets_of("mjModel"), "d": offsets_of("mjData")}
    return Offsets(*[structs[name[0]][name[2:]] for name in Offsets._fields])


@inlined
def _turned(mat: Pointer, flat: int, hull: int, k: int, j: int) -> float:
    """Entry of the matrix that turns the axes of geom ``hull`` into those of ``flat``."""
    f, h = 9 * flat + k, 9 * hull + j
    return mat[f] * mat[h] + mat[f + 3] * mat[h + 3] + mat[f + 6] * mat[h + 6]


@inlined
def _side(size: Pointer, x: float, y: float, z: float) -> int:
    """Axis of the side of a box that a point is farthest outside of."""
    ox, oy, oz = abs(x) - size[0], abs(y) - size[1], abs(z) - size[2]
    if oz >= ox and oz >= oy:
        return 2
    return 1 if oy >= ox else 0


class Frame(NamedTuple):
    """What takes corners of a hull to heights over a side and places on it.

    A corner (x, y, z) is ``nx x + ny y + nz z + height`` above the side, and at
    ``ux x + uy y + uz z + u0`` and ``vx x + vy y + vz z + v0`` along its edges, which are
    ``half_u`` and ``half_v`` from its middle. The normal is ``up`` times an ``axis`` of the box.
    """

    axis: int
    up: float
    nx: float
    ny: float
    nz: float
    height: float
    ux: float
    uy: float
    uz: float
    u0: float
    half_u: float
    vx: float
    vy: float
    vz: float
    v0: float
    half_v: float


class Hull(NamedTuple):
    """A hull: the address of its corners (float32), how many there are, how far they reach [m]."""

    vertices: int
    corners: int
    bound: float


@rule
def _frame(m: int, d: int, flat: int, hull: int, box: bool, at: Offsets) -> Frame:
    """The frame on a plane, or on the side of a box that the middle of a hull is outside of."""
    pos, mat = f64_array(d, at.d_geom_xpos), f64_array(d, at.d_geom_xmat)
    f, h, o = 3 * flat, 3 * hull, 9 * flat
    wx, wy, wz = pos[h] - pos[f], pos[h + 1] - pos[f + 1], pos[h + 2] - pos[f + 2]
    x = mat[o] * wx + mat[o + 3] * wy + mat[o + 6] * wz
    y = mat[o + 1] * wx + mat[o + 4] * wy + mat[o + 7] * wz
    z = mat[o + 2] * wx + mat[o + 5] * wy + mat[o + 8] * wz
    middle = (x, y, z)
    axis, up, half, half_u, half_v = 2, 1.0, 0.0, math.inf, math.inf
    if box:
        size = pointer_f64(address_at(m, at.m_geom_size) + 24 * flat)
        axis = _side(size, x, y, z)
        up = math.copysign(1.0, middle[axis])
        half, half_u, half_v = size[axis], size[(axis + 1) % 3], size[(axis + 2) % 3]
    u, v = (axis + 1) % 3, (axis + 2) % 3
    return Frame(
        axis,
        up,
        up * _turned(mat, flat, hull, axis, 0),
        up * _turned(mat, flat, hull, axis, 1),
        up * _turned(mat, flat, hull, axis, 2),
        up * middle[axis] - half,
        _turned(mat, flat, hull, u, 0),
        _turned(mat, flat, hull, u, 1),
        _turned(mat, flat, hull, u, 2),
        middle[u],
        half_u,
        _turned(mat, flat, hull, v, 0),
        _turned(mat, flat, hull, v, 1),
        _turned(mat, flat, hull, v, 2),
        middle[v],
        half_v,
    )


@inlined
def _corner(hull: Hull, i: int) -> tuple[float, float, float]:
    corners = pointer_f32(hull.vertices)
    return float(corners[3 * i]), float(corners[3 * i + 1]), float(corners[3 * i + 2])


@inlined
def _above(side: Frame, x: float, y: float, z: float) -> float:
    return side.nx * x + side.ny * y + side.nz * z + side.height


@inlined
def _along(side: Frame, x: float, y: float, z: float) -> tuple[float, float]:
    u = side.ux * x + side.uy * y + side.uz * z + side.u0
    return u, side.vx * x + side.vy * y + side.vz * z + side.v0


@rule
def _deepest(hull: Hull, side: Frame, margin: float) -> tuple[int, float, float]:
    """The deepest corner, its height, and how far inside the side's edges all that touch are."""
    deepest, least, inside = 0, math.inf, math.inf
    for i in range(hull.corners):
        x, y, z = _corner(hull, i)
        above = _above(side, x, y, z)
        if above < least:
            deepest, least = i, above
        if above < margin:
            u, v = _along(side, x, y, z)
            inside = min(inside, side.half_u - abs(u), side.half_v - abs(v))
    return deepest, least, inside


@inlined
def _weight(above: float, margin: float) -> float:
    """How much a corner counts: one that touches, fully, one at a tenth of the margin, by half."""
    if above <= 0.0:
        return 1.0
    share = 1.0 - above / margin
    share *= share
    share *= share
    return share * share


@rule
def _span(hull: Hull, side: Frame, margin: float, deepest: int) -> tuple[int, int, int]:
    """The three corners that span most with the deepest one; -1: there is none."""
    x, y, z = _corner(hull, deepest)
    u0, v0 = _along(side, x, y, z)
    near = (SPACING * hull.bound) ** 2
    far, du, dv, most = -1, 0.0, 0.0, 0.0
    for i in range(hull.corners):
        x, y, z = _corner(hull, i)
        above = _above(side, x, y, z)
        if above < margin:
            u, v = _along(side, x, y, z)
            away = (u - u0) * (u - u0) + (v - v0) * (v - v0)
            weighed = away * _weight(above, margin)
            if away > near and weighed > most:
                far, du, dv, most = i, u - u0, v - v0, weighed
    left, right = -1, -1
    if far >= 0:
        near = SPACING * hull.bound * math.sqrt(du * du + dv * dv)
        most_left = most_right = 0.0
        for i in range(hull.corners):
            x, y, z = _corner(hull, i)
            above = _above(side, x, y, z)
            if above < margin:
                u, v = _along(side, x, y, z)
                across = du * (v - v0) - dv * (u - u0)
                weighed = across * _weight(above, margin)
                if across > near and weighed > most_left:
                    left, most_left = i, weighed
                if across < -near and weighed < most_right:
                    right, most_right = i, weighed
    return far, left, right


@inlined
def _seen(m: int, flat: int, hull: int, margin: float, at: Offsets) -> float:
    """How far away contacts are; of joined shapes as far as ``rules.pair_filter`` lets them see.

    MuJoCo's measuring of distances also comes here, with a margin of its own.
    """
    user, margins = f64_array(m, at.m_geom_user), f64_array(m, at.m_geom_margin)
    joined = user[flat * SIZE + JOINED] > 0.0 or user[hull * SIZE + JOINED] > 0.0
    if joined and margin == margins[flat] + margins[hull]:
        return min(margin, 2.0 * t.TOUCH + SKIN)
    return margin


@rule
def lie(
    m: int, d: int, contacts: int, flat: int, hull: int, margin: float, box: bool, at: Offsets
) -> int:
    """Write the contacts of a hull over a plane or a side of a box.

    Returns:
        How many there are, or NOT_OURS.
    """
    mesh = i32_array(m, at.m_geom_dataid)[hull]
    count = i32_array(m, at.m_mesh_vertnum)[mesh]
    if not is_world(m, at) or count > MOST_CORNERS:
        return NOT_OURS
    corners = address_at(m, at.m_mesh_vert) + 12 * i32_array(m, at.m_mesh_vertadr)[mesh]
    shape = Hull(corners, count, f64_array(m, at.m_geom_rbound)[hull])
    side = _frame(m, d, flat, hull, box, at)
    if box:
        margin = _seen(m, flat, hull, margin, at)
    if side.height > shape.bound + margin:
        return 0
    if box and side.height <= 0.0:
        return NOT_OURS
    deepest, least, inside = _deepest(shape, side, margin)
    if least >= margin:
        return 0
    if box and inside < max(0.0, -least):
        return NOT_OURS
    far, left, right = _span(shape, side, margin, deepest)
    pos, mat = f64_array(d, at.d_geom_xpos), f64_array(d, at.d_geom_xmat)
    found = 0
    for i in (deepest, far, left, right):
        if i < 0:
            continue
        x, y, z = _corner(shape, i)
        contact = pointer_f64(contacts + 8 * _NUMBERS * found)
        contact[0] = _above(side, x, y, z)
        for k in range(3):
            r = 9 * hull + 3 * k
            normal = side.up * mat[9 * flat + 3 * k + side.axis]
            place = pos[3 * hull + k] + mat[r] * x + mat[r + 1] * y + mat[r + 2] * z
            contact[1 + k] = place - 0.5 * contact[0] * normal
            contact[4 + k] = normal
            contact[7 + k] = 0.0
        found += 1
    return found


def _build(kind: int, at: Offsets, digest: str) -> Any:
    """Compile the function for planes or boxes, or load it from numba's cache."""
    previous, box = types.ExternalFunction(BEFORE[kind], _PAIR), kind == BOX

    @kept_entry(_PAIR)
    def collide(m: int, d: int, contacts: int, flat: int, hull: int, margin: float) -> int:
        count = lie(m, d, contacts, flat, hull, margin, box, at) if len(digest) > 0 else NOT_OURS
        return count if count >= 0 else previous(m, d, contacts, flat, hull, margin)

    return collide


def build_all(digest: str) -> dict[int, Any]:
    """The functions for planes and for boxes; see ``rules.callbacks`` for the digest."""
    return {kind: _build(kind, offsets(), digest) for kind in BEFORE}


def install(library: ctypes.CDLL, digest: str) -> dict[int, Any]:
    """Put the functions into MuJoCo's table, in front of what was there before.

    Args:
        library: The libmujoco that is loaded.
        digest: Hash of what is compiled; see ``rules.callbacks``.

    Returns:
        The functions, which have to be kept alive.
    """
    table = (ctypes.c_void_p * (_TYPES * _TYPES)).in_dll(library, "mjCOLLISIONFUNC")
    at = offsets()
    functions: dict[int, Any] = {}
    for kind, name in BEFORE.items():
        place = kind * _TYPES + MESH
        provide_symbol(name, int(table[place] or 0))
        functions[kind] = _build(kind, at, digest)
        table[place] = functions[kind].address
    return functions
