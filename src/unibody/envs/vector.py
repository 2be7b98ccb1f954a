"""Many worlds of a task as a Gymnasium vector environment."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from unibody.core.engine.records.options import WorldOptions
from unibody.core.engine.worlds import make_host_worlds
from unibody.envs.building import TaskScene
from unibody.envs.draws import Streams
from unibody.envs.observations import Observations, of_world
from unibody.envs.pictures import Pictures
from unibody.envs.randomization import Curriculum, Randomization, Randomizer
from unibody.envs.reset_options import reset_mask
from unibody.envs.simulation import Simulation
from unibody.envs.task import Task, View
from unibody.errors import InvalidArgumentError

Array = NDArray[Any]
Ints = NDArray[np.int64]
Stepped = tuple[Any, Array, Array, Array, dict[str, Any]]
_MOST_STEPS = np.iinfo(np.int64).max


class TaskVectorEnv(VectorEnv[Any, Any, Any]):
    """Worlds of a task; see Gymnasium's ``VectorEnv``.

    Worlds do not see each other: what a world does depends on its seed and its actions alone, to
    the bit. ``reset(seed=n)`` gives world i the seed n + i. Terms of the reward are in the infos as
    ``reward_NAME``.

    Attributes:
        is_whole: There are no other worlds elsewhere, so that a single one's picture has shadows.
    """

    def __init__(  # noqa: PLR0913 - Gymnasium names most of them
        self,
        task: Task,
        num_envs: int = 1,
        *,
        max_episode_steps: int | None = None,
        render_mode: str | None = None,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        randomization: Sequence[Randomization] | None = None,
        curriculum: Curriculum | None = None,
        device: str = "cpu",
        threads: int = 0,
        observation: str | Sequence[str] = "state",
        camera: View | None = None,
    ) -> None:
        """Make one.

        Args:
            task: The task, of this environment alone.
            num_envs: Number of worlds.
            max_episode_steps: Episodes are truncated after so many steps; None: never.
            render_mode: "rgb_array" or None.
            autoreset_mode: When a world begins its next episode: in the step after the last one of
                the episode, in that step itself, or when it is told to by ``reset``.
            randomization: In place of the task's own.
            curriculum: In place of the task's own.
            device: That steps the worlds: "cpu", "cuda", "cuda:1" or "warp-cpu", the code of CUDA
                on the processor. Observations and actions are in host memory.
            threads: That step worlds of "cpu"; 0: all cores.
            observation: "state", "camera", "depth", or several of them as a dictionary.
            camera: Of observations; None: the task's view, 84 by 84 pixels.

        Raises:
            InvalidArgumentError: There is no such render mode, device or observation.
        """
        if render_mode not in (None, "rgb_array"):
            raise InvalidArgumentError("render_mode", render_mode, "'rgb_array' or None")
        self.task: Task = task
        self.num_envs: int = num_envs
        self.render_mode = render_mode
        self.mode: AutoresetMode = AutoresetMode(autoreset_mode)
        rate = round(1.0 / (task.timestep * task.substeps))
        self.metadata: dict[str, Any] = {
            "render_modes": ["rgb_array"], "render_fps": rate, "autoreset_mode": self.mode,
        }  # fmt: skip
        options = WorldOptions(
            timestep=task.timestep, gravity=(0.0, 0.0, -9.81), report_forces=True
        )
        scene = TaskScene(options)
        task.build(scene)
        worlds = make_host_worlds(scene.scene, num_envs, device=device, threads=threads)
        duration = task.timestep * task.substeps
        self.sim: Simulation = Simulation(worlds, scene.records, duration, scene.cloth)
        task.prepare(self.sim)
        worlds.set_home()
        chosen = task.randomization if randomization is None else randomization
        self.curriculum: Curriculum | None = curriculum or task.curriculum
        self._randomizer = Randomizer(self.sim, chosen, self.curriculum)
        self.scene = scene
        self._pictures = Pictures(scene, task.view)
        self._seen = Observations(task, scene, observation, camera)
        self._streams = Streams(num_envs)
        self._limit = max_episode_steps or _MOST_STEPS
        self._over = np.zeros(num_envs, np.bool_)  # worlds whose episode has ended
        self.is_whole: bool = True
        self._steps = 0
        self.single_action_space: spaces.Space[Any] = task.action_space
        self.single_observation_space: spaces.Space[Any] = self._seen.space
        self.action_space: spaces.Space[Any] = batch_space(self.single_action_space, num_envs)
        self.observation_space: spaces.Space[Any] = batch_space(
            self.single_observation_space, num_envs
        )

    # --- episodes ------------------------------------------------------------------------------

    def reset(
        self,
        *,
        seed: int | Sequence[int | None] | None = None,
        options: dict[str, Any] | None = None,
    ) -> tuple[Any, dict[str, Any]]:
        """Begin an episode in all worlds, or in those of the mask ``options["reset_mask"]``.

        Args:
            seed: That of the first world, others follow; or one each; None: streams go on.
            options: "reset_mask": worlds, (N,) of bool; there are no others.

        Raises:
            InvalidArgumentError: There are not so many seeds, the mask has another shape, or
                there is no such option.
        """
        stated = reset_mask(options, self.num_envs)
        mask = np.ones(self.num_envs, np.bool_) if stated is None else stated
        if isinstance(seed, int | np.integer):
            super().reset(seed=int(seed))
            seed = [int(seed) + world for world in range(self.num_envs)]
        if seed is not None:
            if len(seed) != self.num_envs:
                raise InvalidArgumentError("seed", seed, f"{self.num_envs} seeds, one a world")
            own = np.flatnonzero(mask & np.array([each is not None for each in seed]))
            self._streams.seed([seed[world] for world in own.tolist()], own)
        worlds = np.flatnonzero(mask)
        self._begin(worlds)
        return self._observed(), self._infos({}, mask)

    def _begin(self, worlds: Ints) -> None:
        """Begin episodes."""
        sim, draws = self.sim, self._streams.of(worlds)
        sim.worlds.reset(worlds)
        self._randomizer.apply(worlds, draws, self._steps)
        sim.steps[worlds] = 0
        self._over[worlds] = False
        self.task.reset(sim, worlds, draws)
        sim.worlds.kinematics()

    def step(self, actions: Any) -> Stepped:
        """Step all worlds.

        Args:
            actions: (N, ...), of ``action_space``.

        Raises:
            InvalidArgumentError: They have another shape, or are not finite; nothing has moved.
        """
        task, sim = self.task, self.sim
        given = np.asarray(actions)
        if given.shape != self.action_space.shape:
            raise InvalidArgumentError("actions", given.shape, f"shape {self.action_space.shape}")
        if not np.isfinite(given).all():
            raise InvalidArgumentError("actions", given, "finite numbers")
        waiting = self._over.copy() if self.mode is AutoresetMode.NEXT_STEP else None
        task.act(sim, given)
        sim.step(task.substeps)
        sim.steps += 1
        self._steps += 1
        terms = task.reward_terms(sim, given)
        terminations = np.array(task.terminated(sim))
        truncations = sim.steps >= self._limit
        if waiting is not None and waiting.any():
            terminations[waiting] = truncations[waiting] = False
        else:
            waiting = None
        rewards = np.zeros(self.num_envs)
        for term in terms.values():
            rewards += term
        infos = self._infos(terms, None if waiting is None else ~waiting)
        ended = terminations | truncations
        self._rise(ended)
        if waiting is not None:
            rewards[waiting] = 0.0
            self._begin(np.flatnonzero(waiting))
        self._over = ended.copy()
        observations = self._observed()
        if self.mode is AutoresetMode.SAME_STEP and ended.any():
            observations, infos = self._ended_infos(observations, infos, ended)
        return observations, rewards, terminations, truncations, infos

    def _rise(self, ended: Array) -> None:
        """Change the levels of worlds whose episode has ended."""
        if self.curriculum is not None and ended.any():
            moved = self.curriculum.moved(self.sim.level, self.task.progress(self.sim))
            self.sim.level[ended] = moved[ended]

    def _observed(self) -> Any:
        return self._seen.of(self.sim)

    def _infos(self, terms: dict[str, Array], mask: Array | None) -> dict[str, Any]:
        """Infos of worlds of a mask, or of all."""
        there = np.ones(self.num_envs, np.bool_) if mask is None else mask
        found = {f"reward_{name}": np.array(term) for name, term in terms.items()}
        if (success := self.task.success(self.sim)) is not None:
            found["is_success"] = np.array(success)
        if self.curriculum is not None:
            found["level"] = self.sim.level.copy()
        infos: dict[str, Any] = {}
        for name, values in found.items():
            values[~there] = 0
            infos[name], infos[f"_{name}"] = values, there.copy()
        return infos

    def _ended_infos(
        self, last: Any, infos: dict[str, Any], ended: Array
    ) -> tuple[Any, dict[str, Any]]:
        """Begin the episodes after those that ended; what these ended with goes into the infos."""
        worlds = np.flatnonzero(ended)
        self._begin(worlds)
        finals = np.full(self.num_envs, None, dtype=object)
        for world in worlds.tolist():
            finals[world] = of_world(last, world)
        own = {name: v for name, v in infos.items() if not name.startswith("_")}
        final = {name: np.where(ended, values, 0) for name, values in own.items()}
        final |= {f"_{name}": ended.copy() for name in own}
        fresh = self._infos({}, ended)
        for name, values in fresh.items():
            infos[name][ended] = values[ended]
        infos |= {
            "final_obs": finals, "_final_obs": ended.copy(),
            "final_info": final, "_final_info": ended.copy(),
        }  # fmt: skip
        return self._observed(), infos

    # --- looks ---------------------------------------------------------------------------------

    def render(self) -> tuple[Array, ...] | None:
        """A picture of each world, (height, width, 3) of uint8."""
        if self.render_mode is None:
            return None
        return self._pictures.of(self.sim, shadows=self.is_whole)

    def close_extras(self, **kwargs: Any) -> None:
        """End what takes pictures."""
        self._pictures.close()
        self._seen.close()
