"""Fixed tendons: springs between joints, with a dead zone.

A tendon's length is the sum of its joints' positions times coefficients, and the residual of the
engine's constraint is the length, less that at rest. Between two joints the constraint is a gear,
whose numbers may differ between worlds. It has the residual ``q_a - ratio * q_b - offset``, that is
the tendon's by the first coefficient: gains are multiplied by that coefficient's square.
"""

from __future__ import annotations

from copy import deepcopy

from unibody.core.assets.description import Pose
from unibody.core.engine.scene.scene import Scene
from unibody.core.engine.spec.constraint import (
    ConstraintKind,
    ConstraintRecord,
    Spring,
    constraint_data,
)
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
    def geared(self) -> bool:
        """Whether a gear between two joints stands for it."""
        return len(self.joints) == _JOINTS and self.coefficients[0] != 0.0

    def topology(self) -> tuple[float, ...]:
        """What has to be equal for two tendons to be one constraint of a scene."""
        return () if self.geared else tuple(self.coefficients)

    @property
    def spring(self) -> Spring:
        """The rule of the constraint."""
        own, first = self.properties, self.coefficients[0] if self.geared else 1.0
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
        rest = self.properties.fixed_spring_rest_length - self.offset
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

    def write(self, scene: Scene, body: int) -> None:
        """Add the constraint to a scene."""
        own = self.record(body)
        if self.geared:
            added = scene.add_constraint(own.kind, own.parent, own.child, Pose(), Pose())
        else:
            added = scene.add_tendon(body, own.terms)
        added.ratio, added.offset, added.spring = own.ratio, own.offset, own.spring

    def changed(self) -> tuple[list[float], tuple[float, ...]]:
        """``eq_data`` and the rule's numbers from E_SPRING on, as they are now."""
        return list(constraint_data(self.record(0))), self.spring.numbers()
