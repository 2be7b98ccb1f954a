"""Which geoms of a plain model meet: bits of MuJoCo's masks, and pairs of bodies that do not."""

from __future__ import annotations

import warnings
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from unibody.newton.enums import JointType
from unibody.newton.solvers.mujoco.groups import Indices, colliding

_BITS = 31


class Filters(NamedTuple):
    """What keeps geoms apart.

    Attributes:
        masks: Shape -> contype and conaffinity.
        excludes: Pairs of bodies of which no shapes meet.
    """

    masks: dict[int, tuple[int, int]]
    excludes: list[tuple[int, int]]


def find(model: Any, shapes: Indices) -> Filters:
    """The filters of a world's shapes."""
    moving = colliding(model, shapes)
    count = len(moving)
    groups = model.shape_collision_group.numpy()[moving]
    bodies = model.shape_body.numpy()[moving]
    a, b = groups[:, None], groups[None, :]
    fixed = np.isin(bodies, _fixed_bodies(model))
    meet = np.where(a > 0, (a == b) | (b < 0), a != b) & ~(fixed[:, None] & fixed)
    place = {int(shape): i for i, shape in enumerate(moving)}
    filtered = np.zeros((count, count), dtype=bool)
    for first, second in model.shape_collision_filter_pairs:
        i, j = place.get(first), place.get(second)
        if i is not None and j is not None:
            filtered[i, j] = filtered[j, i] = True
    apart = filtered & meet
    excludes, covered = _excludes(bodies, filtered | ~meet, apart)
    own = bodies[:, None] == bodies[None, :]
    decided = covered | own  # not by masks
    left = apart & ~decided
    return Filters(_masks(moving, meet & ~left), excludes)


def _fixed_bodies(model: Any) -> list[int]:
    """The world, and bodies that fixed joints hold to it."""
    parents = model.joint_parent.numpy()
    fixed = np.flatnonzero((model.joint_type.numpy() == JointType.FIXED) & (parents < 0))
    return [-1, *model.joint_child.numpy()[fixed].tolist()]


def _excludes(
    bodies: NDArray[Any], kept: NDArray[Any], apart: NDArray[Any]
) -> tuple[list[tuple[int, int]], NDArray[Any]]:
    """Pairs of bodies whose shapes are all kept apart, and which pairs of shapes that covers."""
    names, inverse = np.unique(bodies, return_inverse=True)
    covered = np.zeros_like(kept)
    excludes: list[tuple[int, int]] = []
    rows, columns = np.nonzero(apart)
    near = {(min(i, j), max(i, j)) for i, j in zip(inverse[rows], inverse[columns], strict=True)}
    for i, j in sorted(near):
        block = np.ix_(inverse == i, inverse == j)
        if i != j and kept[block].all():
            excludes.append((int(names[i]), int(names[j])))
            covered[block] = True
            covered[np.ix_(inverse == j, inverse == i)] = True
    return excludes, covered


def _masks(shapes: Indices, wanted: NDArray[Any]) -> dict[int, tuple[int, int]]:
    """Masks of shapes; those that meet the same share a bit."""
    names, inverse = np.unique(wanted, axis=0, return_inverse=True)
    if len(names) > _BITS:
        warnings.warn(
            f"{len(names)} kinds of shapes differ in what they collide with; MuJoCo has {_BITS}"
            " bits: some pairs that are filtered collide",
            stacklevel=5,
        )
    bit = np.minimum(np.arange(len(names)), _BITS - 1)
    masks: dict[int, tuple[int, int]] = {}
    affinity = np.zeros(len(names), dtype=np.int64)
    for number in range(len(names)):
        for other in np.unique(inverse[names[number]]):
            affinity[number] |= 1 << int(bit[other])
    for i, shape in enumerate(shapes):
        masks[int(shape)] = (1 << int(bit[inverse[i]]), int(affinity[inverse[i]]))
    return masks
