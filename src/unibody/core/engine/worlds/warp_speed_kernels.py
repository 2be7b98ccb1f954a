# pyright: basic, reportInvalidTypeForm=false
"""Speed limits on a Warp device: the second execution of ``rules.speed_limits``."""

from __future__ import annotations

from typing import Any

import mujoco
import numpy as np
import warp as wp

from unibody.core.engine.records import rule_table as t
from unibody.core.engine.rules.speed_limits import BY_TORQUES
from unibody.core.engine.worlds.warp_held_speed_kernels import HeldSpeeds
from unibody.core.engine.worlds.warp_solve_again import SolveAgain

B_SPEED_LIMIT: int = wp.constant(t.B_SPEED_LIMIT)
B_TURN_LIMIT: int = wp.constant(t.B_TURN_LIMIT)
SWEEPS: int = wp.constant(10)
NEARLY: float = wp.constant(1e-4)  # of a limit: float32 comes no nearer in a few sweeps
BASE: int = wp.constant(1)  # of a kind: a coordinate of a free base
TURN: int = wp.constant(2)  # the first of its turning
TURNED: int = wp.constant(3)  # the others of that
_LINEAR = 3  # degrees of freedom of a free base before those of turning


@wp.struct
class Masses:
    """Mass matrices of all worlds: MuJoCo's sparse lower triangles, and room for their factors."""

    count: wp.array(dtype=int)
    start: wp.array(dtype=int)
    column: wp.array(dtype=int)
    inertia: wp.array2d(dtype=float)
    factor: wp.array2d(dtype=float)
    pushed: wp.array2d(dtype=float)


@wp.func
def begin_factor(m: Masses, w: int):
    """Have a mass matrix where its factor will be."""
    for k in range(m.inertia.shape[1]):
        m.factor[w, k] = m.inertia[w, k]


@wp.func
def factorise(m: Masses, w: int, size: int):
    """``L^T D L``, with the ancestors of a coordinate as the columns of its row."""
    for back in range(size):
        k = size - 1 - back
        last = m.start[k] + m.count[k] - 1
        for step in range(1, m.count[k]):
            place = last - step
            i = m.column[place]
            share = m.factor[w, place] / m.factor[w, last]
            for j in range(m.count[i]):
                own = m.start[i] + j
                m.factor[w, own] = m.factor[w, own] - share * m.factor[w, m.start[k] + j]
            m.factor[w, place] = share


@wp.func
def respond(m: Masses, w: int, size: int):
    """Turn the forces in ``pushed`` into accelerations."""
    for back in range(size):
        i = size - 1 - back
        for k in range(m.start[i], m.start[i] + m.count[i] - 1):
            m.pushed[w, m.column[k]] = m.pushed[w, m.column[k]] - m.factor[w, k] * m.pushed[w, i]
    for i in range(size):
        m.pushed[w, i] = m.pushed[w, i] / m.factor[w, m.start[i] + m.count[i] - 1]
    for i in range(size):
        for k in range(m.start[i], m.start[i] + m.count[i] - 1):
            m.pushed[w, i] = m.pushed[w, i] - m.factor[w, k] * m.pushed[w, m.column[k]]


@wp.kernel(enable_backward=False)
def brake(
    timestep: wp.array(dtype=float),
    user: wp.array3d(dtype=float),
    body: wp.array(dtype=int),
    kind: wp.array(dtype=int),
    m: Masses,
    qvel: wp.array2d(dtype=float),
    qacc: wp.array2d(dtype=float),
):
    """Slow down joints that are too fast by torques between their links, a thread a world."""
    w = wp.tid()
    dt = timestep[w % timestep.shape[0]]
    size = body.shape[0]
    known = int(0)  # noqa: RUF046, UP018 - a variable to Warp, not a constant
    sweep = int(0)  # noqa: RUF046, UP018 - a variable to Warp, not a constant
    while sweep < SWEEPS:  # a loop over a range would be written out
        sweep += 1
        slow = int(1)  # noqa: RUF046, UP018 - a variable to Warp, not a constant
        for dof in range(size):
            limit = user[w % user.shape[0], body[dof], B_SPEED_LIMIT]
            speed = qvel[w, dof] + dt * qacc[w, dof]
            if limit > 0.0 and kind[dof] == 0 and wp.abs(speed) > limit * (1.0 + NEARLY):
                slow = 0
                if known == 0:
                    begin_factor(m, w)
                    factorise(m, w, size)
                    known = 1
                for k in range(size):
                    m.pushed[w, k] = 0.0
                m.pushed[w, dof] = 1.0
                respond(m, w, size)
                share = (wp.sign(speed) * limit - speed) / (dt * m.pushed[w, dof])
                for k in range(size):
                    qacc[w, k] = qacc[w, k] + share * m.pushed[w, k]
        if slow == 1:
            break


