"""Changing the impedance of one constraint row, islands included."""

from __future__ import annotations

from unibody.core.engine.library.layout import Layout
from unibody.machine_code.jit import inlined
from unibody.machine_code.pointers import f64_array, i32_array, int_at

MIN_R = 1e-15  # mjMINVAL
NO_FORCE = 1e15  # R of a row that exerts none
HARD = 1e-5  # R of a hard row, relative to the effective inverse mass of the row


@inlined
def set_impedance(d: int, lay: Layout, row: int, r: float) -> None:
    """Set ``R`` and ``D = 1/R`` of a row, also in the copy the island solver reads."""
    r = max(r, MIN_R)
    f64_array(d, lay.d_efc_R)[row] = r
    f64_array(d, lay.d_efc_D)[row] = 1.0 / r
    if int_at(d, lay.d_nisland) > 0:
        island_row = i32_array(d, lay.d_map_efc2iefc)[row]
        f64_array(d, lay.d_iefc_R)[island_row] = r
        f64_array(d, lay.d_iefc_D)[island_row] = 1.0 / r


@inlined
def set_limit(d: int, lay: Layout, row: int, limit: float) -> None:
    """Set the largest force of a friction-type row."""
    f64_array(d, lay.d_efc_frictionloss)[row] = limit
    if int_at(d, lay.d_nisland) > 0:
        island_row = i32_array(d, lay.d_map_efc2iefc)[row]
        f64_array(d, lay.d_iefc_frictionloss)[island_row] = limit
