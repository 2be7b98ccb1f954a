"""A crowd of robots on two wheels that cross a square: a parallel environment of PettingZoo.

Needs the extra ``pettingzoo``. The robots are agents of ``unibody.fleet``.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from unibody import fleet
from unibody.errors import InvalidArgumentError, NotSupportedError
from unibody.extras import install_command
from unibody.fleet.bodies.physics_world import close_physics_world
from unibody.fleet.recording.picture import SimulationCamera

try:
    from pettingzoo import ParallelEnv
except ModuleNotFoundError as problem:
    raise NotSupportedError(
        "a crowd without pettingzoo", f"install it: {install_command('pettingzoo')}"
    ) from problem

Array = NDArray[Any]
Stepped = tuple[
    dict[str, Array], dict[str, float], dict[str, bool], dict[str, bool], dict[str, dict[str, Any]]
]
_STEP = 0.1  # s
_SPEED, _TURN = 1.0, 2.0  # m/s and rad/s that an action of 1 asks for
_RADIUS = 0.25  # m of a robot
_THERE = 0.3  # m from the goal
_SEEN = 4  # of the others, the nearest
_FAR = 6.0  # m: who is as far as that, or gone, is not seen
_AWAY = 1000.0  # m: who has arrived leaves the square
_SIZE = (480, 360)


class Crowd(ParallelEnv[str, Array, Array]):
    """Each robot is to reach the other side of a circle, and not to touch the others.

    Actions are speed ahead and yaw rate, each from -1 to 1. An observation has the goal in the
    robot's frame [m], its distance [m], its speed [m/s] and yaw rate [rad/s], and of the four
    nearest others where they are and how they move, in the robot's frame [m, m/s]. Who arrives
    leaves. Terms of the reward are in the infos as ``reward_NAME``.
    """

    def __init__(
        self, robots: int = 8, *, max_cycles: int = 300, render_mode: str | None = None
    ) -> None:
        """Make one.

        Args:
            robots: How many, at least 2.
            max_cycles: Steps of an episode at most.
            render_mode: "rgb_array" or None.

        Raises:
            InvalidArgumentError: There are too few robots or steps, or no such render mode.
        """
        for name, value, least in (("robots", robots, 2), ("max_cycles", max_cycles, 1)):
            if value < least:
                raise InvalidArgumentError(name, value, f"at least {least}")
        if render_mode not in (None, "rgb_array"):
            raise InvalidArgumentError("render_mode", render_mode, "'rgb_array' or None")
        self.metadata = {
            "name": "unibody_crowd_v0", "render_modes": ["rgb_array"],
            "render_fps": round(1.0 / _STEP), "is_parallelizable": True,
        }  # fmt: skip
        self.render_mode, self.max_cycles = render_mode, max_cycles
        self.possible_agents = [f"robot_{number}" for number in range(robots)]
        self.agents: list[str] = []
        self._action = {
            name: spaces.Box(-1.0, 1.0, (2,), np.float32) for name in self.possible_agents
        }
        self._observation = {
            name: spaces.Box(-np.inf, np.inf, (5 + 4 * _SEEN,), np.float32)
            for name in self.possible_agents
        }
        self._circle = max(2.5, 1.2 * robots * _RADIUS)  # m: its radius
        self._core = fleet.MultiRobotSimulationCore(
            fleet.SimulationParams(gui=False, target_rtf=0, timestep=_STEP, physics=False)
        )
        self._robots = self._spawned(robots)
        self._numbers = [robot.object_id for robot in self._robots]
        self._begin = self._core.snapshot()
        self._camera: SimulationCamera | None = None
        self._random = np.random.default_rng()
        self._goals = np.zeros((robots, 2))
        self._steps = 0

    def _spawned(self, count: int) -> list[Any]:
        """The robots, in a row."""
        limits = {
            "type": "differential", "max_linear_vel": _SPEED, "max_linear_accel": 2.0,
            "max_angular_vel": _TURN, "max_angular_accel": 8.0,
        }  # fmt: skip
        shapes = [
            fleet.ShapeParams(shape_type="cylinder", radius=_RADIUS, height=0.4, rgba_color=color)
            for color in ([0.85, 0.45, 0.2, 1.0], [0.25, 0.45, 0.75, 1.0])
        ]
        return [
            fleet.Agent.from_params(
                fleet.AgentSpawnParams(
                    visual_shape=shapes[number % 2], collision_shape=shapes[number % 2], mass=0.0,
                    motion_mode=fleet.MotionMode.DIFFERENTIAL, controller=dict(limits),
                    initial_pose=fleet.Pose.from_xyz(float(number), 0.0, 0.2),
                ),
                sim_core=self._core,
            )
            for number in range(count)
        ]  # fmt: skip

    # --- spaces --------------------------------------------------------------------------------

    def observation_space(self, agent: str) -> spaces.Box:
        """What a robot sees."""
        return self._observation[agent]

    def action_space(self, agent: str) -> spaces.Box:
        """What a robot does."""
        return self._action[agent]

    # --- episodes ------------------------------------------------------------------------------

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Array], dict[str, dict[str, Any]]]:
        """Begin an episode: robots on a circle, each with its goal about the other side.

        Args:
            seed: Of what is random; None: it goes on.
            options: Taken, as PettingZoo wants it; there are none.
        """
        if seed is not None:
            self._random = np.random.default_rng(seed)
        count = len(self._robots)
        turn = self._random.uniform(0.0, 2.0 * np.pi)
        angles = turn + 2.0 * np.pi * np.arange(count) / count
        places = self._circle * np.stack([np.cos(angles), np.sin(angles)], axis=1)
        self._goals = -places + self._random.uniform(-0.3, 0.3, (count, 2))
        yaw = angles + np.pi + self._random.uniform(-0.5, 0.5, count)
        zero = np.zeros(count)
        quats = np.stack([zero, zero, np.sin(0.5 * yaw), np.cos(0.5 * yaw)], axis=1)
        self._core.restore(self._begin)
        lifted = np.column_stack([places, np.full(count, 0.2)])
        self._core.set_poses(self._numbers, lifted, quats)
        self.agents = list(self.possible_agents)
        self._steps = 0
        self._read()
        self._before = self._distances()
        return self._observed(), {name: {} for name in self.agents}

    def step(self, actions: dict[str, Array]) -> Stepped:
        """Step the robots that are still there; see PettingZoo's ``ParallelEnv``.

        Raises:
            InvalidArgumentError: An action is missing, has another shape or is not finite.
        """
        here = [self.possible_agents.index(name) for name in self.agents]
        for number in here:
            given = np.asarray(actions.get(self.possible_agents[number], ()), np.float64)
            if given.shape != (2,) or not np.isfinite(given).all():
                name = f"actions[{self.possible_agents[number]!r}]"
                raise InvalidArgumentError(name, given, "two finite numbers")
            ahead, turn = np.clip(given, -1.0, 1.0).tolist()
            self._robots[number].controller.set_velocity(vx=_SPEED * ahead, wz=_TURN * turn)
        self._core.step_once()
        self._steps += 1
        self._read()
        terms = self._terms()
        there = self._distances() < _THERE
        late = self._steps >= self.max_cycles
        observations = self._observed()
        names = self.agents
        rewards = {
            n: float(sum(t[k] for t in terms.values())) for n, k in zip(names, here, strict=True)
        }
        ends = {name: bool(there[k]) for name, k in zip(names, here, strict=True)}
        cuts = {name: late and not ends[name] for name in names}
        infos: dict[str, dict[str, Any]] = {
            name: {f"reward_{term}": float(values[k]) for term, values in terms.items()}
            | {"is_success": ends[name]}
            for name, k in zip(names, here, strict=True)
        }
        self._leave([k for k in here if there[k]])
        self.agents = [name for name in names if not (ends[name] or late)]
        return observations, rewards, ends, cuts, infos

    def _leave(self, numbers: list[int]) -> None:
        """Take robots that have arrived off the square."""
        for number in numbers:
            robot = self._robots[number]
            robot.stop()
            robot.set_pose(fleet.Pose.from_xyz(_AWAY + 2.0 * number, 0.0, 0.2))

    # --- what is seen --------------------------------------------------------------------------

    def _read(self) -> None:
        """Take places, headings and speeds."""
        places, quats = self._core.get_poses(self._numbers)
        self._places = places[:, :2]
        self._yaw = 2.0 * np.arctan2(quats[:, 2], quats[:, 3])
        self._moving = np.array([robot.get_velocity()[:2] for robot in self._robots])
        self._turning = np.array([robot.angular_velocity for robot in self._robots])

    def _distances(self) -> Array:
        return np.hypot(*(self._goals - self._places).T)

    def _in_frames(self, vectors: Array) -> Array:
        """Vectors of the world in the frames of the robots, (robots, ..., 2)."""
        shape = (-1, *(1 for _ in vectors.shape[1:-1]))
        cos, sin = np.cos(self._yaw).reshape(shape), np.sin(self._yaw).reshape(shape)
        x, y = vectors[..., 0], vectors[..., 1]
        return np.stack([cos * x + sin * y, cos * y - sin * x], axis=-1)

    def _observed(self) -> dict[str, Array]:
        goals = self._in_frames(self._goals - self._places)
        ways = self._places[None] - self._places[:, None]
        far = np.hypot(ways[..., 0], ways[..., 1])
        np.fill_diagonal(far, np.inf)
        order = np.argsort(far, axis=1, kind="stable")[:, :_SEEN]
        ways = np.take_along_axis(self._in_frames(ways), order[..., None], axis=1)
        moving = self._in_frames(self._moving[None] - self._moving[:, None])
        moving = np.take_along_axis(moving, order[..., None], axis=1)
        hidden = np.take_along_axis(far, order, axis=1) > _FAR
        ways[hidden], moving[hidden] = (_FAR, 0.0), 0.0
        others = np.concatenate([ways, moving], axis=2)
        missing = _SEEN - others.shape[1]
        if missing > 0:
            nobody = np.tile([_FAR, 0.0, 0.0, 0.0], (len(others), missing, 1))
            others = np.concatenate([others, nobody], axis=1)
        ahead = self._in_frames(self._moving)[:, 0]
        own = np.column_stack([goals, self._distances(), ahead, self._turning])
        rows = np.column_stack([own, others.reshape(len(own), -1)]).astype(np.float32)
        return {name: rows[self.possible_agents.index(name)] for name in self.agents}

    def _terms(self) -> dict[str, Array]:
        """Terms of the reward by name, of all robots."""
        distances = self._distances()
        touching = np.zeros(len(distances), np.bool_)
        for pair in self._core.get_active_collision_pairs():
            touching[[self._numbers.index(number) for number in pair]] = True
        progress, self._before = self._before - distances, distances
        return {
            "progress": progress,
            "time": np.full(len(distances), -0.01),
            "collision": np.where(touching, -1.0, 0.0),
            "goal": np.where(distances < _THERE, 5.0, 0.0),
        }

    # --- looks ---------------------------------------------------------------------------------

    def render(self) -> Array | None:
        """A picture from above, (height, width, 3) of uint8."""
        if self.render_mode is None:
            return None
        if self._camera is None:
            self._camera = SimulationCamera(self._core)
        high = 2.6 * self._circle
        return self._camera.picture((0.0, -0.6 * high, high), (0.0, 0.0, 0.0), _SIZE)

    def close(self) -> None:
        """End the simulation."""
        self._camera = None
        close_physics_world(self._core._physics_world)


def parallel_env(**options: Any) -> Crowd:
    """A crowd, under the name that PettingZoo's environments have; see ``Crowd``."""
    return Crowd(**options)
