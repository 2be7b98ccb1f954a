"""The time of a simulation: what a step spends, and how fast steps follow one another."""

from __future__ import annotations

import time
from typing import Any

from unibody.fleet.foundation.loggers import LazyLogger, get_lazy_logger

logger: LazyLogger = get_lazy_logger("pybullet_fleet.core_simulation")


class Clock:
    """Where the time of a step goes; costs nothing where nobody wants to know."""

    def __init__(self, stats: dict[str, list[float]] | None) -> None:
        self.measuring: bool = stats is not None
        if stats is None:
            return
        self._stats = stats
        for data in stats.values():
            data.append(0.0)
        self._begin = self._last = time.perf_counter()

    def lap(self, *names: str) -> None:
        """Add the time since the last call to some of the parts."""
        if not self.measuring:
            return
        now = time.perf_counter()
        for name in names:
            self._stats[name][-1] += (now - self._last) * 1000
        self._last = now

    def end(self) -> None:
        """Set the time of the whole step."""
        self._stats["total"][-1] = (time.perf_counter() - self._begin) * 1000


class Pace:
    """Keeps a simulation at its real-time factor."""

    def __init__(self, core: Any) -> None:
        self._core = core
        self._start = time.monotonic()
        self._paused = False
        self._work = 0.0
        self._clocks = (time.time(), self._start)

    def step(self) -> None:
        """Do as many steps as are due, or wait."""
        core = self._core
        factor = core._params.target_rtf
        if factor <= 0:
            core.step_once()
            if core.is_paused:
                time.sleep(0.01)
            return
        now = time.monotonic()
        self._watch_clocks(now)
        simulated = core._elapsed_sim_time
        if core._pacing_rebase_requested or (self._paused and not core.is_paused):
            self._start = now - simulated / factor
            core._pacing_rebase_requested = False
            self._work = 0.0
        self._paused = core.is_paused
        behind = (now - self._start) * factor - simulated
        slept = 0.0
        if behind > 0:
            due = int(behind / core._params.timestep)
            for _ in range(max(1, min(due, core._params.max_steps_per_frame))):
                core.step_once()
        else:
            slept = self._wait(-behind / factor)
        self._work = time.monotonic() - now - slept

    def _wait(self, ahead: float) -> float:
        params = self._core._params
        shortest = 1.0 / params.gui_min_fps if params.gui else params.timestep
        sleep = ahead - self._work
        if sleep <= 0:
            sleep = shortest if sleep > -shortest else 0.0
        longest = max(shortest, params.timestep / params.target_rtf) * params.max_sleep_frames
        if sleep > longest:
            logger.warning(
                f"run_simulation: clamping sleep {sleep:.2f}s -> {longest:.2f}s at step "
                f"{self._core.step_count}"
            )
            sleep = max(0.0, longest)
        time.sleep(sleep)
        return sleep

    def _watch_clocks(self, now: float) -> None:
        wall = time.time()
        jump = (wall - self._clocks[0]) - (now - self._clocks[1])
        self._clocks = (wall, now)
        if abs(jump) > 0.5:
            logger.warning(
                f"run_simulation: wall clock jumped {jump:.2f}s at step {self._core.step_count} — "
                "pacing uses the monotonic clock, so this does not affect the simulation."
            )
