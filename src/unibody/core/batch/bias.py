"""Coriolis and centrifugal forces of actors, in the coordinates of a batch."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from unibody.core.assets.rotations import rotations
from unibody.core.batch.dynamics import Part, to_base_columns
from unibody.core.batch.exchange import on_host
from unibody.core.engine.worlds.solutions import BIAS, CORIOLIS

F64 = npt.NDArray[np.float64]


def read_coriolis_forces(part: Part, out: F64) -> None:
    """Write the forces of one part's rows, (rows, columns) [N, Nm].

    They hold the state's velocities: added to what else acts, accelerations are as if the matrices
    alone counted.

    The engine's velocity of the base is that of its origin, v_o = v - w x r with the batch's
    velocity v of the mass centre. So its acceleration has a part -w x (w x r) besides those of the
    batch's coordinates, which counts as a force through the mass matrix.
    """
    worlds = part.exchange.worlds
    record = part.exchange.record(part.local)
    first = max(record.dof, 0)
    forces = worlds.solve(CORIOLIS).fields[BIAS][:, first : first + record.nv]
    if part.base:
        forces = _of_mass_centre(part, forces, first)
    out[part.rows, : len(part.columns)] = forces[:, part.columns][part.worlds]


def _of_mass_centre(part: Part, forces: F64, first: int) -> F64:
    worlds: Any = part.exchange.worlds
    record = part.exchange.record(part.local)
    root = record.body
    turn = rotations(on_host(worlds.xquat)[:, root].astype(float))
    arm = on_host(worlds.xipos)[:, root].astype(float) - on_host(worlds.xpos)[:, root]
    spin = np.einsum("nij,nj->ni", turn, on_host(worlds.qvel)[:, first + 3 : first + 6])
    matrix = on_host(worlds.mass_matrices(record)).astype(float)
    apparent = np.cross(spin, np.cross(spin, arm))
    forces = forces - np.einsum("nij,nj->ni", matrix[:, :, :3], apparent)
    return to_base_columns(forces[:, None], part.base, turn, arm)[:, 0]
