"""Where a ray crosses a mesh of triangles, compiled by numba."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from unibody.core.engine.mesh_contacts import surface
from unibody.core.engine.queries.ray_shapes import MISS, cross_triangle
from unibody.core.engine.queries.ray_tree import entry
from unibody.machine_code.jit import rule
from unibody.machine_code.pointers import pointer_f64, pointer_i32, pointer_i64

_LEAF = surface.LEAF
_FACES, _COUNT = int(surface.Slot.FACES), int(surface.Slot.COUNT)
_VERTICES, _NORMALS = int(surface.Slot.VERTICES), int(surface.Slot.NORMALS)
_LEAVES, _TREE = int(surface.Slot.LEAVES), int(surface.Slot.TREE)
_DEPTH = 64  # more than the levels of any tree


@rule
def cross_triangles(o: Any, d: Any, record_at: int, after: float) -> Any:
    """The first triangle that a ray crosses beyond a fraction, from either side.

    Args:
        o: Start of the ray, in the frame of the mesh.
        d: From there to its end.
        record_at: Address of a surface's record.
        after: Crossings up to this fraction do not count.

    Returns:
        Fraction and unit normal on the side the ray comes from, see ``ray_shapes``.
    """
    record = pointer_i64(record_at)
    tree, leaves, count = pointer_f64(record[_TREE]), record[_LEAVES], record[_COUNT]
    faces, v = pointer_i32(record[_FACES]), pointer_f64(record[_VERTICES])
    inverse = (
        1.0 / d[0] if d[0] != 0.0 else math.inf,
        1.0 / d[1] if d[1] != 0.0 else math.inf,
        1.0 / d[2] if d[2] != 0.0 else math.inf,
    )
    stack = np.empty(_DEPTH, dtype=np.int64)
    stack[0], height, best, found = 0, 1, 1.0, -1
    while height > 0:
        height -= 1
        node = stack[height]
        if entry(tree, node, o, inverse, best) > best:
            continue
        if node < leaves - 1:
            near, far = 2 * node + 1, 2 * node + 2
            if entry(tree, far, o, inverse, best) < entry(tree, near, o, inverse, best):
                near, far = far, near
            stack[height], stack[height + 1] = far, near
            height += 2
            continue
        first = _LEAF * (node - (leaves - 1))
        for k in range(first, min(first + _LEAF, count)):
            a, b, c = 3 * faces[3 * k], 3 * faces[3 * k + 1], 3 * faces[3 * k + 2]
            t = cross_triangle(
                o, d, v[a], v[a + 1], v[a + 2], v[b], v[b + 1], v[b + 2], v[c], v[c + 1], v[c + 2]
            )
            if after < t < best:
                best, found = t, k
    if found < 0:
        return MISS, 0.0, 0.0, 0.0
    n = pointer_f64(record[_NORMALS])
    x, y, z = n[3 * found], n[3 * found + 1], n[3 * found + 2]
    if x * d[0] + y * d[1] + z * d[2] > 0.0:
        x, y, z = -x, -y, -z
    return best, x, y, z
