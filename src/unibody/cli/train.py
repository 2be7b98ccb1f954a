"""`unibody train`: train a policy for a task with stable-baselines3 or rsl-rl."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Sequence
from pathlib import Path

from unibody.command_parser import Parser
from unibody.extras import install_command

_ABOUT = """\
Trains a policy for a task of unibody.envs with an algorithm of stable-baselines3 or rsl-rl. The
folder gets checkpoints, what `tensorboard --logdir` shows, and at the end last.mp4, an episode of
the policy. Ctrl-C saves a checkpoint; --resume goes on.
"""
_MOST_FRAMES = 500  # of the video


def main(argv: Sequence[str]) -> int:
    """Train a policy.

    Args:
        argv: The arguments behind `train`.

    Returns:
        The exit status of the process.
    """
    options = _parser().parse_args(argv)
    if importlib.util.find_spec("gymnasium") is None:  # whose own extra brings no learner
        problem = f"gymnasium is not installed: {install_command('train')}"
        print(f"unibody train: {problem}", file=sys.stderr)
        return 1

    from unibody.envs.registry import full_name
    from unibody.envs.training import Training, library_of
    from unibody.envs.training_settings import settings_of
    from unibody.errors import InvalidArgumentError, NotSupportedError

    try:
        task = full_name(options.task)
        folder = options.out or Path("runs") / task.rpartition("/")[2]
        settings = settings_of(
            task,
            algo=options.algo,
            library=options.library or (options.resume and library_of(options.resume)),
            num_envs=options.num_envs,
            steps=options.steps,
            seed=options.seed,
        )
        training = Training(settings, folder, options.resume)
    except (InvalidArgumentError, NotSupportedError) as problem:
        print(f"unibody train: {problem}", file=sys.stderr)
        return 2
    complete = training.run(options.every)
    training.learner.close()
    if complete and not options.no_video:
        _film(task, folder)
    print(f"unibody play {task} {folder} shows it; tensorboard --logdir {folder} the curves")
    return 0 if complete else 130


def _film(task: str, folder: Path) -> None:
    """Write ``last.mp4``, unless there is nothing to write films with."""
    import gymnasium

    from unibody.cli.play import Film
    from unibody.envs.playing import Player
    from unibody.errors import NotSupportedError

    most = min(gymnasium.spec(task).max_episode_steps or _MOST_FRAMES, _MOST_FRAMES)
    player = Player(task, folder, render_mode="rgb_array", max_episode_steps=most)
    try:
        film = Film(player.vector, folder / "last.mp4")
    except NotSupportedError as problem:  # the policy is there; a film can be made later
        print(f"no video: {problem}", file=sys.stderr)
    else:
        player.episodes(1, after_step=film.add)
        film.close()
    player.vector.close()


def _parser() -> Parser:
    parser = Parser(prog="unibody train", description=_ABOUT)
    parser.add_argument("task", help="such as CartPole or unibody/CartPole-v0")
    parser.add_argument("--algo", default="ppo", choices=["ppo"])
    parser.add_argument(
        "--library", choices=["stable-baselines3", "rsl-rl"],
        help="whose algorithm; without it that of --resume, or what suits the task",
    )  # fmt: skip
    parser.add_argument("--num-envs", type=int, help="number of worlds")
    parser.add_argument("--steps", type=int, help="of all worlds together")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, help="the folder; runs/TASK without it")
    parser.add_argument("--every", type=int, default=100_000, help="steps between checkpoints")
    parser.add_argument("--resume", type=Path, metavar="CHECKPOINT", help="go on from there")
    parser.add_argument("--no-video", action="store_true", help="no last.mp4 at the end")
    return parser
