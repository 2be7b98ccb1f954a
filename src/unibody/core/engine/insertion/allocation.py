"""Which bodies have which slots in a running world, and who waits for one."""

from __future__ import annotations

from typing import Any

import mujoco
import numpy as np

from unibody.core.engine.contacts.arrays import contact_ranks, lose_contacts, rank_of
from unibody.core.engine.insertion.body_index import Index, owners, take_over
from unibody.core.engine.insertion.known_fields import insertion_works
from unibody.core.engine.insertion.model_bytes import counts_of
from unibody.core.engine.insertion.open_slots import OpenSlots, with_open_slots
from unibody.core.engine.insertion.renumbering import Renumbering
from unibody.core.engine.insertion.reserved_slots import LayoutError, ReservedSlots
from unibody.core.engine.insertion.slot_filling import (
    alike,
    centred_bounds,
    fill_slot,
    fits,
    fits_alone,
    is_plain,
    same_shapes,
)
from unibody.core.engine.insertion.slot_memory import SlotMemory
from unibody.core.engine.records.body import BodyRecord
from unibody.core.engine.records.collision_filters import ContactFilters
from unibody.core.engine.records.options import WorldOptions
from unibody.core.engine.spec.contact_margins import centred_reach, reaches, write_reach
from unibody.core.engine.world.world import World

_LEAST_CAPACITY = 24  # bodies
_LEAST_USED = 2  # slots of a model that were worth their compile
# What slots cost that were hardly used, and how much of it a world may owe before it makes
# others; each body that is like the one before pays back 1.
_UNUSED_COSTS, _MOST_OWED, _MOST_COSTS = 4, 4, 16


