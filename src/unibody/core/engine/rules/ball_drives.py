"""Drives of ball joints: three rows, one an axis of the child's inertial frame."""

from __future__ import annotations

import math

from unibody.core.assets import transforms
from unibody.core.engine.library.layout import Layout
from unibody.core.engine.records import rule_table as t
from unibody.core.engine.rules.impedance import HARD, set_impedance, set_limit
from unibody.core.engine.rules.smooth_acceleration import smooth_acceleration
from unibody.machine_code.jit import inlined, rule
from unibody.machine_code.pointers import f64_array, i32_array

_multiply = rule(transforms.quat_multiply)
_rotate = rule(transforms.quat_rotate)


@inlined
def _conjugate(
    q: tuple[float, float, float, float],
) -> tuple[float, float, float, float]:
    return (q[0], -q[1], -q[2], -q[3])


@rule
def euler_angles(q: tuple[float, float, float, float]) -> tuple[float, float, float]:
    """Roll, pitch and yaw [rad] of a rotation (w, x, y, z) of any length.

    What Bullet takes for the error about each of three axes, however large it is.
    """
    w, x, y, z = q
    s = 2.0 / (w * w + x * x + y * y + z * z)
    sine = s * (w * y - x * z)
    if abs(sine) >= 1.0:
        roll = math.atan2(s * (x * y - w * z), 1.0 - s * (x * x + z * z))
        turn = 1.0 if sine > 0.0 else -1.0
        return (turn * roll, turn * 0.5 * math.pi, 0.0)
    roll = math.atan2(s * (y * z + w * x), 1.0 - s * (x * x + y * y))
    yaw = math.atan2(s * (x * y + w * z), 1.0 - s * (y * y + z * z))
    return (roll, math.asin(sine), yaw)


@rule
def ball_rows(
    m: int, d: int, lay: Layout, row: int, joint: int, base: int, erp: float, dt: float
) -> None:
    """Write the three rows of a ball drive.

    Each reaches the velocity ``kp*erp*angle/dt + (1 - damping)*v`` about its axis at the end of
    the step, where v is what it would be without constraints (Bullet's motor for ball joints).
    MuJoCo's rows lie along the axes of the link, which matters to the limits where its inertial
    frame is another.
    """
    rule = f64_array(d, lay.d_userdata)
    at = i32_array(m, lay.m_jnt_qposadr)[joint]
    dof = i32_array(m, lay.m_jnt_dofadr)[joint]
    qpos = f64_array(d, lay.d_qpos)
    body = i32_array(m, lay.m_jnt_bodyid)[joint]
    iquat = f64_array(m, lay.m_body_iquat)
    velocity = f64_array(d, lay.d_efc_vel)
    axes = (iquat[4 * body], iquat[4 * body + 1], iquat[4 * body + 2], iquat[4 * body + 3])
    here = (qpos[at], qpos[at + 1], qpos[at + 2], qpos[at + 3])
    target = (rule[base], rule[base + 1], rule[base + 2], rule[base + 3])
    error = _multiply(_conjugate(here), target)
    angle = euler_angles(_multiply(_conjugate(axes), _multiply(error, axes)))
    v = _rotate(_conjugate(axes), (velocity[row], velocity[row + 1], velocity[row + 2]))
    kept = (
        1.0 - rule[base + t.S_DAMPING],
        1.0 - rule[base + t.S_DAMPING + 1],
        1.0 - rule[base + t.S_DAMPING + 2],
    )
    free = (0.0, 0.0, 0.0)
    if kept[0] != 0.0 or kept[1] != 0.0 or kept[2] != 0.0:
        a = smooth_acceleration(m, d, lay)
        free = _rotate(_conjugate(axes), (a[dof], a[dof + 1], a[dof + 2]))
    gain = erp / (dt * dt)
    wanted = (
        rule[base + t.S_KP] * gain * angle[0] + kept[0] * free[0] - (1.0 - kept[0]) * v[0] / dt,
        rule[base + t.S_KP + 1] * gain * angle[1] + kept[1] * free[1] - (1.0 - kept[1]) * v[1] / dt,
        rule[base + t.S_KP + 2] * gain * angle[2] + kept[2] * free[2] - (1.0 - kept[2]) * v[2] / dt,
    )
    acceleration = _rotate(axes, wanted)
    aref = f64_array(d, lay.d_efc_aref)
    warm = f64_array(d, lay.d_qacc_warmstart)
    diag = f64_array(d, lay.d_efc_diagA)
    for k in range(3):
        aref[row + k] = warm[dof + k] = acceleration[k]
        set_impedance(d, lay, row + k, HARD * diag[row + k])
        set_limit(d, lay, row + k, rule[base + t.S_LIMIT + k])
