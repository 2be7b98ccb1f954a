# ruff: noqa: PLR0913, PLR0917 - compiled code takes its state as plain arguments
"""What particles exert on the rigid bodies that they touched, and how far they slid on them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from unibody.core.deform.contacts import FRICTION, GROWTH, MOTION
from unibody.core.deform.feature_contacts import CORNERS, FeatureContacts
from unibody.core.deform.vbd import feature_touch, touch
from unibody.core.deform.vbd.feature_touch import feature_force
from unibody.core.deform.vbd.touch import contact_force
from unibody.core.engine.soft.contact_tables import Rigid, Rows, Slid
from unibody.core.engine.soft.face_tables import FaceRows
from unibody.machine_code.array_calls import array_function
from unibody.machine_code.jit import kernel

_FRICTION, _GROWTH, _MOTION = FRICTION, GROWTH, MOTION
_CORNERS = CORNERS
_TINY = 1e-300


@kernel
def push(rigid: Rigid, body: int, point: Any, x: float, y: float, z: float) -> None:
    """Add a force at a point to those on a body [N]."""
    centre, sums = rigid.xipos[body], rigid.xfrc_applied[body]
    rx, ry, rz = point[0] - centre[0], point[1] - centre[1], point[2] - centre[2]
    sums[0] += x
    sums[1] += y
    sums[2] += z
    sums[3] += ry * z - rz * y
    sums[4] += rz * x - rx * z
    sums[5] += rx * y - ry * x


@kernel
def _keep(slid: Slid, at: int, key: int, row: Any, ux: float, uy: float, uz: float) -> None:
    """Write a way slid: that of a motion across the normal, no longer than friction grows over."""
    along = row[0] * ux + row[1] * uy + row[2] * uz
    ux, uy, uz = ux - along * row[0], uy - along * row[1], uz - along * row[2]
    length = math.sqrt(ux * ux + uy * uy + uz * uz)
    share = min(row[_GROWTH] / max(length, _TINY), 1.0)
    slid.keys[at] = key
    slid.ways[at, 0] = share * ux
    slid.ways[at, 1] = share * uy
    slid.ways[at, 2] = share * uz


@array_function(touch, returns=True)
def react(positions: Any, before: Any, found: Rows, rigid: Rigid, slid: Slid, dt: float) -> int:
    """Push the rigid bodies, and note how far particles slid.

    Args:
        positions: Of particles, after the step, (p, 3) [m].
        before: At its start, (p, 3) [m].
        found: What they touched; gets the forces on the particles.
        rigid: Gets the forces.
        slid: Gets the ways.
        dt: Time step [s].

    Returns:
        How many contacts keep their way; those that do not push forget it.
    """
    kept, rate = 0, np.float32(1.0 / dt)
    x, start = positions.reshape(-1), before.reshape(-1)
    for p in range(len(positions)):
        for c in range(found.first[p], found.first[p + 1]):
            row, body = found.rows[c], found.bodies[c]
            fx, fy, fz, _, _ = contact_force(x, start, p, row, rate)
            found.forces[c, 0], found.forces[c, 1], found.forces[c, 2] = fx, fy, fz
            if fx == 0.0 and fy == 0.0 and fz == 0.0:
                continue
            if rigid.body_invweight0[body, 0] > 0.0:
                push(rigid, body, found.points[c], -float(fx), -float(fy), -float(fz))
            if row[_FRICTION] <= 0.0:
                continue
            ux = positions[p, 0] - before[p, 0] - row[_MOTION]
            uy = positions[p, 1] - before[p, 1] - row[_MOTION + 1]
            uz = positions[p, 2] - before[p, 2] - row[_MOTION + 2]
            _keep(slid, kept, found.keys[c], row, ux, uy, uz)
            kept += 1
    return kept


@array_function(feature_touch, touch, returns=True)
def react_to_points(
    positions: Any, before: Any, touched: FeatureContacts, points: FaceRows, rigid: Rigid,
    slid: Slid, kept: int, dt: float,
) -> int:  # fmt: skip
    """Push the rigid bodies that points inside of faces touched, and note how far these slid.

    Args:
        positions: Of particles, after the step, (p, 3) [m].
        before: At its start, (p, 3) [m].
        touched: What the points touched.
        points: The rest of it; gets the forces on the points.
        rigid: Gets the forces.
        slid: Gets the ways, behind those of particles.
        kept: How many these are.
        dt: Time step [s].

    Returns:
        How many contacts keep their way, with those of particles.
    """
    rate = np.float32(1.0 / dt)
    x, start = positions.reshape(-1), before.reshape(-1)
    for c in range(points.number[0]):
        fx, fy, fz, _, _ = feature_force(x, start, c, touched, rate)
        points.forces[c, 0], points.forces[c, 1], points.forces[c, 2] = fx, fy, fz
        body = points.bodies[c]
        if fx == 0.0 and fy == 0.0 and fz == 0.0:
            continue
        if rigid.body_invweight0[body, 0] > 0.0:
            push(rigid, body, points.points[c], -float(fx), -float(fy), -float(fz))
        row = touched.rows[c]
        if row[_FRICTION] <= 0.0:
            continue
        ux, uy, uz = -row[_MOTION], -row[_MOTION + 1], -row[_MOTION + 2]
        for k in range(_CORNERS):
            p, w = touched.corners[c, k], touched.weights[c, k]
            ux += w * (positions[p, 0] - before[p, 0])
            uy += w * (positions[p, 1] - before[p, 1])
            uz += w * (positions[p, 2] - before[p, 2])
        _keep(slid, kept, points.keys[c], row, ux, uy, uz)
        kept += 1
    return kept
