"""Fixed tendons: springs between two joints, with a dead zone.

A tendon's length is the sum of its joints' positions times coefficients. The engine's constraint
has the residual ``q_a - ratio * q_b - offset``, that is the length, less that at rest, by the first
coefficient: gains are multiplied by that coefficient's square.
"""

from __future__ import annotations

from copy import deepcopy

from unibody.core.assets.description import Pose
from unibody.core.engine.constraint import (
    ConstraintKind,
    ConstraintRecord,
    Spring,
    constraint_data,
)
from unibody.core.engine.scene import Scene
from unibody.errors import NotSupportedError
from unibody.isaacgym.models.model import Model, TendonInfo
from unibody.isaacgym.types.properties import TendonProperties

_JOINTS = 2
_FARTHEST = 1e9  # m, rad: no bound


class Tendon:
    """A fixed tendon of an actor.

    Attributes:
        name: Its name.
        joints: Names of its joints.
        coefficients: One a joint.
        properties: Gains, length at rest, and bounds of the length.
        offset: Added to the length.
    """

    def __init__(self, model: Model, info: TendonInfo) -> None:
        self.name = info.name
        self.joints = list(info.joints)
        self.coefficients = [float(value) for value in info.coefficients]
        self.properties: TendonProperties = deepcopy(info.properties)
        self.offset = 0.0
        links = {joint.name: joint.link for joint in model.joints}
        links |= {dof.name: dof.link for dof in model.dofs}
        self._links = [links[name] for name in self.joints]

    @property
    def pulls(self) -> bool:
        """Whether it can have a force."""
        own = self.properties
        bounded = own.is_fixed_limited and own.limit_stiffness > 0.0
        return bounded or own.stiffness > 0.0 or own.damping > 0.0

    @property
    def coupled(self) -> bool:
        """Whether it is a constraint of the engine."""
        return len(self.joints) == _JOINTS

    def check(self) -> None:
        """Refuse what has no constraint.

        Raises:
            NotSupportedError: It has a force, and not two joints.
        """
        if self.pulls and not self.coupled:
            raise NotSupportedError(
                f"tendon {self.name!r} with a stiffness over {len(self.joints)} joints",
                "tendons over two joints",
            )

    @property
    def spring(self) -> Spring:
        """The rule of the constraint."""
        own, first = self.properties, self.coefficients[0]
        rest = float(own.fixed_spring_rest_length)
        bounds = [-_FARTHEST, _FARTHEST]
        if own.is_fixed_limited:
            lower, upper = float(own.fixed_lower_limit), float(own.fixed_upper_limit)
            bounds = sorted(((lower - rest) / first, (upper - rest) / first))
        return Spring(
            stiffness=own.stiffness * first**2,
            damping=own.damping * first**2,
            bound_stiffness=own.limit_stiffness * first**2,
            lower=max(bounds[0], -_FARTHEST),
            upper=min(bounds[1], _FARTHEST),
        )

    def record(self, body: int) -> ConstraintRecord:
        """The constraint, for an actor whose body has a number."""
        first, second = self.coefficients
        return ConstraintRecord(
            0,
            ConstraintKind.GEAR,
            (body, self._links[0]),
            (body, self._links[1]),
            ratio=-second / first,
            offset=(self.properties.fixed_spring_rest_length - self.offset) / first,
            spring=self.spring,
        )

    def write(self, scene: Scene, body: int) -> None:
        """Add the constraint to a scene."""
        own = self.record(body)
        added = scene.add_constraint(own.kind, own.parent, own.child, Pose(), Pose())
        added.ratio, added.offset, added.spring = own.ratio, own.offset, own.spring

    def changed(self) -> tuple[list[float], tuple[float, ...]]:
        """``eq_data`` and the rule's numbers from E_SPRING on, as they are now."""
        return list(constraint_data(self.record(0))), self.spring.numbers()
