"""Fixed bodies with a velocity: what touches them is carried along, as on a conveyor belt."""

from __future__ import annotations

from unibody.core.engine.library.layout import Layout
from unibody.machine_code.jit import rule
from unibody.machine_code.pointers import f64_array, i32_array, int_at, pointer_f64

WORLD = 0  # MuJoCo body


@rule
def add_surface_velocity(
    m: int, d: int, lay: Layout, con: int, row: int, geom: int, sign: float
) -> None:
    """Add the velocity of one surface of a contact to the velocities of the contact's rows.

    ``sign`` is that of the geom in the contact's Jacobian: -1 of the first, 1 of the second. The
    rules that follow read the rows' velocities; the solver reads only what they make of them.
    """
    body = i32_array(m, lay.m_geom_bodyid)[geom]
    if body == WORLD or i32_array(m, lay.m_body_mocapid)[body] < 0:
        return
    twist = f64_array(d, lay.d_xfrc_applied)
    at = 6 * body
    vx, vy, vz = twist[at], twist[at + 1], twist[at + 2]
    wx, wy, wz = twist[at + 3], twist[at + 4], twist[at + 5]
    if vx == vy == vz == wx == wy == wz == 0.0:
        return
    center = f64_array(d, lay.d_xipos)
    place = pointer_f64(con + lay.c_pos)
    x = place[0] - center[3 * body]
    y = place[1] - center[3 * body + 1]
    z = place[2] - center[3 * body + 2]
    vx += wy * z - wz * y
    vy += wz * x - wx * z
    vz += wx * y - wy * x
    frame = pointer_f64(con + lay.c_frame)
    velocity = f64_array(d, lay.d_efc_vel)
    for k in range(int_at(con, lay.c_dim)):
        if k < 3:
            a, b, c, u, v, w = frame[3 * k], frame[3 * k + 1], frame[3 * k + 2], vx, vy, vz
        else:
            j = 3 * (k - 3)
            a, b, c, u, v, w = frame[j], frame[j + 1], frame[j + 2], wx, wy, wz
        velocity[row + k] += sign * (a * u + b * v + c * w)
