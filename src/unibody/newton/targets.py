"""Targets of joints: one a degree of freedom, or one a coordinate, as in 1.x.

Free and ball joints have more coordinates than degrees of freedom: their rotation is a quaternion.
Arrays by coordinate are made when a script asks for them, and are what counts from then on.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import warp as wp

from unibody.newton.enums import JointType

_WITH_ROTATION = (JointType.FREE, JointType.DISTANCE, JointType.BALL)


class Targets(NamedTuple):
    """Targets of positions as kernels read them.

    Attributes:
        values: By degree of freedom, or by coordinate.
        at: Degree of freedom -> place in `values`. Below zero: component ``k`` of the rotation
            vector of the quaternion that begins at ``c``, as ``-1 - (4 * c + k)``.
    """

    values: wp.array[Any]
    at: wp.array[Any]


def targets_of(model: Any, control: Any) -> Targets:
    """The targets that a control states, else those of the model."""
    for holder in (control, model):
        values = vars(holder).get("_joint_target_q")
        if values is not None:
            return Targets(values, model._coordinate_of_dof)
        values = vars(holder).get("joint_target_pos")
        if values is not None:
            return Targets(values, model._dof_of_dof)
    empty = wp.empty(0, dtype=wp.float32, device=model.device)
    return Targets(empty, model._dof_of_dof)


def coordinate_of_dof(kinds: Any, q_start: Any, qd_start: Any) -> np.ndarray:
    """Degree of freedom -> its coordinate, or a component of a rotation; see `Targets.at`."""
    joints = len(kinds)
    q, begins = np.array(q_start[:joints], np.int32), np.array(qd_start[:joints], np.int32)
    ends = np.array(qd_start[1 : joints + 1], np.int32)
    counts = ends - begins
    places = np.repeat(q - begins, counts) + np.arange(int(qd_start[-1]), dtype=np.int32)
    turns = np.isin(np.array(kinds, np.int32), [int(kind) for kind in _WITH_ROTATION])
    three = np.arange(3, dtype=np.int32)
    rotations = (q + counts - 3)[turns][:, None]
    places[(ends[turns] - 3)[:, None] + three] = -1 - (4 * rotations + three)
    return places.astype(np.int32)


def by_coordinate(model: Any, targets: wp.array[Any]) -> wp.array[Any]:
    """Targets by degree of freedom as targets by coordinate; angles become a quaternion."""
    rows = targets.numpy()
    found = np.zeros(model.joint_coord_count, np.float32)
    for dof, place in enumerate(model._coordinate_of_dof.numpy().tolist()):
        if place >= 0:
            found[place] = rows[dof]
            continue
        start, component = divmod(-1 - place, 4)
        if component == 0:
            angles = wp.vec3(*rows[dof : dof + 3].tolist())
            found[start : start + 4] = list(wp.quat_from_euler(angles, 2, 1, 0))
    return wp.array(
        found, dtype=wp.float32, device=model.device, requires_grad=targets.requires_grad
    )
