"""Rods of 1.x: `Rod` objects, whose joints stretch, shear, bend and twist by gains of their own."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import warp as wp

from unibody.errors import InvalidArgumentError
from unibody.newton import convert
from unibody.newton.builder import objects, rods
from unibody.newton.builder.bodies import add_link
from unibody.newton.builder.joints import add_joint, relative_pose
from unibody.newton.builder.shapes import add_shape_capsule, check_config
from unibody.newton.builder.tables import Tables
from unibody.newton.configs import JointDofConfig, ShapeConfig
from unibody.newton.dialect import with_later_names
from unibody.newton.enums import ActuatorMode, GeoType, JointType
from unibody.newton.exceptions import NewtonDeprecationWarning, warn
from unibody.newton.rod import Rod, aligned_frames

_RADIUS = 0.1  # of rods that state none [m]
_COLOR = (0.85, 0.55, 0.2)
_STRETCH = 1e5  # of joints that state none [N/m]


@with_later_names
def add_joint_rod(
    self: Tables,
    parent: int,
    child: int,
    *,
    parent_xform: Any = None,
    child_xform: Any = None,
    rest_rotation: Any = None,
    stretch_stiffness: float | None = None,
    stretch_damping: float | None = None,
    shear_stiffness: float | None = None,
    shear_damping: float | None = None,
    bend_stiffness: float | None = None,
    bend_damping: float | None = None,
    twist_stiffness: float | None = None,
    twist_damping: float | None = None,
    key: str | None = None,
    collision_filter_parent: bool | None = None,
    enabled: bool = True,
    custom_attributes: dict[str, Any] | None = None,
) -> int:
    """Add a joint between segments of a rod, whose anchors have z along them.

    Args:
        self: The builder.
        parent: Body, or -1 for the world.
        child: Body.
        parent_xform: Pose of the parent anchor in the parent.
        child_xform: Pose of the child anchor in the child.
        rest_rotation: The child anchor's turn in the parent's without load; None: the present one.
        stretch_stiffness: Along z [N/m]; None: 1e5.
        stretch_damping: N s/m; None: 0.
        shear_stiffness: Across z; None: that along z.
        shear_damping: None: 0, or that along z if both of shear are None.
        bend_stiffness: About x and y [N m/rad]; None: 0.
        bend_damping: N m s/rad; None: 0.
        twist_stiffness: About z; None: that of bending.
        twist_damping: None: 0, or that of bending if both of twist are None.
        key: Name.
        collision_filter_parent: Whether shapes of the two bodies do not collide; None: they do not,
            unless the parent is the world.
        enabled: Whether it acts.
        custom_attributes: See `add_joint`.

    Returns:
        The index of the joint.

    Raises:
        ValueError: A stiffness is negative, or `rest_rotation` is no rotation.
    """
    stretch = _gains(_STRETCH, stretch_stiffness, stretch_damping)
    shear = _gains_like(stretch, shear_stiffness, shear_damping)
    bend = _gains(0.0, bend_stiffness, bend_damping)
    twist = _gains_like(bend, twist_stiffness, twist_damping)
    if min(stretch[0], shear[0], bend[0], twist[0]) < 0.0:
        raise ValueError(
            "add_joint_rod: stretch_stiffness, shear_stiffness, bend_stiffness, and"
            f" twist_stiffness must be >= 0, not {(stretch[0], shear[0], bend[0], twist[0])}"
        )
    rest = None if rest_rotation is None else _rotation(rest_rotation)
    joint = add_joint(
        self,
        JointType.ROD,
        parent,
        child,
        linear_axes=_axes(shear, stretch),
        angular_axes=_axes(bend, twist),
        key=key,
        parent_xform=parent_xform,
        child_xform=child_xform,
        collision_filter_parent=parent >= 0
        if collision_filter_parent is None
        else collision_filter_parent,
        enabled=enabled,
        custom_attributes=custom_attributes,
    )
    pose = relative_pose(self, joint)
    start = self.joint_q_start[joint]
    self.joint_q[start : start + 7] = pose
    self.joint_rest_q[start : start + 7] = [0.0, 0.0, 0.0, *(pose[3:] if rest is None else rest)]
    return joint


def _gains(usual: float, stiffness: float | None, damping: float | None) -> tuple[float, float]:
    return usual if stiffness is None else stiffness, damping or 0.0


def _gains_like(
    other: tuple[float, float], stiffness: float | None, damping: float | None
) -> tuple[float, float]:
    if stiffness is None and damping is None:
        return other
    return _gains(other[0], stiffness, damping)


def _axes(across: tuple[float, float], along: tuple[float, float]) -> list[JointDofConfig]:
    return [
        JointDofConfig(
            axis=axis, target_ke=gains[0], target_kd=gains[1], actuator_mode=ActuatorMode.NONE
        )
        for axis, gains in enumerate((across, across, along))
    ]


def _rotation(values: Any) -> list[float]:
    parts = [float(v) for v in values]
    size = math.hypot(*parts)
    if not math.isfinite(size):
        raise ValueError(f"add_joint_rod: rest_rotation={parts} must contain finite values")
    if size == 0.0:
        raise ValueError("add_joint_rod: rest_rotation must be a nonzero quaternion")
    return [v / size for v in parts]


@dataclass(frozen=True, slots=True)
class HeldNode:
    """A node of a rod that a joint of its own holds, in place of a free root.

    Attributes:
        node: Of the rod.
        parent: Body that holds it, or -1 for the world.
        join: Adds the joint: child body and frame in it -> its index.
    """

    node: int
    parent: int
    join: Callable[[int, Any], int]


class _Assembly(rods.Segments):
    """A `Rod` that becomes bodies and joints."""

    has_free_roots = True
    follows_trees = True

    def __init__(
        self,
        rod: Rod,
        gains: dict[str, Any],
        key: str | None,
        centred: bool,
        held: HeldNode | None = None,
    ) -> None:
        super().__init__([(int(u), int(v)) for u, v in rod.edges], key)
        self.held = held
        points = rod.rest_line()
        spans = points[rod.edges[:, 1]] - points[rod.edges[:, 0]]
        self.lengths = np.linalg.norm(spans.astype(float), axis=1).tolist()
        self.rod, self.gains, self.centred = rod, gains, centred
        self.section = rod.section()
        self.turns = aligned_frames(rod.points, rod.edges, rod.quaternions)
        self.rest = aligned_frames(points, rod.edges, rod.rest_frames())

    @property
    def spreads_section(self) -> bool:
        """Whether a joint has a stiffness that comes of a rigidity, and so of lengths beside it."""
        return self.section is not None and any(
            rigidity > 0.0 and self.gains[f"{name}_stiffness"] is None
            for name, rigidity in self.section._asdict().items()
        )

    def anchor(self, edge: int, node: int) -> wp.transform:
        height = 0.0 if node == self.ends[edge][0] else self.lengths[edge]
        if self.centred:
            height -= 0.5 * self.lengths[edge]
        return wp.transform(wp.vec3(0.0, 0.0, height), wp.quat_identity())

    def first(self, nodes: list[list[int]]) -> int:
        return 0 if self.held is None else nodes[self.held.node][0]

    def root(self, builder: Tables, edge: int) -> list[int]:
        held = self.held
        if held is None or held.node not in self.ends[edge]:
            return super().root(builder, edge)
        frame = self.anchor(edge, held.node)
        if held.node == self.ends[edge][1]:  # the joint points away from what holds it
            frame = frame * wp.transform(wp.vec3(), wp.quat(0.0, 1.0, 0.0, 0.0))
        return [held.join(self.bodies[edge], frame)]

    def finish(self, builder: Tables, joints: list[int], key: str | None) -> None:
        held = self.held
        if held is None or held.parent < 0 or builder.joint_parent[joints[0]] != held.parent:
            super().finish(builder, joints, key)
            return
        own = builder.joint_child.index(held.parent)
        for joint in joints:
            builder.joint_articulation[joint] = builder.joint_articulation[own]

    def _add_joint(
        self, builder: Tables, edges: tuple[int, int], anchors: tuple[Any, Any], key: str | None
    ) -> int:
        gains = dict(self.gains)
        if self.section is not None:
            length = 0.5 * (self.lengths[edges[0]] + self.lengths[edges[1]])
            for name, rigidity in self.section._asdict().items():
                if gains[f"{name}_stiffness"] is None:
                    gains[f"{name}_stiffness"] = rigidity / length
        straight = self.rod.rest_straight
        frames = [
            self.rest[edge] * wp.transform_get_rotation(anchor)
            for edge, anchor in zip(edges, anchors, strict=True)
        ]
        rest = wp.quat_inverse(frames[0]) * frames[1]
        return add_joint_rod(
            builder,
            self.bodies[edges[0]],
            self.bodies[edges[1]],
            parent_xform=anchors[0],
            child_xform=anchors[1],
            rest_rotation=(0.0, 0.0, 0.0, 1.0) if straight else rest,
            key=key,
            **gains,
        )


@with_later_names
def add_rod_object(
    self: Tables,
    *,
    rod: Rod,
    cfg: ShapeConfig | None = None,
    stretch_stiffness: float | None = None,
    stretch_damping: float | None = None,
    shear_stiffness: float | None = None,
    shear_damping: float | None = None,
    bend_stiffness: float | None = None,
    bend_damping: float | None = None,
    twist_stiffness: float | None = None,
    twist_damping: float | None = None,
    key: str | None = None,
    wrap_in_articulation: bool = True,
    color: Any = None,
    body_frame_origin: str = "com",
    junction_collision_filter: bool = True,
) -> tuple[list[int], list[int]]:
    """Add a `Rod`: a capsule a segment, and joints between them.

    Args:
        self: The builder.
        rod: The rod.
        cfg: Properties of the capsules.
        stretch_stiffness: Of each joint; see `add_joint_rod`. None: E A over the length between
            the middles of its segments, where the rod says what it is made of. Likewise the rest.
        stretch_damping: See `add_joint_rod`.
        shear_stiffness: See `add_joint_rod`.
        shear_damping: See `add_joint_rod`.
        bend_stiffness: See `add_joint_rod`.
        bend_damping: See `add_joint_rod`.
        twist_stiffness: See `add_joint_rod`.
        twist_damping: See `add_joint_rod`.
        key: Beginning of all names.
        wrap_in_articulation: Whether the joints are trees, each an articulation with a free root.
        color: Of the capsules.
        body_frame_origin: "com", the middle of a segment, or "start", its begin.
        junction_collision_filter: Whether segments at a node of three or more never collide.

    Returns:
        Bodies, one a segment, and joints without those of roots.
    """
    if not isinstance(rod, Rod):
        raise TypeError(f"add_rod: rod must be a Rod, got {type(rod).__name__}")
    gains: dict[str, Any] = {
        "stretch_stiffness": stretch_stiffness,
        "stretch_damping": stretch_damping,
        "shear_stiffness": shear_stiffness,
        "shear_damping": shear_damping,
        "bend_stiffness": bend_stiffness,
        "bend_damping": bend_damping,
        "twist_stiffness": twist_stiffness,
        "twist_damping": twist_damping,
    }
    for name, value in gains.items():
        if name.endswith("stiffness") and value is not None and not 0.0 <= value < math.inf:
            raise ValueError(f"add_rod: {name} must be finite and >= 0, and is {value}")
    if body_frame_origin not in ("com", "start"):
        raise ValueError(
            f"add_rod: body_frame_origin={body_frame_origin!r}: expected 'com' or 'start'"
        )
    check_config("a segment", GeoType.CAPSULE, self.default_shape_cfg if cfg is None else cfg)
    rod.check()
    if body_frame_origin == "start":
        told = 'add_rod(body_frame_origin="start") is deprecated: "com" is the middle of a segment'
        warn(told, NewtonDeprecationWarning)
    before = objects.counts(self, "curve")
    made = _Assembly(rod, gains, key, body_frame_origin == "com")
    joints = _assemble(self, made, cfg, color, (wrap_in_articulation, junction_collision_filter))
    objects.record(self, "curve", key, before)
    return made.bodies, joints


def add_held_rod(
    self: Tables, rod: Rod, cfg: ShapeConfig, key: str, held: HeldNode | None = None
) -> tuple[list[int], list[int]]:
    """Add a `Rod` as an articulation that is no object by itself; see `add_rod_object`.

    Args:
        self: The builder.
        rod: The rod.
        cfg: Properties of the capsules.
        key: Beginning of all names.
        held: What holds it; None: it has a free root.
    """
    rod.check()
    names = ("stretch", "shear", "bend", "twist")
    gains = {f"{name}_{kind}": None for name in names for kind in ("stiffness", "damping")}
    made = _Assembly(rod, gains, key, True, held)
    return made.bodies, _assemble(self, made, cfg, None, (True, True))


def _assemble(
    self: Tables,
    made: _Assembly,
    cfg: ShapeConfig | None,
    color: Any,
    options: tuple[bool, bool],
) -> list[int]:
    """Add the segments of a rod and their joints, which are returned.

    Args:
        self: The builder.
        made: The rod.
        cfg: Properties of the capsules.
        color: Of the capsules; None: the usual one.
        options: Whether joints are trees, and whether segments of a junction never collide.
    """
    rod, (wrapped, filtering) = made.rod, options
    if made.spreads_section and not rod.is_chain:
        _check_branches(made, wrapped)
    if wrapped and not rod.is_chain and _has_cycle(made.ends):
        warn(
            "add_rod: an articulation has no rings, and so one joint of each ring is left out:"
            " wrap_in_articulation=False lets the graph retain every cycle adjacency joint"
        )
    for number in range(rod.segment_count):
        _add_segment(self, made, number, cfg, _COLOR if color is None else color)
    nodes = made.edges_of_nodes(rod.point_count)
    joints, joined = (rods.join_as_trees if wrapped else rods.join_as_stars)(self, made, nodes)
    if filtering:
        rods.filter_junctions(self, made, nodes, joined)
    if rod.closed:
        last = rod.segment_count - 1
        anchors = (made.anchor(last, made.ends[last][1]), made.anchor(0, made.ends[0][0]))
        joints.append(made.join(self, (last, 0), anchors, len(joints) + 1))
    return joints


def _check_branches(made: _Assembly, wrapped: bool) -> None:
    """Refuse section rigidities where a joint has no one length that they act over."""
    nodes = made.edges_of_nodes(made.rod.point_count)
    branch = next((n for n, edges in enumerate(nodes) if len(edges) > 2), None)
    if branch is not None:
        raise ValueError(
            "add_rod: joints have stiffnesses by section rigidities where each point has at most 2"
            f" incident segments, and point {branch} has {len(nodes[branch])}: state stiffnesses"
        )
    if wrapped and _has_cycle(made.ends):
        raise ValueError(
            "add_rod: joints of a cyclic graph have stiffnesses by section rigidities with"
            " wrap_in_articulation=False alone: state that, or stiffnesses"
        )


def _has_cycle(edges: list[tuple[int, int]]) -> bool:
    """Whether some edges form a ring."""
    trees: dict[int, set[int]] = {}
    for first, second in edges:
        one, other = (trees.setdefault(node, {node}) for node in (first, second))
        if one is other:
            return True
        one |= other
        for node in other:
            trees[node] = one
    return False


def _add_segment(
    self: Tables, made: _Assembly, number: int, cfg: ShapeConfig | None, color: Any
) -> None:
    rod, length = made.rod, made.lengths[number]
    first, second = (rod.points[node].astype(float) for node in made.ends[number])
    turn = made.turns[number]
    place = 0.5 * (first + second)
    middle = wp.vec3()
    if not made.centred:
        middle = wp.vec3(0.0, 0.0, 0.5 * length)
        place = place - np.array(wp.quat_rotate(turn, middle))
    body = add_link(
        self,
        xform=wp.transform(wp.vec3(*place), turn),
        com=middle,
        key=f"{made.key}_edge_body_{number}" if made.key else None,
    )
    shape = add_shape_capsule(
        self,
        body,
        xform=wp.transform(middle, wp.quat_identity()),
        radius=_RADIUS if rod.radius is None else rod.radius,
        half_height=0.5 * length,
        cfg=cfg,
        key=f"{made.key}_edge_capsule_{number}" if made.key else None,
    )
    self.shape_color[shape] = tuple(convert.vec3("color", color))
    made.bodies.append(body)


def add_rod(
    self: Tables, *args: Any, rod: Any = None, **kwargs: Any
) -> tuple[list[int], list[int]]:
    """Add a rod: a `Rod` by name, as in 1.8, or points, as in 1.0; see `add_rod_object`.

    Raises:
        InvalidArgumentError: Both are given.
    """
    if rod is None:
        return rods.add_rod(self, *args, **kwargs)
    if args:
        raise InvalidArgumentError("rod", rod, "no points beside it")
    return add_rod_object(self, rod=rod, **kwargs)
