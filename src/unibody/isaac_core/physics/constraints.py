"""What holds bodies and joints of an articulation beside its tree: loops and mimicry."""

from __future__ import annotations

import math
from typing import Any

from unibody.core.assets.description import Asset, JointType, LoopJoint, Pose
from unibody.core.assets.transforms import pose_multiply
from unibody.core.engine.scene.scene import Scene
from unibody.core.engine.spec.constraint import ConstraintKind
from unibody.errors import NotSupportedError

_ARM = 0.1  # in the unit of length: between two points that hold a hinge
_POINTS = {
    JointType.SPHERICAL: (0.0,),
    JointType.REVOLUTE: (-_ARM, _ARM),
    JointType.CONTINUOUS: (-_ARM, _ARM),
}


class Hold:
    """A constraint between two links of an actor; one of its ``springs``, which gives no way.

    Args:
        actor: Number of the actor in its environment.
        kind: Of the constraint.
        links: Of both ends.
        frames: The constraint's, in those of the links.
        ratio: Of a gear.
        offset: Of a gear [m, rad].
    """

    def __init__(
        self,
        actor: int,
        kind: ConstraintKind,
        links: tuple[int, int],
        frames: tuple[Pose, Pose] = (Pose(), Pose()),
        *,
        ratio: float = 1.0,
        offset: float = 0.0,
    ) -> None:
        self._actor, self._kind, self._links, self._frames = actor, kind, links, frames
        self._ratio, self._offset = ratio, offset

    def topology(self) -> tuple[Any, ...]:
        """All of it: no number of it differs between worlds."""
        return self._kind, self._links, self._frames, self._ratio, self._offset

    def write(self, scene: Scene, first: int) -> None:
        """Add the constraint to a scene in which actors begin at body ``first``."""
        body = first + self._actor
        one, two = self._links
        added = scene.add_constraint(self._kind, (body, one), (body, two), *self._frames)
        added.ratio, added.offset = self._ratio, self._offset

    def changed(self) -> tuple[list[float], tuple[float, ...]]:
        """Nothing that is written into single worlds."""
        return [], ()


def holds_of(tree: Asset, actor: int) -> list[Hold]:
    """The constraints of a tree, for an actor with a number.

    Raises:
        NotSupportedError: A joint that closes a loop slides, has a limit or a drive, or holds to
            the world; or a joint mimics one that is not in the tree.
    """
    names = {link.name: number for number, link in enumerate(tree.links)}
    found: list[Hold] = []
    for loop in tree.loops:
        found += _loop(loop, names, actor)
    joints = {link.joint.name: number for number, link in enumerate(tree.links)}
    for number, link in enumerate(tree.links):
        mimic = link.joint.mimic
        if mimic is None:
            continue
        if mimic.joint not in joints:
            raise NotSupportedError(
                f"the joint {link.joint.name!r}, which mimics {mimic.joint!r} of another tree",
                "mimicry within an articulation",
            )
        found.append(
            Hold(
                actor,
                ConstraintKind.GEAR,
                (number, joints[mimic.joint]),
                ratio=mimic.multiplier,
                offset=mimic.offset,
            )
        )
    return found


def _loop(loop: LoopJoint, names: dict[str, int], actor: int) -> list[Hold]:
    joint = loop.joint
    what = f"the joint {joint.name!r}, which closes a loop"
    if loop.first not in names or loop.second not in names:
        raise NotSupportedError(f"{what} with the world", "loops between bodies of one tree")
    links = names[loop.first], names[loop.second]
    if joint.drives:
        raise NotSupportedError(f"{what} and has a drive", "a drive on a joint of the tree")
    if joint.type is not JointType.FIXED and joint.lower <= joint.upper:
        raise NotSupportedError(f"{what} and has limits", "limits of joints of the tree")
    if joint.type is JointType.FIXED:
        return [Hold(actor, ConstraintKind.FIXED, links, (loop.first_pose, loop.second_pose))]
    if joint.type not in _POINTS:
        raise NotSupportedError(
            f"{what} and is {joint.type.value}", "loops closed by fixed, revolute and ball joints"
        )
    return [
        Hold(actor, ConstraintKind.POINT, links, _at(loop, joint.axis, along))
        for along in _POINTS[joint.type]
    ]


def _at(loop: LoopJoint, axis: tuple[float, float, float], along: float) -> tuple[Pose, Pose]:
    """Frames of both links at a point of the joint's axis."""
    length = math.hypot(*axis)
    x, y, z = (value / length * along for value in axis)
    there = Pose((x, y, z))
    return pose_multiply(loop.first_pose, there), pose_multiply(loop.second_pose, there)
