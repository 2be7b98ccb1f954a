"""Hostile calls on a surface: what is called, with what, and whether it ended as it should.

``python -m tests.fuzz.calls [--calls N] [--seed N] [SURFACE ...]`` makes them in processes of their
own. ``--show SURFACE NUMBER`` makes those of one case here, and says each before it is made.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib
import linecache
import os
import random
import sys
import tempfile
import traceback
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any, Protocol

import numpy as np

from tests.fuzz import pool
from unibody.errors import UnibodyError

CALLS_A_CASE = 40
SURFACES = ("bullet", "isaacgym", "fleet", "newton")
_DELIBERATE = (TypeError, ValueError, OverflowError, UnibodyError)
# These convert arguments to C values, with the messages that the original has.
_CONVERTS = ("bullet/arguments/kinds.py",)


class Surface(Protocol):
    """A small world of a surface."""

    errors: tuple[type[Exception], ...]

    def call(self, chance: random.Random) -> tuple[str, Callable[[], object]]:
        """A call with its arguments in words, and the call."""
        ...

    def step(self) -> None:
        """Step, and raise ``NotFiniteError`` where a state is not finite."""
        ...

    def close(self) -> None:
        """Give everything back."""
        ...


class NotFiniteError(Exception):
    """A state that is not finite."""


class Strange:
    """An object of a kind that nobody knows."""


_HOSTILE: tuple[Callable[[], object], ...] = (
    lambda: None, lambda: "", lambda: "abc", lambda: "\0", lambda: "\ud800", lambda: b"x",
    lambda: "x" * 5000, lambda: float("nan"), lambda: float("inf"), lambda: -float("inf"),
    lambda: 1e308, lambda: -1e308, lambda: 1e39, lambda: 1e-320, lambda: -0.5, lambda: 10**9,
    lambda: 2**31 - 1, lambda: 2**31, lambda: -(2**31), lambda: 2**63, lambda: 10**30,
    lambda: -10**30, lambda: -1, lambda: -2, lambda: 0, lambda: 1, lambda: 7, lambda: 4242,
    lambda: True, list, dict, tuple, set, object, Strange, lambda: Strange, lambda: len,
    lambda: [float("nan")] * 3, lambda: [float("inf"), 0, 0, 1], lambda: [1e308] * 3,
    lambda: [1e30] * 4, lambda: [1], lambda: [1, 2], lambda: (0.0, 0.0, 0.0), lambda: [0] * 4,
    lambda: [1, 2, 3, 4, 5], lambda: ["a", None, 1], lambda: [[1]], lambda: [[], []],
    lambda: [[1, 2, 3], [4, 5]], lambda: [None], lambda: [-1], lambda: [10**12], lambda: [1.5],
    lambda: {"a": 1}, lambda: 1j, lambda: np.zeros(3), lambda: np.full(3, np.nan),
    lambda: np.zeros((2, 3)), lambda: np.zeros(0), lambda: np.array(["a"]), lambda: np.array(3),
    lambda: np.float32(2.0), lambda: np.int64(-5), lambda: np.zeros(3, complex),
    lambda: np.array([None, 1]), lambda: memoryview(b"abcd"), lambda: range(3), lambda: iter([1]),
    lambda: [0] * 5000, lambda: [[0, 0, 0]] * 100,
)  # fmt: skip


def hostile(chance: random.Random) -> object:
    """A value nobody should pass."""
    return chance.choice(_HOSTILE)()


def is_deliberate(problem: BaseException, allowed: tuple[type[Exception], ...]) -> bool:
    """Whether a line that raises an error on purpose raised this one."""
    if isinstance(problem, OSError) and problem.filename is not None:  # which names the file
        return True
    frames = [
        frame
        for frame in traceback.extract_tb(problem.__traceback__)
        if "/tests/fuzz/" not in frame.filename
    ]
    if not frames:  # a builtin of ours, or Python's own: no such signature, no such attribute
        return isinstance(problem, (TypeError, OverflowError, AttributeError, *allowed))
    if not isinstance(problem, (*_DELIBERATE, *allowed)):
        return False
    inner = frames[-1]
    if inner.filename.endswith(_CONVERTS):
        return True
    if "/unibody/" not in inner.filename:
        return False
    lines = range(inner.lineno or 1, (inner.end_lineno or inner.lineno or 1) + 1)
    text = "".join(linecache.getline(inner.filename, number) for number in lines)
    said = str(problem)  # by Python itself: arguments that are missing, a class that is abstract
    is_said = ("required" in said and "argument" in said) or "instantiate abstract class" in said
    return "raise " in text or is_said


def make(surface: str) -> Surface:
    """A world of a surface."""
    short = "gym" if surface == "isaacgym" else surface
    return importlib.import_module(f"tests.fuzz.{short}_calls").World()


def run_case(surface: str, number: int, say: Callable[[str], object]) -> list[dict[str, Any]]:
    """Make the calls of a case; what is wrong with them."""
    chance = random.Random(f"{surface} {number}")
    with tempfile.TemporaryDirectory(prefix="calls-") as folder, contextlib.chdir(folder):
        world = make(surface)
        problems: list[dict[str, Any]] = []
        for _ in range(CALLS_A_CASE):
            words, call = world.call(chance)
            say(words)
            try:
                call()
            except Exception as problem:
                if not is_deliberate(problem, world.errors):
                    problems.append(_described(words, problem))
            try:
                world.step()
            except Exception as problem:
                problems.append(_described(f"{words}, and then a step", problem))
                with contextlib.suppress(Exception):
                    world.close()
                world = make(surface)
        world.close()
    return problems


def _described(words: str, problem: Exception) -> dict[str, Any]:
    frames = traceback.extract_tb(problem.__traceback__)
    shown = [f"{f.filename.rpartition('unibody/')[2]}:{f.lineno}" for f in frames[-4:]]
    text = str(problem).encode("ascii", "backslashreplace").decode()[:200]
    return {"call": words[:400], "problem": f"{type(problem).__name__}: {text}", "where": shown}


def _cases(calls: int, surfaces: list[str], begin: int) -> Iterator[pool.Case]:
    for number in range(-(-calls // (CALLS_A_CASE * len(surfaces)))):
        yield from ((surface, begin + number) for surface in surfaces)


def run(
    calls: int, surfaces: list[str], *, begin: int = 0, workers: int = 1
) -> tuple[int, list[dict[str, Any]]]:
    """Make hostile calls in other processes.

    Returns:
        How many, and what is wrong.
    """
    done, problems = 0, []

    def tell(told: dict[str, Any]) -> None:
        nonlocal done
        done += CALLS_A_CASE
        where = {"surface": told["reader"], "number": told["number"]}
        problems.extend({**where, **found} for found in told.get("problems", ()))
        if told["problem"]:
            problems.append({**where, "call": "", "problem": told["problem"], "where": []})

    pool.run(_cases(calls, surfaces, begin), workers=workers, module="tests.fuzz.call_worker",
             tell=tell)  # fmt: skip
    return done, problems


def main() -> int:
    """Make the calls of the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("surfaces", nargs="*", metavar="SURFACE")
    parser.add_argument("--calls", type=int, default=50_000)
    parser.add_argument("--seed", type=int, default=random.randrange(10**6))
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--show", action="store_true")
    options = parser.parse_args()
    if options.show:
        surface, number = options.surfaces
        found = run_case(surface, int(number), lambda words: print(words, flush=True))
        print(*found, sep="\n")
        return bool(found)
    print(f"{options.calls} calls; --seed {options.seed}", flush=True)
    done, problems = run(
        options.calls,
        options.surfaces or list(SURFACES),
        begin=options.seed * 10**6,
        workers=options.workers,
    )
    seen: Counter[str] = Counter()
    for found in problems:
        kind = f"{found['problem'][:60]} {found['where'][-1:]}"
        seen[kind] += 1
        if seen[kind] == 1:
            print(*(f"{key}: {value}" for key, value in found.items()), sep="\n", end="\n\n")
    for kind, count in seen.most_common():
        print(f"{count:6d} {kind}")
    print(f"{done} calls, {len(problems)} that ended as they should not")
    return bool(problems)


if __name__ == "__main__":
    sys.exit(main())
