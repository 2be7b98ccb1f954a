# pyright: basic, reportInvalidTypeForm=false
"""Corrections of positions on a Warp device: see ``rules.position_corrections``."""

from __future__ import annotations

from typing import Any

import mujoco
import numpy as np
import warp as wp

from unibody.core.engine.records import rule_table as t
from unibody.core.engine.rules import position_corrections
from unibody.core.engine.rules import warp_contacts as c
from unibody.core.engine.rules import warp_kernels as k
from unibody.core.engine.rules.warp_callbacks import WarpRules, rows_of
from unibody.core.engine.worlds.warp_displacement_kernels import Displacements
from unibody.core.engine.worlds.warp_solve_again import SolveAgain

WEDGED: float = wp.constant(position_corrections.WEDGED)
MISSED: float = wp.constant(position_corrections.MISSED)
FREE: int = wp.constant(int(mujoco.mjtJoint.mjJNT_FREE))
BALL: int = wp.constant(int(mujoco.mjtJoint.mjJNT_BALL))


@wp.struct
class Corrected:
    """What is asked for positions, and who is solved again because of it."""

    timestep: wp.array(dtype=float)
    contact_erp: float
    parting_speed: float
    slop: float
    again: wp.array(dtype=int)  # (N,), see ``SolveAgain``
    any: wp.array(dtype=int)
    wedged: wp.array(dtype=int)  # (N,): contacts are against one another
    pressed: wp.array(dtype=float)  # (contacts,): with what force [N]


@wp.func
def _turned(q: wp.quat, x: float, y: float, z: float) -> wp.quat:
    """A rotation, in MuJoCo's order of numbers, after a turn about the body's own axes."""
    angle = wp.sqrt(x * x + y * y + z * z)
    share = wp.where(angle > 0.0, wp.sin(0.5 * angle) / wp.max(angle, 1.0e-20), 0.5)
    a, b, e, f = wp.cos(0.5 * angle), share * x, share * y, share * z
    return wp.normalize(
        wp.quat(
            q[0] * a - q[1] * b - q[2] * e - q[3] * f,
            q[0] * b + q[1] * a + q[2] * f - q[3] * e,
            q[0] * e - q[1] * f + q[2] * a + q[3] * b,
            q[0] * f + q[1] * e - q[2] * b + q[3] * a,
        )
    )


@wp.kernel(enable_backward=False)
def move(
    s: Corrected,
    kind: wp.array(dtype=int),
    places: wp.array(dtype=int),
    dofs: wp.array(dtype=int),
    moved: wp.array2d(dtype=float),
    qpos: wp.array2d(dtype=float),
):
    """Move a joint by the accelerations of the displacements in a step."""
    w, joint = wp.tid()
    dt = s.timestep[w % s.timestep.shape[0]]
    square = dt * dt
    q = int(places[joint])
    v = int(dofs[joint])
    if kind[joint] == FREE or kind[joint] == BALL:
        first = int(0)  # noqa: RUF046, UP018 - a variable to Warp, not a constant
        if kind[joint] == FREE:
            for i in range(3):
                qpos[w, q + i] = qpos[w, q + i] + square * moved[w, v + i]
            first = 3
        v = v + first
        q = q + first
        x = square * moved[w, v]
        y = square * moved[w, v + 1]
        z = square * moved[w, v + 2]
        if x != 0.0 or y != 0.0 or z != 0.0:
            old = wp.quat(qpos[w, q], qpos[w, q + 1], qpos[w, q + 2], qpos[w, q + 3])
            new = _turned(old, x, y, z)
            for i in range(4):
                qpos[w, q + i] = new[i]
    else:
        qpos[w, q] = qpos[w, q] + square * moved[w, v]


@wp.func
def _correction(s: Corrected, rows: k.Rows, w: int, row: int, dist: float, dt: float) -> float:
    """The speed that is asked of a contact for its depth [m/s]."""
    if rows.D[w, row] <= c.NO_FORCE:
        return 0.0
    speed = wp.min(s.parting_speed, k.unilateral(dist + s.slop, s.contact_erp, dt))
    return wp.max(0.0, speed)


@wp.kernel(enable_backward=False)
def find_wedged(s: Corrected, contacts: c.Contacts, rows: k.Rows, force: wp.array2d(dtype=float)):
    """Find worlds with a contact that misses its target, and note what contacts press with."""
    i = wp.tid()
    if i >= wp.min(contacts.count[0], contacts.world.shape[0]):
        return
    s.pressed[i] = 0.0
    row = contacts.row[i, 0]
    if row < 0:
        return
    w = contacts.world[i]
    dt = s.timestep[w % s.timestep.shape[0]]
    speed = _correction(s, rows, w, row, contacts.dist[i], dt)
    if speed <= WEDGED:
        return
    s.pressed[i] = force[w, row]
    if force[w, row] * dt > MISSED * speed * contacts.stretch[i] * rows.D[w, row]:
        s.wedged[w] = 1
        s.again[w] = 1
        s.any[0] = 1


