"""Reading the contacts of an MjData, compiled by numba."""

from __future__ import annotations

import enum
import functools
import sys
from typing import Any

from unibody.core.assets import transforms
from unibody.machine_code import numba, pointers, types
from unibody.machine_code.compiled import compiled
from unibody.machine_code.jit import rule
from unibody.machine_code.kept import kept_entry
from unibody.machine_code.pointers import (
    address_at,
    f64_array,
    int_at,
    pointer_f64,
    pointer_i32,
    pointer_i64,
)


class Slot(enum.IntEnum):
    """What each number of the table is: an offset in bytes, or the address of an array."""

    NCON = 0  # offsets in mjData
    CONTACT = 1
    EFC_FORCE = 2
    STRIDE = 3  # size of an mjContact
    DIST = 4  # offsets in mjContact
    POS = 5
    FRAME = 6
    DIM = 7
    GEOM = 8
    EFC_ADDRESS = 9
    GEOM_BODY = 10  # int32 (ngeom,): MuJoCo body
    GEOM_RANK = 11  # int64 (ngeom,): the geom of the lower rank is on A
    OWNER_BODY = 12  # int64 (nbody,)
    OWNER_LINK = 13  # int64 (nbody,)
    SIZE_OF_TABLE = 14


_NCON, _CONTACT, _EFC_FORCE = int(Slot.NCON), int(Slot.CONTACT), int(Slot.EFC_FORCE)
_STRIDE, _DIST, _POS, _FRAME = int(Slot.STRIDE), int(Slot.DIST), int(Slot.POS), int(Slot.FRAME)
_DIM, _GEOM, _EFC_ADDRESS = int(Slot.DIM), int(Slot.GEOM), int(Slot.EFC_ADDRESS)
_GEOM_BODY, _GEOM_RANK = int(Slot.GEOM_BODY), int(Slot.GEOM_RANK)
_OWNER_BODY, _OWNER_LINK = int(Slot.OWNER_BODY), int(Slot.OWNER_LINK)
IDS = 4  # of a contact: bodies and links of A and B
NUMBERS = 19  # positions on A and B, normal, distance, three forces, two directions

plane_directions: Any = numba.njit(transforms.plane_directions)


@rule
def _first_is_a(table: Any, first: int, second: int) -> bool:
    """Is A the geom that MuJoCo has first? By rank, then body id, then link index."""
    rank = pointer_i64(table[_GEOM_RANK])
    if rank[first] != rank[second]:
        return rank[first] < rank[second]
    body = pointer_i32(table[_GEOM_BODY])
    owner = pointer_i64(table[_OWNER_BODY])
    if owner[body[first]] != owner[body[second]]:
        return owner[body[first]] < owner[body[second]]
    return body[first] <= body[second]


@rule
def _read(table_at: int, data_at: int, count: int, ids_at: int, numbers_at: int) -> None:
    """Write the contacts of an mjData into arrays.

    Args:
        table_at: Address of the table.
        data_at: Address of the mjData.
        count: Number of its contacts.
        ids_at: Address of int64 (4, count).
        numbers_at: Address of float64 (19, count).
    """
    table = pointer_i64(table_at)
    ids, out = pointer_i64(ids_at), pointer_f64(numbers_at)
    contacts = address_at(data_at, table[_CONTACT])
    rows = f64_array(data_at, table[_EFC_FORCE])
    body = pointer_i32(table[_GEOM_BODY])
    for i in range(count):
        con = contacts + i * table[_STRIDE]
        geom = pointer_i32(con + table[_GEOM])
        in_order = _first_is_a(table, geom[0], geom[1])
        a, b = (body[geom[0]], body[geom[1]]) if in_order else (body[geom[1]], body[geom[0]])
        ids[i] = pointer_i64(table[_OWNER_BODY])[a]
        ids[count + i] = pointer_i64(table[_OWNER_BODY])[b]
        ids[2 * count + i] = pointer_i64(table[_OWNER_LINK])[a]
        ids[3 * count + i] = pointer_i64(table[_OWNER_LINK])[b]
        # MuJoCo's normal points from its first geom to its second, its forces act on the second
        sign = -1.0 if in_order else 1.0
        frame, pos = pointer_f64(con + table[_FRAME]), pointer_f64(con + table[_POS])
        dist = pointer_f64(con + table[_DIST])[0]
        nx, ny, nz = sign * frame[0], sign * frame[1], sign * frame[2]
        normal = (nx, ny, nz)
        row, dim = int_at(con, table[_EFC_ADDRESS]), int_at(con, table[_DIM])
        force, f1, f2 = 0.0, 0.0, 0.0
        if row >= 0:
            force = rows[row]
            if dim > 1:
                f1, f2 = sign * rows[row + 1], sign * rows[row + 2]
        fx, fy, fz = (
            f1 * frame[3] + f2 * frame[6],
            f1 * frame[4] + f2 * frame[7],
            f1 * frame[5] + f2 * frame[8],
        )
        spans = plane_directions(nx, ny, nz)
        for k in range(3):
            out[k * count + i] = pos[k] + 0.5 * dist * normal[k]
            out[(3 + k) * count + i] = pos[k] - 0.5 * dist * normal[k]
            out[(6 + k) * count + i] = normal[k]
            out[(13 + k) * count + i] = spans[k]
            out[(16 + k) * count + i] = spans[3 + k]
        out[9 * count + i] = dist
        out[10 * count + i] = force
        out[11 * count + i] = fx * spans[0] + fy * spans[1] + fz * spans[2]
        out[12 * count + i] = fx * spans[3] + fy * spans[4] + fz * spans[5]


def _build(digest: str) -> Any:
    @kept_entry(types.void(*[types.int64] * 5))
    def read(table_at: int, data_at: int, count: int, ids_at: int, numbers_at: int) -> None:
        if len(digest) > 0:
            _read(table_at, data_at, count, ids_at, numbers_at)

    return read.ctypes


@functools.cache
def reader() -> Any:
    """The compiled function (table, mjData, count, ids, numbers), all int64; see `_read`."""
    return compiled("the reading of contacts", _build, sys.modules[__name__], pointers)
