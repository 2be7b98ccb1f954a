# pyright: basic, reportInvalidTypeForm=false
"""Gravity of worlds, for kernels of Warp."""

from __future__ import annotations

import warp as wp


@wp.func
def gravity_of(world: int, gravity: wp.array(dtype=wp.vec3)):
    """Gravity of a world; that of what belongs to all worlds is the last one."""
    if world < 0:
        return gravity[gravity.shape[0] - 1]
    return gravity[world]
