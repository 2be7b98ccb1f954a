"""Worker processes that are given cases, and ended where a case takes too long."""

from __future__ import annotations

import json
import os
import selectors
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

from tests.support.process import ROOT

MOST_SECONDS = 10.0  # of processor time of a case
_MOST_WAITING = 120.0  # s by the clock: a case that waits for something uses no processor
_TICKS = os.sysconf("SC_CLK_TCK")
Case = tuple[str, int]


class _Worker:
    """A process, and the case it works on."""

    def __init__(self, module: str) -> None:
        path = os.pathsep.join([str(ROOT), str(ROOT / "src"), os.environ.get("PYTHONPATH", "")])
        self.process = subprocess.Popen(
            [sys.executable, "-X", "faulthandler", "-m", module],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=ROOT,
            env={**os.environ, "PYTHONPATH": path, "PYTHONHASHSEED": "0"},
        )
        self.case: Case | None = None
        self.text = b""  # what it wrote, up to where a line is not whole
        self.begun: tuple[float, float] | None = None

    def give(self, case: Case) -> None:
        """Hand in a case."""
        assert self.process.stdin is not None
        self.case, self.begun = case, None
        try:
            self.process.stdin.write(f"{case[0]} {case[1]}\n".encode())
            self.process.stdin.flush()
        except BrokenPipeError:
            pass  # its end is read from its output

    def lines(self) -> list[bytes]:
        """The whole lines that it wrote since the last call; none at its end."""
        assert self.process.stdout is not None
        block = os.read(self.process.stdout.fileno(), 1 << 20)
        *lines, self.text = (self.text + block).split(b"\n")
        return lines if block else []

    def processor_time(self) -> float:
        """Seconds of processor time of the process so far."""
        try:
            with open(f"/proc/{self.process.pid}/stat", encoding="ascii") as file:
                fields = file.read().rpartition(")")[2].split()
        except OSError:
            return 0.0
        return (int(fields[11]) + int(fields[12])) / _TICKS

    def is_over_time(self) -> bool:
        """Whether the case takes too long."""
        if self.begun is None:
            return False
        clock, processor = self.begun
        used = self.processor_time() - processor
        return used > MOST_SECONDS or time.monotonic() - clock > _MOST_WAITING

    def end(self) -> int:
        """End the process; its exit status."""
        self.process.kill()
        for stream in (self.process.stdin, self.process.stdout):
            if stream is not None:
                stream.close()
        return self.process.wait()


def run(
    cases: Iterator[Case],
    *,
    workers: int,
    module: str = "tests.fuzz.worker",
    tell: Callable[[dict[str, Any]], None],
) -> None:
    """Run all cases, and tell of each."""
    selector = selectors.DefaultSelector()

    def start() -> None:
        case = next(cases, None)
        if case is not None:
            worker = _Worker(module)
            selector.register(worker.process.stdout, selectors.EVENT_READ, worker)  # type: ignore[arg-type]
            worker.give(case)

    def stop(worker: _Worker) -> int:
        selector.unregister(worker.process.stdout)  # type: ignore[arg-type]
        return worker.end()

    for _ in range(workers):
        start()
    while selector.get_map():
        for key, _ in selector.select(timeout=1.0):
            worker: _Worker = key.data
            lines = worker.lines()
            if not lines and worker.process.poll() is not None:
                status = stop(worker)
                if worker.begun is None:
                    raise RuntimeError(f"a worker ended with {status} before it began")
                tell(_failed(worker, f"the process ended with {status}"))
                start()
            for line in lines:
                if not line:
                    worker.begun = time.monotonic(), worker.processor_time()
                elif line.startswith(b"{"):  # else a library says something
                    tell(json.loads(line))
                    case = next(cases, None)
                    if case is None:
                        stop(worker)
                    else:
                        worker.give(case)
        for key in list(selector.get_map().values()):
            if key.data.is_over_time():
                stop(key.data)
                tell(_failed(key.data, f"more than {MOST_SECONDS} s"))
                start()


def _failed(worker: _Worker, problem: str) -> dict[str, Any]:
    reader, number = worker.case or ("", 0)
    return {
        "reader": reader, "number": number, "outcome": "failed", "problem": problem, "text": "",
        "seconds": MOST_SECONDS, "bytes": 0,
    }  # fmt: skip
