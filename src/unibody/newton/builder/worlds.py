"""Worlds, and copies of builders in them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import warp as wp

from unibody.errors import InvalidArgumentError
from unibody.newton import convert
from unibody.newton.builder import coloring
from unibody.newton.builder.joints import note_neighbours
from unibody.newton.builder.tables import COLUMNS, COUNTED_BY, JOINT_SPACES, Tables
from unibody.newton.dialect import with_later_names
from unibody.newton.enums import AttributeFrequency, Axis, JointType

_STARTS = {f"joint_{short}_start": space for space, short in JOINT_SPACES.items()}
_REFERENCES = {
    "triangle": "tri",
    "tetrahedron": "tet",
}
_NAMES = tuple(column.name for column in COLUMNS if column.name.endswith("_key"))


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
        key: Name; models keep none.
        attributes: Of the world; models keep none.
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
        gravity = tuple(convert.vec3("gravity", gravity))
    self.current_world = self.num_worlds
    missing = self.num_worlds - len(self.world_gravity)  # worlds that were counted by hand
    self.world_gravity.extend([self.gravity_vector()] * missing)
    self.num_worlds += 1
    self.world_gravity.append(self.gravity_vector() if gravity is None else gravity)


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
    begin_world(self)
    add_builder(self, builder, xform, label_prefix)
    end_world(self)


@with_later_names
def replicate(
    self: Tables,
    builder: Tables,
    num_worlds: int,
    spacing: tuple[float, float, float] = (0.0, 0.0, 0.0),
) -> None:
    """Add copies of a builder as worlds, in a grid about the origin.

    Args:
        self: The builder.
        builder: What is copied.
        num_worlds: How many.
        spacing: m between them along each axis; the grid has the axes that are not zero.
    """
    for offset in world_offsets(num_worlds, spacing, self.up_axis):
        moved = any(offset)
        add_world(
            self, builder, wp.transform(wp.vec3(*offset), wp.quat_identity()) if moved else None
        )


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
    if builder.up_axis != self.up_axis:
        raise InvalidArgumentError("builder", f"up_axis={builder.up_axis}", f"{self.up_axis} up")
    if 0 <= self.current_world < len(self.world_gravity):
        self.world_gravity[self.current_world] = builder.gravity_vector()
    elif self.current_world < 0:
        self.gravity = builder.gravity
    self._requested_contact_attributes |= builder._requested_contact_attributes
    self._requested_state_attributes |= builder._requested_state_attributes
    offsets = {entity: self.count(entity) for entity in (*COUNTED_BY, *JOINT_SPACES)}
    _copy_custom(self, builder, offsets)
    _copy_colors(self, builder, offsets)
    _copy_columns(self, builder, offsets, label_prefix)
    _copy_links(self, builder, offsets)
    if xform is not None:
        _move(self, builder, offsets, convert.transform("xform", xform))
    for space in JOINT_SPACES:
        name = f"{space}_count"
        setattr(self, name, getattr(self, name) + getattr(builder, name))


def _copy_columns(
    self: Tables, builder: Tables, offsets: dict[str, int], prefix: str | None
) -> None:
    for column in COLUMNS:
        rows = getattr(builder, column.name)
        if not rows:
            continue
        if column.world:
            rows = [self.current_world] * len(rows)
        elif column.refers_to:
            rows = _shifted(rows, offsets[column.refers_to])
        elif column.name in _STARTS:
            rows = _shifted(rows, offsets[_STARTS[column.name]])
        elif prefix and column.name in _NAMES:
            rows = [f"{prefix}/{name}" if name else name for name in rows]
        getattr(self, column.name).extend(rows)


def _shifted(rows: list[Any], offset: int) -> list[Any]:
    """Indices moved by an offset; negative ones stand for nothing or the world, and stay."""
    if offset == 0:
        return rows
    if isinstance(rows[0], tuple | list):
        return [tuple(v + offset if v >= 0 else v for v in row) for row in rows]
    return [v + offset if v >= 0 else v for v in rows]


def _copy_links(self: Tables, builder: Tables, offsets: dict[str, int]) -> None:
    """What is not a list with one entry an entity: springs, muscles, neighbours, filters."""
    particle, body, shape = offsets["particle"], offsets["body"], offsets["shape"]
    self.spring_indices.extend(i + particle for i in builder.spring_indices)
    points = len(self.muscle_bodies)
    self.muscle_start.extend(start + points for start in builder.muscle_start)
    self.muscle_bodies.extend(b + body if b >= 0 else b for b in builder.muscle_bodies)
    self.muscle_points.extend(builder.muscle_points)
    for owner, shapes in builder.body_shapes.items():
        moved = [s + shape for s in shapes]
        if owner == -1:
            self.body_shapes[-1].extend(moved)
        else:
            self.body_shapes[owner + body] = moved
    for parent, child in zip(builder.joint_parent, builder.joint_child, strict=True):
        note_neighbours(self, parent + body if parent >= 0 else parent, child + body)
    self.shape_collision_filter_pairs.extend(
        (a + shape, b + shape) for a, b in builder.shape_collision_filter_pairs
    )
    if builder.particle_count:
        self.particle_max_velocity = builder.particle_max_velocity


def _copy_colors(self: Tables, builder: Tables, offsets: dict[str, int]) -> None:
    for name, entity in (("particle_color_groups", "particle"), ("body_color_groups", "body")):
        moved = [np.asarray(group) + offsets[entity] for group in getattr(builder, name)]
        setattr(self, name, coloring.combined(getattr(self, name), moved))


def _move(self: Tables, builder: Tables, offsets: dict[str, int], xform: wp.transform) -> None:
    body = offsets["body"]
    for i in range(body, self.body_count):
        self.body_q[i] = xform * self.body_q[i]
    for i in range(offsets["shape"], self.shape_count):
        if self.shape_body[i] == -1:
            self.shape_transform[i] = xform * self.shape_transform[i]
    joint = offsets["joint"]
    for i in range(joint, self.joint_count):
        if self.joint_type[i] == JointType.FREE:
            q = self.joint_q_start[i]
            self.joint_q[q : q + 7] = list(xform * wp.transform(*self.joint_q[q : q + 7]))
        elif self.joint_parent[i] == -1:
            self.joint_X_p[i] = xform * self.joint_X_p[i]
    first = offsets["particle"]
    if self.particle_count > first:
        points = np.array([[float(v) for v in q] for q in self.particle_q[first:]])
        turned = points @ convert.rotation(xform[3:]).T + np.array([float(v) for v in xform[:3]])
        self.particle_q[first:] = turned.tolist()


def _copy_custom(self: Tables, builder: Tables, offsets: dict[str, int]) -> None:
    own = _frequency_counts(self)
    self.custom_frequencies = {**builder.custom_frequencies, **self.custom_frequencies}
    for key, attribute in builder.custom_attributes.items():
        merged = self.custom_attributes.get(key)
        if merged is None:
            merged = replace(attribute, values=None)
            self.custom_attributes[key] = merged
        elif not _same(merged.default, attribute.default):
            raise ValueError(
                f"Custom attribute {key!r} default mismatch when merging builders:"
                f" existing={merged.default!r}, incoming={attribute.default!r}"
            )
        if not attribute.values:
            continue
        change = _value_change(self, attribute, offsets, own)
        if isinstance(attribute.values, list):
            missing = own.get(attribute.frequency_key, 0) - len(merged.values)
            merged.values.extend([None] * missing)
            merged.values.extend(None if v is None else change(v) for v in attribute.values)
        else:
            start = _first_index(self, attribute.frequency, offsets)
            merged.values.update({start + i: change(v) for i, v in attribute.values.items()})


def _frequency_counts(self: Tables) -> dict[str, int]:
    counts: dict[str, int] = {}
    for attribute in self.custom_attributes.values():
        if isinstance(attribute.values, list):
            key = attribute.frequency_key
            counts[key] = max(counts.get(key, 0), len(attribute.values))
    return counts


def _same(first: Any, second: Any) -> bool:
    try:
        return bool(np.array_equal(np.array(first), np.array(second)))
    except (TypeError, ValueError):
        return first == second


def _first_index(self: Tables, frequency: Any, offsets: dict[str, int]) -> int:
    if frequency == AttributeFrequency.ONCE:
        return 0
    if frequency == AttributeFrequency.WORLD:
        return max(self.current_world, 0)
    return _offset(frequency.name.lower(), offsets, {})


def _offset(name: str, offsets: dict[str, int], own: dict[str, int]) -> int:
    entity = _REFERENCES.get(name, name)
    if entity in offsets:
        return offsets[entity]
    if name in own:
        return own[name]
    raise ValueError(
        f"Unknown references value {name!r}: expected one of {sorted(offsets)}, world, or a custom"
        " frequency"
    )


def _value_change(self: Tables, attribute: Any, offsets: dict[str, int], own: Any) -> Any:
    """What turns a value into that of the copy: indices move with what they refer to."""
    if attribute.references is None:
        return lambda value: value
    if attribute.references == "world":
        return lambda value: self.current_world
    own = dict.fromkeys(self.custom_frequencies, 0) | {
        attribute.frequency_key: 0,
        **own,
    }
    offset = _offset(attribute.references, offsets, own)

    def moved(value: Any) -> Any:
        if isinstance(value, int | np.integer):
            return value + offset if value >= 0 else value
        if isinstance(value, list | tuple):
            return type(value)(moved(v) for v in value)
        return value + offset if offset else value

    return moved
