"""One run of a script, in a process of its own through ``unibody run``."""

from __future__ import annotations

import ctypes
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from typing import IO

from unibody.scale import reports
from unibody.scale.runs import Outcome, Program, Run

_TAIL = 1 << 20  # [bytes] that are kept of what a run prints, at its end
_ATTEMPTS = 5
_KILLED = (137, 143, 130)  # by somebody else: 128 + SIGKILL, SIGTERM, SIGINT
_DIE_WITH_PARENT = 1  # PR_SET_PDEATHSIG of prctl


def perform(program: Program, run: Run) -> Outcome:
    """Do a run, again if its process is killed.

    Args:
        program: The script.
        run: Its parameters and seed.
    """
    outcome = _attempt(program, run)
    for _ in range(_ATTEMPTS - 1):
        if outcome.exit_status not in _KILLED:
            break
        outcome = _attempt(program, run)
    return outcome


def _attempt(program: Program, run: Run) -> Outcome:
    command = [sys.executable, "-m", "unibody", *program.command(run)]
    environment = {**os.environ, "PYTHONHASHSEED": "0"}  # sets keep their order
    started = time.monotonic()
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        try:
            process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=out, stderr=err, cwd=program.folder,
                env=environment, start_new_session=True,  # Ctrl-C is for the sweep
                preexec_fn=_end_with_parent(),  # noqa: PLW1509 - one call of the C library
            )  # fmt: skip
        except OSError as error:  # a machine that has no such folder
            return Outcome(False, 127, {}, "", 0.0, f"{error}\n")
        status = process.wait()
        seconds = time.monotonic() - started
        printed, complaints = _tail(out), _tail(err)
    status = 128 - status if status < 0 else status
    log = "" if status == 0 else f"{complaints}\n--- standard output\n{printed}"
    found = reports.reported(printed) if status == 0 else {}
    return Outcome(status == 0, status, found, reports.last_line(printed), seconds, log)


def _end_with_parent() -> Callable[[], object] | None:
    """What a new process does first on Linux, so that it ends with a worker that is killed."""
    if not sys.platform.startswith("linux"):
        return None
    library = ctypes.CDLL(None)
    return lambda: library.prctl(_DIE_WITH_PARENT, signal.SIGKILL)


def _tail(file: IO[bytes]) -> str:
    size = file.seek(0, os.SEEK_END)
    file.seek(max(0, size - _TAIL))
    return file.read().decode("utf-8", errors="replace")
