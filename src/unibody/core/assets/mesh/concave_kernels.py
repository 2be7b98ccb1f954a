"""Short rays against many triangles, compiled."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from unibody.core.assets.mesh.topology import Rows
from unibody.core.assets.mesh.types import FloatArray
from unibody.machine_code import numba

LEAF = 8  # faces in a leaf of the tree, at most
_STACK = 64  # more than twice the depth of a tree that is halved at every node
_PARALLEL = 1e-14


class Tree(NamedTuple):
    """Bounding boxes over the triangles of a surface.

    Attributes:
        boxes: Lower and upper corner of each node, (N, 6) [m].
        nodes: First triangle and count of a leaf, or the first of two children and 0, (N, 2).
        triangles: Corners, in the order of the leaves, (F, 9) [m].
    """

    boxes: FloatArray
    nodes: Rows
    triangles: FloatArray


def tree_of(triangles: FloatArray) -> Tree:
    """Build a tree over triangles, (F, 3, 3), halved along the longest extent."""
    low, high = triangles.min(axis=1), triangles.max(axis=1)
    middle = low + high
    order = np.arange(len(triangles))
    boxes: list[FloatArray] = []
    nodes: list[tuple[int, int]] = []
    spans = [(0, len(triangles))]
    for begin, end in spans:  # grows while it is walked
        part = order[begin:end]
        box = np.concatenate([low[part].min(axis=0), high[part].max(axis=0)])
        boxes.append(box)
        if end - begin <= LEAF:
            nodes.append((begin, end - begin))
            continue
        axis = int(np.argmax(box[3:] - box[:3]))
        half = (end - begin) // 2
        order[begin:end] = part[np.argpartition(middle[part, axis], half)]
        nodes.append((len(spans), 0))
        spans += [(begin, begin + half), (begin + half, end)]
    return Tree(np.array(boxes), np.array(nodes), triangles[order].reshape(-1, 9))


@numba.njit(cache=True)
def _meets_box(
    box: FloatArray, ray: tuple[float, float, float, float, float, float], reach: float
) -> bool:
    x, y, z, u, v, w = ray
    near, far = 0.0, reach
    for low, high, start, step in (
        (box[0], box[3], x, u), (box[1], box[4], y, v), (box[2], box[5], z, w)
    ):  # fmt: skip
        if step == 0.0:
            if start < low or start > high:
                return False
        else:
            a, b = (low - start) / step, (high - start) / step
            near, far = max(near, min(a, b)), min(far, max(a, b))
    return near <= far


@numba.njit(cache=True)
def _triangle(t: FloatArray, ray: tuple[float, float, float, float, float, float]) -> float:
    """Distance to a triangle, from either side (Moeller and Trumbore); infinite: a miss."""
    x, y, z, u, v, w = ray
    ax, ay, az = t[3] - t[0], t[4] - t[1], t[5] - t[2]
    bx, by, bz = t[6] - t[0], t[7] - t[1], t[8] - t[2]
    px, py, pz = v * bz - w * by, w * bx - u * bz, u * by - v * bx
    volume = ax * px + ay * py + az * pz
    if abs(volume) < _PARALLEL:
        return math.inf
    sx, sy, sz = x - t[0], y - t[1], z - t[2]
    first = (sx * px + sy * py + sz * pz) / volume
    qx, qy, qz = sy * az - sz * ay, sz * ax - sx * az, sx * ay - sy * ax
    second = (u * qx + v * qy + w * qz) / volume
    distance = (bx * qx + by * qy + bz * qz) / volume
    if first < 0.0 or second < 0.0 or first + second > 1.0 or distance < 0.0:
        return math.inf
    return distance


@numba.njit(cache=True)
def halved_distances(
    tree: Tree, origins: FloatArray, directions: FloatArray, starts: FloatArray, wanted: FloatArray
) -> None:
    """Lower ``wanted`` to half the distance to what each ray meets.

    Args:
        tree: Over the triangles.
        origins: (N, 3) [m].
        directions: Unit vectors, (N, 3).
        starts: How far from its origin each ray begins, (N,) [m].
        wanted: Rays are no longer than twice this, (N,) [m]; written.
    """
    stack = np.empty(_STACK, dtype=np.int64)
    for ray in range(len(origins)):
        u, v, w = directions[ray, 0], directions[ray, 1], directions[ray, 2]
        start = starts[ray]
        x, y, z = origins[ray, 0], origins[ray, 1], origins[ray, 2]
        line = (x + start * u, y + start * v, z + start * w, u, v, w)
        reach = 2.0 * wanted[ray]
        stack[0], size = 0, 1
        while size:
            size -= 1
            node = stack[size]
            if not _meets_box(tree.boxes[node], line, reach):
                continue
            first, count = tree.nodes[node, 0], tree.nodes[node, 1]
            if count == 0:
                stack[size], stack[size + 1] = first, first + 1
                size += 2
                continue
            for k in range(first, first + count):
                reach = min(reach, _triangle(tree.triangles[k], line))
        wanted[ray] = min(wanted[ray], 0.5 * (start + reach))
