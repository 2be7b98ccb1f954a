"""Constraints that come and go in a running world, without a compile.

A world that has run and then gets a constraint will often get more of them: a gripper takes hold
and lets go again. Such a world is compiled with equalities to spare, which are not active until a
constraint takes them. Constraints take them in the order in which they were made, so that a
compile gives the same rows in the same order.
"""

from __future__ import annotations

import struct
from collections.abc import Collection
from typing import Any

import mujoco
import numpy as np

from unibody.core.engine.insertion import equality_kernel as k
from unibody.core.engine.insertion.known_fields import insertion_works
from unibody.core.engine.records import rule_table as t
from unibody.core.engine.records.body import BodyRecord
from unibody.core.engine.spec.constraint import (
    ConstraintKind,
    ConstraintRecord,
    constraint_data,
    equality_type,
)
from unibody.core.engine.world.world import World
from unibody.machine_code.calls.copying import address_of

_LEAST = 8
_WELD = int(mujoco.mjtEq.mjEQ_WELD)
_BODY, _JOINT = int(mujoco.mjtObj.mjOBJ_BODY), int(mujoco.mjtObj.mjOBJ_JOINT)


_HEAD, _TAIL = struct.Struct("=6d"), struct.Struct("=7d")  # of a rule, before and after its row
_ROW = struct.Struct("=d")
_DATA = struct.Struct(f"={mujoco.mjNEQDATA}d")
_TYPES = {kind: int(equality_type(kind)) for kind in ConstraintKind}


class _Memory:
    """The memory of the equalities of one generation of a world."""

    def __init__(self, world: World) -> None:
        model, data = world.model, world.data
        self.generation = world.generation
        self.count = int(model.neq)
        self.types, self.kinds = memoryview(model.eq_type), memoryview(model.eq_objtype)
        self.first, self.second = memoryview(model.eq_obj1id), memoryview(model.eq_obj2id)
        self.stated, self.active = memoryview(model.eq_active0), memoryview(data.eq_active)
        self.numbers = memoryview(model.eq_data).cast("B") if self.count else memoryview(b"")
        self.drives = int(model.numeric_data[t.N_DRIVES]) * t.DRIVE_SIZE
        self._userdata = world.userdata
        arrays = {
            k.TYPE: model.eq_type, k.OBJECT: model.eq_objtype, k.FIRST: model.eq_obj1id,
            k.SECOND: model.eq_obj2id, k.STATED: model.eq_active0, k.NUMBERS: model.eq_data,
            k.ACTIVE: data.eq_active,
        }  # fmt: skip
        self._plan = np.zeros(k.PLAN, dtype=np.int64)
        for key, array in arrays.items():
            self._plan[key] = address_of(array)
        self._plan[k.RULES] = address_of(data.userdata) + _ROW.size * self.drives
        self._plan_at, self._write = address_of(self._plan), k.writer()

    def rule(self, record: ConstraintRecord) -> int:
        """Where in ``userdata`` the rule of a constraint is [bytes]."""
        return _ROW.size * (self.drives + record.index * t.EQUALITY_SIZE)

    def write(self, record: ConstraintRecord, bodies: dict[int, BodyRecord]) -> None:
        """Write all of a constraint into the equality that it has, which is active from now on."""
        kind, first, second = _TYPES[record.kind], *_ends(record, bodies)
        aux = -1 if record.aux is None else bodies[record.aux[0]].joints[record.aux[1]].joint
        if kind <= _WELD and record.spring is None:
            (pos, quat), (other_pos, other_quat) = record.parent_frame, record.child_frame
            if self._write(
                self._plan_at, record.index, kind, _BODY, first, second, pos, quat, other_pos,
                other_quat, record.max_force, record.erp, record.axis, 1.0 + aux,
            ):  # fmt: skip
                return
        if not self.active[record.index]:
            self._begin(record, kind, first, second)
        _DATA.pack_into(self.numbers, _DATA.size * record.index, *constraint_data(record))
        self._write_rule(record, aux)

    def _begin(self, record: ConstraintRecord, kind: int, first: int, second: int) -> None:
        """Let an equality be that of a constraint; the ends are numbers of bodies, or joints."""
        slot = record.index
        self.types[slot] = kind
        self.kinds[slot] = _JOINT if record.kind is ConstraintKind.GEAR else _BODY
        self.first[slot], self.second[slot] = first, second
        self.stated[slot] = self.active[slot] = True

    def _write_rule(self, record: ConstraintRecord, aux: int) -> None:
        """Write limit and gains of a constraint."""
        offset, axis = self.rule(record), record.axis
        head = (record.max_force, record.erp, *axis, 1.0 + aux)
        _HEAD.pack_into(self._userdata, offset + _ROW.size * t.E_LIMIT, *head)
        frame = (0.0, *record.parent_frame.quat, 0.0, 0.0)
        tail = frame if record.spring is None else record.spring.numbers()
        _TAIL.pack_into(self._userdata, offset + _ROW.size * t.E_SPRING, *tail)


