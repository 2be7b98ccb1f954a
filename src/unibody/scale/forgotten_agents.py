"""Python's objects of agents, which are most of a fleet's memory, end where others have them."""

from __future__ import annotations

import ctypes
import gc
import sys
from collections.abc import Iterable
from typing import Any

from unibody.fleet.bodies.tables import MOTION, Blocks, Rows
from unibody.fleet.controllers.batch_base import KernelBatchController
from unibody.fleet.controllers.deciding import Decisions

_WAYPOINT = 7  # position, quaternion


def forget_agents(core: Any, batches: Iterable[KernelBatchController], drivers: int) -> None:
    """Let a simulation that was just built know no agent; rows of bodies stay as they are.

    Args:
        core: The simulation.
        batches: What moves agents in it.
        drivers: How many of the agents' drivers will be made anew.
    """
    tables, world = core._tables, core._physics_world
    numbers = {agent.object_id for agent in core._agents}
    bodies = [agent.body_id for agent in core._agents]
    for known in (world.waiting, world.rows, world._templates):
        for body in bodies:
            known.pop(body, None)
    for number in numbers:
        del core._sim_objects_dict[number]
    core._sim_objects[:] = [o for o in core._sim_objects if o.object_id not in numbers]
    core._agents.clear()
    core._updates.clear()
    core._updates.decisions = Decisions([])
    for manager in core._registered_managers:
        for known in (manager.objects, manager.body_ids, manager.object_ids):
            known.clear()
    for batch in batches:
        batch.forget_all()
    _give_back(tables, drivers)


def _give_back(tables: Any, drivers: int) -> None:
    """Give memory of objects that have ended back to the system."""
    gc.collect()  # actions and their agents know each other
    if len(tables.motions._free) == tables.motions._used:  # else a script has some of them
        tables.motions = Rows(MOTION, drivers)
        tables.waypoints = Blocks(_WAYPOINT)
    if sys.platform.startswith("linux"):
        trim = getattr(ctypes.CDLL(None), "malloc_trim", None)  # of the GNU library alone
        if trim is not None:
            trim(0)
