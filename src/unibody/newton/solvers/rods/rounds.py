"""Which models' bodies are moved by tiles, and their steps."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from unibody.newton.enums import MAXVAL, JointType
from unibody.newton.model import Model
from unibody.newton.solvers import host_steps
from unibody.newton.solvers.rods.packing import Tiles, pack
from unibody.newton.solvers.rods.rows import LOCKED, NOTHING, POINT, ROD, Joints, Law
from unibody.newton.solvers.rods.sweep import Bodies, Room, move, room

_KINDS = {
    JointType.FREE: NOTHING,
    JointType.CABLE: LOCKED,
    JointType.FIXED: LOCKED,
    JointType.BALL: POINT,
    JointType.ROD: ROD,
}
_OF_JOINTS = (
    *("enabled", "parent", "child", "X_p", "X_c", "rest", "start", "stiffness", "most"),
    *("damping", "hard", "metric", "hold", "hold_turn", "gap_before", "bend_before"),
)


def rounds_of(model: Model, joints: Any, begins: Any, numbers: Any) -> RodRounds | None:
    """What moves a model's bodies tile by tile; None: it has joints with free axes, or none.

    Args:
        model: The model.
        joints: The struct of its joints that kernels read.
        begins: Where each body's joints begin in `numbers`.
        numbers: Joints of all bodies, one body after another.
    """
    if not model.joint_count or model.device.is_cuda:
        return None
    kinds = model.joint_type.numpy()
    if not np.isin(kinds, [int(kind) for kind in _KINDS]).all() or _has_limits(model, kinds):
        return None
    groups = [group.numpy() for group in model.body_color_groups]
    tiles = pack(
        groups, begins.numpy(), numbers.numpy(), joints.parent.numpy(), joints.child.numpy()
    )
    if not len(tiles.joints):
        return None
    codes = np.array([_KINDS[JointType(int(kind))] for kind in kinds], np.int64)
    return RodRounds(tiles, codes, joints, room(tiles, model.body_count, model.joint_count))


def _has_limits(model: Model, kinds: Any) -> bool:
    """Whether an axis of a rod has limits: these rounds have none."""
    rods = np.flatnonzero(kinds == JointType.ROD)
    if not len(rods):
        return False
    axes = model.joint_qd_start.numpy()[rods][:, None] + np.arange(6)
    lower, upper = model.joint_limit_lower.numpy()[axes], model.joint_limit_upper.numpy()[axes]
    return bool((lower > -MAXVAL).any() or (upper < MAXVAL).any())


class RodRounds:
    """The rounds of a model's steps.

    Args:
        tiles: Which lane moves which body.
        kinds: Of joints.
        joints: The struct of joints that kernels read.
        space: Room for a step.
    """

    def __init__(self, tiles: Tiles, kinds: Any, joints: Any, space: Room) -> None:
        self._tiles, self._room, self._kinds = tiles, space, kinds
        self._joints = joints

    def run(self, owner: Any, bodies: Any, axes: Any, law: Law, iterations: int) -> None:
        """Move bodies by the rounds of a step.

        Args:
            owner: The solver whose step it is.
            bodies: The struct of bodies that kernels read.
            axes: That of degrees of freedom.
            law: How rows hold.
            iterations: Rounds.
        """
        own = [getattr(self._joints, name).numpy() for name in _OF_JOINTS]
        of_axes = (axes.ke, axes.kd, axes.metric, axes.drive_hold)
        joints = Joints(self._kinds, *own, *(array.numpy() for array in of_axes))
        moved = Bodies(
            *(bodies.q.numpy(), bodies.free.numpy(), bodies.com.numpy()),
            *(bodies.mass.numpy(), bodies.inv_mass.numpy(), bodies.inertia.numpy()),
        )
        work = partial(move, self._tiles, moved, joints, law, iterations, self._room)
        host_steps.run(owner, work)
