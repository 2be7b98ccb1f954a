"""What tasks have in common in which a robot is to go forward, along x."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from unibody.core.engine.records.options import SelfCollision
from unibody.envs.building import TaskScene
from unibody.envs.draws import Draws
from unibody.envs.rotations import row_sum, up_axis
from unibody.envs.simulation import Simulation
from unibody.envs.task import Task, Worlds, symmetric, unlimited

if TYPE_CHECKING:
    from gymnasium import spaces
    from numpy.typing import NDArray

    from unibody.envs.simulation import Joints


@dataclass(frozen=True, slots=True)
class Walker:
    """A robot that goes, and what it is paid for.

    Attributes:
        file: Its model.
        base: Name of the link that goes.
        torques: Of its motors at an action of 1, in the order of the joints [Nm].
        pose: Joint angles at the start, in the same order [rad]; none: zeros.
        heights: The base is between them, or the episode ends [m].
        upright: Cosine of the base's tilt, below which the episode ends.
        forward: Reward for speed along x [s/m].
        alive: Reward for each step.
        effort: Price of the squares of all actions.
        fastest: Speed along x beyond which nothing more is paid [m/s].
        jitter: Of joint angles at the start [rad].
    """

    file: str
    base: str
    torques: tuple[float, ...]
    pose: tuple[float, ...] = ()
    heights: tuple[float, float] = (0.0, 10.0)
    upright: float = -1.0
    forward: float = 1.0
    alive: float = 1.0
    effort: float = 0.05
    fastest: float = 10.0
    jitter: float = 0.05


class Walking(Task):
    """Go forward with a base that is free to move."""

    walker: ClassVar[Walker]

    def __init__(self) -> None:
        count = len(self.walker.torques)
        self.action_space: spaces.Space[Any] = symmetric(count)
        self.observation_space: spaces.Box = unlimited(11 + 2 * count)

    def build(self, scene: TaskScene) -> None:  # noqa: D102
        scene.add_ground()
        scene.add_model("robot", self.walker.file, self_collision=SelfCollision.EXCLUDE_ALL_PARENTS)

    def prepare(self, sim: Simulation) -> None:  # noqa: D102
        walker = self.walker
        self.base: int = sim.link(walker.base)
        self.joints: Joints = sim.joints()
        self.torques: NDArray[Any] = np.array(walker.torques)
        if walker.pose:
            sim.qpos[:, self.joints.qpos] = walker.pose

    def reset(self, sim: Simulation, worlds: Worlds, draws: Draws) -> None:  # noqa: D102
        count, span = len(self.torques), self.walker.jitter
        rows = worlds[:, None]
        sim.qpos[rows, self.joints.qpos] += draws.uniform(-span, span, (len(worlds), count))
        sim.qvel[rows, self.joints.dof] = draws.uniform(-span, span, (len(worlds), count))

    def act(self, sim: Simulation, actions: Any) -> None:  # noqa: D102
        self._before = sim.xpos[:, self.base, 0].copy()
        sim.effort[:, self.joints.dof] = np.clip(actions, -1.0, 1.0) * self.torques

    def observe(self, sim: Simulation) -> Any:
        """Height, orientation, velocities of the base; angles and a tenth of rates of joints."""
        quat = sim.xquat[:, self.base]
        sign = np.where(quat[:, :1] < 0.0, -1.0, 1.0)
        return np.concatenate(
            [
                sim.xpos[:, self.base, 2:],
                quat * sign,
                sim.linear[:, self.base],
                sim.angular[:, self.base],
                sim.qpos[:, self.joints.qpos],
                0.1 * sim.qvel[:, self.joints.dof],
            ],
            axis=1,
        )

    def reward_terms(self, sim: Simulation, actions: Any) -> dict[str, Any]:  # noqa: D102
        walker = self.walker
        speed = (sim.xpos[:, self.base, 0] - self._before) / sim.timestep
        squares = np.clip(actions, -1.0, 1.0).astype(np.float64) ** 2
        return {
            "forward": walker.forward * np.minimum(speed, walker.fastest),
            "alive": np.full(sim.count, walker.alive),
            "effort": -walker.effort * row_sum(squares),
        }

    def terminated(self, sim: Simulation) -> Any:  # noqa: D102
        low, high = self.walker.heights
        height = sim.xpos[:, self.base, 2]
        upright = up_axis(sim.xquat[:, self.base])[:, 2]
        return ~((height > low) & (height < high) & (upright > self.walker.upright))
