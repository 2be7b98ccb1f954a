# pyright: basic, reportInvalidTypeForm=false
"""Displacements on a Warp device: the second execution of ``rules.displacements``.

One thread a world does it all, in the memory that is here: it ends at once where no joint is
outside its limits.
"""

from __future__ import annotations

from typing import Any

import mujoco
import numpy as np
import warp as wp

from unibody.core.engine.records import rule_table as t
from unibody.core.engine.rules import displacements, position_corrections
from unibody.core.engine.rules import warp_contacts as c
from unibody.core.engine.rules import warp_kernels as k
from unibody.core.engine.rules.warp_callbacks import WarpRules, rows_of
from unibody.core.engine.rules.warp_rotation_vectors import J_LOWER, J_UPPER
from unibody.core.engine.worlds.warp_speed_kernels import (
    Masses,
    begin_factor,
    factorise,
    respond,
)

SLOW: float = wp.constant(position_corrections.SLOW)
ROUNDS: int = wp.constant(position_corrections.ROUNDS)
SWEEPS: int = wp.constant(displacements.SWEEPS)
SINGLE: int = wp.constant(
    int(mujoco.mjtJoint.mjJNT_SLIDE)
)  # one degree of freedom from this kind on
LIGHTEST: float = wp.constant(1e-12)  # 1/kg: what a row of this response acts on does not move


@wp.struct
class Outside:
    """Joints outside of their limits, and the rows that act on them."""

    timestep: wp.array(dtype=float)
    erp: float
    kind: wp.array(dtype=int)  # (njnt,)
    user: wp.array3d(dtype=float)  # (N or 1, njnt, JOINT_USER_SIZE)
    weight: wp.array2d(dtype=float)  # (N or 1, nv) inverse masses
    qpos: wp.array2d(dtype=float)
    qvel: wp.array2d(dtype=float)
    qacc: wp.array2d(dtype=float)
    force: wp.array2d(dtype=float)  # (N, njmax)
    joints: k.Joints


@wp.struct
class Room:
    """Memory of the displacements of all worlds; rows of several joints are in the order found."""

    stiffness: wp.array2d(dtype=float)  # (N, nv)
    loose: wp.array2d(dtype=int)  # (N, njmax): rows that are let go
    chosen: wp.array2d(dtype=int)  # (N, njmax): rows of several joints
    part: wp.array2d(dtype=int)  # (N, njmax): which of their contact, -1: of an equality
    more: wp.array2d(dtype=float)  # (N, njmax): their force, besides that of the step
    heft: wp.array2d(dtype=float)  # (N, njmax): acceleration by a unit of it
    response: wp.array3d(dtype=float)  # (N, njmax, nv)


@wp.func
def _dof_of(o: Outside, rows: k.Rows, w: int, row: int) -> int:
    """The degree of freedom of a row of a single one, else -1."""
    kind = rows.type[w, row]
    number = rows.id[w, row]
    if kind == k.OF_DOF:
        return number
    if kind == k.OF_TENDON and number < o.joints.drives:
        return o.joints.dof[o.joints.tendon_joint[number]]
    if kind == k.OF_LIMIT:  # noqa: SIM102 - Warp works out all of a condition, wherever it reads
        if o.kind[number] >= SINGLE:
            return o.joints.dof[number]
    return -1


@wp.func
def _side(j: c.Jacobian, w: int, row: int, dof: int) -> float:
    """The direction of a row of a limit: 1 at the lower one, -1 at the upper one."""
    if j.sparse == 1:
        return j.values[w, 0, j.start[w, row]]
    return j.values[w, row, dof]


