"""What constraints between links exerted in the last step."""

from __future__ import annotations

from typing import NamedTuple

import mujoco
import numpy as np
from numpy.typing import NDArray

from unibody.core.engine.constraint import ConstraintKind, ConstraintRecord
from unibody.core.engine.rows import table as t
from unibody.core.engine.rows.equalities import free_axis_frame
from unibody.core.engine.world import World

_Vector = NDArray[np.float64]
_ROWS = {
    ConstraintKind.POINT: 3,
    ConstraintKind.FIXED: 6,
    ConstraintKind.SLIDER: 6,
    ConstraintKind.GEAR: 1,
}


class ConstraintForces(NamedTuple):
    """On the parent, world frame. Of a gear, ``force[0]`` acts along the parent's joint."""

    force: _Vector  # (3,) [N]
    torque: _Vector  # (3,) [Nm]


def constraint_forces(world: World, record: ConstraintRecord, body: int) -> ConstraintForces:
    """The force and torque of a constraint in the last step; zero before one.

    Args:
        world: The running world.
        record: The constraint.
        body: MuJoCo's number of the parent's link.
    """
    count = _ROWS[record.kind]
    drives = int(world.model.numeric_data[t.N_DRIVES])
    base = drives * t.DRIVE_SIZE + record.index * t.EQUALITY_SIZE
    row = int(world.data.userdata[base + t.E_ROW])
    rows = np.asarray(world.constraint_forces())[row : row + count] if row >= 0 else np.zeros(0)
    force, torque = np.zeros(3), np.zeros(3)
    if len(rows) < count:
        return ConstraintForces(force, torque)
    world.kinematics()
    force[: min(count, 3)] = rows[:3]
    if record.kind is ConstraintKind.SLIDER:
        axis = world.data.xmat[body].reshape(3, 3) @ np.array(record.axis)
        force = np.array(free_axis_frame(*axis)).reshape(3, 3).T @ force
    if count > 3:
        torque = _weld_axes(world, record) @ rows[3:]
    return ConstraintForces(force, torque)


def _weld_axes(world: World, record: ConstraintRecord) -> NDArray[np.float64]:
    """The torque on the first body of a unit force of each of a weld's last three rows, columns.

    MuJoCo's error is the vector part of ``conj(q2) q1 relquat``.
    """
    model, data = world.model, world.data
    first, second = model.eq_obj1id[record.index], model.eq_obj2id[record.index]
    here, back = np.empty(4), np.empty(4)
    mujoco.mju_mulQuat(here, data.xquat[first], model.eq_data[record.index, 6:10])
    mujoco.mju_negQuat(back, data.xquat[second])
    axes = np.empty((3, 3))
    half, turned = np.empty(4), np.empty(4)
    for k in range(3):
        mujoco.mju_mulQuat(half, back, np.array([0.0, *np.eye(3)[k]]))
        mujoco.mju_mulQuat(turned, half, here)
        axes[k] = 0.5 * turned[1:]
    return axes
