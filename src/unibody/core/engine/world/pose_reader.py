"""Seeing where the bodies of a world are without disturbing it, from any thread."""

from __future__ import annotations

from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from unibody.core.engine.world.world import World

Array = NDArray[np.float64]


class PoseReader:
    """Poses of all bodies of a world, computed on memory of its own.

    The coordinates are copied while the world may be stepping, so a picture can mix two steps; the
    world itself is only read.

    Attributes:
        world: The world.
    """

    def __init__(self, world: World) -> None:
        self.world = world
        self._generation = -1
        self._model: Any = None
        self._data: Any = None

    def poses(self) -> tuple[int, Array, Array]:
        """The present poses.

        Returns:
            The generation of the world that rows belong to; positions (nbody, 3) [m] and
            quaternions wxyz (nbody, 4) of MuJoCo's bodies.
        """
        generation, model, data = self.world.generation, self.world.model, self.world.data
        if generation != self._generation:
            self._model, self._data = model, mujoco.MjData(model)
            self._generation = generation
        self._data.qpos[:] = data.qpos
        self._data.mocap_pos[:] = data.mocap_pos
        self._data.mocap_quat[:] = data.mocap_quat
        mujoco.mj_kinematics(self._model, self._data)
        return generation, self._data.xpos, self._data.xquat
