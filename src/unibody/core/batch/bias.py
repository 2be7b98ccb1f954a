"""Coriolis and centrifugal forces of actors, in the coordinates of a batch."""

from __future__ import annotations

import copy
from typing import Any

import mujoco
import numpy as np
import numpy.typing as npt

from unibody.core.assets.rotations import rotations
from unibody.core.batch.dynamics import Part, to_base_columns
from unibody.core.engine.worlds import Worlds

F64 = npt.NDArray[np.float64]


class Bias:
    """Computes the forces of single worlds; keeps a model and a state for that."""

    def __init__(self, worlds: Worlds) -> None:
        self._worlds = worlds
        self._model: Any = copy.copy(worlds.model)  # a world's parameters are written into it
        self._data = mujoco.MjData(self._model)

    def read(self, part: Part, out: F64) -> None:
        """Write the forces of one part's rows, (rows, columns) [N, Nm].

        They hold the state's velocities: added to what else acts, accelerations are as if the
        matrices alone counted.
        """
        record = part.exchange.record(part.local)
        span = slice(max(record.dof, 0), max(record.dof, 0) + record.nv)
        for row, world in zip(part.rows.tolist(), part.worlds.tolist(), strict=True):
            own = self._forces(world, span, record.body, part.base)
            out[row, : len(part.columns)] = own[part.columns]

    def _forces(self, world: int, span: slice, root: int, base: int) -> F64:
        """Forces on all columns of one actor of one world.

        The engine's velocity of the base is that of its origin, v_o = v - w x r with the batch's
        velocity v of the mass centre. So its acceleration has a part -w x (w x r) besides those of
        the batch's coordinates, which counts as a force through the mass matrix.
        """
        model, data = self._model, self._data
        self._worlds.copy_into(world, model, data)
        model.opt.gravity[:] = 0.0
        mujoco.mj_fwdPosition(model, data)
        mujoco.mj_fwdVelocity(model, data)
        forces = np.array(data.qfrc_bias[span])
        if not base:
            return forces
        turn = rotations(data.xquat[root])
        arm = data.xipos[root] - data.xpos[root]
        spin = turn @ data.qvel[span][3:6]
        matrix = np.zeros((model.nv, model.nv))
        mujoco.mj_fullM(model, data, matrix)
        forces -= matrix[span, span][:, :3] @ np.cross(spin, np.cross(spin, arm))
        return to_base_columns(forces[None, None], base, turn[None], arm[None])[0, 0]
