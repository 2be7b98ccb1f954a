# pyright: basic, reportInvalidTypeForm=false, reportAttributeAccessIssue=false
"""The copies of ``read_kernels`` and ``write_kernels``, on a Warp device.

There is one thread an item instead of a loop. The engine's arrays are float32 there; vectors and
quaternions are Warp's own types, and a quaternion ``wxyz`` is a ``wp.quat`` whose numbers have
MuJoCo's order.
"""

from __future__ import annotations

import warp as wp

from unibody.core.batch import parameters
from unibody.core.engine.rules.warp_kernels import rotation_vector

MOST_EFFORT: float = wp.constant(parameters.MOST_EFFORT)


@wp.func
def _to_quat(wxyz: wp.quat) -> wp.quat:
    """MuJoCo's order of numbers as a rotation that Warp understands."""
    return wp.quat(wxyz[1], wxyz[2], wxyz[3], wxyz[0])


@wp.kernel(enable_backward=False)
def read_dofs(
    qpos: wp.array2d(dtype=float),
    qvel: wp.array2d(dtype=float),
    at: wp.array2d(dtype=int),
    base: wp.array(dtype=int),
    out: wp.array2d(dtype=float),
):
    """Positions and velocities; one thread a degree of freedom."""
    w, d = wp.tid()
    if at[d, 2] < 0:
        out[base[w] + d, 0] = qpos[w, at[d, 0]]
    else:
        out[base[w] + d, 0] = rotation_vector(qpos, w, at[d, 0])[at[d, 2]]
    out[base[w] + d, 1] = qvel[w, at[d, 1]]


@wp.kernel(enable_backward=False)
def read_roots(
    qpos: wp.array2d(dtype=float),
    qvel: wp.array2d(dtype=float),
    mocap_pos: wp.array2d(dtype=wp.vec3),
    mocap_quat: wp.array2d(dtype=wp.quat),
    points: wp.array2d(dtype=wp.vec3),
    origins: wp.array(dtype=wp.vec3),
    at: wp.array2d(dtype=int),
    base: wp.array(dtype=int),
    scalar: int,
    vector: int,
    out: wp.array2d(dtype=float),
):
    """States of first bodies; one thread an actor."""
    w, a = wp.tid()
    row = base[w] + a
    q = at[a, 0]
    if q < 0:
        pos = mocap_pos[w, at[a, 2]] + origins[w]
        quat = mocap_quat[w, at[a, 2]]
        for k in range(3):
            out[row, k] = pos[k]
            out[row, vector + k] = quat[k + 1]
        out[row, scalar] = quat[0]
        for k in range(6):
            out[row, 7 + k] = 0.0
        return
    v = at[a, 1]
    turn = wp.quat(qpos[w, q + 4], qpos[w, q + 5], qpos[w, q + 6], qpos[w, q + 3])
    angular = wp.quat_rotate(turn, wp.vec3(qvel[w, v + 3], qvel[w, v + 4], qvel[w, v + 5]))
    arm = wp.quat_rotate(turn, points[w % points.shape[0], at[a, 3]])
    linear = wp.vec3(qvel[w, v], qvel[w, v + 1], qvel[w, v + 2]) + wp.cross(angular, arm)
    for k in range(3):
        out[row, k] = qpos[w, q + k] + origins[w][k]
        out[row, vector + k] = turn[k]
        out[row, 7 + k] = linear[k]
        out[row, 10 + k] = angular[k]
    out[row, scalar] = turn[3]


