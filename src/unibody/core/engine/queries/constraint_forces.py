"""What constraints between links exerted in the last step."""

from __future__ import annotations

import struct
from typing import NamedTuple

import numpy as np

from unibody.core.assets.description import Quat, Vec3
from unibody.core.engine.queries.constraint_kernel import constraint_wrench, python_wrench
from unibody.core.engine.records import rule_table as t
from unibody.core.engine.spec.constraint import ConstraintKind, ConstraintRecord
from unibody.core.engine.world.addresses import addresses, force_addresses
from unibody.core.engine.world.world import World
from unibody.machine_code.calls.copying import address_of

_ROWS = {
    ConstraintKind.POINT: 3,
    ConstraintKind.FIXED: 6,
    ConstraintKind.SLIDER: 6,
    ConstraintKind.GEAR: 1,
    ConstraintKind.TENDON: 1,
}
_ROW, _QUAT = struct.Struct("=d"), struct.Struct("=4d")
_WELD = 6  # rows
_NONE = (0.0, 0.0, 0.0)
_RELATIVE_QUAT = 6  # place in a weld's numbers


class ConstraintForces(NamedTuple):
    """On the parent, at its end. Of a gear, ``force[0]`` acts along the parent's joint."""

    force: Vec3  # world frame [N]
    torque: Vec3  # in the frame of the constraint in the parent [Nm]


class ForceReader:
    """Reads the forces of one constraint, for one generation of its world.

    Args:
        world: The running world.
        record: The constraint.
        body: MuJoCo's number of the parent's link.
    """

    def __init__(self, world: World, record: ConstraintRecord, body: int) -> None:
        self.generation: int = world.generation
        model, at, self._record = world.model, addresses(world), record
        drives = int(model.numeric_data[t.N_DRIVES])
        self._row_at = 8 * (drives * t.DRIVE_SIZE + record.index * t.EQUALITY_SIZE + t.E_ROW)
        self._count = _ROWS[record.kind]
        self._numbers = model.eq_data[record.index]
        bodies = (body, model.eq_obj1id[record.index], model.eq_obj2id[record.index])
        if record.kind is ConstraintKind.GEAR:
            bodies = (body, body, body)
        self._bodies = tuple(map(int, bodies))
        self._slides = record.kind is ConstraintKind.SLIDER
        self._plan = np.array(
            [
                self._count, self._slides, at.userdata + self._row_at, *force_addresses(world),
                *(at.xquat + 32 * number for number in self._bodies),
                address_of(self._numbers) + 8 * _RELATIVE_QUAT,
            ],
            dtype=np.int64,
        )  # fmt: skip
        self._plan_at, self._read = address_of(self._plan), constraint_wrench()

    def read(self, world: World) -> ConstraintForces:
        """The force and torque of the last step, in the poses it began with; zero before one."""
        frame, axis = self._record.parent_frame.quat, self._record.axis
        if world.forces_live and world.shows_earlier:
            found = self._read(self._plan_at, frame, axis)
            if found is not None:
                return ConstraintForces(*found)
        (number,) = _ROW.unpack_from(world.userdata, self._row_at)
        row, count = int(number), self._count
        rows = world.constraint_forces()[row : row + count].tolist() if row >= 0 else []
        if len(rows) < count:
            return ConstraintForces(_NONE, _NONE)
        if count < _WELD:
            x, y, z = rows if count == len(_NONE) else (*rows, 0.0, 0.0)
            return ConstraintForces((x, y, z), _NONE)
        quats = [earlier_quat(world, body) for body in self._bodies]
        relative = self._numbers[_RELATIVE_QUAT : _RELATIVE_QUAT + 4].tolist()
        return ConstraintForces(*python_wrench(self._slides, (*quats, relative, frame), axis, rows))


def earlier_quat(world: World, body: int) -> Quat:
    """Orientation of a MuJoCo body in the world when the last step began, (w, x, y, z)."""
    w, x, y, z = _QUAT.unpack_from(world.earlier_poses()[1], 4 * 8 * body)
    return (w, x, y, z)
