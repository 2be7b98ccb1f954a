"""Quadruped: follow commanded velocities, on flat and on rough ground."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from unibody.core.assets.description import HeightfieldData
from unibody.core.engine.records.options import DriveDefaults, SelfCollision
from unibody.core.engine.records.rule_table import DriveMode
from unibody.envs.building import TaskScene
from unibody.envs.draws import Draws
from unibody.envs.randomization import Curriculum
from unibody.envs.rotations import rotate_back, row_sum, up_axis
from unibody.envs.simulation import Simulation
from unibody.envs.task import Task, View, Worlds, symmetric, unlimited

if TYPE_CHECKING:
    from gymnasium import spaces
    from numpy.typing import NDArray

    from unibody.envs.simulation import Joints

_STAND = (0.0, 0.8, -1.5) * 4  # rad: hip, thigh and knee of each leg
_SWING = 0.3  # rad that an action of 1 is away from it
_COMMANDS = ((-0.5, -0.3, -0.7), (1.0, 0.3, 0.7))  # m/s forward and left, rad/s about the vertical
_LEVELS = 6
_LANE = 4.0  # m: the rough ground has a lane a level, along x
_LENGTH = 24.0  # m
_CELL = 0.1  # m
_ROUGHEST = 0.10  # m


class QuadrupedFlat(Task):
    """Actions are targets of twelve PD drives, about a stand; each episode has a command."""

    timestep: ClassVar[float] = 0.005
    substeps: ClassVar[int] = 4
    view: ClassVar[View] = View(eye=(-0.9, -1.5, 0.8), target=(0.1, 0.0, 0.2), follow="trunk")

    def __init__(self) -> None:
        self.action_space: spaces.Space[Any] = symmetric(12)
        self.observation_space: spaces.Box = unlimited(48)

    def build(self, scene: TaskScene) -> None:  # noqa: D102
        self.add_floor(scene)
        drives = DriveDefaults(DriveMode.PD, kp=25.0, kd=0.6, limit=24.0)
        apart = SelfCollision.EXCLUDE_ALL_PARENTS
        scene.add_model("robot", "quadruped.xml", drives=drives, self_collision=apart)

    def add_floor(self, scene: TaskScene) -> None:
        """Add what the robot goes on."""
        scene.add_ground()

    def prepare(self, sim: Simulation) -> None:  # noqa: D102
        self.base: int = sim.link("trunk")
        self.joints: Joints = sim.joints()
        self.root: int = sim.records["robot"].qpos
        self.stand: NDArray[Any] = np.array(_STAND)
        self.command: NDArray[np.float64] = np.zeros((sim.count, 3))
        self.last: NDArray[np.float64] = np.zeros((sim.count, 12))
        self.before: NDArray[np.float64] = np.zeros((sim.count, 12))
        self.start: NDArray[np.float64] = np.zeros((sim.count, 2))
        sim.qpos[:, self.joints.qpos] = self.stand
        sim.aim(self.joints, np.broadcast_to(self.stand, (sim.count, 12)))

    def reset(self, sim: Simulation, worlds: Worlds, draws: Draws) -> None:  # noqa: D102
        count, rows = len(worlds), worlds[:, None]
        sim.qpos[rows, self.joints.qpos] = self.stand + draws.uniform(-0.1, 0.1, (count, 12))
        self.command[worlds] = draws.uniform(
            np.array(_COMMANDS[0]), np.array(_COMMANDS[1]), (count, 3)
        )
        self.last[worlds] = self.before[worlds] = 0.0
        self.start[worlds] = self.place(sim, worlds, draws)
        sim.qpos[rows, self.root + np.arange(2)] = self.start[worlds]

    def place(self, sim: Simulation, worlds: Worlds, draws: Draws) -> Any:
        """Where robots start, (worlds, 2) [m]."""
        return draws.uniform(-0.2, 0.2, (len(worlds), 2))

    def act(self, sim: Simulation, actions: Any) -> None:  # noqa: D102
        self.before[:] = self.last
        self.last[:] = np.clip(actions, -1.0, 1.0)
        sim.aim(self.joints, self.stand + _SWING * self.last)

    def _motion(self, sim: Simulation) -> tuple[Any, Any]:
        """Velocity and angular velocity of the trunk in its frame."""
        quat = sim.xquat[:, self.base]
        linear = rotate_back(quat, sim.linear[:, self.base])
        return linear, rotate_back(quat, sim.angular[:, self.base])

    def observe(self, sim: Simulation) -> Any:
        """Motion, the vertical and the command in the trunk's frame; joints; the last action."""
        linear, angular = self._motion(sim)
        up = up_axis(sim.xquat[:, self.base])
        angles = sim.qpos[:, self.joints.qpos] - self.stand
        rates = 0.05 * sim.qvel[:, self.joints.dof]
        parts = [linear, 0.25 * angular, up, self.command, angles, rates, self.last]
        return np.concatenate(parts, axis=1)

    def reward_terms(self, sim: Simulation, actions: Any) -> dict[str, Any]:  # noqa: D102
        linear, angular = self._motion(sim)
        wrong = (linear[:, 0] - self.command[:, 0]) ** 2 + (linear[:, 1] - self.command[:, 1]) ** 2
        turned = (angular[:, 2] - self.command[:, 2]) ** 2
        jerk = row_sum((self.last - self.before) ** 2)
        rates = sim.qvel[:, self.joints.dof]
        return {
            "velocity": np.exp(-4.0 * wrong),
            "turn": 0.5 * np.exp(-4.0 * turned),
            "bounce": -1.0 * linear[:, 2] ** 2,
            "tumble": -0.05 * (angular[:, 0] ** 2 + angular[:, 1] ** 2),
            "smooth": -0.01 * jerk,
            "speed": -2e-5 * row_sum(rates**2),
        }

    def terminated(self, sim: Simulation) -> Any:  # noqa: D102
        return up_axis(sim.xquat[:, self.base])[:, 2] < 0.5


