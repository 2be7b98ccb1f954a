"""A step of several bodies: all begin it together, then each is put right alone."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from unibody.core.deform.pbd import contacts, links
from unibody.core.deform.pbd.contacts import (
    Rigid,
    Rows,
    Sides,
    project_contacts,
    project_held,
    project_sides,
)
from unibody.core.deform.pbd.links import Groups, project_links
from unibody.machine_code.array_calls import array_function
from unibody.machine_code.jit import kernel


class Bodies(NamedTuple):
    """Bodies and their particles.

    Attributes:
        first: The first particle of each body and the number of all, (b + 1,).
        positions: Of all particles, (p, 3) [m].
        velocities: (p, 3) [m/s].
        x: Places of a step that is not at its end, and inverse masses; one more row fills groups
            of links, (p + 1, 4) [m, 1/kg].
        start: Where the step began, (p + 1, 3) [m].
        gravity: Factor on gravity of each body, (b,).
        margins: How far its surface is from what it touches, (b,) [m].
    """

    first: Any
    positions: Any
    velocities: Any
    x: Any
    start: Any
    gravity: Any
    margins: Any


@kernel
def fall(bodies: Bodies, gravity: Any, dt: float) -> None:
    """Write where particles come to if nothing holds them.

    Args:
        bodies: See `Bodies`.
        gravity: (3,) [m/s^2].
        dt: Time step [s].
    """
    x, start, speeds = bodies.x, bodies.start, bodies.velocities
    for b in range(len(bodies.first) - 1):
        for p in range(bodies.first[b], bodies.first[b + 1]):
            for k in range(3):
                start[p, k] = x[p, k] = bodies.positions[p, k]
                if x[p, 3] > 0.0:
                    x[p, k] += (speeds[p, k] + bodies.gravity[b] * gravity[k] * dt) * dt


@array_function()
def begin(bodies: Bodies, gravity: Any, dt: float) -> None:
    """See `fall`."""
    fall(bodies, gravity, dt)


@kernel
def box_around(bodies: Bodies, b: int, margin: float, low: Any, high: Any) -> None:
    """Write the box around the particles of a body.

    Args:
        bodies: See `Bodies`.
        b: The body.
        margin: How much larger the box is on each side [m].
        low: Gets its lower corner, (3,) [m].
        high: Gets its upper corner, (3,) [m].
    """
    low[:], high[:] = np.inf, -np.inf
    for p in range(bodies.first[b], bodies.first[b + 1]):
        for k in range(3):
            low[k] = min(low[k], bodies.x[p, k] - margin)
            high[k] = max(high[k], bodies.x[p, k] + margin)


@kernel
def put_right(
    bodies: Bodies, groups: Groups, held: Rows, rows: Rows, sides: Sides, rigid: Rigid,
    iterations: int, dt: float,
) -> None:  # fmt: skip
    """Put particles right, and take what came of it as their velocities.

    Args:
        bodies: See `Bodies`; positions and velocities change.
        groups: Links.
        held: What holds particles.
        rows: What particles touch.
        sides: Particles on faces of other bodies.
        rigid: What is pushed.
        iterations: Times over all that touches and holds the particles of a body.
        dt: Time step [s].
    """
    x, start = bodies.x, bodies.start
    flat = x.reshape(-1)
    for b in range(len(bodies.first) - 1):
        holds = held.first[b] < held.first[b + 1]
        touches = rows.first[b] < rows.first[b + 1]
        beside = sides.first[b] < sides.first[b + 1]
        for _ in range(iterations):
            if holds:
                project_held(x, start, held, rigid, held.first[b], held.first[b + 1], dt)
            if touches:
                project_contacts(
                    x, start, rows, rigid, rows.first[b], rows.first[b + 1], bodies.margins[b], dt
                )
            if beside:
                project_sides(x, start, sides, sides.first[b], sides.first[b + 1])
            project_links(flat, groups, groups.first[b], groups.first[b + 1])
        for p in range(bodies.first[b], bodies.first[b + 1]):
            for k in range(3):
                bodies.velocities[p, k] = (x[p, k] - start[p, k]) / dt
    for p in range(bodies.first[-1]):
        for k in range(3):
            bodies.positions[p, k] = x[p, k]


@array_function(contacts, links)
def end(
    bodies: Bodies, groups: Groups, held: Rows, rows: Rows, sides: Sides, rigid: Rigid,
    iterations: int, dt: float,
) -> None:  # fmt: skip
    """See `put_right`."""
    put_right(bodies, groups, held, rows, sides, rigid, iterations, dt)
