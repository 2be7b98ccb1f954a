"""Acrobot: swing the end of two links above a line, with a motor between them alone."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from gymnasium import spaces

from unibody.envs.building import TaskScene
from unibody.envs.draws import Draws
from unibody.envs.simulation import Simulation
from unibody.envs.task import Task, View, Worlds, unlimited

_TORQUE = 1.0  # Nm


class Acrobot(Task):
    """Sutton's task (1996), with the sizes of Gymnasium's Acrobot-v1."""

    timestep: ClassVar[float] = 0.05
    substeps: ClassVar[int] = 4
    view: ClassVar[View] = View(eye=(0.0, -7.0, 2.2), target=(0.0, 0.0, 2.2))

    def __init__(self) -> None:
        self.action_space: spaces.Space[Any] = spaces.Discrete(3)
        self.observation_space: spaces.Box = unlimited(6)

    def build(self, scene: TaskScene) -> None:  # noqa: D102
        scene.add_model("acrobot", "acrobot.xml")

    def prepare(self, sim: Simulation) -> None:  # noqa: D102
        self.elbow: int = int(sim.joints(["elbow"]).dof[0])

    def reset(self, sim: Simulation, worlds: Worlds, draws: Draws) -> None:  # noqa: D102
        sim.qpos[worlds] = draws.uniform(-0.1, 0.1, (len(worlds), 2))
        sim.qvel[worlds] = draws.uniform(-0.1, 0.1, (len(worlds), 2))

    def act(self, sim: Simulation, actions: Any) -> None:  # noqa: D102
        sim.effort[:, self.elbow] = _TORQUE * (np.asarray(actions) - 1)

    def observe(self, sim: Simulation) -> Any:
        """Cosines and sines of both angles, and their rates [rad/s]."""
        one, two = sim.qpos[:, 0], sim.qpos[:, 1]
        angles = [np.cos(one), np.sin(one), np.cos(two), np.sin(two)]
        return np.stack([*angles, sim.qvel[:, 0], sim.qvel[:, 1]], axis=1)

    def success(self, sim: Simulation) -> Any:
        """The end is 1 m above the pivot."""
        one, two = sim.qpos[:, 0], sim.qpos[:, 1]
        return -np.cos(one) - np.cos(one + two) > 1.0

    def reward_terms(self, sim: Simulation, actions: Any) -> dict[str, Any]:  # noqa: D102
        return {"time": np.where(self.success(sim), 0.0, -1.0)}

    def terminated(self, sim: Simulation) -> Any:  # noqa: D102
        return self.success(sim)
