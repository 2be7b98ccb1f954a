"""Entries of a builder's lists: each is what its column holds, or its owner is told.

Scripts write into these lists as they like; kernels read them without looking.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import warp as wp

from unibody.errors import InvalidArgumentError
from unibody.newton.builder.tables import COLUMNS, JOINT_SPACES, Column, Tables
from unibody.newton.enums import EqType, GeoType, JointType, ShapeFlags
from unibody.newton.heightfield import Heightfield
from unibody.newton.mesh import Mesh

WIDTHS: dict[Any, int] = {wp.vec2: 2, wp.vec3: 3, wp.transform: 7, wp.spatial_vector: 6}
WIDTHS |= {wp.mat22: 4, wp.mat33: 9}
WIDTHS |= {
    "tri_indices": 3, "tri_materials": 5, "edge_indices": 4, "edge_bending_properties": 2,
    "tet_indices": 4, "tet_materials": 3, "muscle_params": 5, "joint_dof_dim": 2,
    "equality_constraint_polycoef": 5,
}  # fmt: skip
"""Numbers of an entry, by its type or its column; 1 of others."""

_KINDS: dict[str, Any] = {
    "shape_type": GeoType,
    "joint_type": JointType,
    "equality_constraint_type": EqType,
}
_SOURCES: dict[int, Any] = {
    GeoType.MESH: Mesh,
    GeoType.CONVEX_MESH: Mesh,
    GeoType.HFIELD: Heightfield,
}
_NEEDS: dict[Any, str] = {Mesh: "vertices", Heightfield: "hx"}
_SIZES = {
    GeoType.SPHERE: (0,),
    GeoType.CAPSULE: (0,),
    GeoType.CYLINDER: (0, 1),
    GeoType.CONE: (0, 1),
    GeoType.BOX: (0, 1, 2),
    GeoType.ELLIPSOID: (0, 1, 2),
}
"""Which numbers of its scale a solid has no volume without."""
_INT32 = np.iinfo(np.int32)


def as_array(rows: list[Any], dtype: Any = np.float32) -> np.ndarray:
    """A list of numbers, vectors or matrices of Warp's, tuples or lists, as an array."""
    first = type(rows[0]) if rows else float
    if hasattr(first, "_length_") and len(set(map(type, rows))) == 1:
        # Warp's values are buffers: an order of magnitude faster than number by number.
        flat = np.frombuffer(b"".join(map(bytes, rows)), dtype=np.float32)
        return flat.reshape(len(rows), -1).astype(dtype, copy=False)
    try:
        return np.array(rows, dtype=dtype)
    except (TypeError, ValueError):
        return np.array([[float(v) for v in row] for row in rows], dtype=dtype)


def check_entries(self: Tables) -> dict[str, np.ndarray]:
    """Check that each entry is what its column holds.

    Returns:
        The columns that a model has as arrays, with one row an entity.

    Raises:
        ValueError: One is not; the message names its owner.
    """
    tables: dict[str, np.ndarray] = {}
    for column in COLUMNS:
        rows = getattr(self, column.name)
        if column.dtype is None or not rows:
            continue
        width = WIDTHS.get(column.name, WIDTHS.get(column.dtype, 1))
        table = _table(rows, column, width)
        if table is None:
            raise _told(self, column, rows, width)
        tables[column.name] = table
    _check_keys(self)
    _check_kinds(self)
    check_sources(self)
    if self.shape_count:
        _check_sizes(self, tables["shape_scale"])
    return tables


def _table(rows: list[Any], column: Column, width: int) -> np.ndarray | None:
    """The rows as an array, (rows,) or (rows, width), or None where one does not fit."""
    whole = column.dtype in {wp.int32, wp.bool}
    try:
        with np.errstate(over="ignore"):  # what single precision has not is found to be infinite
            table = np.array(rows) if whole else as_array(rows)
    except (TypeError, ValueError, OverflowError, AttributeError):
        return None
    if table.size != len(rows) * width or (width == 1 and table.ndim != 1):
        return None
    if whole and not _is_whole(table):
        return None
    return table if width == 1 else table.reshape(len(rows), width)


