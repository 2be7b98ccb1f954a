# pyright: basic, reportArgumentType=false
"""Copies from the arrays of worlds into those of a batch, compiled by numba.

Worlds hold float64 in MuJoCo's order; arrays of a batch have the order of the environments, and
what a ``StateLayout`` says: ``like`` is a number of their type. ``first`` and ``last`` bound the
worlds a call is for, so that threads share them. A table ``at`` says where a part lies; a negative
number says that there is none.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from unibody.core.batch.kernel_arrays import (
    compiled,
    field,
    number,
    table,
    tensor,
    turned,
    vector_of_quat,
)

F64 = npt.NDArray[np.float64]
I32 = npt.NDArray[np.int32]


@compiled
def read_dofs(first: int, last: int, numbers: int, like: float) -> None:
    """Positions and velocities.

    ``numbers``: qpos, qvel; places in both and components (dofs, 3), first rows of the worlds; the
    array of the batch.
    """
    qpos, qvel = field(numbers, 0), field(numbers, 1)
    at, base, out = table(numbers, 2, 3), table(numbers, 3, 1), tensor(numbers, 4, 2, like)
    for w in range(first, last):
        row = base[w, 0]
        for d in range(at.shape[0]):
            q = at[d, 0]
            if at[d, 2] < 0:
                out[row + d, 0] = qpos[w, q]
            elif at[d, 2] == 0:
                found = vector_of_quat((qpos[w, q], qpos[w, q + 1], qpos[w, q + 2], qpos[w, q + 3]))
                out[row + d, 0], out[row + d + 1, 0], out[row + d + 2, 0] = found
            out[row + d, 1] = qvel[w, at[d, 1]]


@compiled
def read_roots(first: int, last: int, numbers: int, like: float) -> None:
    """States of first bodies.

    ``numbers``: qpos, qvel, mocap_pos, mocap_quat, points of the bodies that velocities are for,
    origins of the worlds; (actors, 4) places in qpos and in qvel, mocap rows and bodies, first rows
    of the worlds; the array of the batch; columns of a quaternion's real and first vector part.
    """
    qpos, qvel = field(numbers, 0), field(numbers, 1)
    mocap_pos, mocap_quat = field(numbers, 2), field(numbers, 3)
    points, origins = field(numbers, 4), field(numbers, 5)
    at, base = table(numbers, 6, 4), table(numbers, 7, 1)
    out = tensor(numbers, 8, 13, like)
    s, v0 = number(numbers, 9, 0), number(numbers, 9, 1)
    for w in range(first, last):
        for a in range(at.shape[0]):
            row = base[w, 0] + a
            if at[a, 0] < 0:
                m = at[a, 2]
                for k in range(3):
                    out[row, k] = mocap_pos[w, 3 * m + k] + origins[w, k]
                    out[row, v0 + k] = mocap_quat[w, 4 * m + k + 1]
                out[row, s] = mocap_quat[w, 4 * m]
                out[row, 7:] = 0.0
                continue
            q, v, at_body = at[a, 0], at[a, 1], 3 * at[a, 3]
            qw, qx, qy, qz = qpos[w, q + 3], qpos[w, q + 4], qpos[w, q + 5], qpos[w, q + 6]
            ax, ay, az = turned(qw, qx, qy, qz, qvel[w, v + 3], qvel[w, v + 4], qvel[w, v + 5])
            px, py, pz = points[w, at_body], points[w, at_body + 1], points[w, at_body + 2]
            rx, ry, rz = turned(qw, qx, qy, qz, px, py, pz)
            for k in range(3):
                out[row, k] = qpos[w, q + k] + origins[w, k]
            out[row, s], out[row, v0], out[row, v0 + 1], out[row, v0 + 2] = qw, qx, qy, qz
            out[row, 7] = qvel[w, v] + ay * rz - az * ry
            out[row, 8] = qvel[w, v + 1] + az * rx - ax * rz
            out[row, 9] = qvel[w, v + 2] + ax * ry - ay * rx
            out[row, 10], out[row, 11], out[row, 12] = ax, ay, az


@compiled
def read_bodies(first: int, last: int, numbers: int, like: float) -> None:
    """Poses and velocities of rigid bodies.

    ``numbers``: xpos, xquat, velocities, angular velocities, mass centres, origins of the worlds;
    bodies, first rows of the worlds; the array of the batch; columns of a quaternion's real and
    first vector part, and whether velocities are those of the frames' origins.
    """
    xpos, xquat = field(numbers, 0), field(numbers, 1)
    linear, angular = field(numbers, 2), field(numbers, 3)
    xipos, origins = field(numbers, 4), field(numbers, 5)
    at, base, out = table(numbers, 6, 1), table(numbers, 7, 1), tensor(numbers, 8, 13, like)
    s, v0, at_origin = number(numbers, 9, 0), number(numbers, 9, 1), number(numbers, 9, 2)
    for w in range(first, last):
        for b in range(at.shape[0]):
            row, body = base[w, 0] + b, at[b, 0]
            for k in range(3):
                out[row, k] = xpos[w, 3 * body + k] + origins[w, k]
                out[row, v0 + k] = xquat[w, 4 * body + k + 1]
                out[row, 7 + k] = linear[w, 3 * body + k]
                out[row, 10 + k] = angular[w, 3 * body + k]
            out[row, s] = xquat[w, 4 * body]
            if at_origin:
                x, y, z = 3 * body, 3 * body + 1, 3 * body + 2
                rx, ry = xpos[w, x] - xipos[w, x], xpos[w, y] - xipos[w, y]
                rz = xpos[w, z] - xipos[w, z]
                ax, ay, az = angular[w, x], angular[w, y], angular[w, z]
                out[row, 7] = linear[w, x] + ay * rz - az * ry
                out[row, 8] = linear[w, y] + az * rx - ax * rz
                out[row, 9] = linear[w, z] + ax * ry - ay * rx


@compiled
def read_forces(first: int, last: int, numbers: int, like: float) -> None:
    """The forces of contacts on rigid bodies.

    ``numbers``: wrenches of 6 a body; bodies, first rows of the worlds; the array of the batch.
    """
    wrench, at, base = field(numbers, 0), table(numbers, 1, 1), table(numbers, 2, 1)
    out = tensor(numbers, 3, 3, like)
    for w in range(first, last):
        for b in range(at.shape[0]):
            for k in range(3):
                out[base[w, 0] + b, k] = wrench[w, 6 * at[b, 0] + k]


@compiled
def read_dof_forces(
    first: int,
    last: int,
    forces: F64,
    at: I32,
    base: I32,
    wanted: npt.NDArray[np.bool_],
    efforts: npt.NDArray[Any],
    out: npt.NDArray[Any],
) -> None:
    """Forces of drives, limits and friction, and the efforts of the step."""
    for w in range(first, last):
        for d in range(at.shape[0]):
            row = base[w] + d
            if wanted[row]:
                out[row] = forces[w, at[d, 1]] + efforts[row]
            else:
                out[row] = 0.0
