"""Measure one scene on one module; runs on any interpreter that has it.

``python worker.py MODULE SCENE SOLVER MODE SECONDS`` prints milliseconds a step. The mode is eager,
captured, or build: how long it takes to build and finalize the model.
"""

from __future__ import annotations

import importlib
import json
import sys
import time
from pathlib import Path
from typing import Any

PREFIX = "RESULT "
_WARM_UP = 30
_BATCH = 10  # steps of a recorded graph


def main(module: str, scene_name: str, solver_name: str, mode: str, seconds: float) -> None:
    """Measure, and print the result."""
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
    import warp as wp

    wp.config.quiet = True
    wp.set_device("cpu")
    newton = importlib.import_module(module)
    solvers = importlib.import_module(f"{module}.solvers")
    from benchmarks.newton.scenes import SCENES

    scene = SCENES[scene_name]
    if mode == "build":
        times = []
        for _ in range(3):
            start = time.perf_counter()
            scene.build(newton, scene.worlds).finalize(device="cpu")
            times.append(time.perf_counter() - start)
        print(PREFIX + json.dumps({"ms": 1e3 * min(times), "contacts": None}), flush=True)
        return
    model = scene.build(newton, scene.worlds).finalize(device="cpu")
    solver = getattr(solvers, solver_name)(model, **scene.solvers[solver_name])
    steps = _stepper(wp, model, solver, scene)
    for _ in range(_WARM_UP):
        steps(1)
    if mode == "captured":
        with wp.ScopedCapture(device="cpu") as recorded:
            steps(_BATCH)
        run = lambda: wp.capture_launch(recorded.graph)  # noqa: E731
    else:
        run = lambda: steps(_BATCH)  # noqa: E731
    run()
    count, start = 0, time.perf_counter()
    while time.perf_counter() - start < seconds:
        run()
        count += _BATCH
    spent = time.perf_counter() - start
    print(PREFIX + json.dumps({"ms": 1e3 * spent / count, "contacts": _contacts(solver)}))


def _stepper(wp: Any, model: Any, solver: Any, scene: Any) -> Any:
    """A function that makes so many steps, an even number where they are recorded."""
    states = [model.state(), model.state()]
    control = model.control()
    contacts = model.contacts() if scene.collides else None

    def steps(count: int) -> None:
        for _ in range(count):
            states[0].clear_forces()
            if contacts is not None and type(solver).__name__ != "SolverMuJoCo":
                model.collide(states[0], contacts)
            solver.step(states[0], states[1], control, contacts, scene.dt)
            states.reverse()

    return steps


def _contacts(solver: Any) -> int | None:
    """Contacts of a solver that has MuJoCo's data; None for another, and for several worlds."""
    data = getattr(solver, "mj_data", None)
    if data is not None:
        return int(data.ncon)
    data = getattr(solver, "mjw_data", None)
    return None if data is None else int(data.nacon.numpy()[0])


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], sys.argv[3], sys.argv[4], float(sys.argv[5]))
