"""Random numbers of many worlds: one stream a world, drawn for all of them at once.

A number is a hash of the world's key and of how many the world has drawn before (SplitMix64), so
what a world draws depends on its own seed alone, not on how many worlds there are.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from unibody.errors import InvalidArgumentError

Words = NDArray[np.uint64]
_STEP = np.uint64(0x9E3779B97F4A7C15)  # of SplitMix64: 2^64 over the golden ratio
_FIRST = np.uint64(0xBF58476D1CE4E5B9)
_SECOND = np.uint64(0x94D049BB133111EB)


def _mixed(words: Words) -> Words:
    words = (words ^ (words >> np.uint64(30))) * _FIRST
    words = (words ^ (words >> np.uint64(27))) * _SECOND
    return words ^ (words >> np.uint64(31))


class Streams:
    """The streams of all worlds.

    Attributes:
        keys: One a world.
        drawn: How many numbers each world has drawn.
    """

    def __init__(self, count: int) -> None:
        self.keys: NDArray[np.uint64] = np.zeros(count, np.uint64)
        self.drawn: NDArray[np.uint64] = np.zeros(count, np.uint64)
        self.seed(np.random.SeedSequence().generate_state(count, np.uint64), np.arange(count))

    def seed(self, seeds: Any, worlds: NDArray[np.int64]) -> None:
        """Begin the streams of some worlds anew, from a seed each."""
        self.keys[worlds] = _mixed(np.asarray(seeds, np.uint64) + _STEP)
        self.drawn[worlds] = 0

    def of(self, worlds: NDArray[np.int64]) -> Draws:
        """What some worlds draw with."""
        return Draws(self, worlds)


class Draws:
    """Draws of some worlds; the first axis of every array is theirs.

    Attributes:
        worlds: Their numbers.
    """

    def __init__(self, streams: Streams, worlds: NDArray[np.int64]) -> None:
        self._streams = streams
        self.worlds = worlds

    def _fractions(self, size: Any) -> NDArray[np.float64]:
        """Numbers in [0, 1) of a shape."""
        shape = (size,) if isinstance(size, int) else tuple(size)
        if not shape or shape[0] != len(self.worlds):
            raise InvalidArgumentError("size", shape, f"({len(self.worlds)}, ...), a row a world")
        each = int(np.prod(shape[1:], dtype=np.int64))
        streams, worlds = self._streams, self.worlds
        numbers = streams.drawn[worlds][:, None] + np.arange(1, each + 1, dtype=np.uint64)
        streams.drawn[worlds] += np.uint64(each)
        words = _mixed(streams.keys[worlds][:, None] + numbers * _STEP)
        fractions = (words >> np.uint64(11)).astype(np.float64) * 2.0**-53
        return fractions.reshape(shape)

    def uniform(self, low: Any, high: Any, size: Any) -> NDArray[np.float64]:
        """Numbers between two bounds; ``size`` is (worlds, ...)."""
        return np.asarray(low) + (np.asarray(high) - np.asarray(low)) * self._fractions(size)

    def normal(self, loc: Any, scale: Any, size: Any) -> NDArray[np.float64]:
        """Numbers of a normal distribution (Box and Muller); ``size`` is (worlds, ...)."""
        radius = np.sqrt(-2.0 * np.log1p(-self._fractions(size)))
        angle = 2.0 * np.pi * self._fractions(size)
        return np.asarray(loc + scale * radius * np.cos(angle), np.float64)
