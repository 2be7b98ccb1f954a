"""What of a scene's bodies and constraints is written into its ``MjSpec``, and what waits."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from typing import Any

from unibody.core.engine.insertion.allocation import SlotAllocation
from unibody.core.engine.records import rule_table as t
from unibody.core.engine.records.body import BodyRecord
from unibody.core.engine.records.collision_filters import filters_meet
from unibody.core.engine.records.options import WorldOptions
from unibody.core.engine.spec.blank import new_spec, write_options
from unibody.core.engine.spec.constraint import ConstraintRecord, element_names, write_constraint
from unibody.core.engine.spec.geometry import MeshStore
from unibody.core.engine.spec.link_pairs import End, LinkPairs, pair_of
from unibody.core.engine.spec.many import write_bodies
from unibody.core.engine.spec.rewrite import is_cheaper, rewrite_bodies
from unibody.core.engine.spec.world_rules import reserve_report
from unibody.core.engine.spec.writer import await_writing, erase_body, write_body
from unibody.errors import AssetError


class SceneSpec:
    """The spec of a scene, which is behind its records until a compile needs it.

    Args:
        options: Of the world.
        bodies: The scene's, by id.
        constraints: The scene's, by id.
        pairs: Of links that collide, or do not.
        slots: Of the bodies in the running world.

    Attributes:
        spec: The ``MjSpec``.
        store: The meshes in it.
        removed: Bodies that are still in it.
        unwritten: Bodies that are not in it yet.
        dropped: Elements of constraints that are to be taken out of it.
        options, bodies, constraints, pairs: As above.
        slots: As above; ``clear`` takes others.
    """

    def __init__(
        self,
        options: WorldOptions,
        bodies: dict[int, BodyRecord],
        constraints: dict[int, ConstraintRecord],
        pairs: LinkPairs,
        slots: SlotAllocation,
    ) -> None:
        self.options: WorldOptions = options
        self.bodies: dict[int, BodyRecord] = bodies
        self.constraints: dict[int, ConstraintRecord] = constraints
        self.pairs: LinkPairs = pairs
        self.removed: list[BodyRecord] = []
        self.unwritten: dict[int, BodyRecord] = {}
        self.dropped: list[Any] = []
        self.slots = slots
        self.spec = new_spec(options)
        self.store = MeshStore(self.spec)

    def clear(self, slots: SlotAllocation) -> None:
        """Start over with an empty spec."""
        for kept in (self.removed, self.dropped, self.unwritten):
            kept.clear()
        self.slots: SlotAllocation = slots
        self.spec = new_spec(self.options)
        self.store = MeshStore(self.spec)

    def add(self, record: BodyRecord) -> None:
        """Write a body, or note it to be written with others."""
        if await_writing(record):
            self.unwritten[record.id] = record
        else:
            self.write_bodies(taken=record.id)
            self.write(record)

    def write(self, record: BodyRecord) -> None:
        """Write one body now."""
        write_body(self.spec, record, self.store)

    def write_bodies(self, *, taken: int = -1) -> None:
        """Write the bodies that are not in the spec yet; ``taken`` is an id that is."""
        ids = {taken, *self.unwritten}
        if any(removed.id in ids for removed in self.removed):
            self.take_out()
        waiting = list(self.unwritten.values())
        self.unwritten.clear()  # which others hold, too
        write_bodies(self.spec, waiting, self.store)

    def erase(self, record: BodyRecord) -> None:
        """Take one body out now."""
        erase_body(self.spec, record, self.store)

    def remove(self, record: BodyRecord) -> None:
        """Note that a body is no longer in the scene."""
        if self.unwritten.pop(record.id, None) is None:
            self.removed.append(record)

    def take_out(self) -> None:
        """Take the bodies that were removed out of the spec."""
        removed, self.removed = self.removed, []
        self.drop_equalities()
        if self.slots.reordered:  # the order of the bodies here is not that in the world
            self.rewrite(removed)
            return
        if removed and is_cheaper(removed, self.bodies.values()):
            with contextlib.suppress(AssetError):
                self.rewrite(removed)
                return
        for record in removed:
            self.erase(record)

    def rewrite(self, removed: Sequence[BodyRecord] = ()) -> None:
        """Write all that there is into a new spec, without what was removed."""
        spec = new_spec(self.options)
        store = MeshStore(spec)
        rewrite_bodies(spec, store, self.bodies.values())
        self.spec: Any = spec
        self.store: MeshStore = store
        self.unwritten.clear()
        for record in removed:
            record.links[0].spec_body = None
        self.pairs.rewrite(spec, self.bodies)
        for constraint in self.constraints.values():
            constraint.spec = None

    def set_pair(self, first: End, second: End, enabled: bool) -> bool:
        """Switch collision between two links on or off; returns whether that needs a compile.

        Raises:
            LookupError: There is no such link.
        """
        pairs, pair = self.pairs, pair_of(first, second)
        for body, link in pair:
            self.bodies[body].links[link]  # raises if there is no such link
        edited = False
        if first[0] != second[0]:
            if enabled and not pairs.included(pair) and not self._meet(first, second):
                pairs.waiting.pop(pair, None)
                self.write_bodies()
                pairs.include(self.spec, self.bodies, pair)
                edited = True
            elif not enabled and pairs.included(pair):
                pairs.drop_include(self.spec, pair)
                edited = True
        pairs.waiting[pair] = enabled
        return edited

    def _meet(self, first: End, second: End) -> bool:
        a, b = (self.bodies[body].links[link] for body, link in (first, second))
        return filters_meet(a, b, both=self.options.filters_both)

    def drop(self, record: ConstraintRecord) -> None:
        """Note that a constraint is no longer in the scene."""
        if record.spec is not None:
            self.dropped += [part for part in (record.spec, record.tendon) if part is not None]
            record.spec = record.tendon = None

    def drop_equalities(self) -> None:
        """Take constraints that were removed out of the spec."""
        dropped, self.dropped = self.dropped, []
        for element in dropped:
            self.spec.delete(element)

    def write_all(self) -> None:
        """Write all that is not in the spec yet: only a compile needs it there."""
        self.take_out()
        self.write_bodies()
        self.pairs.write(self.spec, self.bodies)
        for record in self.constraints.values():
            if record.spec is None:
                write_constraint(self.spec, record, element_names(record, self.bodies))
        write_options(self.spec, self.options)

    def reserve(self, drives: int, balls: int, equalities: int) -> None:
        """Have the model keep what the rules of so many drives and equalities need."""
        numbers = (drives * t.DRIVE_SIZE, equalities * t.EQUALITY_SIZE, balls * t.BALL_SIZE)
        self.spec.nuserdata = sum(numbers)
        reserve_report(self.spec, self.options, self.bodies.values())
