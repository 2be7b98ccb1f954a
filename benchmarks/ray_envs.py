"""Worlds on workers of Ray against the same in one process: ``python -m benchmarks.ray_envs``.

Prints, for each task and number of workers, the least time of a step by the clock and of the
processors (of all processes), how much that is above one process, and where it goes. All are
stepped in turns with the same actions. The machine has to be quiet for the clock.
"""

from __future__ import annotations

import argparse
import os
import time
from typing import Any, NamedTuple

import gymnasium
import numpy as np

from unibody.scale.vector_env import RayVectorEnv

_TASKS = {"unibody/CartPole-v0": 200, "unibody/Ant-v0": 4}  # steps of a turn
_ACTIONS = 8  # draws that are used in turn


class Turn(NamedTuple):
    """Means of a step of one turn [ms]: by the clock, here, and in each worker."""

    wall: float
    here: float
    workers: tuple[float, ...]

    @property
    def busy(self) -> float:
        """Of the processors."""
        return self.here + sum(self.workers)


class Stepped:
    """A vector environment that is measured."""

    def __init__(self, vector: Any, actors: list[Any]) -> None:
        self.vector, self._actors = vector, actors
        self.turns: list[Turn] = []
        vector.action_space.seed(0)
        self._actions = [vector.action_space.sample() for _ in range(_ACTIONS)]
        vector.reset(seed=0)

    def _busy(self) -> list[float]:
        import ray

        return ray.get([each.__ray_call__.remote(_processor_time) for each in self._actors])

    def take_turn(self, steps: int, *, counts: bool) -> None:
        """Step so many times."""
        before, here, wall = self._busy(), time.process_time(), time.perf_counter()
        for number in range(steps):
            self.vector.step(self._actions[number % _ACTIONS])
        wall, here = time.perf_counter() - wall, time.process_time() - here
        each = [b - a for a, b in zip(before, self._busy(), strict=True)]
        if counts:
            ms = np.array([wall, here, *each]) / steps * 1e3
            self.turns.append(Turn(ms[0], ms[1], tuple(ms[2:])))

    def least(self) -> tuple[float, Turn]:
        """The least time by the clock, and the turn of least processor time."""
        return min(t.wall for t in self.turns), min(self.turns, key=lambda t: t.busy)


def _processor_time(_: Any) -> float:
    return time.process_time()


def compare(task: str, count: int, workers: list[int], turns: int, steps: int) -> list[str]:
    """Lines of figures."""
    vectors: dict[str, Stepped] = {
        "one thread": Stepped(gymnasium.make_vec(task, num_envs=count, threads=1), []),
        "all cores": Stepped(gymnasium.make_vec(task, num_envs=count), []),
    }
    for number in workers:
        vector = RayVectorEnv(task, count, workers=number)
        vectors[f"{number} workers"] = Stepped(vector, vector._pool.actors)
    for turn in range(turns + 1):
        for each in vectors.values():
            each.take_turn(steps, counts=turn > 0)
    lines = [f"{task}, {count} worlds, load {os.getloadavg()[0]:.1f}"]
    _, base = vectors["one thread"].least()
    wall = vectors["all cores"].least()[0]
    for name, each in vectors.items():
        clock, least = each.least()
        inside = ", ".join(f"{ms:.2f}" for ms in least.workers)
        lines.append(
            f"  {name:<10} {clock:7.2f} ms by the clock ({clock / wall - 1:+.0%}), "
            f"{least.busy:7.2f} ms of processors ({least.busy / base.busy - 1:+.0%})"
            + (f"; {least.here:.2f} here, {inside} in workers" if inside else "")
        )
    for each in vectors.values():
        each.vector.close()
    return lines


if __name__ == "__main__":
    import ray

    from unibody.scale.cluster import start_ray

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tasks", nargs="+", default=list(_TASKS))
    parser.add_argument("--worlds", type=int, default=1024)
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--turns", type=int, default=5)
    given = parser.parse_args()
    start_ray(sum(given.workers), None)
    for task in given.tasks:
        steps = _TASKS.get(task, 10)
        print("\n".join(compare(task, given.worlds, given.workers, given.turns, steps)))
    ray.shutdown()
