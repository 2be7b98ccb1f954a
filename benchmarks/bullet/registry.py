"""What a piece of work is, and the list of all of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

Module = Any
"""PyBullet or a module with its API."""


@dataclass(frozen=True)
class Prepared:
    """Work that is ready to be timed.

    Attributes:
        chunk: What is timed; called again and again.
        units: Steps, calls, rays or bodies in one chunk.
        restart: Called before every chunk, not timed; for work that uses its scene up.
        counts_contacts: The contact points at the end are worth reporting.
    """

    chunk: Callable[[], None]
    units: int
    restart: Callable[[], None] | None = None
    counts_contacts: bool = False


@dataclass(frozen=True)
class Work:
    """One line of the report.

    Attributes:
        name: How it is asked for.
        family: Heading it stands under.
        title: What it is, in words.
        unit: "steps/s" (more is better) or "us/call", "us/ray", "ms/body" (less is better).
        prepare: Builds the scene.
    """

    name: str
    family: str
    title: str
    unit: str
    prepare: Callable[[Module], Prepared]

    @property
    def more_is_better(self) -> bool:
        """True for a rate, False for a duration."""
        return self.unit.endswith("/s")


WORKS: dict[str, Work] = {}


def work(
    name: str, family: str, title: str, unit: str
) -> Callable[[Callable[[Module], Prepared]], Callable[[Module], Prepared]]:
    """Register the function below as a piece of work; see ``Work`` for the arguments.

    Raises:
        ValueError: If there is work of this name, which would no longer be measured.
    """

    def register(prepare: Callable[[Module], Prepared]) -> Callable[[Module], Prepared]:
        if name in WORKS:
            raise ValueError(f"there is work of the name {name!r}: {WORKS[name].title}")
        WORKS[name] = Work(name, family, title, unit, prepare)
        return prepare

    return register
