"""Bounds of motion of particles and bodies that may touch: neither passes the other in a step.

Where contacts are looked for, each pair of a soft feature and a shape gets a direction from the
shape to the feature. Each time particles or bodies have moved, a plane across it divides the gap
between them, and both go back to their sides of it (see `vbd_bounds_law`). Nothing goes farther
than what was not found can be off, either.

Of a mesh it is the triangle that is touched, where edges and triangles are looked at; of any other
shape the point.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import warp as wp

from unibody.newton.poses import rotate
from unibody.newton.solvers import vbd_bounds_law as law
from unibody.newton.solvers.particle_rows import TouchedShapes, placed

_CLEAR = 1e-6  # what stays free on each side of a plane, in m and in extents of the scene


class MotionBounds:
    """Bounds between two searches for contacts.

    Args:
        model: The model.
        gap: From how far on particles have contacts, beyond their radius and a shape's margin [m].
        share: Of the way to what was not found that nothing goes beyond, and of that to a plane.

    Attributes:
        budget: How far anything goes between two searches [m].
        of_particles: Shares of their ways that particles have gone the last time, (p,).
        of_bodies: Likewise of bodies, (b,).
    """

    def __init__(self, model: Any, gap: float, share: float) -> None:
        self._model, self._share = model, share
        self.budget: float = np.inf
        if model.particle_count and model.shape_count:
            least = model.particle_radius.numpy().min() + model.shape_thickness.numpy().min()
            self.budget = 0.5 * share * float(gap + least)
        com = model.body_com.numpy() if model.body_count else np.zeros((0, 3))
        self._com = com.astype(np.float64)
        self._radii = _radii(model, self._com)
        with wp.ScopedDevice(model.device):
            self.of_particles: wp.array[Any] = wp.ones(model.particle_count, dtype=wp.float32)
            self.of_bodies: wp.array[Any] = wp.ones(model.body_count, dtype=wp.float32)
        self._x, self._q = np.zeros((0, 3)), np.zeros((0, 7))
        self._pairs: Any = None

    def begin(self, x: Any, q: Any, touched: TouchedShapes | None) -> None:
        """Bound ways from here on.

        Args:
            x: Places of particles, (p, 3) [m].
            q: Poses of bodies, (b, 7).
            touched: Contacts that were found here; None: there are none.
        """
        self._x, self._q = np.array(x, dtype=np.float64), np.array(q, dtype=np.float64)
        moves = self._model.body_inv_mass.numpy() > 0.0 if len(self._q) else np.zeros(0, bool)
        self._still = np.flatnonzero(~moves)
        self._clear = _CLEAR * (1.0 + float(np.abs(self._x).max(initial=0.0)))
        self._pairs = None if touched is None else self._pairs_of(touched)

    def _pairs_of(self, touched: TouchedShapes) -> Any:
        """What `vbd_bounds_law.divide` is told of contacts."""
        corners = np.where(touched.weights > 0.0, touched.corners, -1)
        acts = corners >= 0
        places = self._x[np.where(acts, corners, 0)]
        weights = np.where(acts, touched.weights, 0.0).astype(np.float64)
        soft = np.einsum("nk,nki->ni", weights, places)
        points, counts = _rigid_corners(self._model, touched)
        there = touched.points.astype(np.float64)
        held = np.flatnonzero(touched.bodies >= 0)
        poses = self._q[touched.bodies[held]]
        there[held] = placed(poses, there[held])
        points[held] = rotate(poses[:, None, 3:], points[held]) + poses[:, None, :3]
        normals = touched.rows[:, :3].astype(np.float64)
        apart = soft - there
        sizes = np.linalg.norm(apart, axis=1)
        # Between two features of which each is a point, edge or triangle it is the nearest way.
        sure = (counts > 1) & (np.einsum("ni,ni->n", apart, normals) > 0.0)
        sure &= sizes > 2.0 * self._clear
        normals = np.where(sure[:, None], apart / np.maximum(sizes, 1e-12)[:, None], normals)
        lows = np.einsum("ni,ni->n", soft, normals)
        heights = np.einsum("nki,ni->nk", points, normals).max(axis=1)
        every = np.where(acts, np.einsum("nki,ni->nk", places, normals), np.inf).min(axis=1)
        gaps = np.maximum(np.where(counts > 1, every, lows) - heights, 0.0)
        bodies = touched.bodies.astype(np.int64)
        return corners.astype(np.int64), bodies, points, counts, normals, gaps, heights

    def hold(self, x: Any, q: Any) -> None:
        """Take particles and bodies back onto their sides.

        Args:
            x: Places of particles, (p, 3), changed in place [m].
            q: Poses of bodies, (b, 7), changed in place.
        """
        of_particles, of_bodies = np.ones(len(x)), np.ones(len(q))
        ways = np.zeros((len(q), 10))
        law.body_ways(self._q, q, self._com, ways)
        ways[self._still, 3:] = 0.0
        if self._pairs is not None:
            law.divide(
                *(self._x, x, ways, self._pairs, self._share, self._clear),
                *(of_particles, of_bodies),
            )
        law.shorten_particles(self._x, x, of_particles, self.budget)
        law.shorten_bodies(self._q, q, self._com, ways, self._radii, of_bodies, self.budget)
        self.of_particles.numpy()[:] = of_particles
        self.of_bodies.numpy()[:] = of_bodies


def _radii(model: Any, com: Any) -> Any:
    """How far the shapes of bodies reach from their centres of mass, (b,) [m]."""
    found = np.zeros(len(com))
    if not model.shape_count:
        return found
    owner = model.shape_body.numpy()
    owned = np.flatnonzero(owner >= 0)
    middles = model.shape_transform.numpy()[owned, :3] - com[owner[owned]]
    reaches = np.linalg.norm(middles, axis=1) + model.shape_collision_radius.numpy()[owned]
    np.maximum.at(found, owner[owned], reaches)
    return found


def _rigid_corners(model: Any, touched: TouchedShapes) -> tuple[Any, Any]:
    """What stands for rigid sides, in the frames of bodies, (n, 3, 3) [m]; and how many points."""
    points = np.repeat(touched.points.astype(np.float64)[:, None], 3, axis=1)
    counts = np.ones(len(points), dtype=np.int64)
    cornered = touched.triangles[:, 0] >= 0
    for shape in np.unique(touched.shapes[cornered]):
        source = model.shape_source[shape]
        if not hasattr(source, "indices"):
            continue
        rows = np.flatnonzero(cornered & (touched.shapes == shape))
        numbers = np.asarray(source.indices).reshape(-1)[touched.triangles[rows]]
        scale = model.shape_scale.numpy()[shape].astype(np.float64)
        frame = model.shape_transform.numpy()[shape].astype(np.float64)
        own = np.asarray(source.vertices, dtype=np.float64)[numbers] * scale
        points[rows], counts[rows] = rotate(frame[3:], own) + frame[:3], 3
    return points, counts
