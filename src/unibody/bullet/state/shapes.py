"""The shapes that a script made, by their ids."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from unibody.core.assets.description import Asset, Shape


@dataclass(slots=True)
class ShapeGroup:
    """A collision or visual shape made by the user: one shape, or the children of a compound."""

    shapes: list[Shape]
    made: Asset | None = None  # the last body without links that was made with it
    used: bool = False  # a body was made with it
    terrain: tuple[float, float] | None = None  # scale of a height field's heights, their middle


class ShapeTable:
    """Groups of shapes by id, those of plain shapes made when they are first asked for.

    Scripts make shapes by the thousand. Until one is used, a plain one is no more than the numbers
    it was stated with: a tuple of them is nothing that Python's garbage collector looks at again.

    Attributes:
        stated: What plain shapes were stated with, for ``make``.
    """

    __slots__ = ("_groups", "_make", "stated")

    def __init__(self, make: Callable[..., Shape]) -> None:
        """Take the function that makes a shape of what it was stated with."""
        self.stated: dict[int, tuple[Any, ...]] = {}
        self._groups: dict[int, ShapeGroup] = {}
        self._make = make

    def get(self, shape_id: int) -> ShapeGroup | None:
        """The group with an id, or None."""
        stated = self.stated.pop(shape_id, None)
        if stated is not None:
            self._groups[shape_id] = ShapeGroup([self._make(*stated)])
        return self._groups.get(shape_id)

    def __setitem__(self, shape_id: int, group: ShapeGroup) -> None:
        self._groups[shape_id] = group

    def __delitem__(self, shape_id: int) -> None:
        if self.stated.pop(shape_id, None) is None:
            del self._groups[shape_id]

    def clear(self) -> None:
        """Forget all of them."""
        self.stated.clear()
        self._groups.clear()
