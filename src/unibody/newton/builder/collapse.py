"""Bodies that fixed joints hold together become one."""

from __future__ import annotations

import warnings
from collections.abc import Collection
from typing import Any

import numpy as np
import warp as wp

from unibody.newton import convert
from unibody.newton.builder import custom, objects, references, tendons
from unibody.newton.builder.bodies import body_properties, joined, set_properties
from unibody.newton.builder.joints import note_neighbours
from unibody.newton.builder.tables import COLUMNS, Tables, columns_of
from unibody.newton.dialect import is_after_first_of_1
from unibody.newton.enums import AttributeFrequency, JointType
from unibody.newton.exceptions import warn

_FREE = (JointType.FREE, JointType.DISTANCE, JointType.ROD)
_SPACES = {"joint_coord": "q", "joint_dof": "qd", "joint_constraint": "cts"}


def collapse_fixed_joints(
    self: Tables, verbose: bool = False, joints_to_keep: Collection[str | int] | None = None
) -> dict[str, Any]:
    """Take away fixed joints, and make one body of those they connect.

    What a fixed joint holds to the world becomes part of the world, but for bodies that an
    equality constraint refers to.

    Args:
        self: The builder.
        verbose: Whether to print what is merged.
        joints_to_keep: Fixed joints that stay: their keys or numbers.

    Returns:
        ``body_remap``, ``joint_remap`` and ``articulation_remap``, old index -> new;
        ``body_merged_parent`` and ``body_merged_transform``, merged body -> the body it is part of
        now, old index or -1, and its pose there; ``merged_body_data``, key -> relative pose and key
        of the parent.
    """
    named = set(joints_to_keep or ())
    kept = {joint for joint, key in enumerate(self.joint_key) if key in named or joint in named}
    _warn_of_weightless(self, kept)
    _warn_of_loops(self)
    into, poses, gone = _merges(self, kept)
    data = {
        self.body_key[body]: {
            "relative_xform": poses[body],
            "parent_body": self.body_key[parent]
            if (parent := _parent(self, body)) >= 0
            else "world",
        }
        for body in into
    }
    if verbose:
        for body, target in into.items():
            name = self.body_key[target] if target >= 0 else "world"
            print(f"{self.body_key[body]} becomes part of {name}")  # noqa: T201
    for body, target in into.items():
        _move_shapes(self, body, target, poses[body])
        if target >= 0:
            _merge_mass(self, body, target, poses[body])
    _move_anchors(self, into, poses)
    bodies = [b for b in range(self.body_count) if b not in into]
    joints = [j for j in range(self.joint_count) if j not in gone]
    body_remap = {-1: -1, **{old: new for new, old in enumerate(bodies)}}
    joint_remap = {old: new for new, old in enumerate(joints)}
    follow = {**body_remap, **{b: body_remap[target] for b, target in into.items()}}
    _move_constraints(self, into, poses, follow, joint_remap)
    articulations = _articulations_left(self, joints)
    curves, gone_curves, curve_lists = objects.curves_left(self, bodies, joints)
    remaps = {"body": body_remap, "joint": joint_remap}
    remaps |= {"articulation": articulations, "curve": curves}
    _move_custom(self, remaps, {**remaps, "body": follow})
    for name, rows in curve_lists.items():
        getattr(self, name)[:] = rows
    _keep_joints(self, joints)
    _keep_bodies(self, bodies, follow)
    _renumber_articulations(self, articulations)
    self._filtered_bodies = (0, {})
    objects.tell_gone(gone_curves)
    return {
        "articulation_remap": articulations,
        "body_remap": body_remap,
        "joint_remap": joint_remap,
        "body_merged_parent": into,
        "body_merged_transform": poses,
        "merged_body_data": data,
    }


