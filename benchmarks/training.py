"""Train every task of unibody.envs over some seeds, and write docs/training_results.md.

    python -m benchmarks.training [--seeds 3] [--folder runs/results] [--page-only] [TASK ...]

Trainings that are done are not done again, and those that were interrupted go on. --page-only
writes the page of what is there. What the page says of tasks without a training there, stays. It
needs the extra `train`, and matplotlib.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np

import unibody.envs  # noqa: F401 - Gymnasium knows the tasks then
from benchmarks.training_page import write_page
from unibody.envs.tasks.quadruped import QuadrupedFlat
from unibody.envs.training import policy_of_checkpoint
from unibody.envs.training_settings import settings_of

TASKS = (
    "CartPole",
    "Pendulum",
    "Reach",
    "Hopper",
    "Ant",
    "QuadrupedFlat",
    "QuadrupedRough",
    "Push",
    "PickAndPlace",
)
_EPISODES = 16
_SEED = 1000  # of the worlds that are judged; trainings have others


@dataclass(frozen=True, slots=True)
class Result:
    """What a policy does in episodes without chance in its actions; means of them.

    Attributes:
        returns: Of an episode.
        length: Of an episode.
        metres: Between where the body that is looked at begins and ends, on the ground.
        success: Share of episodes that end at their goal; None: the task has none.
        off: Mean distance between velocity and command [m/s], and between turn and command [rad/s];
            None: the task has no commands.
    """

    returns: float
    length: float
    metres: float
    success: float | None
    off: tuple[float, float] | None


def judged(task: str, policy: Any) -> Result:
    """Play an episode in each of 16 worlds, which are spread over the levels of difficulty.

    Args:
        task: The id of the task.
        policy: From observations to actions; None: random actions.
    """
    vector: Any = gymnasium.make_vec(task, num_envs=_EPISODES, autoreset_mode="Disabled")
    vector.action_space.seed(_SEED)
    if vector.curriculum is not None:
        vector.sim.level[:] = np.arange(_EPISODES) % vector.curriculum.levels
    observations, _ = vector.reset(seed=_SEED)
    row = vector.sim.link(vector.task.view.follow) if vector.task.view.follow else 0
    start = vector.sim.xpos[:, row, :2].copy()
    end, live = start.copy(), np.ones(_EPISODES, np.bool_)
    returns, lengths, success = np.zeros((3, _EPISODES))
    off = np.zeros((_EPISODES, 2))
    has_goal, has_command = False, isinstance(vector.task, QuadrupedFlat)
    while live.any():
        actions = vector.action_space.sample() if policy is None else policy(observations)
        observations, rewards, ends, cuts, infos = vector.step(actions)
        returns[live] += rewards[live]
        lengths[live] += 1
        end[live] = vector.sim.xpos[live, row, :2]
        if has_command:
            off[live] += vector.task.off_command(vector.sim)[live]
        if "is_success" in infos:
            has_goal = True
            success[live] = infos["is_success"][live]
        live &= ~(ends | cuts)
    vector.close()
    metres = float(np.sqrt(((end - start) ** 2).sum(axis=1)).mean())
    share = float(success.mean()) if has_goal else None
    speed, turn = (off.sum(axis=0) / lengths.sum()).tolist()
    error = (speed, turn) if has_command else None
    return Result(float(returns.mean()), float(lengths.mean()), metres, share, error)


def last_of(folder: Path) -> Path | None:
    """The last policy of a folder of a training, of whichever library; None: there is none yet."""
    return next(iter(sorted(folder.glob("last.zip")) + sorted(folder.glob("last.pt"))), None)


def train(task: str, seed: int, folder: Path) -> None:
    """Begin a training or go on with it, in a process of its own."""
    command = [sys.executable, "-m", "unibody", "train", task, "--seed", str(seed), "--no-video"]
    command += ["--out", str(folder)]
    if last_of(folder):
        command += ["--resume", str(folder)]
    subprocess.run(command, check=True, env={**os.environ, "OMP_NUM_THREADS": "1"})


def judge(task: str, folder: Path, policy: Path) -> None:
    """Note what the last policy of a folder does, unless that is noted."""
    noted = folder / "result.json"
    if not noted.exists() or noted.stat().st_mtime < policy.stat().st_mtime:
        result = judged(settings_of(f"unibody/{task}-v0").task, policy_of_checkpoint(policy))
        noted.write_text(json.dumps(asdict(result)))


def main() -> None:
    """Train what is not trained yet, and write the page."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("tasks", nargs="*", default=TASKS, metavar="TASK")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--folder", type=Path, default=Path("runs/results"))
    parser.add_argument("--page-only", action="store_true", help="train nothing")
    options = parser.parse_args()
    folders = {
        (task, seed): options.folder / f"{task}-v0" / f"seed_{seed}"
        for seed in range(options.seeds)
        for task in options.tasks
    }
    if not options.page_only:
        for (task, seed), folder in folders.items():
            print(f"{task}, seed {seed}", flush=True)
            train(task, seed, folder)
    options.folder.mkdir(parents=True, exist_ok=True)
    for task in {task for (task, _), folder in folders.items() if last_of(folder)}:
        noted = options.folder / f"{task}-v0.random.json"
        if not noted.exists():
            noted.write_text(json.dumps(asdict(judged(f"unibody/{task}-v0", None))))
    for (task, _), folder in folders.items():
        if policy := last_of(folder):
            judge(task, folder, policy)
    write_page(options.folder, TASKS, options.seeds)


if __name__ == "__main__":
    main()
