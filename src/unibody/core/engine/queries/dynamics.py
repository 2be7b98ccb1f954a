"""Mass matrix and bias forces of one body at the present state of a world."""

from __future__ import annotations

import mujoco
import numpy as np
from numpy.typing import NDArray

from unibody.core.engine.record import BodyRecord
from unibody.core.engine.world import World


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
