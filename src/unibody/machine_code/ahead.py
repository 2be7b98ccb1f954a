"""Compiling in processes of its own what a script is going to need.

A surface names the pieces. Where a process finds the first one missing, nothing was compiled on
this machine yet, and it starts others that compile the rest meanwhile, the urgent pieces first. A
piece that another process is at is waited for; see ``claims``. The processes end with the one that
started them, and run nothing of its script.
"""

from __future__ import annotations

import atexit
import contextlib
import importlib
import importlib.util
import json
import os
import select
import subprocess
import sys
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from unibody.machine_code.claims import LOCKS, holds_slot
from unibody.machine_code.folders import folder_beside
from unibody.machine_code.forks import fork_safe_lock
from unibody.notices import tell

__all__ = [
    "PROCESSES",
    "begin",
    "expect",
    "is_telling",
    "is_worker",
    "processors",
    "start",
    "work",
    "writing",
]

PROCESSES = "UNIBODY_COMPILE_PROCESSES"
"""Environment variable: how many processes compile ahead; 0 for none."""

_MOST = 6  # processes: the longest piece takes as long as a sixth of the urgent ones together
_LOWER = 5  # added to the niceness for what is not urgent: a script may come to wait for it
_WATCH = 1.0  # s


@dataclass
class _State:
    """What this process knows of compiling ahead."""

    urgent: tuple[str, ...] = ()
    later: tuple[str, ...] = ()
    last: str = ""
    seconds: float = 0.0
    started: bool = False
    settled: bool = False  # the last of the urgent pieces is there
    telling: bool = False  # the first line was written, the last one was not
    waited: float = 0.0
    worker: bool = False
    processes: list[subprocess.Popen[bytes]] = field(default_factory=list)


_state = _State()
writing: Any = fork_safe_lock()  # held while a file is written: a worker does not end in between


def expect(urgent: Sequence[str], later: Sequence[str], *, last: str, seconds: float) -> None:
    """Say what is going to be needed.

    Args:
        urgent: Pieces that every script needs, as "module:function", the longest first; the last
            of them is ``last``.
        later: What many scripts need.
        last: What is said to be compiled when the last of the urgent pieces is there.
        seconds: Of processor time, for the urgent ones.
    """
    _state.urgent, _state.later, _state.last = tuple(urgent), tuple(later), last
    _state.seconds = seconds


def begin(*, together: bool) -> None:
    """Say once that this takes a while, and start the processes; something is missing.

    Args:
        together: What other processes compile comes to this one.
    """
    if _state.started or _state.worker or not _state.urgent:
        return
    _state.started = True
    count = _wanted() if together else 0
    if not _state.settled and not _is_there(_state.urgent[-1]):
        _state.telling = True
        shared = max(1, min(count, 2))  # the longest piece is half of it
        seconds = _state.seconds / shared * _crowding(shared)
        tell(f"compiling for this machine, once: about {seconds:.0f} s")
    start((*_state.urgent, *_state.later), len(_state.urgent), count)


def _is_there(piece: str) -> bool:
    """Whether this machine has code of a piece, maybe of other sources than those of now."""
    module = piece.partition(":")[0]
    found = importlib.util.find_spec(module)
    folder = folder_beside(found.origin) if found and found.origin else None
    return folder is not None and any(folder.glob(f"{module}.*.code"))


def note(what: str, seconds: float, *, made: bool) -> bool:
    """Note that something is there now.

    Args:
        what: What it is.
        seconds: How long that took [s].
        made: It had to be compiled or waited for.

    Returns:
        Whether that is all there is to say about it.
    """
    _state.settled = _state.settled or what == _state.last
    if not _state.telling:
        return _state.worker or not made
    if made:
        _state.waited += seconds
    if _state.settled:
        _state.telling = False
        tell(f"compiled in {_state.waited:.1f} s (kept for the next start)")
    return True


def is_telling() -> bool:
    """Whether who waits knows already what is waited for."""
    return _state.telling


def is_worker() -> bool:
    """Whether this process compiles for another one."""
    return _state.worker


