"""Changes of numbers of bodies, which are collected and written when they are needed.

The running model needs them before its next step, the spec, where it takes ten times as long to
write one, only before the next compile.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from unibody.core.engine.records.body import BodyRecord
from unibody.core.engine.world.link_numbers import LinkMemory
from unibody.core.engine.world.world import World


class Edit:
    """How one kind of number is written.

    Args:
        to_model: Writes those of a link into the running model; it is up to date but for edits.
        to_spec: Writes them into the spec, if the link is there.
    """

    __slots__ = ("to_model", "to_spec")

    def __init__(
        self,
        to_model: Callable[[LinkMemory, BodyRecord, int], None],
        to_spec: Callable[[BodyRecord, int], None],
    ) -> None:
        self.to_model: Callable[[LinkMemory, BodyRecord, int], None] = to_model
        self.to_spec: Callable[[BodyRecord, int], None] = to_spec


class PendingEdits:
    """The changes that have yet to be written.

    Attributes:
        waiting: Those of which the running model does not know; by kind, body and link.
    """

    def __init__(self) -> None:
        self.waiting: dict[tuple[Edit, int, int], BodyRecord] = {}
        self._unspecified: dict[tuple[Edit, int, int], BodyRecord] = {}
        self._memory: LinkMemory | None = None

    def write_model(self, world: World | None, bodies: Mapping[int, BodyRecord]) -> None:
        """Write what waits into the running model; None: it is to be compiled anyway."""
        waiting, self.waiting = self.waiting, {}
        memory = self._memory
        if world is not None and (memory is None or memory.generation != world.generation):
            memory = self._memory = LinkMemory(world)
        for key, record in waiting.items():
            edit, body_id, index = key
            if bodies.get(body_id) is not record:
                continue
            record.links[index].waits = 0
            if record.links[0].spec_body is not None:
                self._unspecified[key] = record
            if world is not None and memory is not None:
                edit.to_model(memory, record, index)

    def write_spec(self, bodies: Mapping[int, BodyRecord]) -> None:
        """Write into the spec all that it does not know yet."""
        unspecified, self._unspecified = self._unspecified, {}
        for (edit, body_id, index), record in unspecified.items():
            if bodies.get(body_id) is record:
                edit.to_spec(record, index)

    def clear(self) -> None:
        """Forget all of them."""
        self.waiting.clear()
        self._unspecified.clear()
