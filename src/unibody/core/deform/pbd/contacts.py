"""Particles at rigid bodies, held by rigid bodies, and on faces of other bodies.

A contact takes away how a particle comes nearer in a step and a share of how it slides, and puts a
share of how deep it is right, each time that it is looked at while the particle still comes nearer.
The rigid body gets the opposite impulse, and moves otherwise for all that follows.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple, Self

import numpy as np

from unibody.machine_code.jit import inlined_kernel, kernel

NORMAL, OFFSET, SLIDES, HARDNESS, ARM, MASS, COLUMNS = 0, 3, 4, 5, 6, 9, 18
"""Columns of a contact or of what holds a particle: normal, of what holds it the place; minus how
far out the surface is [m]; share of a slide that stays; share of the depth that is put right;
from the rigid body's mass centre to the particle [m]; what the velocity of one relative to the
other resists with, (3, 3) [kg]."""

SIDE, MARGIN, WEIGHTS, GIVES, RUBS, SIDE_COLUMNS = 0, 3, 4, 7, 9, 10
"""Columns of a particle on a face: normal towards the particle; how far they stay apart [m];
shares of the face's corners; shares of what is put right that the particle and the face get; share
of a slide that is taken away."""

_FIRM = 0.7  # share of what is missing that puts a held particle right
_PUSH = 0.5  # share of an impulse that bodies feel which are not pushed as a whole
_ROUNDING = 2.0**-52


class Rows(NamedTuple):
    """What particles touch, or what holds them.

    Attributes:
        first: The first row of each soft body and the number of all, (b + 1,).
        particles: (n,).
        bodies: Of `Rigid`; -1: nothing moves it, (n,).
        numbers: See `COLUMNS`, (n, COLUMNS).
    """

    first: Any
    particles: Any
    bodies: Any
    numbers: Any

    @classmethod
    def room(cls, bodies: int, rows: int) -> Self:
        """For so many."""
        first, particles = np.zeros(bodies + 1, dtype=np.int64), np.zeros(rows, dtype=np.int64)
        return cls(first, particles, particles.copy(), np.zeros((rows, COLUMNS)))


class Sides(NamedTuple):
    """Particles on faces of other soft bodies.

    Attributes:
        first: The first row of each soft body, whose particles these are, (b + 1,).
        corners: The particle, and those of the face, (n, 4).
        numbers: See `SIDE_COLUMNS`, (n, SIDE_COLUMNS).
    """

    first: Any
    corners: Any
    numbers: Any

    @classmethod
    def room(cls, bodies: int, rows: int) -> Self:
        """For so many."""
        return cls(
            np.zeros(bodies + 1, dtype=np.int64),
            np.zeros((rows, 4), dtype=np.int64),
            np.zeros((rows, SIDE_COLUMNS)),
        )


class Rigid(NamedTuple):
    """Rigid bodies that particles push, world frame.

    Attributes:
        twists: Linear velocity of the mass centre, angular velocity, (n, 6) [m/s, rad/s].
        answers: What impulse and angular impulse at the mass centre change of it, (n, 6, 6).
        whole: 1: impulses act where the particle is, in all directions; 0: half of their size acts
            along the normal, and particles do not feel its mass, (n,).
        impulses: Sums of what bodies got, (n, 6) [N s, N m s].
    """

    twists: Any
    answers: Any
    whole: Any
    impulses: Any

    @classmethod
    def room(cls, count: int) -> Self:
        """For so many, all whole."""
        return cls(
            np.zeros((count, 6)), np.zeros((count, 6, 6)), np.ones(count, dtype=np.int64),
            np.zeros((count, 6)),
        )  # fmt: skip


@kernel
def point_velocity(twist: Any, arm: Any) -> Any:
    """Of a point of a rigid body [m/s]."""
    return (
        twist[0] + twist[4] * arm[2] - twist[5] * arm[1],
        twist[1] + twist[5] * arm[0] - twist[3] * arm[2],
        twist[2] + twist[3] * arm[1] - twist[4] * arm[0],
    )


@kernel
def _push(rigid: Rigid, body: int, arm: Any, x: float, y: float, z: float) -> None:
    """Give a rigid body an impulse at a point [N s]."""
    wrench = (
        x, y, z, arm[1] * z - arm[2] * y, arm[2] * x - arm[0] * z, arm[0] * y - arm[1] * x
    )  # fmt: skip
    for k in range(6):
        rigid.impulses[body, k] += wrench[k]
        for j in range(6):
            rigid.twists[body, k] += rigid.answers[body, k, j] * wrench[j]


@kernel
def write_mass(row: Any, inverse_mass: float, answer: Any) -> None:
    """Write what a particle and the point of a body that it is at resist with together.

    Args:
        row: Has the arm, gets the mass.
        inverse_mass: Of the particle [1/kg].
        answer: Of the rigid body, (6, 6).
    """
    arm = row[ARM : ARM + 3]
    k = np.zeros((3, 3))
    wrench = np.zeros(6)
    twist = np.zeros(6)
    for axis in range(3):
        wrench[:] = 0.0
        wrench[axis] = 1.0
        wrench[3], wrench[4], wrench[5] = (
            arm[1] * wrench[2] - arm[2] * wrench[1],
            arm[2] * wrench[0] - arm[0] * wrench[2],
            arm[0] * wrench[1] - arm[1] * wrench[0],
        )
        for i in range(6):
            twist[i] = 0.0
            for j in range(6):
                twist[i] += answer[i, j] * wrench[j]
        k[0, axis], k[1, axis], k[2, axis] = point_velocity(twist, arm)
        k[axis, axis] += inverse_mass
    a = k[1, 1] * k[2, 2] - k[1, 2] * k[2, 1]
    b = k[1, 2] * k[2, 0] - k[1, 0] * k[2, 2]
    c = k[1, 0] * k[2, 1] - k[1, 1] * k[2, 0]
    size = k[0, 0] * a + k[0, 1] * b + k[0, 2] * c
    scale = 1.0 / size if size > 0.0 else 0.0
    mass = row[MASS:]
    for i in range(3):
        j, m = (i + 1) % 3, (i + 2) % 3
        for n in range(3):
            u, v = (n + 1) % 3, (n + 2) % 3
            mass[3 * n + i] = (k[j, u] * k[m, v] - k[j, v] * k[m, u]) * scale


@inlined_kernel
def project_contacts(
    x: Any, start: Any, rows: Rows, rigid: Rigid, begin: int, end: int, margin: float, dt: float
) -> None:
    """Put contacts with rigid bodies right, one after the other.

    Args:
        x: Places and inverse masses of all particles, (p + 1, 4).
        start: Places at the begin of the step, (p + 1, 3) [m].
        rows: See `Rows`.
        rigid: See `Rigid`.
        begin: The first row.
        end: Behind the last one.
        margin: Depths are counted up to it above the surface [m].
        dt: Time step [s].
    """
    numbers = rows.numbers
    for c in range(begin, end):
        p, body = rows.particles[c], rows.bodies[c]
        nx, ny, nz = numbers[c, 0], numbers[c, 1], numbers[c, 2]
        rx, ry, rz = x[p, 0] - start[p, 0], x[p, 1] - start[p, 1], x[p, 2] - start[p, 2]
        if body >= 0:
            vx, vy, vz = _surface_velocity(rigid, body, numbers[c])
            rx, ry, rz = rx - dt * vx, ry - dt * vy, rz - dt * vz
        nearer = rx * nx + ry * ny + rz * nz
        if nearer > _ROUNDING:
            continue
        height = x[p, 0] * nx + x[p, 1] * ny + x[p, 2] * nz + numbers[c, OFFSET]
        stays = numbers[c, SLIDES]
        more = min(height, margin) * numbers[c, HARDNESS] + stays * nearer
        ex = rx - stays * rx + more * nx
        ey = ry - stays * ry + more * ny
        ez = rz - stays * rz + more * nz
        if body >= 0:
            ex, ey, ez = _shared(rigid, body, numbers[c], x[p, 3], ex, ey, ez, dt)
        x[p, 0] -= ex
        x[p, 1] -= ey
        x[p, 2] -= ez


@inlined_kernel
def _surface_velocity(rigid: Rigid, body: int, row: Any) -> Any:
    """Of a rigid body where a particle touches it; of one that is not whole along the normal."""
    vx, vy, vz = point_velocity(rigid.twists[body], row[ARM : ARM + 3])
    if rigid.whole[body] != 0:
        return vx, vy, vz
    along = vx * row[0] + vy * row[1] + vz * row[2]
    return along * row[0], along * row[1], along * row[2]


@kernel
def _shared(
    rigid: Rigid, body: int, row: Any, light: float, ex: float, ey: float, ez: float, dt: float
) -> Any:
    """Push a rigid body; the particle's part of what is to be put right."""
    mass = row[MASS:]
    px = mass[0] * ex + mass[1] * ey + mass[2] * ez
    py = mass[3] * ex + mass[4] * ey + mass[5] * ez
    pz = mass[6] * ex + mass[7] * ey + mass[8] * ez
    own = light * px, light * py, light * pz
    if rigid.whole[body] == 0:
        size = -_PUSH * math.sqrt(px * px + py * py + pz * pz)
        px, py, pz = size * row[0], size * row[1], size * row[2]
    _push(rigid, body, row[ARM : ARM + 3], px / dt, py / dt, pz / dt)
    return own


