"""What the steps of a simulation take: time by part, and memory."""

from __future__ import annotations

import statistics
import tracemalloc
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from unibody.fleet.foundation.loggers import LazyLogger, get_lazy_logger
from unibody.fleet.simulation.clock import Clock

logger: LazyLogger = get_lazy_logger("pybullet_fleet.core_simulation")
PARTS = (
    "agent_update", "phase1_update", "phase2_pose_flush", "phase3_aabb_grid_flush", "callbacks",
    "step_simulation", "collision_check", "events_pre_step", "events_post_step",
    "events_collision", "monitor_update", "total",
)  # fmt: skip
_MEGABYTE = 1024.0 * 1024.0


class Profile:
    """Durations by part of a step, and memory, since the last summary.

    Args:
        interval: Steps between two summaries.

    Attributes:
        stats: Durations by part [ms].
        last: Those of the last step; None if it was not measured.
    """

    def __init__(self, interval: int) -> None:
        self._interval = interval
        self._memory: list[float] = []
        self.stats: dict[str, list[float]] = {name: [] for name in PARTS}
        self.last: Mapping[str, Any] | None = None

    def reset(self) -> None:
        """Forget what was measured."""
        self.last = None
        self._memory.clear()
        for data in self.stats.values():
            data.clear()

    def add(self, name: str, value_ms: float) -> None:
        """Add a duration that somebody else measured to those of this step [ms]."""
        known = self.stats.setdefault(name, [])
        if known:
            known[-1] += value_ms
        elif name not in PARTS:
            known.append(value_ms)

    def end_step(
        self, clock: Clock, breakdown: dict[str, float] | None, steps: int, *, wanted: bool
    ) -> dict[str, Any] | None:
        """Close the measurements of a step.

        Args:
            clock: What measured it.
            breakdown: Of its collision check [ms].
            steps: Steps so far.
            wanted: Return them, and leave them out of the summaries.
        """
        if not clock.measuring:
            return None
        clock.end()
        result: dict[str, Any] = {n: d[-1] for n, d in self.stats.items() if d}
        frozen = dict(result)
        if breakdown is not None:
            result["collision_breakdown"] = breakdown
            frozen["collision_breakdown"] = MappingProxyType(dict(breakdown))
        self.last = MappingProxyType(frozen)
        if wanted:
            for data in self.stats.values():
                if data:
                    data.pop()
            return result
        if steps % self._interval == 0:
            self.tell()
        return None

    def tell(self) -> None:
        """Log the means of the durations, and begin anew."""
        totals = self.stats["total"]
        if not totals:
            return
        whole = statistics.mean(totals)
        parts = []
        for name, data in self.stats.items():
            if data:
                mean = statistics.mean(data)
                share = mean / whole * 100 if whole > 0 else 0.0
                parts.append(f"{name}={mean:.2f}ms ({share:.1f}%)")
        logger.info(f"[PROFILING] Last {len(totals)} steps average: " + ", ".join(parts))
        for data in self.stats.values():
            data.clear()

    def note_memory(self, steps: int) -> None:
        """Take down the memory of Python objects after a step, and log it now and then."""
        now, most = tracemalloc.get_traced_memory()
        self._memory.append(now / _MEGABYTE)
        if steps % self._interval == 0:
            logger.info(
                f"[MEMORY] Last {len(self._memory)} steps: "
                f"current={statistics.mean(self._memory):.2f}MB "
                f"(min={min(self._memory):.2f}, max={max(self._memory):.2f}), "
                f"peak={most / _MEGABYTE:.2f}MB, "
                f"growth={self._memory[-1] - self._memory[0]:+.2f}MB"
            )
            self._memory.clear()
            tracemalloc.reset_peak()


def memory_usage() -> dict[str, float] | None:
    """Memory of Python objects, now and at most [MB]; None if it is not measured."""
    if not tracemalloc.is_tracing():
        return None
    now, most = tracemalloc.get_traced_memory()
    return {"current_mb": now / _MEGABYTE, "peak_mb": most / _MEGABYTE}
