"""Checks of a whole builder: each says which entity, which value, and what is allowed."""

from __future__ import annotations

import warnings

import numpy as np

from unibody.newton.builder import entries
from unibody.newton.builder.tables import COLUMNS, COUNTED_BY, LATER_LISTS, Tables, columns_of
from unibody.newton.dialect import in_use, is_after_first_of_1
from unibody.newton.enums import BodyFlags, ShapeFlags

_MEETS = int(ShapeFlags.COLLIDE_SHAPES | ShapeFlags.COLLIDE_PARTICLES)
_LATER_NAME = {name: later for later, name in LATER_LISTS.items()}
_SHOWN = 5  # entities that a message names
_NOTES = {
    "joint_child": ". Child cannot be the world (-1)",
    "tri_indices": ": indices are below the particle count",
    "tet_indices": ": indices are below the particle count",
    "edge_indices": ": indices are below the particle count, and -1 stands for no opposite vertex",
}


def check_structure(self: Tables) -> dict[str, np.ndarray]:
    """Check lengths of lists, references, starts, trees and finite numbers.

    Returns:
        The columns that a model has as arrays, with one row an entity.

    Raises:
        ValueError: Something does not fit.
    """
    tables = check_references(self)
    _check_starts(self)
    _check_trees(self)
    entries.check_spaces(self)
    entries.check_articulations(self)
    entries.check_lists(self)
    _check_finite(self, tables)
    _check_gravity(self)
    _check_body_flags(self)
    return tables


def check_references(self: Tables) -> dict[str, np.ndarray]:
    """Check lengths of lists, what their entries are, and that indices refer to something.

    Returns:
        The columns that a model has as arrays, with one row an entity.

    Raises:
        ValueError: Something does not fit.
    """
    _check_lengths(self)
    tables = entries.check_entries(self)
    for column in COLUMNS:
        if column.refers_to and column.name != "articulation_start":
            _check_references(self, column.name, column.entity, column.refers_to)
    return tables


def _check_lengths(self: Tables) -> None:
    for column in COLUMNS:
        found, expected = len(getattr(self, column.name)), self.count(column.entity)
        if found != expected:
            raise ValueError(
                f"Array length mismatch: {column.name} has length {found}, but expected"
                f" {expected} ({column.entity}_count)"
            )


def _check_references(self: Tables, name: str, entity: str, target: str) -> None:
    rows = np.array(getattr(self, name), dtype=np.int64)
    if not rows.size:
        return
    held = name.startswith("attachment_")
    lowest = 0 if held or name in {"joint_child", "tri_indices", "tet_indices"} else -1
    count = self.count(target)
    wrong = ((rows < lowest) | (rows >= count)).reshape(len(rows), -1).any(axis=1)
    if wrong.any():
        index = int(np.flatnonzero(wrong)[0])
        value = rows[index].tolist()
        raise ValueError(
            f"Invalid {target} reference in {name}: {self.label_of(entity, index)} refers to"
            f" {target} {value}, but valid range is [{lowest},"
            f" {count - 1}] ({target}_count={count})" + _NOTES.get(name, "")
        )


def _check_starts(self: Tables) -> None:
    for name in ("joint_q_start", "joint_qd_start", "articulation_start", "muscle_start"):
        starts = np.array(getattr(self, name), dtype=np.int64)
        falls = np.flatnonzero(np.diff(starts) < 0)
        if len(falls):
            i = int(falls[0])
            raise ValueError(
                f"{name} is not monotonically increasing: {name}[{i}]={starts[i]} >"
                f" {name}[{i + 1}]={starts[i + 1]}"
            )


def _check_trees(self: Tables) -> None:
    """No joint connects a body with itself, and no body of an articulation is its own ancestor."""
    first: dict[int, tuple[int, int]] = {}
    last: dict[int, tuple[int, int]] = {}
    for joint, (parent, child) in enumerate(zip(self.joint_parent, self.joint_child, strict=True)):
        if parent == child:
            raise ValueError(
                f"Self-referential joint: {self.label_of('joint', joint)} has parent and child"
                f" both set to body {parent}"
            )
        if self.joint_articulation[joint] >= 0:
            first.setdefault(child, (parent, joint))
            last[child] = (parent, joint)
    _check_cycles(self, first)
    if last != first:  # a body is the child of several joints, the last of which models go by
        _check_cycles(self, last)


