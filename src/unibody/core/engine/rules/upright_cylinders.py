"""Cylinders that stand upright on a plane: ``mjCOLLISIONFUNC`` for these two.

MuJoCo looks for the lowest point of a cylinder in the direction that gravity would have on its
cap. Of one that stands upright only rounding is left of that direction, which may then point
along the axis: the cylinder falls through the plane, or is shot out of it.
"""

from __future__ import annotations

import ctypes
import math
from typing import Any

import mujoco

from unibody.core.engine.library.layout import Layout
from unibody.core.engine.rules.ownership import is_ours
from unibody.machine_code import types
from unibody.machine_code.jit import rule
from unibody.machine_code.kept import kept_entry
from unibody.machine_code.pointers import f64_array, pointer_f64

COLLIDE = "mjc_PlaneCylinder"  # of libmujoco
UPRIGHT = 1e-9  # sine of the angle below which rounding decides
_TYPES = 9  # mjNGEOMTYPES
PLACE = int(mujoco.mjtGeom.mjGEOM_PLANE) * _TYPES + int(mujoco.mjtGeom.mjGEOM_CYLINDER)
_NUMBERS = 10  # of an mjPreContact: distance, position, normal, tangent
_PAIR = types.int32(
    types.int64, types.int64, types.int64, types.int32, types.int32, types.float64
)  # fmt: skip
_collide = types.ExternalFunction(COLLIDE, _PAIR)


@rule
def leans(d: int, plane: int, cylinder: int, lay: Layout) -> bool:
    """Whether the axis of a cylinder is inclined to the normal of a plane."""
    mat = f64_array(d, lay.d_geom_xmat)
    p, c = 9 * plane + 2, 9 * cylinder + 2
    x = mat[p + 3] * mat[c + 6] - mat[p + 6] * mat[c + 3]
    y = mat[p + 6] * mat[c] - mat[p] * mat[c + 6]
    z = mat[p] * mat[c + 3] - mat[p + 3] * mat[c]
    return x * x + y * y + z * z > UPRIGHT * UPRIGHT


@rule
def stand(
    m: int, d: int, contacts: int, plane: int, cylinder: int, margin: float, lay: Layout
) -> int:
    """Three contacts, a third of a turn apart, of a cylinder whose axis is that of the plane."""
    pos, mat = f64_array(d, lay.d_geom_xpos), f64_array(d, lay.d_geom_xmat)
    size = f64_array(m, lay.m_geom_size)
    p, c, n = 3 * plane, 3 * cylinder, 9 * plane + 2
    away = 0.0
    for k in range(3):
        away += (pos[c + k] - pos[p + k]) * mat[n + 3 * k]
    radius, half = size[c], size[c + 1]
    distance = away - half
    if distance > margin:
        return 0
    for i in range(3):
        angle = 2.0 * math.pi * i / 3.0
        first, second = radius * math.cos(angle), radius * math.sin(angle)
        contact = pointer_f64(contacts + 8 * _NUMBERS * i)
        contact[0] = distance
        for k in range(3):
            row = 9 * cylinder + 3 * k
            normal = mat[n + 3 * k]
            side = first * mat[row] + second * mat[row + 1]
            contact[1 + k] = pos[c + k] + side - (half + 0.5 * distance) * normal
            contact[4 + k] = normal
            contact[7 + k] = 0.0
    return 3


def build(lay: Layout, digest: str) -> Any:
    """Compile the function, or load it from numba's cache; see ``callbacks`` for the digest."""

    @kept_entry(_PAIR)
    def collide(m: int, d: int, contacts: int, plane: int, cylinder: int, margin: float) -> int:
        if len(digest) == 0 or not is_ours(m, lay) or leans(d, plane, cylinder, lay):
            return _collide(m, d, contacts, plane, cylinder, margin)
        return stand(m, d, contacts, plane, cylinder, margin, lay)

    return collide


def install(library: ctypes.CDLL, function: Any) -> None:
    """Put the function in the place of MuJoCo's own; one of somebody else stays."""
    table = (ctypes.c_void_p * (_TYPES * _TYPES)).in_dll(library, "mjCOLLISIONFUNC")
    if table[PLACE] == ctypes.cast(library[COLLIDE], ctypes.c_void_p).value:
        table[PLACE] = function.address