@wp.kernel(enable_backward=False)
def read_bodies(
    xpos: wp.array2d(dtype=wp.vec3),
    xquat: wp.array2d(dtype=wp.quat),
    linear: wp.array2d(dtype=wp.vec3),
    angular: wp.array2d(dtype=wp.vec3),
    xipos: wp.array2d(dtype=wp.vec3),
    origins: wp.array(dtype=wp.vec3),
    at: wp.array(dtype=int),
    base: wp.array(dtype=int),
    scalar: int,
    vector: int,
    at_origin: int,
    out: wp.array2d(dtype=float),
):
    """Poses and velocities of rigid bodies; one thread a body."""
    w, b = wp.tid()
    row = base[w] + b
    body = at[b]
    pos = xpos[w, body] + origins[w]
    quat = xquat[w, body]
    v = linear[w, body]
    o = angular[w, body]
    if at_origin != 0:
        v = v + wp.cross(o, xpos[w, body] - xipos[w, body])
    for k in range(3):
        out[row, k] = pos[k]
        out[row, vector + k] = quat[k + 1]
        out[row, 7 + k] = v[k]
        out[row, 10 + k] = o[k]
    out[row, scalar] = quat[0]


@wp.kernel(enable_backward=False)
def read_forces(
    wrench: wp.array2d(dtype=wp.spatial_vector),
    at: wp.array(dtype=int),
    base: wp.array(dtype=int),
    out: wp.array2d(dtype=float),
):
    """Forces of contacts; one thread a body."""
    w, b = wp.tid()
    found = wrench[w, at[b]]
    for k in range(3):
        out[base[w] + b, k] = found[k]


@wp.kernel(enable_backward=False)
def read_dof_forces(
    forces: wp.array2d(dtype=float),
    at: wp.array2d(dtype=int),
    base: wp.array(dtype=int),
    wanted: wp.array(dtype=wp.bool),
    efforts: wp.array(dtype=float),
    out: wp.array(dtype=float),
):
    """Forces of drives and efforts; one thread a degree of freedom."""
    w, d = wp.tid()
    row = base[w] + d
    if wanted[row]:
        out[row] = forces[w, at[d, 1]] + efforts[row]
    else:
        out[row] = 0.0


@wp.func
def _put_dof(
    values: wp.array2d(dtype=float),
    row: int,
    parts: int,
    at: wp.array2d(dtype=int),
    w: int,
    d: int,
    qpos: wp.array2d(dtype=float),
    qvel: wp.array2d(dtype=float),
):
    """Set a degree of freedom; the position of any part of a ball joint sets all of them."""
    q = at[d, 0]
    part = at[d, 2]
    if (parts & 1) != 0 and part < 0:
        qpos[w, q] = values[row, 0]
    if (parts & 1) != 0 and part >= 0:
        first = row - part
        vector = wp.vec3(values[first, 0], values[first + 1, 0], values[first + 2, 0])
        angle = wp.length(vector)
        qpos[w, q] = wp.cos(0.5 * angle)
        share = 0.5
        if angle > 0.0:
            share = wp.sin(0.5 * angle) / angle
        for k in range(3):
            qpos[w, q + 1 + k] = vector[k] * share
    if (parts & 2) != 0:
        qvel[w, at[d, 1]] = values[row, 1]


@wp.kernel(enable_backward=False)
def write_dofs(
    group: int,
    actors: wp.array(dtype=int),
    places: wp.array2d(dtype=int),
    spans: wp.array(dtype=int),
    base: wp.array(dtype=int),
    at: wp.array2d(dtype=int),
    values: wp.array2d(dtype=float),
    parts: int,
    qpos: wp.array2d(dtype=float),
    qvel: wp.array2d(dtype=float),
):
    """Set positions and velocities; one thread an actor of the list."""
    actor = actors[wp.tid()]
    if places[actor, 0] != group:
        return
    w = places[actor, 1]
    local = places[actor, 2]
    for d in range(spans[local], spans[local + 1]):
        _put_dof(values, base[w] + d, parts, at, w, d, qpos, qvel)


@wp.kernel(enable_backward=False)
def write_dof_rows(
    group: int,
    rows: wp.array(dtype=int),
    places: wp.array2d(dtype=int),
    at: wp.array2d(dtype=int),
    values: wp.array2d(dtype=float),
    parts: int,
    qpos: wp.array2d(dtype=float),
    qvel: wp.array2d(dtype=float),
):
    """Set positions and velocities; one thread a degree of freedom of the list."""
    row = rows[wp.tid()]
    if places[row, 0] == group:
        _put_dof(values, row, parts, at, places[row, 1], places[row, 2], qpos, qvel)


