"""The depth of a capsule whose axis runs through a box."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

_Array = NDArray[np.float64]
_PARALLEL = 1e-9


class Depth(NamedTuple):
    """How far, and which way, the capsule has to move to leave the box."""

    depth: float  # [m]
    direction: _Array  # (3,) unit
    box_point: _Array  # (3,)
    capsule_point: _Array  # (3,)


def box_capsule_depth(  # noqa: PLR0913, PLR0917 - two shapes
    half_sizes: _Array, rotation: _Array, offset: _Array, axis: _Array, half: float, radius: float
) -> Depth | None:
    """Depth of a capsule in a box, all in one frame, or None if its axis stays outside.

    A box and a segment are polytopes: the shortest way apart is along a normal of the box or
    along a normal to one of its edges and the segment. The capsule's radius comes on top.
    MuJoCo's own function takes the nearest features instead, which underrates the depth.

    Args:
        half_sizes: Of the box, (3,) [m].
        rotation: Of the box, (3, 3), its axes as columns.
        offset: From the box's centre to the capsule's, (3,) [m].
        axis: Of the capsule, (3,), unit.
        half: Half the length of the capsule's axis [m].
        radius: Of the capsule [m].
    """
    crossed = np.cross(rotation.T, axis)
    lengths = np.linalg.norm(crossed, axis=1)
    usable = lengths > _PARALLEL
    normals = np.concatenate([rotation.T, crossed[usable] / lengths[usable, None]])
    away = np.where(normals @ offset >= 0.0, 1.0, -1.0)
    normals *= away[:, None]
    overlap = np.abs(normals @ rotation) @ half_sizes + half * np.abs(normals @ axis)
    overlap -= normals @ offset
    best = int(overlap.argmin())
    if overlap[best] <= 0.0:
        return None
    normal, depth = normals[best], float(overlap[best]) + radius
    # the end of the segment that is deepest; both, if it lies along the face
    along = float(normal @ axis)
    end = 0.0 if abs(along) < _PARALLEL else -np.sign(along) * half
    capsule_point = offset + end * axis - radius * normal
    return Depth(depth, normal, capsule_point + depth * normal, capsule_point)
