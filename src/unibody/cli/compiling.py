"""`unibody compile`: make now the machine code that first uses would wait for."""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence

from unibody.bullet.forms import pieces
from unibody.command_parser import Parser
from unibody.machine_code import ahead


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
    failed = ahead.compile_all([*pieces.URGENT, *pieces.LATER])
    for piece, problem in failed.items():
        print(f"{piece}: {type(problem).__name__}: {problem}", file=sys.stderr)
    print(f"compiled in {time.perf_counter() - begin:.1f} s, or found compiled")
    return 1 if failed else 0
