"""Objects that are like one that was just spawned, but for their numbers, names and places.

Making one in the ordinary way takes 150 us; a copy takes a tenth of that, because what depends on
the parameters is worked out once, and rows are written all at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from unibody.fleet.agents.agent import Agent
from unibody.fleet.bodies.tables import Tables
from unibody.fleet.controllers.batch_base import KernelBatchController
from unibody.fleet.controllers.controller import (
    Controller,
    DifferentialController,
    OmniController,
)
from unibody.fleet.convert import from_engine, quat_apply
from unibody.fleet.foundation.events import SimEvents
from unibody.fleet.objects.sim_object import SimObject
from unibody.fleet.parameters.controller_params import ControllerParams

T = TypeVar("T", bound=SimObject)
_PLACE = ("_row", "body_id", "object_id", "name", "_logger")
_DRIVEN = ("_controllers", "controller_params")
_DRIVERS = (OmniController, DifferentialController)
_set = object.__setattr__


def can_be_copied(obj: SimObject, params: Any) -> bool:
    """Whether an object that was just spawned has nothing that must be made for each anew.

    Args:
        obj: The object.
        params: What it was spawned from.
    """
    core, world = obj.sim_core, obj._physics_world
    if type(obj) not in (SimObject, Agent) or obj.body_id not in world.waiting:
        return False
    if not getattr(core, "adds_objects_plainly", False):
        return False
    spawns = (SimEvents.OBJECT_SPAWNED, SimEvents.AGENT_SPAWNED)
    if any(core.events.has_handlers(event) for event in spawns):
        return False
    if not isinstance(obj, Agent):
        return True
    batch = obj._batch_controller
    return (
        not obj._plugins
        and [type(each) in _DRIVERS for each in obj._controllers] == [True]
        and not isinstance(params.controller, (Controller, ControllerParams))  # shared by all
        and (batch is None or isinstance(batch, KernelBatchController))
    )


def copies_of(first: T, places: NDArray[np.float64], name_prefix: str | None) -> list[T]:
    """Spawn copies of an object.

    Args:
        first: The object, for which `can_be_copied` holds.
        places: Where they appear, (n, 3) [m]; they are turned as the first one was.
        name_prefix: Of their names, before their numbers, which begin with 1; None: the first's.
    """
    core, world = first.sim_core, first._physics_world
    count = len(places)
    bodies = world.add_like(first.body_id, places)
    numbers = range(core._next_object_id, core._next_object_id + count)
    core._next_object_id += count
    rows = _rows_like(first, places, bodies, numbers)
    world.bind_like(first.body_id, bodies, rows)
    names = (
        [first.name] * count
        if name_prefix is None
        else [f"{name_prefix}_{number}" for number in range(1, count + 1)]
    )
    mold = _Mold(first, (*_PLACE, *_DRIVEN))
    made: list[T] = []
    for row, body, number, name in zip(rows.tolist(), bodies, numbers, names, strict=True):
        obj = mold.make()
        _set(obj, "_row", row)
        _set(obj, "body_id", body)
        _set(obj, "object_id", number)
        _set(obj, "name", name)
        made.append(obj)
    if isinstance(first, Agent):
        _drive(first, made, rows)
    core._add_like(first, made)
    return made


def _rows_like(
    first: SimObject, places: NDArray[np.float64], bodies: Sequence[int], numbers: Sequence[int]
) -> NDArray[np.int64]:
    """Rows of the copies, written."""
    tables, template = first._tables, first._template
    rows, joints = tables.bodies.take_many(len(places)), template.joint_count
    data, own = tables.bodies.data, tables.bodies.data[first._row].copy()
    begin = tables.joints.take(joints * len(places))
    _, turn = from_engine(first._physics_world.waiting[first.body_id][1])
    data[rows] = own
    data["user"][rows], data["body"][rows] = numbers, bodies
    data["pos"][rows] = places + np.array(quat_apply(turn, template.com[0]))
    data["joint"][rows] = begin + joints * np.arange(len(places))
    data["stale"][rows] = 1
    if joints:
        of_first = tables.joints.data[own["joint"] : own["joint"] + joints]
        tables.joints.data[begin : begin + joints * len(places)] = np.tile(
            of_first, (len(places), 1)
        )
    return rows


def _drive(first: Agent, made: Sequence[Any], rows: NDArray[np.int64]) -> None:
    """Give the copies controllers of their own."""
    batch = first._batch_controller
    limits = _Mold(first.controller_params, ("_rows",))
    bases = _drivers_like(first._controllers[0], rows)
    members = None if batch is None else _drivers_like(batch.member(first), rows)
    for place, agent in enumerate(made):
        params, mine = limits.make(), [bases[place]]
        _set(agent, "_controllers", list(mine))
        _set(agent, "controller_params", params)
        if members is not None:
            mine.append(members[place])
        _set(params, "_rows", [(driver._tables, driver._m) for driver in mine])
        for driver in mine:
            driver.params = params
    if batch is not None and members is not None:
        batch.register_like(made, members, first)


def _drivers_like(first: Any, bodies: NDArray[np.int64]) -> list[Any]:
    """Copies of a controller for other rows of bodies."""
    tables: Tables = first._tables
    rows = tables.motions.take_many(len(bodies))
    tables.motions.data[rows] = tables.motions.data[first._m].copy()
    tables.motions.data["body"][rows] = bodies
    mold = _Mold(first, ("_m", "params"))
    made: list[Any] = []
    for row in rows.tolist():
        driver = mold.make()
        driver._m = row
        made.append(driver)
    return made


class _Mold:
    """Makes objects with the attributes of one, but for some; containers are copied."""

    def __init__(self, first: Any, without: Sequence[str]) -> None:
        self._kind = type(first)
        held = [(name, value) for name, value in vars(first).items() if name not in without]
        own = (list, dict, np.ndarray)
        self._same = [(n, v) for n, v in held if n == "joint_info" or not isinstance(v, own)]
        self._own = [(n, v.copy()) for n, v in held if n != "joint_info" and isinstance(v, own)]

    def make(self) -> Any:
        """One more."""
        made = object.__new__(self._kind)
        for name, value in self._same:
            _set(made, name, value)
        for name, value in self._own:
            _set(made, name, value.copy())
        return made