@wp.func
def _asked(o: Outside, rows: k.Rows, j: c.Jacobian, w: int, row: int, dof: int, dt: float) -> float:
    """The speed at which a row's degree of freedom comes back, beyond the one that it has."""
    own = o.qvel[w, dof] + dt * o.qacc[w, dof]
    if rows.type[w, row] == k.OF_LIMIT:
        back = -o.erp * rows.pos[w, row] / dt
        if back <= SLOW:
            return 0.0
        side = _side(j, w, row, dof)
        return side * wp.max(0.0, back - wp.max(0.0, side * own))
    if rows.type[w, row] == k.OF_DOF:
        joint = o.joints.joint_of_dof[dof]
        if o.joints.vector_drive[joint] >= 0:
            axis = dof - o.joints.dof[joint]
            bounds = o.user[w % o.user.shape[0]]
            position = k.rotation_vector(o.qpos, w, o.joints.qpos[joint])[axis]
            inside = wp.clamp(
                position, bounds[joint, J_LOWER + axis], bounds[joint, J_UPPER + axis]
            )
            back = o.erp * (inside - position) / dt
            if back > 0.0:
                return wp.max(0.0, back - wp.max(0.0, own))
            return wp.min(0.0, back - wp.min(0.0, own))
    return 0.0


@wp.func
def _holds(rows: k.Rows, w: int, row: int, force: float) -> bool:
    """Whether a row can have a force."""
    if rows.type[w, row] == k.OF_LIMIT:
        return force > 0.0
    return wp.abs(force) < rows.frictionloss[w, row]


@wp.func
def _push(
    o: Outside, rows: k.Rows, j: c.Jacobian, room: Room, moved: wp.array2d(dtype=float), w: int
):
    """Have what is outside push, and other rows of single joints hold."""
    dt = o.timestep[w % o.timestep.shape[0]]
    for i in range(moved.shape[1]):
        room.stiffness[w, i] = 0.0
        moved[w, i] = 0.0
    for row in range(wp.min(rows.nefc[w], rows.type.shape[1])):
        dof = _dof_of(o, rows, w, row)
        if dof >= 0 and room.loose[w, row] == 0:
            asked = _asked(o, rows, j, w, row, dof, dt)
            if asked != 0.0:
                hard = 1.0 / wp.max(k.HARD * o.weight[w % o.weight.shape[0], dof], k.MIN_R)
                moved[w, dof] = moved[w, dof] + hard * asked / dt
                room.stiffness[w, dof] = room.stiffness[w, dof] + hard
            elif _holds(rows, w, row, o.force[w, row]):
                room.stiffness[w, dof] = room.stiffness[w, dof] + rows.D[w, row]


@wp.func
def _let_go(
    o: Outside, rows: k.Rows, j: c.Jacobian, room: Room, moved: wp.array2d(dtype=float), w: int
) -> int:
    """Mark rows that would have to pull, or to exert more than they can; 1: there were some."""
    dt = o.timestep[w % o.timestep.shape[0]]
    changed = int(0)  # noqa: RUF046, UP018 - a variable to Warp, not a constant
    for row in range(wp.min(rows.nefc[w], rows.type.shape[1])):
        dof = _dof_of(o, rows, w, row)
        if dof >= 0 and room.loose[w, row] == 0:
            asked = _asked(o, rows, j, w, row, dof, dt)
            goes = False
            if asked != 0.0:
                goes = (asked / dt - moved[w, dof]) * asked < 0.0
            elif _holds(rows, w, row, o.force[w, row]):
                way = float(1.0)  # noqa: UP018 - a variable to Warp, not a constant
                if rows.type[w, row] == k.OF_LIMIT:
                    way = _side(j, w, row, dof)
                force = o.force[w, row] - rows.D[w, row] * way * moved[w, dof]
                goes = not _holds(rows, w, row, force)
            if goes:
                room.loose[w, row] = 1
                changed = 1
    return changed


