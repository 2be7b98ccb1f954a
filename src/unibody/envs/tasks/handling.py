"""What tasks have in common in which a gripper on three axes handles something: a block, mostly."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from unibody.core.assets.description import Vec3
from unibody.core.engine.records.options import DriveDefaults
from unibody.core.engine.records.rule_table import DriveMode
from unibody.envs.building import TaskScene
from unibody.envs.draws import Draws
from unibody.envs.rotations import yaw_quat
from unibody.envs.simulation import Simulation
from unibody.envs.task import Task, View, Worlds, symmetric, unlimited

if TYPE_CHECKING:
    from gymnasium import spaces
    from numpy.typing import NDArray

    from unibody.envs.simulation import Joints

SIZE = 0.04  # m: edge of a block
_STRIDE = 0.02  # m that an action of 1 moves the gripper's target
_OPEN = 0.04  # m: finger's way
_HOME = (0.0, 0.0, -0.12)  # m


class Handling(Task):
    """Actions move the target of the gripper along x, y and z, and open or close the fingers.

    Attributes:
        near: The object is at its goal within so much [m].
        goals: Corners of the box that goals are drawn from [m].
        closed: The fingers stay closed.
    """

    timestep: ClassVar[float] = 0.005
    substeps: ClassVar[int] = 8
    view: ClassVar[View] = View(eye=(0.52, -0.52, 0.42), target=(0.0, 0.0, 0.06))
    near: ClassVar[float] = 0.04
    goals: ClassVar[tuple[Vec3, Vec3]] = ((-0.2, -0.2, 0.02), (0.2, 0.2, 0.02))
    closed: ClassVar[bool] = False

    def __init__(self) -> None:
        self.action_space: spaces.Space[Any] = symmetric(3 if self.closed else 4)
        self.observation_space: spaces.Box = unlimited(20)

    def build(self, scene: TaskScene) -> None:  # noqa: D102
        scene.add_ground(tile=0.1)
        drives = DriveDefaults(DriveMode.PD, kp=2000.0, kd=150.0, limit=100.0)
        scene.add_model("gripper", "gripper.xml", drives=drives)
        self.add_objects(scene)

    def add_objects(self, scene: TaskScene) -> None:
        """Add what is handled: a link called "block", and what it has to do with."""
        size = (SIZE, SIZE, SIZE)
        friction = (1.0, 0.005, 0.0)
        scene.add_box("block", size, (0.0, 0.0, 0.02), mass=0.1, friction=friction)
        scene.add_marker("goal", 0.015, (0.2, 0.75, 0.3, 1.0))

    def prepare(self, sim: Simulation) -> None:  # noqa: D102
        self.block: int = sim.link("block")
        self.goal: NDArray[np.float64] = np.zeros((sim.count, 3))
        self.prepare_gripper(sim)

    def prepare_gripper(self, sim: Simulation) -> None:
        """Look up where the gripper is, and put it above the middle."""
        self.axes: Joints = sim.joints(["x", "y", "z"])
        self.fingers: Joints = sim.joints(["left", "right"])
        self.palm: int = sim.link("palm")
        self.target: NDArray[np.float64] = np.tile(np.array(_HOME), (sim.count, 1))
        sim.hold(self.axes, 2000.0, 150.0, 100.0)
        sim.hold(self.fingers, 800.0, 20.0, 10.0)
        sim.qpos[:, self.axes.qpos] = _HOME
        start = 0.0 if self.closed else _OPEN
        sim.qpos[:, self.fingers.qpos] = start
        sim.aim(self.axes, self.target)
        sim.aim(self.fingers, np.full((sim.count, 2), start))

    def reset(self, sim: Simulation, worlds: Worlds, draws: Draws) -> None:  # noqa: D102
        self.target[worlds] = _HOME
        self.place(sim, worlds, draws)

    def place(self, sim: Simulation, worlds: Worlds, draws: Draws) -> None:
        """Put objects where an episode begins, and say where the goal is."""
        count = len(worlds)
        put(sim, worlds, "block", draws.uniform(-0.15, 0.15, (count, 2)))
        turned(sim, worlds, "block", draws.uniform(-0.4, 0.4, (count,)))
        low, high = map(np.array, self.goals)
        self.goal[worlds] = draws.uniform(low, high, (count, 3))
        sim.worlds.mocap_pos[worlds, sim.records["goal"].mocap] = self.goal[worlds]

    def act(self, sim: Simulation, actions: Any) -> None:  # noqa: D102
        given = np.clip(actions, -1.0, 1.0)
        moved = self.target + _STRIDE * given[:, :3]
        self.target[:] = np.clip(moved, self.axes.lower, self.axes.upper)
        sim.aim(self.axes, self.target)
        if not self.closed:
            width = 0.5 * _OPEN * (given[:, 3:] + 1.0)
            sim.aim(self.fingers, np.broadcast_to(width, (sim.count, 2)))

    def grip(self, sim: Simulation) -> Any:
        """The point between the tips of the fingers, (N, 3) [m]."""
        return sim.xpos[:, self.palm] - np.array([0.0, 0.0, 0.105])

    def aim(self, sim: Simulation) -> Any:
        """Where the block is to be, (N, 3) [m]."""
        return self.goal

    def observe(self, sim: Simulation) -> Any:
        """Gripper, its speed and way to its target; fingers; ways to block and on to goal [m]."""
        grip, block = self.grip(sim), sim.xpos[:, self.block]
        moving = 0.2 * sim.linear[:, self.block]
        parts = [*self.gripper(sim), block - grip, moving, self.aim(sim) - block]
        return np.concatenate(parts, axis=1)

    def gripper(self, sim: Simulation) -> list[Any]:
        """Where the gripper is, its speed, the way to its target [m], its fingers."""
        speed = 0.2 * sim.qvel[:, self.axes.dof]
        ahead = self.target - sim.qpos[:, self.axes.qpos]
        return [self.grip(sim), speed, ahead, sim.qpos[:, self.fingers.qpos]]

    def success(self, sim: Simulation) -> Any:
        """The block is at its goal."""
        return length(self.aim(sim) - sim.xpos[:, self.block]) < self.near

    def reward_terms(self, sim: Simulation, actions: Any) -> dict[str, Any]:  # noqa: D102
        block = sim.xpos[:, self.block]
        return {
            "approach": -0.5 * length(block - self.grip(sim)),
            "goal": -2.0 * length(self.aim(sim) - block),
            "there": np.where(self.success(sim), 1.0, 0.0),
        }


def length(vectors: Any) -> Any:
    """Lengths of vectors (N, 3), (N,)."""
    x, y, z = vectors.T
    return np.sqrt(x * x + y * y + z * z)


def nearness(way: Any) -> Any:
    """1 at the end of ways (N, 3) [m], 0.5 at 11 cm from it, 0 far away, (N,)."""
    return 1.0 - np.tanh(5.0 * length(way))


def put(sim: Simulation, worlds: Worlds, name: str, place: Any) -> None:
    """Put a free body of some worlds to places, (worlds, 2 or 3) [m]."""
    columns = sim.records[name].qpos + np.arange(place.shape[1])
    sim.qpos[worlds[:, None], columns] = place


def turned(sim: Simulation, worlds: Worlds, name: str, yaw: Any) -> None:
    """Turn a free body of some worlds about the vertical, (worlds,) [rad]."""
    sim.qpos[worlds[:, None], sim.records[name].qpos + np.arange(3, 7)] = yaw_quat(yaw)
