"""Peg: put a peg into a hole that is 4 mm wider."""

from __future__ import annotations

from typing import Any

import numpy as np

from unibody.envs.building import TaskScene
from unibody.envs.draws import Draws
from unibody.envs.rotations import up_axis
from unibody.envs.simulation import Simulation
from unibody.envs.task import View, Worlds
from unibody.envs.tasks.handling import Handling, put, turned

_WIDTH, _LENGTH = 0.03, 0.10  # m
_FLOOR = 0.01  # m: of the hole above the ground


class Peg(Handling):
    """Grip the peg, which stands, and put it into the hole of a socket; it goes 5 cm down."""

    view = View(eye=(0.5, -0.5, 0.42), target=(0.0, 0.0, 0.08))
    near = 0.01

    def add_objects(self, scene: TaskScene) -> None:  # noqa: D102
        size, friction = (_WIDTH, _WIDTH, _LENGTH), (1.0, 0.005, 0.0)
        scene.add_box("block", size, (-0.1, 0.0, _LENGTH / 2), mass=0.1, friction=friction)
        scene.add_model("socket", "socket.xml", friction=(0.3, 0.0, 0.0))

    def place(self, sim: Simulation, worlds: Worlds, draws: Draws) -> None:
        """Peg and socket on different sides."""
        count = len(worlds)
        side = np.where(draws.uniform(0.0, 1.0, (count,)) < 0.5, -1.0, 1.0)
        low, high = np.array([0.07, -0.14]), np.array([0.15, 0.14])
        peg, socket = (draws.uniform(low, high, (count, 2)) for _ in range(2))
        peg[:, 0] *= side
        socket[:, 0] *= -side
        put(sim, worlds, "block", peg)
        turned(sim, worlds, "block", draws.uniform(-0.2, 0.2, (count,)))
        sim.worlds.mocap_pos[worlds, sim.records["socket"].mocap, :2] = socket
        self.goal[worlds, :2], self.goal[worlds, 2] = socket, _FLOOR + _LENGTH / 2

    def success(self, sim: Simulation) -> Any:
        """The peg is at the bottom of the hole, and upright."""
        return super().success(sim) & (up_axis(sim.xquat[:, self.block])[:, 2] > 0.99)

    def reward_terms(self, sim: Simulation, actions: Any) -> dict[str, Any]:  # noqa: D102
        terms = super().reward_terms(sim, actions)
        terms["upright"] = -0.2 * (1.0 - up_axis(sim.xquat[:, self.block])[:, 2])
        return terms
