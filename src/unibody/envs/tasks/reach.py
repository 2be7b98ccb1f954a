"""Reach: bring the tip of an arm to a point."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from unibody.core.engine.records.options import DriveDefaults
from unibody.core.engine.records.rule_table import DriveMode
from unibody.envs.building import TaskScene
from unibody.envs.draws import Draws
from unibody.envs.rotations import row_sum
from unibody.envs.simulation import Simulation
from unibody.envs.task import Task, View, Worlds, symmetric, unlimited

if TYPE_CHECKING:
    from gymnasium import spaces
    from numpy.typing import NDArray

    from unibody.envs.simulation import Joints

_NEAR = 0.05  # m: that is there
_STRIDE = 0.08  # rad: how far an action of 1 moves a joint's target
_START = (0.0, 0.5, 1.2, 0.0, 0.6, 0.0)  # rad
_LOW, _HIGH = (0.25, -0.4, 0.15), (0.6, 0.4, 0.65)  # m: where goals are
_PULL = (60.0, 80.0, 60.0, 20.0, 20.0, 10.0)  # Nm


class Reach(Task):
    """Actions move the targets of six PD drives."""

    timestep: ClassVar[float] = 0.01
    substeps: ClassVar[int] = 4
    view: ClassVar[View] = View(eye=(1.5, -1.3, 1.1), target=(0.2, 0.0, 0.35))

    def __init__(self) -> None:
        self.action_space: spaces.Space[Any] = symmetric(6)
        self.observation_space: spaces.Box = unlimited(24)

    def build(self, scene: TaskScene) -> None:  # noqa: D102
        scene.add_ground(tile=0.2)
        drives = DriveDefaults(DriveMode.PD, kp=400.0, kd=40.0, limit=60.0)
        scene.add_model("arm", "arm.xml", drives=drives)
        scene.add_marker("goal", 0.03, (0.2, 0.75, 0.3, 1.0))

    def prepare(self, sim: Simulation) -> None:  # noqa: D102
        self.joints: Joints = sim.joints()
        self.tip: int = sim.link("tip")
        self.marker: int = sim.records["goal"].mocap
        self.goal: NDArray[np.float64] = np.zeros((sim.count, 3))
        self.target: NDArray[np.float64] = np.zeros((sim.count, 6))
        sim.hold(self.joints, 400.0, 40.0, np.array(_PULL))

    def reset(self, sim: Simulation, worlds: Worlds, draws: Draws) -> None:  # noqa: D102
        start = np.array(_START) + draws.uniform(-0.1, 0.1, (len(worlds), 6))
        sim.qpos[worlds[:, None], self.joints.qpos] = start
        self.target[worlds] = start
        sim.aim(self.joints, self.target)
        self.goal[worlds] = draws.uniform(np.array(_LOW), np.array(_HIGH), (len(worlds), 3))
        sim.worlds.mocap_pos[worlds, self.marker] = self.goal[worlds]

    def act(self, sim: Simulation, actions: Any) -> None:  # noqa: D102
        moved = self.target + _STRIDE * np.clip(actions, -1.0, 1.0)
        self.target[:] = np.clip(moved, self.joints.lower, self.joints.upper)
        sim.aim(self.joints, self.target)

    def _off(self, sim: Simulation) -> Any:
        return self.goal - sim.xpos[:, self.tip]

    def _distance(self, sim: Simulation) -> Any:
        x, y, z = self._off(sim).T
        return np.sqrt(x * x + y * y + z * z)

    def observe(self, sim: Simulation) -> Any:
        """Angles, rates and targets of the joints, place of the tip, way to the goal [m]."""
        q = sim.qpos[:, self.joints.qpos]
        v = sim.qvel[:, self.joints.dof]
        tip = sim.xpos[:, self.tip]
        return np.concatenate([q, 0.2 * v, self.target - q, tip, self._off(sim)], axis=1)

    def success(self, sim: Simulation) -> Any:
        """The tip is within 5 cm of the goal."""
        return self._distance(sim) < _NEAR

    def reward_terms(self, sim: Simulation, actions: Any) -> dict[str, Any]:  # noqa: D102
        squares = np.clip(actions, -1.0, 1.0).astype(np.float64) ** 2
        return {
            "distance": -self._distance(sim),
            "there": np.where(self.success(sim), 0.5, 0.0),
            "effort": -0.005 * row_sum(squares),
        }
