"""Collision groups and masks on MuJoCo's contact bits.

Two shapes with (group, mask) collide if each one's group meets the other's mask, or, by the other
rule, if one's does. MuJoCo asks whether the ``contype`` of one meets the ``conaffinity`` of the
other. Every distinct
(group, mask) pair gets a bit of its own as ``contype``, and as ``conaffinity`` the bits of all
pairs it collides with: the two rules then agree exactly.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from unibody.core.engine.records.body import BodyRecord, LinkRecord
from unibody.errors import EngineError

MAX_CLASSES = 31


class Filtered(Protocol):
    """Something with a collision group and mask."""

    group: int
    mask: int


def filters_meet(a: Filtered, b: Filtered, *, both: bool) -> bool:
    """True if two shapes collide by their groups and masks."""
    first, second = bool(a.group & b.mask), bool(b.group & a.mask)
    return first and second if both else first or second


def contact_bits(
    group: NDArray[np.int64], mask: NDArray[np.int64], *, both: bool = True
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """``contype`` and ``conaffinity`` of shapes.

    Args:
        group: Collision group of each shape, (N,).
        mask: Collision mask of each shape, (N,).
        both: Each one's group has to meet the other's mask; False: one of them is enough.

    Raises:
        EngineError: More than 31 distinct pairs of group and mask.
    """
    present = list(zip(group.tolist(), mask.tolist(), strict=True))
    distinct = sorted(set(present))
    count = len(distinct)
    _check_count(count)
    pairs, number = np.array(distinct), {pair: k for k, pair in enumerate(distinct)}
    classes = np.array([number[pair] for pair in present])
    hits = (pairs[:, None, 0] & pairs[None, :, 1]) != 0
    meets = hits & hits.T if both else hits | hits.T
    bits = np.left_shift(1, np.arange(count, dtype=np.int64))
    affinity = (meets * bits[None, :]).sum(axis=1)
    return bits[classes].astype(np.int32), affinity[classes].astype(np.int32)


class ContactFilters:
    """The groups and masks of all geoms of a running world, and its contact bits.

    Attributes:
        of_geoms: Collision group and mask of each geom, two (ngeom,): new arrays whenever one
            changes.
    """

    def __init__(self) -> None:
        self.of_geoms = (np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64))
        self._bits: dict[tuple[int, int], tuple[int, int]] = {}  # by group and mask, of the world
        self._admitted: set[tuple[int, int]] = set()  # at least those of the world

    def check(self, bodies: Iterable[BodyRecord], wanted: tuple[int, int]) -> None:
        """Refuse a group and mask that would be one too many.

        Raises:
            EngineError: As ``contact_bits``.
        """
        if wanted in self._admitted:
            return
        if len(self._admitted) >= MAX_CLASSES:  # some of which are perhaps not in use any more
            used = {(state.group, state.mask) for body in bodies for state in body.links}
            _check_count(len(used | {wanted}))
            self._admitted = used
        self._admitted.add(wanted)

    def write(self, model: Any, records: Iterable[BodyRecord], known: int, *, both: bool) -> None:
        """Renew the contact bits.

        Args:
            model: Of the world.
            records: The bodies whose groups and masks are not known yet.
            known: How many geoms, the first ones, keep what is known of them.
            both: As in ``contact_bits``.
        """
        group = np.ones(model.ngeom, dtype=np.int64)
        mask = np.zeros(model.ngeom, dtype=np.int64)
        group[:known], mask[:known] = (numbers[:known] for numbers in self.of_geoms)
        for record in records:
            for state in record.links:
                geoms = slice(state.geom, state.geom + state.ngeom)
                group[geoms] = state.group
                mask[geoms] = state.mask
        self.of_geoms = group, mask
        if model.ngeom:
            bits = contact_bits(group, mask, both=both)
            model.geom_contype[:], model.geom_conaffinity[:] = bits
            pairs = zip(group.tolist(), mask.tolist(), strict=True)
            self._bits = dict(zip(pairs, zip(*bits, strict=True), strict=True))
            self._admitted.update(self._bits)

    def add(self, model: Any, records: Sequence[BodyRecord], *, both: bool) -> None:
        """The same for bodies of one link whose geoms come last in a running world."""
        states = [record.links[0] for record in records]
        known = self._bits
        bits = [known[key] for state in states if (key := (state.group, state.mask)) in known]
        if len(bits) < len(states):
            self.write(model, records, len(self.of_geoms[0]), both=both)
            return
        first, count = len(self.of_geoms[0]), int(model.ngeom)
        group, mask = (np.empty(count, dtype=np.int64) for _ in range(2))
        group[:first], mask[:first] = self.of_geoms
        for state, (kind, affinity) in zip(states, bits, strict=True):
            geoms = slice(state.geom, state.geom + state.ngeom)
            group[geoms], mask[geoms] = state.group, state.mask
            model.geom_contype[geoms], model.geom_conaffinity[geoms] = kind, affinity
        self.of_geoms = group, mask

    def shorten(self, count: int) -> None:
        """Forget all geoms from a number on."""
        group, mask = self.of_geoms
        self.of_geoms = group[:count], mask[:count]

    def change(self, model: Any, links: Iterable[LinkRecord]) -> bool:
        """Write the groups and masks of some links; False if one of them is new in the world."""
        group, mask = (numbers.copy() for numbers in self.of_geoms)
        for state in links:
            bits = self._bits.get((state.group, state.mask))
            if bits is None:
                return False
            geoms = slice(state.geom, state.geom + state.ngeom)
            group[geoms], mask[geoms] = state.group, state.mask
            model.geom_contype[geoms], model.geom_conaffinity[geoms] = bits
        self.of_geoms: tuple[NDArray[np.int64], NDArray[np.int64]] = group, mask
        return True


def _check_count(count: int) -> None:
    if count > MAX_CLASSES:
        raise EngineError(
            f"{count} different (group, mask) pairs in one scene; at most {MAX_CLASSES} fit"
        )
