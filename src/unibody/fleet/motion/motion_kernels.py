"""All controllers in one pass: speed profiles, turns, drives, and what comes at a waypoint.

A motion over a distance ``d`` with speed limit ``v`` and acceleration ``a`` starts and ends at
rest: it accelerates, drives at ``v`` if ``a d > v^2``, and brakes with ``a``. A differential base
turns on the spot with such a profile over the angle, then drives straight with one over the
distance; an omnidirectional base only drives, and turns at the end of its path. A profile starts at
the time its step began, so a waypoint always falls on a step.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from unibody.fleet.spatial.heading_kernels import dot as dot_of
from unibody.fleet.spatial.heading_kernels import heading, length
from unibody.machine_code import numba

_compiled = numba.njit(cache=True, error_model="numpy", nogil=True)

IDLE, VELOCITY, POSE = 0, 1, 2
ROTATE, FORWARD = 0, 1
OMNI, DIFFERENTIAL = 0, 1
BACKWARD, AUTO = 1, 2
TURN_EPS = 1e-6  # rad
WAY_EPS = 1e-6  # m
_OMNI_EPS = 1e-9  # m
_MOVED = 1e-12  # m^2 or squared difference of quaternions
_STILL = 1e-8  # m/s or rad/s


@_compiled
def _plan(now: float, distance: float, speed: float, accel: float, times: Any) -> float:
    """Fill (start, end of acceleration, end of cruise, end) and return the acceleration."""
    times[0] = now
    if distance <= 0.0:
        times[1] = times[2] = times[3] = now
        return 0.0
    if not (speed > 0.0 and accel > 0.0):  # a limit became zero on the way: it never arrives
        times[1] = times[2] = times[3] = math.inf
        return 0.0
    peak = math.sqrt(accel * distance)
    if peak < speed:
        up = peak / accel
        times[1] = times[2] = now + up
        times[3] = now + 2.0 * up
    else:
        up = speed / accel
        times[1] = now + up
        times[2] = times[1] + (distance - speed * up) / speed
        times[3] = times[2] + up
    return accel


@_compiled
def _along(now: float, distance: float, accel: float, times: Any) -> tuple[float, float]:
    """Distance covered and speed at a time."""
    if now >= times[3]:
        return distance, 0.0
    if now < times[0]:
        return 0.0, 0.0
    if now < times[1]:
        t = now - times[0]
        return 0.5 * accel * t * t, accel * t
    up = times[1] - times[0]
    if now < times[2]:
        return 0.5 * accel * up * up + accel * up * (now - times[1]), accel * up
    t = times[3] - now
    return distance - 0.5 * accel * t * t, accel * t


@_compiled
def _rotate(q: Any, x: float, y: float, z: float) -> tuple[float, float, float]:
    n = 1.0 / math.sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3])
    a, b, c, w = q[0] * n, q[1] * n, q[2] * n, q[3] * n
    tx, ty, tz = 2 * (b * z - c * y), 2 * (c * x - a * z), 2 * (a * y - b * x)
    return x + w * tx + b * tz - c * ty, y + w * ty + c * tx - a * tz, z + w * tz + a * ty - b * tx


@_compiled
def rotated_back(q: Any, v: Any) -> tuple[float, float, float]:
    """A vector of the world, seen from a body with an orientation (x, y, z, w)."""
    back = np.empty(4)
    back[0], back[1], back[2], back[3] = -q[0], -q[1], -q[2], q[3]
    return _rotate(back, v[0], v[1], v[2])


@_compiled
def _yaw_as_pybullet(q: Any) -> float:
    x, y, z, w = q[0], q[1], q[2], q[3]
    sine = -2.0 * (x * z - w * y)
    if sine <= -0.99999:
        return 2.0 * math.atan2(x, -y)
    if sine >= 0.99999:
        return 2.0 * math.atan2(-x, y)
    return math.atan2(2.0 * (x * y + w * z), w * w + x * x - y * y - z * z)


@_compiled
def _put(b: Any, px: float, py: float, pz: float, q: Any) -> bool:
    """Put an object to a pose; True if that moves it."""
    if b.frozen:
        return False
    dx, dy, dz = px - b.pos[0], py - b.pos[1], pz - b.pos[2]
    minus = 0.0
    plus = 0.0
    for k in range(4):
        minus += (q[k] - b.quat[k]) ** 2
        plus += (q[k] + b.quat[k]) ** 2
    if dx * dx + dy * dy + dz * dz <= _MOVED and min(minus, plus) <= _MOVED:
        return False
    b.pos[0], b.pos[1], b.pos[2] = px, py, pz
    for k in range(4):
        b.quat[k] = q[k]
    b.moved = b.pending = b.stale = 1
    return True


@_compiled
def _begin_turn(m: Any, b: Any, target: Any, now: float) -> bool:
    """Plan a turn on the spot; False if there is nothing to turn."""
    m.rotating = 0
    dot = dot_of(b.quat, target)
    sign = 1.0 if dot >= 0.0 else -1.0
    dot /= length(b.quat) * length(target)
    dot = min(1.0, abs(dot))
    angle = 2.0 * math.acos(dot)
    if angle <= TURN_EPS:
        return False
    m.turn_a = _plan(now, angle, m.turn_vel, m.turn_accel, m.turn_t)
    if m.turn_t[3] <= now:
        return False
    for k in range(4):
        m.q0[k] = b.quat[k]
        m.q1[k] = sign * target[k]
        m.q_end[k] = target[k]
    m.dot, m.theta, m.angle = dot, 0.5 * angle, angle
    m.sine = math.sin(m.theta)
    m.rotating = 1
    return True


@_compiled
def _limit_along(limit: Any, per_axis: bool, u: Any) -> float:
    if not per_axis:
        return limit[0]
    reach = math.inf
    for k in range(3):
        part = abs(u[k])
        if part != 0.0:
            reach = min(reach, limit[k] / part)
    return reach


@_compiled
def _begin_drive(m: Any, now: float) -> None:
    u = m.unit_body
    if u[0] == 0.0 and u[1] == 0.0 and u[2] == 0.0:
        speed, accel = m.vel[0], m.accel[0]
    else:
        speed = _limit_along(m.vel, m.per_axis_vel, u)
        accel = _limit_along(m.accel, m.per_axis_accel, u)
    m.go_a = _plan(now, m.length, speed, accel, m.go_t)
    m.going = 1


@_compiled
def _aim(m: Any, b: Any) -> None:
    """Way from where the object is to the goal."""
    for k in range(3):
        m.from_[k] = b.pos[k]
        m.way[k] = m.goal[k] - b.pos[k]
        if k == 2 and m.flat:
            m.way[k] = 0.0
    m.length = length(m.way)
    eps = WAY_EPS if m.kind == DIFFERENTIAL else _OMNI_EPS
    for k in range(3):
        m.unit_body[k] = 0.0
        m.unit[k] = m.way[k] / m.length if m.length > eps else 0.0
    if m.length <= eps:
        for k in range(3):
            m.way[k] = 0.0


@_compiled
def begin(m: Any, b: Any, now: float) -> None:
    """Set out for ``m.goal``."""
    _aim(m, b)
    if m.kind == OMNI:
        m.rotating = 0
        m.phase = FORWARD
        if m.length > _OMNI_EPS:
            m.unit_body[0], m.unit_body[1], m.unit_body[2] = rotated_back(b.quat, m.unit)
        _begin_drive(m, now)
        return
    side = m.wanted
    if side == AUTO:
        side = 0
        if math.sqrt(m.way[0] ** 2 + m.way[1] ** 2) > WAY_EPS:
            turn = math.atan2(m.way[1], m.way[0]) - _yaw_as_pybullet(b.quat)
            turn = (turn + math.pi) % (2.0 * math.pi) - math.pi
            side = BACKWARD if abs(turn) > 0.5 * math.pi else 0
    m.side = side
    target = np.empty(4)
    if m.length > WAY_EPS:
        sign = -1.0 if side == BACKWARD else 1.0
        m.unit_body[0] = sign
        heading(sign * m.unit, m.goal_quat, target)
    else:
        for k in range(4):
            target[k] = m.goal_quat[k]
    m.phase = ROTATE
    m.going = 0
    if not _begin_turn(m, b, target, now):
        _put(b, b.pos[0], b.pos[1], b.pos[2], target)
        m.phase = FORWARD
        _begin_drive(m, now)


@_compiled
def _take_waypoint(m: Any, pool: Any) -> None:
    at = m.path + m.index
    for k in range(3):
        m.goal[k] = pool[at, k]
    for k in range(4):
        m.goal_quat[k] = pool[at, 3 + k]


@_compiled
def _stop(m: Any, b: Any) -> None:
    m.mode = IDLE
    m.count = 0
    m.aligning = 0
    m.ended = 1
    b.moving = 0


@_compiled
def _align(m: Any, b: Any, now: float) -> None:
    """Turn to the orientation of the last waypoint."""
    m.count = 0
    m.align = 0
    m.aligning = m.here = 1
    for k in range(3):
        m.goal[k] = b.pos[k]
    for k in range(4):
        m.goal_quat[k] = m.last_quat[k]
    b.moving = 1
    wanted = m.wanted
    m.wanted = 0
    _aim(m, b)
    m.phase = ROTATE
    m.going = 0
    turning = _begin_turn(m, b, m.goal_quat, now)
    if not turning and (m.kind == DIFFERENTIAL or m.batch):
        _put(b, b.pos[0], b.pos[1], b.pos[2], m.goal_quat)
        m.phase = FORWARD
        _begin_drive(m, now)
        if m.batch:
            _stop(m, b)
    m.wanted = wanted


@_compiled
def _arrive(m: Any, b: Any, pool: Any, now: float) -> None:
    """What comes after a waypoint."""
    if not m.here:
        z = b.pos[2] if m.flat else m.goal[2]
        _put(b, m.goal[0], m.goal[1], z, b.quat)
    m.here = 0
    b.vel[:] = 0.0
    b.spin = 0.0
    b.moving = 0
    if m.count == 0:
        _stop(m, b)
        return
    m.index += 1
    if m.index < m.count:
        _take_waypoint(m, pool)
        b.moving = 1
        begin(m, b, now)
    elif m.align:
        _align(m, b, now)
    else:
        _stop(m, b)


@_compiled
def _turn(m: Any, b: Any, pool: Any, now: float) -> None:
    done = True
    if m.rotating:
        covered, spin = _along(now, m.angle, m.turn_a, m.turn_t)
        done = now >= m.turn_t[3]
        q = np.empty(4)
        if done:
            for k in range(4):
                q[k] = m.q_end[k]
            spin = 0.0
        else:
            t = max(0.0, min(covered / m.angle, 1.0))
            if m.sine < 1e-8:
                s0, s1 = 1.0 - t, t
            else:
                s1 = math.sin(m.theta * t) / m.sine
                s0 = math.cos(m.theta * t) - m.dot * s1
            for k in range(4):
                q[k] = s0 * m.q0[k] + s1 * m.q1[k]
        _put(b, b.pos[0], b.pos[1], b.pos[2], q)
        b.vel[:] = 0.0
        b.spin = spin
    if not done:
        return
    m.phase = FORWARD
    if m.batch and m.aligning:
        _stop(m, b)
        return
    if m.aligning and m.kind == OMNI:
        m.length = 0.0
    _begin_drive(m, now)


@_compiled
def _drive(m: Any, b: Any, pool: Any, now: float) -> None:
    if not m.going:
        return
    if now >= m.go_t[3]:
        _arrive(m, b, pool, now)
        return
    covered, speed = _along(now, m.length, m.go_a, m.go_t)
    share = covered / m.length if m.length > WAY_EPS else 0.0
    q = m.q_end if m.rotating else b.quat
    _put(
        b,
        m.from_[0] + share * m.way[0],
        m.from_[1] + share * m.way[1],
        m.from_[2] + share * m.way[2],
        q,
    )
    for k in range(3):
        b.vel[k] = m.unit[k] * speed
    b.spin = 0.0


@_compiled
def _follow(m: Any, b: Any, dt: float) -> bool:
    """Follow a velocity command for one step; False if it has ended."""
    still = True
    for k in range(3):
        still = still and abs(m.linear[k]) <= _STILL and abs(m.angular[k]) <= _STILL
    if m.timeout > 0.0:
        m.quiet += dt
        still = still or m.quiet > m.timeout
    if still:
        m.linear[:] = 0.0
        m.angular[:] = 0.0
        m.mode = IDLE
        b.vel[:] = 0.0
        b.spin = 0.0
        return False
    q = np.empty(4)
    if m.kind == DIFFERENTIAL:
        yaw = _yaw_as_pybullet(b.quat)
        b.vel[0], b.vel[1] = m.linear[0] * math.cos(yaw), m.linear[0] * math.sin(yaw)
        b.vel[2] = 0.0
        yaw += m.angular[2] * dt
        q[0] = q[1] = 0.0
        q[2], q[3] = math.sin(0.5 * yaw), math.cos(0.5 * yaw)
    else:
        x, y, z = _rotate(b.quat, m.linear[0], m.linear[1], m.linear[2])
        b.vel[0], b.vel[1], b.vel[2] = x, y, z
        wx, wy, wz = m.angular[0], m.angular[1], m.angular[2]
        angle = math.sqrt(wx * wx + wy * wy + wz * wz) * dt
        if angle < 1e-12:
            for k in range(4):
                q[k] = b.quat[k]
        else:
            s, c = math.sin(0.5 * angle) / angle * dt, math.cos(0.5 * angle)
            dx, dy, dz = wx * s, wy * s, wz * s
            ax, ay, az, aw = b.quat[0], b.quat[1], b.quat[2], b.quat[3]
            q[0] = aw * dx + ax * c + ay * dz - az * dy
            q[1] = aw * dy - ax * dz + ay * c + az * dx
            q[2] = aw * dz + ax * dy - ay * dx + az * c
            q[3] = aw * c - ax * dx - ay * dy - az * dz
    b.spin = m.angular[2]
    _put(b, b.pos[0] + b.vel[0] * dt, b.pos[1] + b.vel[1] * dt, b.pos[2] + b.vel[2] * dt, q)
    return True


@_compiled
def _yaw(q: Any) -> float:
    return math.atan2(
        2.0 * (q[0] * q[1] + q[3] * q[2]),
        q[3] * q[3] + q[0] * q[0] - q[1] * q[1] - q[2] * q[2],
    )


@_compiled
def _advance_one(m: Any, b: Any, pool: Any, now: float, dt: float) -> int:
    """Advance a controller that is not idle; 1 if it did something."""
    b.moved = 1
    if m.mode == VELOCITY:
        return 1 if _follow(m, b, dt) else 0
    if m.phase == ROTATE:
        _turn(m, b, pool, now)
    else:
        _drive(m, b, pool, now)
    return 1


@_compiled
def advance(rows: Any, motions: Any, bodies: Any, pool: Any, now: float, dt: float) -> int:
    """Advance controllers by one step.

    Args:
        rows: Rows of ``motions``.
        motions: All controllers.
        bodies: All objects.
        pool: All waypoints.
        now: Time at the beginning of the step [s].
        dt: Length of the step [s].

    Returns:
        How many of them did something; those that came to the end of their path are marked.
    """
    active = 0
    for i in range(len(rows)):
        m = motions[rows[i]]
        if m.mode == IDLE:
            continue
        active += _advance_one(m, bodies[m.body], pool, now, dt)
    return active


@_compiled
def advance_measured(
    rows: Any, motions: Any, bodies: Any, pool: Any, now: float, dt: float
) -> None:
    """Advance controllers, and set velocities to what the step did, divided by its length.

    Args:
        rows: Rows of ``motions``, none of them idle.
        motions: All controllers.
        bodies: All objects.
        pool: All waypoints.
        now: Time at the beginning of the step [s].
        dt: Length of the step [s].
    """
    for i in range(len(rows)):
        m = motions[rows[i]]
        b = bodies[m.body]
        x, y, z, yaw = b.pos[0], b.pos[1], b.pos[2], _yaw(b.quat)
        _advance_one(m, b, pool, now, dt)
        if dt <= 0.0:
            continue
        b.vel[0], b.vel[1], b.vel[2] = (b.pos[0] - x) / dt, (b.pos[1] - y) / dt, (b.pos[2] - z) / dt
        turned = _yaw(b.quat) - yaw + math.pi
        b.spin = (turned - 2.0 * math.pi * math.floor(turned / (2.0 * math.pi)) - math.pi) / dt


@_compiled
def set_path(m_row: int, motions: Any, bodies: Any, pool: Any, now: float) -> None:
    """Set out on the path that lies in the pool."""
    m = motions[m_row]
    b = bodies[m.body]
    m.index = 0
    m.aligning = 0
    m.mode = POSE
    m.rotating = m.going = 0
    m.linear[:] = 0.0
    m.angular[:] = 0.0
    at = m.path + m.count - 1
    for k in range(4):
        m.last_quat[k] = pool[at, 3 + k]
    _take_waypoint(m, pool)
    here = True
    for k in range(3):
        here = here and m.goal[k] == b.pos[k]
    for k in range(4):
        here = here and m.goal_quat[k] == b.quat[k]
    m.here = here
    begin(m, b, now)


@_compiled
def place(row: int, bodies: Any, pos: Any, quat: Any) -> bool:
    """Put an object to a pose; True if that moves it."""
    return _put(bodies[row], pos[0], pos[1], pos[2], quat)


@_compiled
def move_joints(
    rows: Any, counts: Any, bodies: Any, joints: Any, dt: float, moved: Any, busy: Any
) -> None:
    """Move the joints of kinematic robots towards their targets at their speed limits.

    Args:
        rows: Rows of ``bodies``.
        counts: Number of joints of each.
        bodies: All objects.
        joints: All joints: position, target, speed limit, 1 if there is a target.
        dt: Length of the step [s].
        moved: 1 where a joint moved, an entry a robot.
        busy: 1 where a joint has yet to arrive.
    """
    for i in range(len(rows)):
        b = bodies[rows[i]]
        moved[i] = busy[i] = 0
        for j in range(b.joint, b.joint + counts[i]):
            if joints[j, 3] == 0.0:
                continue
            left = joints[j, 1] - joints[j, 0]
            if abs(left) < 1e-7:
                continue
            step = joints[j, 2] * dt
            if abs(left) <= step:
                joints[j, 0] = joints[j, 1]
            else:
                joints[j, 0] += math.copysign(step, left)
                busy[i] = 1
            moved[i] = 1
        if moved[i]:
            b.moved = b.stale = 1
            if b.pending == 0:
                b.pending = 2
