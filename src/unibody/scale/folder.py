"""The folder of a sweep: what is done stays done, whatever ends the process."""

from __future__ import annotations

import contextlib
import dataclasses
import hashlib
import json
import os
from pathlib import Path
from typing import Any

from unibody.errors import InvalidArgumentError
from unibody.scale.runs import Outcome, Program, Run

PROGRAM, TABLE, RUNS, FAILED = "sweep.json", "table.parquet", "runs", "failed"


class Folder:
    """A folder with a file for every run that is done.

    Args:
        path: The folder; it is made if it is not there.
        program: The script of the sweep.

    Raises:
        InvalidArgumentError: The folder has runs of another script, or of other arguments.
    """

    def __init__(self, path: Path, program: Program) -> None:
        wanted = _identity(program)
        self.path = path
        for name in (RUNS, FAILED):
            (path / name).mkdir(parents=True, exist_ok=True)
        file = path / PROGRAM
        if not file.exists():
            write(file, json.dumps(wanted, indent=1).encode())
            return
        there = json.loads(file.read_text(encoding="utf-8"))
        for what, now in wanted.items():
            if there.get(what) != now:
                before = f"one for its runs, whose {what} was {there.get(what)!r}, not {now!r}"
                raise InvalidArgumentError("--out", str(path), before)

    def outcome(self, run: Run) -> Outcome | None:
        """What became of a run; None if it is not done."""
        try:
            text = (self.path / RUNS / f"{run.key}.json").read_text(encoding="utf-8")
        except FileNotFoundError:
            return None
        fields = json.loads(text)
        del fields["run"]
        return Outcome(**fields)

    def keep(self, run: Run, outcome: Outcome) -> None:
        """Write what became of a run, and the log of one that failed."""
        fields: dict[str, Any] = {"run": str(run), **dataclasses.asdict(outcome)}
        if outcome.log:
            write(self.log(run), f"{run}\n{outcome.log}".encode())
            fields["log"] = ""
        write(self.path / RUNS / f"{run.key}.json", json.dumps(fields).encode())

    def log(self, run: Run) -> Path:
        """Where the log of a failed run is."""
        return self.path / FAILED / f"{run.key}.log"

    def forget(self, run: Run) -> None:
        """Have a run done again."""
        for file in (self.path / RUNS / f"{run.key}.json", self.log(run)):
            file.unlink(missing_ok=True)


def write(path: Path, data: bytes) -> None:
    """Write a file that is either there as a whole or not at all."""
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with beside.open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        beside.replace(path)
    finally:
        with contextlib.suppress(FileNotFoundError):
            beside.unlink()


def _identity(program: Program) -> dict[str, Any]:
    """What must not change between runs that stand in one table."""
    digest = hashlib.sha256(Path(program.script).read_bytes()).hexdigest()
    return {
        "script": Path(program.script).name,
        "content": digest[:16],
        "arguments": list(program.arguments),
        "options": list(program.options),
        "seed_option": program.seed_option,
    }
