# ruff: noqa: PLR0913, PLR0917 - kernels take their state as plain arguments
"""A tree of boxes over the geoms of a world, compiled by numba.

Geoms are sorted along a space-filling curve, and blocks of `BLOCK` of them are the leaves of a
complete binary tree, stored like a heap: the children of node ``i`` are ``2 i + 1`` and
``2 i + 2``. It is cheap enough to be built anew for a batch of rays.
"""

from __future__ import annotations

import math
from typing import Any

from unibody.machine_code.jit import rule
from unibody.machine_code.pointers import pointer_f64, pointer_i64

BLOCK = 4
_CELLS = 1023.0  # ten bits an axis


@rule
def _spread(value: int) -> int:
    """Ten bits, two zeros between each."""
    value = (value | (value << 16)) & 0x030000FF
    value = (value | (value << 8)) & 0x0300F00F
    value = (value | (value << 4)) & 0x030C30C3
    return (value | (value << 2)) & 0x09249249


@rule
def sort_keys(
    geoms_at: int, count: int, position_at: int, rotation_at: int, aabb_at: int, boxes_at: int,
    keys_at: int,
) -> None:  # fmt: skip
    """World boxes of geoms, and the numbers to sort them by.

    Args:
        geoms_at: Address of int64 (count,): the geoms.
        count: Their number.
        position_at: Address of their positions, by geom, as the next two.
        rotation_at: Address of their rotations.
        aabb_at: Address of their boxes in their own frames.
        boxes_at: Address of float64 (count, 6): smallest and largest corner.
        keys_at: Address of int64 (count,).
    """
    geoms, keys = pointer_i64(geoms_at), pointer_i64(keys_at)
    p, r, local = pointer_f64(position_at), pointer_f64(rotation_at), pointer_f64(aabb_at)
    boxes = pointer_f64(boxes_at)
    for i in range(count):
        g = geoms[i]
        for k in range(3):
            row = 9 * g + 3 * k
            centre, half = p[3 * g + k], 0.0
            for j in range(3):
                centre += r[row + j] * local[6 * g + j]
                half += abs(r[row + j]) * local[6 * g + 3 + j]
            boxes[6 * i + k], boxes[6 * i + 3 + k] = centre - half, centre + half
        keys[i] = 0
    for k in range(3):
        low, high = math.inf, -math.inf
        for i in range(count):
            middle = boxes[6 * i + k] + boxes[6 * i + 3 + k]
            low, high = min(low, middle), max(high, middle)
        scale = _CELLS / (high - low) if high > low else 0.0
        for i in range(count):
            middle = boxes[6 * i + k] + boxes[6 * i + 3 + k]
            keys[i] |= _spread(int((middle - low) * scale)) << k


@rule
def build(
    order_at: int, count: int, geoms_at: int, boxes_at: int, leaves: int, sorted_at: int,
    tree_at: int,
) -> None:  # fmt: skip
    """Write the tree.

    Args:
        order_at: Address of int64 (count,): the geoms' sorted order.
        count: Their number.
        geoms_at: Address of int64 (count,): the geoms.
        boxes_at: Address of float64 (count, 6): their boxes.
        leaves: Number of leaves, a power of two.
        sorted_at: Address of int64 (count,): gets the geoms in order.
        tree_at: Address of float64 (2 leaves - 1, 6): gets the boxes of the nodes.
    """
    order, geoms, ordered = pointer_i64(order_at), pointer_i64(geoms_at), pointer_i64(sorted_at)
    boxes, tree = pointer_f64(boxes_at), pointer_f64(tree_at)
    for i in range(count):
        ordered[i] = geoms[order[i]]
    for leaf in range(leaves):
        at = 6 * (leaves - 1 + leaf)
        for k in range(3):
            tree[at + k], tree[at + 3 + k] = math.inf, -math.inf
        for i in range(BLOCK * leaf, min(BLOCK * (leaf + 1), count)):
            for k in range(3):
                tree[at + k] = min(tree[at + k], boxes[6 * order[i] + k])
                tree[at + 3 + k] = max(tree[at + 3 + k], boxes[6 * order[i] + 3 + k])
    for node in range(leaves - 2, -1, -1):
        left, right = 6 * (2 * node + 1), 6 * (2 * node + 2)
        for k in range(3):
            tree[6 * node + k] = min(tree[left + k], tree[right + k])
            tree[6 * node + 3 + k] = max(tree[left + 3 + k], tree[right + 3 + k])


@rule
def entry(tree: Any, node: int, o: Any, inverse: Any, limit: float) -> float:
    """Fraction where a ray enters the box of a node, or a number above ``limit``."""
    begin, end = 0.0, limit
    at = 6 * node
    for k in range(3):
        low, high = tree[at + k], tree[at + 3 + k]
        if low > high:
            return math.inf
        # 0 * inf is not a number, and every comparison with it is false: the axis is skipped
        t1, t2 = (low - o[k]) * inverse[k], (high - o[k]) * inverse[k]
        near, far = (t1, t2) if inverse[k] >= 0.0 else (t2, t1)
        if near > begin:  # noqa: PLR1730 - max() may return what is not a number
            begin = near
        if far < end:  # noqa: PLR1730
            end = far
    return begin if begin <= end else math.inf
