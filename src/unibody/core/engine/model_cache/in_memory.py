"""Models that were compiled before, for a scene that is built up again as it was.

A script that empties its world for every episode loads the same things into it each time. What
MuJoCo made of them is kept, as it was when it was compiled, and compared by everything that a
compile reads.
"""

from __future__ import annotations

import ctypes
import dataclasses
from collections.abc import Callable, Collection
from operator import attrgetter
from typing import Any

import mujoco

from unibody.core.assets.description import Asset
from unibody.core.engine.insertion.open_slots import OpenSlots
from unibody.core.engine.insertion.reserved_slots import ReservedSlots
from unibody.core.engine.insertion.slot_filling import is_plain
from unibody.core.engine.library.layout import offsets_of, struct_size
from unibody.core.engine.records.body import BodyRecord
from unibody.core.engine.records.free_body_constants import (
    free_bodies,
    set_free_constants,
    set_scale,
)
from unibody.core.engine.records.options import BodyOptions, WorldOptions
from unibody.core.engine.spec.constraint import ConstraintKind, ConstraintRecord
from unibody.core.engine.spec.writer import body_user

_MOST_MODELS = 12
_MOST_BYTES = 1 << 24  # of one model
_Values = tuple[Any, ...]

_of_options: Callable[[WorldOptions], _Values] = attrgetter(
    *(field.name for field in dataclasses.fields(WorldOptions))
)
_of_body: Callable[[BodyOptions], _Values] = attrgetter(
    "fixed", "gravity", "joint_damping", "joint_friction", "scaled_axes", "drives.mode"
)
_of_link = attrgetter(
    "mass",
    "inertia",
    "com",
    "friction",
    "restitution",
    "stiffness",
    "damping",
    "anisotropy",
    "farthest_contact",
)
_of_joint = attrgetter("damping", "limits", "enabled")
_ends = attrgetter("kind", "parent", "child")


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class Content:
    """All that a compile reads of a scene without special pairs of links."""

    numbers: _Values
    assets: tuple[tuple[Asset, bool], ...]  # of the bodies; of the plain ones the content counts

    def equals(self, other: Content) -> bool:
        """Whether the same model would come out."""
        return (
            len(self.assets) == len(other.assets)
            and self.numbers == other.numbers
            and all(map(_same_asset, self.assets, other.assets))
        )


def _same_asset(a: tuple[Asset, bool], b: tuple[Asset, bool]) -> bool:
    if a[0] is b[0]:
        return True
    return a[1] and b[1] and a[0].links[0].collisions == b[0].links[0].collisions


def content_of(
    options: WorldOptions, bodies: Collection[BodyRecord],
    constraints: Collection[ConstraintRecord], *, slots: tuple[BodyRecord, int] | None,
) -> Content | None:  # fmt: skip
    """What a compile of these reads; ``slots`` is the pattern of slots and their number, if any.

    None if that is more than ends of constraints, whose numbers are written after a compile.
    """
    if any(constraint.kind is ConstraintKind.TENDON for constraint in constraints):
        return None
    records = [*bodies] if slots is None else [*bodies, slots[0]]
    capacity = None if slots is None else slots[1]
    return Content(
        (
            capacity,
            _of_options(options),
            [*map(_numbers, records)],
            [*map(_ends, constraints)],
        ),
        tuple([(record.origin or record.asset, is_plain(record)) for record in records]),
    )


def _numbers(record: BodyRecord) -> _Values:
    options = record.options
    return (
        record.id, record.home, record.self_collision, [*record.pairs.items()],
        body_user(options), _of_body(options), options.ball_drives is None,
        options.vector_drives,
        [*map(_of_link, record.links)], [*map(_of_joint, record.joints)],
    )  # fmt: skip


class Compiled:
    """A model with its data, and what both were when they were made.

    Args:
        content: What the model was compiled from.
        model: Just compiled; cut down to what is in use if it has slots for more bodies.
        data: Its MjData.
        length: Bytes of the model's arrays, with those of slots.
        slots: Slots for more bodies.
    """

    def __init__(
        self,
        content: Content,
        model: Any,
        data: Any,
        length: int,
        slots: ReservedSlots | OpenSlots | None,
    ) -> None:
        self.content: Content = content
        self.model: Any = model
        self.data: Any = data
        self.slots: ReservedSlots | None = (
            slots if isinstance(slots, ReservedSlots) else None
        )  # an open one has no content
        place = model._address + offsets_of("mjModel")["buffer"]
        self._buffer = ctypes.c_uint64.from_address(place).value
        self.arrays: bytes = ctypes.string_at(self._buffer, min(length, _MOST_BYTES + 1))
        self._struct = ctypes.string_at(model._address, struct_size("mjModel"))

    def renew(self, pattern: BodyRecord | None) -> None:
        """Make model and data what they were; ``pattern`` is that of its slots."""
        ctypes.memmove(self._buffer, self.arrays, len(self.arrays))
        if self.slots is not None and pattern is not None:
            self.slots.fill()
            mujoco.mj_resetData(self.model, self.data)
            self.slots.clear(pattern)
            ctypes.memmove(self._buffer, self.arrays, len(self.arrays))
            ctypes.memmove(self.model._address, self._struct, len(self._struct))
        else:
            ctypes.memmove(self.model._address, self._struct, len(self._struct))
            mujoco.mj_resetData(self.model, self.data)


class CompiledModels:
    """The models that a scene has compiled, the one in use and a few that were.

    Nobody but the running world may use a model that is in here: it can become another one's.
    """

    def __init__(self) -> None:
        self._used: Compiled | None = None
        self._kept: list[Compiled] = []  # that used last is the last

    def find(self, content: Content, pattern: BodyRecord | None) -> Compiled | None:
        """A model of the same content that is not in use, as it was compiled; it is in use now."""
        for place, compiled in enumerate(self._kept):
            if compiled.content.equals(content):
                del self._kept[place]
                self.use(compiled)
                compiled.renew(pattern)
                return compiled
        return None

    def use(self, compiled: Compiled | None) -> None:
        """The running world goes on with another model; None: with one that is not to be kept."""
        before, self._used = self._used, compiled
        if before is not None and len(before.arrays) <= _MOST_BYTES:
            self._kept.append(before)
            del self._kept[:-_MOST_MODELS]


def finished(
    models: CompiledModels | None,
    slots: ReservedSlots | OpenSlots | None,
    content: Content | None,
    made: tuple[Any, Any],
    length: int,
) -> tuple[Any, Any]:
    """Write what MuJoCo's compile does not know, and keep a model that can be needed again.

    Args:
        models: Where it is kept.
        slots: Slots for more bodies in it.
        content: What it was compiled from; None if it is not to be kept.
        made: The model, and its MjData.
        length: Bytes of the model's arrays, with those of slots.
    """
    model, data = made
    set_free_constants(model, free_bodies(model))
    set_scale(model)
    if models is not None:
        models.use(Compiled(content, model, data, length, slots) if content else None)
    return made
