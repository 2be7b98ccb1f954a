"""Constraints that come and go in a running world, without a compile.

A world that has run and then gets a constraint will often get more of them: a gripper takes hold
and lets go again. Such a world is compiled with equalities to spare, which are not active until a
constraint takes them. Constraints take them in the order in which they were made, so that a
compile gives the same rows in the same order.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import mujoco

from unibody.core.engine.constraint import (
    ConstraintKind,
    ConstraintRecord,
    constraint_data,
    equality_type,
)
from unibody.core.engine.record import BodyRecord
from unibody.core.engine.rows import table as t
from unibody.core.engine.world import World

_LEAST = 8
_BODY, _JOINT = int(mujoco.mjtObj.mjOBJ_BODY), int(mujoco.mjtObj.mjOBJ_JOINT)
_AXIS, _SPRING = slice(t.E_AXIS, t.E_AXIS + 3), slice(t.E_SPRING, t.EQUALITY_SIZE)


class Slots:
    """The equalities of a running world, and which of them constraints have taken."""

    def __init__(self) -> None:
        self._taken = 0  # all before this one are taken, or were
        self.changed: dict[int, ConstraintRecord] = {}  # their numbers have yet to be written

    def add_spares(self, spec: Any, constraints: Collection[ConstraintRecord]) -> list[Any]:
        """Write equalities to spare to the end of a spec; delete what is returned afterwards."""
        *_, pattern = constraints
        own = pattern.spec
        return [
            spec.add_equality(
                type=own.type, objtype=own.objtype, name1=own.name1, name2=own.name2, active=False
            )
            for _ in range(max(_LEAST, len(constraints) // 2))
        ]

    def number(self, constraints: Collection[ConstraintRecord]) -> None:
        """Number the constraints of a world that was just compiled; all have to be written."""
        for number, record in enumerate(constraints):
            record.index = number
            self.change(record)
        self._taken = len(constraints)

    def take(self, world: World, record: ConstraintRecord, bodies: dict[int, BodyRecord]) -> bool:
        """Give a new constraint an equality of a running world; False if none is left."""
        model, place = world.model, self._taken
        ends = _ends(record, bodies)
        if place >= model.neq or min(ends) < 0:
            return False
        model.eq_type[place] = int(equality_type(record.kind))
        model.eq_objtype[place] = _JOINT if record.kind is ConstraintKind.GEAR else _BODY
        model.eq_obj1id[place], model.eq_obj2id[place] = ends
        model.eq_active0[place] = world.data.eq_active[place] = 1
        record.index = place
        self._taken += 1
        rule_of(world, record)[t.E_ROW] = -1.0
        self.change(record)
        world.changed()
        return True

    def give_back(self, world: World, record: ConstraintRecord) -> None:
        """Take a constraint out of a running world."""
        model, data = world.model, world.data
        model.eq_active0[record.index] = data.eq_active[record.index] = 0
        while self._taken and not data.eq_active[self._taken - 1]:
            self._taken -= 1
        world.changed()

    def forget(self, record: ConstraintRecord) -> None:
        """Nothing more is to be written of a constraint."""
        self.changed.pop(record.id, None)

    def change(self, record: ConstraintRecord) -> None:
        """Note that the numbers of a constraint have yet to be written."""
        self.changed[record.id] = record

    def write_changed(self, world: World, bodies: dict[int, BodyRecord]) -> None:
        """Write the numbers of all constraints that were changed."""
        changed, self.changed = self.changed, {}
        for record in changed.values():
            world.model.eq_data[record.index] = constraint_data(record)
            _write_rule(world, record, bodies)
            world.changed()


def rule_of(world: World, record: ConstraintRecord) -> Any:
    """The numbers of a constraint in the state, (EQUALITY_SIZE,); see ``rows.table``."""
    drives = int(world.model.numeric_data[t.N_DRIVES])
    base = drives * t.DRIVE_SIZE + record.index * t.EQUALITY_SIZE
    return world.data.userdata[base : base + t.EQUALITY_SIZE]


def _write_rule(world: World, record: ConstraintRecord, bodies: dict[int, BodyRecord]) -> None:
    """Write limit and gains of a constraint into the state."""
    rule = rule_of(world, record)
    aux = -1 if record.aux is None else bodies[record.aux[0]].joints[record.aux[1]].joint
    rule[t.E_LIMIT] = record.max_force
    rule[t.E_ERP] = record.erp
    rule[_AXIS] = record.axis
    rule[t.E_AUX] = 1 + aux
    rule[_SPRING] = 0.0 if record.spring is None else record.spring.numbers()


def _ends(record: ConstraintRecord, bodies: dict[int, BodyRecord]) -> tuple[int, int]:
    """MuJoCo's numbers of the bodies, or joints, of a constraint; -1: not compiled yet."""
    first, second = (
        0 if end is None
        else bodies[end[0]].joints[end[1]].joint if record.kind is ConstraintKind.GEAR
        else bodies[end[0]].links[end[1]].body
        for end in (record.parent, record.child)
    )  # fmt: skip
    return first, second
