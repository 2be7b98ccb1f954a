"""Copies of a builder inside another one: any number of them at once, list by list."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
import warp as wp

from unibody.newton import convert, poses
from unibody.newton.builder import coloring, custom, references, tendons
from unibody.newton.builder.entries import as_array
from unibody.newton.builder.joints import note_neighbours
from unibody.newton.builder.tables import COLUMNS, COUNTED_BY, JOINT_SPACES, Tables
from unibody.newton.dialect import is_after_first_of_1
from unibody.newton.enums import AttributeFrequency, JointType

_STARTS = {f"joint_{short}_start": space for space, short in JOINT_SPACES.items()}
_NAMES = tuple(column.name for column in COLUMNS if column.name.endswith(("_key", "_label")))


class _Places(NamedTuple):
    """Where copies lie.

    Attributes:
        worlds: World of each copy.
        first: Entity -> index of the first one of the first copy.
        sizes: Entity -> how many there are in a copy.
    """

    worlds: Sequence[int]
    first: dict[str, int]
    sizes: dict[str, int]

    def offsets(self, entity: str) -> np.ndarray:
        """Index of the first one of each copy."""
        return self.first[entity] + self.sizes[entity] * np.arange(len(self.worlds))

    def of_copy(self, copy: int) -> dict[str, int]:
        """Entity -> index of the first one of a copy."""
        return {name: start + copy * self.sizes[name] for name, start in self.first.items()}


def append(
    self: Tables,
    builder: Tables,
    worlds: Sequence[int],
    xforms: Sequence[wp.transform | None],
    prefixes: Sequence[str | None],
) -> None:
    """Append copies of a builder.

    Args:
        self: What is appended to.
        builder: What is copied.
        worlds: World of each copy; -1: all worlds.
        xforms: Of each copy: moves what is not held by something else.
        prefixes: Of each copy: in front of the names, with a slash.
    """
    entities = (*COUNTED_BY, *JOINT_SPACES)
    first = {entity: self.count(entity) for entity in entities}
    places = _Places(worlds, first, {entity: builder.count(entity) for entity in entities})
    _copy_custom(self, builder, places)
    _copy_colors(self, builder, places)
    _copy_columns(self, builder, places, prefixes)
    _copy_links(self, builder, places)
    _move(self, builder, places, xforms)
    for space in JOINT_SPACES:
        name = f"{space}_count"
        setattr(self, name, getattr(self, name) + len(worlds) * getattr(builder, name))


def _copy_columns(
    self: Tables, builder: Tables, places: _Places, prefixes: Sequence[str | None]
) -> None:
    count = len(places.worlds)
    for column in COLUMNS:
        rows = getattr(builder, column.name)
        if not rows:
            continue
        if column.world:
            rows = np.repeat(np.array(places.worlds), len(rows)).tolist()
        elif column.refers_to or column.bounds:
            rows = _shifted(rows, places.offsets(column.refers_to or column.bounds))
        elif column.name in _STARTS:
            rows = _shifted(rows, places.offsets(_STARTS[column.name]))
        elif any(prefixes) and column.name in _NAMES:
            rows = [_prefixed(name, prefix) for prefix in prefixes for name in rows]
        else:
            rows = rows * count
        getattr(self, column.name).extend(rows)


def _prefixed(name: str, prefix: str | None) -> str:
    return f"{prefix}/{name}" if prefix and name else name


def _shifted(rows: Sequence[Any], offsets: np.ndarray) -> list[Any]:
    """Indices of all copies; negative ones stand for nothing or the world, and stay."""
    table = np.array(list(rows), dtype=np.int64)
    by_copy = offsets.reshape(-1, *(1,) * table.ndim)
    moved = np.where(table >= 0, table + by_copy, table).reshape(-1, *table.shape[1:]).tolist()
    return [tuple(row) for row in moved] if table.ndim > 1 else moved


def _copy_links(self: Tables, builder: Tables, places: _Places) -> None:
    """What is not a list with one entry an entity: springs, muscles, neighbours, filters."""
    count = len(places.worlds)
    body, shape = places.offsets("body"), places.offsets("shape")
    self.spring_indices.extend(_shifted(builder.spring_indices, places.offsets("particle")))
    points = len(self.muscle_bodies) + len(builder.muscle_bodies) * np.arange(count)
    self.muscle_start.extend(_shifted(builder.muscle_start, points))
    self.muscle_bodies.extend(_shifted(builder.muscle_bodies, body))
    self.muscle_points.extend(builder.muscle_points * count)
    _copy_lists(self.body_shapes, builder.body_shapes, body, shape)
    parents: dict[int, list[int]] = {}
    children: dict[int, list[int]] = {}
    for parent, child in zip(builder.joint_parent, builder.joint_child, strict=True):
        note_neighbours(parents, children, parent, child)
    _copy_lists(self.joint_parents, parents, body, body)
    _copy_lists(self.joint_children, children, body, body)
    self.shape_collision_filter_pairs.extend(_shifted(builder.shape_collision_filter_pairs, shape))
    if builder.particle_count:
        self.particle_max_velocity = builder.particle_max_velocity


def _copy_lists(
    into: dict[int, list[int]],
    lists: dict[int, list[int]],
    keys: np.ndarray,
    values: np.ndarray,
) -> None:
    """Copy lists of indices by body; those of the world (-1) are one list for all copies."""
    owned = {key: rows for key, rows in lists.items() if key >= 0}
    if owned:
        tables = [
            np.where(np.array(rows) >= 0, np.array(rows, np.int64) + values[:, None], rows).tolist()
            for rows in owned.values()
        ]
        owners = (keys[:, None] + np.array(list(owned))).ravel().tolist()
        into.update(zip(owners, chain.from_iterable(zip(*tables, strict=True)), strict=True))
    if lists.get(-1):
        into.setdefault(-1, []).extend(_shifted(lists[-1], values))


def _copy_colors(self: Tables, builder: Tables, places: _Places) -> None:
    for name, entity in (("particle_color_groups", "particle"), ("body_color_groups", "body")):
        groups = getattr(builder, name)
        if not groups:
            continue
        offsets = places.offsets(entity)[:, None]
        moved = [(np.asarray(group) + offsets).ravel() for group in groups]
        setattr(self, name, coloring.combined(getattr(self, name), moved))


def _move(
    self: Tables, builder: Tables, places: _Places, xforms: Sequence[wp.transform | None]
) -> None:
    """Move copies: bodies, what is fixed to the world, and particles."""
    moved = [(copy, xform) for copy, xform in enumerate(xforms) if xform is not None]
    if not moved:
        return
    copies = np.array([copy for copy, _ in moved])
    moves = as_array([xform for _, xform in moved], np.float32)
    by = moves[:, None]
    fixed = np.flatnonzero(np.array(builder.shape_body) == -1)
    kinds, parents = np.array(builder.joint_type), np.array(builder.joint_parent)
    free = np.flatnonzero(kinds == JointType.FREE)
    rooted = np.flatnonzero((kinds != JointType.FREE) & (parents == -1))
    for name, entity, local in (
        ("body_q", "body", np.arange(builder.body_count)),
        ("shape_transform", "shape", fixed),
        ("joint_X_p", "joint", rooted),
    ):
        rows = getattr(self, name)
        own = [getattr(builder, name)[i] for i in local.tolist()]
        if own:
            at = places.offsets(entity)[copies][:, None] + local
            table = poses.multiply(by, as_array(own, np.float32).reshape(1, -1, 7))
            for i, pose in zip(at.ravel().tolist(), _transforms(table), strict=True):
                rows[i] = pose
    if is_after_first_of_1():
        free = free[parents[free] == -1]  # those of others move with their parents
    if len(free):
        starts = np.array(builder.joint_q_start)[free]
        own = np.array(builder.joint_q, np.float32)[starts[:, None] + np.arange(7)][None]
        if is_after_first_of_1():
            anchors = as_array([builder.joint_X_p[i] for i in free.tolist()], np.float32)[None]
            by = poses.multiply(poses.multiply(poses.inverse(anchors), by), anchors)
        table = poses.multiply(by, own).reshape(-1, 7).tolist()
        at = places.offsets("joint_coord")[copies][:, None] + starts
        for q, pose in zip(at.ravel().tolist(), table, strict=True):
            self.joint_q[q : q + 7] = pose
    hung = [n for n, body in enumerate(builder.tendon_guide_body) if body == -1]
    for copy, xform in moved if hung else []:
        first = places.offsets("tendon_guide")[copy]
        tendons.move_guides(self, [first + n for n in hung], xform)
    if builder.particle_count:
        points = np.array([[float(v) for v in q] for q in builder.particle_q])
        for first, pose in zip(places.offsets("particle")[copies].tolist(), moves, strict=True):
            turned = points @ convert.rotation(pose[3:]).T + pose[:3]
            self.particle_q[first : first + len(points)] = turned.tolist()


def _transforms(table: np.ndarray) -> list[wp.transform]:
    """Rows of seven numbers as Warp's transforms; they lie in one buffer."""
    rows = np.ascontiguousarray(table.reshape(-1, 7), dtype=np.float32)
    return list((wp.transform * len(rows)).from_buffer(rows))


