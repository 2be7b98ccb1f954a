"""What a task writes: its bodies, how an episode begins, observations, rewards, the end."""

from __future__ import annotations

import abc
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from unibody.core.assets.description import Vec3
from unibody.envs.building import TaskScene
from unibody.envs.draws import Draws
from unibody.envs.randomization import Curriculum, Randomization
from unibody.envs.simulation import Simulation

Array = NDArray[Any]
Worlds = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class View:
    """How a task is looked at.

    Attributes:
        eye: Where the camera is [m].
        target: What it looks at [m].
        follow: Name of a link that both move along with on the ground; "": they stay.
        width: Of the picture [pixels].
        height: Of the picture [pixels].
    """

    eye: Vec3 = (3.0, -3.0, 2.0)
    target: Vec3 = (0.0, 0.0, 0.5)
    follow: str = ""
    width: int = 480
    height: int = 360


class Task(abc.ABC):
    """A task of any number of worlds; all arrays have the world as their first axis.

    Attributes:
        timestep: Of the physics [s].
        substeps: Time steps of the physics in a step of the environment.
        view: How it is looked at.
        randomization: What is drawn anew for each episode, by default.
        curriculum: How levels of difficulty change, if the task has any.
    """

    timestep: ClassVar[float] = 0.01
    substeps: ClassVar[int] = 1
    view: ClassVar[View] = View()
    randomization: ClassVar[tuple[Randomization, ...]] = ()
    curriculum: ClassVar[Curriculum | None] = None

    action_space: spaces.Space[Any]
    observation_space: spaces.Box

    @abc.abstractmethod
    def build(self, scene: TaskScene) -> None:
        """Add the bodies of a world."""

    def prepare(self, sim: Simulation) -> None:  # noqa: B027 - few have nothing to look up
        """Look up where things are, once; what is set here is where episodes begin."""

    @abc.abstractmethod
    def reset(self, sim: Simulation, worlds: Worlds, draws: Draws) -> None:
        """Begin an episode in some worlds, which are back in their home state."""

    @abc.abstractmethod
    def act(self, sim: Simulation, actions: Array) -> None:
        """Put actions into effect, before the physics is stepped."""

    @abc.abstractmethod
    def observe(self, sim: Simulation) -> Array:
        """Observations, (N, numbers)."""

    @abc.abstractmethod
    def reward_terms(self, sim: Simulation, actions: Array) -> dict[str, Array]:
        """Terms of the reward by name, (N,) each; the reward is their sum."""

    def terminated(self, sim: Simulation) -> Array:
        """Where the episode has ended, (N,) of bool."""
        return np.zeros(sim.count, np.bool_)

    def success(self, sim: Simulation) -> Array | None:
        """Where the goal is reached, (N,) of bool; None: the task has none."""
        return None

    def progress(self, sim: Simulation) -> Array:
        """How well the episode went, 0 to 1, (N,); for the curriculum.

        Without a goal an episode went well that was not ended before its time.
        """
        done = self.success(sim)
        well = ~np.asarray(self.terminated(sim), np.bool_) if done is None else done
        return well.astype(np.float64)


def unlimited(size: int) -> spaces.Box:
    """A space of observations without bounds."""
    return spaces.Box(-np.inf, np.inf, (size,), np.float32)


def symmetric(size: int) -> spaces.Box:
    """A space of actions from -1 to 1."""
    return spaces.Box(-1.0, 1.0, (size,), np.float32)
