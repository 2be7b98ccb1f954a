"""Quadruped: follow commanded velocities on flat ground."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from unibody.core.engine.records.options import DriveDefaults, SelfCollision
from unibody.core.engine.records.rule_table import DriveMode
from unibody.envs.building import TaskScene
from unibody.envs.draws import Draws
from unibody.envs.rotations import rotate_back, row_sum, up_axis
from unibody.envs.simulation import Simulation
from unibody.envs.task import Task, View, Worlds, symmetric, unlimited

if TYPE_CHECKING:
    from gymnasium import spaces
    from numpy.typing import NDArray

    from unibody.envs.simulation import Joints

_STAND = (0.0, 0.8, -1.5) * 4  # rad: hip, thigh and knee of each leg
_SWING = 0.5  # rad that an action of 1 is away from it
_COMMANDS = ((-0.6, -0.4, -1.0), (1.2, 0.4, 1.0))  # m/s forward and left, rad/s about the vertical
_SLOWEST = 0.2  # m/s, rad/s: commands below are to stand, and to turn not
_STANDING = 0.1  # share of commands that are to stand
_SECOND = 250  # steps of an episode, after which the second command is given
_TOUCH = 1.0  # N: a link that bears more has contact
_TROT = 0.5  # s: in its first half front left and back right stand, then the other two
_LEGS = ("front_left", "front_right", "back_left", "back_right")


class QuadrupedFlat(Task):
    """Actions are targets of twelve PD drives, about a stand; an episode has two commands."""

    timestep: ClassVar[float] = 0.01
    substeps: ClassVar[int] = 2
    view: ClassVar[View] = View(eye=(-0.9, -1.5, 0.8), target=(0.1, 0.0, 0.2), follow="trunk")

    def __init__(self) -> None:
        self.action_space: spaces.Space[Any] = symmetric(12)
        self.observation_space: spaces.Box = unlimited(50)

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
        self.feet: list[int] = [sim.link(f"{leg}_shin") for leg in _LEGS]
        self.thighs: list[int] = [sim.link(f"{leg}_thigh") for leg in _LEGS]
        self.joints: Joints = sim.joints()
        self.root: int = sim.records["robot"].qpos
        self.stand: NDArray[Any] = np.array(_STAND)
        self.command: NDArray[np.float64] = np.zeros((sim.count, 3))
        self.coming: NDArray[np.float64] = np.zeros((sim.count, 3))
        self.last: NDArray[np.float64] = np.zeros((sim.count, 12))
        self.before: NDArray[np.float64] = np.zeros((sim.count, 12))
        self.ways: NDArray[np.float64] = np.zeros((sim.count, 2))  # m: gone, and commanded
        sim.qpos[:, self.joints.qpos] = self.stand
        sim.aim(self.joints, np.broadcast_to(self.stand, (sim.count, 12)))

    def reset(self, sim: Simulation, worlds: Worlds, draws: Draws) -> None:  # noqa: D102
        count, rows = len(worlds), worlds[:, None]
        sim.qpos[rows, self.joints.qpos] = self.stand + draws.uniform(-0.1, 0.1, (count, 12))
        self.command[worlds], self.coming[worlds] = _drawn(draws, count), _drawn(draws, count)
        for each in (self.last, self.before, self.ways):
            each[worlds] = 0.0
        sim.qpos[rows, self.root + np.arange(2)] = self.place(sim, worlds, draws)

    def place(self, sim: Simulation, worlds: Worlds, draws: Draws) -> Any:
        """Where robots start, (worlds, 2) [m]."""
        return draws.uniform(-0.2, 0.2, (len(worlds), 2))

    def act(self, sim: Simulation, actions: Any) -> None:  # noqa: D102
        turn = sim.steps == _SECOND
        self.command[turn] = self.coming[turn]
        self.before[:] = self.last
        self.last[:] = np.clip(actions, -1.0, 1.0)
        sim.aim(self.joints, self.stand + _SWING * self.last)

    def _motion(self, sim: Simulation) -> tuple[Any, Any]:
        """Velocity and angular velocity of the trunk in its frame."""
        quat = sim.xquat[:, self.base]
        linear = rotate_back(quat, sim.linear[:, self.base])
        return linear, rotate_back(quat, sim.angular[:, self.base])

    def observe(self, sim: Simulation) -> Any:
        """Motion, vertical and command in the trunk's frame; joints; the last action; the trot."""
        linear, angular = self._motion(sim)
        up = up_axis(sim.xquat[:, self.base])
        angles = sim.qpos[:, self.joints.qpos] - self.stand
        rates = 0.05 * sim.qvel[:, self.joints.dof]
        motion = [linear, 0.25 * angular, up, self.command]
        parts = [*motion, angles, rates, self.last, self._trot(sim)]
        return np.concatenate(parts, axis=1)

    def off_command(self, sim: Simulation) -> Any:
        """How far velocity and turn are from the command, (N, 2) [m/s, rad/s]."""
        linear, angular = self._motion(sim)
        x, y, z = (np.stack([*linear.T[:2], angular[:, 2]], axis=1) - self.command).T
        return np.stack([np.sqrt(x * x + y * y), np.abs(z)], axis=1)

    def reward_terms(self, sim: Simulation, actions: Any) -> dict[str, Any]:  # noqa: D102
        linear, angular = self._motion(sim)
        off = self.off_command(sim)
        up = up_axis(sim.xquat[:, self.base])
        angles = sim.qpos[:, self.joints.qpos] - self.stand
        along, wanted = self._along(linear)
        self.ways += sim.timestep * np.stack([along, wanted], axis=1)
        return {
            "forward": np.clip(along, -wanted, wanted),
            "velocity": np.exp(-4.0 * off[:, 0] ** 2),
            "turn": 0.5 * np.exp(-2.0 * off[:, 1] ** 2),
            "trot": 0.5 * self._stepping(sim),
            "bounce": -1.0 * linear[:, 2] ** 2,
            "tumble": -0.05 * (angular[:, 0] ** 2 + angular[:, 1] ** 2),
            "level": -2.5 * (up[:, 0] ** 2 + up[:, 1] ** 2),
            "pose": -0.1 * row_sum(angles**2),
            "smooth": -0.01 * row_sum((self.last - self.before) ** 2),
            "effort": -1e-4 * row_sum(sim.worlds.dof_force[:, self.joints.dof] ** 2),
            "knocks": -0.5 * row_sum(self._touching(sim, self.thighs).astype(np.float64)),
        }

    def _along(self, linear: Any) -> tuple[Any, Any]:
        """Speed along the command, and the commanded one [m/s]."""
        x, y = self.command[:, :2].T
        wanted = np.sqrt(x * x + y * y)
        along = (linear[:, 0] * x + linear[:, 1] * y) / np.maximum(wanted, _SLOWEST)
        return along, wanted

    def _trot(self, sim: Simulation) -> Any:
        """Sine and cosine of the phase of the trot, (N, 2); zeros where the command is to stand."""
        phase = 2.0 * np.pi / _TROT * sim.timestep * sim.steps
        moving = (self.command != 0.0).any(axis=1)[:, None]
        return np.where(moving, np.stack([np.sin(phase), np.cos(phase)], axis=1), 0.0)

    def _stepping(self, sim: Simulation) -> Any:
        """Share of feet that have contact when they should, or have none when they should not."""
        wave = self._trot(sim)[:, :1] * np.array([1.0, -1.0, -1.0, 1.0])
        right = self._touching(sim, self.feet) == (wave >= 0.0)
        return 0.25 * row_sum(right.astype(np.float64))

    def _touching(self, sim: Simulation, links: list[int]) -> Any:
        """Whether links have contact, (N, links)."""
        squares = sim.worlds.contact_wrench[:, links, :3] ** 2
        return squares[:, :, 0] + squares[:, :, 1] + squares[:, :, 2] > _TOUCH**2

    def terminated(self, sim: Simulation) -> Any:
        """The trunk has tilted by 60 degrees, or touches the ground."""
        tilted = up_axis(sim.xquat[:, self.base])[:, 2] < 0.5
        return tilted | self._touching(sim, [self.base])[:, 0]


def _drawn(draws: Draws, count: int) -> Any:
    """Commands, (count, 3); slow ones are to stand."""
    command = draws.uniform(np.array(_COMMANDS[0]), np.array(_COMMANDS[1]), (count, 3))
    x, y, z = command.T
    command[x * x + y * y < _SLOWEST**2, :2] = 0.0
    command[np.abs(z) < _SLOWEST, 2] = 0.0
    command[draws.uniform(0.0, 1.0, (count,)) < _STANDING] = 0.0
    return command
