"""Constants of a model that MuJoCo derives from masses and inertias, for bodies that float alone.

MuJoCo works them out in the pose a body was written with, all bodies at once, which takes longer
than everything else in a compile. For a free body without links they are closed formulas that do
not depend on the pose. The same formulas stand in for MuJoCo's after a compile, so that a body has
the same constants to the last bit however it came into the model.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import mujoco
import numpy as np
from numpy.typing import NDArray

FREE_DOFS = 6  # of a free joint
UNTURNED = 100.0  # m: radius of gyration of a body that torques do not turn
_FREE = int(mujoco.mjtJoint.mjJNT_FREE)


def free_bodies(model: Any) -> NDArray[np.int64]:
    """Bodies with a free joint and nothing attached, (N,)."""
    single = model.tree_bodynum == 1
    body = model.tree_bodyadr[single]
    joint = model.body_jntadr[body]
    return body[model.jnt_type[joint] == _FREE].astype(np.int64)


def set_free_constants(model: Any, bodies: NDArray[np.int64]) -> None:
    """Write inverse masses and inertias of free bodies without links.

    Args:
        model: The MjModel; mass, inertia and inertial frame of the bodies are set in it.
        bodies: From ``free_bodies``, or some of them.
    """
    if not len(bodies):
        return
    mass = model.body_mass[bodies]
    constants = free_constants(
        mass, model.body_inertia[bodies].T, model.body_ipos[bodies].T, model.body_iquat[bodies].T
    )
    dof = model.body_dofadr[bodies]
    model.body_subtreemass[bodies] = mass
    for axis in range(3):
        model.dof_invweight0[dof + axis] = constants.inverse_shift
        model.dof_invweight0[dof + 3 + axis] = constants.inverse_turn
        model.dof_M0[dof + axis] = mass
        model.dof_M0[dof + 3 + axis] = constants.inertia[axis]
    model.body_invweight0[bodies, 0] = 1.0 / mass
    model.body_invweight0[bodies, 1] = constants.inverse_turn


class KeptConstants:
    """The constants of all free bodies without links, over a call of ``mj_setConst``.

    Args:
        model: The MjModel; bodies do not come or go in it as long as this is used.
    """

    def __init__(self, model: Any) -> None:
        self._bodies = free_bodies(model)
        first = model.body_dofadr[self._bodies].astype(np.int64)
        self._dofs = (first[:, None] + np.arange(FREE_DOFS)).reshape(-1)
        self._kept: list[NDArray[np.float64]] = []

    def note(self, model: Any) -> None:
        """Take note of what they are."""
        if len(self._bodies):
            self._kept = [array[rows] for array, rows in self._arrays(model)]

    def put_back(self, model: Any) -> None:
        """Write what they were."""
        for kept, (array, rows) in zip(self._kept, self._arrays(model), strict=False):
            array[rows] = kept

    def _arrays(self, model: Any) -> tuple[tuple[Any, NDArray[np.int64]], ...]:
        bodies, dofs = self._bodies, self._dofs
        return (
            (model.body_subtreemass, bodies),
            (model.body_invweight0, bodies),
            (model.dof_invweight0, dofs),
            (model.dof_M0, dofs),
        )


class FreeConstants(NamedTuple):
    """Constants of a free body, or of many: numbers or arrays of them."""

    inverse_shift: Any  # mean inverse mass of the frame's origin [1/kg]
    inverse_turn: Any  # mean inverse inertia [1/(kg m^2)]
    inertia: tuple[Any, Any, Any]  # about the axes of the frame, through its origin [kg m^2]


def free_constants(mass: Any, inertia: Any, centre: Any, quat: Any) -> FreeConstants:
    """Constants of free bodies, with the same bits for numbers as for arrays.

    Args:
        mass: [kg].
        inertia: Principal, (3,) or (3, N) [kg m^2].
        centre: Centre of mass in the frame of the body, (3,) or (3, N) [m].
        quat: Principal axes in the frame of the body (w, x, y, z), (4,) or (4, N).
    """
    w, x, y, z = quat
    cx, cy, cz = centre
    rows = (
        (w * w + x * x - y * y - z * z, 2.0 * (x * y - w * z), 2.0 * (x * z + w * y)),
        (2.0 * (x * y + w * z), w * w - x * x + y * y - z * z, 2.0 * (y * z - w * x)),
        (2.0 * (x * z - w * y), 2.0 * (y * z + w * x), w * w - x * x - y * y + z * z),
    )
    squares = (cx * cx, cy * cy, cz * cz)
    reach = squares[0] + squares[1] + squares[2]
    turn = shift = 0.0
    for moment, a, b, c in zip(inertia, *rows, strict=True):  # by columns: the principal axes
        along = a * cx + b * cy + c * cz
        turn = turn + 1.0 / moment
        shift = shift + (reach - along * along) / moment
    i, j, k = inertia
    turned = tuple(
        a * a * i + b * b * j + c * c * k + mass * (reach - square)
        for (a, b, c), square in zip(rows, squares, strict=True)
    )
    return FreeConstants(1.0 / mass + shift / 3.0, turn / 3.0, turned)


def set_scale(model: Any) -> None:
    """Write what the solver's tolerance is relative to: the mean inertia of all coordinates.

    Those that no torque turns would make it mean nothing for the others.
    """
    if not model.nv:
        return
    inertia = model.dof_M0
    if model.nq > model.nv:  # some body floats
        body = model.dof_bodyid
        unturned = inertia > 0.99 * UNTURNED * UNTURNED * model.body_subtreemass[body]
        if unturned.any():
            unturned &= model.body_dofnum[body] == FREE_DOFS
            inertia = inertia[~unturned]
    model.stat.meaninertia = float(inertia.sum()) / len(inertia)
