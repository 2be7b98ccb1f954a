"""Hopper: one leg in a plane learns to hop."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from unibody.envs.simulation import Simulation
from unibody.envs.task import View, unlimited
from unibody.envs.tasks.walking import Walker, Walking

if TYPE_CHECKING:
    from gymnasium import spaces

    from unibody.envs.simulation import Joints


class Hopper(Walking):
    """Hop along x; the torso moves in the plane of x and z alone."""

    timestep: ClassVar[float] = 0.005
    substeps: ClassVar[int] = 3
    view: ClassVar[View] = View(eye=(0.0, -4.2, 1.2), target=(0.3, 0.0, 0.8), follow="torso")
    walker: ClassVar[Walker] = Walker(
        file="hopper.xml",
        base="torso",
        torques=(160.0, 160.0, 80.0),
        heights=(0.75, 2.5),
        upright=np.cos(0.5),
        alive=1.0,
        effort=0.01,
        jitter=0.005,
    )

    def __init__(self) -> None:
        super().__init__()
        self.observation_space: spaces.Box = unlimited(11)

    def prepare(self, sim: Simulation) -> None:  # noqa: D102
        super().prepare(sim)
        self.joints: Joints = sim.joints(["hip", "knee", "ankle"])
        self.root: Joints = sim.joints(["root_x", "root_z", "root_pitch"])

    def observe(self, sim: Simulation) -> Any:
        """Height and pitch, their rates and that of x; angles and a tenth of rates of joints."""
        rates = sim.qvel[:, self.root.dof]
        return np.concatenate(
            [
                sim.xpos[:, self.base, 2:],
                sim.qpos[:, self.root.qpos[2:]],
                np.clip(rates, -10.0, 10.0),
                sim.qpos[:, self.joints.qpos],
                0.1 * sim.qvel[:, self.joints.dof],
            ],
            axis=1,
        )