@wp.kernel(enable_backward=False)
def drop_depths(s: Corrected, contacts: c.Contacts, rows: k.Rows):
    """Ask contacts of worlds where some are wedged not to sink in further, and no more."""
    i = wp.tid()
    if i >= wp.min(contacts.count[0], contacts.world.shape[0]) or contacts.row[i, 0] < 0:
        return
    w, row = contacts.world[i], contacts.row[i, 0]
    if s.wedged[w] == 1:
        dt = s.timestep[w % s.timestep.shape[0]]
        speed = _correction(s, rows, w, row, contacts.dist[i], dt)
        rows.aref[w, row] = rows.aref[w, row] - contacts.stretch[i] * speed / dt


@wp.kernel(enable_backward=False)
def loosen(s: Corrected, contacts: c.Contacts, rows: k.Rows, force: wp.array2d(dtype=float)):
    """Give contacts the friction of the loads they carry, and ask for their depths again."""
    i = wp.tid()
    if i >= wp.min(contacts.count[0], contacts.world.shape[0]) or contacts.row[i, 0] < 0:
        return
    w, row = contacts.world[i], contacts.row[i, 0]
    if s.wedged[w] == 0:
        return
    dt = s.timestep[w % s.timestep.shape[0]]
    speed = _correction(s, rows, w, row, contacts.dist[i], dt)
    by = contacts.stretch[i]
    if s.pressed[i] > 0.0 and contacts.dim[i] > 1 and force[w, row] < s.pressed[i]:
        friction = contacts.friction[i]
        kept = wp.max(force[w, row] / s.pressed[i], c.MIN_MU / friction[0])
        # what the target was lowered by for slipping, which nobody has noted
        foreseen = wp.max(0.0, -rows.vel[w, row] - dt * rows.aref[w, row] / by)
        rows.aref[w, row] = rows.aref[w, row] + (1.0 - kept) * by * foreseen / dt
        contacts.friction[i] = kept * friction
    rows.aref[w, row] = rows.aref[w, row] + by * speed / dt
    s.again[w] = 1
    s.any[0] = 1


class Corrections:
    """The corrections of one model; they are made between the solver and the integration."""

    def __init__(self, model: Any, d: Any, again: SolveAgain) -> None:
        self._again = again
        self._kind = wp.array(model.jnt_type.astype(np.int32), dtype=int)
        self._displacements = Displacements(model, d)
        p = model.numeric_data
        self._state = s = Corrected()
        s.contact_erp = float(p[t.N_CONTACT_ERP])
        s.parting_speed, s.slop = float(p[t.N_PARTING_SPEED]), float(p[t.N_SLOP])
        s.again, s.any = again.again, again.any
        s.wedged = wp.zeros(d.nworld, dtype=int)
        s.pressed = wp.zeros(max(1, d.naconmax), dtype=float)

    def correct_limits(self, m: Any, d: Any, rules: WarpRules) -> None:
        """Move joints back to their limits; they keep no speed of that."""
        self._state.timestep = m.opt.timestep
        self._displacements(m, d, rules)
        joints = [self._kind, rules.joints.qpos, rules.joints.dof]
        inputs = [self._state, *joints, self._displacements.moved, d.qpos]
        wp.launch(move, dim=(d.nworld, len(self._kind)), inputs=inputs)

    def loosen_wedged(self, m: Any, d: Any, rules: WarpRules) -> None:
        """Give contacts that are against one another the friction of the loads they carry."""
        self._state.timestep = m.opt.timestep
        s, contacts, rows = self._state, rules.contacts(d), rows_of(d)
        s.wedged.zero_()
        wp.launch(find_wedged, dim=d.naconmax, inputs=[s, contacts, rows, d.efc.force])
        wp.launch(drop_depths, dim=d.naconmax, inputs=[s, contacts, rows])
        self._again.while_any()
        wp.launch(loosen, dim=d.naconmax, inputs=[s, contacts, rows, d.efc.force])
        self._again.while_any()

    def memory(self) -> int:
        """Bytes held."""
        own = self._state.wedged.capacity + self._state.pressed.capacity
        return own + self._displacements.memory()
