"""How far shapes reach along directions."""

from __future__ import annotations

from typing import Any

import numpy as np

from unibody.newton.enums import GeoType
from unibody.newton.poses import multiply, rotate

_CONJUGATE = np.array([-1.0, -1.0, -1.0, 1.0])
_SOLIDS = (
    *(GeoType.SPHERE, GeoType.CAPSULE, GeoType.BOX, GeoType.CYLINDER, GeoType.CONE),
    *(GeoType.ELLIPSOID, GeoType.CONVEX_MESH),
)


class Supports:
    """Reach of a model's shapes.

    Args:
        model: The model.

    Attributes:
        known: Whether a shape is without dents, and its reach known, (s,).
        radii: How far from its body's centre of mass a shape reaches, (s,) [m].
    """

    def __init__(self, model: Any) -> None:
        self._kinds = model.shape_type.numpy()
        self._scales = model.shape_scale.numpy().astype(np.float64)
        self._frames = model.shape_transform.numpy().astype(np.float64)
        self._sources = model.shape_source
        barrels = (self._kinds == GeoType.CYLINDER) & (self._scales[:, 2] > 0.0)
        self.known: Any = np.isin(self._kinds, [int(kind) for kind in _SOLIDS]) & ~barrels
        bodies = model.shape_body.numpy()
        com = model.body_com.numpy() if model.body_count else np.zeros((0, 3))
        middles = self._frames[:, :3].copy()
        middles[bodies >= 0] -= com[bodies[bodies >= 0]]
        self.radii: Any = np.linalg.norm(middles, axis=1) + model.shape_collision_radius.numpy()

    def reach(self, shapes: Any, poses: Any, directions: Any, points: Any) -> Any:
        """How far shapes reach along directions, from the origin of the world.

        Args:
            shapes: Numbers of shapes, (n,).
            poses: Of their bodies, (n, 7).
            directions: Unit vectors, (n, 3).
            points: Corners in bodies, which stand for shapes with dents, (n, 3, 3) [m].

        Returns:
            (n,) [m].
        """
        frames = multiply(poses, self._frames[shapes])
        own = rotate(frames[:, 3:] * _CONJUGATE, directions)
        found = np.einsum("ni,ni->n", frames[:, :3], directions)
        for kind in np.unique(self._kinds[shapes]):
            chosen = np.flatnonzero((self._kinds[shapes] == kind) & self.known[shapes])
            if len(chosen):
                found[chosen] += self._own_reach(int(kind), shapes[chosen], own[chosen])
        dented = np.flatnonzero(~self.known[shapes])
        if len(dented):
            turns, origins = poses[dented, None, 3:], poses[dented, None, :3]
            places = rotate(turns, points[dented]) + origins
            found[dented] = np.einsum("nki,ni->nk", places, directions[dented]).max(axis=1)
        return found

    def corners(self, shapes: Any, triangles: Any, points: Any) -> Any:
        """What stands for shapes with dents: corners of the triangle that is touched.

        Args:
            shapes: Numbers of shapes, (n,).
            triangles: Which indices of their meshes are its corners, or -1, (n, 3).
            points: What is touched, which stands for shapes without triangles, (n, 3) [m].

        Returns:
            In the frames of bodies, (n, 3, 3) [m].
        """
        found = np.repeat(points.astype(np.float64)[:, None], 3, axis=1)
        known = (triangles[:, 0] >= 0) & ~self.known[shapes]
        for shape in np.unique(shapes[known]):
            source = self._sources[shape]
            if not hasattr(source, "indices"):
                continue
            rows = np.flatnonzero(known & (shapes == shape))
            numbers = np.asarray(source.indices).reshape(-1)[triangles[rows]]
            own = np.asarray(source.vertices, dtype=np.float64)[numbers] * self._scales[shape]
            frame = self._frames[shape]
            found[rows] = rotate(frame[3:], own) + frame[:3]
        return found

    def _own_reach(self, kind: int, shapes: Any, along: Any) -> Any:
        """How far shapes of a kind reach from their middle along directions of their frames."""
        scale = self._scales[shapes]
        flat = np.linalg.norm(along[:, :2], axis=1)
        up = np.abs(along[:, 2])
        if kind == GeoType.SPHERE:
            return scale[:, 0]
        if kind == GeoType.CAPSULE:
            return scale[:, 0] + scale[:, 1] * up
        if kind == GeoType.BOX:
            return (np.abs(along) * scale).sum(axis=1)
        if kind == GeoType.CYLINDER:
            return scale[:, 0] * flat + scale[:, 1] * up
        if kind == GeoType.CONE:
            tip = scale[:, 1] * along[:, 2]
            return np.maximum(tip, scale[:, 0] * flat - tip)
        if kind == GeoType.ELLIPSOID:
            return np.linalg.norm(along * scale, axis=1)
        found = np.zeros(len(shapes))
        for row, shape in enumerate(shapes):
            corners = np.asarray(self._sources[shape].vertices) * scale[row]
            found[row] = (corners @ along[row]).max()
        return found
