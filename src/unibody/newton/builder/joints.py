"""Joints of all kinds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import warp as wp

from unibody.errors import InvalidArgumentError
from unibody.newton import convert, handles
from unibody.newton.builder import custom
from unibody.newton.builder.bodies import add_articulation, add_link
from unibody.newton.builder.joint_axes import check_axes
from unibody.newton.builder.joint_filters import filter_ends, is_filtered
from unibody.newton.builder.tables import Tables
from unibody.newton.configs import JointDofConfig
from unibody.newton.dialect import is_after_first_of_1, with_later_names
from unibody.newton.enums import Axis, JointType
from unibody.newton.exceptions import warn

_PASSIVE = ("damping", "stiffness", "rest_q")
_WITH_ROTATION = (JointType.FREE, JointType.DISTANCE, JointType.BALL, JointType.ROD)


@with_later_names
def add_joint(
    self: Tables,
    joint_type: JointType,
    parent: int,
    child: int,
    linear_axes: list[JointDofConfig] | None = None,
    angular_axes: list[JointDofConfig] | None = None,
    key: str | None = None,
    parent_xform: Any = None,
    child_xform: Any = None,
    collision_filter_parent: bool | None = True,
    enabled: bool = True,
    custom_attributes: dict[str, Any] | None = None,
) -> int:
    """Add a joint of any kind.

    Args:
        self: The builder.
        joint_type: Its kind.
        parent: Body, or -1 for the world.
        child: Body.
        linear_axes: Translations, in the parent anchor frame.
        angular_axes: Rotations, in the parent anchor frame.
        key: Name.
        parent_xform: Pose of the parent anchor in the parent.
        child_xform: Pose of the child anchor in the child.
        collision_filter_parent: Whether shapes of the two bodies do not collide; None: they do
            where a joint that lets it move holds the child to the world.
        enabled: Whether it acts.
        custom_attributes: Key -> value, of JOINT, JOINT_DOF, JOINT_COORD or JOINT_CONSTRAINT.

    Returns:
        The index of the joint.
    """
    kind = JointType(joint_type)
    linear, angular = list(linear_axes or ()), list(angular_axes or ())
    _check_bodies(self, parent, child)
    check_axes(kind, linear, angular)
    _tell_of_parallel(self, kind, parent, child)
    anchors = (
        convert.transform("parent_xform", parent_xform),
        convert.transform("child_xform", child_xform),
    )
    axes = [(dof, dof.bounds, int(dof.mode)) for dof in (*linear, *angular)]
    joint = self.joint_count
    name = key or f"joint_{joint + 1}"
    self.joint_type.append(kind)
    self.joint_parent.append(parent)
    self.joint_child.append(child)
    self.joint_X_p.append(anchors[0])
    self.joint_X_c.append(anchors[1])
    self.joint_key.append(name)
    self.joint_dof_dim.append((len(linear), len(angular)))
    self.joint_enabled.append(enabled)
    self.joint_collision_filter_parent.append(
        parent >= 0 or kind is JointType.FIXED
        if collision_filter_parent is None
        else bool(collision_filter_parent)
    )
    self.joint_world.append(self.current_world)
    self.joint_articulation.append(-1)
    self.joint_mimic_joint.append(-1)
    self.joint_mimic_coeffs.append((0.0, 1.0))
    note_neighbours(self.joint_parents, self.joint_children, parent, child)
    for dof, bounds, mode in axes:
        _append_axis(self, dof, bounds, mode)
    _append_spaces(self, kind, linear, angular)
    if is_filtered(self, joint):
        filter_ends(self, parent, child)
    custom.set_joint_values(self, joint, custom_attributes)
    return joint


def _tell_of_parallel(self: Tables, kind: JointType, parent: int, child: int) -> None:
    """Warn where two bodies have a joint already."""
    others = self.joint_parents.get(child, ()), self.joint_children.get(child, ())
    if parent not in others[0] and parent not in others[1]:
        return
    ends = ((parent, child), (child, parent))
    pairs = zip(self.joint_parent, self.joint_child, strict=True)
    present = [self.joint_type[j] for j, pair in enumerate(pairs) if pair in ends]
    what = f"a {kind.name} joint between bodies {parent} and {child} ({self.body_key[child]!r})"
    if JointType.FREE in (kind, *present):
        warn(f"{what} beside a FREE one is inconsistent: add_link makes bodies without a joint")
    else:
        told = "Parallel joints between the same pair of bodies have undefined semantics"
        warn(f"{told}: {what} is beside another one")


def note_neighbours(
    parents: dict[int, list[int]], children: dict[int, list[int]], parent: int, child: int
) -> None:
    """Note which bodies a joint connects."""
    parents.setdefault(child, []).append(parent)
    below = children.setdefault(parent, [])
    if child not in below:
        below.append(child)


def _check_bodies(self: Tables, parent: int, child: int) -> None:
    handles.check("parent", parent, self.body_count, "bodies", world=True)
    handles.check("child", child, self.body_count, "bodies")
    if parent == child:
        raise InvalidArgumentError("parent", parent, f"another body than the child, {child}")
    for name, body in (("parent", parent), ("child", child)):
        if body >= 0 and self.body_world[body] != self.current_world:
            raise ValueError(
                f"Cannot create joint: {name} {self.label_of('body', body)} belongs to world"
                f" {self.body_world[body]}, but current world is {self.current_world}"
            )


def _append_axis(self: Tables, dof: JointDofConfig, bounds: tuple[float, float], mode: int) -> None:
    self.joint_axis.append(dof.axis)
    self.joint_target_pos.append(dof.target_q)
    self.joint_target_vel.append(dof.target_qd)
    self.joint_act_mode.append(mode)
    self.joint_target_ke.append(dof.target_ke)
    self.joint_target_kd.append(dof.target_kd)
    self.joint_limit_ke.append(dof.limit_ke)
    self.joint_limit_kd.append(dof.limit_kd)
    self.joint_armature.append(dof.armature)
    self.joint_effort_limit.append(dof.effort_limit)
    self.joint_velocity_limit.append(dof.velocity_limit)
    self.joint_friction.append(dof.friction)
    self.joint_stiffness.append(dof.stiffness)
    self.joint_damping.append(dof.damping)
    self.joint_limit_lower.append(bounds[0])
    self.joint_limit_upper.append(bounds[1])


def _append_spaces(
    self: Tables, kind: JointType, linear: list[JointDofConfig], angular: list[JointDofConfig]
) -> None:
    axes = len(linear) + len(angular)
    dofs, coords = kind.dof_count(axes)
    constraints = kind.constraint_count(axes)
    self.joint_q_start.append(self.joint_coord_count)
    self.joint_qd_start.append(self.joint_dof_count)
    self.joint_cts_start.append(self.joint_constraint_count)
    self.joint_q.extend([0.0] * coords)
    rest = [dof.rest_q or 0.0 for dof in (*linear, *angular)]
    if kind in _WITH_ROTATION:
        self.joint_q[-1] = 1.0
        rest = [0.0] * (coords - 4) + [0.0, 0.0, 0.0, 1.0]
    self.joint_rest_q.extend(rest)
    for row in (self.joint_qd, self.joint_f, self.joint_act):
        row.extend([0.0] * dofs)
    self.joint_cts.extend([0.0] * constraints)
    self.joint_dof_count += dofs
    self.joint_coord_count += coords
    self.joint_constraint_count += constraints


def _one_axis(self: Tables, axis: Any, given: dict[str, Any]) -> JointDofConfig:
    """The configuration of a joint with one axis: what is stated, else the builder's defaults."""
    default = self.default_joint_cfg
    if axis is None:
        axis = default.axis
    if isinstance(axis, JointDofConfig):
        return axis
    values = {k: getattr(default, k) if v is None else v for k, v in given.items()}
    return JointDofConfig(axis=axis, **values)


