"""Bodies that come into a model after its compile, although they were there before it.

A body that is part of a compile cannot leave without another one. One that has a slot
can: so those for which the compile reserves slots enter when it is done, as if they came just then.
"""

from __future__ import annotations

from typing import Any

from unibody.core.engine.insertion.allocation import SlotAllocation
from unibody.core.engine.insertion.open_slots import OpenSlots
from unibody.core.engine.records.body import BodyRecord
from unibody.core.engine.states import transfer


class DeferredBodies:
    """Bodies that are taken out of a scene while it is compiled.

    Args:
        bodies: Of the scene.
        unwritten: Those of them that are not in its spec.
        slots: Their slots.
        held: Ids of bodies that something else refers to: they are not among them, nor is any other
            then.
        data: MjData of the running world.
    """

    def __init__(
        self,
        bodies: dict[int, BodyRecord],
        unwritten: dict[int, BodyRecord],
        slots: SlotAllocation,
        held: set[int],
        data: Any | None,
    ) -> None:
        self._bodies, self._unwritten, self._slots = bodies, unwritten, slots
        self._data, found = data, slots.slots
        settled = found.records if isinstance(found, OpenSlots) else []
        there = {record.id for record in settled if bodies.get(record.id) is record}
        self._before = {
            number: transfer.address(record) for number, record in bodies.items() if number in there
        }
        wanted = self._before.keys() | slots.new.keys()
        self._records = {number: bodies[number] for number in bodies if number in wanted}
        self._can_enter = bool(wanted) and wanted <= unwritten.keys() and not wanted & held

    def take_out(self) -> bool:
        """Take the bodies out of the scene; False, and nothing done, if one has to stay."""
        if not self._can_enter:
            return False
        for number in self._records:
            del self._bodies[number], self._unwritten[number]
        self._slots.new.clear()
        self._slots.coming = [*self._records.values()]
        if self._before:
            self._slots.renumber()
        return True

    def put_back(self) -> None:
        """Put them back, as bodies that have no slot yet."""
        self._bodies.update(self._records)
        self._unwritten.update(self._records)
        self._slots.new.update(self._records)
        self._slots.coming = []

    @property
    def has_slots(self) -> bool:
        """Whether the model that was made has slots for all of them."""
        slots = self._slots.slots
        return slots is not None and slots.takes([*self._records.values()])

    def carry_over(self, data: Any) -> None:
        """Give those that were there before the state that they had, in another MjData."""
        for number, address in self._before.items():
            transfer.copy_body(self._data, data, address, transfer.address(self._records[number]))