def check_attributes(self: Tables, builder: Tables) -> None:
    """Check that attributes of two builders that have one name are the same, before one is copied.

    Raises:
        ValueError: They are not.
    """
    rows = custom.frequency_counts(builder)
    known = {*self.custom_frequencies, *builder.custom_frequencies, *rows}
    known |= {*custom.frequency_counts(self), *COUNTED_BY} - {*references.OBJECTS}
    for key, attribute in builder.custom_attributes.items():
        target = references.domain(attribute.references)
        used = attribute.values or rows.get(str(attribute.frequency_key))
        if used and isinstance(target, str) and target not in known | {attribute.frequency_key}:
            raise _unknown(target)
        merged = self.custom_attributes.get(key)
        if merged is None:
            continue
        custom.check_same(merged, attribute)
        if not _same(merged.default, attribute.default):
            raise ValueError(
                f"Custom attribute {key!r} default mismatch when merging builders:"
                f" existing={merged.default!r}, incoming={attribute.default!r}"
            )


def _copy_custom(self: Tables, builder: Tables, places: _Places) -> None:
    own, more = custom.frequency_counts(self), custom.frequency_counts(builder)
    self.custom_frequencies = {**builder.custom_frequencies, **self.custom_frequencies}
    for key, attribute in builder.custom_attributes.items():
        is_new = key not in self.custom_attributes
        merged = self.custom_attributes.setdefault(key, attribute)
        if is_new:
            merged = self.custom_attributes[key] = replace(attribute, values=None)
        for copy, world in enumerate(places.worlds):
            offsets = places.of_copy(copy)
            there = {name: own.get(name, 0) + copy * more.get(name, 0) for name in {**own, **more}}
            values: Any = attribute.values
            change: Any = None
            if attribute.reference_value_transformer is not None:
                if not values:
                    break
                context = {"builder": builder, "world": world}
                context["entity_offsets"] = {**there, **offsets}
                values = _transformed(attribute, context)
            elif attribute.references is not None:
                count = _rows_of(builder, attribute, more, world, is_new=is_new and copy == 0)
                if not values and not count:
                    continue
                change = _value_change(self, attribute, offsets, there, world)
                if references.has_indices_by_default(attribute, change):
                    values = references.with_defaults(attribute, count)
            if not values:
                continue
            if isinstance(values, list):
                missing = there.get(attribute.frequency_key, 0) - len(merged.values)
                merged.values.extend([None] * missing)
                merged.values.extend(_changed(v, change) for v in values)
            else:
                start = _first_index(attribute.frequency, offsets, world)
                merged.values.update({start + i: _changed(v, change) for i, v in values.items()})