@with_later_names
def add_joint_revolute(
    self: Tables,
    parent: int,
    child: int,
    parent_xform: Any = None,
    child_xform: Any = None,
    axis: Any = None,
    target_pos: float | None = None,
    target_vel: float | None = None,
    target_ke: float | None = None,
    target_kd: float | None = None,
    limit_lower: float | None = None,
    limit_upper: float | None = None,
    limit_ke: float | None = None,
    limit_kd: float | None = None,
    armature: float | None = None,
    effort_limit: float | None = None,
    velocity_limit: float | None = None,
    friction: float | None = None,
    actuator_mode: Any = None,
    key: str | None = None,
    collision_filter_parent: bool | None = True,
    enabled: bool = True,
    custom_attributes: dict[str, Any] | None = None,
    **kwargs: Any,
) -> int:
    """Add a hinge; what is None is taken from `default_joint_cfg`. See `add_joint`.

    Of 1.x, `kwargs` may hold ``damping``, ``stiffness`` and ``rest_q``; see `JointDofConfig`.
    """
    passive = {name: kwargs.pop(name, None) for name in _PASSIVE}
    _none_left(kwargs)
    dof = _one_axis(
        self,
        axis,
        {
            "limit_lower": limit_lower,
            "limit_upper": limit_upper,
            "target_q": target_pos,
            "target_qd": target_vel,
            "target_ke": target_ke,
            "target_kd": target_kd,
            "limit_ke": limit_ke,
            "limit_kd": limit_kd,
            "armature": armature,
            "effort_limit": effort_limit,
            "velocity_limit": velocity_limit,
            "friction": friction,
            "actuator_mode": actuator_mode,
            **passive,
        },
    )
    return add_joint(
        self,
        JointType.REVOLUTE,
        parent,
        child,
        angular_axes=[dof],
        key=key,
        parent_xform=parent_xform,
        child_xform=child_xform,
        collision_filter_parent=collision_filter_parent,
        enabled=enabled,
        custom_attributes=custom_attributes,
    )


