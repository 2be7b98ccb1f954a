"""Collision groups and masks on MuJoCo's contact bits.

Two shapes with (group, mask) collide if each one's group meets the other's mask, or, by the other
rule, if one's does. MuJoCo asks whether the ``contype`` of one meets the ``conaffinity`` of the
other. Every distinct
(group, mask) pair gets a bit of its own as ``contype``, and as ``conaffinity`` the bits of all
pairs it collides with: the two rules then agree exactly.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from unibody.errors import EngineError

MAX_CLASSES = 31


class Filtered(Protocol):
    """Something with a collision group and mask."""

    group: int
    mask: int


def filters_meet(a: Filtered, b: Filtered, *, both: bool) -> bool:
    """True if two shapes collide by their groups and masks."""
    first, second = bool(a.group & b.mask), bool(b.group & a.mask)
    return first and second if both else first or second


def contact_bits(
    group: NDArray[np.int64], mask: NDArray[np.int64], *, both: bool = True
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """``contype`` and ``conaffinity`` of shapes.

    Args:
        group: Collision group of each shape, (N,).
        mask: Collision mask of each shape, (N,).
        both: Each one's group has to meet the other's mask; False: one of them is enough.

    Raises:
        EngineError: More than 31 distinct pairs of group and mask.
    """
    present = list(zip(group.tolist(), mask.tolist(), strict=True))
    distinct = sorted(set(present))
    count = len(distinct)
    if count > MAX_CLASSES:
        raise EngineError(
            f"{count} different (group, mask) pairs in one scene; at most {MAX_CLASSES} fit"
        )
    pairs, number = np.array(distinct), {pair: k for k, pair in enumerate(distinct)}
    classes = np.array([number[pair] for pair in present])
    hits = (pairs[:, None, 0] & pairs[None, :, 1]) != 0
    meets = hits & hits.T if both else hits | hits.T
    bits = np.left_shift(1, np.arange(count, dtype=np.int64))
    affinity = (meets * bits[None, :]).sum(axis=1)
    return bits[classes].astype(np.int32), affinity[classes].astype(np.int32)
