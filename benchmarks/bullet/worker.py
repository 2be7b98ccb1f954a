"""One measurement in a process of its own.

``python -m benchmarks.bullet.worker --module unibody.bullet --work kuka`` prints a line of JSON
behind the word RESULT: the value in the unit of the work, the time and number of units it was
taken over, and the number of contact points at the end (null where it has no meaning).
"""

from __future__ import annotations

import argparse
import importlib
import json
import time

import pybullet_data

from benchmarks.bullet import WORKS
from benchmarks.bullet.registry import Module, Prepared, Work

PREFIX = "RESULT "
_SCALE = {"us": 1e6, "ms": 1e3}


def measure(p: Module, work: Work, seconds: float) -> dict[str, object]:
    """Time chunks of work until ``seconds`` have been spent on them, one at least."""
    _warm_up(p)
    p.setAdditionalSearchPath(pybullet_data.getDataPath())
    prepared = work.prepare(p)
    if prepared.restart is None:
        prepared.chunk()
    spent, units = _time(prepared, seconds)
    if work.more_is_better:
        value = units / spent
    else:
        value = _SCALE[work.unit.partition("/")[0]] * spent / units
    contacts = len(p.getContactPoints()) if prepared.counts_contacts else None
    return {"value": value, "seconds": spent, "units": units, "contacts": contacts}


def _warm_up(p: Module) -> None:
    """Make a first step, so that what a process does once is not part of a measurement."""
    p.connect(p.DIRECT)
    box = p.createCollisionShape(p.GEOM_BOX, halfExtents=(0.1, 0.1, 0.1))
    p.createMultiBody(1.0, box)
    p.stepSimulation()
    p.resetSimulation()


def _time(prepared: Prepared, seconds: float) -> tuple[float, int]:
    spent, units = 0.0, 0
    while spent < seconds:
        if prepared.restart is not None:
            try:
                prepared.restart()
            except StopIteration:
                break
        start = time.perf_counter()
        prepared.chunk()
        spent += time.perf_counter() - start
        units += prepared.units
    return spent, units


def main(argv: list[str] | None = None) -> None:
    """Measure one piece of work and print the result."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--module", required=True, help="pybullet, or a module with its API")
    parser.add_argument("--work", required=True, choices=WORKS, metavar="NAME")
    parser.add_argument("--seconds", type=float, default=1.0, help="time to measure for")
    options = parser.parse_args(argv)
    module = importlib.import_module(options.module)
    result = measure(module, WORKS[options.work], options.seconds)
    print(f"\n{PREFIX}{json.dumps(result)}", flush=True)


if __name__ == "__main__":
    main()
