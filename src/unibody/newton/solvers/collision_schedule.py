"""When solvers that have a pipeline of their own look for contacts, in 1.x after 1.0."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from typing import Any


class CollisionSlot(enum.IntEnum):
    """What is looked for."""

    RIGID = 0
    SOFT_SELF_CONTACT = 1


class CollisionFrequencyType(enum.IntEnum):
    """When it is looked for in a step.

    Never; before it begins; after its first guess, too; before each so-many-th iteration, too; or
    (AUTO) as the solver does by itself.
    """

    NONE = 0
    PRE_INIT = 1
    PRE_POST_INIT = 2
    ITERATIONS = 3
    AUTO = 4


_INSIDE = (CollisionFrequencyType.PRE_POST_INIT, CollisionFrequencyType.ITERATIONS)


class CollisionSchedule:
    """When each kind of contact is looked for.

    Args:
        pipeline: The solver's; None: it has none.
        frequency: Iterations between two searches, by `CollisionSlot`.
        types: When, by `CollisionSlot`.
        fallback: What AUTO stands for, by `CollisionSlot`.
    """

    def __init__(self, pipeline: Any, frequency: Any, types: Any, fallback: Mapping[Any, Any]):
        self._pipeline, self._fallback = pipeline, dict(fallback)
        self.frequency = dict.fromkeys(CollisionSlot, 1)
        self.types = dict.fromkeys(CollisionSlot, CollisionFrequencyType.AUTO)
        self.change(frequency, types)

    def change(self, frequency: Any, types: Any) -> None:
        """Take over what a script states; None: nothing.

        Args:
            frequency: Iterations between two searches, by slot.
            types: When, by slot.

        Raises:
            ValueError: A number is below one, or there is no pipeline for what is asked, or one
                that does not match contacts where multipliers have to go on.
        """
        numbers, kinds = dict(self.frequency), dict(self.types)
        for key, value in (frequency or {}).items():
            slot = CollisionSlot(key)
            if int(value) < 1:
                raise ValueError(f"collision_frequency[{slot.name}] must be >= 1, got {value}")
            numbers[slot] = int(value)
        for key, value in (types or {}).items():
            kinds[CollisionSlot(key)] = CollisionFrequencyType(value)
        rigid = kinds[CollisionSlot.RIGID]
        passive = (CollisionFrequencyType.NONE, CollisionFrequencyType.AUTO)
        if self._pipeline is None and rigid not in passive:
            raise ValueError(
                f"collision_frequency_type of RIGID is {rigid.name}: that requires a solver-owned"
                " pipeline, collision_pipeline=; else model.collide() finds contacts"
            )
        matching = getattr(self._pipeline, "contact_matching", "disabled")
        if rigid == CollisionFrequencyType.ITERATIONS and matching == "disabled":
            raise ValueError(
                "collision_frequency_type of RIGID is ITERATIONS: that requires contact matching,"
                " CollisionPipeline(contact_matching='latest') or 'sticky'"
            )
        self.frequency: dict[CollisionSlot, int] = numbers
        self.types: dict[CollisionSlot, CollisionFrequencyType] = kinds

    def when(self, slot: CollisionSlot) -> CollisionFrequencyType:
        """When a kind is looked for, by what AUTO stands for."""
        found = self.types[slot]
        return self._fallback[slot] if found == CollisionFrequencyType.AUTO else found

    def is_due(self, slot: CollisionSlot, iteration: int) -> bool:
        """Whether a kind is looked for before an iteration; -1: after the first guess."""
        found = self.when(slot)
        if iteration < 0:
            return found == CollisionFrequencyType.PRE_POST_INIT
        many = self.frequency[slot]
        return found == CollisionFrequencyType.ITERATIONS and (iteration + 1) % many == 0

    def is_due_inside(self, slot: CollisionSlot) -> bool:
        """Whether a kind is looked for while a step goes on."""
        return self.when(slot) in _INSIDE

    def interval(self) -> int:
        """Iterations between two searches of surfaces; 0 and below as `SurfaceContact.interval`."""
        found = self.when(CollisionSlot.SOFT_SELF_CONTACT)
        kind = CollisionFrequencyType
        steps = {kind.NONE: -1, kind.PRE_INIT: -1, kind.PRE_POST_INIT: 0}
        return steps.get(found, self.frequency[CollisionSlot.SOFT_SELF_CONTACT])

    def check(self, *, touches: bool, bounded: bool) -> None:
        """Refuse steps whose bounds lack their searches.

        Args:
            touches: Whether surfaces touch one another.
            bounded: Whether bodies and particles are bounded.

        Raises:
            ValueError: Contacts are never looked for, or the two kinds at other times.
        """
        kinds = [self.when(slot) for slot in CollisionSlot]
        if bounded and kinds[0] == CollisionFrequencyType.NONE:
            raise ValueError(
                "rigid_soft_enable_dat requires an active rigid collision schedule: RIGID is NONE"
            )
        if touches and kinds[1] == CollisionFrequencyType.NONE:
            raise ValueError(
                "particle_enable_self_contact requires an active soft self-collision schedule:"
                " SOFT_SELF_CONTACT is NONE"
            )
        if not bounded or not touches:
            return
        numbers = [self.frequency[slot] for slot in CollisionSlot]
        often = kinds[0] == CollisionFrequencyType.ITERATIONS and numbers[0] != numbers[1]
        if kinds[0] != kinds[1] or often:
            raise ValueError(
                "rigid_soft_enable_dat with particle_enable_self_contact requires equivalent"
                f" schedules of RIGID and SOFT_SELF_CONTACT, not {kinds[0].name} and"
                f" {kinds[1].name}"
            )
