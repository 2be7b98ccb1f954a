"""`unibody compile`: make now the machine code that first uses would wait for."""

from __future__ import annotations

import sys
import time

from unibody.bullet.forms import pieces
from unibody.machine_code import ahead


def main() -> int:
    """Compile everything, for an image of a container or before a fleet of processes starts.

    Returns:
        0 if all was compiled, or had been before; else 1.
    """
    begin = time.perf_counter()
    failed = ahead.compile_all([*pieces.URGENT, *pieces.LATER])
    for piece, problem in failed.items():
        print(f"{piece}: {type(problem).__name__}: {problem}", file=sys.stderr)
    print(f"compiled in {time.perf_counter() - begin:.1f} s, or found compiled")
    return 1 if failed else 0
