"""Measure one scene on one module; runs on any interpreter that has it.

``python worker.py MODULE SCENE SOLVER MODE SECONDS DEVICE`` prints milliseconds a step, by the
clock and of processor time, and the memory that model and solver take. The mode is eager,
captured, or build: how long it takes to build and finalize the model.
"""

from __future__ import annotations

import importlib
import json
import os
import sys
import time
from pathlib import Path
from typing import Any

PREFIX = "RESULT "
_BATCH = 10  # steps of a recorded graph
_BUILDS = 3


def main(arguments: list[str]) -> None:
    """Measure, and print the result."""
    module, scene_name, solver_name, mode, text, device = arguments
    seconds = float(text)
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
    import warp as wp

    wp.config.quiet = True
    wp.set_device(device)
    newton = importlib.import_module(module)
    solvers = importlib.import_module(f"{module}.solvers")
    from benchmarks.newton.scenes import SCENES

    scene = SCENES[scene_name]
    if module != "newton" and scene.dialect != "0.2":
        importlib.import_module(f"{module}.later_api").use(scene.dialect)
    if mode == "build":
        _tell(**_built(newton, scene, device))
        return
    before = _memory(wp, device)
    model = scene.build(newton, scene.worlds).finalize(device=device)
    solver = getattr(solvers, solver_name)(model, **scene.solvers[solver_name])
    steps = _stepper(wp, model, solver, scene)
    for _ in range(scene.settles):
        steps(1)
    memory = _memory(wp, device) - before
    if mode == "captured":
        with wp.ScopedCapture(device=device) as recorded:
            steps(_BATCH)
        run = lambda: wp.capture_launch(recorded.graph)  # noqa: E731
    else:
        run = lambda: steps(_BATCH)  # noqa: E731
    run()
    wp.synchronize()
    count, start, processor = 0, time.perf_counter(), time.process_time()
    while time.perf_counter() - start < seconds:
        run()
        count += _BATCH
    wp.synchronize()
    spent = time.perf_counter() - start
    _tell(
        ms=1e3 * spent / count,
        processor=1e3 * (time.process_time() - processor) / count,
        contacts=_contacts(solver),
        memory=memory,
    )


def _tell(**found: Any) -> None:
    print(PREFIX + json.dumps(found), flush=True)


def _built(newton: Any, scene: Any, device: str) -> dict[str, Any]:
    """How long it takes to build and finalize the model [ms]; the least of several times."""
    times: list[tuple[float, float]] = []
    for _ in range(_BUILDS):
        clock, processor = time.perf_counter(), time.process_time()
        scene.build(newton, scene.worlds).finalize(device=device)
        times.append((time.perf_counter() - clock, time.process_time() - processor))
    clocks, processors = zip(*times, strict=True)
    return {"ms": 1e3 * min(clocks), "processor": 1e3 * min(processors)}


def _memory(wp: Any, device: str) -> int:
    """What is taken now [bytes]: of the GPU, or resident of this process."""
    if device != "cpu":
        return int(wp.get_mempool_used_mem_current(device))
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGESIZE")


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
    main(sys.argv[1:])