def collapse_massless_roots(builder: Any, joints: list[int]) -> None:
    """Make free roots without mass one with what fixed joints hold to them, until one has a mass.

    Args:
        builder: The builder.
        joints: Those whose roots are meant; other joints stay.
    """
    massless = {
        builder.joint_child[joint]
        for joint in joints
        if builder.joint_type[joint] == JointType.FREE and builder.joint_parent[joint] < 0
        if builder.body_mass[builder.joint_child[joint]] <= 0.0
    }
    going: set[int] = set()
    for joint in joints:  # parents come before children
        fixed = builder.joint_type[joint] == JointType.FIXED
        if fixed and builder.joint_parent[joint] in massless:
            going.add(joint)
            child = builder.joint_child[joint]
            if builder.body_mass[child] <= 0.0:
                massless.add(child)
    if going:
        kinds = enumerate(builder.joint_type)
        kept = [n for n, kind in kinds if kind == JointType.FIXED and n not in going]
        builder.collapse_fixed_joints(joints_to_keep=kept)


def _parent(self: Tables, body: int) -> int:
    return self.joint_parent[self.joint_child.index(body)]


def _warn_of_weightless(self: Tables, joints: set[int]) -> None:
    """Warn of fixed joints that stay and hold what has no mass."""
    for joint in sorted(joints):
        child = self.joint_child[joint]
        if self.joint_type[joint] == JointType.FIXED and self.body_mass[child] <= 0.0:
            warnings.warn(
                f"Skipped joint {self.joint_key[joint]} has a child {self.body_key[child]} with"
                f" zero or negative mass ({self.body_mass[child]})",
                UserWarning,
                stacklevel=3,
            )


def _merges(
    self: Tables, kept: set[int]
) -> tuple[dict[int, int], dict[int, wp.transform], set[int]]:
    """Bodies that go -> the body they become part of; their poses in it; joints that go."""
    needed = {*self.equality_constraint_body1, *self.equality_constraint_body2}
    needed.update(self.attachment_particle_body_body)
    into: dict[int, int] = {}
    poses: dict[int, wp.transform] = {}
    gone: set[int] = set()
    held: dict[int, int] = {}
    for joint, child in enumerate(self.joint_child):
        held.setdefault(child, joint)
    for joint, kind in enumerate(self.joint_type):
        child = self.joint_child[joint]
        if kind == JointType.FIXED and held[child] == joint:
            held[child] = joint

    def settle(body: int) -> tuple[int, wp.transform]:
        joint = held.get(body)
        identity = wp.transform()
        stays = joint is None or joint in kept or self.joint_type[joint] != JointType.FIXED
        if body < 0 or joint is None or stays:
            return body, identity
        if body in into:
            return into[body], poses[body]
        target, pose = settle(self.joint_parent[joint])
        if target < 0 and body in needed:
            return body, identity
        into[body] = target
        turned = wp.transform_inverse(self.joint_X_c[joint])
        poses[body] = pose * self.joint_X_p[joint] * turned
        gone.add(joint)
        return target, poses[body]

    for body in range(self.body_count):
        settle(body)
    return into, poses, gone


def _move_shapes(self: Tables, body: int, target: int, pose: wp.transform) -> None:
    for shape in self.body_shapes[body]:
        self.shape_transform[shape] = pose * self.shape_transform[shape]
        self.shape_body[shape] = target
        self.body_shapes[target].append(shape)
    self.body_shapes[body] = []


def _merge_mass(self: Tables, body: int, target: int, pose: wp.transform) -> None:
    part, whole = body_properties(self, body), body_properties(self, target)
    if part.mass + whole.mass > 0.0:
        turn = convert.rotation(pose[3:])
        at = turn @ part.com + [float(v) for v in pose[:3]]
        together = joined(whole, part, turn, at)
        set_properties(self, target, together)
        if is_after_first_of_1():
            arm = convert.rotation(self.body_q[target][3:]) @ (together.com - whole.com)
            _move_speed(self, target, arm)


def _move_speed(self: Tables, body: int, arm: np.ndarray) -> None:
    """Give a body, and the joint that leaves it free, the velocity of its new centre of mass."""
    speed = np.array([float(v) for v in self.body_qd[body]])
    speed[:3] += np.cross(speed[3:], arm)
    self.body_qd[body] = wp.spatial_vector(*speed.tolist())
    for joint, child in enumerate(self.joint_child):
        if child != body or self.joint_type[joint] not in _FREE:
            continue
        parent = self.joint_parent[joint]
        turn = convert.rotation(self.joint_X_p[joint][3:])
        own = speed.copy()
        if parent >= 0:
            turn = convert.rotation(self.body_q[parent][3:]) @ turn
            above = np.array([float(v) for v in self.body_qd[parent]])
            lever = _centre(self, body) - _centre(self, parent)
            own[:3] -= above[:3] + np.cross(above[3:], lever)
            own[3:] -= above[3:]
        start = self.joint_qd_start[joint]
        self.joint_qd[start : start + 6] = [*(own[:3] @ turn).tolist(), *(own[3:] @ turn).tolist()]


