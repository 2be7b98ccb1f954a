# pyright: basic, reportArgumentType=false
"""Copies between the arrays of worlds and the tensors of a simulation, compiled by numba.

Worlds hold float64, quaternions wxyz and MuJoCo's order; tensors float32, quaternions xyzw and the
order of the environments. ``first`` and ``last`` bound the worlds a call is for, so that threads
share them. A table ``at`` says where a part lies; a negative number says that there is none.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from unibody.core.assets import transforms
from unibody.core.engine.records.rule_table import DRIVE_SIZE
from unibody.errors import InvalidArgumentError
from unibody.isaacgym.batch.parameters import MOST_EFFORT
from unibody.machine_code import numba
from unibody.machine_code.pointers import (
    pointer_f32,
    pointer_f64,
    pointer_i32,
    pointer_i64,
    pointer_u8,
)

F64 = npt.NDArray[np.float64]
F32 = npt.NDArray[np.float32]
I32 = npt.NDArray[np.int32]

PD = 2.0  # rule_table.DriveMode
carray = numba.carray  # pyright: ignore[reportPrivateImportUsage] - numba exports it
_compiled = numba.njit(cache=True, nogil=True, error_model="numpy")
_inlined = numba.njit(cache=True, nogil=True, error_model="numpy", inline="always")


_vector = _inlined(transforms.rotation_vector)
_quat = _inlined(transforms.quat_of_vector)


@_inlined
def _turn(w: float, x: float, y: float, z: float, a: float, b: float, c: float):
    """A vector (a, b, c) turned by a quaternion."""
    tx, ty, tz = 2.0 * (y * c - z * b), 2.0 * (z * a - x * c), 2.0 * (x * b - y * a)
    return (
        a + w * tx + y * tz - z * ty,
        b + w * ty + z * tx - x * tz,
        c + w * tz + x * ty - y * tx,
    )


def packed(
    fields: Sequence[F64], tables: Sequence[I32], others: Sequence[npt.NDArray[Any]] = ()
) -> npt.NDArray[np.int64]:
    """Addresses of arrays, for kernels that are often called: numba takes one faster than arrays.

    The caller keeps the arrays alive.

    Args:
        fields: Arrays of worlds, contiguous within a world; address, and numbers from one world to
            the next.
        tables: Address, and number of rows.
        others: The same, of float32 or int8.
    """
    numbers: list[int] = []
    for array in fields:
        numbers += [array.ctypes.data, array.strides[0] // array.itemsize]
    for table in (*tables, *others):
        if not table.flags.c_contiguous:
            raise InvalidArgumentError("tables", table.strides, "contiguous arrays")
        numbers += [table.ctypes.data, len(table)]
    if any(table.dtype != np.int32 for table in tables):
        raise InvalidArgumentError("tables", [t.dtype for t in tables], "arrays of int32")
    return np.array(numbers, np.int64)


@_inlined
def _field(address: int, i: int):
    """Array ``i`` of those that were packed, a row a world; a stride of 0: all share the row."""
    numbers = pointer_i64(address)
    return carray(pointer_f64(numbers[2 * i]), (1, numbers[2 * i + 1]))


@_inlined
def _table(address: int, i: int, columns: int):
    numbers = pointer_i64(address)
    return carray(pointer_i32(numbers[2 * i]), (numbers[2 * i + 1], columns))


@_inlined
def _tensor(address: int, i: int, columns: int):
    numbers = pointer_i64(address)
    return carray(pointer_f32(numbers[2 * i]), (numbers[2 * i + 1], columns))


@_inlined
def _bytes(address: int, i: int):
    return pointer_u8(pointer_i64(address)[2 * i])


@_compiled
def read_dofs(first: int, last: int, numbers: int) -> None:
    """Positions and velocities.

    ``numbers``: qpos, qvel; places in both and components (dofs, 3), first rows of the worlds; the
    tensor.
    """
    qpos, qvel = _field(numbers, 0), _field(numbers, 1)
    at, base, out = _table(numbers, 2, 3), _table(numbers, 3, 1), _tensor(numbers, 4, 2)
    for w in range(first, last):
        row = base[w, 0]
        for d in range(at.shape[0]):
            q = at[d, 0]
            if at[d, 2] < 0:
                out[row + d, 0] = qpos[w, q]
            elif at[d, 2] == 0:
                found = _vector((qpos[w, q], qpos[w, q + 1], qpos[w, q + 2], qpos[w, q + 3]))
                out[row + d, 0], out[row + d + 1, 0], out[row + d + 2, 0] = found
            out[row + d, 1] = qvel[w, at[d, 1]]


@_compiled
def read_roots(first: int, last: int, numbers: int) -> None:
    """States of first bodies.

    ``numbers``: qpos, qvel, mocap_pos, mocap_quat, mass centres; (actors, 4) places in qpos and
    in qvel, mocap rows and bodies, first rows of the worlds; the tensor.
    """
    qpos, qvel = _field(numbers, 0), _field(numbers, 1)
    mocap_pos, mocap_quat = _field(numbers, 2), _field(numbers, 3)
    coms, at, base = _field(numbers, 4), _table(numbers, 5, 4), _table(numbers, 6, 1)
    out = _tensor(numbers, 7, 13)
    for w in range(first, last):
        for a in range(at.shape[0]):
            row = base[w, 0] + a
            if at[a, 0] < 0:
                m = at[a, 2]
                for k in range(3):
                    out[row, k] = mocap_pos[w, 3 * m + k]
                    out[row, 3 + k] = mocap_quat[w, 4 * m + k + 1]
                out[row, 6] = mocap_quat[w, 4 * m]
                out[row, 7:] = 0.0
                continue
            q, v, com = at[a, 0], at[a, 1], 3 * at[a, 3]
            qw, qx, qy, qz = qpos[w, q + 3], qpos[w, q + 4], qpos[w, q + 5], qpos[w, q + 6]
            ax, ay, az = _turn(qw, qx, qy, qz, qvel[w, v + 3], qvel[w, v + 4], qvel[w, v + 5])
            rx, ry, rz = _turn(qw, qx, qy, qz, coms[w, com], coms[w, com + 1], coms[w, com + 2])
            for k in range(3):
                out[row, k] = qpos[w, q + k]
            out[row, 3], out[row, 4], out[row, 5], out[row, 6] = qx, qy, qz, qw
            out[row, 7] = qvel[w, v] + ay * rz - az * ry
            out[row, 8] = qvel[w, v + 1] + az * rx - ax * rz
            out[row, 9] = qvel[w, v + 2] + ax * ry - ay * rx
            out[row, 10], out[row, 11], out[row, 12] = ax, ay, az


@_compiled
def read_bodies(first: int, last: int, numbers: int) -> None:
    """Poses and velocities of rigid bodies.

    ``numbers``: xpos, xquat, velocities, angular velocities; bodies, first rows of the worlds;
    the tensor.
    """
    xpos, xquat = _field(numbers, 0), _field(numbers, 1)
    linear, angular = _field(numbers, 2), _field(numbers, 3)
    at, base, out = _table(numbers, 4, 1), _table(numbers, 5, 1), _tensor(numbers, 6, 13)
    for w in range(first, last):
        for b in range(at.shape[0]):
            row, body = base[w, 0] + b, at[b, 0]
            for k in range(3):
                out[row, k] = xpos[w, 3 * body + k]
                out[row, 3 + k] = xquat[w, 4 * body + k + 1]
                out[row, 7 + k] = linear[w, 3 * body + k]
                out[row, 10 + k] = angular[w, 3 * body + k]
            out[row, 6] = xquat[w, 4 * body]


@_compiled
def read_forces(first: int, last: int, numbers: int) -> None:
    """The forces of contacts on rigid bodies.

    ``numbers``: wrenches of 6 a body; bodies, first rows of the worlds; the tensor.
    """
    wrench, at, base = _field(numbers, 0), _table(numbers, 1, 1), _table(numbers, 2, 1)
    out = _tensor(numbers, 3, 3)
    for w in range(first, last):
        for b in range(at.shape[0]):
            for k in range(3):
                out[base[w, 0] + b, k] = wrench[w, 6 * at[b, 0] + k]


@_compiled
def read_dof_forces(
    first: int,
    last: int,
    forces: F64,
    at: I32,
    base: I32,
    wanted: npt.NDArray[np.bool_],
    efforts: F32,
    out: F32,
) -> None:
    """Forces of drives, limits and friction, and the efforts of the step."""
    for w in range(first, last):
        for d in range(at.shape[0]):
            row = base[w] + d
            if wanted[row]:
                out[row] = forces[w, at[d, 1]] + efforts[row]
            else:
                out[row] = 0.0


@_compiled
def write_dofs(group: int, actors: I32, numbers: int, values: F32, parts: int) -> None:
    """Set positions and velocities of the degrees of freedom of some actors.

    ``numbers``: qpos, qvel; group, world and number in the environment of every actor (all actors,
    3), where the degrees of freedom of each actor of an environment begin there, first rows of the
    worlds, and places in qpos and qvel and components (dofs, 3). ``parts``: 1 positions, 2
    velocities, 3 both.
    """
    qpos, qvel = _field(numbers, 0), _field(numbers, 1)
    places, spans = _table(numbers, 2, 3), _table(numbers, 3, 1)
    base, at = _table(numbers, 4, 1), _table(numbers, 5, 3)
    for i in range(actors.shape[0]):
        actor = actors[i]
        if places[actor, 0] != group:
            continue
        w, local = places[actor, 1], places[actor, 2]
        for d in range(spans[local, 0], spans[local + 1, 0]):
            row = base[w, 0] + d
            q = at[d, 0]
            if parts & 1 and at[d, 2] < 0:
                qpos[w, q] = values[row, 0]
            elif parts & 1 and at[d, 2] == 0:
                x, y, z = values[row, 0], values[row + 1, 0], values[row + 2, 0]
                found = _quat((float(x), float(y), float(z)))
                qpos[w, q], qpos[w, q + 1], qpos[w, q + 2], qpos[w, q + 3] = found
            if parts & 2:
                qvel[w, at[d, 1]] = values[row, 1]


@_compiled
def write_roots(group: int, actors: I32, numbers: int, values: F32, parts: int) -> None:
    """Set states of first bodies.

    ``numbers``: those of ``read_roots`` up to its first table, then places as in ``write_dofs``.
    """
    qpos, qvel = _field(numbers, 0), _field(numbers, 1)
    mocap_pos, mocap_quat = _field(numbers, 2), _field(numbers, 3)
    coms, table, places = _field(numbers, 4), _table(numbers, 5, 4), _table(numbers, 6, 3)
    for i in range(actors.shape[0]):
        actor = actors[i]
        if places[actor, 0] != group:
            continue
        w, local = places[actor, 1], places[actor, 2]
        state = values[actor]
        q, v, body = table[local, 0], table[local, 1], table[local, 3]
        # As much in float64 as a quaternion in float32 has to say.
        x, y, z, s = float(state[3]), float(state[4]), float(state[5]), float(state[6])
        size = np.sqrt(x * x + y * y + z * z + s * s)
        if size < 1e-6:
            x, y, z, s = 0.0, 0.0, 0.0, 1.0
        else:
            x, y, z, s = x / size, y / size, z / size, s / size
        if q < 0:
            if parts & 1:
                m = table[local, 2]
                for k in range(3):
                    mocap_pos[w, 3 * m + k] = state[k]
                mocap_quat[w, 4 * m], mocap_quat[w, 4 * m + 1] = s, x
                mocap_quat[w, 4 * m + 2], mocap_quat[w, 4 * m + 3] = y, z
            continue
        if parts & 1:
            for k in range(3):
                qpos[w, q + k] = state[k]
            qpos[w, q + 3], qpos[w, q + 4], qpos[w, q + 5], qpos[w, q + 6] = s, x, y, z
        if parts & 2:
            s, x = qpos[w, q + 3], qpos[w, q + 4]
            y, z = qpos[w, q + 5], qpos[w, q + 6]
            ax, ay, az = float(state[10]), float(state[11]), float(state[12])
            com = 3 * body
            rx, ry, rz = _turn(s, x, y, z, coms[w, com], coms[w, com + 1], coms[w, com + 2])
            qvel[w, v] = state[7] - (ay * rz - az * ry)
            qvel[w, v + 1] = state[8] - (az * rx - ax * rz)
            qvel[w, v + 2] = state[9] - (ax * ry - ay * rx)
            bx, by, bz = _turn(s, -x, -y, -z, ax, ay, az)
            qvel[w, v + 3], qvel[w, v + 4], qvel[w, v + 5] = bx, by, bz


@_compiled
def write_targets(
    group: int, actors: I32, numbers: int, values: F32, mode: int, column: int
) -> None:
    """Set a column of the drives' rules where a degree of freedom is in ``mode``, and note it.

    ``numbers``: rules; places and spans as in ``write_dofs``, first rows of the worlds, and the
    drives of the degrees of freedom; their modes, and where the values are noted.
    """
    drives = _field(numbers, 0)
    places, spans = _table(numbers, 1, 3), _table(numbers, 2, 1)
    base, rows = _table(numbers, 3, 1), _table(numbers, 4, 1)
    modes, noted = _bytes(numbers, 5), _tensor(numbers, 6, 1)
    for i in range(actors.shape[0]):
        actor = actors[i]
        if places[actor, 0] != group:
            continue
        w, local = places[actor, 1], places[actor, 2]
        for d in range(spans[local, 0], spans[local + 1, 0]):
            row = base[w, 0] + d
            if modes[row] == mode:
                drives[w, DRIVE_SIZE * rows[d, 0] + column] = values[row]
                noted[row, 0] = values[row]


@_compiled
def write_efforts(group: int, actors: I32, numbers: int, values: F32, mode: int) -> None:
    """Set forces where a degree of freedom is in ``mode``, and note them; NaN stays NaN.

    ``numbers``: as for ``write_targets``, with forces for rules, and places in qpos and qvel and
    components for drives.
    """
    forces = _field(numbers, 0)
    places, spans = _table(numbers, 1, 3), _table(numbers, 2, 1)
    base, at = _table(numbers, 3, 1), _table(numbers, 4, 3)
    modes, noted = _bytes(numbers, 5), _tensor(numbers, 6, 1)
    for i in range(actors.shape[0]):
        actor = actors[i]
        if places[actor, 0] != group:
            continue
        w, local = places[actor, 1], places[actor, 2]
        for d in range(spans[local, 0], spans[local + 1, 0]):
            row = base[w, 0] + d
            if modes[row] == mode:
                effort = values[row]
                if abs(effort) > MOST_EFFORT:
                    effort = math.copysign(MOST_EFFORT, effort)
                forces[w, at[d, 1]] = effort
                noted[row, 0] = effort


@_compiled
def add_wrenches(
    first: int,
    last: int,
    forces: F32,
    torques: F32,
    points: F32,
    local: bool,
    shift: F32,
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
                    fx, fy, fz = _turn(qw, qx, qy, qz, fx, fy, fz)
            if torques.shape[0]:
                tx, ty, tz = torques[row, 0], torques[row, 1], torques[row, 2]
                if local:
                    tx, ty, tz = _turn(qw, qx, qy, qz, tx, ty, tz)
            if points.shape[0]:
                px, py, pz = points[row, 0], points[row, 1], points[row, 2]
                if local:
                    px, py, pz = _turn(qw, qx, qy, qz, px, py, pz)
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
