# pyright: basic, reportInvalidTypeForm=false
"""Joints held at their largest speed in the solver, on a Warp device: see ``speed_limits``.

Worlds are solved again in a loop that a CUDA graph can hold: it ends as soon as no world has a
joint that is too fast.
"""

from __future__ import annotations

import functools
from typing import Any

import warp as wp

from unibody.core.engine.records import rule_table as t
from unibody.core.engine.rules import warp_kernels as k
from unibody.core.engine.rules.speed_limits import MOST_SOLVES, TOO_FAR, TOO_FAST
from unibody.core.engine.rules.warp_callbacks import rows_of
from unibody.core.engine.rules.warp_rotation_vectors import (
    HELD,
    hold,
    largest_speed,
    least_speed,
    pressed_side,
)
from unibody.core.engine.worlds.warp_solve_again import SolveAgain

B_SPEED_LIMIT: int = wp.constant(t.B_SPEED_LIMIT)
MARGIN: float = wp.constant(TOO_FAST)
FAR: float = wp.constant(TOO_FAR)
SOLVES: int = wp.constant(MOST_SOLVES)


@wp.struct
class Search:
    """Who is solved again.

    ``sides`` says whether drives hold their joints at the largest (1) or the least (-1) speed, 0
    where they do not; ``speeds`` are these speeds; ``again`` says which worlds had a change since
    the last solve, ``any`` whether one had, ``looks`` how often was looked in this step.
    """

    sides: wp.array2d(dtype=float)  # (N, drives)
    speeds: wp.array2d(dtype=float)  # (N, drives) [rad/s, m/s]
    again: wp.array(dtype=int)  # (N,)
    any: wp.array(dtype=int)  # (1,)
    looks: wp.array(dtype=int)  # (1,)


@wp.func
def _own_force(rule: wp.array(dtype=float), base: int, position: float, speed: float, dt: float):
    """What a drive itself exerts where its joint has a speed at the end of the step."""
    mode = int(rule[base + k.D_MODE])
    if mode != k.PD and mode != k.ACCELERATION:  # noqa: PLR1714 - Warp has no "in"
        return float(0.0)  # noqa: UP018 - a number of Warp's
    error = rule[base + k.D_POSITION] - position - dt * speed
    damping = k.pd_gain(rule, base, k.D_KD)
    force = k.pd_gain(rule, base, k.D_KP) * error + damping * (rule[base + k.D_VELOCITY] - speed)
    return wp.clamp(force, -rule[base + k.D_LIMIT], rule[base + k.D_LIMIT])


@wp.func
def _drive_of(joints: k.Joints, rows: k.Rows, w: int, row: int) -> int:
    """The drive that a row is of; -1: of none."""
    number = rows.id[w, row]
    if rows.type[w, row] == k.OF_TENDON and number < joints.drives:
        return number
    if rows.type[w, row] == k.OF_DOF:
        joint = joints.joint_of_dof[number]
        if joints.vector_drive[joint] >= 0:
            return joints.vector_drive[joint] + number - joints.dof[joint]
    return -1


@wp.kernel(enable_backward=False)
def look(
    timestep: wp.array(dtype=float),
    user: wp.array3d(dtype=float),
    body: wp.array(dtype=int),
    erp: float,
    joints: k.Joints,
    joint_user: wp.array3d(dtype=float),
    tendon_invweight: wp.array2d(dtype=float),
    dof_invweight: wp.array2d(dtype=float),
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
    number = _drive_of(joints, rows, w, row)
    if number < 0:
        return
    joint = joints.tendon_joint[number]
    dof = joints.dof[joint]
    weight = tendon_invweight[w % tendon_invweight.shape[0], number]
    position = qpos[w, joints.qpos[joint]]
    axis = int(-1)  # noqa: RUF046, UP018 - a variable to Warp, not a constant
    if rows.type[w, row] == k.OF_DOF:
        axis = rows.id[w, row] - dof
        dof = rows.id[w, row]
        weight = dof_invweight[w % dof_invweight.shape[0], dof]
        position = k.rotation_vector(qpos, w, joints.qpos[joint])[axis]
    limit = user[w % user.shape[0], body[dof], B_SPEED_LIMIT]
    if limit <= 0.0:
        return
    dt = timestep[w % timestep.shape[0]]
    base = number * k.SIZE
    least = -limit
    largest = float(limit)
    spare = MARGIN * limit
    if axis >= 0:
        bounds = joint_user[w % joint_user.shape[0]]
        least = wp.max(least, least_speed(bounds, joint, axis, position, erp, dt))
        largest = wp.min(largest, largest_speed(bounds, joint, axis, position, erp, dt))
        spare = wp.min(spare, FAR / dt)
        if search.looks[0] == 1:
            side = pressed_side(bounds, joint, axis, position, userdata[w], base)
            search.sides[w, number] = side
            search.speeds[w, number] = wp.where(side > 0.0, largest, least)
    held = search.speeds[w, number]
    speed = qvel[w, dof] + dt * qacc[w, dof]
    if search.sides[w, number] != 0.0:
        own = _own_force(userdata[w], base, position, held, dt)
        if (force[w, row] - own) * search.sides[w, number] <= 0.0:
            return
        search.sides[w, number] = 0.0
        k._drive(rows, w, row, userdata[w], base, position, weight, dt)
    else:
        if speed <= largest + spare and speed >= least - spare:
            return
        search.sides[w, number] = wp.where(speed > largest, 1.0, -1.0)
        wanted = wp.where(speed > largest, largest, least)
        search.speeds[w, number] = wanted
        hold(rows, w, row, wanted, HELD * weight, dt)
    search.again[w] = 1
    search.any[0] = 1


@wp.kernel(enable_backward=False)
def count_look(search: Search):
    """Count the looks of this step."""
    search.looks[0] = search.looks[0] + 1


class HeldSpeeds:
    """Solves worlds again whose joints are too fast; call it after the solver."""

    def __init__(self, m: Any, d: Any, rules: Any, again: SolveAgain) -> None:
        self._m, self._d, self._rules, self._again = m, d, rules, again
        self._search = Search()
        drives = (d.nworld, rules.joints.drives)
        self._search.sides = wp.zeros(drives, dtype=float)
        self._search.speeds = wp.zeros(drives, dtype=float)
        self._search.again, self._search.any = again.again, again.any
        self._search.looks = wp.zeros(1, dtype=int)

    def __call__(self, user: Any) -> None:
        """Hold what is too fast in all worlds; ``user``: numbers of bodies, by world."""
        erp = k.limit_erp(self._rules.params)
        self._search.sides.zero_()
        self._search.looks.fill_(1)
        self._look(user, erp)
        self._again.while_any(functools.partial(self._look_again, user, erp))

    def _look_again(self, user: Any, erp: float) -> None:
        wp.launch(count_look, dim=1, inputs=[self._search])
        self._look(user, erp)

    def _look(self, user: Any, erp: float) -> None:
        m, d = self._m, self._d
        moving = [d.qpos, d.qvel, d.qacc, d.userdata, d.efc.force]
        wp.launch(
            look,
            dim=(d.nworld, d.njmax),
            inputs=[
                m.opt.timestep,
                user,
                m.dof_bodyid,
                erp,
                self._rules.joints,
                self._rules.joint_user,
                m.tendon_invweight0,
                m.dof_invweight0,
                *moving,
                rows_of(d),
                self._search,
            ],
        )

    def memory(self) -> int:
        """Bytes held."""
        found = self._search.sides, self._search.speeds, self._search.looks
        return sum(array.capacity for array in found)
