"""Mass matrix and bias forces of one body at the present state of a world."""

from __future__ import annotations

import mujoco
import numpy as np
from numpy.typing import NDArray

from unibody.core.engine.records.body import BodyRecord
from unibody.core.engine.world.world import World


def tree_dynamics(
    world: World, record: BodyRecord
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The matrix M and the forces c of ``M qacc + c = force``, in MuJoCo's coordinates.

    Args:
        world: The running world.
        record: One of its bodies.

    Returns:
        Mass matrix (nv, nv), those of a free base first, and the forces of gravity, Coriolis and
        centrifugal acceleration, (nv,).
    """
    model, data = world.model, world.data
    world.velocities()
    mujoco.mj_makeM(model, data)
    first, count = record.dof, record.nv
    matrix = np.zeros((count, count))
    for row in range(count):
        start = int(model.M_rowadr[first + row])
        entries = slice(start, start + int(model.M_rownnz[first + row]))
        matrix[row, model.M_colind[entries] - first] = data.M[entries]
    matrix += np.tril(matrix, -1).T
    bias = np.empty(model.nv)
    mujoco.mj_rne(model, data, 0, bias)
    return matrix, bias[first : first + count]


def tree_dynamics_at(
    world: World, record: BodyRecord, qpos: NDArray[np.float64], qvel: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The same as ``tree_dynamics`` at another state of the body; the world stays as it is.

    Args:
        world: The running world.
        record: One of its bodies.
        qpos: Its coordinates, (nq,).
        qvel: Its velocities, (nv,).
    """
    data = world.data
    places = slice(record.qpos, record.qpos + record.nq), slice(record.dof, record.dof + record.nv)
    before = data.qpos[places[0]].copy(), data.qvel[places[1]].copy()
    try:
        data.qpos[places[0]], data.qvel[places[1]] = qpos, qvel
        world.changed()
        return tree_dynamics(world, record)
    finally:
        data.qpos[places[0]], data.qvel[places[1]] = before
        world.changed()
