"""What was worked out before, of which the oldest goes where it takes too much memory."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable
from typing import Generic, TypeVar

from unibody.core.assets.description import Asset

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")
_ENTRY = 1024  # bytes that any entry takes
_HEIGHT, _VERTEX = 32, 200  # bytes of a number, and of a vertex with its triangles, in tuples


class BoundedCache(Generic[K, V]):
    """A dictionary of bounded size that forgets what was used longest ago.

    The newest entry is kept in any case.

    Args:
        entries: The most entries.
        nbytes: The most bytes of all of them.
    """

    def __init__(self, entries: int, nbytes: int) -> None:
        self._entries, self._most = entries, nbytes
        self._kept: OrderedDict[K, tuple[V, int]] = OrderedDict()
        self.nbytes = 0

    def __len__(self) -> int:
        """Number of entries."""
        return len(self._kept)

    def get(self, key: K) -> V | None:
        """What is kept under a key, which counts as used now; None: nothing."""
        found = self._kept.get(key)
        if found is None:
            return None
        self._kept.move_to_end(key)
        return found[0]

    def put(self, key: K, value: V, nbytes: int) -> V:
        """Keep something that takes so many bytes, and forget what there is no room for."""
        self.pop(key)
        self._kept[key] = value, nbytes + _ENTRY
        self.nbytes += nbytes + _ENTRY
        while len(self._kept) > 1 and (len(self._kept) > self._entries or self.nbytes > self._most):
            self.pop(next(iter(self._kept)))
        return value

    def pop(self, key: K) -> None:
        """Forget a key, if it is there."""
        found = self._kept.pop(key, None)
        if found is not None:
            self.nbytes -= found[1]

    def clear(self) -> None:
        """Forget everything."""
        self._kept.clear()
        self.nbytes: int = 0


def asset_bytes(asset: Asset) -> int:
    """About how much memory the heights and meshes that an asset holds take [bytes]."""
    total = _ENTRY * len(asset.links)
    for link in asset.links:
        for shape in (*link.collisions, *link.visuals):
            if shape.heightfield is not None:
                total += _HEIGHT * len(shape.heightfield.heights)
            if shape.mesh is not None:
                total += _VERTEX * len(shape.mesh.vertices)
    return total