def _centre(self: Tables, body: int) -> np.ndarray:
    """The centre of mass of a body in the world."""
    return np.array(
        wp.transform_point(wp.transform(*self.body_q[body]), wp.vec3(*self.body_com[body]))
    )


def _move_anchors(self: Tables, into: dict[int, int], poses: dict[int, wp.transform]) -> None:
    for joint, parent in enumerate(self.joint_parent):
        if parent in into:
            self.joint_X_p[joint] = poses[parent] * self.joint_X_p[joint]
            self.joint_parent[joint] = into[parent]


def _move_constraints(
    self: Tables,
    into: dict[int, int],
    poses: dict[int, wp.transform],
    follow: dict[int, int],
    joint_remap: dict[int, int],
) -> None:
    for i in range(self.count("equality_constraint")):
        first, second = self.equality_constraint_body1[i], self.equality_constraint_body2[i]
        # the anchor is in body 1 of a connection, in body 2 of a weld
        owner = first if int(self.equality_constraint_type[i]) == 0 else second
        if owner in into:
            anchor = self.equality_constraint_anchor[i]
            self.equality_constraint_anchor[i] = wp.transform_point(poses[owner], anchor)
        pose = self.equality_constraint_relpose[i]
        if first in into:
            pose = poses[first] * pose
        if second in into:
            pose = pose * wp.transform_inverse(poses[second])
        self.equality_constraint_relpose[i] = pose
        self.equality_constraint_body1[i] = follow[first]
        self.equality_constraint_body2[i] = follow[second]
    for i, body in enumerate(self.attachment_particle_body_body):
        if body in into:
            point = self.attachment_particle_body_body_point[i]
            self.attachment_particle_body_body_point[i] = wp.transform_point(poses[body], point)
        self.attachment_particle_body_body[i] = follow[body]
    for guide, body in enumerate(self.tendon_guide_body):
        if body in into:
            tendons.move_guides(self, [guide], poses[body])
        self.tendon_guide_body[guide] = follow[body]
    for name in ("equality_constraint_joint1", "equality_constraint_joint2"):
        rows = getattr(self, name)
        rows[:] = [joint_remap.get(j, -1) for j in rows]
    kept = [
        i
        for i, pair in enumerate(
            zip(self.constraint_mimic_joint0, self.constraint_mimic_joint1, strict=True)
        )
        if all(joint in joint_remap for joint in pair)
    ]
    for column in columns_of("constraint_mimic"):
        rows = getattr(self, column.name)
        rows[:] = [rows[i] for i in kept]
    for name in ("constraint_mimic_joint0", "constraint_mimic_joint1"):
        rows = getattr(self, name)
        rows[:] = [joint_remap[j] for j in rows]


def _keep_joints(self: Tables, joints: list[int]) -> None:
    for space, short in _SPACES.items():
        starts = [*getattr(self, f"joint_{short}_start"), self.count(space)]
        kept = [i for j in joints for i in range(starts[j], starts[j + 1])]
        for column in COLUMNS:
            if column.entity == space:
                rows = getattr(self, column.name)
                rows[:] = [rows[i] for i in kept]
        sizes = [starts[j + 1] - starts[j] for j in joints]
        ends = [sum(sizes[:i]) for i in range(len(sizes) + 1)]
        getattr(self, f"joint_{short}_start")[:] = _spread(ends[:-1], joints, self.joint_count)
        setattr(self, f"{space}_count", ends[-1])
    for column in list(columns_of("joint")):
        rows = getattr(self, column.name)
        rows[:] = [rows[j] for j in joints]
    new = {old: number for number, old in enumerate(joints)}
    self.joint_mimic_joint[:] = [new.get(leader, -1) for leader in self.joint_mimic_joint]


