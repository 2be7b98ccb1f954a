"""`unibody run`: run a script written for one of the original packages, unchanged."""

from __future__ import annotations

import argparse
import atexit
import os
import sys
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from unibody.cli.seeding import seed, seed_number
from unibody.command_parser import Parser
from unibody.errors import UnibodyError
from unibody.notices import tell

if TYPE_CHECKING:
    from unibody.cli.dataset import DatasetRun
    from unibody.cli.record import Record

_USAGE = """unibody run [options] script.py [args]
       unibody run [options] -m package.module [args]"""
_WITH_VALUE = (
    "--max-steps", "--max-time", "--record", "--dataset", "--fps", "--pictures", "--newton-api",
    "--seed",
)  # fmt: skip


def main(argv: Sequence[str]) -> int:
    """Run a script with the original packages resolved to unibody.

    Args:
        argv: Options, then the script or `-m module`, then the script's own arguments.

    Returns:
        The script's exit status; 0 if it was ended by a limit; 2 if it cannot be found.
    """
    head, rest = split(argv)
    parser = _parser()
    options = parser.parse_args(head)
    if not rest:
        parser.error("which script? give its path, or -m and a module")
    if rest == ["-m"]:
        parser.error("-m needs the name of a module")
    return _run(options, rest)


def split(argv: Sequence[str]) -> tuple[list[str], list[str]]:
    """Separate our options from the script and everything behind it.

    Args:
        argv: Arguments of `unibody run`.

    Returns:
        Our options, and the rest: `[script, *args]` or `["-m", module, *args]`.
    """
    at = 0
    while at < len(argv):
        word = argv[at]
        if word == "--":
            return list(argv[:at]), list(argv[at + 1 :])
        if word.startswith("-m") and not word.startswith("--"):
            joined = [word[2:]] if word != "-m" else []
            return list(argv[:at]), ["-m", *joined, *argv[at + 1 :]]
        if not word.startswith("-") or word == "-":
            return list(argv[:at]), list(argv[at:])
        at += 2 if word in _WITH_VALUE else 1
    return list(argv), []


def _run(options: argparse.Namespace, rest: list[str]) -> int:
    from unibody.cli import aliases, execute
    from unibody.cli.fast import skip_sleeps
    from unibody.cli.limits import WatchedRun

    try:
        watch = WatchedRun(options.max_steps, options.max_time)
        records = [each for each in (_record(options.record), _dataset(options, rest)) if each]
    except (UnibodyError, OSError) as error:
        return _refuse(error)
    _prepare(options)
    limited = options.max_steps is not None or options.max_time is not None
    aliases.install()
    aliases.install_in_children()
    try:
        program, arguments = (
            (execute.load_module(rest[1]), rest[2:])
            if rest[0] == "-m"
            else (execute.load_script(rest[0]), rest[1:])
        )
    except execute.ProgramNotFoundError as error:
        return _refuse(error)
    except BaseException as error:
        return execute.report(error)
    _point_out(program.file, arguments)
    restore = skip_sleeps() if options.fast else None
    for record in records:
        record.start()
    if limited:
        watch.start()
    try:
        status = execute.execute(program, arguments)
    finally:
        if limited:
            watch.stop()
        for record in records:
            record.stop()
        if restore:
            restore()
    if limited:
        sys.stdout.flush()
        print(watch.summary(), file=sys.stderr)
    if watch.reached is None:
        return status
    _leave_threads_behind()
    return 0


def _point_out(file: str, arguments: Sequence[str]) -> None:
    """Tell of options of ours behind a script whose text does not know them."""
    names = [word.partition("=")[0] for word in arguments]
    ours = [name for name in names if name in (*_WITH_VALUE, "--fast")]
    if not ours:
        return
    text = Path(file).read_text(encoding="utf-8", errors="replace")
    for name in ours:
        if not any(form in text for form in (name[2:], name[2:].replace("-", "_"))):
            tell(f"{name} went to the script; options of unibody run stand before it")


def _prepare(options: argparse.Namespace) -> None:
    """Do what acts on the script and on the processes that it starts."""
    from unibody.cli import newton_api

    if options.newton_api is not None:
        os.environ[newton_api.VARIABLE] = options.newton_api  # children speak the same
    if options.seed is not None:
        seed(options.seed)


def _record(file: str | None) -> Record | None:
    if file is None:
        return None
    from unibody.cli.record import Record

    return Record(file)


def _dataset(options: argparse.Namespace, rest: list[str]) -> DatasetRun | None:
    if options.dataset is None:
        return None
    from unibody.cli.dataset import DatasetRun, picture_size

    size = picture_size(options.pictures)
    return DatasetRun(options.dataset, options.fps, size, os.path.basename(rest[-1]))


def _leave_threads_behind() -> None:
    """End the process where the interpreter would wait for threads the script left running."""
    others = [t for t in threading.enumerate() if t is not threading.main_thread()]
    if any(not thread.daemon for thread in others):
        atexit._run_exitfuncs()
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(0)


def _refuse(problem: Exception) -> int:
    print(f"unibody run: {problem}", file=sys.stderr)
    return 2


def _parser() -> Parser:
    parser = Parser(
        prog="unibody run",
        usage=_USAGE,
        description="Run a script with `import pybullet` meaning unibody, installed or not.",
        allow_abbrev=False,
    )
    parser.add_argument("-m", metavar="MODULE", help="run a module, as python -m does")
    parser.add_argument(
        "--max-steps",
        type=step_count,
        metavar="N",
        help="end the run at the N-th simulation step over all clients, with exit status 0",
    )
    parser.add_argument(
        "--max-time",
        type=wall_time,
        metavar="S",
        help="end the run after S seconds of wall-clock time, with exit status 0",
    )
    parser.add_argument(
        "--fast", action="store_true", help="do not wait where the script calls time.sleep"
    )
    parser.add_argument(
        "--newton-api",
        choices=["0.2", "1", "1.0"],
        help="the dialect of Newton that the script is written for (1.0 is its first release, "
        "1 the later ones); without it, that of the newton "
        "that is installed or pinned beside the script, else 0.2",
    )
    parser.add_argument(
        "--seed",
        type=seed_number,
        metavar="N",
        help="seed the generators of random, NumPy and PyTorch; the script has N in UNIBODY_SEED",
    )
    parser.add_argument(
        "--record",
        metavar="FILE",
        help="record what the script simulates first, by simulated time: FILE.mp4, or FILE.html, a "
        "page that plays without a server",
    )
    parser.add_argument(
        "--dataset",
        metavar="PATH",
        help="record states, actions and pictures: one more episode of a folder in LeRobot's "
        "layout, or FILE.mcap",
    )
    parser.add_argument(
        "--fps", type=step_count, default=30, metavar="N", help="of --dataset (default 30)"
    )
    parser.add_argument(
        "--pictures",
        default="320x240",
        metavar="WxH",
        help="size of the pictures of --dataset (default 320x240); 0: none",
    )
    return parser


def step_count(text: str) -> int:
    """Read the argument of --max-steps."""
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError(f"{text} is not allowed: expected a number of steps >= 1")
    return value


def wall_time(text: str) -> float:
    """Read the argument of --max-time [s]."""
    value = float(text)
    if not 0.0 < value < float("inf"):
        raise argparse.ArgumentTypeError(f"{text} is not allowed: expected seconds > 0")
    return value
