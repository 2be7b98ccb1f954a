"""`unibody compile`: make now the machine code that first uses would wait for."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence

from unibody.bullet.forms import pieces
from unibody.command_parser import Parser
from unibody.machine_code import ahead
from unibody.notices import tell

_REHEARSALS = {
    "many worlds": "many_worlds()",
    "fleets": "fleets()",
    "soft bodies": "soft_bodies(Path('.'))",
    "Newton's solvers": "newton_solvers()",
}
"""Calls of functions of ``rehearsals``, by what they compile."""


def main(argv: Sequence[str]) -> int:
    """Compile everything, for an image of a container or before a fleet of processes starts.

    Args:
        argv: The arguments behind `compile`.

    Returns:
        0 if all was compiled, or had been before; else 1.
    """
    Parser(
        prog="unibody compile",
        description="Compile now what first uses would wait for, and keep it: for an image of a "
        "container, or before many processes start. What is there already is left as it is.",
    ).parse_args(argv)
    begin = time.perf_counter()
    found = ahead.compile_all([*pieces.URGENT, *pieces.LATER])
    failed = {piece: f"{type(problem).__name__}: {problem}" for piece, problem in found.items()}
    for surface, call in _REHEARSALS.items():
        tell(f"compiling what {surface} need")
        problem = _rehearse(call)
        if problem:
            failed[surface] = problem
    for piece, problem in failed.items():
        print(f"{piece}: {problem}", file=sys.stderr)
    print(f"compiled in {time.perf_counter() - begin:.1f} s, or found compiled")
    return 1 if failed else 0


def _rehearse(call: str) -> str:
    """Make a short run in a process of its own: what was wrong, "" if nothing was."""
    code = f"import sys; sys.path[:] = {sys.path!r}; from pathlib import Path; "
    code += f"from unibody.cli import rehearsals; rehearsals.{call}"
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(
            [sys.executable, "-c", code], cwd=folder, capture_output=True, text=True, check=False
        )
    lines = done.stderr.strip().splitlines() or [f"ended with {done.returncode}"]
    return lines[-1] if done.returncode else ""
