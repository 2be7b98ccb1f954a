"""How a constraint that holds two frames together turns them: Bullet's angles."""

from __future__ import annotations

import math

import mujoco

from unibody.core.assets import transforms
from unibody.core.engine.library.layout import Layout
from unibody.machine_code.jit import rule
from unibody.machine_code.pointers import Pointer, f64_array, i32_array

NUMBERS = int(mujoco.mjNEQDATA)  # of an equality
RELATIVE = 6  # place of the orientation of body 2 in body 1 among them
TURNING = 3  # rows of a weld before those of rotation
LAST = 5  # its last row
LEAST_COSINE = 0.1  # of half the angle of an error: beyond it MuJoCo's rows hardly turn anything

_multiply = rule(transforms.quat_multiply)
_conjugate = rule(transforms.quat_conjugate)
_rotate = rule(transforms.quat_rotate)


@rule
def _quat_at(numbers: Pointer, at: int) -> tuple[float, float, float, float]:
    return (numbers[at], numbers[at + 1], numbers[at + 2], numbers[at + 3])


@rule
def turns_in_order(q: tuple[float, float, float, float]) -> tuple[float, float, float]:
    """Angles of the turns about x, the new y and the new z that make a rotation (w, x, y, z)."""
    w, x, y, z = q
    sine = 2.0 * (x * z + w * y)
    if abs(sine) >= 1.0:
        turn = math.atan2(2.0 * (x * y + w * z), w * w - x * x + y * y - z * z)
        return (math.copysign(turn, turn * sine), math.copysign(0.5 * math.pi, sine), 0.0)
    return (
        math.atan2(-2.0 * (y * z - w * x), w * w - x * x - y * y + z * z),
        math.asin(sine),
        math.atan2(-2.0 * (x * y - w * z), w * w + x * x - y * y - z * z),
    )


@rule
def force_of_torque(m: int, d: int, lay: Layout, eq: int) -> float:
    """What a row of rotation of a weld takes to exert a unit torque about the axis of its error."""
    quats = f64_array(d, lay.d_xquat)
    first = _quat_at(quats, 4 * i32_array(m, lay.m_eq_obj1id)[eq])
    second = _quat_at(quats, 4 * i32_array(m, lay.m_eq_obj2id)[eq])
    relative = _quat_at(f64_array(m, lay.m_eq_data), eq * NUMBERS + RELATIVE)
    error = _multiply(_conjugate(second), _multiply(first, relative))
    return 2.0 / max(abs(error[0]), LEAST_COSINE)


@rule
def refer_rotation(
    m: int, d: int, lay: Layout, eq: int, row: int, frame_at: int, erp: float, dt: float
) -> None:
    """Write the references of the three rows of rotation of a weld, which begin at ``row``.

    Bullet takes the angles by which body 1 is turned against body 2 about the axes of the
    constraint's frame in body 1 one by one for errors, however large they are, and asks for an
    angular velocity that takes the share ``erp`` of each away. MuJoCo's residual is the vector
    part of ``conj(q2) q1 relative``, half an angle.
    """
    frame = _quat_at(f64_array(d, lay.d_userdata), frame_at)
    if frame[0] == 0.0 and frame[1] == 0.0 and frame[2] == 0.0 and frame[3] == 0.0:
        return
    quats = f64_array(d, lay.d_xquat)
    first = _quat_at(quats, 4 * i32_array(m, lay.m_eq_obj1id)[eq])
    second = _quat_at(quats, 4 * i32_array(m, lay.m_eq_obj2id)[eq])
    relative = _quat_at(f64_array(m, lay.m_eq_data), eq * NUMBERS + RELATIVE)
    axes = _multiply(first, frame)
    other = _multiply(second, _multiply(_conjugate(relative), frame))
    angles = turns_in_order(_multiply(_conjugate(other), axes))
    turn = _rotate(axes, angles)
    here = _multiply(first, relative)
    rate = _multiply(_multiply(_conjugate(second), (0.0, turn[0], turn[1], turn[2])), here)
    aref = f64_array(d, lay.d_efc_aref)
    velocity = f64_array(d, lay.d_efc_vel)
    for k in range(3):
        aref[row + k] = (-0.5 * erp * rate[1 + k] / dt - velocity[row + k]) / dt
