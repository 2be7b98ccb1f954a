"""Which runs a sweep has: every combination of its parameters, with every seed."""

from __future__ import annotations

import hashlib
import itertools
import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from unibody.errors import InvalidArgumentError


@dataclass(frozen=True)
class Run:
    """One run of a script.

    Attributes:
        parameters: Names and values, as they were written.
        seed: Of its random numbers.
    """

    parameters: tuple[tuple[str, str], ...]
    seed: int

    @property
    def key(self) -> str:
        """A name for files, which the same run has in every sweep."""
        text = json.dumps([sorted(self.parameters), self.seed])
        return hashlib.sha256(text.encode()).hexdigest()[:16]

    def __str__(self) -> str:
        words = [f"{name}={value}" for name, value in self.parameters]
        return " ".join([*words, f"seed={self.seed}"])


@dataclass(frozen=True)
class Program:
    """What every run of a sweep has in common.

    Attributes:
        script: Path of the script.
        arguments: Its arguments, before those of the parameters.
        options: Options of ``unibody run``.
        seed_option: Option by which the script takes its seed; "" if by none.
        folder: Where it is started.
    """

    script: str
    arguments: tuple[str, ...]
    options: tuple[str, ...]
    seed_option: str
    folder: str

    def command(self, run: Run) -> list[str]:
        """Arguments of ``unibody`` for a run."""
        words = ["run", *self.options, "--seed", str(run.seed), self.script, *self.arguments]
        for name, value in run.parameters:
            words += [f"--{name}", value]
        if self.seed_option:
            words += [f"--{self.seed_option}", str(run.seed)]
        return words


@dataclass(frozen=True)
class Outcome:
    """What became of a run.

    Attributes:
        done: Its exit status was 0.
        exit_status: As of a shell: 128 + n where signal n ended the process.
        reported: Names and values that it printed at its end.
        last_line: The last line that it printed.
        seconds: What it took; no part of the table, as it is never the same.
        log: What a failed run printed; "" otherwise.
    """

    done: bool
    exit_status: int
    reported: dict[str, Any]
    last_line: str
    seconds: float
    log: str = ""


def parameter(text: str) -> tuple[str, tuple[str, ...]]:
    """Read ``name=a,b,c``.

    Args:
        text: What was written behind ``--set``.

    Returns:
        The name and its values, as text.

    Raises:
        InvalidArgumentError: It is nothing like that, or a value is there twice.
    """
    name, equals, rest = text.partition("=")
    values = tuple(rest.split(","))
    if not equals or not name or name.startswith("-") or "" in values:
        raise InvalidArgumentError("--set", text, "NAME=A,B,C")
    if len(set(values)) < len(values):
        raise InvalidArgumentError("--set", text, "each value once")
    return name, values


def grid(parameters: Sequence[tuple[str, tuple[str, ...]]], seeds: int) -> list[Run]:
    """All runs of a sweep: seeds change fastest, then the last parameter.

    Args:
        parameters: Names and values.
        seeds: How many seeds; they count from 0.

    Raises:
        InvalidArgumentError: There is no seed, or two parameters have one name.
    """
    if seeds < 1:
        raise InvalidArgumentError("--seeds", seeds, "a number of seeds >= 1")
    names = [name for name, _ in parameters]
    for name in names:
        if names.count(name) > 1:
            raise InvalidArgumentError("--set", name, "each name once")
    points = itertools.product(*(values for _, values in parameters))
    return [
        Run(tuple(zip(names, values, strict=True)), seed)
        for values in points
        for seed in range(seeds)
    ]
