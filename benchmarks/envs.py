"""Steps of Gymnasium environments against steps of MuJoCo's Batch from the same states.

    python -m benchmarks.envs [--worlds 4096] [--steps 12] [TASK ...]

Both sides run in turns in one process: the environment with random actions, its physics alone, and
``mujoco.batch.Batch`` on the same model, states and torques.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable

import gymnasium
import numpy as np
from mujoco.batch import Batch

import unibody.envs  # noqa: F401


def _seconds(call: Callable[[], object]) -> float:
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def measure(task: str, count: int, steps: int) -> str:
    """A line of figures of a task."""
    env = gymnasium.make_vec(task, num_envs=count)
    env.reset(seed=0)
    env.action_space.seed(0)
    worlds, substeps = env.sim.worlds, env.task.substeps
    batch = Batch(worlds.model, nsim=count, nthread=worlds.threads)
    whole = physics = raw = 0.0
    for number in range(steps + 2):
        before, action = worlds.snapshot(), env.action_space.sample()
        spent = [_seconds(lambda action=action: env.step(action))]
        after, efforts = worlds.snapshot(), worlds.qfrc_applied.copy()
        worlds.restore(before)
        worlds.qfrc_applied[:] = efforts
        batch.state[:] = worlds.snapshot()
        spent.append(_seconds(lambda: worlds.step(substeps)))
        spent.append(_seconds(lambda: batch.step(nstep=substeps)))
        touching = int((np.abs(worlds.contact_wrench[:, 1:]).sum(axis=2) > 0.0).sum())
        worlds.restore(after)
        worlds.kinematics()
        if number >= 2:  # the first warm up
            whole, physics, raw = whole + spent[0], physics + spent[1], raw + spent[2]
    return (
        f"{task}: {count * steps / whole:.0f} steps of worlds a second; of its physics alone "
        f"{100.0 * physics / whole:.1f} %, of MuJoCo's Batch {100.0 * raw / whole:.1f} %; "
        f"{touching} bodies in contact"
    )


def main() -> None:
    """Print a line a task."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("tasks", nargs="*", default=["unibody/Ant-v0", "unibody/Humanoid-v0"])
    parser.add_argument("--worlds", type=int, default=4096)
    parser.add_argument("--steps", type=int, default=12)
    options = parser.parse_args()
    for task in options.tasks:
        print(measure(task, options.worlds, options.steps), flush=True)


if __name__ == "__main__":
    main()
