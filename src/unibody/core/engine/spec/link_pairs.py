"""Pairs of links that collide, or do not, whatever their groups and masks say.

Scripts switch pairs off by the hundred, one by one, so what was said is collected. MuJoCo looks
pairs that do not collide up in one sorted array: a running world is compiled with room in it once
a pair was switched there, and from then on the array alone changes.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unibody.core.engine.records.body import BodyRecord
from unibody.core.engine.rules.pair_filter import SECOND_BITS
from unibody.core.engine.spec.writer import body_name, write_excludes, write_pairs

End = tuple[int, int]  # body id, link index
Pair = tuple[End, End]  # in ascending order
_LEAST_ROOM = 32
_SECOND = (1 << SECOND_BITS) - 1
_NOBODY = int(np.iinfo(np.int32).max)  # greater than the number of any pair


def pair_of(first: End, second: End) -> Pair:
    """Two ends in ascending order."""
    return (first, second) if first <= second else (second, first)


class LinkPairs:
    """What a scene was told about pairs of links."""

    def __init__(self) -> None:
        self.waiting: dict[Pair, bool] = {}  # collides or not, and the spec does not know it yet
        self._excluded: dict[Pair, Any] = {}  # of two bodies, with their elements in the spec
        self._included: dict[Pair, list[Any]] = {}
        self._spares: list[Any] = []  # elements that exclude nothing
        self._room = 0  # how many of them the next compile is to have

    def clear(self) -> None:
        """Forget everything; the spec is a new one."""
        self.__init__()

    @property
    def is_empty(self) -> bool:
        """Whether the spec has, and gets, no elements of pairs of different bodies."""
        return not (self.waiting or self._excluded or self._included or self._spares or self._room)

    @property
    def bodies(self) -> set[int]:
        """Those that pairs are of."""
        pairs = (*self.waiting, *self._excluded, *self._included)
        return {body for pair in pairs for body, _ in pair}

    # --- the spec ------------------------------------------------------------------------------

    def write(self, spec: Any, bodies: Mapping[int, BodyRecord]) -> None:
        """Write into the spec what waits to be."""
        waiting, self.waiting = self.waiting, {}
        changed: set[int] = set()
        for pair, enabled in waiting.items():
            (body, first), (other, second) = pair
            if body == other:
                bodies[body].pairs[first, second] = enabled
                changed.add(body)
            elif enabled:
                self._let_meet(pair)
            elif pair not in self._excluded:
                self._excluded[pair] = self._exclude(spec, bodies, pair)
        for body in changed:
            write_excludes(spec, bodies[body])
        while len(self._spares) < self._room:
            self._spares.append(spec.add_exclude(bodyname1="world", bodyname2="world"))

    def _exclude(self, spec: Any, bodies: Mapping[int, BodyRecord], pair: Pair) -> Any:
        element = self._spares.pop() if self._spares else spec.add_exclude()
        element.bodyname1, element.bodyname2 = (body_name(bodies[b], link) for b, link in pair)
        return element

    def _let_meet(self, pair: Pair) -> None:
        element = self._excluded.pop(pair, None)
        if element is not None:  # to delete it would take as long as to go through all bodies
            element.bodyname1 = element.bodyname2 = "world"
            self._spares.append(element)

    def rewrite(self, spec: Any, bodies: Mapping[int, BodyRecord]) -> None:
        """Write all pairs of different bodies into another spec."""
        self._spares = []
        for pair in self._excluded:
            self._excluded[pair] = self._exclude(spec, bodies, pair)
        for pair in self._included:
            self._included[pair] = self._include(spec, bodies, pair)

    def included(self, pair: Pair) -> bool:
        """Whether a pair collides although its groups and masks do not meet."""
        return pair in self._included

    def include(self, spec: Any, bodies: Mapping[int, BodyRecord], pair: Pair) -> None:
        """Let a pair collide although its groups and masks do not meet."""
        self._let_meet(pair)
        self._included[pair] = self._include(spec, bodies, pair)

    def _include(self, spec: Any, bodies: Mapping[int, BodyRecord], pair: Pair) -> list[Any]:
        a, b = (bodies[body].links[link] for body, link in pair)
        return write_pairs(spec, pair, a, b)

    def drop_include(self, spec: Any, pair: Pair) -> None:
        """Let the groups and masks of a pair decide again."""
        for element in self._included.pop(pair):
            spec.delete(element)

    def of(self, body_id: int) -> tuple[list[Pair], list[Pair]]:
        """The pairs of a body and others that do not collide, and those that always do."""
        return _keys_of(body_id, self._excluded), _keys_of(body_id, self._included)

    def forget(self, spec: Any, body_id: int) -> bool:
        """Forget the pairs of a body that is removed; False if the spec had none."""
        for pair in _keys_of(body_id, self.waiting):
            del self.waiting[pair]
        excluded, included = self.of(body_id)
        for pair in excluded:
            self._let_meet(pair)
        for pair in included:
            self.drop_include(spec, pair)
        return bool(excluded or included)

    # --- a running world -----------------------------------------------------------------------

    def write_running(self, spec: Any, model: Any, bodies: Mapping[int, BodyRecord]) -> bool:
        """Write what waits into the spec, and into a world that is up to date but for that.

        False if the world has no room: it has to be compiled again, and will have room then.
        """
        numbers = {pair: _number(bodies, pair) for pair in self.waiting}
        apart = {numbers[pair] for pair, enabled in self.waiting.items() if not enabled}
        self.write(spec, bodies)
        signatures: NDArray[np.int32] = model.exclude_signature
        pairs = {n for n in signatures.tolist() if n >> SECOND_BITS != n & _SECOND and n != _NOBODY}
        now = sorted(pairs.difference(numbers.values()) | apart)
        if len(now) > len(signatures):
            self._room = max(_LEAST_ROOM, len(now) // 2, self._room)
            self.write(spec, bodies)
            return False
        signatures[: len(now)], signatures[len(now) :] = now, _NOBODY
        return True


def _number(bodies: Mapping[int, BodyRecord], pair: Pair) -> int:
    """MuJoCo's number of a pair of bodies."""
    low, high = sorted(bodies[body].links[link].body for body, link in pair)
    return (low << SECOND_BITS) + high


def _keys_of(body_id: int, pairs: Iterable[Pair]) -> list[Pair]:
    return [key for key in pairs if body_id in (key[0][0], key[1][0])]
