"""What is asked of a simulation while it runs: pauses, steps, the selection, poses and the pace."""

from __future__ import annotations

import math
from queue import Empty, Full, Queue
from typing import Any

from unibody.fleet.convert import euler_from_quat, quat_from_euler
from unibody.fleet.foundation.loggers import LazyLogger, get_lazy_logger
from unibody.fleet.monitoring.gui_commands import GuiCommand, GuiCommandType
from unibody.fleet.objects.sim_object import SimObject

logger: LazyLogger = get_lazy_logger("pybullet_fleet.core_simulation")
_MOST_COMMANDS = 32


class GuiRequests:
    """Requests that wait for the next step, and the object that is looked at.

    Attributes:
        selected: Number of the object that is looked at; None without one.
        follows: Whether the camera follows it.
    """

    def __init__(self) -> None:
        self._waiting: Queue[GuiCommand] = Queue(maxsize=_MOST_COMMANDS)
        self.selected: int | None = None
        self.follows = False

    def put(self, command: GuiCommand) -> bool:
        """Take a request, from any thread; False if too many wait.

        Raises:
            TypeError: It is none.
        """
        if not isinstance(command, GuiCommand):
            raise TypeError("command must be a GuiCommand")
        try:
            self._waiting.put_nowait(command)
        except Full:
            logger.warning("Dropping GUI command because the monitor command queue is full")
            return False
        return True

    def reset(self) -> None:
        """Look at nothing."""
        self.selected = None
        self.follows = False

    def forget(self, core: Any, number: int) -> None:
        """Look at nothing if it was this object."""
        if self.selected == number:
            self.select(core, None, source="system")

    def selected_object(self, core: Any) -> SimObject | None:
        """The object that is looked at; one that is gone is so no more."""
        if self.selected is None:
            return None
        found = core._sim_objects_dict.get(self.selected)
        if found is None:
            self.select(core, None, source="system")
        return found

    # --- doing what is asked -------------------------------------------------------------------

    def carry_out(self, core: Any) -> None:
        """Do all that waits."""
        while True:
            try:
                command = self._waiting.get_nowait()
            except Empty:
                return
            self._carry_out_one(core, command)

    def _carry_out_one(self, core: Any, command: GuiCommand) -> None:
        kind = command.command
        if kind is GuiCommandType.PAUSE and not core.is_paused:
            core.pause()
        elif kind is GuiCommandType.RESUME and core.is_paused:
            core.resume()
        elif kind is GuiCommandType.SINGLE_STEP:
            core.request_single_step(source=command.source)
        elif kind is GuiCommandType.SELECT_ENTITY:
            self.select(core, command.entity_id, source=command.source)
        elif kind is GuiCommandType.SET_FOLLOW:
            self._set_follow(core, bool(command.enabled))
        elif kind is GuiCommandType.SET_SIMULATION_PACING:
            set_pacing(core, command.target_rtf, command.timestep, command.source)
        elif kind is GuiCommandType.SET_ENTITY_POSE:
            _set_pose(core, command)

    def select(self, core: Any, entity_id: int | None, source: str) -> None:
        """Look at an object; None: at nothing."""
        if entity_id is not None and entity_id not in core._sim_objects_dict:
            logger.warning(f"Ignoring GUI selection for missing entity {entity_id}")
            return
        if self.selected == entity_id:
            return
        self.selected = entity_id
        if entity_id is None:
            self.follows = False
        core.events.emit("gui.selection_changed", entity_id=entity_id, source=source)

    def _set_follow(self, core: Any, enabled: bool) -> None:
        enabled = enabled and self.selected is not None
        if self.follows != enabled:
            self.follows: bool = enabled
            core.events.emit("gui.follow_changed", entity_id=self.selected, enabled=enabled)


def set_pacing(core: Any, target_rtf: float | None, timestep: float | None, source: str) -> None:
    """Change the real-time factor or the time step of a simulation; None keeps one."""
    if target_rtf is None and timestep is None:
        return
    if (target_rtf is not None and not target_rtf >= 0) or (
        timestep is not None and not timestep > 0
    ):
        logger.warning(
            f"Ignoring invalid GUI pacing change: target_rtf={target_rtf} (must be >= 0), "
            f"timestep={timestep} (must be > 0)"
        )
        return
    params, session = core._params, core._physics_world.session
    running = not core.is_paused
    if running:
        core.pause()
    if target_rtf is not None:
        params.target_rtf = target_rtf
    if timestep is not None:
        params.timestep = timestep
        session.time_step = timestep
        session.scene.options.timestep = timestep
        session.scene.apply_options()
    core._pacing_rebase_requested = True
    core.events.emit(
        "gui.simulation_pacing_changed",
        target_rtf=params.target_rtf,
        timestep=params.timestep,
        source=source,
    )
    if running:
        core.resume()


def _set_pose(core: Any, command: GuiCommand) -> None:
    number, position = command.entity_id, command.position
    yaw, angles = command.yaw_radians, command.rpy_radians
    entity = None if number is None else core._sim_objects_dict.get(number)
    right = position is not None and len(position) == 3 and (angles is None or len(angles) == 3)
    finite = all(map(math.isfinite, [*(position or ()), *(angles or ()), yaw or 0.0]))
    if not core.is_paused or entity is None or not right or not finite:
        logger.warning(
            f"Ignoring GUI pose edit of entity {number} to {position}, {yaw}, {angles}: the "
            "simulation has to be paused, the entity to exist, the numbers to be finite"
        )
        return
    orientation: Any = entity.get_pose().orientation
    if angles is not None:
        orientation = quat_from_euler(*angles)
    elif yaw is not None:
        roll, pitch, _ = euler_from_quat(orientation)
        orientation = quat_from_euler(roll, pitch, yaw)
    if entity.set_pose_raw(position, orientation, preserve_velocity=False):
        core.events.emit("gui.entity_pose_changed", entity_id=number, source=command.source)
