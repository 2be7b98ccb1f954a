"""Capsules whose axis runs into a box: ``mjCOLLISIONFUNC`` for these two.

MuJoCo's own function takes the nearest features of the axis and the box. Of an axis that is inside
it makes a contact that is not deep enough, often along the axis, so that the two hardly part. The
function for all convex shapes finds the shortest way out.
"""

from __future__ import annotations

import ctypes
from typing import Any

import mujoco

from unibody.core.engine.layout import Layout
from unibody.core.engine.rows.clipping import is_ours
from unibody.core.engine.rows.pointers import f64_array, pointer_f64
from unibody.machine_code import types
from unibody.machine_code.kept import kept_entry

COLLIDE = "mjc_CapsuleBox"  # of libmujoco
CONVEX = "mjc_Convex"
CALLED = (COLLIDE, CONVEX)
_TYPES = 9  # mjNGEOMTYPES
PLACE = int(mujoco.mjtGeom.mjGEOM_CAPSULE) * _TYPES + int(mujoco.mjtGeom.mjGEOM_BOX)
_NUMBERS = 10  # of an mjPreContact: distance, position, normal, tangent
_PAIR = types.int32(
    types.int64, types.int64, types.int64, types.int32, types.int32, types.float64
)  # fmt: skip
_collide = types.ExternalFunction(COLLIDE, _PAIR)
_convex = types.ExternalFunction(CONVEX, _PAIR)


def build(lay: Layout, digest: str) -> Any:
    """Compile the function, or load it from numba's cache; see ``rows.cpu`` for the digest."""

    @kept_entry(_PAIR)
    def collide(m: int, d: int, contacts: int, capsule: int, box: int, margin: float) -> int:
        count = _collide(m, d, contacts, capsule, box, margin)
        if len(digest) == 0 or not is_ours(m, lay):
            return count
        margins = f64_array(m, lay.m_geom_margin)
        if margin != margins[capsule] + margins[box]:  # MuJoCo measures a distance
            return count
        radius, found = f64_array(m, lay.m_geom_size)[3 * capsule], pointer_f64(contacts)
        for i in range(count):
            if found[_NUMBERS * i] <= -radius:
                return _convex(m, d, contacts, capsule, box, margin)
        return count

    return collide


def install(library: ctypes.CDLL, function: Any) -> None:
    """Put the function in the place of MuJoCo's own; one of somebody else stays."""
    table = (ctypes.c_void_p * (_TYPES * _TYPES)).in_dll(library, "mjCOLLISIONFUNC")
    if table[PLACE] == ctypes.cast(library[COLLIDE], ctypes.c_void_p).value:
        table[PLACE] = function.address
