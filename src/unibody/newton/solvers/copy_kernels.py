# pyright: basic, reportInvalidTypeForm=false
"""Copies of arrays that are part of gradients."""

# Warp reads annotations as they stand: no `from __future__ import annotations` here.

import warp as wp


@wp.kernel
def copy_wrenches(
    source: wp.array(dtype=wp.spatial_vector), target: wp.array(dtype=wp.spatial_vector)
):
    """One thread a wrench."""
    i = wp.tid()
    target[i] = source[i]
