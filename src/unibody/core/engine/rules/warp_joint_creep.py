# pyright: basic, reportInvalidTypeForm=false
"""How joints creep that friction holds, as Warp kernels: see ``joint_creep``."""

from __future__ import annotations

from typing import Any

import mujoco
import numpy as np
import warp as wp

from unibody.core.engine.records import rule_table as t
from unibody.core.engine.rules import joint_creep as rule
from unibody.core.engine.rules import warp_kernels as k

HOLDS: float = wp.constant(rule.HOLDS)
_SINGLE = (mujoco.mjtJoint.mjJNT_SLIDE, mujoco.mjtJoint.mjJNT_HINGE)


@wp.struct
class Held:
    """What friction holds in all worlds, and how PhysX's solver goes about it."""

    moves: int
    rounds: int
    timestep: wp.array(dtype=float)
    weight: wp.array2d(dtype=float)  # inverse mass of each degree of freedom
    body_user: wp.array3d(dtype=float)
    single: wp.array(dtype=int)  # whether it has a joint of its own
    speed: wp.array2d(dtype=float)  # (N, nv) at which it creeps, written by ``loads``


@wp.func
def creeping(speed: float, lost: float, moves: int, rounds: int, limit: float):
    """The mean velocity in a step of a joint that friction stops in its rounds, else 0."""
    left = wp.abs(speed)
    share = wp.min(1.0, 2.0 / wp.sqrt(float(moves)))
    if left >= float(rounds) * lost:
        return 0.0
    total = float(0.0)  # noqa: UP018 - a variable to Warp, not a constant
    for _ in range(moves):
        left = wp.max(left - lost, 0.0)
        if limit > 0.0:
            left -= share * wp.max(left - limit, 0.0)
        total += left
    return wp.sign(speed) * total / float(moves)


@wp.kernel(enable_backward=False)
def creep(
    held: Held,
    joints: k.Joints,
    rows: k.Rows,
    force: wp.array2d(dtype=float),
    all_forces: wp.array2d(dtype=float),
    qpos: wp.array2d(dtype=float),
):
    """Move joints that friction holds."""
    w, row = wp.tid()
    if row >= wp.min(rows.nefc[w], rows.type.shape[1]) or rows.type[w, row] != k.OF_DOF:
        return
    dof = rows.id[w, row]
    speed = held.speed[w, dof]
    held.speed[w, dof] = 0.0
    if speed == 0.0 or held.single[dof] == 0:
        return
    if wp.abs(force[w, row]) < HOLDS * rows.frictionloss[w, row]:
        dt = held.timestep[w % held.timestep.shape[0]]
        against = wp.sign(speed) * (force[w, row] - all_forces[w, dof])
        lost = wp.max(against, 0.0) * dt * held.weight[w % held.weight.shape[0], dof]
        left = wp.sign(speed) * wp.max(wp.abs(speed) - lost, 0.0)
        place = joints.qpos[joints.joint_of_dof[dof]]
        qpos[w, place] = qpos[w, place] + dt * left


class Creeping:
    """The creeping of one model; call it between the solver and the integration."""

    def __init__(self, model: Any, d: Any) -> None:
        self.moves: int = int(model.numeric_data[t.N_JOINT_MOVES])
        self._rounds = int(model.numeric_data[t.N_JOINT_ROUNDS])
        single = np.isin(model.jnt_type[model.dof_jntid], _SINGLE)
        self._single = wp.array(single.astype(np.int32), dtype=int)
        self._speed = wp.zeros((d.nworld, model.nv), dtype=float)

    def held(self, m: Any, body_user: Any) -> Any:
        """What the kernels take."""
        h = Held()
        h.moves, h.rounds = self.moves, self._rounds
        h.timestep, h.weight, h.body_user = m.opt.timestep, m.dof_invweight0, body_user
        h.single, h.speed = self._single, self._speed
        return h

    def __call__(self, m: Any, d: Any, joints: Any, rows: Any, body_user: Any) -> None:
        """Move the joints of all worlds."""
        wp.launch(
            creep,
            dim=(d.nworld, d.njmax),
            inputs=[self.held(m, body_user), joints, rows, d.efc.force, d.qfrc_constraint, d.qpos],
        )
