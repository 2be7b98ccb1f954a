"""What many worlds would step with, solved from their states: fields of MuJoCo's, and contacts."""

from __future__ import annotations

import copy
from typing import Any, NamedTuple

import mujoco
import numpy as np
from numpy.typing import NDArray

from unibody.core.engine.rules.callbacks import installation

Array = NDArray[np.float64]
Ints = NDArray[np.int64]
_AXES = 3
BIAS = "qfrc_bias"


class Wanted(NamedTuple):
    """What is asked for.

    Attributes:
        fields: Of MuJoCo's MjData, of numbers.
        contacts: Whether contacts are.
        bias_alone: The one field is ``qfrc_bias``, without gravity; forces are not solved for.
    """

    fields: tuple[str, ...] = ()
    contacts: bool = False
    bias_alone: bool = False


CORIOLIS = Wanted((BIAS,), bias_alone=True)


class ContactTable(NamedTuple):
    """Contacts, world by world.

    Attributes:
        worlds: The world of each, (n,).
        bodies: MuJoCo's bodies, (n, 2).
        points: Middle of each contact, world frame, (n, 3) [m].
        normals: From the first body to the second, (n, 3).
        distances: Negative where bodies overlap, (n,) [m].
        forces: On the second body: along the normal and two tangents, (n, 3) [N].
        friction: Sliding friction of the pair, (n,).
        frictions: Force of friction on the second body, world frame, (n, 3) [N].
    """

    worlds: Ints
    bodies: Ints
    points: Array
    normals: Array
    distances: Array
    forces: Array
    friction: Array
    frictions: Array


class Solution(NamedTuple):
    """What was asked for.

    Attributes:
        fields: By name, with the world as first axis.
        contacts: Those of all worlds; None if they were not asked for.
    """

    fields: dict[str, Array]
    contacts: ContactTable | None


class Raw(NamedTuple):
    """Contacts as MuJoCo has them: worlds (n,), and for each its numbers (see ``table_of``)."""

    worlds: Ints
    geoms: Ints
    distances: Array
    points: Array
    frames: Array
    forces: Array
    friction: Array


def table_of(model: Any, raw: Raw) -> ContactTable:
    """The table of contacts with geoms (n, 2), frames (n, 3, 3) and forces (n, 6)."""
    frames = raw.frames
    return ContactTable(
        raw.worlds,
        np.asarray(model.geom_bodyid)[raw.geoms].astype(np.int64).reshape(-1, 2),
        raw.points,
        frames[:, 0],
        raw.distances,
        raw.forces[:, :_AXES],
        raw.friction,
        np.einsum("nti,nt->ni", frames[:, 1:], raw.forces[:, 1:_AXES]),
    )


class PlainSolver:
    """Solves worlds one after the other; keeps a model and a state for that.

    Args:
        worlds: ``Worlds``.
    """

    def __init__(self, worlds: Any) -> None:
        self._worlds = worlds
        self._model: Any = copy.copy(worlds.model)  # a world's parameters are written into it
        self._data = mujoco.MjData(self._model)

    def solve(self, wanted: Wanted, states: Array) -> Solution:
        """Solve all worlds in states (N, size) of MuJoCo's."""
        found = {
            name: np.zeros((len(states), *getattr(self._data, name).shape))
            for name in wanted.fields
        }
        raw: list[Raw] = []
        installation().ensure()
        for world in range(len(states)):
            self._worlds.copy_into(world, self._model, self._data, states)
            if wanted.bias_alone:
                self._solve_bias()
            else:
                mujoco.mj_forward(self._model, self._data)
                mujoco.mj_rnePostConstraint(self._model, self._data)
            for name, values in found.items():
                values[world] = getattr(self._data, name)
            if wanted.contacts:
                raw.append(self.contacts_of(world))
        if not wanted.contacts:
            return Solution(found, None)
        joined = Raw(*(np.concatenate(column) for column in zip(*raw, strict=True)))
        return Solution(found, table_of(self._model, joined))

    def _solve_bias(self) -> None:
        """Forces of the velocities: all that is left of the bias without what a rest has."""
        model, data = self._model, self._data
        mujoco.mj_kinematics(model, data)
        mujoco.mj_comPos(model, data)
        mujoco.mj_comVel(model, data)
        mujoco.mj_rne(model, data, 0, data.qfrc_bias)
        whole = data.qfrc_bias.copy()
        data.qvel[:] = 0.0
        mujoco.mj_comVel(model, data)
        mujoco.mj_rne(model, data, 0, data.qfrc_bias)
        data.qfrc_bias[:] = whole - data.qfrc_bias

    def contacts_of(self, world: int) -> Raw:
        """The contacts of the world that was solved last."""
        found = self._data.contact
        count = len(found.dist)
        forces = np.zeros((count, 6))
        for number, force in enumerate(forces):
            mujoco.mj_contactForce(self._model, self._data, number, force)
        return Raw(
            np.full(count, world),
            np.array(found.geom, np.int64).reshape(-1, 2),
            np.array(found.dist),
            np.array(found.pos).reshape(-1, 3),
            np.array(found.frame).reshape(-1, 3, _AXES),
            forces,
            np.array(found.friction).reshape(-1, 5)[:, 0],
        )
