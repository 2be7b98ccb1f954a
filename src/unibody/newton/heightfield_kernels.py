# pyright: basic, reportInvalidTypeForm=false
"""Heights of meshes."""

# Warp reads annotations as they stand: no `from __future__ import annotations` here.

import warp as wp

wp.set_module_options({"enable_backward": False})


@wp.kernel
def heights_below(
    mesh: wp.uint64,
    corner: wp.vec3,
    step: wp.vec2,
    floor: float,
    heights: wp.array2d(dtype=float),
):
    """One thread a point of a grid: the height of what lies below it."""
    row, column = wp.tid()
    above = corner + wp.vec3(float(column) * step[0], float(row) * step[1], 0.0)
    hit = wp.mesh_query_ray(mesh, above, wp.vec3(0.0, 0.0, -1.0), above[2] - floor + 1.0)
    if hit.result:
        heights[row, column] = above[2] - hit.t
    else:
        heights[row, column] = floor
