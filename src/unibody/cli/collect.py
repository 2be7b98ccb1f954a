"""`unibody collect TASK DIR`: episodes of a policy as a data set, played by many workers."""

from __future__ import annotations

import argparse
import importlib
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from unibody.cli.run import step_count
from unibody.command_parser import Parser

if TYPE_CHECKING:
    from unibody.scale.collect import Episode

_ABOUT = """\
Plays episodes of a task by a policy, on all cores or a cluster of Ray, and writes them in LeRobot's
layout. Episode k is played with the seed SEED + k, so that it is the same with any number of
workers. The same command goes on after an interruption.
"""


def main(argv: Sequence[str]) -> int:
    """Collect episodes.

    Args:
        argv: The arguments behind `collect`.

    Returns:
        0 if all were written, 130 after Ctrl-C, 2 if nothing could begin.
    """
    options = _parser().parse_args(argv)
    for package in ("ray", "pyarrow", "gymnasium"):  # without them nothing begins
        importlib.import_module(package)
    from unibody.envs.registry import full_name
    from unibody.errors import InvalidArgumentError
    from unibody.scale.collect import Collection, collect

    policy = options.policy
    if Path(policy).exists():
        policy = str(Path(policy).resolve())
    try:
        task = full_name(options.task)
        wanted = Collection(task, policy, options.episodes, options.seed, options.folder.resolve())
        collect(wanted, options.workers, options.address, _tell)
    except (InvalidArgumentError, ImportError) as problem:
        print(f"unibody collect: {problem}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("unibody collect: the same command goes on", file=sys.stderr)
        return 130
    print(f"{wanted.episodes} episodes: {options.folder}")
    return 0


def _tell(number: int, episode: Episode) -> None:
    total, steps = float(episode.rewards.sum()), len(episode.rewards)
    print(f"episode {number}: {steps} steps, return {total:.4g}", flush=True)


def _parser() -> Parser:
    parser = Parser(
        prog="unibody collect",
        description=_ABOUT,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("task", help='a task, such as "Ant" or "unibody/Ant-v0"')
    parser.add_argument("folder", type=Path, metavar="DIR", help="of the data set")
    parser.add_argument("--episodes", type=step_count, default=10, metavar="N", help="at the end")
    parser.add_argument(
        "--policy", default="random", metavar="POLICY",
        help="random, a checkpoint of `unibody train`, or MODULE:FUNCTION",
    )  # fmt: skip
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="of the first episode")
    parser.add_argument("--workers", type=step_count, metavar="N", help="episodes at a time")
    parser.add_argument("--address", metavar="HOST:PORT", help="of a cluster of Ray")
    return parser
