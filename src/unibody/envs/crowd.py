"""A crowd of robots on two wheels that cross a square: a parallel environment of PettingZoo.

Needs the extra ``pettingzoo``. The robots are agents of ``unibody.fleet``.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from unibody.envs.crowd_floor import RADIUS, STEP, CrowdFloor
from unibody.errors import InvalidArgumentError, NotSupportedError
from unibody.extras import install_command

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
_THERE = 0.3  # m from the goal
SEEN = 4  # of the others, the nearest
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
        self.metadata: dict[str, Any] = {
            "name": "unibody_crowd_v0", "render_modes": ["rgb_array"],
            "render_fps": round(1.0 / STEP), "is_parallelizable": True,
        }  # fmt: skip
        self.render_mode: str | None = render_mode
        self.max_cycles: int = max_cycles
        self.possible_agents: list[str] = [f"robot_{number}" for number in range(robots)]
        self.agents: list[str] = []
        self._action = {
            name: spaces.Box(-1.0, 1.0, (2,), np.float32) for name in self.possible_agents
        }
        self._observation = {
            name: spaces.Box(-np.inf, np.inf, (5 + 4 * SEEN,), np.float32)
            for name in self.possible_agents
        }
        self._circle = max(2.5, 1.2 * robots * RADIUS)  # m: its radius
        self._floor = CrowdFloor(robots)
        self._random = np.random.default_rng()
        self._goals = np.zeros((robots, 2))
        self._steps = 0

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
        count = len(self.possible_agents)
        turn = self._random.uniform(0.0, 2.0 * np.pi)
        angles = turn + 2.0 * np.pi * np.arange(count) / count
        places = self._circle * np.stack([np.cos(angles), np.sin(angles)], axis=1)
        self._goals = -places + self._random.uniform(-0.3, 0.3, (count, 2))
        yaw = angles + np.pi + self._random.uniform(-0.5, 0.5, count)
        self._floor.begin(places, yaw)
        self.agents = list(self.possible_agents)
        self._steps = 0
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
            self._floor.drive(number, *np.clip(given, -1.0, 1.0).tolist())
        self._floor.step()
        self._steps += 1
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
        for number in here:
            if there[number]:
                self._floor.take_away(number)
        self.agents = [name for name in names if not (ends[name] or late)]
        return observations, rewards, ends, cuts, infos

    # --- what is seen --------------------------------------------------------------------------

    def _distances(self) -> Array:
        return np.hypot(*(self._goals - self._floor.places).T)

    def _observed(self) -> dict[str, Array]:
        floor = self._floor
        goals = floor.in_frames(self._goals - floor.places)
        ahead = floor.in_frames(floor.moving)[:, 0]
        others = floor.others(SEEN).reshape(len(goals), -1)
        rows = np.column_stack([goals, self._distances(), ahead, floor.turning, others])
        seen = rows.astype(np.float32)
        return {name: seen[self.possible_agents.index(name)] for name in self.agents}

    def _terms(self) -> dict[str, Array]:
        """Terms of the reward by name, of all robots."""
        distances = self._distances()
        progress, self._before = self._before - distances, distances
        return {
            "progress": progress,
            "time": np.full(len(distances), -0.01),
            "collision": np.where(self._floor.touching(), -1.0, 0.0),
            "goal": np.where(distances < _THERE, 5.0, 0.0),
        }

    # --- looks ---------------------------------------------------------------------------------

    def render(self) -> Array | None:
        """A picture from above, (height, width, 3) of uint8."""
        if self.render_mode is None:
            return None
        high = 2.6 * self._circle
        return self._floor.picture((0.0, -0.6 * high, high), _SIZE)

    def close(self) -> None:
        """End the simulation."""
        self._floor.close()


def parallel_env(**options: Any) -> Crowd:
    """A crowd, under the name that PettingZoo's environments have; see ``Crowd``."""
    return Crowd(**options)
