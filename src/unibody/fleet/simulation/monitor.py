"""Figures of a simulation for whoever watches it: in a file, and in a window if there is one."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from typing import Any

from unibody.fleet.agents.agent import Agent
from unibody.fleet.foundation.loggers import LazyLogger, get_lazy_logger
from unibody.fleet.monitoring.data_monitor import DataMonitor
from unibody.fleet.monitoring.gui_commands import (
    GuiCommand,
    MonitorEntity,
    MonitorFrame,
    SelectedEntityMonitorState,
)
from unibody.fleet.objects.sim_object import SimObject
from unibody.fleet.parameters.simulation_params import SimulationParams

logger: LazyLogger = get_lazy_logger("pybullet_fleet.core_simulation")
_SPEED_WINDOW = 10.0  # s: over which the real-time factor is measured


class Monitor:
    """Makes the figures of a simulation and shows them.

    Attributes:
        window: Where they are written; None without one.
        frame: What was shown last.
        shown_at: Time of the simulation when a step showed them last [s].
        logged_collisions: How many collisions the log was told of.
        speed_history: Pairs of clock and time of the simulation [s], for the real-time factor.
    """

    def __init__(self) -> None:
        self.window: DataMonitor | None = None
        self.frame: MonitorFrame | None = None
        self.shown_at = 0.0
        self.logged_collisions = 0
        self.speed_history: deque[tuple[float, float]] = deque()

    def open(self, params: SimulationParams, sink: Callable[[GuiCommand], bool]) -> None:
        """Make what writes the figures, if there shall be one.

        Args:
            params: Of the simulation.
            sink: Takes what is asked for in the window.
        """
        self.window = None
        if not params.monitor:
            return
        self.window = DataMonitor(
            "Simulation Monitor",
            enable_gui=params.enable_monitor_gui and params.gui,
            width=params.monitor_width,
            height=params.monitor_height,
            x=params.monitor_x,
            y=params.monitor_y,
            initial_target_rtf=params.target_rtf,
            initial_timestep=params.timestep,
        )
        self.window.set_command_sink(sink)
        self.window.start()

    def close(self) -> None:
        """Close the window; without one nothing happens."""
        if self.window is not None:
            self.window.stop()

    def reset(self) -> None:
        """Forget what was shown."""
        self.frame = None
        self.shown_at: float = 0.0
        self.logged_collisions = 0
        self.speed_history.clear()

    def update(self, core: Any) -> None:
        """Show the present state of a simulation."""
        frame = self.frame = self._frame_of(core)
        logger.debug(lambda: f"[MONITOR] {frame}")
        if frame.collisions > self.logged_collisions:
            logger.info(f"NEW COLLISION: total={frame.collisions} at sim_time={frame.sim_time:.2f}")
            self.logged_collisions: int = frame.collisions
        if self.window is not None:
            self.window.write_frame(frame)

    def is_due(self, params: SimulationParams, sim_time: float) -> bool:
        """Whether a step shall show the figures."""
        if self.window is None:
            return False
        return sim_time - self.shown_at > (params.timestep if params.gui else 1.0)

    def _frame_of(self, core: Any) -> MonitorFrame:
        now = time.monotonic()
        params = core._params
        by_number = sorted(core._sim_objects, key=lambda obj: obj.object_id)
        return MonitorFrame(
            sim_time=core._elapsed_sim_time,
            real_time=now - core._start_time if core._start_time else 0.0,
            target_rtf=params.target_rtf,
            actual_rtf=self._speed(now, core._elapsed_sim_time),
            timestep=params.timestep,
            physics_enabled=params.physics,
            agents=len(core._agents),
            objects=len(core._sim_objects) - len(core._agents),
            active_collisions=core._collisions.active_count,
            collisions=core._collisions.count,
            steps=core._step_count,
            paused=core.is_paused,
            entities=tuple(_entity(obj) for obj in by_number),
            selected_entity=_selected_state(core),
            follow_enabled=core.gui_follow_enabled,
        )

    def _speed(self, now: float, simulated: float) -> float:
        history = self.speed_history
        history.append((now, simulated))
        while now - history[0][0] > _SPEED_WINDOW:
            history.popleft()
        wall = history[-1][0] - history[0][0]
        return (history[-1][1] - history[0][1]) / wall if wall > 0 else 0.0


def _entity(obj: SimObject) -> MonitorEntity:
    name = obj.name or f"entity-{obj.object_id}"
    return MonitorEntity(obj.object_id, name, type(obj).__name__)


def _selected_state(core: Any) -> SelectedEntityMonitorState | None:
    selected = core._requests.selected_object(core)
    if selected is None:
        return None
    pose = selected.get_pose()
    action = selected.get_current_action() if isinstance(selected, Agent) else None
    number = selected.object_id
    return SelectedEntityMonitorState(
        entity=_entity(selected),
        position=(pose.x, pose.y, pose.z),
        orientation=tuple(pose.orientation),  # type: ignore[arg-type]
        action_type=None if action is None else type(action).__name__,
        action_status=None if action is None else action.status.value,
        queued_actions=(selected.get_action_queue_size() if isinstance(selected, Agent) else 0),
        attached_objects=len(selected.attached_objects),
        active_collisions=sum(number in pair for pair in core._collisions.active_list()),
    )