def _none_left(kwargs: dict[str, Any]) -> None:
    for name, value in kwargs.items():
        raise InvalidArgumentError(name, value, "no argument of that name")


@with_later_names
def add_joint_prismatic(
    self: Tables,
    parent: int,
    child: int,
    parent_xform: Any = None,
    child_xform: Any = None,
    axis: Any = Axis.X,
    target_pos: float | None = None,
    target_vel: float | None = None,
    target_ke: float | None = None,
    target_kd: float | None = None,
    limit_lower: float | None = None,
    limit_upper: float | None = None,
    limit_ke: float | None = None,
    limit_kd: float | None = None,
    armature: float | None = None,
    effort_limit: float | None = None,
    velocity_limit: float | None = None,
    friction: float | None = None,
    actuator_mode: Any = None,
    key: str | None = None,
    collision_filter_parent: bool | None = True,
    enabled: bool = True,
    custom_attributes: dict[str, Any] | None = None,
    damping: float | None = None,
    stiffness: float | None = None,
    rest_q: float | None = None,
) -> int:
    """Add a slider; what is None is taken from `default_joint_cfg`. See `add_joint`."""
    dof = _one_axis(
        self,
        axis,
        {
            "limit_lower": limit_lower,
            "limit_upper": limit_upper,
            "target_q": target_pos,
            "target_qd": target_vel,
            "target_ke": target_ke,
            "target_kd": target_kd,
            "limit_ke": limit_ke,
            "limit_kd": limit_kd,
            "armature": armature,
            "effort_limit": effort_limit,
            "velocity_limit": velocity_limit,
            "friction": friction,
            "actuator_mode": actuator_mode,
            "damping": damping,
            "stiffness": stiffness,
            "rest_q": rest_q,
        },
    )
    return add_joint(
        self,
        JointType.PRISMATIC,
        parent,
        child,
        linear_axes=[dof],
        key=key,
        parent_xform=parent_xform,
        child_xform=child_xform,
        collision_filter_parent=collision_filter_parent,
        enabled=enabled,
        custom_attributes=custom_attributes,
    )


