"""Watching a simulation: camera, monitor, selection, and what is asked for there."""

from __future__ import annotations

import dataclasses
import math
import time
from collections import deque
from queue import Empty, Full, Queue
from typing import Any

from unibody.fleet.agents.agent import Agent
from unibody.fleet.convert import euler_from_quat, quat_from_euler
from unibody.fleet.foundation.events import SimEvents
from unibody.fleet.foundation.loggers import get_lazy_logger
from unibody.fleet.monitoring.camera_controller import camera_of
from unibody.fleet.monitoring.data_monitor import DataMonitor
from unibody.fleet.monitoring.gui_commands import (
    GuiCommand,
    GuiCommandType,
    MonitorEntity,
    MonitorFrame,
    SelectedEntityMonitorState,
)
from unibody.fleet.objects.sim_object import SimObject
from unibody.fleet.parameters.simulation_params import SimulationParams
from unibody.fleet.simulation.simulated_objects import ObjectCore

logger = get_lazy_logger("pybullet_fleet.core_simulation")
_SPEED_WINDOW = 10.0  # s: over which the real-time factor is measured
_MOST_COMMANDS = 32
_NEAREST_CAMERA = 1.0  # m


class WatchedCore(ObjectCore):
    """A simulation that can be watched."""

    def __init__(self, params: SimulationParams) -> None:
        super().__init__(params)
        self._step_count = 0
        self._elapsed_sim_time = 0.0
        self._start_time: float | None = None
        self._gui_commands: Queue[GuiCommand] = Queue(maxsize=_MOST_COMMANDS)
        self._single_step_requested = False
        self._simulation_paused = False
        self._selected_entity_id: int | None = None
        self._gui_follow_enabled = False
        self._pacing_rebase_requested = False
        self._last_monitor_frame: MonitorFrame | None = None
        self._last_monitor_update = 0.0
        self._last_logged_collision_count = 0
        self._speed_history: deque[tuple[float, float]] = deque()
        self._data_monitor: DataMonitor | None = None
        self._camera_configured = False
        self.setup_monitor()

    # --- monitor -------------------------------------------------------------------------------

    def setup_monitor(self) -> None:
        """Make the monitor, if there shall be one."""
        params = self._params
        if not params.monitor:
            self._data_monitor = None
            return
        self._data_monitor = DataMonitor(
            "Simulation Monitor",
            enable_gui=params.enable_monitor_gui and params.gui,
            width=params.monitor_width,
            height=params.monitor_height,
            x=params.monitor_x,
            y=params.monitor_y,
            initial_target_rtf=params.target_rtf,
            initial_timestep=params.timestep,
        )
        self._data_monitor.set_command_sink(self.enqueue_gui_command)
        self._data_monitor.start()

    @property
    def last_monitor_frame(self) -> MonitorFrame | None:
        """What the monitor showed last."""
        return self._last_monitor_frame

    def update_monitor(self) -> None:
        """Show the present state."""
        now = time.monotonic()
        frame = self._monitor_frame(now)
        self._last_monitor_frame = frame
        logger.debug(lambda: f"[MONITOR] {frame}")
        if frame.collisions > self._last_logged_collision_count:
            logger.info(f"NEW COLLISION: total={frame.collisions} at sim_time={frame.sim_time:.2f}")
            self._last_logged_collision_count = frame.collisions
        if self._data_monitor is not None:
            self._data_monitor.write_frame(frame)

    def _monitor_frame(self, now: float) -> MonitorFrame:
        params = self._params
        by_number = sorted(self._sim_objects, key=lambda obj: obj.object_id)
        return MonitorFrame(
            sim_time=self._elapsed_sim_time,
            real_time=now - self._start_time if self._start_time else 0.0,
            target_rtf=params.target_rtf,
            actual_rtf=self._measure_speed(now),
            timestep=params.timestep,
            physics_enabled=params.physics,
            agents=len(self._agents),
            objects=len(self._sim_objects) - len(self._agents),
            active_collisions=self._collisions.active_count,
            collisions=self._collisions.count,
            steps=self._step_count,
            paused=self.is_paused,
            entities=tuple(_entity(obj) for obj in by_number),
            selected_entity=self._selected_state(),
            follow_enabled=self._gui_follow_enabled,
        )

    def _measure_speed(self, now: float) -> float:
        history = self._speed_history
        history.append((now, self._elapsed_sim_time))
        while now - history[0][0] > _SPEED_WINDOW:
            history.popleft()
        wall = history[-1][0] - history[0][0]
        return (history[-1][1] - history[0][1]) / wall if wall > 0 else 0.0

    def _selected_state(self) -> SelectedEntityMonitorState | None:
        selected = self._sim_objects_dict.get(
            -1 if self._selected_entity_id is None else (self._selected_entity_id)
        )
        if selected is None:
            if self._selected_entity_id is not None:
                self._set_selected_entity(None, source="system")
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
            active_collisions=sum(number in pair for pair in self._collisions.active_list()),
        )

    # --- commands ------------------------------------------------------------------------------

    @property
    def selected_entity_id(self) -> int | None:
        """Number of the object that is looked at."""
        return self._selected_entity_id

    @property
    def gui_follow_enabled(self) -> bool:
        """Whether the camera follows it."""
        return self._gui_follow_enabled

    def enqueue_gui_command(self, command: GuiCommand) -> bool:
        """Take a request, from any thread; it is done before the next step.

        Returns:
            False if too many wait.

        Raises:
            TypeError: It is none.
        """
        if not isinstance(command, GuiCommand):
            raise TypeError("command must be a GuiCommand")
        try:
            self._gui_commands.put_nowait(command)
        except Full:
            logger.warning("Dropping GUI command because the monitor command queue is full")
            return False
        return True

    def request_single_step(self, source: str = "api") -> bool:
        """Let a paused simulation do one step; False if it is not paused."""
        if not self.is_paused:
            return False
        self._single_step_requested = True
        self.events.emit("gui.single_step_requested", source=source)
        return True

    def _consume_gui_commands(self) -> None:
        while True:
            try:
                command = self._gui_commands.get_nowait()
            except Empty:
                return
            self._do(command)

    def _do(self, command: GuiCommand) -> None:
        kind = command.command
        if kind is GuiCommandType.PAUSE and not self.is_paused:
            self.pause()
        elif kind is GuiCommandType.RESUME and self.is_paused:
            self.resume()
        elif kind is GuiCommandType.SINGLE_STEP:
            self.request_single_step(source=command.source)
        elif kind is GuiCommandType.SELECT_ENTITY:
            self._set_selected_entity(command.entity_id, source=command.source)
        elif kind is GuiCommandType.SET_FOLLOW:
            self._set_gui_follow(bool(command.enabled))
        elif kind is GuiCommandType.SET_SIMULATION_PACING:
            self._set_simulation_pacing(command.target_rtf, command.timestep, command.source)
        elif kind is GuiCommandType.SET_ENTITY_POSE:
            self._set_entity_pose(
                command.entity_id, command.position, command.yaw_radians, command.rpy_radians,
                command.source,
            )  # fmt: skip

    def _set_simulation_pacing(
        self, target_rtf: float | None, timestep: float | None, source: str
    ) -> None:
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
        running = not self.is_paused
        if running:
            self.pause()
        if target_rtf is not None:
            self._params.target_rtf = target_rtf
        if timestep is not None:
            self._params.timestep = timestep
            self._physics_world.session.time_step = timestep
            self._physics_world.session.scene.options.timestep = timestep
            self._physics_world.session.scene.apply_options()
        self._pacing_rebase_requested = True
        self.events.emit(
            "gui.simulation_pacing_changed",
            target_rtf=self._params.target_rtf,
            timestep=self._params.timestep,
            source=source,
        )
        if running:
            self.resume()

    def _set_entity_pose(
        self,
        entity_id: int | None,
        position: Any,
        yaw_radians: float | None,
        rpy_radians: Any,
        source: str,
    ) -> bool:
        entity = None if entity_id is None else self._sim_objects_dict.get(entity_id)
        numbers = [*(position or ()), *(rpy_radians or ()), yaw_radians or 0.0]
        right = position is not None and len(position) == 3
        right = right and (rpy_radians is None or len(rpy_radians) == 3)
        if (
            not self.is_paused
            or entity is None
            or not right
            or not all(map(math.isfinite, numbers))
        ):
            logger.warning(
                f"Ignoring GUI pose edit of entity {entity_id} to {position}, {yaw_radians}, "
                f"{rpy_radians}: the simulation has to be paused, the entity to exist, the "
                "numbers to be finite"
            )
            return False
        orientation: Any = entity.get_pose().orientation
        if rpy_radians is not None:
            orientation = quat_from_euler(*rpy_radians)
        elif yaw_radians is not None:
            roll, pitch, _ = euler_from_quat(orientation)
            orientation = quat_from_euler(roll, pitch, yaw_radians)
        moved = entity.set_pose_raw(position, orientation, preserve_velocity=False)
        if moved:
            self.events.emit("gui.entity_pose_changed", entity_id=entity_id, source=source)
        return moved

    def _set_selected_entity(self, entity_id: int | None, source: str) -> None:
        if entity_id is not None and entity_id not in self._sim_objects_dict:
            logger.warning(f"Ignoring GUI selection for missing entity {entity_id}")
            return
        if self._selected_entity_id == entity_id:
            return
        self._selected_entity_id = entity_id
        if entity_id is None:
            self._gui_follow_enabled = False
        self.events.emit("gui.selection_changed", entity_id=entity_id, source=source)

    def _set_gui_follow(self, enabled: bool) -> None:
        enabled = enabled and self._selected_entity_id is not None
        if self._gui_follow_enabled != enabled:
            self._gui_follow_enabled = enabled
            self.events.emit(
                "gui.follow_changed", entity_id=self._selected_entity_id, enabled=enabled
            )

    def _removed(self, obj: SimObject) -> None:
        super()._removed(obj)
        if self._selected_entity_id == obj.object_id:
            self._set_selected_entity(None, source="system")

    # --- pause ---------------------------------------------------------------------------------

    @property
    def is_paused(self) -> bool:
        """Whether steps do nothing."""
        return self._simulation_paused

    def pause(self) -> None:
        """Let steps do nothing."""
        self._simulation_paused = True
        self.events.emit(SimEvents.PAUSED)

    def resume(self) -> None:
        """Let steps do something again."""
        self._simulation_paused = False
        self.events.emit(SimEvents.RESUMED)

    # --- camera --------------------------------------------------------------------------------

    def setup_camera(
        self,
        camera_config: dict[str, Any] | None = None,
        entity_positions: list[list[float]] | None = None,
    ) -> None:
        """Place the camera; nothing without a picture.

        Args:
            camera_config: ``camera_mode`` "manual" (with ``camera_distance``, ``camera_yaw``,
                ``camera_pitch``, ``camera_target``) or "auto" (with ``camera_view_type``
                "top_down" or "perspective", and ``camera_auto_scale``).
            entity_positions: What to look at; all objects by default [m].
        """
        if not self._params.gui:
            return
        self._camera_configured = True
        config: dict[str, Any] = (
            (self._params.camera_config or {}) if camera_config is None else camera_config
        )
        mode = config.get("camera_mode", "auto")
        if mode == "manual":
            self._place_camera(
                config.get("camera_distance", 10.0),
                config.get("camera_yaw", 0),
                config.get("camera_pitch", -89),
                config.get("camera_target", [0, 0, 0]),
            )
        elif mode == "auto":
            self._place_camera_around(config, entity_positions)
        else:
            logger.warning(f"Unknown camera_mode '{mode}'. Valid modes: ('manual', 'auto')")

    def _place_camera_around(
        self, config: dict[str, Any], positions: list[list[float]] | None
    ) -> None:
        if positions:
            columns = list(zip(*positions, strict=True))
            center = [sum(column) / len(column) for column in columns]
            extent = [max(column) - min(column) for column in columns]
        elif self._sim_objects:
            center, extent = self.compute_scene_bounds()
        else:
            logger.warning("Auto camera mode requested but no objects in simulation")
            return
        top_down = config.get("camera_view_type", "top_down") == "top_down"
        widest = max(extent[:2] if top_down else extent)
        distance = max(widest * config.get("camera_auto_scale", 0.8), _NEAREST_CAMERA)
        yaw, pitch = (0, -89) if top_down else (45, -30)
        self._place_camera(distance, yaw, pitch, center)

    def _place_camera(self, distance: float, yaw: float, pitch: float, target: Any) -> None:
        camera = camera_of(self.client)
        camera.distance, camera.yaw, camera.pitch = float(distance), float(yaw), float(pitch)
        camera.target = [float(value) for value in target]
        logger.info(f"Camera: {self.camera}")

    @property
    def camera(self) -> dict[str, Any]:
        """``distance``, ``yaw``, ``pitch`` and ``target`` of the camera; empty until placed."""
        return dataclasses.asdict(camera_of(self.client)) if self._camera_configured else {}


def _entity(obj: SimObject) -> MonitorEntity:
    name = obj.name or f"entity-{obj.object_id}"
    return MonitorEntity(obj.object_id, name, type(obj).__name__)
