"""Measure the fleet surface, against PyBulletFleet where that is there.

PyBulletFleet wants a NumPy that does not go with ours, so it usually lives in an environment of its
own: UNIBODY_FLEET_REFERENCE is the interpreter of that.

Ours has more collisions: the original misses those of robots that are nearer than the margin while
the boxes around their bases do not overlap (docs/fleet.md).
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import math
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

from benchmarks.fleet_worker import PREFIX

ROOT = Path(__file__).resolve().parents[1]
VARIABLE = "UNIBODY_FLEET_REFERENCE"
ORIGINAL, OURS = "pybullet_fleet", "unibody.fleet"
TIME_LIMIT = 600.0  # for one process [s]
_EXPONENT_FROM, _EXPONENT_TO = 1_000, 100_000


class Case(NamedTuple):
    """A scenario of one size.

    Attributes:
        scenario: As `benchmarks.fleet_worker` calls it.
        count: Number of robots.
        seconds: Of simulation.
        both: Measured on the original too.
    """

    scenario: str
    count: int
    seconds: float
    both: bool


CASES = (
    Case("cubes", 1_000, 5.0, both=True),
    Case("wheeled", 1_000, 5.0, both=True),
    Case("own", 1_000, 5.0, both=True),
    Case("patrol", 1_000, 5.0, both=True),
    Case("random_walk", 1_000, 5.0, both=True),
    Case("listeners", 1_000, 5.0, both=True),
    Case("arms", 50, 5.0, both=True),
    Case("arms_physics", 50, 0.5, both=True),
    Case("cubes", 10_000, 5.0, both=False),
    Case("wheeled", 10_000, 5.0, both=False),
    Case("cubes", 100_000, 5.0, both=False),
    Case("cubes", 1_000_000, 1.0, both=False),
)


def reference_interpreter() -> str | None:
    """The interpreter that has the original; None without one."""
    stated = os.environ.get(VARIABLE)
    if stated:
        return stated
    return sys.executable if importlib.util.find_spec(ORIGINAL) is not None else None


def measure(interpreter: str, module: str, case: Case, seconds: float) -> dict[str, float] | str:
    """Measure a case in a new process; its figures, or why there are none."""
    worker = str(ROOT / "benchmarks" / "fleet_worker.py")
    command = [interpreter, worker, "--module", module, "--scenario", case.scenario]
    command += ["--count", str(case.count), "--seconds", str(seconds)]
    environment = dict(os.environ)
    if module == OURS:
        environment["PYTHONPATH"] = os.pathsep.join([str(ROOT / "src"), *filter(None, sys.path)])
    with tempfile.TemporaryDirectory() as folder:  # what a run writes is no part of the checkout
        try:
            done = subprocess.run(
                command, cwd=folder, env=environment, capture_output=True, text=True, check=False,
                timeout=TIME_LIMIT,
            )  # fmt: skip
        except (OSError, subprocess.TimeoutExpired) as problem:
            return str(problem)
    for line in done.stdout.splitlines():
        if line.startswith(PREFIX):
            return json.loads(line.removeprefix(PREFIX))
    lines = [line for line in done.stderr.splitlines() if line.strip()]
    return lines[-1] if lines else f"exit status {done.returncode}"


def _best(
    interpreter: str, module: str, case: Case, reps: int, seconds: float
) -> dict[str, float] | str:
    """The fastest of several processes: what else runs on the machine only slows one down."""
    found = [measure(interpreter, module, case, seconds) for _ in range(reps)]
    good = [one for one in found if isinstance(one, dict)]
    return max(good, key=lambda one: one["cpu_rtf"]) if good else found[0]


def _line(case: Case, module: str, found: dict[str, float] | str, ratio: float | None) -> str:
    head = f"{case.scenario:13} {case.count:7} {module:15}"
    if isinstance(found, str):
        return f"{head} failed: {found}"
    times = f"  {ratio:.1f} x the original by processor time" if ratio else ""
    return (
        f"{head} {found['rtf']:9.1f} x real time ({found['cpu_rtf']:.1f} by processor time)  "
        f"{found['step_ms']:8.3f} ms/step ({found['step_cpu_ms']:.3f} of processors)  "
        f"{found['collisions']:.0f} collisions began, {found['pairs']:.0f} pairs at the end  "
        f"spawn {found['spawn_s']:7.2f} s  {found['kib_per_robot']:6.1f} KiB/robot{times}"
    )


def main(argv: list[str]) -> int:
    """Measure; the exit status is 1 if something could not be measured."""
    parser = argparse.ArgumentParser(prog="unibody bench fleet", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="fewer robots, shorter, once")
    parser.add_argument("--reps", type=int, help="processes a figure (default 3; 1 with --quick)")
    options = parser.parse_args(argv)
    reps = options.reps if options.reps is not None else (1 if options.quick else 3)
    if reps < 1:
        parser.error(f"--reps {reps}: expected 1 or more")
    cases = [case for case in CASES if not options.quick or case.count <= _EXPONENT_FROM]
    reference = reference_interpreter()
    if reference is None:
        print(
            f"pybullet_fleet is not there: ours alone. Set {VARIABLE} to the interpreter of an "
            "environment that has it"
        )
    failed, steps = False, {}
    for case in cases:
        seconds = case.seconds * (0.2 if options.quick else 1.0)
        once = case.count > _EXPONENT_TO  # to spawn them takes minutes
        ours = _best(sys.executable, OURS, case, 1 if once else reps, seconds)
        theirs = None
        if case.both and reference is not None:
            theirs = _best(reference, ORIGINAL, case, reps, seconds)
            print(_line(case, ORIGINAL, theirs, None), flush=True)
        both = isinstance(ours, dict) and isinstance(theirs, dict)
        ratio = ours["cpu_rtf"] / theirs["cpu_rtf"] if both else None  # type: ignore[index,call-overload]
        print(_line(case, OURS, ours, ratio), flush=True)
        failed = failed or isinstance(ours, str) or isinstance(theirs, str)
        if isinstance(ours, dict) and case.scenario == "cubes":
            steps[case.count] = 1.0 / ours["cpu_rtf"]
    if _EXPONENT_FROM in steps and _EXPONENT_TO in steps:
        span = math.log(_EXPONENT_TO / _EXPONENT_FROM)
        exponent = math.log(steps[_EXPONENT_TO] / steps[_EXPONENT_FROM]) / span
        print(f"scaling exponent from {_EXPONENT_FROM} to {_EXPONENT_TO} robots: {exponent:.2f}")
    return 1 if failed else 0