def _is_whole(table: np.ndarray) -> bool:
    if table.dtype.kind in "iu":
        return bool(_INT32.min <= table.min() and table.max() <= _INT32.max)
    if table.dtype.kind == "f":
        return bool((table == np.round(table)).all() and (np.abs(table) <= _INT32.max).all())
    if table.dtype.kind == "O":  # scalars of Warp's
        try:
            return all(int(v) == float(v) for v in table.reshape(-1).tolist())
        except (TypeError, ValueError, OverflowError):
            return False
    return table.dtype.kind == "b"


def _told(self: Tables, column: Column, rows: list[Any], width: int) -> ValueError:
    what = "whole number" if column.dtype in {wp.int32, wp.bool} else "number"
    expected = f"a {what}" if width == 1 else f"{width} {what}s"
    expected += ": integer indices of 32 bits" if column.refers_to else ""
    for index, row in enumerate(rows):
        if _table([row], column, width) is None:
            owner = self.label_of(column.entity, index)
            return ValueError(f"{column.name} of {owner} is {row!r}: expected {expected}")
    return ValueError(f"{column.name} has entries of several kinds: expected {expected} each")


def _check_keys(self: Tables) -> None:
    for column in COLUMNS:
        if not column.name.endswith(("_key", "_label")):
            continue
        keys = getattr(self, column.name)
        try:
            set(keys)
        except TypeError:
            index, key = next((i, key) for i, key in enumerate(keys) if not _is_hashable(key))
            owner = f"{column.entity} {index}"
            raise ValueError(f"{column.name} of {owner} is {key!r}: expected a text") from None


def _is_hashable(value: Any) -> bool:
    try:
        hash(value)
    except TypeError:
        return False
    return True


def _check_kinds(self: Tables) -> None:
    for name, kind in _KINDS.items():
        values = np.array(getattr(self, name), np.int64)
        wrong = np.flatnonzero(~np.isin(values, [int(one) for one in kind]))
        if len(wrong):
            allowed = ", ".join(f"{kind.__name__}.{one.name} ({int(one)})" for one in kind)
            owner = self.label_of(name.removesuffix("_type"), int(wrong[0]))
            raise ValueError(f"{name} of {owner} is {values[wrong[0]]}: expected one of {allowed}")


def check_sources(self: Tables) -> None:
    """Check that meshes and height fields have what they are made of.

    Raises:
        ValueError: One has not.
    """
    kinds = np.array(self.shape_type, np.int64)
    made_of = np.flatnonzero(np.isin(kinds, list(_SOURCES))).tolist()
    given = [i for i, source in enumerate(self.shape_source) if source is not None]
    for shape in (*made_of, *given):
        source, needed = self.shape_source[shape], _SOURCES.get(int(kinds[shape]))
        if not hasattr(source, _NEEDS.get(needed, "finalize")) or not hasattr(source, "finalize"):
            wanted = "None, or a Mesh" if needed is None else f"a {needed.__name__}"
            raise ValueError(
                f"shape_source of {self.label_of('shape', shape)} is {source!r}: expected {wanted}"
                f" for GeoType.{GeoType(int(kinds[shape])).name}"
            )


def _check_sizes(self: Tables, scale: np.ndarray) -> None:
    kinds, flags = np.array(self.shape_type, int), np.array(self.shape_flags, int)
    collides = (flags & int(ShapeFlags.COLLIDE_SHAPES | ShapeFlags.COLLIDE_PARTICLES)) != 0
    for kind, used in _SIZES.items():
        chosen = np.flatnonzero(collides & (kinds == kind))
        wrong = chosen[~(scale[chosen][:, used] > 0.0).all(axis=1)]
        if len(wrong):
            shape = int(wrong[0])
            sizes = tuple(scale[shape, used].tolist())
            raise ValueError(
                f"shape_scale of {self.label_of('shape', shape)} is {sizes}: expected positive"
                f" sizes for a GeoType.{kind.name} that collides"
            )