class QuadrupedRough(QuadrupedFlat):
    """The same on lanes of rough ground: a world moves to a rougher one when it gets far."""

    curriculum: ClassVar[Curriculum | None] = Curriculum(_LEVELS, rise=0.8, fall=0.4)

    def add_floor(self, scene: TaskScene) -> None:  # noqa: D102
        columns, rows = int(_LENGTH / _CELL) + 1, int(_LEVELS * _LANE / _CELL) + 1
        y = (np.arange(rows) - (rows - 1) / 2.0) * _CELL
        level = np.clip((y + 0.5 * _LEVELS * _LANE) // _LANE, 0, _LEVELS - 1)
        bumps = np.random.default_rng(7).uniform(0.0, 1.0, (rows, columns))
        heights = np.round(bumps * (level / (_LEVELS - 1))[:, None] * _ROUGHEST, 4)
        field = HeightfieldData(rows, columns, tuple(heights.ravel().tolist()), (_CELL, _CELL))
        scene.add_terrain(field)

    def place(self, sim: Simulation, worlds: Worlds, draws: Draws) -> Any:
        """In the middle of the lane of the level."""
        near = draws.uniform(-0.5, 0.5, (len(worlds), 2))
        near[:, 1] += (sim.level[worlds] + 0.5) * _LANE - 0.5 * _LEVELS * _LANE
        sim.qpos[worlds, self.root + 2] += _ROUGHEST * sim.level[worlds] / (_LEVELS - 1)
        return near

    def progress(self, sim: Simulation) -> Any:
        """The way that was gone as a share of the commanded one."""
        x, y = (sim.xpos[:, self.base, :2] - self.start).T
        wanted = np.sqrt(self.command[:, 0] ** 2 + self.command[:, 1] ** 2)
        return np.sqrt(x * x + y * y) / np.maximum(wanted * sim.steps * sim.timestep, 1e-3)
