"""Cloth: fold a cloth that lies on the ground, one corner onto the opposite one."""

from __future__ import annotations

from typing import Any

import numpy as np

from unibody.envs.building import TaskScene
from unibody.envs.draws import Draws
from unibody.envs.simulation import Simulation
from unibody.envs.soft import Cloth
from unibody.envs.task import View, Worlds, unlimited
from unibody.envs.tasks.handling import Handling, length

_SIDE, _COUNT = 0.2, 9  # m; particles
_CORNERS = (0, _COUNT - 1, _COUNT * _COUNT - 1, _COUNT * (_COUNT - 1))  # round the cloth
_CLOSED = 0.01  # m: fingers with less way between have closed on what is there
_TIP = np.array([0.0, 0.0, -0.015])  # m from the grip: between the ends of the fingers
_REACH = 0.015  # m from there: particles that fingers hold
_APART = 0.05  # m: the gripper has let go
_MOVED = 0.06  # m that the other corners may have been dragged


class ClothFold(Handling):
    """Fold the first corner over to the third; fingers that close hold what is between them."""

    timestep = 0.01
    substeps = 4
    view = View(eye=(0.5, -0.5, 0.45), target=(0.0, 0.0, 0.05))
    near = 0.04

    def __init__(self) -> None:
        super().__init__()
        self.observation_space = unlimited(26)

    def add_objects(self, scene: TaskScene) -> None:  # noqa: D102
        scene.cloth = Cloth(_SIDE, _COUNT)

    def prepare(self, sim: Simulation) -> None:  # noqa: D102
        self.prepare_gripper(sim)
        self.cloth: Any = sim.soft
        self.start = np.zeros((sim.count, 4, 3))

    def place(self, sim: Simulation, worlds: Worlds, draws: Draws) -> None:
        """The cloth lies flat, turned by any angle."""
        count = len(worlds)
        middle, turn = draws.uniform(-0.08, 0.08, (count, 2)), draws.uniform(0.0, 6.28, (count,))
        x, y, _ = Cloth(_SIDE, _COUNT).points().T
        cos, sin = np.cos(turn)[:, None], np.sin(turn)[:, None]
        flat = np.full((count, len(x)), 0.004)
        places = [cos * x - sin * y + middle[:, :1], sin * x + cos * y + middle[:, 1:], flat]
        self.cloth.put(worlds.tolist(), np.stack(places, axis=2))
        self.start[worlds] = self.corners()[worlds]

    def act(self, sim: Simulation, actions: Any) -> None:  # noqa: D102
        super().act(sim, actions)
        wide = sim.qpos[:, self.fingers.qpos[0]]
        tip = self.grip(sim) + _TIP
        for world in range(sim.count):
            if actions[world][3] >= 0.0:
                self.cloth.let_go(world)
            elif wide[world] < _CLOSED and not self.cloth.holds(world):
                self.cloth.hold(world, self.palm, tip[world], _REACH)

    def corners(self) -> Any:
        """Of the cloth, (N, 4, 3) [m]."""
        return self.cloth.points[:, list(_CORNERS)]

    def observe(self, sim: Simulation) -> Any:
        """Gripper, its speed and way to its target; fingers; ways to the corners and the middle."""
        grip, corners = self.grip(sim), self.corners()
        ways = (corners - grip[:, None]).reshape(-1, 12)
        middle = self.cloth.points[:, _COUNT * _COUNT // 2] - grip
        return np.concatenate([*self.gripper(sim), ways, middle], axis=1)

    def _gap(self) -> Any:
        corners = self.corners()
        return length(corners[:, 0] - corners[:, 2])

    def _dragged(self) -> Any:
        """How far the corner that the first one is to reach was moved [m]."""
        return length(self.corners()[:, 2] - self.start[:, 2])

    def success(self, sim: Simulation) -> Any:
        """Both corners are together, near where the third was, and the gripper has let go."""
        apart = length(self.corners()[:, 0] - self.grip(sim)) > _APART
        return (self._gap() < self.near) & (self._dragged() < _MOVED) & apart

    def reward_terms(self, sim: Simulation, actions: Any) -> dict[str, Any]:  # noqa: D102
        first = self.corners()[:, 0]
        return {
            "approach": -0.5 * length(first - self.grip(sim)),
            "fold": -2.0 * self._gap(),
            "drag": -1.0 * self._dragged(),
            "there": np.where(self.success(sim), 1.0, 0.0),
        }