def check_spaces(self: Tables) -> None:
    """Check that joints begin where the coordinates of those before them end.

    Raises:
        ValueError: One does not, or there are not as many coordinates as joints have.
    """
    if not self.joint_count:
        return
    rows = np.column_stack(
        [
            np.array(self.joint_type, np.int64),
            np.array(self.joint_dof_dim, np.int64).reshape(-1, 2),
        ]
    )
    combinations, which = np.unique(rows, axis=0, return_inverse=True)
    sizes = np.array(
        [
            (*JointType(kind).dof_count(a + b), JointType(kind).constraint_count(a + b))
            for kind, a, b in combinations.tolist()
        ]
    )
    for place, (space, short) in enumerate(JOINT_SPACES.items()):
        ends = np.cumsum(sizes[which.reshape(-1), place])
        name = f"joint_{short}_start"
        starts = np.array(getattr(self, name))
        expected = np.concatenate([[0], ends[:-1]])
        wrong = np.flatnonzero(starts != expected)
        if len(wrong):
            joint = int(wrong[0])
            raise ValueError(
                f"{name} of {self.label_of('joint', joint)} is {starts[joint]}:"
                f" expected {expected[joint]}, where the joint before it ends"
            )
        if ends[-1] != self.count(space):
            raise ValueError(
                f"{space}_count is {self.count(space)}: expected {ends[-1]}, which the kinds and"
                " axes of all joints make"
            )


def check_articulations(self: Tables) -> None:
    """Check that the joints of an articulation lie between its start and that of the next.

    Raises:
        ValueError: One does not.
    """
    starts = np.array([*self.articulation_start, self.joint_count], np.int64)
    outside = np.flatnonzero((starts < 0) | (starts > self.joint_count))
    if len(outside):
        owner = self.label_of("articulation", int(outside[0]))
        raise ValueError(
            f"articulation_start of {owner} is {starts[outside[0]]}: expected 0 to"
            f" {self.joint_count} (joint_count={self.joint_count})"
        )
    owners = np.array(self.joint_articulation, np.int64)
    owned = np.flatnonzero(owners >= 0)
    of = owners[owned]
    wrong = owned[(owned < starts[of]) | (owned >= starts[of + 1])]
    if len(wrong):
        joint, owner = int(wrong[0]), int(owners[wrong[0]])
        raise ValueError(
            f"joint_articulation of {self.label_of('joint', joint)} is {owner}: expected one"
            f" whose joints it is among; those of {self.label_of('articulation', owner)} are"
            f" {starts[owner]} to {starts[owner + 1] - 1}"
        )


def check_lists(self: Tables) -> None:
    """Check the indices that are in lists of their own: of springs, muscles and colours.

    Raises:
        ValueError: One refers to nothing.
    """
    _check_flat("spring_indices", self.spring_indices, "particle", self.particle_count)
    _check_flat("muscle_bodies", self.muscle_bodies, "body", self.body_count)
    _check_flat("muscle_start", self.muscle_start, "point", len(self.muscle_bodies) + 1)
    if len(self.spring_indices) != 2 * self.spring_count:
        found, expected = len(self.spring_indices), 2 * self.spring_count
        raise ValueError(
            f"spring_indices has length {found}, but expected {expected}, two of each spring"
        )
    for entity in ("particle", "body"):
        for number, group in enumerate(getattr(self, f"{entity}_color_groups")):
            name = f"{entity}_color_groups[{number}]"
            _check_flat(name, group, entity, self.count(entity))


def _check_flat(name: str, rows: Any, entity: str, count: int) -> None:
    if not len(rows):
        return
    table = np.array(rows)
    if table.ndim != 1 or table.dtype.kind not in "iu":
        raise ValueError(f"{name} is {rows!r}: expected whole numbers")
    wrong = np.flatnonzero((table < 0) | (table >= count))
    if len(wrong):
        i = int(wrong[0])
        raise ValueError(
            f"{name}[{i}] refers to {entity} {table[i]}, but valid range is [0, {count - 1}], below"
            f" the {entity} count ({entity}_count={count})"
        )


def color_groups(groups: Any, argument: str) -> list[np.ndarray]:
    """Groups of indices as arrays.

    Raises:
        InvalidArgumentError: They are no lists of whole numbers.
    """
    try:
        tables = [np.asarray(group) for group in groups]
    except (TypeError, ValueError):
        tables = [np.zeros((1, 1))]
    if any(t.ndim != 1 or (t.size and t.dtype.kind not in "iu") for t in tables):
        raise InvalidArgumentError(argument, groups, "lists of indices, one a colour")
    return [table.astype(np.int32) for table in tables]
