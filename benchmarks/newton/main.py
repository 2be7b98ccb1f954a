"""Measure Newton's API beside newton itself: milliseconds a step, and memory a world.

Each side runs each solver of a scene, eager and as a recorded graph, in processes of its own that
take turns; the ratio is that of the fastest of both sides. In brackets: processor
time, which other processes on the machine change less; a solver that works on several cores is
faster than it shows. `--device cuda` does the same on a GPU.
`make bench-newton` installs the peer.
"""

from __future__ import annotations

import argparse
import json
import math
import subprocess
import sys
from itertools import pairwise
from pathlib import Path
from statistics import median

from benchmarks.newton.scenes import SCENES
from benchmarks.newton.worker import PREFIX

ROOT = Path(__file__).resolve().parents[2]
PEER = ROOT / ".venv-newton" / "bin" / "python"
_MODES = ("eager", "captured")
_LIMIT = 900.0  # s, for one process
Row = dict[str, float]


def main(argv: list[str]) -> int:
    """Measure; the exit status is 1 if one of ours failed."""
    options = _options(argv)
    if not Path(options.peer).exists():
        print(f"no peer at {options.peer}: `make bench-newton` installs it", file=sys.stderr)
        return 2
    sides = {"newton": options.peer, "unibody.newton": sys.executable}
    failed = False
    measured: dict[str, dict[str, Row]] = {}
    for name in options.scenes:
        measured[name] = {}
        failed = _scene(name, sides, options, measured[name]) or failed
    _tell_growth(measured)
    return 1 if failed else 0


def _tell_growth(measured: dict[str, dict[str, Row]]) -> None:
    """Print how processor time grows with vertices: the exponent, from scene to scene."""
    rows = [(SCENES[name].vertices, name) for name in measured if SCENES[name].vertices]
    rows.sort()
    for (few, first), (many, second) in pairwise(rows):
        for module in measured[first].keys() & measured[second].keys():
            more = measured[second][module]["processor"] / measured[first][module]["processor"]
            exponent = math.log(more) / math.log(many / few)
            print(f"{first} to {second}: {module} grows as vertices to the power of {exponent:.2f}")


def _scene(
    name: str, sides: dict[str, str], options: argparse.Namespace, best: dict[str, Row]
) -> bool:
    """Measure a scene on both sides, and note the fastest of each; whether one of ours failed."""
    scene, failed = SCENES[name], False
    print(f"{name}: {scene.title}, ms a step")
    for solver in scene.solvers:
        for mode in _MODES:
            row = _alternate(sides, name, solver, mode, options)
            failed = failed or "unibody.newton" not in row
            for module, value in row.items():
                best[module] = _least(value, best.get(module, value))
            print(f"  {solver:16} {mode:9} " + _line(row), flush=True)
    print(f"  {'fastest':26} {_line(best)}", flush=True)
    kib = {module: value["memory"] / 1024 / scene.worlds for module, value in best.items()}
    print("  memory a world             " + "   ".join(f"{m} {k:.0f} KiB" for m, k in kib.items()))
    if name.startswith("ant"):
        row = _alternate(sides, name, "-", "build", options)
        print(f"  {'build and finalize':26} {_line(row)}", flush=True)
    return failed


def _alternate(
    sides: dict[str, str], name: str, solver: str, mode: str, options: argparse.Namespace
) -> dict[str, Row]:
    """What both sides measure, by turns."""
    found: dict[str, list[Row]] = {module: [] for module in sides}
    for rep in range(options.reps):
        for module in list(sides) if rep % 2 == 0 else list(sides)[::-1]:
            command = [sides[module], str(Path(__file__).with_name("worker.py"))]
            command += [module, name, solver, mode, str(options.seconds), options.device]
            value = _measure(command)
            if value is not None:
                found[module].append(value)
    return {
        module: {key: median(value[key] for value in values) for key in values[0]}
        for module, values in found.items()
        if values
    }


def _least(first: Row, second: Row) -> Row:
    return {key: min(first[key], second[key]) for key in first}


def _line(row: dict[str, Row]) -> str:
    text = "".join(
        f"{module} {value['ms']:9.3f} ({value['processor']:8.3f})   "
        for module, value in row.items()
    )
    if len(row) == 2:
        ours, theirs = row["unibody.newton"], row["newton"]
        text += f"{theirs['ms'] / ours['ms']:6.2f}x"
        text += f" ({theirs['processor'] / ours['processor']:.2f}x)"
    return text


def _measure(command: list[str]) -> Row | None:
    """What a worker says, or None where it failed; the reason is printed."""
    what = " ".join(command[2:5])
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, check=False, timeout=_LIMIT, cwd=ROOT
        )
    except subprocess.TimeoutExpired:
        print(f"  {what}: more than {_LIMIT:.0f} s")
        return None
    for line in done.stdout.splitlines():
        if line.startswith(PREFIX):
            told = json.loads(line.removeprefix(PREFIX))
            return {key: float(value) for key, value in told.items() if key != "contacts"}
    last = [line for line in done.stderr.splitlines() if line.strip()][-1:]
    print(f"  {what}: {last[0] if last else done.returncode}")
    return None


def _options(argv: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="unibody bench newton",
        description=__doc__,
        formatter_class=argparse.RawTextHelpFormatter,
    )
    parser.add_argument("--peer", default=str(PEER), help="Python that has newton")
    parser.add_argument("--scenes", nargs="+", choices=list(SCENES), default=list(SCENES))
    parser.add_argument("--device", default="cpu", help="Warp's name of it: cpu, cuda:0")
    parser.add_argument("--quick", action="store_true", help="one process a side, shorter")
    parser.add_argument("--reps", type=int, help="processes a side (default 3)")
    parser.add_argument("--seconds", type=float, help="of one measurement (default 2)")
    options = parser.parse_args(argv)
    options.reps = options.reps or (1 if options.quick else 3)
    options.seconds = options.seconds or (0.5 if options.quick else 2.0)
    return options
