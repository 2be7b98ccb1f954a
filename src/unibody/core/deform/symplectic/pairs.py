"""Surfaces that touch, as planes for the length of a step.

Of a pair that is near, its closest points and the way between them are found once, where a step
begins. From there on it is a row: four shares of particles, and a normal along which they push one
another (the energy is that of `vbd.surface_touch`). A feature that several pairs have in common
pushes once: where the closest point is a corner or on a side, each of the triangles there has a
part, and the first of them takes over those of the others. Of two edges those ways count that lie
inside of both, as all others are also a vertex's.

A plane half-way keeps the two sides of a pair apart: no particle goes further than a share of its
way to it, in any step, so that nothing passes.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple, Self

import numpy as np

from unibody.core.deform.feature_contacts import FeatureContacts
from unibody.core.deform.surface_contact.closest import far_along, shares, way
from unibody.core.deform.symplectic.points import shares_points
from unibody.core.deform.symplectic.settle import Bench, begin_sums, go, settle
from unibody.core.deform.vbd.advance import Course, guessed, sum_means
from unibody.core.deform.vbd.feature_touch import add_features
from unibody.core.deform.vbd.lanes import WIDTH, float32
from unibody.core.deform.vbd.touch import add_contacts, add_stiffness
from unibody.machine_code.jit import inlined_kernel, kernel

_W = WIDTH
_NORMAL, _OFFSET, _SHARES, _RADIUS, _STIFFNESS, _FRICTION, _APART, _BEFORE, _COLUMNS = (
    0, 3, 4, 8, 9, 10, 11, 14, 17,
)  # fmt: skip
_ONE = float32(1.0)
_HALF = 0.5
_LEAST = 1e-9  # m: below, there is no direction
_PASSES = 3  # over the planes of a particle
_ROOM = 1.25  # times how near surfaces push; pairs that are as near bound ways
_SLACK = 1e-9  # m: beyond rounding, within what the share leaves


class Pairs(NamedTuple):
    """Pairs that are near, and room for more.

    Attributes:
        members: A vertex and the corners of a triangle, or the ends of two edges, (n, 4).
        rows: Normal towards the first side; how far along it the plane is [m]; signed shares of
            the members in the way between both sides; how near they push [m]; stiffness [N/m];
            friction; the way between them and that at the start of the step [m], (n, 17).
        counts: How many pairs there are, how many of them have a triangle, and whether `entries`
            are written, (3,).
        first: The first entry of each particle in `entries`, and the number of all, (p + 1,).
        entries: Four times the pair, plus the place in it, (4 n,).
        pushing: Likewise the first of those that push the particle in `pushed`, (p + 1,).
        pushed: Those of them, (4 n,).
        start: Places from where ways are bounded, (p, 3) [m].
        free: How far each particle may go whatever the direction, (p,) [m].
        numbers: How near pairs have to be, how far a particle may move, how far particles differ
            most from their mean way, (3,) [m].
    """

    members: Any
    rows: Any
    counts: Any
    first: Any
    entries: Any
    pushing: Any
    pushed: Any
    start: Any
    free: Any
    numbers: Any

    @classmethod
    def room(cls, particles: int, pairs: int) -> Self:
        """For so many."""
        return cls(
            np.zeros((pairs, 4), dtype=np.int64), np.zeros((pairs, _COLUMNS)),
            np.zeros(3, dtype=np.int64), np.zeros(particles + 1, dtype=np.int64),
            np.zeros(4 * pairs, dtype=np.int64), np.zeros(particles + 1, dtype=np.int64),
            np.zeros(4 * pairs, dtype=np.int64), np.zeros((particles, 3)), np.zeros(particles),
            np.zeros(3),
        )  # fmt: skip


class Touching(NamedTuple):
    """How surfaces touch.

    Attributes:
        vertices: Particles of surfaces, (v,).
        valence: Triangles at each particle, (p,).
        radii: How near each particle pushes, (p,) [m].
        friction: Of each particle, (p,).
        weights: Masses, those of held particles endless, (p,) [kg].
        hardness: Stiffness, in masses of the lightest particle of a pair over the step squared.
        share: Of its way to a plane that a particle may go.
        growth: Speed up to which friction grows [m/s].
        all_move: Whether no particle of a surface is held.
    """

    vertices: Any
    valence: Any
    radii: Any
    friction: Any
    weights: Any
    hardness: float
    share: float
    growth: float
    all_move: bool


@kernel
def _write_starts(course: Course, ends: Any, groups: Any, how: Touching, pairs: Pairs) -> None:
    """Write where ways begin: where particles are if all of their group go its mean way."""
    ways = np.zeros((len(course.before), 4))
    if how.all_move:
        for v in how.vertices:
            way = ways[groups[v]]
            for k in range(3):
                way[k] += ends[v, k] - course.before[v, k]
            way[3] += 1.0
    for p in range(len(course.before)):
        way = ways[groups[p]]
        for k in range(3):
            pairs.start[p, k] = course.before[p, k] + way[k] / max(way[3], 1.0)


@kernel
def bound_ways(
    course: Course, ends: Any, starts: Any, labels: Any, groups: Any, how: Touching, pairs: Pairs
) -> None:
    """Write where ways are bounded from, and how near pairs have to be to matter.

    As far as all particles of bodies that may touch one another go alike no pair comes nearer.

    Args:
        course: With the places at the start of the step.
        ends: Where particles come to if no surface touches another, (p, 3) [m].
        starts: The first particle of each body, and the number of all, (b + 1,).
        labels: Bodies with different ones do not come near one another, (b,).
        groups: Gets the label of each particle's body, (p,).
        how: See `Touching`.
        pairs: Gets both.
    """
    for b in range(len(labels)):
        groups[starts[b] : starts[b + 1]] = labels[b]
    _write_starts(course, ends, groups, how, pairs)
    longest, radius = 0.0, 0.0
    for v in how.vertices:
        dx = ends[v, 0] - pairs.start[v, 0]
        dy = ends[v, 1] - pairs.start[v, 1]
        dz = ends[v, 2] - pairs.start[v, 2]
        longest = max(longest, dx * dx + dy * dy + dz * dz)
        radius = max(radius, how.radii[v])
    longest = math.sqrt(longest)
    pairs.numbers[0] = _ROOM * radius + 2.0 * longest / how.share
    pairs.numbers[1] = _HALF * how.share * pairs.numbers[0]
    pairs.numbers[2] = longest


@kernel
def _part(share: Any, pair: Any, edges: bool, valence: Any) -> float:
    """How much of a pair's push is its own; see the module."""
    if edges:
        inside = 0.0 < share[0] < 1.0 and -1.0 < share[2] < 0.0
        return 1.0 if inside else 0.0
    ends, corner = 0, 0
    for k in range(1, 4):
        if share[k] != 0.0:
            ends += 1
            corner = k
    if ends == 1:
        return _HALF / max(valence[pair[corner]], 1)
    return 1.0 if ends > 2 else _HALF


