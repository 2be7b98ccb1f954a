"""`unibody bench`: run the benchmarks of a checkout."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import unibody


def main(argv: Sequence[str], checkout: Path | None = None) -> int:
    """Run the benchmarks in a process of their own.

    Args:
        argv: Arguments of the benchmarks.
        checkout: Folder that holds `benchmarks`; the one this package is imported from if None.

    Returns:
        Their exit status; 2 if there are none, as in an installed wheel.
    """
    root = checkout or Path(unibody.__file__).resolve().parents[2]
    if not (root / "benchmarks" / "__main__.py").is_file():
        print(
            "unibody bench: the benchmarks are part of the source, not of the installed package: "
            "run `make bench` in a checkout",
            file=sys.stderr,
        )
        return 2
    return subprocess.run(
        [sys.executable, "-m", "benchmarks", *argv], cwd=root, check=False
    ).returncode