@kernel
def project_held(
    x: Any, start: Any, rows: Rows, rigid: Rigid, begin: int, end: int, dt: float
) -> None:
    """Bring particles nearer to where rigid bodies hold them; see `project_contacts`."""
    for c in range(begin, end):
        p, body, row = rows.particles[c], rows.bodies[c], rows.numbers[c]
        vx, vy, vz = 0.0, 0.0, 0.0
        if body >= 0:
            vx, vy, vz = point_velocity(rigid.twists[body], row[ARM : ARM + 3])
        ex = dt * vx - (x[p, 0] - start[p, 0]) + _FIRM * (row[0] - x[p, 0])
        ey = dt * vy - (x[p, 1] - start[p, 1]) + _FIRM * (row[1] - x[p, 1])
        ez = dt * vz - (x[p, 2] - start[p, 2]) + _FIRM * (row[2] - x[p, 2])
        if body < 0:
            x[p, 0] += ex
            x[p, 1] += ey
            x[p, 2] += ez
            continue
        light, mass = x[p, 3], row[MASS:]
        px = mass[0] * ex + mass[1] * ey + mass[2] * ez
        py = mass[3] * ex + mass[4] * ey + mass[5] * ez
        pz = mass[6] * ex + mass[7] * ey + mass[8] * ez
        x[p, 0] += light * px
        x[p, 1] += light * py
        x[p, 2] += light * pz
        _push(rigid, body, row[ARM : ARM + 3], -px / dt, -py / dt, -pz / dt)


@kernel
def project_sides(x: Any, start: Any, sides: Sides, begin: int, end: int) -> None:
    """Put particles on faces of other bodies right; see `project_contacts`."""
    way = np.zeros(3)
    for c in range(begin, end):
        corners, row = sides.corners[c], sides.numbers[c]
        p, weights = corners[0], row[WEIGHTS : WEIGHTS + 3]
        along, height = 0.0, 0.0
        for k in range(3):
            there, before = 0.0, 0.0
            for j in range(3):
                there += weights[j] * x[corners[j + 1], k]
                before += weights[j] * start[corners[j + 1], k]
            way[k] = x[p, k] - start[p, k] - (there - before)
            along += way[k] * row[k]
            height += (x[p, k] - there) * row[k]
        push = row[MARGIN] - height if along < 0.0 else 0.0
        for k in range(3):
            put = push * row[k] - row[RUBS] * (way[k] - along * row[k])
            x[p, k] += row[GIVES] * put
            for j in range(3):
                x[corners[j + 1], k] -= row[GIVES + 1] * weights[j] * put
