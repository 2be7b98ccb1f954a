"""`unibody sweep`: a script over a grid of parameters and seeds, on all cores or a cluster."""

from __future__ import annotations

import argparse
import importlib
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from unibody.cli.run import step_count
from unibody.command_parser import Parser

if TYPE_CHECKING:
    from unibody.scale.runs import Outcome, Program, Run

_ABOUT = """\
Runs a script, unchanged, for every combination of parameters and seeds, each in a process of its
own as `unibody run` does. It gets parameters as options `--NAME VALUE` behind its own arguments,
and its seed in UNIBODY_SEED; the generators of random, NumPy and PyTorch are seeded before it
starts. What its last lines say as `name=value` or as a JSON object are columns of the table,
table.parquet. What is done is kept at once: the same command goes on after an interruption.
"""


def main(argv: Sequence[str]) -> int:
    """Run a sweep.

    Args:
        argv: The arguments behind `sweep`.

    Returns:
        0 if all runs were done, 1 if some failed, 130 after Ctrl-C, 2 if nothing could begin.
    """
    words = list(argv)
    own = words.index("--") if "--" in words else len(words)
    parser = _parser()
    options = parser.parse_args(words[:own])

    for package in ("ray", "pyarrow"):  # without them nothing begins
        importlib.import_module(package)
    from unibody.errors import InvalidArgumentError
    from unibody.scale import cluster, runs
    from unibody.scale.folder import Folder
    from unibody.scale.sweep import sweep, table_path

    try:
        grid = runs.grid([runs.parameter(text) for text in options.set], options.seeds)
        program = _program(options, tuple(words[own + 1 :]))
        folder = Folder(options.out or Path("sweeps") / Path(options.script).stem, program)
    except (InvalidArgumentError, OSError) as problem:
        print(f"unibody sweep: {problem}", file=sys.stderr)
        return 2
    if options.retry_failed:
        for run in grid:
            outcome = folder.outcome(run)
            if outcome is not None and not outcome.done:
                folder.forget(run)
    screen = _Screen(grid)
    try:
        done = sweep(
            grid,
            folder,
            lambda left: cluster.outcomes(program, left, options.workers, options.address),
            screen.show,
        )
    except KeyboardInterrupt:
        print(f"unibody sweep: the same command goes on; {table_path(folder)}", file=sys.stderr)
        return 130
    screen.end(done)
    failed = [run for run in grid if not done[run].done]
    for run in failed[:10]:
        print(f"failed: {run}: {folder.log(run)}")
    print(f"{len(grid)} runs, {len(failed)} failed: {table_path(folder)}")
    return 1 if failed else 0


def _program(options: argparse.Namespace, arguments: tuple[str, ...]) -> Program:
    from unibody.scale.runs import Program

    passed = ["--fast"] * options.fast
    if options.max_steps is not None:
        passed += ["--max-steps", str(options.max_steps)]
    if options.newton_api is not None:
        passed += ["--newton-api", options.newton_api]
    script = os.path.abspath(options.script)
    option = (options.seed_option or "").lstrip("-")
    return Program(script, arguments, tuple(passed), option, os.getcwd())


class _Screen:
    """The table of means while it grows: in place on a terminal, else a line for each run.

    Args:
        grid: All runs.
    """

    def __init__(self, grid: list[Run]) -> None:
        self._grid, self._height = grid, 0
        self._live = sys.stdout.isatty()

    def show(self, run: Run, done: dict[Run, Outcome]) -> None:
        """Tell that a run is done."""
        count = f"{len(done)}/{len(self._grid)}"
        if not self._live:
            outcome = done[run]
            word = outcome.last_line if outcome.done else f"failed ({outcome.exit_status})"
            print(f"{count} {run}: {word[:100]}", flush=True)
            return
        size = os.get_terminal_size()
        lines = self._table(done)
        room = max(1, size.lines - 3)
        lines = [*lines[:room], count]
        up = f"\x1b[{self._height}F" if self._height else ""
        print(up + "".join(f"\x1b[2K{line[: size.columns - 1]}\n" for line in lines), end="")
        sys.stdout.flush()
        self._height = len(lines)

    def end(self, done: dict[Run, Outcome]) -> None:
        """Leave the whole table behind."""
        up = f"\x1b[{self._height}F\x1b[J" if self._height else ""
        print(up + "\n".join(self._table(done)))

    def _table(self, done: dict[Run, Outcome]) -> list[str]:
        from unibody.scale.table import means

        return means(self._grid, done)


def _parser() -> Parser:
    parser = Parser(
        prog="unibody sweep",
        usage="unibody sweep script.py [--set NAME=A,B,C]... [--seeds N] [options] [-- arguments]",
        description=_ABOUT,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("script", help="what is behind `--` are its arguments in every run")
    parser.add_argument(
        "--set", action="append", default=[], metavar="NAME=A,B,C", help="a parameter, any number"
    )
    parser.add_argument("--seeds", type=int, default=1, metavar="N", help="seeds 0 to N - 1")
    parser.add_argument("--seed-option", metavar="NAME", help="give the seed as --NAME, too")
    parser.add_argument("--workers", type=step_count, metavar="N", help="runs at a time")
    parser.add_argument("--address", metavar="HOST:PORT", help="of a cluster of Ray")
    parser.add_argument("--out", type=Path, metavar="DIR", help="sweeps/SCRIPT without it")
    parser.add_argument("--retry-failed", action="store_true", help="do failed runs again")
    parser.add_argument("--fast", action="store_true", help="as of `unibody run`")
    parser.add_argument("--max-steps", type=step_count, metavar="N", help="as of `unibody run`")
    parser.add_argument("--newton-api", choices=["0.2", "1", "1.0"], help="as of `unibody run`")
    return parser