@inlined_kernel
def _twin(pairs: Pairs, begin: int, end: int) -> int:
    """The pair from a first one on that pushes what the pair `end` pushes; `end`: there is none.

    All of them have the vertex in common, so that the corners tell.
    """
    members, rows = pairs.members, pairs.rows
    for n in range(begin, end):
        if rows[n, _STIFFNESS] == 0.0:
            continue
        same = True
        for k in range(1, 4):
            if rows[n, _SHARES + k] != 0.0:
                there = False
                for j in range(1, 4):
                    there |= rows[end, _SHARES + j] != 0.0 and members[n, k] == members[end, j]
                same &= there
            if rows[end, _SHARES + k] != 0.0:
                there = False
                for j in range(1, 4):
                    there |= rows[n, _SHARES + j] != 0.0 and members[n, j] == members[end, k]
                same &= there
        if same:
            return n
    return end


@kernel
def _take(listed: Any, edges: bool, groups: Any, how: Touching, pairs: Pairs, rate: float) -> int:
    """Write the pairs of a list that are near, behind those there are; how many there are then."""
    margin, start = pairs.numbers[0], pairs.start.reshape(-1)
    count = pairs.counts[0]
    begin = count  # the first pair of the vertex
    for pair in listed:
        if far_along(start, pair, edges, margin):
            continue
        share = shares(start, pair, edges)
        apart = way(start, pair, share)
        length = math.sqrt(apart[0] ** 2 + apart[1] ** 2 + apart[2] ** 2)
        if length >= margin or groups[pair[0]] != groups[pair[3]]:
            continue
        row = pairs.rows[count]
        scale = 1.0 / length if length > _LEAST else 0.0
        one, other, light = pair[0], pair[3], np.inf
        offset = -_HALF * length
        for axis in range(3):
            row[axis] = scale * apart[axis]
            row[_APART + axis] = row[_BEFORE + axis] = apart[axis]
            near = share[0] * start[3 * pair[0] + axis]
            if edges:
                near += share[1] * start[3 * pair[1] + axis]
            offset += row[axis] * near
        row[_OFFSET] = offset
        own = 2 if edges else 1
        for k in range(4):
            p = pair[k]
            pairs.members[count, k] = p
            row[_SHARES + k] = share[k]
            light = min(light, how.weights[p])
            above = _above(row, start, p)
            free = how.share * max(above if k < own else -above, 0.0)
            pairs.free[p] = min(pairs.free[p], free)
        row[_RADIUS] = _HALF * (how.radii[one] + how.radii[other])
        part = _part(share, pair, edges, how.valence) if math.isfinite(light) else 0.0
        row[_STIFFNESS] = how.hardness * part * light * rate * rate if part > 0.0 else 0.0
        row[_FRICTION] = how.friction[one] * how.friction[other]
        if not edges:
            if begin < count and pairs.members[begin, 0] != one:
                begin = count
            if 0.0 < part < 1.0:
                twin = _twin(pairs, begin, count)
                if twin < count:
                    pairs.rows[twin, _STIFFNESS] += row[_STIFFNESS]
                    row[_STIFFNESS] = 0.0
        count += 1
    pairs.counts[0] = count
    return count


