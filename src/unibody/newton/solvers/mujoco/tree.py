"""Which joints carry their bodies in MuJoCo's tree; all others close loops."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unibody.newton import exceptions
from unibody.newton.enums import JointType

_BY_NAME = 5  # joints that a warning names


def carrying_joints(model: Any) -> NDArray[np.bool_]:
    """Joints that carry their child, (joints,).

    They are those of articulations, and those between the world and a body that no articulation
    carries.
    """
    child, parent = model.joint_child.numpy(), model.joint_parent.numpy()
    found = model.joint_articulation.numpy() >= 0
    carried = np.zeros(max(model.body_count, 1), bool)
    carried[child[found]] = True
    for joint in np.flatnonzero(~found & (parent < 0)):
        found[joint] = not carried[child[joint]]
        carried[child[joint]] = True
    return found


def warn_of_standalone_roots(model: Any) -> None:
    """Tell of joints to the world that are part of no articulation."""
    alone = carrying_joints(model) & (model.joint_articulation.numpy() < 0)
    if alone.any():
        labels = [str(model.joint_key[joint]) for joint in np.flatnonzero(alone)]
        named = ", ".join(labels[:_BY_NAME]) + (", ..." if len(labels) > _BY_NAME else "")
        warnings.warn(
            f"{len(labels)} joints outside articulations are taken as standalone world roots"
            f" ({named}): add_articulation() makes articulations of them",
            UserWarning,
            stacklevel=4,
        )


def warn_of_free_joints(model: Any) -> None:
    """Tell of free joints between two bodies, which MuJoCo does not have."""
    free = (model.joint_type.numpy() == JointType.FREE) & (model.joint_parent.numpy() >= 0)
    if free.any():
        labels = [str(model.joint_key[joint]) for joint in np.flatnonzero(free)]
        named = ", ".join(labels[:_BY_NAME]) + (", ..." if len(labels) > _BY_NAME else "")
        exceptions.warn(f"SolverMuJoCo: free joints are between the world and a body, not: {named}")
