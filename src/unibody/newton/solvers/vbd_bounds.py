"""Bounds of motion of particles and bodies that may touch: neither passes the other in a step.

Where contacts are looked for, each pair of a soft feature and a shape gets a direction from the
shape to the feature. A plane across it divides the gap between them as both come nearer, and both
stay on their sides of it: from where they were when contacts were looked for they go a share of
their way (divide and truncate). Nothing goes farther than what was not found can be off, either.

Shapes without dents are bounded as wholes. Of a mesh it is the triangle that is touched, where
edges and triangles are looked at, or else the point.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import warp as wp

from unibody.newton.poses import inverse, multiply, rotate
from unibody.newton.solvers.particle_rows import TouchedShapes, placed
from unibody.newton.solvers.vbd_supports import Supports

_ADVANCES = 24  # along the way of a body
_NOWHERE = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0)
_TURNS = np.array([0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0])  # of a pose without its place
_CLEAR = 1e-6  # what stays free on each side of a plane, in m and in extents of the scene


class MotionBounds:
    """Bounds between two searches for contacts.

    Args:
        model: The model.
        gap: From how far on particles have contacts, beyond their radius and a shape's margin [m].
        share: Of the way to what was not found that nothing goes beyond.

    Attributes:
        budget: How far anything goes between two searches [m].
        of_particles: Shares of their ways that particles have gone, (p,).
        of_bodies: Likewise of bodies, (b,).
    """

    def __init__(self, model: Any, gap: float, share: float) -> None:
        self._model = model
        self.budget: float = np.inf
        if model.particle_count and model.shape_count:
            least = model.particle_radius.numpy().min() + model.shape_thickness.numpy().min()
            self.budget = 0.5 * share * float(gap + least)
        self._supports = Supports(model) if model.shape_count else None
        self._radii = np.zeros(model.body_count)
        if self._supports is not None:
            owner = model.shape_body.numpy()
            owned = owner >= 0
            np.maximum.at(self._radii, owner[owned], self._supports.radii[owned])
        with wp.ScopedDevice(model.device):
            self.of_particles: wp.array[Any] = wp.ones(model.particle_count, dtype=wp.float32)
            self.of_bodies: wp.array[Any] = wp.ones(model.body_count, dtype=wp.float32)
        self._x = np.zeros((0, 3))
        self._q = np.zeros((0, 7))
        self._pairs: TouchedShapes | None = None

    def begin(self, x: Any, q: Any, touched: TouchedShapes | None) -> None:
        """Bound ways from here on.

        Args:
            x: Places of particles, (p, 3) [m].
            q: Poses of bodies, (b, 7).
            touched: Contacts that were found here; None: there are none.
        """
        self._x, self._q = np.array(x, dtype=np.float64), np.array(q, dtype=np.float64)
        # Tables may be views of arrays that the next search writes.
        self._pairs = None if touched is None else TouchedShapes(*(a.copy() for a in touched))
        self._moves = self._model.body_inv_mass.numpy() > 0.0 if len(self._q) else np.zeros(0, bool)
        if touched is None:
            return
        assert self._supports is not None
        self._shapes = touched.shapes.copy()
        self._triangles = self._supports.corners(self._shapes, touched.triangles, touched.points)
        self._acts = (touched.corners >= 0) & (touched.weights > 0.0)
        self._corners = np.where(touched.corners >= 0, touched.corners, 0)
        weights = np.where(self._acts, touched.weights, 0.0).astype(np.float64)
        points = np.einsum("nk,nki->ni", weights, self._x[self._corners])
        there = touched.points.astype(np.float64)
        held = touched.bodies >= 0
        there[held] = placed(self._q[touched.bodies[held]], there[held])
        normals = touched.rows[:, :3].astype(np.float64)
        apart = points - there
        gaps = np.einsum("ni,ni->n", apart, normals)
        sizes = np.linalg.norm(apart, axis=1)
        clear = self._clear = _CLEAR * (1.0 + float(np.abs(self._x).max(initial=0.0)))
        sure = (gaps > 0.0) & (sizes > 2.0 * clear)
        self._n = np.where(sure[:, None], apart / np.maximum(sizes, 1e-12)[:, None], normals)
        self._lows = self._low(self._x)
        self._reaches = self._reach(self._q)

    def _low(self, x: Any) -> Any:
        """How far each feature is along its direction: that of its lowest corner, (n,) [m]."""
        heights = np.einsum("nki,ni->nk", x[self._corners], self._n)
        return np.where(self._acts, heights, np.inf).min(axis=1)

    def _reach(self, q: Any) -> Any:
        """How far the shapes of pairs reach along their directions, (n,) [m]."""
        assert self._pairs is not None
        held = self._pairs.bodies >= 0
        poses = np.tile(_NOWHERE, (len(held), 1))
        poses[held] = q[self._pairs.bodies[held]]
        return self._reach_at(poses, np.arange(len(held)))

    def hold(self, x: Any, q: Any) -> None:
        """Take particles and bodies back onto their sides.

        Args:
            x: Places of particles, (p, 3), changed in place [m].
            q: Poses of bodies, (b, 7), changed in place.
        """
        ways = x - self._x
        of_particles, of_bodies = np.ones(len(x)), np.ones(len(q))
        if self._pairs is not None and len(self._pairs.particles):
            self._divide(x, q, ways, of_particles, of_bodies)
        if np.isfinite(self.budget):
            lengths = np.linalg.norm(ways, axis=1)
            of_particles = np.minimum(of_particles, self.budget / np.maximum(lengths, 1e-30))
            far = self._lengths(q)
            free = np.where(self._moves, self.budget / np.maximum(far, 1e-30), 1.0)
            of_bodies = np.minimum(of_bodies, free)
        short = np.flatnonzero(of_particles < 1.0)
        x[short] = self._x[short] + of_particles[short, None] * ways[short]
        for body in np.flatnonzero(of_bodies < 1.0):
            q[body] = self._between(q[body : body + 1], np.array([body]), of_bodies[body])[0]
        self.of_particles.numpy()[:] = of_particles
        self.of_bodies.numpy()[:] = of_bodies

    def _lengths(self, q: Any) -> Any:
        """How far no point of a body has gone beyond, (b,) [m]."""
        if not len(q):
            return np.zeros(0)
        com = self._model.body_com.numpy()
        middles = np.linalg.norm(placed(q, com) - placed(self._q, com), axis=1)
        turns = _turn(self._q, q)
        halves = np.arctan2(np.linalg.norm(turns[:, :3], axis=1), np.abs(turns[:, 3]))
        return middles + 2.0 * halves * self._radii

    def _divide(self, x: Any, q: Any, ways: Any, of_particles: Any, of_bodies: Any) -> None:
        """Shares of ways up to the planes of pairs."""
        assert self._pairs is not None
        soft = np.maximum(self._lows - self._low(x), 0.0)
        rigid = np.maximum(self._reach(q) - self._reaches, 0.0)
        clear = self._clear
        free = np.maximum(self._lows - self._reaches - 2.0 * clear, 0.0)
        tight = np.flatnonzero((soft + rigid > free) & (soft + rigid > 0.0))
        if not len(tight):
            return
        bodies = self._pairs.bodies[tight]
        stays = (bodies < 0) | ~np.append(self._moves, False)[bodies]
        part = soft[tight] / (soft + rigid)[tight]
        given = np.where(stays, np.maximum(free[tight] - rigid[tight], 0.0), part * free[tight])
        self._shorten_features(tight, given, ways, of_particles)
        moving = np.flatnonzero(~stays)
        if len(moving):
            rows = tight[moving]
            limits = self._reaches[rows] + (free[rows] - given[moving])
            shares = self._shares_of_bodies(rows, limits, q)
            np.minimum.at(of_bodies, bodies[moving], shares)

    def _shorten_features(self, tight: Any, given: Any, ways: Any, of_particles: Any) -> None:
        """Shares of particles that come nearer by no more than is given to their pairs."""
        n, corners, acts = self._n[tight], self._corners[tight], self._acts[tight]
        down = -np.einsum("nki,ni->nk", ways[corners], n)
        heights = np.einsum("nki,ni->nk", self._x[corners], n)
        room = heights - self._lows[tight][:, None] + given[:, None]
        stopped = acts & (down > room)
        shares = np.where(stopped, room / np.where(stopped, down, 1.0), 1.0)
        np.minimum.at(of_particles, corners[stopped], np.maximum(shares[stopped], 0.0))

    def _shares_of_bodies(self, rows: Any, limits: Any, q: Any) -> Any:
        """Shares of the ways of bodies up to which their shapes reach no farther than limits.

        No point of a body is faster than its way is long, so that a share may grow by the room that
        is left over that: it never passes the first place where there is none.
        """
        assert self._pairs is not None
        bodies = self._pairs.bodies[rows]
        ends, rates = q[bodies], np.maximum(self._lengths(q)[bodies], 1e-30)
        shares = np.zeros(len(rows))
        for _ in range(_ADVANCES):
            room = limits - self._reach_at(self._between(ends, bodies, shares), rows)
            shares = np.minimum(shares + np.maximum(room, 0.0) / rates, 1.0)
        return shares

    def _reach_at(self, poses: Any, rows: Any) -> Any:
        """How far shapes of some pairs reach where poses have their bodies, (n,) [m]."""
        assert self._pairs is not None and self._supports is not None
        corners = self._triangles[rows]
        return self._supports.reach(self._shapes[rows], poses, self._n[rows], corners)

    def _between(self, q: Any, bodies: Any, share: Any) -> Any:
        """Poses of bodies a share of their way on, of their centres of mass, (n, 7)."""
        share = np.broadcast_to(share, (len(bodies),))[:, None]
        start, com = self._q[bodies], self._model.body_com.numpy()[bodies].astype(np.float64)
        turn = _turn(start, q)
        turn = np.where(turn[:, 3:] < 0.0, -turn, turn)
        size = np.linalg.norm(turn[:, :3], axis=1, keepdims=True)
        angle = share * np.arctan2(size, turn[:, 3:])
        less = np.zeros((len(bodies), 7))
        less[:, 3:6] = turn[:, :3] / np.maximum(size, 1e-30) * np.sin(angle)
        less[:, 6:] = np.cos(angle)
        found = multiply(less, start)
        middle = (1.0 - share) * placed(start, com) + share * placed(q, com)
        found[:, :3] = middle - rotate(found[:, 3:], com)
        return found


def _turn(start: Any, end: Any) -> Any:
    """Quaternions from the frames of some poses to those of others, as seen from the world."""
    return multiply(end.astype(np.float64) * _TURNS, inverse(start * _TURNS))[:, 3:]
