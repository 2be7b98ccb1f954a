# pyright: basic, reportInvalidTypeForm=false
"""Joints held at their largest speed within the solver, on a Warp device: see ``rows.speeds``.

mujoco-warp solves all worlds at once. Here they are solved again in a loop that a CUDA graph can
hold: it ends as soon as no world has a joint that is too fast, and what goes well in the first
solve is not iterated again. Nothing may be allocated in such a loop, so that the solver's own
memory is taken once.
"""

from __future__ import annotations

from typing import Any

import warp as wp
from mujoco_warp._src import solver

from unibody.core.engine.rows import table as t
from unibody.core.engine.rows import warp_kernels as k
from unibody.core.engine.rows.speeds import MOST_SOLVES, TOO_FAST
from unibody.core.engine.rows.warp import rows_of

B_SPEED_LIMIT = wp.constant(t.B_SPEED_LIMIT)
HELD = wp.constant(
    1e-4
)  # R of a row that holds, relative to its inverse mass: float32 rounds forces
MARGIN = wp.constant(TOO_FAST)
SOLVES = wp.constant(MOST_SOLVES)
_INSIDE = ("_create_solver_context", "init_context", "_solver_iteration")


@wp.struct
class Search:
    """Who is solved again.

    ``speeds`` are what drives hold their joints at, 0 where they do not; ``again`` says which
    worlds had a change since the last solve, ``any`` whether one had, ``looks`` how often was
    looked in this step.
    """

    speeds: wp.array2d(dtype=float)  # (N, drives) [rad/s, m/s]
    again: wp.array(dtype=int)  # (N,)
    any: wp.array(dtype=int)  # (1,)
    looks: wp.array(dtype=int)  # (1,)


@wp.func
def _own_force(rule: wp.array(dtype=float), base: int, position: float, speed: float, dt: float):
    """What a drive itself exerts where its joint has a speed at the end of the step."""
    if int(rule[base + k.D_MODE]) != k.PD:
        return float(0.0)  # noqa: UP018 - a number of Warp's
    error = rule[base + k.D_POSITION] - position - dt * speed
    force = rule[base + k.D_KP] * error + rule[base + k.D_KD] * (rule[base + k.D_VELOCITY] - speed)
    return wp.clamp(force, -rule[base + k.D_LIMIT], rule[base + k.D_LIMIT])


@wp.kernel(enable_backward=False)
def look(
    timestep: wp.array(dtype=float),
    user: wp.array3d(dtype=float),
    body: wp.array(dtype=int),
    joints: k.Joints,
    tendon_invweight: wp.array2d(dtype=float),
    qpos: wp.array2d(dtype=float),
    qvel: wp.array2d(dtype=float),
    qacc: wp.array2d(dtype=float),
    userdata: wp.array2d(dtype=float),
    force: wp.array2d(dtype=float),
    rows: k.Rows,
    search: Search,
):
    """Have drives hold what is too fast, and let go what they would push."""
    w, row = wp.tid()
    if search.looks[0] > SOLVES or row >= wp.min(rows.nefc[w], rows.type.shape[1]):
        return
    number = rows.id[w, row]
    if rows.type[w, row] != k.OF_TENDON or number >= joints.drives:
        return
    joint = joints.tendon_joint[number]
    dof = joints.dof[joint]
    limit = user[w % user.shape[0], body[dof], B_SPEED_LIMIT]
    if limit <= 0.0:
        return
    dt = timestep[w % timestep.shape[0]]
    position = qpos[w, joints.qpos[joint]]
    weight = tendon_invweight[w % tendon_invweight.shape[0], number]
    base = number * k.SIZE
    held = search.speeds[w, number]
    speed = qvel[w, dof] + dt * qacc[w, dof]
    if held != 0.0:
        own = _own_force(userdata[w], base, position, held, dt)
        if (force[w, row] - own) * held <= 0.0:
            return
        search.speeds[w, number] = 0.0
        k._drive(rows, w, row, userdata[w], base, position, weight, dt)
    else:
        if wp.abs(speed) <= limit * (1.0 + MARGIN):
            return
        wanted = wp.sign(speed) * limit
        search.speeds[w, number] = wanted
        rows.aref[w, row] = (wanted - rows.vel[w, row]) / dt
        rows.D[w, row] = 1.0 / wp.max(HELD * weight, k.MIN_R)
        rows.frictionloss[w, row] = k.UNLIMITED
    search.again[w] = 1
    search.any[0] = 1


@wp.kernel(enable_backward=False)
def leave_out(search: Search, done: wp.array(dtype=bool), solving: wp.array(dtype=int)):
    """Count the worlds to be solved again, and have the others left as they are."""
    w = wp.tid()
    if search.again[w] == 0:
        done[w] = True
    else:
        wp.atomic_add(solving, 0, 1)
    search.again[w] = 0
    if w == 0:
        search.any[0] = 0
        search.looks[0] = search.looks[0] + 1


class HeldSpeeds:
    """Solves worlds again whose joints are too fast; call it after the solver."""

    def __init__(self, m: Any, d: Any, joints: Any) -> None:
        self._m, self._d, self._joints = m, d, joints
        self._context = solver._create_solver_context(m, d)
        self._solving = wp.zeros(1, dtype=int)
        self._search = Search()
        self._search.speeds = wp.zeros((d.nworld, joints.drives), dtype=float)
        self._search.again = wp.zeros(d.nworld, dtype=int)
        self._search.any = wp.zeros(1, dtype=int)
        self._search.looks = wp.zeros(1, dtype=int)

    def __call__(self, user: Any) -> None:
        """Hold what is too fast in all worlds; ``user``: numbers of bodies, by world."""
        self._search.speeds.zero_()
        self._search.looks.fill_(1)
        self._look(user)
        wp.capture_while(self._search.any, while_body=self._solve, user=user)

    def _look(self, user: Any) -> None:
        m, d = self._m, self._d
        moving = [d.qpos, d.qvel, d.qacc, d.userdata, d.efc.force]
        wp.launch(
            look,
            dim=(d.nworld, d.njmax),
            inputs=[
                m.opt.timestep,
                user,
                m.dof_bodyid,
                self._joints,
                m.tendon_invweight0,
                *moving,
                rows_of(d),
                self._search,
            ],
        )

    def _solve(self, user: Any) -> None:
        """Solve again from the solution where something has changed, and look again."""
        m, d, context = self._m, self._d, self._context
        solver.init_context(m, d, context)
        self._solving.zero_()
        inputs = [self._search, context.done, self._solving]
        wp.launch(leave_out, dim=d.nworld, inputs=inputs)
        wp.capture_while(
            self._solving,
            while_body=solver._solver_iteration,
            m=m,
            d=d,
            ctx=context,
            nsolving=self._solving,
        )
        self._look(user)

    def memory(self) -> int:
        """Bytes held."""
        owners = (self._context, self._search)
        arrays = [value for owner in owners for value in vars(owner).values()]
        return sum(array.capacity for array in arrays if isinstance(array, wp.array))


def can_hold(model: Any, d: Any) -> bool:
    """Whether joints of a model can be held, and mujoco-warp has the inside that it takes."""
    drives = bool(model.numeric_data[t.N_DRIVES]) and d.njmax > 0
    return drives and all(hasattr(solver, name) for name in _INSIDE)
