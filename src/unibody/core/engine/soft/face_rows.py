# ruff: noqa: PLR0913, PLR0917 - compiled code takes its state as plain arguments
"""What faces of soft bodies touch between their particles, as rows for their solver.

Where the nearest point of a face is a corner, the particle's own row tells (see `contact_rows`).
Else the point is a mean of two or three particles, and the row is the point's.
"""

from __future__ import annotations

import math
from typing import Any

import mujoco
import numpy as np

from unibody.core.deform.contacts import FRICTION, HELD
from unibody.core.deform.feature_contacts import CORNERS, FeatureContacts
from unibody.core.deform.surface_contact import closest
from unibody.core.engine.soft import (
    contact_rows,
    contact_stiffness,
    face_distance,
    shape_distance,
    shapes,
    touch,
)
from unibody.core.engine.soft.contact_rows import (
    candidates,
    fastest,
    find_particles,
    point_speed,
    way_at,
    write_touch,
)
from unibody.core.engine.soft.contact_stiffness import stiffen_with_points
from unibody.core.engine.soft.contact_tables import (
    GEOM_BITS,
    Held,
    Meets,
    Particles,
    Rigid,
    Rows,
    Slid,
)
from unibody.core.engine.soft.face_distance import CORNER, FLAT, nearest_inside
from unibody.core.engine.soft.face_tables import FaceRows, Faces
from unibody.core.engine.soft.shapes import Shapes
from unibody.core.engine.soft.touch import DEPTH, distance
from unibody.machine_code.array_calls import array_function
from unibody.machine_code.jit import kernel

_GEOM = mujoco.mjtGeom
_CONVEX = (
    int(_GEOM.mjGEOM_SPHERE), int(_GEOM.mjGEOM_CAPSULE), int(_GEOM.mjGEOM_ELLIPSOID),
    int(_GEOM.mjGEOM_CYLINDER), int(_GEOM.mjGEOM_BOX), int(_GEOM.mjGEOM_MESH),
)  # fmt: skip
_GEOM_BITS, _CORNERS = GEOM_BITS, CORNERS
_FRICTION, _HELD = FRICTION, HELD


@kernel
def _square(v: Any) -> float:
    x, y, z = float(v[0]), float(v[1]), float(v[2])
    return x * x + y * y + z * z


@kernel
def _fastest_of(rigid: Rigid, g: int, reach: float) -> float:
    """A bound of the speed of all points of a geom [m/s]."""
    body, place = rigid.geom_bodyid[g], rigid.geom_xpos[g]
    x, y, z = point_speed(rigid, body, place[0], place[1], place[2])
    return math.sqrt(x * x + y * y + z * z) + reach * math.sqrt(_square(rigid.cvel[body]))


@kernel
def _holds(found: Rows, corners: Any, body: int) -> bool:
    """Whether a body holds a corner of a face."""
    for p in corners:
        for row in range(found.first[p], found.first[p + 1]):
            if found.rows[row, _FRICTION] == _HELD and found.bodies[row] == body:
                return True
    return False


@kernel
def _into(rigid: Rigid, g: int, x: Any) -> Any:
    """A point in the frame of a geom."""
    place, r = rigid.geom_xpos[g], rigid.geom_xmat[g]
    dx, dy, dz = float(x[0]) - place[0], float(x[1]) - place[1], float(x[2]) - place[2]
    return (
        r[0] * dx + r[3] * dy + r[6] * dz,
        r[1] * dx + r[4] * dy + r[7] * dz,
        r[2] * dx + r[5] * dy + r[8] * dz,
    )


@kernel
def _mass(particles: Particles, corners: Any, w: Any) -> float:
    """What a point resists, 0 where none of the corners that share it moves [kg]."""
    light = 0.0
    for k in range(_CORNERS):
        mass = particles.masses[corners[k]]
        if mass > 0.0:
            light += w[k] * w[k] / mass
    return 1.0 / light if light > 0.0 else 0.0


