"""Joints with one axis each between the same two bodies become one with all their axes."""

from __future__ import annotations

from dataclasses import replace

from unibody.core.assets.description import JointType
from unibody.core.assets.transforms import quat_conjugate, quat_multiply, quat_rotate
from unibody.core.assets.usd.joints import Freedom, UsdJoint

_SLIDES, _TURNS = (JointType.PRISMATIC,), (JointType.REVOLUTE, JointType.CONTINUOUS)


def merge_joints(joints: list[UsdJoint]) -> list[UsdJoint]:
    """Joints of which those with one axis between the same bodies are one.

    It has the name and the frames of the first of them, and first what slides, then what turns;
    the suffixes of its axes are the paths of their prims.
    """
    groups: dict[tuple[str, str], list[UsdJoint]] = {}
    for joint in joints:
        kinds = [freedom.joint.type for freedom in joint.freedoms]
        if joint.in_tree and len(kinds) == 1 and kinds[0] in (*_SLIDES, *_TURNS):
            groups.setdefault((joint.first, joint.second), []).append(joint)
    whole = {group[0].path: _merged(group) for group in groups.values() if len(group) > 1}
    gone = {joint.path for group in groups.values() for joint in group[1:]}
    return [whole.get(joint.path, joint) for joint in joints if joint.path not in gone]


def _merged(group: list[UsdJoint]) -> UsdJoint:
    own = quat_conjugate(group[0].first_frame.quat)
    axes: list[Freedom] = []
    for joint in group:
        inner = joint.freedoms[0].joint
        axis = quat_rotate(quat_multiply(own, joint.first_frame.quat), inner.axis)
        axes.append(Freedom(replace(inner, axis=axis), joint.path))
    slides = [freedom for freedom in axes if freedom.joint.type in _SLIDES]
    turns = [freedom for freedom in axes if freedom.joint.type in _TURNS]
    collide = all(joint.collide for joint in group)
    return replace(group[0], freedoms=[*slides, *turns], collide=collide)
