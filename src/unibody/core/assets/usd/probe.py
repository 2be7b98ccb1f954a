"""Opening a stage in a process of its own first.

OpenUSD ends the whole process on some damaged binary layers, and never comes back from others. A
child that reads every value of the stage shows it without harm, and says what is wrong with it: to
find that again would cost this process as much, 2 GB for a file of 2 kB.
"""

from __future__ import annotations

import dataclasses
import json
import os
import subprocess
import sys
import tempfile
from typing import Any

from unibody.core.assets.limits import Limits
from unibody.core.assets.paths import SearchPath
from unibody.core.assets.usd.library import pxr
from unibody.errors import AssetError

_SECONDS = 30.0
_SECONDS_A_BYTE = 1e-6
_MEMORY = 4 << 30  # bytes, for the interpreter and its libraries
_MEMORY_A_BYTE = 64  # of the file: points and indices are packed in it
# On a loaded machine a child has died on one of hundreds of sound stages, and not the next time.
_TRIES = 2
_START = "import sys; sys.path[:] = {path!r}; from {module} import main; main()"

TOLD = "error"  # begins the line of a child that was refused the stage
_CHILD = "unibody.core.assets.usd.probe_child"  # which imports who imports this module

_passed: set[tuple[str, int, int]] = set()  # path, time, size of stages known to be harmless


def probe(file: str, search_path: SearchPath, limits: Limits, skip_missing: bool) -> None:
    """Reads a stage in a child process, once for each state of its file.

    Raises:
        AssetError: The child crashed, took too long or was refused the stage.
    """
    status = os.stat(pxr().Ar.SplitPackageRelativePathOuter(file)[0])
    key = (file, status.st_mtime_ns, status.st_size)
    if key in _passed:
        return
    task = {
        "file": file,
        "directories": search_path.directories,
        "confined": search_path.confined,
        "limits": dataclasses.asdict(limits),
        "skip_missing": skip_missing,
        "memory": _MEMORY + _MEMORY_A_BYTE * status.st_size,
    }
    for _ in range(_TRIES):
        if _child_lives(file, task, _SECONDS + _SECONDS_A_BYTE * status.st_size):
            _passed.add(key)
            return
    raise AssetError(file, "", "is damaged: OpenUSD crashes on it")


def _child_lives(file: str, task: dict[str, Any], seconds: float) -> bool:
    """Whether a child reads the stage to its end.

    Raises:
        AssetError: It took too long, or was refused the stage.
    """
    code = _START.format(path=sys.path, module=_CHILD)
    with tempfile.TemporaryDirectory() as folder:  # OpenUSD leaves a report of a crash behind
        try:
            result = subprocess.run(
                [sys.executable, "-c", code],
                input=json.dumps(task),
                text=True,
                capture_output=True,
                timeout=seconds,
                env={**os.environ, "TMPDIR": folder},
                check=False,
            )
        except subprocess.TimeoutExpired as error:
            problem = f"is damaged: OpenUSD does not come back from it in {seconds:.0f} s"
            raise AssetError(file, "", problem) from error
    for line in result.stdout.splitlines():
        if line.startswith(f'["{TOLD}", '):
            raise AssetError(*json.loads(line)[1:])
    return result.returncode == 0