@kernel
def _write(
    particles: Particles, rigid: Rigid, corners: Any, g: int, w: Any, gap: float, normal: Any,
    mass: float, way: Any, touched: FeatureContacts, found: FaceRows, at: int, dt: float,
) -> None:  # fmt: skip
    """Write the row of a point; its stiffness is written when all are known."""
    body, p = rigid.geom_bodyid[g], corners[0]
    x, y, z = 0.0, 0.0, 0.0
    for k in range(_CORNERS):
        place = particles.positions[corners[k]]
        x, y, z = x + w[k] * place[0], y + w[k] * place[1], z + w[k] * place[2]
        touched.corners[at, k] = corners[k]
        touched.weights[at, k] = w[k]
    x, y, z = x - gap * normal[0], y - gap * normal[1], z - gap * normal[2]
    write_touch(particles, rigid, p, g, (x, y, z), gap, normal, way, dt, touched.rows[at])
    found.points[at, 0], found.points[at, 1], found.points[at, 2] = x, y, z
    found.bodies[at], found.masses[at] = body, mass
    found.gaps[at] = gap - particles.radii[p]


@kernel
def _list_entries(touched: FeatureContacts, count: int) -> None:
    """List the rows that each particle has a share of, in their order."""
    first, of = touched.first, touched.of
    first[:] = 0
    for c in range(count):
        for k in range(_CORNERS):
            if touched.weights[c, k] > 0.0:
                first[touched.corners[c, k]] += 1
    total = 0
    for p in range(len(first)):
        total += first[p]
        first[p] = total
    for c in range(count - 1, -1, -1):
        for k in range(_CORNERS - 1, -1, -1):
            if touched.weights[c, k] > 0.0:
                first[touched.corners[c, k]] -= 1
                of[first[touched.corners[c, k]]] = c


@kernel
def _own_side(w: Any, sides: Any) -> bool:
    """Whether a point is not on a side that an earlier face has too."""
    for k in range(_CORNERS):
        if w[k] < CORNER:
            return sides[(k + 1) % _CORNERS] != 0
    return True


@kernel
def _near_pairs(
    particles: Particles, corners: Any, rigid: Rigid, reaches: Any, geoms: Any, meets: Meets,
    dt: float, pairs: Any, needed: Any,
) -> int:  # fmt: skip
    """List pairs of a face and a geom whose boxes are near; how many they are.

    What is held at all corners touches nothing, as in PyBullet.

    Args:
        particles: See `Particles`.
        corners: Of the faces, (f, 3).
        rigid: See `Rigid`.
        reaches: See `shapes.Shapes`.
        geoms: Which geoms, (g,).
        meets: See `Meets`.
        dt: Time step [s].
        pairs: Gets faces and places in `geoms`, in ascending order, (f * g, 2).
        needed: Gets which corners are in a pair with a geom, (g, p).
    """
    x, v, masses = particles.positions, particles.velocities, particles.masses
    number, count = 0, len(geoms)
    speeds, bodies = np.zeros(count), np.zeros(count, dtype=np.int64)
    for k in range(count):
        speeds[k] = _fastest_of(rigid, geoms[k], reaches[geoms[k]])
        bodies[k] = rigid.geom_bodyid[geoms[k]]
    owners, allowed, places = meets.owners, meets.allowed, rigid.geom_xpos
    low, high = np.zeros(3), np.zeros(3)
    for f in range(len(corners)):
        p, q, r = corners[f, 0], corners[f, 1], corners[f, 2]
        for a in range(3):
            low[a] = min(x[p, a], x[q, a], x[r, a])
            high[a] = max(x[p, a], x[q, a], x[r, a])
        square = 0.0
        for n in (p, q, r):
            square = max(square, float(v[n, 0]) ** 2 + float(v[n, 1]) ** 2 + float(v[n, 2]) ** 2)
        skin = particles.radii[p] + dt * math.sqrt(square)
        if max(masses[p], masses[q], masses[r]) <= 0.0:
            continue
        for k in range(count):
            g = geoms[k]
            bound = reaches[g] + skin + dt * speeds[k]
            apart = False
            for a in range(3):
                apart |= low[a] - places[g, a] > bound or high[a] - places[g, a] < -bound
            if apart or allowed[owners[p], bodies[k]] == 0:
                continue
            pairs[number, 0], pairs[number, 1] = f, k
            number += 1
            needed[k, p] = needed[k, q] = needed[k, r] = True
    return number


