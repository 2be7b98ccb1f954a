"""Attractors: springs that pull a point of a body to a pose."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from unibody.core.assets.description import Pose
from unibody.core.engine.scene.scene import Scene
from unibody.core.engine.spec.constraint import (
    ConstraintKind,
    ConstraintRecord,
    Spring,
    constraint_data,
)
from unibody.errors import InvalidArgumentError, NotSupportedError
from unibody.isaacgym.convert import to_pose
from unibody.isaacgym.types.constants import AXIS_ALL, AXIS_ROTATION, AXIS_TRANSLATION
from unibody.isaacgym.types.properties import AttractorProperties

if TYPE_CHECKING:
    from unibody.isaacgym.batch.environment import Environment

_AT_REST = 1e-9  # of a quaternion's vector part


class Attractor:
    """A spring between a body and a pose in its environment.

    Attributes:
        properties: A copy of those it was given.
        actor: Number of the actor.
        link: Link of the body in the actor's tree.
    """

    def __init__(self, env: Environment, properties: AttractorProperties) -> None:
        self.properties = AttractorProperties()
        self.assign(properties)
        actor, body = env.body(properties.rigid_handle)
        self.actor = actor.handle
        self.link = actor.model.body_links[body]

    def assign(self, properties: AttractorProperties) -> None:
        """Take over properties.

        Raises:
            InvalidArgumentError: A gain is negative, or ``axes`` has unknown bits.
            NotSupportedError: Some axes of rotation, but not all; or some of translation, with a
                target that is turned.
        """
        axes = int(properties.axes)
        if not 0 <= axes <= AXIS_ALL:
            raise InvalidArgumentError("axes", axes, "gymapi.AXIS_* bits")
        for name in ("stiffness", "damping"):
            if not getattr(properties, name) >= 0.0:
                raise InvalidArgumentError(name, getattr(properties, name), "not negative")
        if axes & AXIS_ROTATION not in (0, AXIS_ROTATION):
            raise NotSupportedError("an attractor of single axes of rotation", "AXIS_ROTATION")
        turned = np.abs(to_pose(properties.target)[1][1:]).max() > _AT_REST
        if axes & AXIS_TRANSLATION not in (0, AXIS_TRANSLATION) and turned:
            raise NotSupportedError(
                "an attractor of single axes to a target that is turned", "AXIS_TRANSLATION"
            )
        self.properties.assign("attractor", properties)

    def topology(self) -> tuple[Any, ...]:
        """What has to be equal for two attractors to be rows of the same arrays."""
        return (self.actor, self.link, self._rotates)

    @property
    def _rotates(self) -> bool:
        return bool(int(self.properties.axes) & AXIS_ROTATION)

    @property
    def spring(self) -> Spring:
        """The rule of the constraint's rows; axes that are not attracted are free."""
        axes = int(self.properties.axes)
        free = ~axes & AXIS_TRANSLATION
        if not self._rotates:
            free |= AXIS_ROTATION
        return Spring(self.properties.stiffness, self.properties.damping, free=free)

    def frames(self) -> tuple[Pose, Pose]:
        """What is pulled, in the body, and where to, in the environment."""
        own, target = to_pose(self.properties.offset), to_pose(self.properties.target)
        pulled = Pose(tuple(own[0].tolist()), tuple(own[1].tolist()))
        return pulled, Pose(tuple(target[0].tolist()), tuple(target[1].tolist()))

    def write(self, scene: Scene, first: int) -> ConstraintRecord:
        """Add the constraint to a scene in which actors begin at a number."""
        own = self._record((first + self.actor, self.link))
        record = scene.add_constraint(own.kind, own.parent, None, own.parent_frame, own.child_frame)
        record.spring = own.spring
        return record

    def changed(self) -> tuple[list[float], tuple[float, ...]]:
        """``eq_data`` and the rule's numbers from E_SPRING on, of the constraint as it is now."""
        record = self._record((0, 0))
        return list(constraint_data(record)), self.spring.numbers()

    def _record(self, end: tuple[int, int]) -> ConstraintRecord:
        kind = ConstraintKind.FIXED if self._rotates else ConstraintKind.POINT
        pulled, target = self.frames()
        return ConstraintRecord(0, kind, end, None, pulled, target, spring=self.spring)