@wp.kernel(enable_backward=False)
def bound(
    timestep: wp.array(dtype=float),
    user: wp.array3d(dtype=float),
    body: wp.array(dtype=int),
    kind: wp.array(dtype=int),
    pose: wp.array2d(dtype=wp.mat33),
    qvel: wp.array2d(dtype=float),
    qacc: wp.array2d(dtype=float),
):
    """Change accelerations that would bring a coordinate above the speed limit of its body."""
    w, dof = wp.tid()
    if kind[dof] == TURNED:
        return
    column = wp.where(kind[dof] == TURN, B_TURN_LIMIT, B_SPEED_LIMIT)
    limit = user[w % user.shape[0], body[dof], column]
    if limit > 0.0:
        dt = timestep[w % timestep.shape[0]]
        if kind[dof] == TURN:
            turn = pose[w, body[dof]]
            own = wp.vec3()
            for k in range(3):
                own[k] = qvel[w, dof + k] + dt * qacc[w, dof + k]
            about = turn * own
            over = wp.vec3()
            for k in range(3):
                over[k] = about[k] - wp.clamp(about[k], -limit, limit)
            back = wp.transpose(turn) * over
            for k in range(3):
                qacc[w, dof + k] = qacc[w, dof + k] - back[k] / dt
            return
        speed = qvel[w, dof] + dt * qacc[w, dof]
        if speed > limit:
            qacc[w, dof] = (limit - qvel[w, dof]) / dt
        elif speed < -limit:
            qacc[w, dof] = (-limit - qvel[w, dof]) / dt


class SpeedLimits:
    """The speed limits of one model; call it between the solver and the integration.

    Attributes:
        held: Drives that hold their joints; None where there are none.
    """

    def __init__(self, model: Any, m: Any, d: Any, rules: Any, again: SolveAgain | None) -> None:
        self._brakes = model.numeric_data[t.N_SPEED_LIMIT] == BY_TORQUES
        holds = self._brakes and bool(model.numeric_data[t.N_DRIVES])
        self.held: HeldSpeeds | None = (
            HeldSpeeds(m, d, rules, again) if holds and again is not None else None
        )
        self._kind = wp.array(_kinds(model), dtype=int)
        if self._brakes:
            self._factor = wp.zeros(d.M.shape, dtype=float)
            self._pushed = wp.zeros(d.qvel.shape, dtype=float)

    def hold(self, user: Any) -> None:
        """Have drives hold what is too fast, in the solver."""
        if self.held is not None:
            self.held(user)

    def __call__(self, m: Any, d: Any, user: Any) -> None:
        """Bound the accelerations of all worlds; ``user``: numbers of bodies, by world."""
        inputs = [m.opt.timestep, user, m.dof_bodyid, self._kind]
        if self._brakes:
            masses = Masses()
            masses.count, masses.start, masses.column = m.M_rownnz, m.M_rowadr, m.M_colind
            masses.inertia, masses.factor, masses.pushed = d.M, self._factor, self._pushed
            wp.launch(brake, dim=d.nworld, inputs=[*inputs, masses, d.qvel, d.qacc])
        wp.launch(bound, dim=d.qvel.shape, inputs=[*inputs, d.xmat, d.qvel, d.qacc])

    def memory(self) -> int:
        """Bytes held."""
        own = self._factor.capacity + self._pushed.capacity if self._brakes else 0
        return own + (self.held.memory() if self.held else 0)


def _kinds(model: Any) -> Any:
    """What each degree of freedom is: 0 of a joint, else of a free base, (nv,)."""
    free = model.jnt_type[model.dof_jntid] == int(mujoco.mjtJoint.mjJNT_FREE)
    number = np.arange(model.nv) - model.jnt_dofadr[model.dof_jntid]
    turns = free & (number >= _LINEAR)
    return (free.astype(np.int32) + turns + (turns & (number > _LINEAR))).astype(np.int32)
