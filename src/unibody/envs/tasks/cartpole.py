"""Cart and pole: keep the pole upright by pushing the cart left or right."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from gymnasium import spaces

from unibody.envs.building import TaskScene
from unibody.envs.draws import Draws
from unibody.envs.simulation import Simulation
from unibody.envs.task import Task, View, Worlds, unlimited

_PUSH = 10.0  # N
_RAIL = 2.4  # m
_ANGLE = np.radians(12.0)


class CartPole(Task):
    """Barto, Sutton and Anderson's task (1983), with the sizes of Gymnasium's CartPole-v1."""

    timestep: ClassVar[float] = 0.02
    view: ClassVar[View] = View(eye=(0.0, -5.5, 1.7), target=(0.0, 0.0, 1.3))

    def __init__(self) -> None:
        self.action_space: spaces.Space[Any] = spaces.Discrete(2)
        self.observation_space: spaces.Box = unlimited(4)

    def build(self, scene: TaskScene) -> None:  # noqa: D102
        scene.add_model("cartpole", "cartpole.xml")

    def prepare(self, sim: Simulation) -> None:  # noqa: D102
        self.slider: int = int(sim.joints(["slider"]).dof[0])

    def reset(self, sim: Simulation, worlds: Worlds, draws: Draws) -> None:  # noqa: D102
        sim.qpos[worlds] = draws.uniform(-0.05, 0.05, (len(worlds), 2))
        sim.qvel[worlds] = draws.uniform(-0.05, 0.05, (len(worlds), 2))

    def act(self, sim: Simulation, actions: Any) -> None:  # noqa: D102
        sim.effort[:, self.slider] = np.where(actions == 1, _PUSH, -_PUSH)

    def observe(self, sim: Simulation) -> Any:
        """Place and speed of the cart [m, m/s], angle and its rate of the pole [rad, rad/s]."""
        q, v = sim.qpos, sim.qvel
        return np.stack([q[:, 0], v[:, 0], q[:, 1], v[:, 1]], axis=1)

    def reward_terms(self, sim: Simulation, actions: Any) -> dict[str, Any]:  # noqa: D102
        return {"upright": np.ones(sim.count)}

    def terminated(self, sim: Simulation) -> Any:  # noqa: D102
        return (np.abs(sim.qpos[:, 0]) > _RAIL) | (np.abs(sim.qpos[:, 1]) > _ANGLE)