@with_later_names
def add_joint_ball(
    self: Tables,
    parent: int,
    child: int,
    parent_xform: Any = None,
    child_xform: Any = None,
    armature: float | None = None,
    friction: float | None = None,
    key: str | None = None,
    collision_filter_parent: bool | None = True,
    enabled: bool = True,
    custom_attributes: dict[str, Any] | None = None,
    actuator_mode: Any = None,
    damping: float | None = None,
    stiffness: float | None = None,
) -> int:
    """Add a ball joint: a rotation (x, y, z, w) and an angular velocity. See `add_joint`."""
    default = self.default_joint_cfg
    axes = [
        JointDofConfig(
            axis=axis,
            armature=default.armature if armature is None else armature,
            friction=default.friction if friction is None else friction,
            actuator_mode=actuator_mode,
            damping=default.damping if damping is None else damping,
            stiffness=default.stiffness if stiffness is None else stiffness,
        )
        for axis in range(3)
    ]
    return add_joint(
        self,
        JointType.BALL,
        parent,
        child,
        angular_axes=axes,
        key=key,
        parent_xform=parent_xform,
        child_xform=child_xform,
        collision_filter_parent=collision_filter_parent,
        enabled=enabled,
        custom_attributes=custom_attributes,
    )


@with_later_names
def add_joint_fixed(
    self: Tables,
    parent: int,
    child: int,
    parent_xform: Any = None,
    child_xform: Any = None,
    key: str | None = None,
    collision_filter_parent: bool | None = True,
    enabled: bool = True,
    custom_attributes: dict[str, Any] | None = None,
) -> int:
    """Add a joint without degrees of freedom. See `add_joint`."""
    return add_joint(
        self,
        JointType.FIXED,
        parent,
        child,
        key=key,
        parent_xform=parent_xform,
        child_xform=child_xform,
        collision_filter_parent=collision_filter_parent,
        enabled=enabled,
        custom_attributes=custom_attributes,
    )


@with_later_names
def add_joint_free(
    self: Tables,
    child: int,
    parent_xform: Any = None,
    child_xform: Any = None,
    parent: int = -1,
    key: str | None = None,
    collision_filter_parent: bool | None = True,
    enabled: bool = True,
    custom_attributes: dict[str, Any] | None = None,
) -> int:
    """Add a joint that leaves all freedom; it begins where the bodies are. See `add_joint`."""
    axes = [JointDofConfig.create_unlimited(axis) for axis in range(3)]
    joint = add_joint(
        self,
        JointType.FREE,
        parent,
        child,
        linear_axes=axes,
        angular_axes=axes,
        key=key,
        parent_xform=parent_xform,
        child_xform=child_xform,
        collision_filter_parent=collision_filter_parent,
        enabled=enabled,
        custom_attributes=custom_attributes,
    )
    start = self.joint_q_start[joint]
    later = is_after_first_of_1()
    self.joint_q[start : start + 7] = relative_pose(self, joint) if later else self.body_q[child]
    return joint


def relative_pose(self: Tables, joint: int) -> list[float]:
    """The child's anchor frame in the parent's, as the bodies are now."""
    frames = []
    for body, anchor in (
        (self.joint_parent[joint], self.joint_X_p[joint]),
        (self.joint_child[joint], self.joint_X_c[joint]),
    ):
        pose = wp.transform(*self.body_q[body]) if body >= 0 else wp.transform_identity()
        frames.append(pose * wp.transform(*anchor))
    return [float(v) for v in wp.transform_inverse(frames[0]) * frames[1]]


