"""Functions and behaviour trees that a simulation calls in its steps."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


class Callbacks:
    """Who is called, how often, and when it was called last.

    Attributes:
        entries: A dictionary each, with ``func``, ``frequency`` and ``last_exec``.
        trees: Behaviour trees, each with the function that is called for it.
    """

    def __init__(self) -> None:
        self.entries: list[dict[str, Any]] = []
        self.trees: list[tuple[Any, Callable[..., Any]]] = []

    def add(self, function: Callable[..., Any], frequency: float | None) -> None:
        """Have a function called; see `MultiRobotSimulationCore.register_callback`."""
        self.entries.append({"func": function, "frequency": frequency, "last_exec": 0.0})

    def remove(self, function: Callable[..., Any]) -> bool:
        """Undo that; False if it was not there."""
        for entry in self.entries:
            if entry["func"] is function or entry["func"] == function:
                self.entries.remove(entry)
                return True
        return False

    def add_tree(self, tree: Any) -> Any:
        """Tick a behaviour tree in every step, and return it.

        Raises:
            TypeError: It has no method ``tick(sim_core, dt)``.
        """
        tick = getattr(tree, "tick", None)
        if not callable(tick):
            raise TypeError("Behavior tree must provide a callable tick(sim_core, dt) method")
        if all(known is not tree for known, _ in self.trees):
            self.add(tick, None)
            self.trees.append((tree, tick))
        return tree

    def remove_tree(self, tree: Any) -> bool:
        """Tick a behaviour tree no more; False if it was not there."""
        for number, (known, tick) in enumerate(self.trees):
            if known is tree:
                del self.trees[number]
                self.remove(tick)
                return True
        return False

    def forget(self, agent: Any) -> None:
        """Tick the trees of an agent no more."""
        for tree, _ in list(self.trees):
            if getattr(tree, "agent", None) is agent:
                self.remove_tree(tree)

    def call(self, core: Any, dt: float) -> None:
        """Call those whose time has come.

        Args:
            core: The simulation.
            dt: Of the step [s].
        """
        now = core.sim_time
        for entry in list(self.entries):
            frequency, last = entry["frequency"], entry["last_exec"]
            if frequency and now - last < 1.0 / frequency:
                continue
            entry["func"](core, now - last if last > 0 else dt)
            entry["last_exec"] = now
