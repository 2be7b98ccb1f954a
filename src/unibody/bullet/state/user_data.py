"""The notes that a client's bodies have, and their numbers."""

from __future__ import annotations

from typing import NamedTuple

from unibody.core.engine.scene.sessions import IdPool


class Place(NamedTuple):
    """What a note is attached to, and under which key."""

    body: int
    link: int  # -1: the base
    visual_shape: int  # -1: no shape of it
    key: str


class UserDataStore:
    """The notes of one client, numbered as PyBullet numbers them.

    Attributes:
        numbers: Of the notes, by place.
        values: What they say, in UTF-8, by number.
    """

    __slots__ = ("_from_files", "_ids", "_of_body", "_places", "numbers", "values")

    def __init__(self) -> None:
        self._ids = IdPool()
        self._places: dict[int, Place] = {}
        self.values: dict[int, bytes] = {}
        self.numbers: dict[tuple[int, int, int, str], int] = {}
        self._of_body: dict[int, list[int]] = {}
        self._from_files: dict[int, list[tuple[Place, int, str]]] = {}  # not asked for yet, by body

    def add_from_file(self, place: Place, value: str) -> None:
        """Keep a note of a loaded file, which is seen once it is asked for."""
        notes = self._from_files.setdefault(place.body, [])
        notes.append((place, self._ids.take(), value))

    def fetch(self, body: int = -1) -> None:
        """Show the notes that came with the file of a body, or of all bodies."""
        for key in [body] if body >= 0 else list(self._from_files):
            for place, number, value in self._from_files.pop(key, []):
                self.numbers[place] = number
                self._of_body.setdefault(place.body, []).append(number)
                self._places[number], self.values[number] = place, value.encode()

    def add(self, place: Place, value: str) -> int:
        """Attach a note, in the place of one with the same key; return its number."""
        if any(place == kept for kept, _, _ in self._from_files.get(place.body, [])):
            self.fetch(place.body)
        number = self.numbers.get(place)
        if number is None:
            number = self._ids.take()
        self.put(place, number, value.encode())
        return number

    def put(self, place: Place, number: int, value: bytes) -> None:
        """Keep a note under a number; its value is UTF-8."""
        if place not in self.numbers:
            self.numbers[place] = number
            self._of_body.setdefault(place.body, []).append(number)
        self._places[number], self.values[number] = place, value

    def remove(self, number: int) -> bool:
        """Take a note away; False if there is none of that number."""
        if number not in self._places:
            return False
        numbers = self._of_body[self._places[number].body]
        numbers[numbers.index(number)] = numbers[-1]  # the last one moves into the gap
        numbers.pop()
        self._free(number)
        return True

    def forget_body(self, body: int) -> None:
        """Take away all notes of a body."""
        self.fetch(body)
        for number in self._of_body.pop(body, []):
            self._free(number)

    def _free(self, number: int) -> None:
        del self.numbers[self._places.pop(number)], self.values[number]
        self._ids.give_back(number)

    def number(self, place: Place) -> int:
        """The number of a note, -1 if there is none."""
        return self.numbers.get(place, -1)

    def of_body(self, body: int) -> list[tuple[int, Place]]:
        """The notes of a body, in PyBullet's order."""
        return [(number, self._places[number]) for number in self._of_body.get(body, [])]