def add_joint_distance(
    self: Tables,
    parent: int,
    child: int,
    parent_xform: Any = None,
    child_xform: Any = None,
    min_distance: float = -1.0,
    max_distance: float = 1.0,
    collision_filter_parent: bool | None = True,
    enabled: bool = True,
    custom_attributes: dict[str, Any] | None = None,
) -> int:
    """Keep the anchors of two bodies within distances; a negative one is no limit."""
    free = [JointDofConfig.create_unlimited(axis) for axis in range(3)]
    first = JointDofConfig(axis=0, limit_lower=min_distance, limit_upper=max_distance)
    return add_joint(
        self,
        JointType.DISTANCE,
        parent,
        child,
        linear_axes=[first, *free[1:]],
        angular_axes=free,
        parent_xform=parent_xform,
        child_xform=child_xform,
        collision_filter_parent=collision_filter_parent,
        enabled=enabled,
        custom_attributes=custom_attributes,
    )


@with_later_names
def add_joint_d6(
    self: Tables,
    parent: int,
    child: int,
    linear_axes: Sequence[JointDofConfig] | None = None,
    angular_axes: Sequence[JointDofConfig] | None = None,
    key: str | None = None,
    parent_xform: Any = None,
    child_xform: Any = None,
    collision_filter_parent: bool | None = True,
    enabled: bool = True,
    custom_attributes: dict[str, Any] | None = None,
    **kwargs: Any,
) -> int:
    """Add a joint with axes of one's own. See `add_joint`."""
    _none_left(kwargs)
    return add_joint(
        self,
        JointType.D6,
        parent,
        child,
        linear_axes=list(linear_axes or ()),
        angular_axes=list(angular_axes or ()),
        key=key,
        parent_xform=parent_xform,
        child_xform=child_xform,
        collision_filter_parent=collision_filter_parent,
        enabled=enabled,
        custom_attributes=custom_attributes,
    )


@with_later_names
def add_joint_cable(
    self: Tables,
    parent: int,
    child: int,
    parent_xform: Any = None,
    child_xform: Any = None,
    stretch_stiffness: float | None = None,
    stretch_damping: float | None = None,
    bend_stiffness: float | None = None,
    bend_damping: float | None = None,
    key: str | None = None,
    collision_filter_parent: bool | None = True,
    enabled: bool = True,
    custom_attributes: dict[str, Any] | None = None,
    **kwargs: Any,
) -> int:
    """Add a joint of a cable: it stretches (1e9 N/m unless stated) and bends. See `add_joint`."""
    _none_left(kwargs)
    stretch = 1e9 if stretch_stiffness is None else stretch_stiffness
    return add_joint(
        self,
        JointType.CABLE,
        parent,
        child,
        linear_axes=[JointDofConfig(target_ke=stretch, target_kd=stretch_damping or 0.0)],
        angular_axes=[
            JointDofConfig(target_ke=bend_stiffness or 0.0, target_kd=bend_damping or 0.0)
        ],
        key=key,
        parent_xform=parent_xform,
        child_xform=child_xform,
        collision_filter_parent=collision_filter_parent,
        enabled=enabled,
        custom_attributes=custom_attributes,
    )


@with_later_names
def add_body(
    self: Tables,
    xform: Any = None,
    armature: float | None = None,
    com: Any = None,
    inertia: Any = None,
    mass: float = 0.0,
    key: str | None = None,
    custom_attributes: dict[str, Any] | None = None,
    lock_inertia: bool = False,
    is_kinematic: bool = False,
) -> int:
    """Add a body that moves freely: a link, a free joint and an articulation. See `add_link`."""
    given = (xform, armature, com, inertia, mass, key, custom_attributes, lock_inertia)
    body = add_link(self, *given, is_kinematic)
    name = f"{key}_free_joint" if key else None
    joint = add_joint_free(self, body, key=name, collision_filter_parent=None)
    add_articulation(self, [joint], key=f"{key}_articulation" if key else None)
    return body
