"""Observations of a task: its state, what a camera sees, or several of them."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

import numpy as np
from gymnasium import spaces

from unibody.envs.building import TaskScene
from unibody.envs.pictures import FAR, Pictures
from unibody.envs.simulation import Simulation
from unibody.envs.task import Task, View
from unibody.errors import InvalidArgumentError

KINDS = ("state", "camera", "depth")
_PIXELS = 84  # of the side of a picture, by default


class Observations:
    """What an agent gets to see: arrays of one kind, or a dictionary of several kinds.

    Attributes:
        space: Of one world.
    """

    def __init__(
        self, task: Task, scene: TaskScene, wanted: str | Sequence[str], camera: View | None
    ) -> None:
        """Make them.

        Args:
            task: Has the state.
            scene: Is seen.
            wanted: "state", "camera" (red, green and blue) or "depth" (distances along the view
                [m]), or several of them.
            camera: What it is seen with; None: the task's view, 84 by 84 pixels.

        Raises:
            InvalidArgumentError: There is no such kind, or one is named twice.
        """
        self._one = isinstance(wanted, str)
        self._kinds = (wanted,) if isinstance(wanted, str) else tuple(wanted)
        known = [kind for kind in KINDS if kind in self._kinds]
        if not known or sorted(known) != sorted(self._kinds):
            allowed = f"one of {list(KINDS)}, or several, each once"
            raise InvalidArgumentError("observation", wanted, allowed)
        self._task = task
        view = camera or dataclasses.replace(task.view, width=_PIXELS, height=_PIXELS)
        self._pictures = Pictures(scene, view)
        size = view.height, view.width
        found: dict[str, spaces.Space[Any]] = {
            "state": task.observation_space,
            "camera": spaces.Box(0, 255, (*size, 3), np.uint8),
            "depth": spaces.Box(0.0, FAR, size, np.float32),
        }
        chosen = {kind: found[kind] for kind in known}
        self.space: spaces.Space[Any] = chosen[known[0]] if self._one else spaces.Dict(chosen)

    def of(self, sim: Simulation) -> Any:
        """Observations of all worlds, the world first."""
        found = {kind: self._kind(kind, sim) for kind in self._kinds}
        return found[self._kinds[0]] if self._one else found

    def _kind(self, kind: str, sim: Simulation) -> Any:
        if kind == "camera":
            return self._pictures.colors(sim)
        if kind == "depth":
            return self._pictures.distances(sim)
        return np.asarray(self._task.observe(sim), self._task.observation_space.dtype)

    def close(self) -> None:
        """End the threads."""
        self._pictures.close()


def of_world(observations: Any, world: int) -> Any:
    """The observation of one world."""
    if isinstance(observations, dict):
        return {name: values[world] for name, values in observations.items()}
    return observations[world]


def together(parts: Sequence[Any]) -> Any:
    """The observations of several sets of worlds as those of one."""
    if isinstance(parts[0], dict):
        return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
    return np.concatenate(parts)
