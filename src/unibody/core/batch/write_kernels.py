# pyright: basic, reportArgumentType=false
"""Copies from the arrays of a batch into those of worlds, compiled by numba, like the other way."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from unibody.core.batch.kernel_arrays import (
    bytes_at,
    compiled,
    field,
    inlined,
    number,
    quat_of_vector,
    table,
    tensor,
    turned,
)
from unibody.core.batch.parameters import MOST_EFFORT
from unibody.core.engine.records.rule_table import DRIVE_SIZE

F64 = npt.NDArray[np.float64]
I32 = npt.NDArray[np.int32]


@inlined
def _put_dof(qpos, qvel, at, w: int, d: int, values, row: int, parts: int):
    """Set a degree of freedom; the position of any part of a ball joint sets all of them."""
    q, part = at[d, 0], at[d, 2]
    if parts & 1 and part < 0:
        qpos[w, q] = values[row, 0]
    elif parts & 1:
        x, y, z = values[row - part, 0], values[row - part + 1, 0], values[row - part + 2, 0]
        found = quat_of_vector((float(x), float(y), float(z)))
        qpos[w, q], qpos[w, q + 1], qpos[w, q + 2], qpos[w, q + 3] = found
    if parts & 2:
        qvel[w, at[d, 1]] = values[row, 1]


@compiled
def write_dofs(group: int, actors: I32, numbers: int, values: npt.NDArray[Any], parts: int) -> None:
    """Set positions and velocities of the degrees of freedom of some actors.

    ``numbers``: qpos, qvel; group, world and number in the environment of every actor (all actors,
    3), where the degrees of freedom of each actor of an environment begin there, first rows of the
    worlds, and places in qpos and qvel and components (dofs, 3). ``parts``: 1 positions, 2
    velocities, 3 both.
    """
    qpos, qvel = field(numbers, 0), field(numbers, 1)
    places, spans = table(numbers, 2, 3), table(numbers, 3, 1)
    base, at = table(numbers, 4, 1), table(numbers, 5, 3)
    for i in range(actors.shape[0]):
        actor = actors[i]
        if places[actor, 0] != group:
            continue
        w, local = places[actor, 1], places[actor, 2]
        for d in range(spans[local, 0], spans[local + 1, 0]):
            _put_dof(qpos, qvel, at, w, d, values, base[w, 0] + d, parts)


@compiled
def write_dof_rows(
    group: int, rows: I32, numbers: int, values: npt.NDArray[Any], parts: int
) -> None:
    """Do the same for single degrees of freedom.

    ``numbers``: qpos, qvel; group, world and number in the environment of every degree of freedom,
    and places as above.
    """
    qpos, qvel = field(numbers, 0), field(numbers, 1)
    places, at = table(numbers, 2, 3), table(numbers, 3, 3)
    for i in range(rows.shape[0]):
        row = rows[i]
        if places[row, 0] == group:
            _put_dof(qpos, qvel, at, places[row, 1], places[row, 2], values, row, parts)


@compiled
def write_roots(
    group: int, actors: I32, numbers: int, values: npt.NDArray[Any], parts: int
) -> None:
    """Set states of first bodies.

    ``numbers``: those of ``read_roots`` up to its first table, then places as in ``write_dofs``,
    then the columns of ``read_roots``.
    """
    qpos, qvel = field(numbers, 0), field(numbers, 1)
    mocap_pos, mocap_quat = field(numbers, 2), field(numbers, 3)
    points, origins = field(numbers, 4), field(numbers, 5)
    bases, places = table(numbers, 6, 4), table(numbers, 7, 3)
    scalar, vector = number(numbers, 8, 0), number(numbers, 8, 1)
    for i in range(actors.shape[0]):
        actor = actors[i]
        if places[actor, 0] != group:
            continue
        w, local = places[actor, 1], places[actor, 2]
        state = values[actor]
        q, v, body = bases[local, 0], bases[local, 1], bases[local, 3]
        # As much in float64 as a quaternion in float32 has to say.
        s, x = float(state[scalar]), float(state[vector])
        y, z = float(state[vector + 1]), float(state[vector + 2])
        size = np.sqrt(x * x + y * y + z * z + s * s)
        if size < 1e-6:
            x, y, z, s = 0.0, 0.0, 0.0, 1.0
        else:
            x, y, z, s = x / size, y / size, z / size, s / size
        if q < 0:
            if parts & 1:
                m = bases[local, 2]
                for k in range(3):
                    mocap_pos[w, 3 * m + k] = state[k] - origins[w, k]
                mocap_quat[w, 4 * m], mocap_quat[w, 4 * m + 1] = s, x
                mocap_quat[w, 4 * m + 2], mocap_quat[w, 4 * m + 3] = y, z
            continue
        if parts & 1:
            for k in range(3):
                qpos[w, q + k] = state[k] - origins[w, k]
            qpos[w, q + 3], qpos[w, q + 4], qpos[w, q + 5], qpos[w, q + 6] = s, x, y, z
        if parts & 2:
            s, x = qpos[w, q + 3], qpos[w, q + 4]
            y, z = qpos[w, q + 5], qpos[w, q + 6]
            ax, ay, az = float(state[10]), float(state[11]), float(state[12])
            p = 3 * body
            rx, ry, rz = turned(s, x, y, z, points[w, p], points[w, p + 1], points[w, p + 2])
            qvel[w, v] = state[7] - (ay * rz - az * ry)
            qvel[w, v + 1] = state[8] - (az * rx - ax * rz)
            qvel[w, v + 2] = state[9] - (ax * ry - ay * rx)
            bx, by, bz = turned(s, -x, -y, -z, ax, ay, az)
            qvel[w, v + 3], qvel[w, v + 4], qvel[w, v + 5] = bx, by, bz


@compiled
def write_targets(
    group: int, actors: I32, numbers: int, values: npt.NDArray[Any], control: int, column: int
) -> None:
    """Set a column of the drives' rules where a degree of freedom listens, and note it.

    ``numbers``: rules; places and spans as in ``write_dofs``, first rows of the worlds, and the
    drives of the degrees of freedom; their controls, and where the values are noted.
    """
    drives = field(numbers, 0)
    places, spans = table(numbers, 1, 3), table(numbers, 2, 1)
    base, rows = table(numbers, 3, 1), table(numbers, 4, 1)
    controls, noted = bytes_at(numbers, 5), tensor(numbers, 6, 1, values.dtype.type(0))
    for i in range(actors.shape[0]):
        actor = actors[i]
        if places[actor, 0] != group:
            continue
        w, local = places[actor, 1], places[actor, 2]
        for d in range(spans[local, 0], spans[local + 1, 0]):
            row = base[w, 0] + d
            if controls[row] & control:
                drives[w, DRIVE_SIZE * rows[d, 0] + column] = values[row]
                noted[row, 0] = values[row]


@compiled
def write_target_rows(
    group: int, chosen: I32, numbers: int, values: npt.NDArray[Any], control: int, column: int
) -> None:
    """Do the same for single degrees of freedom.

    ``numbers``: rules; group, world and number of every degree of freedom, and their drives in an
    environment; controls, and where the values are noted.
    """
    drives, places, rows = field(numbers, 0), table(numbers, 1, 3), table(numbers, 2, 1)
    controls, noted = bytes_at(numbers, 3), tensor(numbers, 4, 1, values.dtype.type(0))
    for i in range(chosen.shape[0]):
        row = chosen[i]
        if places[row, 0] == group and controls[row] & control:
            d = places[row, 2]
            drives[places[row, 1], DRIVE_SIZE * rows[d, 0] + column] = values[row]
            noted[row, 0] = values[row]


@inlined
def _bounded(effort: float):
    if abs(effort) > MOST_EFFORT:
        return math.copysign(MOST_EFFORT, effort)
    return effort


@compiled
def write_efforts(
    group: int, actors: I32, numbers: int, values: npt.NDArray[Any], control: int
) -> None:
    """Set forces where a degree of freedom listens, and note them; NaN stays NaN.

    ``numbers``: as for ``write_targets``, with forces for rules, and places in qpos and qvel and
    components for drives.
    """
    forces = field(numbers, 0)
    places, spans = table(numbers, 1, 3), table(numbers, 2, 1)
    base, at = table(numbers, 3, 1), table(numbers, 4, 3)
    controls, noted = bytes_at(numbers, 5), tensor(numbers, 6, 1, values.dtype.type(0))
    for i in range(actors.shape[0]):
        actor = actors[i]
        if places[actor, 0] != group:
            continue
        w, local = places[actor, 1], places[actor, 2]
        for d in range(spans[local, 0], spans[local + 1, 0]):
            row = base[w, 0] + d
            if controls[row] & control:
                effort = _bounded(float(values[row]))
                forces[w, at[d, 1]] = effort
                noted[row, 0] = effort


@compiled
def write_effort_rows(
    group: int, rows: I32, numbers: int, values: npt.NDArray[Any], control: int
) -> None:
    """Do the same for single degrees of freedom.

    ``numbers``: as for ``write_target_rows``, with forces for rules and places for drives.
    """
    forces, places, at = field(numbers, 0), table(numbers, 1, 3), table(numbers, 2, 3)
    controls, noted = bytes_at(numbers, 3), tensor(numbers, 4, 1, values.dtype.type(0))
    for i in range(rows.shape[0]):
        row = rows[i]
        if places[row, 0] == group and controls[row] & control:
            effort = _bounded(float(values[row]))
            forces[places[row, 1], at[places[row, 2], 1]] = effort
            noted[row, 0] = effort


@compiled
def add_wrenches(
    first: int,
    last: int,
    forces: npt.NDArray[Any],
    torques: npt.NDArray[Any],
    points: npt.NDArray[Any],
    local: bool,
    shift: F64,
    xpos: F64,
    xquat: F64,
    xipos: F64,
    at: I32,
    base: I32,
    out: F64,
) -> None:
    """Add forces and torques to bodies; arrays without rows are not there.

    Args:
        first: First world.
        last: One after the last world.
        forces: (all bodies, 3).
        torques: (all bodies, 3).
        points: Where the forces act, (all bodies, 3); at the mass centres if not there.
        local: The vectors are in the frames of the bodies, else in the world's axes.
        shift: Subtracted from the points in each world, (worlds, 3).
        xpos: Body frames.
        xquat: Body frames.
        xipos: Mass centres.
        at: Bodies (bodies,).
        base: First row of each world.
        out: (worlds, nbody, 6).
    """
    for w in range(first, last):
        for b in range(at.shape[0]):
            row, body = base[w] + b, at[b]
            qw, qx, qy, qz = (
                xquat[w, body, 0], xquat[w, body, 1], xquat[w, body, 2], xquat[w, body, 3],
            )  # fmt: skip
            fx, fy, fz, tx, ty, tz = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
            if forces.shape[0]:
                fx, fy, fz = forces[row, 0], forces[row, 1], forces[row, 2]
                if local:
                    fx, fy, fz = turned(qw, qx, qy, qz, fx, fy, fz)
            if torques.shape[0]:
                tx, ty, tz = torques[row, 0], torques[row, 1], torques[row, 2]
                if local:
                    tx, ty, tz = turned(qw, qx, qy, qz, tx, ty, tz)
            if points.shape[0]:
                px, py, pz = points[row, 0], points[row, 1], points[row, 2]
                if local:
                    px, py, pz = turned(qw, qx, qy, qz, px, py, pz)
                    px, py, pz = px + xpos[w, body, 0], py + xpos[w, body, 1], pz + xpos[w, body, 2]
                else:
                    px, py, pz = px - shift[w, 0], py - shift[w, 1], pz - shift[w, 2]
                px, py, pz = px - xipos[w, body, 0], py - xipos[w, body, 1], pz - xipos[w, body, 2]
                tx += py * fz - pz * fy
                ty += pz * fx - px * fz
                tz += px * fy - py * fx
            out[w, body, 0] += fx
            out[w, body, 1] += fy
            out[w, body, 2] += fz
            out[w, body, 3] += tx
            out[w, body, 4] += ty
            out[w, body, 5] += tz