@kernel
def _write_gaps(
    positions: Any, rigid: Rigid, shapes: Shapes, g: int, needed: Any, gaps: Any, stack: Any
) -> None:
    """Write how far particles are from a geom, and the normals there, world frame, (p, 4)."""
    place, turn = rigid.geom_xpos[g], rigid.geom_xmat[g]
    ox, oy, oz = place[0], place[1], place[2]
    a, b, c, d, e, f, h, i, j = (
        turn[0], turn[1], turn[2], turn[3], turn[4], turn[5], turn[6], turn[7], turn[8],
    )  # fmt: skip
    for p in range(len(positions)):
        if not needed[p]:
            continue
        dx, dy, dz = positions[p, 0] - ox, positions[p, 1] - oy, positions[p, 2] - oz
        # of a convex shape nothing is too far
        gap, nx, ny, nz = distance(
            g, a * dx + d * dy + h * dz, b * dx + e * dy + i * dz, c * dx + f * dy + j * dz,
            shapes, np.inf, stack,
        )  # fmt: skip
        gaps[p, 0] = gap
        gaps[p, 1] = a * nx + b * ny + c * nz
        gaps[p, 2] = d * nx + e * ny + f * nz
        gaps[p, 3] = h * nx + i * ny + j * nz


@kernel
def _only_near(x: Any, radii: Any, corners: Any, skins: Any, gaps: Any, pairs: Any,
               number: int) -> int:  # fmt: skip
    """Keep those pairs whose face may be nearer to its geom inside than at its corners.

    A convex function is nowhere below its tangent at the nearest corner.

    Args:
        x: Places of particles, (p, 3) [m].
        radii: See `Particles`.
        corners: Of the faces, (f, 3).
        skins: How near particles have to be to each geom, (g, p) [m].
        gaps: See `_write_gaps`, (g, p, 4).
        pairs: See `_near_pairs`.
        number: How many pairs there are.
    """
    kept = 0
    for n in range(number):
        f, k = pairs[n, 0], pairs[n, 1]
        p, q, r = corners[f, 0], corners[f, 1], corners[f, 2]
        most = max(skins[k, p], skins[k, q], skins[k, r])
        if gaps[k, q, 0] < gaps[k, p, 0]:
            p, q = q, p
        if gaps[k, r, 0] < gaps[k, p, 0]:
            p, r = r, p
        gap, along, across = gaps[k, p, 0], 0.0, 0.0
        for a in range(3):
            along += gaps[k, p, 1 + a] * (x[q, a] - x[p, a])
            across += gaps[k, p, 1 + a] * (x[r, a] - x[p, a])
        low = min(0.0, along, across)
        if gap + low < most and -low > FLAT * radii[p]:
            pairs[kept, 0], pairs[kept, 1] = f, k
            kept += 1
    return kept


@kernel
def _touching_point(
    x: Any, corners: Any, rigid: Rigid, g: int, gap: float, shapes: Shapes, reach: float,
    most: float, stack: Any,
) -> Any:  # fmt: skip
    """See `nearest_inside`, with the normal in the world frame; `gap` is that of a corner."""
    there, u, v, w, gap, nx, ny, nz = nearest_inside(
        g, _into(rigid, g, x[corners[0]]), _into(rigid, g, x[corners[1]]),
        _into(rigid, g, x[corners[2]]), gap, shapes, reach, most, stack,
    )  # fmt: skip
    t = rigid.geom_xmat[g]
    return (
        there, u, v, w, gap, t[0] * nx + t[1] * ny + t[2] * nz, t[3] * nx + t[4] * ny + t[5] * nz,
        t[6] * nx + t[7] * ny + t[8] * nz,
    )  # fmt: skip


@kernel
def _convex_of(kinds: Any, near: Any, count: int) -> Any:
    """Those of the first geoms that are convex and no planes."""
    chosen, found = np.zeros(count, dtype=np.int64), 0
    for k in range(count):
        if kinds[near[k]] in _CONVEX:
            chosen[found] = near[k]
            found += 1
    return chosen[:found]


@kernel
def _write_skins(particles: Particles, rigid: Rigid, reaches: Any, geoms: Any, dt: float,
                 skins: Any) -> None:  # fmt: skip
    """Write how near each particle has to be to each geom to matter, (g, p) [m]."""
    v, radii = particles.velocities, particles.radii
    for p in range(len(v)):
        speed = math.sqrt(float(v[p, 0]) ** 2 + float(v[p, 1]) ** 2 + float(v[p, 2]) ** 2)
        skins[:, p] = radii[p] + dt * speed
    for k in range(len(geoms)):
        skins[k] += dt * _fastest_of(rigid, geoms[k], reaches[geoms[k]])


