"""The order in which PyBullet counts: the last one takes the place of one that is gone."""

from __future__ import annotations


class SerialOrder:
    """Ids by serial number.

    Attributes:
        ids: All of them, in their order.
    """

    __slots__ = ("_places", "ids")

    def __init__(self) -> None:
        self.ids: list[int] = []
        self._places: dict[int, int] = {}

    def add(self, number: int) -> None:
        """Put an id behind all others, or leave it where it is."""
        if number not in self._places:
            self._places[number] = len(self.ids)
            self.ids.append(number)

    def remove(self, number: int) -> None:
        """Take an id out; the last one takes its place."""
        place, last = self._places.pop(number), self.ids.pop()
        if last != number:
            self.ids[place] = last
            self._places[last] = place

    def clear(self) -> None:
        """Take all ids out."""
        self.ids.clear()
        self._places.clear()

    def backwards(self) -> list[int]:
        """All ids, the last one first."""
        return self.ids[::-1]

    def at(self, serial: int) -> int:
        """The id at a serial number; -1 where there is none."""
        return self.ids[serial] if 0 <= serial < len(self.ids) else -1
