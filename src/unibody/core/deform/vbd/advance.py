"""What a step does besides sweeping, in compiled code that Python calls once."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from unibody.core.deform.feature_contacts import FeatureContacts
from unibody.core.deform.vbd import (
    bending,
    feature_touch,
    lanes,
    membrane,
    springs,
    surface_touch,
    sweep,
    tetrahedra,
    threads,
    touch,
)
from unibody.core.deform.vbd.sweep import Memory, Motion, Share, descend, measure
from unibody.core.deform.vbd.tiles import Tiles
from unibody.machine_code.array_calls import array_function
from unibody.machine_code.jit import kernel

_TINY = 1e-20
_SOURCES = (
    *(bending, feature_touch, lanes, membrane, springs, surface_touch, sweep, tetrahedra, threads),
    touch,
)


class Guess(NamedTuple):
    """How particles are expected to go on: each along gravity, all of a body alike across it.

    A guess for every particle that went on with all its last acceleration would feed what elements
    do to one another back into them: a body at rest would never come to rest. What is left is the
    share of gravity and forces that a particle followed (Chen et al. 2024, section 3.5), and of the
    mean of a body that is not held, to which elements add nothing, what is across: stiff bodies
    slide down slopes as one, which single particles are slow to find.

    Attributes:
        labels: The body of each particle, (p,).
        shares: Of each particle's mass in that of its body; zero where a particle is held, (p,).
        means: Room for the mean acceleration of each body, (b, 3).
    """

    labels: Any
    shares: Any
    means: Any


class Course(NamedTuple):
    """Particles in a step, and room for what it begins with.

    Attributes:
        x: Places, (p, 3) [m].
        v: Velocities, (p, 3) [m/s].
        last: Accelerations of the last step, (p, 3) [m/s^2].
        masses: (p,) [kg].
        before: Gets the places at the start of the step, (p, 3) [m].
        goal: Gets where particles would go without elements, (p, 3) [m].
    """

    x: Any
    v: Any
    last: Any
    masses: Any
    before: Any
    goal: Any


@kernel
def sum_means(last: Any, guess: Guess) -> None:
    """Write the mean acceleration of each body."""
    guess.means[:] = 0.0
    for p in range(len(last)):
        label = guess.labels[p]
        for axis in range(3):
            guess.means[label, axis] += guess.shares[p] * last[p, axis]


@kernel
def guessed(last: Any, mean: Any, drive: Any) -> Any:
    """The acceleration to begin with, x, y, z [m/s^2].

    Args:
        last: What the last step came to, (3,).
        mean: Its mean over the body, (3,).
        drive: Of gravity and forces, (3,).
    """
    bound, followed, along = 0.0, 0.0, 0.0
    for k in range(3):
        d = float(drive[k])
        bound += d * d
        followed += last[k] * d
        along += mean[k] * d
    squared = max(bound, _TINY)
    share = min(max(followed / squared, 0.0), 1.0)
    x = mean[0] - along / squared * drive[0]
    y = mean[1] - along / squared * drive[1]
    z = mean[2] - along / squared * drive[2]
    size = max(x * x + y * y + z * z, _TINY)
    room = math.sqrt(min((1.0 - share * share) * bound / size, 1.0))
    return share * drive[0] + room * x, share * drive[1] + room * y, share * drive[2] + room * z


@array_function(*_SOURCES)
def begin(course: Course, guess: Guess, drive: Any, dt: float) -> None:
    """Put particles where the search begins, and note where the step does.

    Args:
        course: Its places change.
        guess: See `Guess`.
        drive: Accelerations of gravity and forces, (1, 3) or (p, 3) [m/s^2].
        dt: Time step [s].
    """
    sum_means(course.last, guess)
    each = 1 if len(drive) > 1 else 0
    for p in range(len(course.x)):
        x, before, goal = course.x[p], course.before[p], course.goal[p]
        before[:] = x
        goal[:] = x
        if course.masses[p] > 0.0:
            pushed = drive[each * p]
            ahead = guessed(course.last[p], guess.means[guess.labels[p]], pushed)
            for k in range(3):
                way = dt * course.v[p, k]
                goal[k] = x[k] + way + dt * dt * pushed[k]
                x[k] += way + dt * dt * ahead[k]


@kernel
def write_motion(course: Course, dt: float) -> None:
    """See `end`."""
    for p in range(len(course.x)):
        for k in range(3):
            if course.masses[p] > 0.0:
                speed = np.float32((course.x[p, k] - course.before[p, k]) / dt)
                course.last[p, k] = (speed - course.v[p, k]) / np.float32(dt)
                course.v[p, k] = speed
            else:
                course.last[p, k] = 0.0
                course.v[p, k] = 0.0


@array_function(*_SOURCES)
def end(course: Course, dt: float) -> None:
    """Write what the particles' places are after a step into velocities and accelerations.

    Args:
        course: After the search.
        dt: Time step [s].
    """
    write_motion(course, dt)


@array_function(*_SOURCES, returns=True)
def search(
    course: Course, contacts: Any, features: FeatureContacts, colors: Any, vertices: Any,
    used: Any, springs: Any, triangles: Any, green: Any, opposites: Any, edges: Any,
    tetrahedra: Any, share: Share, space: Memory, dt: float, sweeps: int, near: float, still: float,
    damped: bool,
) -> int:  # fmt: skip
    """`sweep.descend`, from the places of `begin`.

    Args:
        course: Its places change.
        contacts: First contact of each particle and the number of all, and rows.
        features: Contacts of edges and triangles.
        colors: Parts of `Tiles`, as the following ones.
        vertices: See `Tiles`.
        used: See `Tiles.lanes`.
        springs: See `Tiles`.
        triangles: See `Tiles`.
        green: See `Tiles`.
        opposites: See `Tiles`.
        edges: See `Tiles`.
        tetrahedra: See `Tiles`.
        share: Of the calling thread.
        space: See `sweep.memory`; of the thread.
        dt: Time step [s].
        sweeps: At most.
        near: See `sweep.descend`.
        still: Likewise.
        damped: Whether elements are damped.

    Returns:
        How many sweeps there were.
    """
    tiles = Tiles(colors, vertices, used, springs, triangles, green, opposites, edges, tetrahedra)
    motion = Motion(
        course.x.reshape(-1), course.before.reshape(-1), course.goal.reshape(-1), course.masses,
        contacts[0], contacts[1], features,
    )  # fmt: skip
    if damped:
        measure(tiles, motion.before, share, space)
    return descend(
        tiles, motion, np.float32(1.0 / dt), share, space, sweeps, np.float32(near),
        np.float32(still),
    )  # fmt: skip