@inlined_kernel
def _pushes(pairs: Pairs, n: int, k: int) -> bool:
    """Whether a pair pushes one of its members."""
    return pairs.rows[n, _STIFFNESS] > 0.0 and pairs.rows[n, _SHARES + k] != 0.0


@kernel
def _list_entries(pairs: Pairs, first: Any, entries: Any, all_of_them: bool) -> None:
    """List the entries of each particle, in the order of pairs: all, or those that push it."""
    count = pairs.counts[0]
    first[:] = 0
    for n in range(count):
        for k in range(4):
            if all_of_them or _pushes(pairs, n, k):
                first[pairs.members[n, k]] += 1
    total = 0
    for p in range(len(first)):
        total += first[p]
        first[p] = total
    for n in range(count - 1, -1, -1):
        for k in range(3, -1, -1):
            if all_of_them or _pushes(pairs, n, k):
                p = pairs.members[n, k]
                first[p] -= 1
                entries[first[p]] = 4 * n + k


@kernel
def choose(
    faces: Any, crossings: Any, groups: Any, how: Touching, pairs: Pairs, rate: float
) -> None:
    """Write the pairs that are near.

    Args:
        faces: Vertices and triangles that may be, (n, 4).
        crossings: Edges and edges that may be, (m, 4).
        groups: See `bound_ways`.
        how: See `Touching`.
        pairs: Gets them; has room for all that may be.
        rate: One over the time step [1/s].
    """
    pairs.counts[:] = 0
    for p in range(len(pairs.free)):
        pairs.free[p] = pairs.numbers[1] if how.valence[p] > 0 else np.inf
    pairs.counts[1] = _take(faces, False, groups, how, pairs, rate)
    _take(crossings, True, groups, how, pairs, rate)
    _list_entries(pairs, pairs.pushing, pairs.pushed, False)


@kernel
def _plane_of(pairs: Pairs, entry: int) -> Any:
    """The row of an entry, and 1 or -1: its normal times that points to the entry's particle."""
    number, side = entry // 4, entry % 4
    toward = side == 0 or (side == 1 and number >= pairs.counts[1])
    return pairs.rows[number], 1.0 if toward else -1.0


@inlined_kernel
def _above(row: Any, x: Any, p: int) -> float:
    """How far a particle is above a plane [m]."""
    return row[0] * x[3 * p] + row[1] * x[3 * p + 1] + row[2] * x[3 * p + 2] - row[_OFFSET]


