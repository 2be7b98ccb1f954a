"""Functions of an object that are called now and then."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


class TimedCalls:
    """Something with functions that `execute_callbacks` calls when their time has come."""

    callbacks: list[dict[str, Any]]

    def register_callback(self, callback: Callable[..., Any], frequency: float = 0.25) -> None:
        """Have a function of the object called by `execute_callbacks`.

        Args:
            callback: The function.
            frequency: Seconds between two calls.
        """
        self.callbacks.append({"func": callback, "frequency": frequency, "last_executed": 0.0})

    def execute_callbacks(self, current_time: float) -> None:
        """Call those functions whose time has come [s]."""
        for entry in self.callbacks:
            if current_time - entry["last_executed"] >= entry["frequency"]:
                entry["func"](self)
                entry["last_executed"] = current_time
