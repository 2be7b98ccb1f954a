"""Which shapes collide: groups, filters and aggregates."""

from __future__ import annotations

CollisionClass = tuple[int, int, int]  # group, filter and aggregate of a shape
GROUND: CollisionClass = (-1, 0, -1)


def meet(one: CollisionClass, other: CollisionClass) -> bool:
    """Whether shapes of two classes collide.

    They do if their groups are equal or one is -1, if their filters share no bit, and if they are
    not of one aggregate without self-collision. The ground collides with everything.
    """
    groups = one[0] == other[0] or -1 in (one[0], other[0])
    together = one[2] == other[2] >= 0
    return groups and not one[1] & other[1] and not together