@wp.func
def _choose(o: Outside, rows: k.Rows, contacts: c.Contacts, room: Room, w: int) -> int:
    """List rows of several joints that resist: of equalities, and of contacts with a force."""
    found = int(0)  # noqa: RUF046, UP018 - a variable to Warp, not a constant
    for row in range(wp.min(rows.nefc[w], rows.type.shape[1])):
        if rows.type[w, row] == k.OF_EQUALITY and rows.D[w, row] > c.NO_FORCE:
            room.chosen[w, found] = row
            room.part[w, found] = -1
            found += 1
        elif rows.type[w, row] >= k.OF_CONTACT:
            contact = rows.id[w, row]
            pressed = o.force[w, row] > 0.0 and rows.D[w, row] > c.NO_FORCE
            if pressed and contacts.row[contact, 0] == row:
                for part in range(contacts.dim[contact]):
                    if contacts.row[contact, part] < 0:
                        break  # there was no room for it
                    room.chosen[w, found] = contacts.row[contact, part]
                    room.part[w, found] = part
                    found += 1
    return found


@wp.func
def _bounded(
    o: Outside, rows: k.Rows, contacts: c.Contacts, room: Room, w: int, r: int, wanted: float
) -> float:
    """The force that a row may have besides that of the step: contacts push, and stay in cones."""
    part = room.part[w, r]
    if part < 0:
        return wanted
    row = room.chosen[w, r]
    own = o.force[w, row]
    if part == 0:
        return wp.max(wanted, -own)
    contact = rows.id[w, row]
    pressed = o.force[w, room.chosen[w, r - part]] + room.more[w, r - part]
    most = contacts.friction[contact][part - 1] * pressed * contacts.stretch[contact]
    return wp.min(wp.max(wanted, wp.min(-most - own, 0.0)), wp.max(most - own, 0.0))


@wp.func
def _prepare(j: c.Jacobian, rows: k.Rows, m: Masses, room: Room, w: int, count: int):
    """What each of the chosen rows moves by a unit of force."""
    for r in range(count):
        row = room.chosen[w, r]
        for i in range(m.pushed.shape[1]):
            m.pushed[w, i] = 0.0
        for n in range(c._entries(j, w, row)):
            m.pushed[w, c._column(j, w, row, n)] = c._value(j, w, row, n)
        respond(m, w, m.pushed.shape[1])
        heft = float(0.0)  # noqa: UP018 - a variable to Warp, not a constant
        if room.part[w, r] < 0:  # may be a spring; a soft contact would be pushed in
            heft = 1.0 / rows.D[w, row]
        for i in range(m.pushed.shape[1]):
            room.response[w, r, i] = m.pushed[w, i]
        for n in range(c._entries(j, w, row)):
            heft += c._value(j, w, row, n) * m.pushed[w, c._column(j, w, row, n)]
        room.heft[w, r] = heft
        room.more[w, r] = 0.0


@wp.func
def _resist(
    o: Outside,
    rows: k.Rows,
    j: c.Jacobian,
    contacts: c.Contacts,
    room: Room,
    moved: wp.array2d(dtype=float),
    w: int,
    count: int,
):
    """Change accelerations by the forces of the chosen rows."""
    tolerance = SLOW / o.timestep[w % o.timestep.shape[0]]
    sweep = int(0)  # noqa: RUF046, UP018 - a variable to Warp, not a constant
    while sweep < SWEEPS:
        sweep += 1
        largest = float(0.0)  # noqa: UP018 - a variable to Warp, not a constant
        for r in range(count):
            row = room.chosen[w, r]
            if room.heft[w, r] > LIGHTEST:
                accel = float(0.0)  # noqa: UP018 - a variable to Warp, not a constant
                if room.part[w, r] < 0:
                    accel = room.more[w, r] / rows.D[w, row]
                for n in range(c._entries(j, w, row)):
                    accel += c._value(j, w, row, n) * moved[w, c._column(j, w, row, n)]
                before = room.more[w, r]
                wanted = before - accel / room.heft[w, r]
                room.more[w, r] = _bounded(o, rows, contacts, room, w, r, wanted)
                change = room.more[w, r] - before
                largest = wp.max(largest, wp.abs(change * room.heft[w, r]))
                for i in range(moved.shape[1]):
                    moved[w, i] = moved[w, i] + change * room.response[w, r, i]
        if largest < tolerance:
            break