@wp.kernel(enable_backward=False)
def write_roots(
    group: int,
    actors: wp.array(dtype=int),
    places: wp.array2d(dtype=int),
    at: wp.array2d(dtype=int),
    points: wp.array2d(dtype=wp.vec3),
    origins: wp.array(dtype=wp.vec3),
    scalar: int,
    vector: int,
    values: wp.array2d(dtype=float),
    parts: int,
    qpos: wp.array2d(dtype=float),
    qvel: wp.array2d(dtype=float),
    mocap_pos: wp.array2d(dtype=wp.vec3),
    mocap_quat: wp.array2d(dtype=wp.quat),
):
    """Set states of first bodies; one thread an actor of the list."""
    actor = actors[wp.tid()]
    if places[actor, 0] != group:
        return
    w = places[actor, 1]
    local = places[actor, 2]
    q = at[local, 0]
    v = at[local, 1]
    pos = wp.vec3(values[actor, 0], values[actor, 1], values[actor, 2]) - origins[w]
    turn = wp.quat(
        values[actor, vector],
        values[actor, vector + 1],
        values[actor, vector + 2],
        values[actor, scalar],
    )
    if wp.length(turn) < 1.0e-6:
        turn = wp.quat_identity()
    turn = wp.normalize(turn)
    if q < 0:
        if (parts & 1) != 0:
            mocap_pos[w, at[local, 2]] = pos
            mocap_quat[w, at[local, 2]] = wp.quat(turn[3], turn[0], turn[1], turn[2])
        return
    if (parts & 1) != 0:
        for k in range(3):
            qpos[w, q + k] = pos[k]
            qpos[w, q + 4 + k] = turn[k]
        qpos[w, q + 3] = turn[3]
    if (parts & 2) != 0:
        turn = wp.quat(qpos[w, q + 4], qpos[w, q + 5], qpos[w, q + 6], qpos[w, q + 3])
        angular = wp.vec3(values[actor, 10], values[actor, 11], values[actor, 12])
        arm = wp.quat_rotate(turn, points[w % points.shape[0], at[local, 3]])
        linear = wp.vec3(values[actor, 7], values[actor, 8], values[actor, 9])
        linear = linear - wp.cross(angular, arm)
        own = wp.quat_rotate_inv(turn, angular)
        for k in range(3):
            qvel[w, v + k] = linear[k]
            qvel[w, v + 3 + k] = own[k]


@wp.kernel(enable_backward=False)
def write_targets(
    group: int,
    actors: wp.array(dtype=int),
    places: wp.array2d(dtype=int),
    spans: wp.array(dtype=int),
    base: wp.array(dtype=int),
    rows: wp.array(dtype=int),
    values: wp.array(dtype=float),
    control: int,
    controls: wp.array(dtype=wp.int8),
    column: int,
    noted: wp.array(dtype=float),
    drives: wp.array3d(dtype=float),
):
    """Set a column of the drives' rules; one thread an actor of the list."""
    actor = actors[wp.tid()]
    if places[actor, 0] != group:
        return
    w = places[actor, 1]
    local = places[actor, 2]
    for d in range(spans[local], spans[local + 1]):
        row = base[w] + d
        if (int(controls[row]) & control) != 0:
            drives[w, rows[d], column] = values[row]
            noted[row] = values[row]


