"""Capsules whose axis runs into a box: ``mjCOLLISIONFUNC`` for these two.

MuJoCo's own function takes the nearest features of the axis and the box. Of an axis that is inside
it makes a contact that is not deep enough, often along the axis, so that the two hardly part. Then
the contacts are those of the function for all convex shapes, which finds the shortest way out, in
worlds whose pairs are Bullet's.
"""

from __future__ import annotations

import ctypes
import math
from typing import Any

import mujoco

from unibody.core.engine.library.layout import Layout
from unibody.core.engine.rules.box_contacts import is_ours, pairs_are_bullets
from unibody.machine_code import types
from unibody.machine_code.jit import inlined
from unibody.machine_code.kept import kept_entry
from unibody.machine_code.pointers import Pointer, f64_array, pointer_f64

COLLIDE = "mjc_CapsuleBox"  # of libmujoco
CONVEX = "mjc_Convex"
CALLED = (COLLIDE, CONVEX)
_TYPES = 9  # mjNGEOMTYPES
PLACE = int(mujoco.mjtGeom.mjGEOM_CAPSULE) * _TYPES + int(mujoco.mjtGeom.mjGEOM_BOX)
_NUMBERS = 10  # of an mjPreContact: distance, position, normal, tangent
DEEPER = 1e-6  # m: what differs by less is the same way out
_PAIR = types.int32(
    types.int64, types.int64, types.int64, types.int32, types.int32, types.float64
)  # fmt: skip
_collide = types.ExternalFunction(COLLIDE, _PAIR)
_convex = types.ExternalFunction(CONVEX, _PAIR)


@inlined
def _deepest(found: Pointer, count: int) -> float:
    """The smallest distance of some contacts [m]."""
    least = math.inf
    for i in range(count):
        least = min(least, found[_NUMBERS * i])
    return least


def build(lay: Layout, digest: str) -> Any:
    """Compile the function, or load it from numba's cache; see ``callbacks`` for the digest."""

    @kept_entry(_PAIR)
    def collide(m: int, d: int, contacts: int, capsule: int, box: int, margin: float) -> int:
        count = _collide(m, d, contacts, capsule, box, margin)
        if len(digest) == 0 or not (is_ours(m, lay) and pairs_are_bullets(m, lay)):
            return count
        margins = f64_array(m, lay.m_geom_margin)
        if margin != margins[capsule] + margins[box]:  # MuJoCo measures a distance
            return count
        found = pointer_f64(contacts)
        deepest = _deepest(found, count)
        if deepest > -f64_array(m, lay.m_geom_size)[3 * capsule]:
            return count
        behind = contacts + 8 * _NUMBERS * count  # MuJoCo has room for 50
        more, others = _convex(m, d, behind, capsule, box, margin), pointer_f64(behind)
        if _deepest(others, more) > deepest - DEEPER:
            return count
        for k in range(_NUMBERS * more):
            found[k] = others[k]
        return more

    return collide


def install(library: ctypes.CDLL, function: Any) -> None:
    """Put the function in the place of MuJoCo's own; one of somebody else stays."""
    table = (ctypes.c_void_p * (_TYPES * _TYPES)).in_dll(library, "mjCOLLISIONFUNC")
    if table[PLACE] == ctypes.cast(library[COLLIDE], ctypes.c_void_p).value:
        table[PLACE] = function.address
