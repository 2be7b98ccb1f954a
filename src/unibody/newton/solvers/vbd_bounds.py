"""Bounds of motion of particles and bodies that may touch: neither passes the other in a step.

Where contacts are looked for, each pair of a soft feature and a shape gets a direction from the
shape to the feature. A plane across it divides the gap between them as both come nearer, and both
stay on their sides of it: from where they were allowed to be before they go a share of their way
(divide and truncate). Nothing goes farther than what was not found can be off, either.

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
_LOOKS = (0.25, 0.5, 0.75, 1.0)  # at where bodies are while particles go on
_STILL = 1e-7  # m: no way worth another one
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
        of_particles: Shares of their ways that particles have gone the last time, (p,).
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
        self._x, self._q = np.zeros((0, 3)), np.zeros((0, 7))
        self._first = self._x, self._q
        self._pairs: TouchedShapes | None = None

    def begin(self, x: Any, q: Any, touched: TouchedShapes | None) -> None:
        """Bound ways from here on.

        Args:
            x: Places of particles, (p, 3) [m].
            q: Poses of bodies, (b, 7).
            touched: Contacts that were found here; None: there are none.
        """
        self._x, self._q = np.array(x, dtype=np.float64), np.array(q, dtype=np.float64)
        self._first = self._x.copy(), self._q.copy()
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
        self._hold_in_budget(x, q)
        ways = x - self._x
        of_particles, of_bodies = np.ones(len(x)), np.ones(len(q))
        paired = self._pairs is not None and len(self._pairs.particles)
        if paired:
            self._stop_bodies(x, q, of_bodies)
        for body in np.flatnonzero(of_bodies < 1.0):
            q[body] = self._between(q[body : body + 1], np.array([body]), of_bodies[body])[0]
        if paired:
            self._stop_particles(x, q, ways, of_particles)
        short = np.flatnonzero(of_particles < 1.0)
        x[short] = self._x[short] + of_particles[short, None] * ways[short]
        self.of_particles.numpy()[:] = of_particles
        self.of_bodies.numpy()[:] = of_bodies
        self._x[:], self._q[:] = x, q
        if paired:
            self._lows, self._reaches = self._low(x), self._reach(q)

    def _hold_in_budget(self, x: Any, q: Any) -> None:
        """Take back what is farther from where contacts were looked for than may be."""
        if not np.isfinite(self.budget):
            return
        ways = x - self._first[0]
        lengths = np.linalg.norm(ways, axis=1)
        far = np.flatnonzero(lengths > self.budget)
        x[far] = self._first[0][far] + ways[far] * (self.budget / lengths[far])[:, None]
        if not len(q):
            return
        lengths = self._lengths(self._first[1], q)
        for body in np.flatnonzero(self._moves & (lengths > self.budget)):
            rows, share = np.array([body]), self.budget / lengths[body]
            start = self._first[1][body : body + 1]
            q[body] = self._between(q[body : body + 1], rows, share, start)[0]

    def _lengths(self, start: Any, q: Any) -> Any:
        """How far no point of a body has gone beyond from a pose to another, (b,) [m]."""
        com = self._model.body_com.numpy()
        middles = np.linalg.norm(placed(q, com) - placed(start, com), axis=1)
        turns = _turn(start, q)
        halves = np.arctan2(np.linalg.norm(turns[:, :3], axis=1), np.abs(turns[:, 3]))
        return middles + 2.0 * halves * self._radii

    def _stop_bodies(self, x: Any, q: Any, of_bodies: Any) -> None:
        """Shares of the ways of bodies up to the planes of pairs."""
        assert self._pairs is not None
        rigid = np.maximum(self._reach(q) - self._reaches, 0.0)
        soft = np.maximum(self._lows - self._low(x), 0.0)
        free = np.maximum(self._lows - self._reaches - 2.0 * self._clear, 0.0)
        bodies = self._pairs.bodies
        moves = (bodies >= 0) & np.append(self._moves, False)[bodies]
        rows = np.flatnonzero(moves & (soft + rigid > free) & (rigid > 0.0))
        if not len(rows):
            return
        given = free[rows] * rigid[rows] / (soft + rigid)[rows]
        shares = self._shares_of_bodies(rows, self._reaches[rows] + given, q)
        np.minimum.at(of_bodies, bodies[rows], shares)

    def _stop_particles(self, x: Any, q: Any, ways: Any, of_particles: Any) -> None:
        """Shares of the ways of particles that leave bodies where they are now."""
        assert self._pairs is not None
        soft = np.maximum(self._lows - self._low(x), 0.0)
        rigid = np.maximum(self._reach(q) - self._reaches, 0.0)
        free = self._lows - self._reaches - 2.0 * self._clear
        tight = np.flatnonzero((soft > 0.0) & (soft + rigid > free))
        if not len(tight):
            return
        bodies = self._pairs.bodies[tight]
        held = np.flatnonzero(bodies >= 0)
        given = np.full(len(tight), np.inf)
        for share in _LOOKS if len(held) else _LOOKS[-1:]:
            poses = np.tile(_NOWHERE, (len(tight), 1))
            poses[held] = self._between(q[bodies[held]], bodies[held], share)
            room = self._lows[tight] - self._reach_at(poses, tight) - 2.0 * self._clear
            given = np.minimum(given, room / share)
        self._shorten_features(tight, np.maximum(given, 0.0), ways, of_particles)

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
        lengths = self._lengths(self._q, q)
        ends, rates = q[bodies], np.maximum(lengths[bodies], 1e-30)
        shares = np.zeros(len(rows))
        for _ in range(_ADVANCES):
            room = limits - self._reach_at(self._between(ends, bodies, shares), rows)
            grown = np.minimum(shares + np.maximum(room, 0.0) / rates, 1.0)
            still = (grown - shares) * rates < _STILL
            shares = grown
            if still.all():
                break
        return shares

    def _reach_at(self, poses: Any, rows: Any) -> Any:
        """How far shapes of some pairs reach where poses have their bodies, (n,) [m]."""
        assert self._pairs is not None and self._supports is not None
        corners = self._triangles[rows]
        return self._supports.reach(self._shapes[rows], poses, self._n[rows], corners)

    def _between(self, q: Any, bodies: Any, share: Any, start: Any = None) -> Any:
        """Poses of bodies a share of their way on, of their centres of mass, (n, 7)."""
        share = np.broadcast_to(share, (len(bodies),))[:, None]
        start = self._q[bodies] if start is None else start
        com = self._model.body_com.numpy()[bodies].astype(np.float64)
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
