"""Figures of a running simulation, in a file and in a window."""

from __future__ import annotations

import contextlib
import json
import os
import tempfile
import threading
from collections.abc import Callable
from dataclasses import asdict
from typing import Any

from unibody.fleet.foundation.defaults import SIMULATION as D
from unibody.fleet.foundation.loggers import LazyLogger, get_lazy_logger
from unibody.fleet.foundation.private_files import write_whole
from unibody.fleet.monitoring.gui_commands import GuiCommand, GuiCommandType, MonitorFrame

logger: LazyLogger = get_lazy_logger("pybullet_fleet.data_monitor")
_FIELDS = (
    ("Sim time", "{sim_time:.1f} s"),
    ("Real time", "{real_time:.1f} s"),
    ("Target RTF", "{target_rtf:.1f}x"),
    ("Actual RTF", "{actual_rtf:.1f}x"),
    ("Time step", "{time_step:.4f} s"),
    ("Physics", "{physics}"),
    ("Agents", "{agents}"),
    ("Objects", "{objects}"),
    ("Colliding", "{active_collisions}"),
    ("Collisions", "{collisions}"),
    ("Steps", "{steps}"),
)


class DataMonitor:
    """Writes figures of a simulation to a file, and shows them in a window where there can be one.

    Args:
        title: Of the window.
        enable_gui: Open it.
        width: Of the window.
        height: Of the window.
        x: Its place; negative: wherever.
        y: Its place.
        initial_target_rtf: Shown before the first figures.
        initial_timestep: Shown before the first figures.
    """

    def __init__(
        self,
        title: str = "Simulation Monitor",
        enable_gui: bool = True,
        width: int = D["monitor_width"],
        height: int = D["monitor_height"],
        x: int = D["monitor_x"],
        y: int = D["monitor_y"],
        initial_target_rtf: float | None = None,
        initial_timestep: float | None = None,
    ) -> None:
        self.title = title
        self.enable_gui = enable_gui
        self.running = False
        self.data_file: str = os.path.join(tempfile.gettempdir(), "pybullet_sim_data.json")
        self.update_interval: float = 0.5  # s
        self.command_sink: Callable[[GuiCommand], bool] | None = None
        self.monitor_thread: threading.Thread | None = None
        self.initial_target_rtf = initial_target_rtf
        self.initial_timestep = initial_timestep
        self.geometry_string: str = f"{width}x{height}" + (f"+{x}+{y}" if x >= 0 and y >= 0 else "")
        self.window: Any = None
        self.status_label: Any = None
        self._labels: dict[str, Any] = {}
        self._latest: dict[str, Any] = {}

    def start(self) -> None:
        """Begin; opens the window in a thread of its own."""
        if self.running:
            return
        self.running = True
        if self.enable_gui:
            self.monitor_thread = threading.Thread(target=self._run_monitor, daemon=True)
            self.monitor_thread.start()

    def stop(self) -> None:
        """End; the window closes itself."""
        self.running: bool = False

    def set_command_sink(self, sink: Callable[[GuiCommand], bool]) -> None:
        """Where requests from the window go."""
        self.command_sink = sink

    def write_data(self, sim_data: dict[str, Any]) -> None:
        """Write figures to the file, all at once; a folder that cannot be written is no error."""
        self._latest = sim_data
        with contextlib.suppress(OSError, TypeError, ValueError):
            write_whole(self.data_file, [json.dumps(sim_data)])

    def write_frame(self, frame: MonitorFrame) -> None:
        """Write the state of a simulation."""
        data = asdict(frame)
        data["time_step"] = data.pop("timestep")
        data["physics"] = "enabled" if data.pop("physics_enabled") else "disabled"
        data["frequency"] = 1 / frame.timestep
        self.write_data(data)

    def _submit_command(self, command: GuiCommandType, **kwargs: Any) -> bool:
        if self.command_sink is None:
            return False
        accepted = self.command_sink(GuiCommand(command=command, **kwargs))
        if not accepted and self.status_label is not None:
            self.status_label.config(text="Status: Command queue is full; request was not applied")
        return accepted

    def _clear_selection(self) -> None:
        self._submit_command(GuiCommandType.SELECT_ENTITY, entity_id=None)

    def _run_monitor(self) -> None:
        try:
            import tkinter
        except ImportError:
            logger.warning("tkinter is not installed: no monitor window, only its file")
            return
        try:
            self.window = tkinter.Tk()
        except tkinter.TclError as problem:
            logger.warning("no monitor window: %s", problem)
            return
        self._build(tkinter)
        self.window.after(int(self.update_interval * 1000), self._refresh)
        self.window.mainloop()

    def _build(self, tkinter: Any) -> None:
        window = self.window
        window.title(self.title)
        window.geometry(self.geometry_string)
        for row, (name, _) in enumerate(_FIELDS):
            tkinter.Label(window, text=name, anchor="w").grid(row=row, column=0, sticky="w")
            self._labels[name] = tkinter.Label(window, text="--", anchor="w")
            self._labels[name].grid(row=row, column=1, sticky="w")
        commands = (
            ("Pause", GuiCommandType.PAUSE),
            ("Resume", GuiCommandType.RESUME),
            ("Step", GuiCommandType.SINGLE_STEP),
        )
        for column, (name, command) in enumerate(commands):
            button = tkinter.Button(
                window, text=name, command=lambda command=command: self._submit_command(command)
            )
            button.grid(row=len(_FIELDS), column=column)
        self.status_label = tkinter.Label(window, text="Status: waiting for data")
        self.status_label.grid(row=len(_FIELDS) + 1, column=0, columnspan=3, sticky="w")

    def _refresh(self) -> None:
        if not self.running:
            self.window.destroy()
            return
        if self._latest:
            for name, form in _FIELDS:
                self._labels[name].config(text=form.format(**self._latest))
            state = "paused" if self._latest.get("paused") else "running"
            self.status_label.config(text=f"Status: {state}")
        self.window.after(int(self.update_interval * 1000), self._refresh)