def _rows_of(
    builder: Tables, attribute: Any, custom_rows: dict[str, int], world: int, *, is_new: bool
) -> int:
    """How many values of an attribute a copy has, those that are its default included."""
    frequency = attribute.frequency_key
    if isinstance(frequency, str):
        return custom_rows.get(frequency, 0)
    if frequency == AttributeFrequency.ONCE:
        return int(is_new)  # a default is no reason to replace the value that there is
    if frequency == AttributeFrequency.WORLD:
        return int(world >= 0)
    return builder.count(references.entity_of(frequency))


def _changed(value: Any, change: Any) -> Any:
    return None if value is None else references.moved(value, change) if change else value


def _transformed(attribute: Any, context: dict[str, Any]) -> Any:
    """The values of a copy, by the attribute's own function."""
    given = attribute.values
    rows = list(range(len(given))) if isinstance(given, list) else list(given)
    values = list(given) if isinstance(given, list) else list(given.values())
    found = list(attribute.reference_value_transformer(values, {**context, "row_indices": rows}))
    if len(found) != len(values):
        raise ValueError(
            f"reference_value_transformer of {attribute.key!r} returned {len(found)} values,"
            f" expected {len(values)}"
        )
    return found if isinstance(given, list) else dict(zip(rows, found, strict=True))


def _same(first: Any, second: Any) -> bool:
    if first is second:
        return True
    try:
        return bool(np.array_equal(np.array(first), np.array(second)))
    except (TypeError, ValueError):
        return first == second


def _first_index(frequency: Any, offsets: dict[str, int], world: int) -> int:
    if frequency == AttributeFrequency.ONCE:
        return 0
    if frequency == AttributeFrequency.WORLD:
        return max(world, 0)
    return offsets[references.entity_of(frequency)]


def _offset(name: Any, offsets: dict[str, int], own: dict[str, int]) -> int:
    if isinstance(name, AttributeFrequency):
        return offsets[references.entity_of(name)]
    return own[name] if name in own else offsets[name]


def _unknown(name: str) -> ValueError:
    return ValueError(
        f"Unknown references value {name!r}: expected one of {sorted(COUNTED_BY)}, world, or a"
        " custom frequency"
    )


def _value_change(
    self: Tables, attribute: Any, offsets: dict[str, int], own: Any, world: int
) -> Any:
    """What turns an index into that of the copy: it moves with what it refers to."""
    target = references.domain(attribute.references)
    if target == AttributeFrequency.WORLD:
        return lambda _: world
    own = dict.fromkeys(self.custom_frequencies, 0) | {attribute.frequency_key: 0, **own}
    offset = _offset(target, offsets, own)
    return lambda index: index + offset if index >= 0 else index
