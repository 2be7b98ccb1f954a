"""What constraints between links exerted in the last step."""

from __future__ import annotations

import struct
from typing import NamedTuple

from unibody.core.assets.description import Vec3
from unibody.core.engine.addresses import addresses
from unibody.core.engine.constraint import ConstraintKind, ConstraintRecord
from unibody.core.engine.queries.constraint_kernel import constraint_wrench, python_wrench
from unibody.core.engine.rows import table as t
from unibody.core.engine.world import World

_ROWS = {
    ConstraintKind.POINT: 3,
    ConstraintKind.FIXED: 6,
    ConstraintKind.SLIDER: 6,
    ConstraintKind.GEAR: 1,
    ConstraintKind.TENDON: 1,
}
_ROW = struct.Struct("=d")
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
        self.generation = world.generation
        model, at = world.model, addresses(world)
        drives = int(model.numeric_data[t.N_DRIVES])
        self._row_at = 8 * (drives * t.DRIVE_SIZE + record.index * t.EQUALITY_SIZE + t.E_ROW)
        self._count = _ROWS[record.kind]
        self._numbers = model.eq_data[record.index]
        bodies = (body, model.eq_obj1id[record.index], model.eq_obj2id[record.index])
        if record.kind is ConstraintKind.GEAR:
            bodies = (body, body, body)
        self._bodies = tuple(map(int, bodies))
        self._at = (
            1 if record.kind is ConstraintKind.SLIDER else 0,
            *(at.xquat + 32 * number for number in self._bodies),
            self._numbers.ctypes.data + 8 * _RELATIVE_QUAT,
            record.parent_frame.quat,
            record.axis,
        )

    def read(self, world: World) -> ConstraintForces:
        """The force and torque of the last step; zero before one."""
        (found,) = _ROW.unpack_from(world.userdata, self._row_at)
        row, count = int(found), self._count
        rows = world.constraint_forces()[row : row + count].tolist() if row >= 0 else []
        if len(rows) < count:
            return ConstraintForces(_NONE, _NONE)
        if count < 6:
            x, y, z = rows if count == len(_NONE) else (*rows, 0.0, 0.0)
            return ConstraintForces((x, y, z), _NONE)
        world.kinematics()
        found = constraint_wrench()(*self._at, rows)
        if found is None:
            quats = [tuple(world.data.xquat[body].tolist()) for body in self._bodies]
            relative = self._numbers[_RELATIVE_QUAT : _RELATIVE_QUAT + 4].tolist()
            slides, *_, frame, axis = self._at
            found = python_wrench(bool(slides), (*quats, relative, frame), axis, rows)
        return ConstraintForces(*found)