@kernel
def _bounded(x: Any, p: int, how: Touching, pairs: Pairs) -> None:
    """Bring a particle back to where it may go."""
    if pairs.counts[2] == 0:
        pairs.counts[2] = 1
        _list_entries(pairs, pairs.first, pairs.entries, True)
    start = pairs.start.reshape(-1)
    at = 3 * p
    for _ in range(_PASSES):
        out = False
        for n in range(pairs.first[p], pairs.first[p + 1]):
            row, sign = _plane_of(pairs, pairs.entries[n])
            began = sign * _above(row, start, p)
            lack = began - sign * _above(row, x, p) - how.share * max(began, 0.0)
            if lack > 0.0:
                out = True
                for axis in range(3):
                    x[at + axis] += sign * lack * row[axis]
        if not out:
            break
    ux, uy, uz = x[at] - start[at], x[at + 1] - start[at + 1], x[at + 2] - start[at + 2]
    moved = math.sqrt(ux * ux + uy * uy + uz * uz)
    scale = pairs.numbers[1] / moved if moved > pairs.numbers[1] else 1.0
    for n in range(pairs.first[p], pairs.first[p + 1]):  # planes that leave no way out
        row, sign = _plane_of(pairs, pairs.entries[n])
        allowed = how.share * max(sign * _above(row, start, p), 0.0)
        lack = -sign * (row[0] * ux + row[1] * uy + row[2] * uz) - allowed
        if lack > _SLACK:
            scale = min(scale, allowed / (allowed + lack))
    if scale < 1.0:
        x[at], x[at + 1], x[at + 2] = (
            start[at] + scale * ux,
            start[at + 1] + scale * uy,
            start[at + 2] + scale * uz,
        )


@inlined_kernel
def _beyond(x: Any, p: int, pairs: Pairs) -> bool:
    """Whether a particle is farther than it may go whatever the direction."""
    ux, uy, uz = x[3 * p], x[3 * p + 1], x[3 * p + 2]
    ux, uy, uz = ux - pairs.start[p, 0], uy - pairs.start[p, 1], uz - pairs.start[p, 2]
    return ux * ux + uy * uy + uz * uz > pairs.free[p] * pairs.free[p]