def processors() -> int:
    """How many processors this process may use."""
    count = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    with contextlib.suppress(OSError, ValueError):  # of a container
        quota, period = Path("/sys/fs/cgroup/cpu.max").read_text().split()
        count = min(count or 1, max(1, int(quota) // int(period)))
    return count or 1


def _crowding(count: int) -> float:
    """How much longer so many processes take than alone, as others use the processors, too."""
    try:
        others = os.getloadavg()[0]
    except (AttributeError, OSError):  # Windows has none
        return 1.0
    return max(1.0, (others + count) / (os.cpu_count() or 1))


def _wanted() -> int:
    """How many processes to start."""
    text = os.environ.get(PROCESSES, "")
    count = processors()
    if text.isdecimal():
        return min(int(text), _MOST)
    return min(count, _MOST) if count > 1 else 0


def start(pieces: Sequence[str], urgent: int, count: int) -> list[subprocess.Popen[bytes]]:
    """Start processes that compile pieces, each those that no other one is at.

    Args:
        pieces: Them, in their order.
        urgent: How many of them are urgent.
        count: How many processes.

    Returns:
        The processes, fewer where they cannot be started.
    """
    program = sys.executable or ""
    # An interpreter that is built into another program would start that once more.
    if not LOCKS or not os.path.basename(program).startswith("python"):
        return []
    request = {"path": [entry for entry in sys.path if entry], "pieces": list(pieces)}
    request |= {"urgent": urgent, "parent": os.getpid()}
    command = [program, str(Path(__file__).with_name("worker.py")), json.dumps(request)]
    environment = {**os.environ, PROCESSES: "0"}
    found: list[subprocess.Popen[bytes]] = []
    with contextlib.suppress(OSError, ValueError):
        for _ in range(count):
            process = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL, env=environment, start_new_session=True,
            )  # fmt: skip
            found.append(process)
    if found and not _state.processes:
        atexit.register(_stop, os.getpid())
    _state.processes += found
    return found


def _stop(owner: int) -> None:
    """End the processes with their parent."""
    if os.getpid() != owner:  # a copy of it
        return
    for process in _state.processes:
        if process.stdin is not None:
            with contextlib.suppress(OSError):
                process.stdin.close()
    for process in _state.processes:
        try:
            process.wait(_WATCH)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def work(pieces: Sequence[str], urgent: int, parent: int) -> None:
    """Compile pieces that nobody else is at, in a process that was started for it."""
    _state.worker = True
    threading.Thread(target=_end_with, args=(parent,), daemon=True).start()
    folder = folder_beside(__file__)
    if folder is None or not holds_slot(folder, max(processors(), 2)):
        return
    _compile(pieces[:urgent])
    if hasattr(os, "nice"):
        os.nice(_LOWER)
    _compile(pieces[urgent:])


def compile_all(pieces: Sequence[str]) -> dict[str, Exception]:
    """Compile pieces with all processors, for processes to come; this one cannot use them.

    Returns:
        What went wrong, by piece.
    """
    _state.worker = True
    processes = start(pieces, len(pieces), _wanted() - 1)
    _compile(pieces)
    for process in processes:
        process.wait()
    return _compile(pieces)


def _compile(pieces: Sequence[str]) -> dict[str, Exception]:
    """Compile what nobody else is at; whoever needs what fails is told what is wrong."""
    failed: dict[str, Exception] = {}
    for piece in pieces:
        try:
            _run(piece)
        except Exception as problem:  # one piece has nothing to do with another
            failed[piece] = problem
    return failed


def _run(piece: str) -> Any:
    """Call the function that a piece names."""
    module, _, name = piece.partition(":")
    function: Callable[[], Any] = getattr(importlib.import_module(module), name)
    return function()


def _end_with(parent: int) -> None:
    """End this process when the one that started it does, or closes its end of the pipe."""
    while os.getppid() == parent:
        if select.select([0], [], [], _WATCH)[0]:
            break
    with writing:
        os._exit(0)
