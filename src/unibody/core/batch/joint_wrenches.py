"""What joints transmit and how bodies accelerate, in single worlds."""

from __future__ import annotations

import copy
from typing import Any, NamedTuple

import mujoco
import numpy as np
import numpy.typing as npt

from unibody.core.engine.rules.callbacks import installation
from unibody.core.engine.worlds import Worlds

F64 = npt.NDArray[np.float64]


class Solved(NamedTuple):
    """Forces and accelerations of the engine's bodies, in the world's axes.

    Attributes:
        wrenches: Force and torque that each gets from the one that it is joined to, about the
            origin of its own frame, (bodies, 6) [N, Nm].
        accelerations: Linear ones of the mass centres and angular ones, (bodies, 6).
        positions: Of the frames, (bodies, 3).
        turns: Orientations of the frames, (bodies, 3, 3).
    """

    wrenches: F64
    accelerations: F64
    positions: F64
    turns: F64


class JointWrenches:
    """Solves single worlds as they are; keeps a model and a state for that.

    Worlds do not keep what their bodies exert on one another: it is computed anew from the state.
    """

    def __init__(self, worlds: Worlds) -> None:
        self._worlds = worlds
        self._model: Any = copy.copy(worlds.model)  # a world's parameters come into it
        self._data = mujoco.MjData(self._model)

    def solve(self, world: int, efforts: Any, wrenches: Any) -> Solved:
        """Solve one world.

        Args:
            world: Its number.
            efforts: On its coordinates, (nv,); None: those of the state.
            wrenches: On its bodies, (bodies, 6); None: those of the state.
        """
        model, data = self._model, self._data
        installation().ensure()
        self._worlds.copy_into(world, model, data)
        if efforts is not None:
            data.qfrc_applied[:] = efforts
        if wrenches is not None:
            data.xfrc_applied[:] = np.reshape(wrenches, (-1, 6))
        mujoco.mj_forward(model, data)
        mujoco.mj_rnePostConstraint(model, data)
        to_origin = data.xpos - data.subtree_com[model.body_rootid]
        force, torque = data.cfrc_int[:, 3:].copy(), data.cfrc_int[:, :3].copy()
        torque -= np.cross(to_origin, force)
        self._take_off_compensation(force, torque)
        return Solved(
            np.concatenate([force, torque], axis=1),
            self._accelerations(),
            data.xpos.copy(),
            data.xmat.reshape(-1, 3, 3).copy(),
        )

    def _take_off_compensation(self, force: F64, torque: F64) -> None:
        """Take off what carries the weight of bodies that gravity does not act on.

        The engine counts that as a force of the joints.
        """
        model, data = self._model, self._data
        if not model.body_gravcomp.any():
            return
        lift = -model.opt.gravity * (model.body_mass * model.body_gravcomp)[:, None]
        for body in range(model.nbody - 1, 0, -1):
            above = body
            while above:
                force[above] -= lift[body]
                torque[above] -= np.cross(data.xipos[body] - data.xpos[above], lift[body])
                above = int(model.body_parentid[above])

    def _accelerations(self) -> F64:
        model, data = self._model, self._data
        arm = data.xipos - data.subtree_com[model.body_rootid]
        spin = data.cvel[:, :3]
        velocity = data.cvel[:, 3:] + np.cross(spin, arm)
        linear = data.cacc[:, 3:] + np.cross(data.cacc[:, :3], arm) + np.cross(spin, velocity)
        return np.concatenate([linear + model.opt.gravity, data.cacc[:, :3]], axis=1)
