"""A vector environment whose worlds live in workers of Ray."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import gymnasium
import numpy as np
from gymnasium.spaces import Space
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from unibody.envs.observations import together
from unibody.envs.reset_options import reset_mask
from unibody.errors import InvalidArgumentError
from unibody.scale.repeating_workers import RepeatingWorkers

Array = NDArray[Any]
Call = tuple[str, tuple[Any, ...]]  # name of a method of a worker, and its arguments
_LOST = "a worker of Ray was lost, with more work since the last reset than is kept"


class RayVectorEnv(VectorEnv[Any, Any, Any]):
    """Worlds of a task, on workers; the same bits as in one process, for any number of them.

    Actions go to workers on this machine through memory that they share with this process, and
    observations come back through it; they are copied once, into one array. Workers on other
    machines are called through Ray. A worker that is lost is started again and repeats what it was
    told since the last ``reset`` of all worlds.
    """

    def __init__(
        self,
        task: str,
        num_envs: int,
        *,
        workers: int = 2,
        address: str | None = None,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        **options: Any,
    ) -> None:
        """Make one.

        Args:
            task: The id under which Gymnasium knows the task.
            num_envs: Number of worlds.
            workers: Processes that they are shared among, each of which takes one CPU.
            address: Of a cluster of Ray; None: the one that runs in this process, or a new one on
                this machine.
            autoreset_mode: As of ``TaskVectorEnv``.
            options: Others of ``TaskVectorEnv``.

        Raises:
            InvalidArgumentError: There are more workers than worlds, or none.
        """
        if not 1 <= workers <= num_envs:
            raise InvalidArgumentError("workers", workers, f"1 to {num_envs}, one world at least")
        self.num_envs: int = num_envs
        self.mode: AutoresetMode = AutoresetMode(autoreset_mode)
        ends = np.linspace(0, num_envs, workers + 1).astype(np.int64).tolist()
        self._slices = [slice(a, b) for a, b in itertools.pairwise(ends)]
        given = {"autoreset_mode": self.mode, "threads": 1, **options}
        made = [(task, part.stop - part.start, given, workers == 1) for part in self._slices]
        self._pool = RepeatingWorkers(_Worlds, made, address, _LOST)
        about = self._pool.ask("about", [()] * workers)[0]
        self.single_observation_space: Space[Any] = about[0]
        self.single_action_space: Space[Any] = about[1]
        self.metadata: dict[str, Any] = about[2]
        self.render_mode: str | None = options.get("render_mode")
        self.observation_space: Space[Any] = batch_space(self.single_observation_space, num_envs)
        self.action_space: Space[Any] = batch_space(self.single_action_space, num_envs)

    # --- episodes ------------------------------------------------------------------------------

    def reset(
        self,
        *,
        seed: int | Sequence[int | None] | None = None,
        options: dict[str, Any] | None = None,
    ) -> tuple[Array, dict[str, Any]]:
        """Begin an episode in all worlds, or in those of the mask ``options["reset_mask"]``.

        Args:
            seed: That of the first world, others follow; or one each; None: streams go on.
            options: "reset_mask": worlds, (N,) of bool; there are no others.

        Raises:
            InvalidArgumentError: There are not so many seeds, the mask has another shape, or
                there is no such option.
        """
        seeds = self._seeds_of(seed)
        mask = reset_mask(options, self.num_envs)
        if mask is None and seeds is None and self._pool.is_fresh:
            # a worker that is lost must be able to draw the same again
            seeds = np.random.SeedSequence().generate_state(self.num_envs).tolist()
        if mask is None and seeds is not None and None not in seeds:
            self._pool.forget()
        told = [
            (
                None if seeds is None else seeds[part],
                None if mask is None else mask[part],
            )
            for part in self._slices
        ]
        observations, infos = zip(*self._pool.call("reset", told), strict=True)
        return together(observations), self._merged(infos)

    def _seeds_of(self, seed: int | Sequence[int | None] | None) -> Sequence[int | None] | None:
        if seed is None:
            return None
        if isinstance(seed, int | np.integer):
            super().reset(seed=int(seed))
            return [int(seed) + world for world in range(self.num_envs)]
        if len(seed) != self.num_envs:
            raise InvalidArgumentError("seed", seed, f"{self.num_envs} seeds, one a world")
        return seed

    def step(self, actions: Any) -> tuple[Array, Array, Array, Array, dict[str, Any]]:
        """Step all worlds.

        Args:
            actions: (N, ...), of ``action_space``.

        Raises:
            InvalidArgumentError: They have another shape, or are not finite; nothing has moved.
            EngineError: A worker was lost whose work is too long to be done again.
        """
        given = np.asarray(actions)
        if given.shape != self.action_space.shape:
            raise InvalidArgumentError("actions", given.shape, f"shape {self.action_space.shape}")
        if not np.isfinite(given).all():  # one worker would refuse them, and others would not
            raise InvalidArgumentError("actions", given, "finite numbers")
        told = [(given[part].copy(),) for part in self._slices]
        columns = list(zip(*self._pool.call("step", told, given.nbytes), strict=True))
        rewards, ends, cuts = (np.concatenate(each) for each in columns[1:4])
        return together(columns[0]), rewards, ends, cuts, self._merged(columns[4])

    def _merged(self, infos: Sequence[dict[str, Any]]) -> dict[str, Any]:
        counts = [part.stop - part.start for part in self._slices]
        return merged(infos, counts)

    # --- looks ---------------------------------------------------------------------------------

    def render(self) -> tuple[Array, ...] | None:
        """A picture of each world, (height, width, 3) of uint8."""
        if self.render_mode is None:
            return None
        pictures = self._pool.ask("render", [()] * len(self._slices))
        return tuple(picture.copy() for each in pictures for picture in each)

    def close_extras(self, **kwargs: Any) -> None:
        """End the workers, and Ray if it was started here."""
        self._pool.close()


class _Worlds:
    """A worker: some of the worlds."""

    def __init__(self, task: str, count: int, options: dict[str, Any], is_whole: bool) -> None:
        import unibody.envs  # noqa: F401 - Gymnasium knows the tasks then

        self._vector: Any = gymnasium.make_vec(task, num_envs=count, **options)
        self._vector.is_whole = is_whole

    def about(self) -> tuple[Any, Any, dict[str, Any]]:
        vector = self._vector
        return vector.single_observation_space, vector.single_action_space, vector.metadata

    def reset(self, seeds: Any, mask: Any) -> Any:
        if mask is not None and not mask.any():  # none of these
            return self._vector._observed(), {}
        return self._vector.reset(
            seed=seeds, options=None if mask is None else {"reset_mask": mask}
        )

    def step(self, actions: Array) -> Any:
        return self._vector.step(actions.copy())  # the next ones lie in the same memory

    def render(self) -> Any:
        return self._vector.render()


def merged(infos: Sequence[dict[str, Any]], counts: Sequence[int]) -> dict[str, Any]:
    """Infos of several vector environments as those of one.

    Args:
        infos: Of each; what one of them lacks is 0, False or None in its worlds.
        counts: Number of worlds of each.
    """
    found: dict[str, Any] = {}
    for name in dict.fromkeys(name for each in infos for name in each):
        parts = [each.get(name) for each in infos]
        first = next(part for part in parts if part is not None)
        if isinstance(first, dict):
            found[name] = merged([part or {} for part in parts], counts)
            continue
        empty = None if first.dtype == object else 0
        found[name] = np.concatenate([
            np.full((count, *first.shape[1:]), empty, first.dtype) if part is None else part
            for part, count in zip(parts, counts, strict=True)
        ])  # fmt: skip
    return found
