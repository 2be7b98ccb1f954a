"""How what a file holds is attached to the world or to a body."""

from __future__ import annotations

from typing import Any

import warp as wp

from unibody.errors import InvalidArgumentError
from unibody.newton import convert
from unibody.newton.dialect import is_after_first_of_1
from unibody.newton.enums import Axis, ShapeFlags

_OWN = {"parent", "child", "parent_xform", "child_xform"}


class Attachment:
    """What is between the root of a file and the world, or a body.

    Args:
        builder: The builder.
        xform: Pose of the root, in the world or the body.
        up_axis: The file's; None: it is the builder's.
        floating: Whether the root is free; None: as the format says.
        base_joint: Arguments of `add_joint`, or None.
        parent_body: Body, or -1 for the world.
        override: Whether roots are at `xform`, wherever the file has them.

    Attributes:
        xform: Pose of the file's frame, with the axes of the builder.
    """

    def __init__(
        self,
        builder: Any,
        xform: Any,
        up_axis: Any,
        floating: bool | None,
        base_joint: dict[str, Any] | None,
        parent_body: int,
        *,
        override: bool = False,
    ) -> None:
        if override and xform is None:
            raise InvalidArgumentError(
                "xform", None, "a pose: override_root_xform=True requires xform to be set"
            )
        self.override = override
        if floating is not None and base_joint is not None:
            raise InvalidArgumentError(
                "base_joint",
                base_joint,
                "None beside floating: Cannot specify both 'floating' and 'base_joint'",
            )
        if floating and parent_body != -1:
            raise InvalidArgumentError(
                "floating", True, f"False or None: FREE joint has no parent_body={parent_body}"
            )
        taken = _OWN & set(base_joint or ())
        if taken:
            raise InvalidArgumentError(
                "base_joint", sorted(taken), "other keys: base_joint dict cannot specify these"
            )
        self._builder = builder
        self.floating: bool | None = floating
        self.base_joint: dict[str, Any] | None = base_joint
        self.parent_body: int = parent_body
        self.xform: wp.transform = convert.transform("xform", xform)
        if up_axis is not None:
            turn = Axis.from_any(up_axis).quat_between_axes(builder.up_axis)
            self.xform = self.xform * wp.transform(wp.vec3(), turn)
        if parent_body != -1:
            _articulation_of(builder, parent_body)

    @property
    def world(self) -> wp.transform:
        """Pose of the file's frame in the world."""
        if self.parent_body == -1:
            return self.xform
        return self._builder.body_q[self.parent_body] * self.xform

    def root(self, pose: wp.transform) -> wp.transform:
        """Pose of a root, in the world or the parent body, from that in the file."""
        return self.xform if self.override else self.xform * pose

    def in_world(self, pose: wp.transform) -> wp.transform:
        """The same, in the world."""
        if self.parent_body == -1:
            return self.root(pose)
        return self._builder.body_q[self.parent_body] * self.root(pose)

    def add_joint(
        self,
        child: int,
        pose: Any,
        prefix: str,
        *,
        floating: bool,
        free_key: str | None = "",
        options: dict[str, Any] | None = None,
    ) -> int:
        """Add the joint of a root.

        Args:
            child: The root's body.
            pose: Of it, in the world or the parent body.
            prefix: Of the joint's name.
            floating: Whether it is free where the caller has not said.
            free_key: Name of a free joint; None: the builder's own; "": by the prefix.
            options: Further arguments of `add_joint_fixed`, where the joint is fixed; its frame on
                the child does not move the child.

        Returns:
            The index of the joint.
        """
        builder, parent = self._builder, self.parent_body
        if self.base_joint is not None:
            # the position comes before the joint and the rotation behind it: its axes stay
            position, turn = wp.transform_get_translation(pose), wp.transform_get_rotation(pose)
            given = {"key": f"{prefix}base_joint"} | self.base_joint
            if "label" in given:
                given["key"] = given.pop("label")
            if self.override:
                return builder.add_joint(parent=parent, child=child, parent_xform=pose, **given)
            return builder.add_joint(
                parent=parent,
                child=child,
                parent_xform=wp.transform(position, wp.quat_identity()),
                child_xform=wp.transform(wp.vec3(), wp.quat_inverse(turn)),
                **given,
            )
        free = floating if self.floating is None else self.floating
        if free and parent == -1:
            return builder.add_joint_free(
                child, key=f"{prefix}floating_base" if free_key == "" else free_key
            )
        given = dict(options or {})
        if "child_xform" in given:
            pose = pose * given["child_xform"]
        return builder.add_joint_fixed(parent, child, pose, key=f"{prefix}fixed_base", **given)

    def finish(self, joints: list[int], key: str | None) -> None:
        """Make the joints an articulation, or part of the parent's."""
        builder = self._builder
        if not joints:
            return
        if self.parent_body == -1:
            builder.add_articulation(joints, key=key)
            return
        articulation = _articulation_of(builder, self.parent_body)
        last = len(builder.articulation_start) - 1
        if articulation != last:
            raise InvalidArgumentError(
                "parent_body",
                self.parent_body,
                f"a body of the most recent articulation, {last}:"
                f" {builder.body_key[self.parent_body]} is of {articulation}",
            )
        for joint in joints:
            builder.joint_articulation[joint] = articulation


def _articulation_of(builder: Any, body: int) -> int:
    for joint, child in enumerate(builder.joint_child):
        if child == body and builder.joint_articulation[joint] >= 0:
            return int(builder.joint_articulation[joint])
    raise InvalidArgumentError(
        "parent_body",
        body,
        "a body of an articulation: it is not part of any articulation; -1 is the world",
    )


def keep_apart(builder: Any, first: int) -> None:
    """Let shapes from a number on not collide with one another."""
    shapes = range(first, builder.shape_count)
    if is_after_first_of_1():  # what does not collide has no pairs
        shapes = [i for i in shapes if builder.shape_flags[i] & ShapeFlags.COLLIDE_SHAPES]
    for place, i in enumerate(shapes):
        for j in shapes[place + 1 :]:
            builder.add_shape_collision_filter_pair(i, j)
