"""Drawer: pull a drawer open by its handle."""

from __future__ import annotations

from typing import Any

import numpy as np

from unibody.envs.building import TaskScene
from unibody.envs.draws import Draws
from unibody.envs.simulation import Joints, Simulation
from unibody.envs.task import View, Worlds
from unibody.envs.tasks.handling import Handling

_OPEN = 0.15  # m
_HANDLE = (0.0, -0.16, 0.13)  # m in the cabinet's frame, while the drawer is closed


class Drawer(Handling):
    """Grip the handle, and pull along -y against the friction of the drawer."""

    view = View(eye=(0.5, -0.6, 0.5), target=(0.0, 0.08, 0.1))

    def add_objects(self, scene: TaskScene) -> None:  # noqa: D102
        scene.add_model("cabinet", "cabinet.xml")

    def prepare(self, sim: Simulation) -> None:  # noqa: D102
        super().prepare(sim)
        self.slide: Joints = sim.joints(["slide"])

    def place(self, sim: Simulation, worlds: Worlds, draws: Draws) -> None:
        """The cabinet stands somewhere before the gripper."""
        low, high = np.array([-0.15, 0.22, 0.0]), np.array([0.15, 0.28, 0.0])
        place = draws.uniform(low, high, (len(worlds), 3))
        sim.worlds.mocap_pos[worlds, sim.records["cabinet"].mocap] = place
        self.goal[worlds] = place + np.array(_HANDLE) - np.array([0.0, _OPEN, 0.0])

    def _pulled(self, sim: Simulation) -> Any:
        """How far the drawer is open, (N,) [m]."""
        return sim.qpos[:, self.slide.qpos[0]]

    def success(self, sim: Simulation) -> Any:
        """The drawer is open by 15 cm."""
        return self._pulled(sim) > _OPEN - 0.01

    def reward_terms(self, sim: Simulation, actions: Any) -> dict[str, Any]:  # noqa: D102
        terms = super().reward_terms(sim, actions)
        terms["open"] = self._pulled(sim) / _OPEN
        return terms
