"""Orders of the links of a tree that need not list parents before their children."""

from __future__ import annotations

from collections.abc import Sequence

from unibody.core.assets.description import Link


def parents_first(links: Sequence[Link]) -> list[int]:
    """Indices of all links such that each comes after its parent, else in the order given."""
    order: list[int] = []
    known: set[int] = set()
    for index in range(len(links)):
        above: list[int] = []
        at = index
        while at >= 0 and at not in known:
            known.add(at)
            above.append(at)
            at = links[at].parent
        order.extend(reversed(above))
    return order