def _check_cycles(self: Tables, above: dict[int, tuple[int, int]]) -> None:
    """``above`` has the parent of each child, and their joint."""
    safe: set[int] = {-1}
    for body in above:
        path: dict[int, None] = {}
        at = body
        while at in above and at not in safe:
            if at in path:
                cycle = [*list(path)[list(path).index(at) :], at]
                joint = self.label_of("joint", above[at][1])
                raise ValueError(
                    f"Cyclic joints: the bodies {cycle} are each the child of the next; leave"
                    f" {joint} out of its articulation, as a joint that closes a loop"
                )
            path[at] = None
            at = above[at][0]
        safe.update(path)


_MAY_BE_INFINITE = (
    *("joint_limit_lower", "joint_limit_upper", "joint_effort_limit"),
    "attachment_particle_body_stiffness",
)


_CORRECTED_LATER = ("body_mass", "body_inertia", "body_inv_mass", "body_inv_inertia")
"""Where 1.x takes zero for what is no number."""


def _check_finite(self: Tables, tables: dict[str, np.ndarray]) -> None:
    later = is_after_first_of_1()
    for column in COLUMNS:
        table = tables.get(column.name)
        if table is None or table.dtype.kind != "f" or (later and column.name in _CORRECTED_LATER):
            continue
        if later and column.name.startswith(_MATERIAL):
            continue  # see check_materials
        loose = column.name in _MAY_BE_INFINITE or column.name == "joint_velocity_limit"
        wrong = np.isnan(table) if loose else ~np.isfinite(table)
        wrong = wrong.reshape(len(table), -1).any(axis=1)
        if wrong.any():
            index = int(np.flatnonzero(wrong)[0])
            owner = self.label_of(column.entity, index)
            raise ValueError(
                f"{column.name} of {owner} is {table[index].tolist()}: expected finite numbers"
            )


_MATERIAL = "shape_material_"


def check_materials(self: Tables) -> None:
    """Check that shapes that collide have finite materials; those of others are not used.

    Raises:
        ValueError: One has not.
    """
    collides = [shape for shape, flags in enumerate(self.shape_flags) if int(flags) & _MEETS]
    for column in columns_of("shape"):
        if not column.name.startswith(_MATERIAL) or not collides:
            continue
        rows = getattr(self, column.name)
        values = np.array([rows[shape] for shape in collides], dtype=float)
        wrong = np.flatnonzero(~np.isfinite(values))
        if len(wrong):
            name = _LATER_NAME.get(column.name, column.name)
            owner = self.label_of("shape", collides[wrong[0]])
            raise ValueError(f"{name} of {owner} is {values[wrong[0]]}: expected a finite number")


def _check_gravity(self: Tables) -> None:
    if _is_finite(self._gravity) and _is_finite(self.world_gravity):
        return
    rows = [(f"gravity of world {world}", row) for world, row in enumerate(self.world_gravity)]
    for name, value in (("gravity", self._gravity), *rows):
        if not _is_finite(value):
            raise ValueError(f"{name} is {value!r}: expected finite numbers")


def _is_finite(value: object) -> bool:
    try:
        return bool(np.isfinite(np.array(value, dtype=float)).all())
    except (TypeError, ValueError):
        return False


def _check_body_flags(self: Tables) -> None:
    allowed = (int(BodyFlags.DYNAMIC), int(BodyFlags.KINEMATIC))
    for body, flags in enumerate(self.body_flags):
        if int(flags) not in allowed:
            raise ValueError(
                f"Invalid body flag: body_flags of {self.label_of('body', body)} is {int(flags)},"
                f" expected BodyFlags.DYNAMIC ({allowed[0]}) or BodyFlags.KINEMATIC ({allowed[1]})"
            )


def check_worlds(self: Tables) -> None:
    """Check that entities are in the order of their worlds.

    Raises:
        ValueError: They are not.
    """
    seen: set[int] = set()
    for entity in COUNTED_BY:
        worlds = np.array(getattr(self, f"{entity}_world", []), dtype=np.int64)
        if len(worlds):
            _check_order(f"{entity}_world", worlds, self.num_worlds)
            seen.update(worlds[worlds >= 0].tolist())
    missing = sorted(set(range(max(seen, default=-1) + 1)) - seen)
    if missing:
        raise ValueError(
            f"World indices are not contiguous. Missing world(s): {missing}."
            f" Found worlds: {sorted(seen)}. A world has at least one entity"
        )


