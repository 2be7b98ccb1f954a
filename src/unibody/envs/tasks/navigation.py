"""Navigation: a robot on two wheels drives to a goal around posts that it senses by distances."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from unibody.core.engine.records.options import DriveDefaults
from unibody.core.engine.records.rule_table import DriveMode
from unibody.envs.building import TaskScene
from unibody.envs.draws import Draws
from unibody.envs.rotations import yaw_of, yaw_quat
from unibody.envs.simulation import Simulation
from unibody.envs.task import Task, View, Worlds, symmetric, unlimited

if TYPE_CHECKING:
    from gymnasium import spaces
    from numpy.typing import NDArray

    from unibody.envs.simulation import Joints

_POSTS = 6
_POST = 0.25  # m: radius within which a post is hit, with the robot's own
_BEAMS = 16
_RANGE = 3.0  # m of a beam
_NEAR = 0.3  # m: that is there
_SPEED, _TURN = 8.0, 4.0  # rad/s of the wheels, for driving and for turning
_FIELD = 3.0  # m


class Navigation(Task):
    """Actions are driving and turning speed; beams see the posts."""

    timestep: ClassVar[float] = 0.01
    substeps: ClassVar[int] = 5
    view: ClassVar[View] = View(eye=(0.0, -6.5, 6.5), target=(0.0, -0.4, 0.0))

    def __init__(self) -> None:
        self.action_space: spaces.Space[Any] = symmetric(2)
        self.observation_space: spaces.Box = unlimited(5 + _BEAMS)

    def build(self, scene: TaskScene) -> None:  # noqa: D102
        scene.add_ground()
        drives = DriveDefaults(DriveMode.PD, kd=0.5, limit=2.0)
        scene.add_model("rover", "rover.xml", drives=drives)
        for number in range(_POSTS):
            name, far = f"post{number}", (10.0 + number, 10.0, 0.25)
            scene.add_box(name, (0.16, 0.16, 0.5), far, color=(0.35, 0.4, 0.5, 1.0))
        scene.add_marker("goal", 0.12, (0.2, 0.75, 0.3, 1.0))

    def prepare(self, sim: Simulation) -> None:  # noqa: D102
        self.wheels: Joints = sim.joints(["left_wheel", "right_wheel"])
        self.base: int = sim.link("rover")
        self.root: int = sim.records["rover"].qpos
        self.marker: int = sim.records["goal"].mocap
        self.rows: NDArray[Any] = np.array([sim.records[f"post{n}"].mocap for n in range(_POSTS)])
        self.posts: NDArray[np.float64] = np.zeros((sim.count, _POSTS, 2))
        self.goal: NDArray[np.float64] = np.zeros((sim.count, 2))
        self._before = np.zeros(sim.count)

    def reset(self, sim: Simulation, worlds: Worlds, draws: Draws) -> None:  # noqa: D102
        count, rows = len(worlds), worlds[:, None]
        turn = draws.uniform(-np.pi, np.pi, (count,))
        sim.qpos[rows, self.root + np.arange(3, 7)] = yaw_quat(turn)
        angle = draws.uniform(-np.pi, np.pi, (count,))
        far = draws.uniform(1.5, _FIELD, (count,))
        self.goal[worlds] = np.stack([far * np.cos(angle), far * np.sin(angle)], axis=1)
        # posts stand in a ring around the start, none at the goal
        around = draws.uniform(0.35, 2.0 * np.pi - 0.35, (count, _POSTS)) + angle[:, None]
        ring = draws.uniform(0.8, _FIELD, (count, _POSTS))
        self.posts[worlds] = np.stack([ring * np.cos(around), ring * np.sin(around)], axis=2)
        sim.worlds.mocap_pos[rows, self.rows, :2] = self.posts[worlds]
        sim.worlds.mocap_pos[worlds, self.marker, :2] = self.goal[worlds]

    def act(self, sim: Simulation, actions: Any) -> None:  # noqa: D102
        self._before[:] = self._distance(sim)
        drive, turn = np.clip(actions, -1.0, 1.0).T
        speeds = np.stack([_SPEED * drive - _TURN * turn, _SPEED * drive + _TURN * turn], axis=1)
        sim.spin(self.wheels, speeds)

    def _way(self, sim: Simulation, points: Any) -> Any:
        """Points of the ground in the robot's frame, (N, ..., 2)."""
        place, yaw = sim.xpos[:, self.base, :2], yaw_of(sim.xquat[:, self.base])
        shape = (-1, *(1 for _ in points.shape[1:-1]))
        cos, sin = np.cos(yaw).reshape(shape), np.sin(yaw).reshape(shape)
        x = points[..., 0] - place[:, 0].reshape(shape)
        y = points[..., 1] - place[:, 1].reshape(shape)
        return np.stack([cos * x + sin * y, cos * y - sin * x], axis=-1)

    def _distance(self, sim: Simulation) -> Any:
        x, y = (self.goal - sim.xpos[:, self.base, :2]).T
        return np.sqrt(x * x + y * y)

    def _beams(self, sim: Simulation) -> Any:
        """How far it is to the next post in each direction, (N, beams) [m]."""
        posts = self._way(sim, self.posts)
        angles = 2.0 * np.pi * np.arange(_BEAMS) / _BEAMS
        cos, sin = np.cos(angles), np.sin(angles)
        along = posts[:, :, :1] * cos + posts[:, :, 1:] * sin
        aside = posts[:, :, 1:] * cos - posts[:, :, :1] * sin
        inside = 0.12**2 - aside**2
        hit = (inside > 0.0) & (along > 0.0)
        near = np.where(hit, along - np.sqrt(np.maximum(inside, 0.0)), _RANGE)
        return np.clip(near.min(axis=1), 0.0, _RANGE)

    def observe(self, sim: Simulation) -> Any:
        """Goal in the robot's frame, its distance, speeds of the wheels, distances of beams."""
        goal, wheels = self._way(sim, self.goal), 0.1 * sim.qvel[:, self.wheels.dof]
        far = self._distance(sim)[:, None]
        return np.concatenate([goal, far, wheels, self._beams(sim) / _RANGE], axis=1)

    def success(self, sim: Simulation) -> Any:
        """The robot is within 0.3 m of the goal."""
        return self._distance(sim) < _NEAR

    def _crashed(self, sim: Simulation) -> Any:
        x, y = np.moveaxis(self.posts - sim.xpos[:, None, self.base, :2], 2, 0)
        return (x * x + y * y).min(axis=1) < _POST**2

    def reward_terms(self, sim: Simulation, actions: Any) -> dict[str, Any]:  # noqa: D102
        return {
            "progress": 2.0 * (self._before - self._distance(sim)),
            "time": np.full(sim.count, -0.01),
            "goal": np.where(self.success(sim), 5.0, 0.0),
            "crash": np.where(self._crashed(sim), -3.0, 0.0),
        }

    def terminated(self, sim: Simulation) -> Any:  # noqa: D102
        return self.success(sim) | self._crashed(sim)
