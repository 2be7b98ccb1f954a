"""Measure Newton's API beside newton itself, on the CPU: milliseconds a step.

Each side runs each solver of a scene, eager and as a recorded graph, in processes of its own that
take turns; the ratio is that of the fastest of both sides. `make bench-newton` installs the peer.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.newton.scenes import SCENES
from benchmarks.newton.worker import PREFIX

ROOT = Path(__file__).resolve().parents[2]
PEER = ROOT / ".venv-newton" / "bin" / "python"
_MODES = ("eager", "captured")
_LIMIT = 900.0  # s, for one process


def main(argv: list[str]) -> int:
    """Measure; the exit status is 1 if one of ours failed."""
    options = _options(argv)
    if not Path(options.peer).exists():
        print(f"no peer at {options.peer}: `make bench-newton` installs it", file=sys.stderr)
        return 2
    sides = {"newton": options.peer, "unibody.newton": sys.executable}
    failed = False
    for name in options.scenes:
        scene = SCENES[name]
        print(f"{name}: {scene.title}, ms a step")
        best: dict[str, float] = {}
        for solver in scene.solvers:
            for mode in _MODES:
                found: dict[str, list[float]] = {module: [] for module in sides}
                for rep in range(options.reps):
                    for module in list(sides) if rep % 2 == 0 else list(sides)[::-1]:
                        side = (module, sides[module])
                        value = _measure(side, name, solver, mode, options.seconds)
                        if value is not None:
                            found[module].append(value)
                row = {module: median(values) for module, values in found.items() if values}
                failed = failed or "unibody.newton" not in row
                for module, value in row.items():
                    best[module] = min(value, best.get(module, value))
                print(f"  {solver:16} {mode:9} " + _line(row), flush=True)
        print(f"  {'fastest':26} {_line(best)}", flush=True)
        if name.startswith("ant"):
            row = {side[0]: _measure(side, name, "-", "build", 0.0) for side in sides.items()}
            print(f"  {'build and finalize':26} {_line({m: v for m, v in row.items() if v})}")
    return 1 if failed else 0


def _line(row: dict[str, float]) -> str:
    text = "".join(f"{module} {row[module]:9.3f}   " for module in row)
    if len(row) == 2:
        text += f"{row['newton'] / row['unibody.newton']:6.2f}x"
    return text


def _measure(side: tuple[str, str], scene: str, solver: str, mode: str, seconds: float) -> Any:
    """Milliseconds, or None where the process failed; the reason is printed."""
    module, python = side
    command = [python, str(Path(__file__).with_name("worker.py"))]
    command += [module, scene, solver, mode, str(seconds)]
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, check=False, timeout=_LIMIT, cwd=ROOT
        )
    except subprocess.TimeoutExpired:
        print(f"  {module} {solver} {mode}: more than {_LIMIT:.0f} s")
        return None
    for line in done.stdout.splitlines():
        if line.startswith(PREFIX):
            return float(json.loads(line.removeprefix(PREFIX))["ms"])
    last = [line for line in done.stderr.splitlines() if line.strip()][-1:]
    print(f"  {module} {solver} {mode}: {last[0] if last else done.returncode}")
    return None


def _options(argv: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="unibody bench newton",
        description=__doc__,
        formatter_class=argparse.RawTextHelpFormatter,
    )
    parser.add_argument("--peer", default=str(PEER), help="Python that has newton")
    parser.add_argument("--scenes", nargs="+", choices=list(SCENES), default=list(SCENES))
    parser.add_argument("--quick", action="store_true", help="one process a side, shorter")
    parser.add_argument("--reps", type=int, help="processes a side (default 3)")
    parser.add_argument("--seconds", type=float, help="of one measurement (default 2)")
    options = parser.parse_args(argv)
    options.reps = options.reps or (1 if options.quick else 3)
    options.seconds = options.seconds or (0.5 if options.quick else 2.0)
    return options
