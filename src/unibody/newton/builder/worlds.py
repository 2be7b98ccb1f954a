"""Worlds, and copies of builders in them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import warp as wp

from unibody.errors import InvalidArgumentError
from unibody.newton import convert
from unibody.newton.builder import copies
from unibody.newton.builder.tables import COUNTED_BY, Tables
from unibody.newton.dialect import is_after_first_of_1, with_later_names
from unibody.newton.enums import Axis

_MOST_ENTITIES = 2**31 - 1  # models number them with 32 bits


@with_later_names
def begin_world(
    self: Tables,
    key: str | None = None,
    attributes: dict[str, Any] | None = None,
    gravity: Any = None,
) -> None:
    """Begin a world: what is added from here on is part of it.

    Args:
        self: The builder.
        key: Name, kept in ``world_keys``; None: ``world_`` and the number.
        attributes: Of the world, kept in ``world_attributes``.
        gravity: m/s^2; None: the builder's.

    Raises:
        RuntimeError: A world has begun already.
    """
    if self.current_world != -1:
        raise RuntimeError(
            f"Cannot begin a new world: already in world context {self.current_world}; worlds are"
            " not nested. Call end_world() first"
        )
    if gravity is not None:
        gravity = convert.vec3("gravity", gravity)
        gravity = wp.vec3(*gravity) if is_after_first_of_1() else tuple(gravity)
    name, own = key or f"world_{self.num_worlds}", dict(attributes or {})
    self.current_world = self.num_worlds
    self.world_keys[self.current_world] = name
    self.world_attributes[self.current_world] = own
    missing = self.num_worlds - len(self.world_gravity)  # worlds that were counted by hand
    self.world_gravity.extend(self.gravity_entry() for _ in range(missing))
    self.num_worlds += 1
    self.world_gravity.append(self.gravity_entry() if gravity is None else gravity)


def end_world(self: Tables) -> None:
    """End a world: what is added from here on is part of all worlds.

    Raises:
        RuntimeError: No world has begun.
    """
    if self.current_world == -1:
        raise RuntimeError(
            "Cannot end world: not currently in a world context. Call begin_world() first"
        )
    self.current_world = -1


def add_world(
    self: Tables, builder: Tables, xform: Any = None, label_prefix: str | None = None
) -> None:
    """Add a copy of a builder as a new world.

    Args:
        self: The builder.
        builder: What is copied.
        xform: Moves what is not held by something else.
        label_prefix: In front of the names, with a slash.
    """
    copies.check_attributes(self, builder)
    begin_world(self)
    add_builder(self, builder, xform, label_prefix)
    end_world(self)


@with_later_names
def replicate(
    self: Tables,
    builder: Tables,
    num_worlds: int,
    spacing: tuple[float, float, float] = (0.0, 0.0, 0.0),
    *,
    label_prefixes: Sequence[str | None] | None = None,
) -> None:
    """Add copies of a builder as worlds, in a grid about the origin.

    Args:
        self: The builder.
        builder: What is copied.
        num_worlds: How many.
        spacing: m between them along each axis; the grid has the axes that are not zero.
        label_prefixes: Of each copy: in front of the names, with a slash.

    Raises:
        InvalidArgumentError: They are more than indices or memory have room for.
    """
    count = int(num_worlds)
    most = max((builder.count(entity) for entity in COUNTED_BY), default=0)
    limit = _MOST_ENTITIES // max(most, 1)
    if count > limit:
        raise InvalidArgumentError("num_worlds", count, f"at most {limit}: indices have 32 bits")
    prefixes = [None] * count if label_prefixes is None else list(label_prefixes)
    if len(prefixes) != max(count, 0):
        allowed = f"{count} of them, one a world"
        raise InvalidArgumentError("label_prefixes", label_prefixes, allowed)
    copies.check_attributes(self, builder)
    try:
        offsets = world_offsets(count, spacing, self.up_axis)
    except MemoryError as problem:
        raise InvalidArgumentError("num_worlds", count, "as many as memory holds") from problem
    worlds: list[int] = []
    xforms: list[Any] = []
    for offset in offsets:
        begin_world(self)
        worlds.append(self.current_world)
        end_world(self)
        moved = any(offset)
        xforms.append(wp.transform(wp.vec3(*offset), wp.quat_identity()) if moved else None)
    if worlds:
        _append(self, builder, worlds, xforms, prefixes)


def world_offsets(count: int, spacing: Any, up_axis: Axis | None = None) -> list[list[float]]:
    """Positions of worlds in a grid whose middle is at the origin, but along the axis that is up.

    Args:
        count: How many.
        spacing: m along each axis.
        up_axis: Along it nothing goes below zero.
    """
    steps = np.array([float(v) for v in spacing])
    used = np.flatnonzero(steps)
    offsets = np.zeros((max(count, 0), 3))
    if count > 0 and len(used):
        side = int(np.ceil(np.round(count ** (1.0 / len(used)), 9)))
        shape = (count,) if len(used) == 1 else (side,) * len(used)
        cells = np.stack(np.unravel_index(np.arange(count), shape), axis=1)
        offsets[:, used] = cells * steps[used]
        middle = (offsets.min(axis=0) + offsets.max(axis=0)) / 2.0
        if up_axis is not None:
            middle[int(up_axis)] = 0.0
        offsets -= middle
    return offsets.tolist()


def add_builder(
    self: Tables, builder: Tables, xform: Any = None, label_prefix: str | None = None
) -> None:
    """Copy all of a builder into the current world.

    Args:
        self: The builder.
        builder: What is copied.
        xform: Moves what is not held by something else.
        label_prefix: In front of the names, with a slash.
    """
    copies.check_attributes(self, builder)
    _append(self, builder, [self.current_world], [xform], [label_prefix])


def _append(
    self: Tables,
    builder: Tables,
    worlds: list[int],
    xforms: list[Any],
    prefixes: Sequence[str | None],
) -> None:
    if builder.up_axis != self.up_axis:
        raise InvalidArgumentError("builder", f"up_axis={builder.up_axis}", f"{self.up_axis} up")
    for world in worlds:
        if 0 <= world < len(self.world_gravity):
            self.world_gravity[world] = builder.gravity_entry()
        elif world < 0:
            self._gravity = builder._gravity
    self._requested_contact_attributes |= builder._requested_contact_attributes
    self._requested_state_attributes |= builder._requested_state_attributes
    moves = [None if xform is None else convert.transform("xform", xform) for xform in xforms]
    copies.append(self, builder, worlds, moves, prefixes)
