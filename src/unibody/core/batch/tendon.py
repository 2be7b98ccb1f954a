"""Fixed tendons: springs between joints, with a dead zone.

A tendon's length is the sum of its joints' positions times coefficients, and the residual of the
engine's constraint is the length, less that at rest. Between two joints the constraint is a gear,
whose numbers may differ between worlds. It has the residual ``q_a - ratio * q_b - offset``, that is
the tendon's by the first coefficient: gains are multiplied by that coefficient's square.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from unibody.core.assets.description import Pose
from unibody.core.engine.scene.scene import Scene
from unibody.core.engine.spec.constraint import (
    ConstraintKind,
    ConstraintRecord,
    Spring,
    constraint_data,
)

_JOINTS = 2
_FARTHEST = 1e9  # m, rad: no bound


@dataclass(slots=True)
class TendonGains:
    """How a tendon pulls.

    Attributes:
        stiffness: Of the spring [N/m or Nm/rad].
        damping: Of the spring.
        rest_length: Length without force.
        limits: Bounds of the length; None: there are none.
        limit_stiffness: Of the spring that holds the bounds.
    """

    stiffness: float = 0.0
    damping: float = 0.0
    rest_length: float = 0.0
    limits: tuple[float, float] | None = None
    limit_stiffness: float = 0.0


class FixedTendon:
    """A fixed tendon of an actor, one of its ``springs``.

    Attributes:
        coefficients: One a joint.
        offset: Added to the length.
        gains: How it pulls.
    """

    def __init__(
        self, actor: int, links: Sequence[int], coefficients: Sequence[float], gains: TendonGains
    ) -> None:
        """Make one.

        Args:
            actor: Number of the actor in its environment.
            links: The links below the joints.
            coefficients: One a joint.
            gains: How it pulls.
        """
        self._actor = actor
        self._links = list(links)
        self.coefficients: list[float] = [float(value) for value in coefficients]
        self.gains = gains
        self.offset: float = 0.0

    @property
    def geared(self) -> bool:
        """Whether a gear between two joints stands for it."""
        return len(self._links) == _JOINTS and self.coefficients[0] != 0.0

    def topology(self) -> tuple[Any, ...]:
        """What has to be equal for two tendons to be one constraint of a scene."""
        return () if self.geared else tuple(self.coefficients)

    @property
    def spring(self) -> Spring:
        """The rule of the constraint."""
        own, first = self.gains, self.coefficients[0] if self.geared else 1.0
        bounds = [-_FARTHEST, _FARTHEST]
        if own.limits is not None:
            bounds = sorted((bound - own.rest_length) / first for bound in own.limits)
        return Spring(
            stiffness=own.stiffness * first**2,
            damping=own.damping * first**2,
            bound_stiffness=own.limit_stiffness * first**2,
            lower=max(bounds[0], -_FARTHEST),
            upper=min(bounds[1], _FARTHEST),
        )

    def record(self, body: int) -> ConstraintRecord:
        """The constraint, for an actor whose body has a number."""
        rest = self.gains.rest_length - self.offset
        if not self.geared:
            return ConstraintRecord(
                0,
                ConstraintKind.TENDON,
                (body, self._links[0]),
                None,
                offset=rest,
                terms=tuple(zip(self._links, self.coefficients, strict=True)),
                spring=self.spring,
            )
        first, second = self.coefficients
        return ConstraintRecord(
            0,
            ConstraintKind.GEAR,
            (body, self._links[0]),
            (body, self._links[1]),
            ratio=-second / first,
            offset=rest / first,
            spring=self.spring,
        )

    def write(self, scene: Scene, first: int) -> None:
        """Add the constraint to a scene in which actors begin at body ``first``."""
        body = first + self._actor
        own = self.record(body)
        if self.geared:
            added = scene.add_constraint(own.kind, own.parent, own.child, Pose(), Pose())
        else:
            added = scene.add_tendon(body, own.terms)
        added.ratio, added.offset, added.spring = own.ratio, own.offset, own.spring

    def changed(self) -> tuple[list[float], tuple[float, ...]]:
        """``eq_data`` and the rule's numbers from E_SPRING on, as they are now."""
        return list(constraint_data(self.record(0))), self.spring.numbers()
