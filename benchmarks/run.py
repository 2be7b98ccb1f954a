"""Measure unibody against PyBullet: the same work on both, in alternating processes.

A complete run writes docs/performance.md; a partial one (--only, --quick) prints its table alone,
unless --write asks for the file. `fleet` as first argument measures many robots instead, `isaacgym`
many worlds, `isaac-core` and `newton` these APIs; see `benchmarks.fleet` and the modules `main` of
`benchmarks.isaacgym`, `benchmarks.isaac_core` and `benchmarks.newton`.
"""

from __future__ import annotations

import argparse
import fnmatch
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median
from typing import NamedTuple

from benchmarks.bullet import WORKS, Work
from benchmarks.bullet.worker import PREFIX
from benchmarks.report import Row, performance_page, row_text

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "performance.md"
TIME_LIMIT = 300.0  # for one process [s]


class Sample(NamedTuple):
    """What one process measured.

    Attributes:
        value: In the unit of the work; None if the process failed.
        contacts: Contact points at the end, None where they have no meaning.
        error: Last line of what a failed process wrote.
    """

    value: float | None
    contacts: int | None
    error: str = ""


def sample(module: str, work: Work, seconds: float) -> Sample:
    """Measure one piece of work on one module, in a new process."""
    command = [sys.executable, "-m", "benchmarks.bullet.worker", "--module", module]
    command += ["--work", work.name, "--seconds", str(seconds)]
    try:
        done = subprocess.run(
            command,
            cwd=ROOT,
            env=_environment(),
            capture_output=True,
            text=True,
            check=False,
            timeout=TIME_LIMIT,
        )
    except subprocess.TimeoutExpired:
        return Sample(None, None, f"more than {TIME_LIMIT:.0f} s")
    for line in done.stdout.splitlines():
        if line.startswith(PREFIX):
            result = json.loads(line.removeprefix(PREFIX))
            return Sample(result["value"], result["contacts"])
    lines = [line for line in done.stderr.splitlines() if line.strip()]
    return Sample(None, None, lines[-1] if lines else f"exit status {done.returncode}")


def _environment() -> dict[str, str]:
    """The present environment, where Python keeps the bytecode of modules, as where installed."""
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    folder = Path(tempfile.gettempdir()) / "unibody-benchmarks"
    return {"PYTHONPYCACHEPREFIX": str(folder), **kept}


def compare(work: Work, modules: tuple[str, str], reps: int, seconds: float) -> Row:
    """Measure both modules alternately; which goes first changes with every repetition."""
    samples: tuple[list[Sample], list[Sample]] = ([], [])
    for rep in range(reps):
        for side in (0, 1) if rep % 2 == 0 else (1, 0):
            samples[side].append(sample(modules[side], work, seconds))
    values, contacts, errors = [], [], []
    for group in samples:
        found = [s.value for s in group if s.value is not None]
        touching = [s.contacts for s in group if s.contacts is not None]
        values.append(tuple(found))
        contacts.append(round(median(touching)) if touching else None)
        errors += [s.error for s in group if s.error]
    return Row(work, values[0], values[1], contacts[0], contacts[1], errors[0] if errors else "")


def _options(argv: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="benchmarks", description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--only", nargs="+", metavar="PATTERN", help="names, * and ? allowed")
    parser.add_argument("--reps", type=int, help="processes a side (default 3; 1 with --quick)")
    parser.add_argument("--quick", action="store_true", help="short measurements")
    parser.add_argument(
        "--write", action=argparse.BooleanOptionalAction, help="write docs/performance.md"
    )
    parser.add_argument("--list", action="store_true", help="print the names of all work")
    parser.add_argument(
        "--modules",
        nargs=2,
        default=("pybullet", "unibody.bullet"),
        metavar=("REFERENCE", "MODULE"),
        help="modules to compare; the same one twice shows the noise",
    )
    options = parser.parse_args(argv)
    if options.reps is None:
        options.reps = 1 if options.quick else 3
    if options.reps < 1:
        parser.error(f"--reps {options.reps}: expected 1 or more")
    if options.write is None:
        options.write = not (options.only or options.quick or options.list)
    return options


def _chosen(patterns: list[str] | None) -> list[Work]:
    if not patterns:
        return list(WORKS.values())
    return [w for w in WORKS.values() if any(fnmatch.fnmatch(w.name, p) for p in patterns)]


def main(argv: list[str] | None = None) -> int:
    """Run what was asked for; return the exit status, 1 if something could not be measured."""
    given = sys.argv[1:] if argv is None else argv
    if given[:1] == ["fleet"]:
        from benchmarks import fleet

        return fleet.main(given[1:])
    if given[:1] == ["newton"]:
        from benchmarks.newton import main as newton

        return newton.main(given[1:])
    if given[:1] == ["isaac-core"]:
        from benchmarks.isaac_core.main import main as isaac_core

        return isaac_core(given[1:])
    if given[:1] == ["isaacgym"]:
        from benchmarks.isaacgym import main as many_worlds

        return many_worlds.main(given[1:])
    options = _options(argv)
    works = _chosen(options.only)
    if options.list:
        print("\n".join(f"{work.name:32} {work.title}" for work in works))
        return 0
    if not works:
        print(f"no work is called {' or '.join(options.only)}; see --list", file=sys.stderr)
        return 2
    modules = tuple(options.modules)
    seconds = 0.2 if options.quick else 1.0
    start = time.monotonic()
    rows = []
    for work in works:
        rows.append(compare(work, modules, options.reps, seconds))
        print(row_text(rows[-1]), flush=True)
    elapsed = time.monotonic() - start
    print(f"{len(rows)} pieces of work in {elapsed:.0f} s")
    if options.write:
        page = performance_page(rows, modules, options.reps, seconds)
        PAGE.parent.mkdir(exist_ok=True)
        PAGE.write_text(page, encoding="utf-8")
        print(f"written to {PAGE.relative_to(ROOT)}")
    return 1 if any(row.error for row in rows) else 0