def _check_order(name: str, worlds: np.ndarray, count: int) -> None:
    wrong = np.flatnonzero((worlds < -1) | (worlds >= count))
    if len(wrong):
        raise ValueError(
            f"Invalid world index in {name}: found value(s) {worlds[wrong].tolist()} at indices"
            f" {wrong.tolist()}. Valid range is -1 to {count - 1} (num_worlds={count})"
        )
    own = np.flatnonzero(worlds >= 0)
    if not len(own):
        return
    between = np.flatnonzero(worlds[own[0] : own[-1] + 1] == -1) + own[0]
    if len(between):
        raise ValueError(
            f"Invalid world ordering in {name}: global entities (world -1) must only appear at the"
            f" beginning or end, not in the middle. Found -1 at indices {between.tolist()}"
        )
    falls = np.flatnonzero(np.diff(worlds[own]) < 0)
    if len(falls):
        i = int(falls[0])
        raise ValueError(
            f"Invalid world ordering in {name}: world indices must be monotonic (non-decreasing)."
            f" Found world {worlds[own[i + 1]]} after world {worlds[own[i]]} at index {own[i + 1]}"
        )


def check_joints(self: Tables) -> None:
    """Check that all joints belong to an articulation, but for those that close loops.

    In later releases of 1.x those that hold a body to the world may stand alone.

    Raises:
        ValueError: A joint belongs to none.
    """
    if is_after_first_of_1():
        _check_apart(self)
    reached = {-1}
    for joint, owner in enumerate(self.joint_articulation):
        if owner >= 0:
            reached.update((self.joint_parent[joint], self.joint_child[joint]))
    orphans = [
        joint
        for joint, owner in enumerate(self.joint_articulation)
        if owner < 0 and self.joint_child[joint] not in reached
    ]
    if is_after_first_of_1():
        orphans = [joint for joint in orphans if self.joint_parent[joint] >= 0]
    if orphans:
        names = [self.joint_key[joint] for joint in orphans[:_SHOWN]]
        more = "..." if len(orphans) > _SHOWN else ""
        raise ValueError(
            f"Found {len(orphans)} joint(s) not belonging to any articulation. Call"
            f" add_articulation() for all joints. Orphan joints: {names}{more}"
        )


def _check_apart(self: Tables) -> None:
    """No joint of an articulation hangs on a body that only another one moves."""
    owners: dict[int, set[int]] = {}
    for child, owner in zip(self.joint_child, self.joint_articulation, strict=True):
        if owner >= 0:
            owners.setdefault(child, set()).add(owner)
    for joint, owner in enumerate(self.joint_articulation):
        others = owners.get(self.joint_parent[joint], set())
        if owner >= 0 and others and owner not in others:
            raise ValueError(
                f"{self.label_of('joint', joint)} of {self.label_of('articulation', owner)} has the"
                f" parent {self.label_of('body', self.joint_parent[joint])} of"
                f" {self.label_of('articulation', min(others))}: articulations cannot be connected"
                " by joints. All joints between them belong to one articulation"
            )


def check_shapes(self: Tables) -> bool:
    """Warn of shapes that are thicker than the distance from which contacts are looked for.

    Returns:
        Whether there is none.
    """
    within = 0.0 if in_use() == "1" else 1.0  # there margins are what is beyond the thickness
    thin = [
        f"{key} (contact_margin={margin:.6g}, thickness={thickness:.6g})"
        for key, flags, margin, thickness in zip(
            self.shape_key,
            self.shape_flags,
            self.shape_contact_margin,
            self.shape_thickness,
            strict=True,
        )
        if int(flags) & _MEETS and margin < within * thickness
    ]
    if thin:
        warnings.warn(
            f"Found {len(thin)} shape(s) with contact_margin < thickness (gap < 0), which"
            f" can cause missed collisions: expected contact_margin >= thickness: {thin[:_SHOWN]}",
            stacklevel=3,
        )
    return not thin


def validate_joint_ordering(self: Tables) -> bool:
    """Whether the joints of all articulations are in an order of depth first; warns if not."""
    ordered = True
    for number, key in enumerate(self.articulation_key):
        joints = [j for j, owner in enumerate(self.joint_articulation) if owner == number]
        expected = _depth_first(self, joints)
        if expected != joints:
            warnings.warn(
                f"Joints in articulation {key!r} (id={number}) are not in DFS topological order."
                f" Current order: {joints}, expected: {expected}",
                stacklevel=2,
            )
            ordered = False
    return ordered


def _depth_first(self: Tables, joints: list[int]) -> list[int]:
    below: dict[int, list[int]] = {}
    for joint in joints:
        below.setdefault(self.joint_parent[joint], []).append(joint)
    children = {self.joint_child[joint] for joint in joints}
    roots = [joint for joint in joints if self.joint_parent[joint] not in children]
    order: list[int] = []
    stack = roots[::-1]
    while stack:
        joint = stack.pop()
        if joint in order:
            break
        order.append(joint)
        stack.extend(below.get(self.joint_child[joint], [])[::-1])
    return order
