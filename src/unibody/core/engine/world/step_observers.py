"""Who wants to know about every step: a list that is empty, and costs nothing, most of the time.

A surface asks `if observe.observers:` after each step of a world and only then calls
`notify_step`; so a run that nobody watches pays for one truth test a step.
"""

from __future__ import annotations

from typing import Any, Protocol


class StepObserver(Protocol):
    """Something that is told about every step of every world of this process."""

    def on_step(self, timestep: float, contacts: int | None, stepped: Any, /) -> None:
        """Take note of one step, after it is complete.

        Args:
            timestep: Simulated time of the step [s].
            contacts: Number of active contact points at its end; None where nobody counts them.
            stepped: What made it, an object of the surface or of the engine; its efforts are still
                those that acted.
        """
        ...


observers: list[StepObserver] = []
"""The observers, in the order they were added. The list itself is never replaced."""


def add_observer(observer: StepObserver) -> None:
    """Tell an observer about every step from now on; adding it twice has no further effect."""
    if observer not in observers:
        observers.append(observer)


def remove_observer(observer: StepObserver) -> None:
    """Stop telling an observer; an observer that is not on the list is no error."""
    if observer in observers:
        observers.remove(observer)


def notify_step(timestep: float, contacts: int | None, stepped: Any = None) -> None:
    """Tell all observers that one world, or many worlds together, made one step.

    Args:
        timestep: Simulated time of the step [s].
        contacts: Number of active contact points at its end; None where nobody counts them.
        stepped: What made it; None where nobody is to know.

    Raises:
        BaseException: What an observer raises to end a run passes through to the script.
    """
    for observer in tuple(observers):
        observer.on_step(timestep, contacts, stepped)
