"""Pendulum: swing a rod up and hold it, with a motor that is too weak to lift it."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from gymnasium import spaces

from unibody.envs.building import TaskScene
from unibody.envs.draws import Draws
from unibody.envs.simulation import Simulation
from unibody.envs.task import Task, View, Worlds

_TORQUE = 2.0  # Nm
_SPEED = 8.0  # rad/s


class Pendulum(Task):
    """The task of Gymnasium's Pendulum-v1, but for its limit on speed, which holds for starts."""

    timestep: ClassVar[float] = 0.025
    substeps: ClassVar[int] = 2
    view: ClassVar[View] = View(eye=(0.0, -4.0, 1.2), target=(0.0, 0.0, 1.2))

    def __init__(self) -> None:
        high = np.array([1.0, 1.0, np.inf], np.float32)
        self.action_space: spaces.Space[Any] = spaces.Box(-_TORQUE, _TORQUE, (1,), np.float32)
        self.observation_space: spaces.Box = spaces.Box(-high, high, dtype=np.float32)

    def build(self, scene: TaskScene) -> None:  # noqa: D102
        scene.add_model("pendulum", "pendulum.xml")

    def reset(self, sim: Simulation, worlds: Worlds, draws: Draws) -> None:  # noqa: D102
        sim.qpos[worlds] = draws.uniform(-np.pi, np.pi, (len(worlds), 1))
        sim.qvel[worlds] = draws.uniform(-1.0, 1.0, (len(worlds), 1))

    def act(self, sim: Simulation, actions: Any) -> None:  # noqa: D102
        self._angle = sim.qpos[:, 0].copy()  # the reward is of the state that the action met
        self._rate = sim.qvel[:, 0].copy()
        sim.effort[:, 0] = np.clip(actions[:, 0], -_TORQUE, _TORQUE)

    def observe(self, sim: Simulation) -> Any:
        """Cosine and sine of the angle from upright, its rate [rad/s]."""
        angle = sim.qpos[:, 0]
        return np.stack([np.cos(angle), np.sin(angle), sim.qvel[:, 0]], axis=1)

    def reward_terms(self, sim: Simulation, actions: Any) -> dict[str, Any]:  # noqa: D102
        angle = (self._angle + np.pi) % (2.0 * np.pi) - np.pi
        torque = np.clip(actions[:, 0], -_TORQUE, _TORQUE).astype(np.float64)
        rate = np.clip(self._rate, -_SPEED, _SPEED)
        return {
            "angle": -(angle**2),
            "speed": -0.1 * rate**2,
            "torque": -0.001 * torque**2,
        }