@wp.kernel(enable_backward=False)
def displace(
    o: Outside,
    rows: k.Rows,
    j: c.Jacobian,
    contacts: c.Contacts,
    m: Masses,
    room: Room,
    moved: wp.array2d(dtype=float),
):
    """Accelerations by which joints come back to their limits in a step, a thread a world."""
    w = wp.tid()
    dt = o.timestep[w % o.timestep.shape[0]]
    wrong = int(0)  # noqa: RUF046, UP018 - a variable to Warp, not a constant
    for row in range(wp.min(rows.nefc[w], rows.type.shape[1])):
        room.loose[w, row] = 0
        dof = _dof_of(o, rows, w, row)
        if dof >= 0:  # noqa: SIM102 - as above
            if wp.abs(_asked(o, rows, j, w, row, dof, dt)) > SLOW:
                wrong = 1
    for i in range(moved.shape[1]):
        moved[w, i] = 0.0
    if wrong == 0:
        return
    count = _choose(o, rows, contacts, room, w)
    rounds = int(0)  # noqa: RUF046, UP018 - a variable to Warp, not a constant
    while rounds < ROUNDS:  # a loop over a range would be written out
        rounds += 1
        _push(o, rows, j, room, moved, w)
        begin_factor(m, w)
        for i in range(moved.shape[1]):
            last = m.start[i] + m.count[i] - 1
            m.factor[w, last] = m.factor[w, last] + room.stiffness[w, i]
        factorise(m, w, moved.shape[1])
        for i in range(moved.shape[1]):
            m.pushed[w, i] = moved[w, i]
        respond(m, w, moved.shape[1])
        for i in range(moved.shape[1]):
            moved[w, i] = m.pushed[w, i]
        _prepare(j, rows, m, room, w, count)
        _resist(o, rows, j, contacts, room, moved, w, count)
        if _let_go(o, rows, j, room, moved, w) == 0:
            break


class Displacements:
    """The displacements of one model.

    Attributes:
        moved: Accelerations that bring joints back, (N, nv) [rad/s^2, m/s^2].
    """

    def __init__(self, model: Any, d: Any) -> None:
        self.moved = wp.zeros(d.qvel.shape, dtype=float)
        self._erp = float(model.numeric_data[t.N_LIMIT_ERP])
        self._kind = wp.array(model.jnt_type.astype(np.int32), dtype=int)
        self._factor = wp.zeros(d.M.shape, dtype=float)
        self._pushed = wp.zeros(d.qvel.shape, dtype=float)
        rows = (d.nworld, d.njmax)
        self._room = room = Room()
        room.stiffness = wp.zeros(d.qvel.shape, dtype=float)
        room.loose, room.chosen, room.part = (wp.zeros(rows, dtype=int) for _ in range(3))
        room.more, room.heft = (wp.zeros(rows, dtype=float) for _ in range(2))
        room.response = wp.zeros((*rows, model.nv), dtype=float)

    def __call__(self, m: Any, d: Any, rules: WarpRules) -> None:
        """Work them out from the solution of the step."""
        o, masses = Outside(), Masses()
        o.timestep, o.erp, o.kind = m.opt.timestep, self._erp, self._kind
        o.user, o.weight, o.joints = rules.joint_user, m.dof_invweight0, rules.joints
        o.qpos, o.qvel, o.qacc, o.force = d.qpos, d.qvel, d.qacc, d.efc.force
        masses.count, masses.start, masses.column = m.M_rownnz, m.M_rowadr, m.M_colind
        masses.inertia, masses.factor, masses.pushed = d.M, self._factor, self._pushed
        inputs = [o, rows_of(d), rules.jacobian, rules.contacts(d), masses, self._room, self.moved]
        wp.launch(displace, dim=d.nworld, inputs=inputs)

    def memory(self) -> int:
        """Bytes held."""
        arrays = [*vars(self).values(), *(getattr(self._room, n) for n in Room.vars)]
        return sum(array.capacity for array in arrays if isinstance(array, wp.array))
