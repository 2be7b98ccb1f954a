"""Turning the two sliding directions of a contact in its plane."""

from __future__ import annotations

from unibody.core.engine.library.jacobian import row_span
from unibody.core.engine.library.layout import Layout
from unibody.machine_code.jit import inlined, rule
from unibody.machine_code.pointers import Pointer, f64_array, pointer_f64


@inlined
def turn_pair(values: Pointer, first: int, second: int, c: float, s: float) -> None:
    """Turn two numbers along perpendicular directions by an angle of this cosine and sine."""
    a = values[first]
    b = values[second]
    values[first] = c * a + s * b
    values[second] = c * b - s * a


@rule
def turn_sliding(m: int, d: int, lay: Layout, con: int, row: int, c: float, s: float) -> None:
    """Turn the frame of a contact about its normal, and the sliding rows behind ``row`` with it."""
    frame = pointer_f64(con + lay.c_frame)
    for k in range(3):
        turn_pair(frame, 3 + k, 6 + k, c, s)
    start, count = row_span(m, d, lay, row + 1)
    jacobian = f64_array(d, lay.d_efc_J)
    for column in range(start, start + count):
        turn_pair(jacobian, column, column + count, c, s)
    turn_pair(f64_array(d, lay.d_efc_vel), row + 1, row + 2, c, s)
    turn_pair(f64_array(d, lay.d_efc_aref), row + 1, row + 2, c, s)
