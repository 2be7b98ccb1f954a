"""Python processes that see this checkout, whether or not it is installed."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def run_python(
    arguments: Sequence[str],
    *,
    cwd: Path = ROOT,
    environment: Mapping[str, str] | None = None,
    timeout: float = 120.0,
) -> subprocess.CompletedProcess[str]:
    """Run the interpreter of the tests and wait for it.

    Args:
        arguments: What follows the interpreter on the command line.
        cwd: Working directory.
        environment: Variables set in addition to those of the tests.
        timeout: Seconds until the process is killed and the test fails.

    Returns:
        The finished process, with its output as text.
    """
    path = os.pathsep.join(filter(None, [str(ROOT / "src"), os.environ.get("PYTHONPATH", "")]))
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=cwd,
        env={**os.environ, "PYTHONPATH": path, **(environment or {})},
        capture_output=True,
        text=True,
        timeout=timeout,
        check=False,
    )
