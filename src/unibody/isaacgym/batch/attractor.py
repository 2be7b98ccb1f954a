"""Attractors: springs that pull a point of a body to a pose."""

from __future__ import annotations

import numpy as np

from unibody.core.assets.description import Pose
from unibody.core.batch.pose_spring import PoseSpring
from unibody.errors import InvalidArgumentError, NotSupportedError
from unibody.isaacgym.convert import to_pose
from unibody.isaacgym.types.constants import AXIS_ALL, AXIS_ROTATION, AXIS_TRANSLATION
from unibody.isaacgym.types.poses import Transform
from unibody.isaacgym.types.properties import AttractorProperties

_AT_REST = 1e-9  # of a quaternion's vector part


class Attractor(PoseSpring):
    """A spring between a body and a pose in its environment.

    Attributes:
        properties: A copy of those it was given.
    """

    def __init__(self, actor: int, link: int, properties: AttractorProperties) -> None:
        super().__init__(actor, link)
        self.properties: AttractorProperties = AttractorProperties()
        self.assign(properties)

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
        self.axes = axes
        self.stiffness: float = self.properties.stiffness
        self.damping: float = self.properties.damping
        self.pulled: Pose = _pose(self.properties.offset)
        self.target: Pose = _pose(self.properties.target)


def _pose(transform: Transform) -> Pose:
    pos, quat = to_pose(transform)
    return Pose(tuple(pos.tolist()), tuple(quat.tolist()))