@inlined_kernel
def _add_pairs(p: int, pairs: Pairs, growth: float, sums: Any) -> None:
    """Add gradient and second derivative of a particle's pairs."""
    for n in range(pairs.pushing[p], pairs.pushing[p + 1]):
        entry = pairs.pushed[n]
        row = pairs.rows[entry // 4]
        stiffness, radius = row[_STIFFNESS], row[_RADIUS]
        nx, ny, nz = row[0], row[1], row[2]
        wx, wy, wz = row[_APART], row[_APART + 1], row[_APART + 2]
        distance = nx * wx + ny * wy + nz * wz
        if distance >= radius:
            continue
        half = _HALF * radius
        push, stiff = stiffness * (radius - distance), stiffness
        if distance < half:
            distance = max(distance, _LEAST)
            push = stiffness * half * half / distance
            stiff = push / distance
        ux, uy, uz = wx - row[_BEFORE], wy - row[_BEFORE + 1], wz - row[_BEFORE + 2]
        along = nx * ux + ny * uy + nz * uz
        ux, uy, uz = ux - along * nx, uy - along * ny, uz - along * nz
        slid = math.sqrt(ux * ux + uy * uy + uz * uz)
        grip = row[_FRICTION] * push
        grip *= (2.0 - slid / growth) / growth if slid < growth else 1.0 / slid
        own = row[_SHARES + entry % 4]
        sums[0] -= float32(own * (push * nx - grip * ux))
        sums[_W] -= float32(own * (push * ny - grip * uy))
        sums[2 * _W] -= float32(own * (push * nz - grip * uz))
        weight = own * own
        add_stiffness(
            sums, 0, float32(weight * (stiff - grip)), float32(weight * grip),
            float32(nx), float32(ny), float32(nz),
        )  # fmt: skip


@inlined_kernel
def _follow(x: Any, p: int, pairs: Pairs, ox: float, oy: float, oz: float) -> None:
    """Move the ways of a particle's pairs along with it, from where it was."""
    dx, dy, dz = x[3 * p] - ox, x[3 * p + 1] - oy, x[3 * p + 2] - oz
    for n in range(pairs.pushing[p], pairs.pushing[p + 1]):
        entry = pairs.pushed[n]
        row = pairs.rows[entry // 4]
        own = row[_SHARES + entry % 4]
        row[_APART] += own * dx
        row[_APART + 1] += own * dy
        row[_APART + 2] += own * dz


@kernel
def _begin(course: Course, guess: Any, drive: Any, how: Touching, pairs: Pairs, dt: float) -> None:
    """Put particles where the search begins; those that no pair pushes to their goals."""
    sum_means(course.last, guess)
    each = 1 if len(drive) > 1 else 0
    x = course.x.reshape(-1)
    for p in range(len(course.x)):
        if course.masses[p] <= 0.0:
            continue
        if pairs.pushing[p] == pairs.pushing[p + 1]:
            for k in range(3):
                course.x[p, k] = course.goal[p, k]
            continue
        ahead = guessed(course.last[p], guess.means[guess.labels[p]], drive[each * p])
        for k in range(3):
            course.x[p, k] += dt * course.v[p, k] + dt * dt * ahead[k]
        if _beyond(x, p, pairs):
            _bounded(x, p, how, pairs)
        _follow(x, p, pairs, course.before[p, 0], course.before[p, 1], course.before[p, 2])


@inlined_kernel
def _alone(p: int, pairs: Pairs, features: FeatureContacts) -> bool:
    """Whether neither a pair nor a point that touches connects a particle with others."""
    return pairs.pushing[p] == pairs.pushing[p + 1] and not shares_points(p, features)


@kernel
def settle_all(
    course: Course, guess: Any, drive: Any, contacts: Any, features: FeatureContacts,
    how: Touching, pairs: Pairs, room: Bench, dt: float, still: float, sweeps: int,
) -> int:  # fmt: skip
    """Bring all particles to the minimum of their inertia and contacts, one after the other.

    Args:
        course: With the goals of this step; its places change.
        guess: See `vbd.advance.Guess`.
        drive: Accelerations of gravity and forces, (1, 3) or (p, 3) [m/s^2].
        contacts: First contact of each particle and the number of all, and rows.
        features: What points inside of faces touch.
        how: See `Touching`.
        pairs: Those that are near.
        room: See `Bench`.
        dt: Time step [s].
        still: What counts as no move [m].
        sweeps: Times over all, at most.

    Returns:
        How many there were.
    """
    _begin(course, guess, drive, how, pairs, dt)
    x, before, goal = course.x.reshape(-1), course.before.reshape(-1), course.goal.reshape(-1)
    first, rows = contacts
    rate, growth = float32(1.0 / dt), how.growth * dt
    for p in range(len(course.x)):
        if pairs.pushing[p] == pairs.pushing[p + 1] and course.masses[p] > 0.0:
            if first[p] < first[p + 1]:
                heavy = course.masses[p] * rate * rate
                settle(x, before, goal, p, heavy, first, rows, rate, still, room)
            if _beyond(x, p, pairs):
                _bounded(x, p, how, pairs)
    for done in range(sweeps):
        most = 0.0
        for n in range(len(course.x)):  # there and back: stacks come to rest sooner
            p = n if done % 2 == 0 else len(course.x) - 1 - n
            if course.masses[p] <= 0.0 or _alone(p, pairs, features):
                continue
            begin_sums(x, goal, p, course.masses[p] * rate * rate, room)
            add_contacts(x, before, p, 0, first, rows, rate, room.sums)
            if shares_points(p, features):
                add_features(x, before, p, 0, features, rate, room.sums)
            _add_pairs(p, pairs, growth, room.sums)
            ox, oy, oz = x[3 * p], x[3 * p + 1], x[3 * p + 2]
            most = max(most, go(x, p, room))
            if _beyond(x, p, pairs):
                _bounded(x, p, how, pairs)
            _follow(x, p, pairs, ox, oy, oz)
        if most <= still:
            return done + 1
    return sweeps
