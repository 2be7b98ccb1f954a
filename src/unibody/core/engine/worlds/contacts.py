"""The contacts of one of many worlds, looked up in a world of its own."""

from __future__ import annotations

import copy
from typing import Any, NamedTuple

import mujoco
import numpy as np
from numpy.typing import NDArray

from unibody.core.engine.rules.callbacks import installation
from unibody.core.engine.worlds.base import Worlds

_Array = NDArray[np.float64]
_AXES = 3


class Contacts(NamedTuple):
    """Contacts as of the state: what the next step would begin with.

    Attributes:
        bodies: MuJoCo's bodies, (n, 2).
        points: Middle of each contact, world frame, (n, 3) [m].
        normals: From the first body to the second, (n, 3).
        distances: Negative where bodies overlap, (n,) [m].
        forces: On the second body: along the normal and two tangents, (n, 3) [N].
        friction: Sliding friction of the pair, (n,).
        frictions: Force of friction on the second body, world frame, (n, 3) [N].
    """

    bodies: NDArray[np.int64]
    points: _Array
    normals: _Array
    distances: _Array
    forces: _Array
    friction: _Array
    frictions: _Array


class ContactFinder:
    """Finds the contacts of single worlds; keeps a model and a state for that."""

    def __init__(self, worlds: Worlds) -> None:
        self._worlds = worlds
        self._model: Any = copy.copy(worlds.model)  # a world's parameters are written into it
        self._data = mujoco.MjData(self._model)

    def find(self, world: int) -> Contacts:
        """Contacts of one world."""
        installation().ensure()
        self._worlds.copy_into(world, self._model, self._data)
        mujoco.mj_forward(self._model, self._data)
        found = self._data.contact
        bodies = self._model.geom_bodyid[found.geom].astype(np.int64)
        forces = np.zeros((len(bodies), 6))
        for number, force in enumerate(forces):
            mujoco.mj_contactForce(self._model, self._data, number, force)
        frames = np.array(found.frame).reshape(-1, 3, _AXES)
        return Contacts(
            bodies.reshape(-1, 2),
            np.array(found.pos).reshape(-1, 3),
            frames[:, 0],
            np.array(found.dist),
            forces[:, :_AXES],
            np.array(found.friction).reshape(-1, 5)[:, 0],
            np.einsum("nti,nt->ni", frames[:, 1:], forces[:, 1:_AXES]),
        )
