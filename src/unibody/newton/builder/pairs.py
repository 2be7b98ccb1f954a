"""Which pairs of shapes may collide."""

from __future__ import annotations

from operator import index
from typing import Any

import numpy as np
import warp as wp

from unibody.newton import handles
from unibody.newton.builder.tables import Tables
from unibody.newton.dialect import is_after_first_of_1
from unibody.newton.enums import ShapeFlags


def add_shape_collision_filter_pair(self: Tables, shape_a: int, shape_b: int) -> None:
    """Let two shapes not collide; the lower index is kept first."""
    self.shape_collision_filter_pairs.append(
        (shape_a, shape_b) if shape_a < shape_b else (shape_b, shape_a)
    )


def groups_collide(group_a: int, group_b: int) -> bool:
    """Whether shapes of two groups collide.

    Zero collides with nothing, a positive group with itself and with negative ones, a negative
    group with all others.
    """
    if group_a == 0 or group_b == 0:
        return False
    if group_a > 0:
        return group_a == group_b or group_b < 0
    return group_a != group_b


def worlds_and_groups_collide(world_a: int, world_b: int, group_a: int, group_b: int) -> bool:
    """Whether shapes of two worlds and groups collide; world -1 is part of all worlds."""
    apart = handles.WORLD not in {world_a, world_b} and world_a != world_b
    return not apart and groups_collide(group_a, group_b)


def filtered(self: Tables) -> set[tuple[int, int]]:
    """Pairs of shapes that do not collide, the lower index first.

    Raises:
        ValueError: The builder's list holds something else.
    """
    given = self.shape_collision_filter_pairs
    try:
        ordered = ((min(a, b), max(a, b)) for a, b in given)
        found = {(index(a), index(b)) for a, b in ordered}
    except (TypeError, ValueError) as problem:
        shown = f"{given!r:.200}"
        raise ValueError(
            f"shape_collision_filter_pairs is {shown}: expected pairs of indices of shapes"
        ) from problem
    wrong = [pair for pair in found if not 0 <= pair[0] <= pair[1] < self.shape_count]
    if wrong and is_after_first_of_1():
        raise ValueError(
            f"shape_collision_filter_pairs contains invalid pair {min(wrong)}, but valid range is"
            f" [0, {self.shape_count - 1}] (shape_count={self.shape_count})"
        )
    return found


def find_shape_contact_pairs(self: Tables, model: Any) -> None:
    """Give a model the pairs of shapes that may collide, the lower index first.

    Args:
        self: The builder.
        model: Gets ``shape_contact_pairs`` and ``shape_contact_pair_count``.
    """
    pairs = _pairs(self, model.shape_collision_filter_pairs)
    model.shape_contact_pairs = wp.array(pairs, dtype=wp.vec2i, device=model.device)
    model.shape_contact_pair_count = len(pairs)


def _filter_rows(filtered: set[tuple[int, int]], count: int) -> np.ndarray:
    """Pairs of shapes that do not collide, shape (pairs, 2)."""
    try:
        rows = np.array(list(filtered), dtype=np.int64)
        wrong = np.flatnonzero(((rows < 0) | (rows >= count)).any(axis=1))
        pair = rows[wrong[0]].tolist() if len(wrong) else None
    except OverflowError:
        rows, pair = np.zeros((0, 2)), max(filtered, key=max)
    if pair is not None:
        raise ValueError(
            f"shape_collision_filter_pairs has {pair}, but valid range is [0, {count - 1}]"
            f" (shape_count={count})"
        )
    return rows


def _pairs(self: Tables, filtered: set[tuple[int, int]]) -> np.ndarray:
    flags = np.array(self.shape_flags, dtype=np.int32).reshape(-1)
    worlds = np.array(self.shape_world, dtype=np.int32)
    groups = np.array(self.shape_collision_group, dtype=np.int32)
    moving = np.flatnonzero((flags & ShapeFlags.COLLIDE_SHAPES != 0) & (groups != 0))
    shared = moving[worlds[moving] == handles.WORLD]
    own = moving[worlds[moving] != handles.WORLD]
    found = [_of_world(shared, shared[:0], groups)]
    order = np.argsort(worlds[own], kind="stable")
    own = own[order]
    alike: dict[bytes, np.ndarray] = {}
    for members in np.split(own, np.flatnonzero(np.diff(worlds[own])) + 1):
        if not len(members):
            continue
        kind = (members - members[0]).tobytes() + groups[members].tobytes()
        if kind not in alike:  # pairs of a world like it differ by where its shapes begin
            pairs = _of_world(members, shared, groups)
            alike[kind] = np.where(np.isin(pairs, members), pairs - members[0], -1 - pairs)
        local = alike[kind]
        found.append(np.where(local >= 0, local + members[0], -1 - local))
    pairs = np.sort(np.concatenate(found), axis=1).astype(np.int32)
    if filtered and len(pairs):
        size = len(flags)
        rows = _filter_rows(filtered, size)
        hidden = rows[:, 0] * size + rows[:, 1]
        keys = pairs[:, 0].astype(np.int64) * size + pairs[:, 1]
        pairs = pairs[~np.isin(keys, hidden)]
    return pairs


def _of_world(shapes: np.ndarray, shared: np.ndarray, groups: np.ndarray) -> np.ndarray:
    """Pairs among the shapes of a world, and with those of all worlds."""
    first, second = np.triu_indices(len(shapes), 1)
    a = np.concatenate([shapes[first], np.repeat(shared, len(shapes))])
    b = np.concatenate([shapes[second], np.tile(shapes, len(shared))])
    ga, gb = groups[a], groups[b]
    meet = np.where(ga > 0, (ga == gb) | (gb < 0), ga != gb)
    a, b = a[meet], b[meet]
    return np.stack([np.minimum(a, b), np.maximum(a, b)], axis=1).astype(np.int32).reshape(-1, 2)