@kernel
def _find_faces(
    particles: Particles, faces: Faces, rigid: Rigid, shapes: Shapes, geoms: Any, meets: Meets,
    held: Rows, slid: Slid, touched: FeatureContacts, found: FaceRows, dt: float,
) -> int:  # fmt: skip
    """Find points inside of faces that are near a shape, or may be at the end of a step.

    Args:
        particles: See `Particles`.
        faces: See `Faces`.
        rigid: See `Rigid`.
        shapes: Of all geoms.
        geoms: Convex geoms that are looked at, in ascending order, (g,).
        meets: See `Meets`.
        held: Rows of particles: what holds a corner of a face does not touch the face.
        slid: Ways of the step before.
        touched: Gets rows, corners and weights.
        found: Gets all else.
        dt: Time step [s].

    Returns:
        How many rows there are; if more than there is room for, rows are not complete.
    """
    x, points, stack = particles.positions, len(particles.positions), np.zeros(DEPTH, np.int64)
    pairs = np.empty((len(faces.corners) * len(geoms), 2), dtype=np.int64)
    needed = np.zeros((len(geoms), points), dtype=np.bool_)
    near = _near_pairs(
        particles, faces.corners, rigid, shapes.reaches, geoms, meets, dt, pairs, needed
    )
    if near == 0:
        return 0
    skins, gaps = np.empty((len(geoms), points)), np.empty((len(geoms), points, 4))
    _write_skins(particles, rigid, shapes.reaches, geoms, dt, skins)
    for k in range(len(geoms)):
        _write_gaps(x, rigid, shapes, geoms[k], needed[k], gaps[k], stack)
    near = _only_near(x, particles.radii, faces.corners, skins, gaps, pairs, near)
    number, at = 0, 0
    for n in range(near):
        f, k = pairs[n, 0], pairs[n, 1]
        corners, g = faces.corners[f], geoms[k]
        p, q, r = corners[0], corners[1], corners[2]
        gap = min(gaps[k, p, 0], gaps[k, q, 0], gaps[k, r, 0])
        there, a, b, c, gap, nx, ny, nz = _touching_point(
            x, corners, rigid, g, gap, shapes, particles.radii[p],
            max(skins[k, p], skins[k, q], skins[k, r]), stack,
        )  # fmt: skip
        if not there or not _own_side((a, b, c), faces.sides[f]):
            continue
        mass = _mass(particles, corners, (a, b, c))
        if mass <= 0.0 or _holds(held, corners, rigid.geom_bodyid[g]):
            continue
        if number < len(found.keys):
            key = ((points + f) << _GEOM_BITS) + g
            while at < len(slid.keys) and slid.keys[at] < key:
                at += 1
            _write(
                particles, rigid, corners, g, (a, b, c), gap, (nx, ny, nz), mass,
                way_at(slid, at, key), touched, found, number, dt,
            )  # fmt: skip
            found.keys[number] = key
        number += 1
    if number <= len(found.keys):
        _list_entries(touched, number)
    return number


@array_function(
    closest, contact_rows, contact_stiffness, face_distance, shape_distance, shapes, touch,
    returns=True,
)  # fmt: skip
def find_with_faces(
    particles: Particles, faces: Faces, rigid: Rigid, shapes: Shapes, geoms: Any, meets: Meets,
    held: Held, slid: Slid, found: Rows, touched: FeatureContacts, points: FaceRows, dt: float,
) -> int:  # fmt: skip
    """Find what particles and insides of faces touch, and what holds particles.

    Args:
        particles: See `contact_rows.find`.
        faces: See `Faces`.
        rigid: See `contact_rows.find`.
        shapes: Likewise.
        geoms: Likewise.
        meets: Likewise.
        held: Likewise.
        slid: Likewise.
        found: Likewise.
        touched: See `_find_faces`.
        points: Gets the rest of rows of faces, and how many there are, even where there is no
            room for them.
        dt: Time step [s].

    Returns:
        How many rows of particles there are; if there is no room for them or those of faces, rows
        are not complete.
    """
    near = np.zeros(len(geoms), dtype=np.int64)
    fast = fastest(rigid.cvel)
    count = candidates(particles, rigid, shapes, geoms, fast, dt, near)
    number = find_particles(
        particles, rigid, shapes, near, count, fast, meets, held, slid, found, dt
    )
    if number > len(found.keys):
        return number
    convex = _convex_of(shapes.kinds, near, count)
    more = _find_faces(
        particles, faces, rigid, shapes, convex, meets, found, slid, touched, points, dt
    )
    points.number[0] = more
    if more <= len(points.keys):
        stiffen_with_points(particles, rigid, found, touched.rows, points, dt)
    return number