class ConstraintSlots:
    """The equalities of a running world, and which of them constraints have taken."""

    def __init__(self) -> None:
        self._taken = 0  # all before this one are taken, but for the free ones
        self._free: set[int] = set()
        self._memory: _Memory | None = None
        self.changed: dict[int, ConstraintRecord] = {}  # their numbers have yet to be written

    def number(self, constraints: Collection[ConstraintRecord]) -> None:
        """Number the constraints of a world that was just compiled; all have to be written."""
        for number, record in enumerate(constraints):
            record.index = number
            self.changed[record.id] = record
        self._taken = len(constraints)
        self._free.clear()

    def take(self, world: World, record: ConstraintRecord) -> bool:
        """Give a new constraint an equality of a running world; False if none is left."""
        slot = self._taken
        if record.kind is ConstraintKind.TENDON or not insertion_works():
            return False
        if slot >= self._memory_of(world).count:
            return False
        record.index = slot
        self._taken = slot + 1
        self.changed[record.id] = record
        return True

    def give_back(self, world: World, record: ConstraintRecord) -> None:
        """Take a constraint out of a running world."""
        memory, slot = self._memory_of(world), record.index
        self.changed.pop(record.id, None)
        if memory.active[slot]:
            memory.stated[slot] = memory.active[slot] = False
            _ROW.pack_into(world.userdata, memory.rule(record) + _ROW.size * t.E_ROW, -1.0)
            world.changed()
        if slot < self._taken - 1:
            self._free.add(slot)
            return
        self._taken = slot
        while self._free and self._taken - 1 in self._free:
            self._taken -= 1
            self._free.remove(self._taken)

    def _memory_of(self, world: World) -> _Memory:
        memory = self._memory
        if memory is None or memory.generation != world.generation:
            memory = self._memory = _Memory(world)
        return memory

    def forget(self, record: ConstraintRecord) -> None:
        """Nothing more is to be written of a constraint."""
        self.changed.pop(record.id, None)

    def write_changed(self, world: World, bodies: dict[int, BodyRecord]) -> None:
        """Write the numbers of all constraints that are new or were changed."""
        changed, self.changed = self.changed, {}
        memory = self._memory_of(world)
        for record in changed.values():
            if record.is_idle:
                continue
            memory.write(record, bodies)
        world.changed()


def add_spares(spec: Any, constraints: Collection[ConstraintRecord]) -> list[Any]:
    """Write equalities to spare to the end of a spec; delete what is returned afterwards."""
    if not insertion_works():
        return []
    *_, pattern = constraints
    own = pattern.spec
    return [
        spec.add_equality(
            type=own.type, objtype=own.objtype, name1=own.name1, name2=own.name2, active=False
        )
        for _ in range(max(_LEAST, len(constraints) // 2))
    ]


def clear_rows(model: Any, data: Any) -> None:
    """Say that none of the equalities has rows among the constraints yet."""
    begin = int(model.numeric_data[t.N_DRIVES]) * t.DRIVE_SIZE
    rules = data.userdata[begin : begin + int(model.neq) * t.EQUALITY_SIZE]
    rules[t.E_ROW :: t.EQUALITY_SIZE] = -1.0


def _ends(record: ConstraintRecord, bodies: dict[int, BodyRecord]) -> tuple[int, int]:
    """MuJoCo's numbers of the bodies, or joints, of a constraint."""
    (parent, link), child = record.parent, record.child
    if record.kind is ConstraintKind.GEAR and child is not None:
        other = bodies[child[0]].joints[child[1]]
        return bodies[parent].joints[link].joint, other.joint
    other = 0 if child is None else bodies[child[0]].links[child[1]].body
    return bodies[parent].links[link].body, other
