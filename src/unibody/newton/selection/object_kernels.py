# pyright: basic, reportInvalidTypeForm=false
"""Kernels that read and write parts of cables, cloths and soft bodies, one row an object."""

# Warp reads annotations as they stand: no `from __future__ import annotations` here.

from typing import Any

import warp as wp


@wp.kernel
def read_rows(
    source: wp.array(dtype=Any), starts: wp.array(dtype=int), rows: wp.array2d(dtype=Any)
):
    """One thread an object and part of it."""
    row, part = wp.tid()
    rows[row, part] = source[starts[row] + part]


@wp.kernel
def write_rows(
    rows: wp.array2d(dtype=Any),
    starts: wp.array(dtype=int),
    mask: wp.array(dtype=wp.bool),
    target: wp.array(dtype=Any),
):
    """One thread an object and part of it; without a mask all objects are written."""
    row, part = wp.tid()
    if mask:
        if not mask[row]:
            return
    target[starts[row] + part] = rows[row, part]


@wp.kernel(enable_backward=False)
def note_members(indices: wp.array(dtype=int), members: wp.array(dtype=int)):
    """One thread an index; those that no object has are left out."""
    index = indices[wp.tid()]
    if index >= 0 and index < members.shape[0]:
        wp.atomic_max(members, index, 1)


@wp.kernel(enable_backward=False)
def write_mask(members: wp.array(dtype=int), mask: wp.array(dtype=wp.bool)):
    """One thread an object."""
    row = wp.tid()
    mask[row] = members[row] != 0
