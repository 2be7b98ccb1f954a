# ruff: noqa: PLR0913, PLR0917 - kernels take their state as plain arguments
"""A convex geom in the frame of a mesh, how far contacts are looked for, and memory for them."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from unibody.core.assets.mesh.types import FloatArray
from unibody.core.engine.mesh_contacts.clip import ROOM
from unibody.core.engine.mesh_contacts.contact_reduction import MOST_FOUND, ROW
from unibody.core.engine.mesh_contacts.gjk import SIMPLEX
from unibody.machine_code.jit import kernel
from unibody.machine_code.pointers import Pointer

SEEN = 256  # a power of two


class Reach(NamedTuple):
    """Which contacts are looked for.

    Attributes:
        ahead: Distance up to which contacts are found however slow the geom is [m].
        x: How far the geom moves in a step, in its own frame [m].
        y: See x.
        z: See x.
        spin: How far turning moves a point of it in a step, at most [m].
        box: How far beyond the geom's bounding box triangles are looked at [m].
    """

    ahead: float
    x: float
    y: float
    z: float
    spin: float
    box: float


class Placed(NamedTuple):
    """A geom in the frame of the mesh.

    Attributes:
        place: Its origin, (3,) [m].
        turn: Its rotation, row by row, (9,).
        low: Lowest corner of its box in the mesh's frame, (3,).
        high: Highest corner.
        own_low: Lowest corner of its box in its own frame, (3,).
        own_high: Highest corner.
        size: Half the diagonal of its own box, or that of the mesh where it is smaller [m].
    """

    place: FloatArray
    turn: FloatArray
    low: FloatArray
    high: FloatArray
    own_low: FloatArray
    own_high: FloatArray
    size: float


class Room(NamedTuple):
    """Memory of one call."""

    found: FloatArray  # (MOST_FOUND, ROW)
    triangle: FloatArray  # (9,)
    simplex: FloatArray
    shares: FloatArray
    spare: FloatArray
    near: FloatArray  # (9,)
    side: FloatArray
    flat: FloatArray
    other: FloatArray
    over: FloatArray
    seen: NDArray[np.int64]  # (SEEN,): corners that have a contact already


@kernel
def make_room() -> Room:
    """Memory for one call: callers may be on several threads."""
    return Room(
        np.empty((MOST_FOUND, ROW)), np.empty(9), np.empty((SIMPLEX, 7)), np.empty(SIMPLEX),
        np.empty(9), np.empty(9), np.empty((ROOM, 3)), np.empty((3, 3)), np.empty((ROOM, 3)),
        np.empty((ROOM, 4)), np.full(SEEN, -1),
    )  # fmt: skip


@kernel
def placed(mesh_pos: Pointer, mesh_mat: Pointer, pos: Pointer, mat: Pointer, box: Pointer,
           margin: float, own_margin: float, most: float) -> Placed:  # fmt: skip
    """A geom in the frame of a mesh, from both poses in the world and its own box.

    The box is widened by one margin in the mesh's frame, by the other in its own; its size counts
    as ``most`` if it is larger.
    """
    place, turn = np.empty(3), np.empty(9)
    low, high = np.empty(3), np.empty(3)
    own_low, own_high = np.empty(3), np.empty(3)
    dx, dy, dz = pos[0] - mesh_pos[0], pos[1] - mesh_pos[1], pos[2] - mesh_pos[2]
    for i in range(3):
        place[i] = mesh_mat[i] * dx + mesh_mat[3 + i] * dy + mesh_mat[6 + i] * dz
        centre, half = place[i], margin
        for j in range(3):
            value = 0.0
            for k in range(3):
                value += mesh_mat[3 * k + i] * mat[3 * k + j]
            turn[3 * i + j] = value
            centre += value * box[j]
            half += abs(value) * box[3 + j]
        low[i], high[i] = centre - half, centre + half
        own_low[i] = box[i] - box[3 + i] - own_margin
        own_high[i] = box[i] + box[3 + i] + own_margin
    size = math.sqrt(box[3] * box[3] + box[4] * box[4] + box[5] * box[5])
    return Placed(place, turn, low, high, own_low, own_high, min(size, most))
