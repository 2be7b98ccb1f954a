"""Attractors: springs that pull a point of a body to a pose in its environment."""

from __future__ import annotations

from typing import Any

from unibody.core.assets.description import Pose
from unibody.core.engine.scene.scene import Scene
from unibody.core.engine.spec.constraint import (
    ConstraintKind,
    ConstraintRecord,
    Spring,
    constraint_data,
)

TRANSLATIONS, ROTATIONS = 7, 56  # bits of axes


class PoseSpring:
    """A spring between a body and a pose, one of an environment's ``springs``.

    Attributes:
        axes: Bits of the axes that are pulled: x, y, z, then rotations about them, of which it is
            all or none. Axes of translation are those of the target.
        stiffness: [N/m, Nm/rad]
        damping: [N s/m, Nm s/rad]
        pulled: What is pulled, in the body's frame.
        target: Where to, in the environment's.
    """

    def __init__(self, actor: int, link: int) -> None:
        """Make one of a link of the actor of a number, which does nothing yet."""
        self._end = (actor, link)
        self.axes = 0
        self.stiffness: float
        self.damping: float
        self.stiffness = self.damping = 0.0
        self.pulled: Pose
        self.target: Pose
        self.pulled = self.target = Pose()

    @property
    def _rotates(self) -> bool:
        return bool(self.axes & ROTATIONS)

    def topology(self) -> tuple[Any, ...]:
        """What has to be equal for two of them to be one constraint of a scene."""
        return (*self._end, self._rotates)

    @property
    def spring(self) -> Spring:
        """The rule of the constraint's rows; axes that are not pulled are free."""
        free = ~self.axes & TRANSLATIONS
        if not self._rotates:
            free |= ROTATIONS
        return Spring(self.stiffness, self.damping, free=free)

    def write(self, scene: Scene, first: int) -> None:
        """Add the constraint to a scene in which actors begin at body ``first``."""
        actor, link = self._end
        own = self._record((first + actor, link))
        record = scene.add_constraint(own.kind, own.parent, None, own.parent_frame, own.child_frame)
        record.spring = own.spring

    def changed(self) -> tuple[list[float], tuple[float, ...]]:
        """``eq_data`` and the rule's numbers from E_SPRING on, of the constraint as it is now."""
        record = self._record((0, 0))
        return list(constraint_data(record)), self.spring.numbers()

    def _record(self, end: tuple[int, int]) -> ConstraintRecord:
        kind = ConstraintKind.FIXED if self._rotates else ConstraintKind.POINT
        return ConstraintRecord(0, kind, end, None, self.pulled, self.target, spring=self.spring)
