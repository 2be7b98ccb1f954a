"""Steps of SolverVBD's particles among shapes that it does not move."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from unibody.core.deform.state import State
from unibody.core.deform.vbd.solver import VertexBlockDescent
from unibody.newton.solvers.particle_rows import TouchedShapes
from unibody.newton.solvers.vbd_inside import Inside


def step(
    solver: VertexBlockDescent,
    moved: State,
    drive: Any,
    dt: float,
    touching: Callable[[], TouchedShapes | None],
    inside: Inside,
    states: tuple[Any, Any],
    contacts: Any,
) -> None:
    """Move particles by a step.

    Args:
        solver: Moves them.
        moved: Their state, changed in place.
        drive: Accelerations by gravity and forces, (p, 3) [m/s^2].
        dt: Time step [s].
        touching: Contacts as they were found last, placed.
        inside: What happens while the step goes on.
        states: Before and after the step.
        contacts: Those of the step.
    """
    count, bounds = len(moved.positions), inside.bounds
    look = inside.looking(*states, moved, contacts)
    found = touching()
    tables = None if found is None else found.seen(count)
    given: dict[str, Any] = {}
    if tables is not None:
        given = {"contacts": tables.contacts, "features": tables.features}
    if look is None and bounds is None:
        solver.step(moved, dt, accelerations=drive, **given)
        return
    poses = states[1].body_q
    bodies = np.zeros((0, 7)) if poses is None else poses.numpy()
    if bounds is not None:
        bounds.begin(moved.positions, bodies, found)
    iteration = -1

    def between() -> Any:
        nonlocal iteration
        for number in (-1, 0) if iteration < 0 else (iteration,):
            if look is not None:
                look(number)
        iteration = max(iteration, 0) + 1
        bound()
        if not inside.take_fresh():
            return None
        again = touching()
        if bounds is not None:
            bounds.begin(moved.positions, bodies, again)
        return None if again is None else again.seen(count)[2:]

    def bound() -> None:
        if bounds is not None:
            bounds.hold(moved.positions, bodies)

    solver.step(moved, dt, accelerations=drive, **given, between=between, after=bound)