class SlotAllocation:
    """The slots of bodies in a running world.

    Attributes:
        index: Where the next body would come.
        slots: Slots for more bodies at the end of the running world.
        new: Bodies that have no slot yet, by id.
        gone: Bodies that were removed and still have one.
        coming: Bodies that come once the model is compiled, see ``deferred_bodies``.
        reordered: The order of the bodies in the world is not that in which they came.
    """

    def __init__(self) -> None:
        self.index = Index()
        self.slots: ReservedSlots | OpenSlots | None = None
        self.new: dict[int, BodyRecord] = {}
        self.gone: list[BodyRecord] = []
        self.reordered = False
        self._last: BodyRecord | None = None  # that came before the last compile
        self._owed = 0
        self.coming: list[BodyRecord] = []

    def add(self, record: BodyRecord) -> None:
        """A body came."""
        self.new[record.id] = record

    def remove(self, record: BodyRecord) -> None:
        """A body went."""
        if self.new.pop(record.id, None) is None:
            self.gone.append(record)

    def close(self) -> None:
        """Give nobody a slot any more: something needs a compile."""
        self.slots = None

    def renumber(self) -> None:
        """Number all bodies anew in the coming compile."""
        self.index: Index = Index()

    def begin(self) -> None:
        """Number the bodies anew in the coming compile, if they cannot keep their numbers."""
        if self.gone or self.reordered:
            self.renumber()

    def compiled(self) -> None:
        """All bodies have their slots, in their order."""
        self.new.clear()
        self.gone.clear()
        self.reordered = False

    # --- slots ---------------------------------------------------------------------------------

    def wanted(self, count: int, *, only_bodies: bool) -> tuple[BodyRecord | None, int]:
        """For how many further bodies the coming compile should reserve slots, and of which kind.

        Who has added bodies to a running world, or taken the last one away, will do so again. As
        many as there are make the number of compiles a logarithm.

        Args:
            count: How many bodies there are.
            only_bodies: Nothing else has changed since the last compile, and the world has run.

        Returns:
            A body of that kind, None for any kind, and how many; 0 for none.
        """
        if not insertion_works():
            return None, 0
        if capacity := self._wanted_open(count, only_bodies=only_bodies):
            return None, capacity
        new, gone = [*self.new.values()], self.gone
        last = max(gone, key=_slot_of, default=None)
        if only_bodies and not new and last is not None and last.body == self.index.body - 1:
            if fits(last) and is_plain(last):
                return last, max(_LEAST_CAPACITY, 2 * len(gone))
            return None, 2 * max(_LEAST_CAPACITY, count) if fits_alone(last) else 0
        refused = self.slots is not None and len(new) > 0 and not self.slots.holds(new[-1])
        grows = 0 < len(new) <= count - len(new)
        if not self._is_worth_it(new, refused=refused):
            return None, 0
        if not only_bodies or not grows or refused or not all(map(fits, new)):
            return None, 0
        return new[-1], max(_LEAST_CAPACITY, count)

    def _wanted_open(self, count: int, *, only_bodies: bool) -> int:
        """For how many further bodies of any kind the coming compile should reserve slots.

        Who has added bodies of several kinds will do so again. For the arguments see ``wanted``.
        """
        new, slots = [*self.new.values()], self.slots
        if not (only_bodies and 0 < len(new) <= count - len(new)):
            return 0
        refused = slots is not None and not slots.holds(new[-1])
        another = self._last is not None and not all(map(fits, new))
        if not (refused or another or isinstance(slots, OpenSlots)) or not all(
            map(fits_alone, new)
        ):
            return 0
        if isinstance(slots, OpenSlots):
            owed = self._owed + _UNUSED_COSTS if slots.entered < _LEAST_USED else 0
            self._owed = min(owed, _MOST_COSTS)
        self._last = new[-1]
        return 2 * max(_LEAST_CAPACITY, count) if self._owed <= _MOST_OWED else 0

    def _is_worth_it(self, new: list[BodyRecord], *, refused: bool) -> bool:
        """Whether slots would be used: not where bodies of other kinds come again and again.

        A compile with slots takes several times as long.
        """
        if not new:
            return True
        last, self._last = self._last, new[-1]
        repeated = last is not None and fits(last) and fits(new[-1]) and alike(last, new[-1])
        if refused and self.slots is not None and self.slots.taken < _LEAST_USED:
            self._owed = min(self._owed + _UNUSED_COSTS, _MOST_COSTS)
        elif repeated:
            self._owed = max(0, self._owed - 1)
        return self._owed <= _MOST_OWED

    def reserve(self, model: Any, data: Any, pattern: BodyRecord, capacity: int) -> bool:
        """Cut a model that was compiled with slots down to what is in use.

        False if its memory is not laid out as expected: the model is of no use then.
        """
        try:
            self.slots = ReservedSlots(model, data, pattern, capacity)
        except LayoutError:
            return False
        return True

    def reserve_any_kind(self, model: Any, count: int, capacity: int) -> tuple[Any, Any] | None:
        """A model with its data that has slots for bodies of any kind; None if it can have none.

        Args:
            model: Just compiled, with all that is new.
            count: How many bodies there are.
            capacity: For how many more.
        """
        try:
            like = [*self.new.values(), *filter(fits_alone, self.gone), *self.coming]
            made = with_open_slots(model, like, capacity, count + capacity)
            if made is None:
                return None
            data = mujoco.MjData(made)
            self.slots = OpenSlots(made, data, counts_of(model))
        except (LayoutError, ValueError):
            return None
        return made, data

    # --- coming and going ----------------------------------------------------------------------

    def settle(
        self, world: World, filters: ContactFilters, options: WorldOptions, held: set[int]
    ) -> bool:
        """Let bodies that came and went take and leave slots in the running world.

        False if there is no slot for one of them, or one that cannot just be left: then only a
        compile helps. Nothing is changed then.

        Args:
            world: The running world.
            filters: Its contact bits.
            options: Its options.
            held: Ids of bodies whose numbers something else refers to.
        """
        if (self.new or self.gone) and not insertion_works():
            return False
        slots, assigned, new, gone = self.slots, *self._matched()
        moved = Renumbering(world.data, [])
        if not self._has_slots(new, gone):
            assigned, new, gone = [], [*self.new.values()], self._in_order()
            if gone and isinstance(slots, OpenSlots):
                moved = Renumbering(world.data, slots.behind(gone))
                if any(record.id in held for record in moved.records):
                    return False
            if not self._has_slots(new, [*gone, *moved.records]):
                return False
            gone = sorted([*gone, *moved.records], key=_slot_of)
            new = [*moved.records, *new]
        if self.gone:
            lose_contacts(world, [record.id for record in self.gone])
            world.data.ncon = 0
        if assigned:
            self._assign(world, filters, options, assigned, slots)
        if gone and slots is not None:
            self._leave(world, slots, filters, gone)
        if new and slots is not None:
            slots.enter(new)
            self.index.number(world.model, new)
            for record in new:
                fill_slot(world.model, slots.memory, record, slots.shaped_as(record))
            self._describe(world, slots, new, options)
            filters.add(world.model, new, both=options.filters_both)
        moved.put(world.data)
        self.new.clear()
        self.gone.clear()
        return True

    def _has_slots(self, new: list[BodyRecord], gone: list[BodyRecord]) -> bool:
        """Whether there are slots for all that is new, and its last ones are what is gone."""
        if self.slots is None:
            return not new and not gone
        return self.slots.takes(new) and self.slots.leaves(sorted(gone, key=_slot_of))

    def _in_order(self) -> list[BodyRecord]:
        """What was removed, by its slot."""
        return sorted(self.gone, key=_slot_of)

    def _matched(
        self,
    ) -> tuple[list[tuple[BodyRecord, BodyRecord]], list[BodyRecord], list[BodyRecord]]:
        """New bodies with the slots that they can have, those without, and what is left empty."""
        gone = self._in_order()
        assigned: list[tuple[BodyRecord, BodyRecord]] = []
        new: list[BodyRecord] = []
        for record in self.new.values():
            candidates = enumerate(gone) if gone and fits(record) else ()
            found = next((k for k, old in candidates if fits(old) and alike(old, record)), -1)
            if found < 0:
                new.append(record)
            else:
                assigned.append((record, gone.pop(found)))
        return assigned, new, gone

    def _assign(
        self,
        world: World,
        filters: ContactFilters,
        options: WorldOptions,
        assigned: list[tuple[BodyRecord, BodyRecord]],
        slots: ReservedSlots | OpenSlots | None,
    ) -> None:
        """Give bodies the slots of others that are gone."""
        memory = SlotMemory(world.model, world.data) if slots is None else slots.memory
        for record, slot in assigned:
            take_over(record, slot)
            if isinstance(slots, OpenSlots):
                slots.assign(record, slot)
            world.owner_body[record.body] = record.id
            fill_slot(world.model, memory, record, slot)
        if not all(same_shapes(slot, record) for record, slot in assigned):
            write_reach(world.model, options.contact_reach)
        if not filters.change(world.model, [record.links[0] for record, _ in assigned]):
            records = [record for record, _ in assigned]
            filters.write(world.model, records, len(filters.of_geoms[0]), both=options.filters_both)
        self.reordered: bool = True

    def _describe(
        self,
        world: World,
        slots: ReservedSlots | OpenSlots,
        new: list[BodyRecord],
        options: WorldOptions,
    ) -> None:
        """Say whose the last bodies and geoms are, and how far ahead they see."""
        nbody, ngeom = int(world.model.nbody), int(world.model.ngeom)
        first, known = len(world.geom_rank), len(world.owner_body)
        owner_body, owner_link = (np.full(nbody, -1, dtype=np.int64) for _ in range(2))
        owner_body[:known], owner_link[:known] = world.owner_body, world.owner_link
        owner_body[known:] = [record.id for record in new]
        world.owner_body, world.owner_link = owner_body, owner_link
        ranks = np.empty(ngeom, dtype=np.int64)
        ranks[:first] = world.geom_rank
        for record in new:
            state = record.links[0]
            ranks[state.geom : state.geom + state.ngeom] = rank_of(state)
        world.geom_rank = ranks
        boxes = [box for record in new if (box := centred_bounds(record)) is not None]
        pattern = slots.pattern
        if pattern is not None and all(record.asset is pattern.asset for record in new):
            if slots.margins is None:
                slots.margins = reaches(world.model, options.contact_reach, new[0].geoms)
            for record in new:
                world.model.geom_margin[record.geoms] = slots.margins
        elif len(boxes) == len(new):
            for record, half in zip(new, boxes, strict=True):
                ahead = centred_reach(world.model, options.contact_reach, record.geom, half)
                world.model.geom_margin[record.geom] = ahead
        else:
            write_reach(world.model, options.contact_reach, first)

    def _leave(
        self,
        world: World,
        slots: ReservedSlots | OpenSlots,
        filters: ContactFilters,
        gone: list[BodyRecord],
    ) -> None:
        """Take the last bodies out of the running world."""
        slots.leave(gone)
        self.index.drop(gone)
        nbody, ngeom = int(world.model.nbody), int(world.model.ngeom)
        world.owner_body = world.owner_body[:nbody]
        world.owner_link = world.owner_link[:nbody]
        world.geom_rank = world.geom_rank[:ngeom]
        filters.shorten(ngeom)


def _slot_of(record: BodyRecord) -> int:
    return record.body


def describe(world: World, new: list[BodyRecord], known: int, options: WorldOptions) -> None:
    """Renew what says of MuJoCo's bodies and geoms whose they are, and how far ahead they see.

    Args:
        world: The world, compiled anew.
        new: Bodies of which it does not say so yet.
        known: How many it does say so of.
        options: Of the world.
    """
    none, model = np.zeros(0, dtype=np.int64), world.model
    write_reach(model, options.contact_reach)
    world.owner_body = owners(model.nbody, new, world.owner_body if known else none, "body")
    world.owner_link = owners(model.nbody, new, world.owner_link if known else none, "link")
    world.geom_rank = contact_ranks(model, new, world.geom_rank if known else none)