@wp.kernel(enable_backward=False)
def write_target_rows(
    group: int,
    chosen: wp.array(dtype=int),
    places: wp.array2d(dtype=int),
    rows: wp.array(dtype=int),
    values: wp.array(dtype=float),
    control: int,
    controls: wp.array(dtype=wp.int8),
    column: int,
    noted: wp.array(dtype=float),
    drives: wp.array3d(dtype=float),
):
    """Set a column of the drives' rules; one thread a degree of freedom of the list."""
    row = chosen[wp.tid()]
    if places[row, 0] == group and (int(controls[row]) & control) != 0:
        drives[places[row, 1], rows[places[row, 2]], column] = values[row]
        noted[row] = values[row]


@wp.func
def _bounded(effort: float) -> float:
    if wp.abs(effort) > MOST_EFFORT:
        return wp.sign(effort) * MOST_EFFORT
    return effort


@wp.kernel(enable_backward=False)
def write_effort_rows(
    group: int,
    rows: wp.array(dtype=int),
    places: wp.array2d(dtype=int),
    at: wp.array2d(dtype=int),
    values: wp.array(dtype=float),
    control: int,
    controls: wp.array(dtype=wp.int8),
    efforts: wp.array(dtype=float),
    qfrc: wp.array2d(dtype=float),
):
    """Set forces, and note them; one thread a degree of freedom of the list."""
    row = rows[wp.tid()]
    if places[row, 0] == group and (int(controls[row]) & control) != 0:
        effort = _bounded(values[row])
        qfrc[places[row, 1], at[places[row, 2], 1]] = effort
        efforts[row] = effort


@wp.kernel(enable_backward=False)
def write_efforts(
    group: int,
    actors: wp.array(dtype=int),
    places: wp.array2d(dtype=int),
    spans: wp.array(dtype=int),
    base: wp.array(dtype=int),
    at: wp.array2d(dtype=int),
    values: wp.array(dtype=float),
    control: int,
    controls: wp.array(dtype=wp.int8),
    efforts: wp.array(dtype=float),
    qfrc: wp.array2d(dtype=float),
):
    """Set forces, and note them, NaN as NaN; one thread an actor of the list."""
    actor = actors[wp.tid()]
    if places[actor, 0] != group:
        return
    w = places[actor, 1]
    local = places[actor, 2]
    for d in range(spans[local], spans[local + 1]):
        row = base[w] + d
        if (int(controls[row]) & control) != 0:
            effort = _bounded(values[row])
            qfrc[w, at[d, 1]] = effort
            efforts[row] = effort


@wp.func
def _vector(rows: wp.array2d(dtype=float), row: int) -> wp.vec3:
    if rows.shape[0] == 0:
        return wp.vec3()
    return wp.vec3(rows[row, 0], rows[row, 1], rows[row, 2])


@wp.kernel(enable_backward=False)
def add_wrenches(
    forces: wp.array2d(dtype=float),
    torques: wp.array2d(dtype=float),
    points: wp.array2d(dtype=float),
    local: int,
    shift: wp.array(dtype=wp.vec3),
    only: int,
    xpos: wp.array2d(dtype=wp.vec3),
    xquat: wp.array2d(dtype=wp.quat),
    xipos: wp.array2d(dtype=wp.vec3),
    at: wp.array(dtype=int),
    base: wp.array(dtype=int),
    out: wp.array2d(dtype=wp.spatial_vector),
):
    """Add forces and torques, in all worlds or in ``only`` one; one thread a body."""
    w, b = wp.tid()
    if only >= 0 and w != only:
        return
    row = base[w] + b
    body = at[b]
    turn = _to_quat(xquat[w, body])
    force = _vector(forces, row)
    torque = _vector(torques, row)
    if local != 0:
        force = wp.quat_rotate(turn, force)
        torque = wp.quat_rotate(turn, torque)
    if points.shape[0] > 0:
        point = _vector(points, row)
        if local != 0:  # noqa: SIM108 - Warp evaluates both sides of the other form
            point = wp.quat_rotate(turn, point) + xpos[w, body]
        else:
            point = point - shift[w]
        torque = torque + wp.cross(point - xipos[w, body], force)
    out[w, body] = out[w, body] + wp.spatial_vector(force, torque)