def _spread(values: list[int], where: list[int], count: int) -> list[int]:
    """A list of the old length with values where joints stay, so that it is cut with the others."""
    rows = [0] * count
    for index, value in zip(where, values, strict=True):
        rows[index] = value
    return rows


def _keep_bodies(self: Tables, bodies: list[int], follow: dict[int, int]) -> None:
    shapes = self.body_shapes
    self.body_shapes = {-1: shapes[-1], **{new: shapes[old] for new, old in enumerate(bodies)}}
    for column in columns_of("body"):
        rows = getattr(self, column.name)
        rows[:] = [rows[b] for b in bodies]
    for name in ("shape_body", "joint_parent", "joint_child", "muscle_bodies"):
        rows = getattr(self, name)
        rows[:] = [follow[b] for b in rows]
    self.joint_parents.clear()
    self.joint_children.clear()
    for parent, child in zip(self.joint_parent, self.joint_child, strict=True):
        note_neighbours(self.joint_parents, self.joint_children, parent, child)


def _articulations_left(self: Tables, joints: list[int]) -> dict[int, int]:
    """Old index -> new, of articulations that keep a joint."""
    kept = sorted({self.joint_articulation[j] for j in joints} - {-1})
    return {old: new for new, old in enumerate(kept)}


def _move_custom(self: Tables, rows: dict[str, Any], indices: dict[str, Any]) -> None:
    """Let attributes of scripts follow their entities, and what they refer to.

    Args:
        self: The builder, with all entities that it had.
        rows: Entity -> old index to new, of those that stay.
        indices: Likewise, but with what has become of those that go.
    """
    counts = custom.frequency_counts(self)
    for attribute in self.custom_attributes.values():
        target, frequency = references.domain(attribute.references), attribute.frequency_key
        moves = indices.get(target.name.lower()) if isinstance(target, AttributeFrequency) else None
        own = "" if isinstance(frequency, str) else references.entity_of(frequency)
        values: Any = attribute.values
        if moves is not None:
            change = _follower(moves)
            if references.has_indices_by_default(attribute, change):
                single = frequency in {AttributeFrequency.ONCE, AttributeFrequency.WORLD}
                count = max(self.num_worlds, 1) if frequency == AttributeFrequency.WORLD else 1
                if not single:
                    count = counts.get(frequency, 0) if not own else self.count(own)  # type: ignore[arg-type]
                values = references.with_defaults(attribute, count)
            if isinstance(values, list):
                values = [references.moved(value, change) for value in values]
            else:
                values = {i: references.moved(v, change) for i, v in (values or {}).items()}
        if own in rows and values:
            kept = rows[own]
            values = {kept[i]: value for i, value in values.items() if i in kept}
        attribute.values = values


def _follower(moves: dict[int, int]) -> Any:
    return lambda index: moves.get(index, -1) if index >= 0 else index


def _warn_of_loops(self: Tables) -> None:
    """Warn of fixed joints that close a loop, which opens without them."""
    held = {
        c for c, owner in zip(self.joint_child, self.joint_articulation, strict=True) if owner >= 0
    }
    names = [
        repr(self.joint_key[joint])
        for joint, kind in enumerate(self.joint_type)
        if kind == JointType.FIXED
        and self.joint_articulation[joint] < 0
        and self.joint_child[joint] in held
    ]
    if names and is_after_first_of_1():
        warn(
            f"collapse_fixed_joints does not preserve FIXED loop-closing joints"
            f" ({', '.join(names)}): without them their loops are open"
        )


def _renumber_articulations(self: Tables, new: dict[int, int]) -> None:
    """Articulations that have lost all joints go."""
    first: dict[int, int] = {}
    for joint, owner in enumerate(self.joint_articulation):
        if owner >= 0:
            first.setdefault(owner, joint)
    for column in columns_of("articulation"):
        rows = getattr(self, column.name)
        rows[:] = [rows[i] for i in new]
    self.articulation_start[:] = [first[i] for i in new]
    self.joint_articulation[:] = [new.get(owner, -1) for owner in self.joint_articulation]
