"""Who is told of collisions that begin and end, and what they look like."""

from __future__ import annotations

import logging
import time
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unibody.fleet.collisions.collision_system import Pair, pairs_of_keys
from unibody.fleet.foundation.loggers import LazyLogger, get_lazy_logger

logger: LazyLogger = get_lazy_logger("pybullet_fleet.core_simulation")


def tell(core: Any, keys: NDArray[np.int64], event: str) -> None:
    """Tell of pairs that began or ended to collide: the log, the simulation's bus and the objects'.

    Args:
        core: The simulation.
        keys: Of the pairs, as the collision system has them.
        event: Which of the two.
    """
    if not len(keys):
        return
    begin = time.perf_counter()
    logged, heard = logger.isEnabledFor(logging.INFO), core.events.has_handlers(event)
    if not (logged or heard or core._objects_are_heard):
        return
    objects = core._sim_objects_dict
    for a, b in pairs_of_keys(keys):
        first, second = objects.get(a), objects.get(b)
        if first is None or second is None:
            continue
        if logged:
            logger.info(f"{event}: object {a} <-> object {b}")
        if heard:
            core.events.emit(event, obj_a=first, obj_b=second)
        if first._has_entity_events():
            first.events.emit(event, other=second)
        if second._has_entity_events():
            second.events.emit(event, other=first)
    measured = core._profile.stats["events_collision"]
    if measured:
        measured[-1] += (time.perf_counter() - begin) * 1000


def recolor(core: Any, changed: list[Pair], color: list[float]) -> None:
    """Give objects the colour of what collides, or their own again."""
    colliding = {number for pair in core._collisions.active_list() for number in pair}
    for number in {number for pair in changed for number in pair}:
        obj = core._sim_objects_dict.get(number)
        if obj is not None:
            original = core._robot_original_colors.get(obj.body_id, [0.0, 0.0, 0.0, 1.0])
            core._physics_world.set_color(obj.body_id, color if number in colliding else original)
