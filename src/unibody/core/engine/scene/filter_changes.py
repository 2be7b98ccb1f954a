"""Collision groups and masks that were changed, written into the running model together."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from unibody.core.engine.records.body import BodyRecord, LinkRecord
from unibody.core.engine.records.collision_filters import ContactFilters


class FilterChanges:
    """The filters of a scene, and which of them the running model does not know.

    Attributes:
        filters: Those of the running model.
        waiting: Something has to be written.
    """

    def __init__(self) -> None:
        self.filters: ContactFilters = ContactFilters()
        self.waiting = False
        self._all_stale = False
        self._changed: dict[int, LinkRecord] = {}  # links, by id()

    def refresh(self) -> None:
        """Have those of all links written."""
        self._all_stale = self.waiting = True

    def change(
        self, bodies: Collection[BodyRecord], state: LinkRecord, group: int, mask: int
    ) -> bool:
        """Set group and mask of a link to others; returns whether that is news to the model.

        Raises:
            EngineError: There would be too many different ones; nothing is changed.
        """
        self.filters.check(bodies, (group, mask))
        state.group, state.mask = group, mask
        new = id(state) not in self._changed
        self._changed[id(state)] = state
        self.waiting = True
        return new

    def write(self, model: Any, bodies: Collection[BodyRecord], *, both: bool) -> None:
        """Write what waits into a model."""
        changed, self._changed = self._changed, {}
        present = (state for state in changed.values() if state.body >= 0)
        if self._all_stale or not self.filters.change(model, present):
            self.filters.write(model, bodies, 0, both=both)
        self.waiting: bool
        self._all_stale = self.waiting = False
