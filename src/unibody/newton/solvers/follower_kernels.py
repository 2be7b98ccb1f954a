# pyright: basic, reportInvalidTypeForm=false
"""Efforts and inertias of joints that follow others, moved to those that they follow."""

# Warp reads annotations as they stand: no `from __future__ import annotations` here.

import warp as wp


@wp.kernel
def fold_efforts(
    leader: wp.array(dtype=int),
    factor: wp.array(dtype=float),
    tau: wp.array(dtype=float),
    folded: wp.array(dtype=float),
):
    """One thread a degree of freedom; `folded` begins as zeros."""
    i = wp.tid()
    wp.atomic_add(folded, leader[i], factor[i] * tau[i])


@wp.kernel
def fold_matrix(
    entries: wp.array2d(dtype=int),
    weights: wp.array2d(dtype=int),
    factor: wp.array(dtype=float),
    H: wp.array(dtype=float),
    folded: wp.array(dtype=float),
):
    """One thread an entry: (place, place where it counts); `folded` begins as zeros.

    Its weight is (row's dof, column's dof, how often it counts).
    """
    i = wp.tid()
    times = float(weights[i, 2]) * factor[weights[i, 0]] * factor[weights[i, 1]]
    wp.atomic_add(folded, entries[i, 1], times * H[entries[i, 0]])


@wp.kernel(enable_backward=False)
def hold_followers(places: wp.array(dtype=int), folded: wp.array(dtype=float)):
    """One thread a follower: its row is one of the unit matrix."""
    folded[places[wp.tid()]] = 1.0


@wp.kernel
def unfold(
    leader: wp.array(dtype=int),
    factor: wp.array(dtype=float),
    of_leaders: wp.array(dtype=float),
    all_of_them: wp.array(dtype=float),
):
    """One thread a degree of freedom: what it takes over from the one that it follows."""
    i = wp.tid()
    all_of_them[i] = factor[i] * of_leaders[leader[i]]
