"""Which lane moves which body, and which joint of it comes in which round."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from unibody.newton.solvers.rods.lanes import WIDTH


class Tiles(NamedTuple):
    """Bodies of each color in tiles of lanes, and their joints, round by round.

    Attributes:
        colors: The first tile of each color, and the number of all, (c + 1,).
        bodies: Of each lane, flat from (t, WIDTH); the number of bodies where a lane is free.
        first: The first round of each tile, and the number of all, (t + 1,).
        joints: Of each lane, flat from (rounds, WIDTH); the number of joints where there is none.
        others: The joint's other body, likewise; the number of bodies for the world.
        signs: 1 where the lane's body is the joint's child, -1 where it is the parent.
    """

    colors: Any
    bodies: Any
    first: Any
    joints: Any
    others: Any
    signs: Any


def pack(groups: list[Any], begins: Any, numbers: Any, parents: Any, children: Any) -> Tiles:
    """Pack bodies and joints.

    Args:
        groups: Bodies of each color.
        begins: Where each body's joints begin in `numbers`, (b + 1,).
        numbers: Joints of all bodies, one body after another.
        parents: Of joints; -1: the world.
        children: Of joints.
    """
    bodies, joints = len(begins) - 1, len(parents)
    rows: list[Any] = []
    colors = [0]
    for group in groups:
        count = -(-len(group) // WIDTH)
        lanes = np.full((count, WIDTH), bodies, np.int64)
        lanes.reshape(-1)[: len(group)] = group
        rows.extend(lanes)
        colors.append(colors[-1] + count)
    found: list[tuple[Any, Any, Any]] = []
    first = [0]
    for lanes in rows:
        lists = [numbers[begins[b] : begins[b + 1]] if b < bodies else [] for b in lanes]
        depth = max((len(own) for own in lists), default=0)
        for turn in range(depth):
            found.append(_round(lanes, lists, turn, parents, children, bodies, joints))
        first.append(first[-1] + depth)
    parts = zip(*found, strict=True) if found else ([], [], [])
    joint, other, sign = (np.concatenate([np.zeros(0), *part]) for part in parts)
    return Tiles(
        np.array(colors, np.int64),
        np.concatenate([np.zeros(0, np.int64), *rows]),
        np.array(first, np.int64),
        joint.astype(np.int64),
        other.astype(np.int64),
        sign.astype(np.float32),
    )


def _round(
    lanes: Any, lists: list[Any], turn: int, parents: Any, children: Any, bodies: int, joints: int
) -> tuple[Any, Any, Any]:
    joint, other = np.full(WIDTH, joints), np.full(WIDTH, bodies)
    sign = np.ones(WIDTH)
    for lane, own in enumerate(lists):
        if turn >= len(own):
            continue
        j = joint[lane] = own[turn]
        pair = int(parents[j]), int(children[j])
        is_parent = lanes[lane] == pair[0]
        sign[lane] = -1.0 if is_parent else 1.0
        across = pair[1] if is_parent else pair[0]
        other[lane] = across if across >= 0 else bodies
    return joint, other, sign
