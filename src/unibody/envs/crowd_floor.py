"""The floor that a crowd drives on: robots of the fleet, and what they see of one another."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from unibody import fleet
from unibody.fleet.bodies.physics_world import close_physics_world
from unibody.fleet.recording.picture import SimulationCamera

Array = NDArray[Any]
STEP = 0.1
"""Time step [s]."""
RADIUS = 0.25
"""Of a robot [m]."""
_SPEED, _TURN = 1.0, 2.0  # m/s and rad/s at most
_FAR = 6.0  # m: who is as far as that, or gone, is not seen
_AWAY = 1000.0  # m: where robots are that were taken away
_HEIGHT = 0.4  # m of a robot


class CrowdFloor:
    """Robots on two wheels.

    Attributes:
        places: Of the robots, (robots, 2) [m].
        yaw: Where they look, (robots,) [rad].
        moving: Their velocities, world frame, (robots, 2) [m/s].
        turning: Their yaw rates, (robots,) [rad/s].
    """

    def __init__(self, count: int) -> None:
        """Make one with so many robots."""
        self._core = fleet.MultiRobotSimulationCore(
            fleet.SimulationParams(gui=False, target_rtf=0, timestep=STEP, physics=False)
        )
        self._robots = [self._spawned(number) for number in range(count)]
        self._numbers = [robot.object_id for robot in self._robots]
        self._first = self._core.snapshot()
        self._camera: SimulationCamera | None = None
        self._read()

    def _spawned(self, number: int) -> Any:
        """A robot."""
        color = ([0.85, 0.45, 0.2, 1.0], [0.25, 0.45, 0.75, 1.0])[number % 2]
        shape = fleet.ShapeParams(
            shape_type="cylinder", radius=RADIUS, height=_HEIGHT, rgba_color=color
        )
        limits = {
            "type": "differential", "max_linear_vel": _SPEED, "max_linear_accel": 2.0,
            "max_angular_vel": _TURN, "max_angular_accel": 8.0,
        }  # fmt: skip
        params = fleet.AgentSpawnParams(
            visual_shape=shape, collision_shape=shape, mass=0.0, controller=limits,
            motion_mode=fleet.MotionMode.DIFFERENTIAL,
            initial_pose=fleet.Pose.from_xyz(float(number), 0.0, 0.5 * _HEIGHT),
        )  # fmt: skip
        return fleet.Agent.from_params(params, sim_core=self._core)

    def begin(self, places: Array, yaw: Array) -> None:
        """Put all robots somewhere, at rest.

        Args:
            places: (robots, 2) [m].
            yaw: (robots,) [rad].
        """
        self._core.restore(self._first)
        zero = np.zeros(len(yaw))
        quats = np.stack([zero, zero, np.sin(0.5 * yaw), np.cos(0.5 * yaw)], axis=1)
        lifted = np.column_stack([places, np.full(len(yaw), 0.5 * _HEIGHT)])
        self._core.set_poses(self._numbers, lifted, quats)
        self._read()

    def drive(self, number: int, ahead: float, turn: float) -> None:
        """Let a robot drive and turn, as shares of its largest speeds."""
        self._robots[number].controller.set_velocity(vx=_SPEED * ahead, wz=_TURN * turn)

    def step(self) -> None:
        """Step all robots."""
        self._core.step_once()
        self._read()

    def take_away(self, number: int) -> None:
        """Take a robot off the floor."""
        self._robots[number].stop()
        away = fleet.Pose.from_xyz(_AWAY + 2.0 * number, 0.0, 0.5 * _HEIGHT)
        self._robots[number].set_pose(away)

    def _read(self) -> None:
        places, quats = self._core.get_poses(self._numbers)
        self.places = places[:, :2]
        self.yaw = 2.0 * np.arctan2(quats[:, 2], quats[:, 3])
        self.moving = np.array([robot.get_velocity()[:2] for robot in self._robots])
        self.turning = np.array([robot.angular_velocity for robot in self._robots])

    def in_frames(self, vectors: Array) -> Array:
        """Vectors of the world in the frames of the robots, (robots, ..., 2)."""
        shape = (-1, *(1 for _ in vectors.shape[1:-1]))
        cos, sin = np.cos(self.yaw).reshape(shape), np.sin(self.yaw).reshape(shape)
        x, y = vectors[..., 0], vectors[..., 1]
        return np.stack([cos * x + sin * y, cos * y - sin * x], axis=-1)

    def others(self, most: int) -> Array:
        """Ways to the nearest others and their relative velocities, (robots, most, 4) [m, m/s].

        They are in the frame of the robot; who is not seen is far ahead and does not move.
        """
        ways = self.places[None] - self.places[:, None]
        far = np.hypot(ways[..., 0], ways[..., 1])
        np.fill_diagonal(far, np.inf)
        order = np.argsort(far, axis=1, kind="stable")[:, : min(most, len(far) - 1)]
        moving = self.moving[None] - self.moving[:, None]
        both = np.concatenate([self.in_frames(ways), self.in_frames(moving)], axis=2)
        found = np.tile([_FAR, 0.0, 0.0, 0.0], (len(far), most, 1))
        near = np.take_along_axis(far, order, axis=1) <= _FAR
        seen = np.take_along_axis(both, order[..., None], axis=1)
        found[:, : order.shape[1]][near] = seen[near]
        return found

    def touching(self) -> NDArray[np.bool_]:
        """Who touches another one, (robots,)."""
        found = np.zeros(len(self._numbers), np.bool_)
        for pair in self._core.get_active_collision_pairs():
            found[[self._numbers.index(number) for number in pair]] = True
        return found

    def picture(self, eye: tuple[float, float, float], size: tuple[int, int]) -> Array:
        """A picture of the middle of the floor, (height, width, 3) of uint8."""
        if self._camera is None:
            self._camera = SimulationCamera(self._core)
        return self._camera.picture(eye, (0.0, 0.0, 0.0), size)

    def close(self) -> None:
        """End the simulation."""
        close_physics_world(self._core._physics_world)
