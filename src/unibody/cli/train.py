"""`unibody train`: train a policy for a task with stable-baselines3."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from unibody.command_parser import Parser

_ABOUT = """\
Trains a policy for a task of unibody.envs with an algorithm of stable-baselines3. The folder gets
checkpoints and what `tensorboard --logdir` shows. Ctrl-C saves a checkpoint; --resume goes on.
"""


def main(argv: Sequence[str]) -> int:
    """Train a policy.

    Args:
        argv: The arguments behind `train`.

    Returns:
        The exit status of the process.
    """
    parser = Parser(prog="unibody train", description=_ABOUT)
    parser.add_argument("task", help="such as CartPole or unibody/CartPole-v0")
    parser.add_argument("--algo", default="ppo", choices=["ppo"])
    parser.add_argument("--num-envs", type=int, help="number of worlds")
    parser.add_argument("--steps", type=int, help="of all worlds together")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, help="the folder; runs/TASK without it")
    parser.add_argument("--every", type=int, default=100_000, help="steps between checkpoints")
    parser.add_argument("--resume", type=Path, metavar="CHECKPOINT", help="go on from there")
    options = parser.parse_args(argv)

    from unibody.envs.registry import full_name
    from unibody.envs.training import Training, settings_of
    from unibody.errors import InvalidArgumentError

    task = full_name(options.task)
    folder = options.out or Path("runs") / task.rpartition("/")[2]
    try:
        settings = settings_of(
            task,
            algo=options.algo,
            num_envs=options.num_envs,
            steps=options.steps,
            seed=options.seed,
        )
        training = Training(settings, folder, options.resume)
    except InvalidArgumentError as problem:
        print(f"unibody train: {problem}", file=sys.stderr)
        return 2
    complete = training.run(options.every)
    print(f"unibody play {task} {folder} shows it; tensorboard --logdir {folder} the curves")
    return 0 if complete else 130
