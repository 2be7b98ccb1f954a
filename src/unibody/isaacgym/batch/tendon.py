"""Fixed tendons of actors, with the properties that scripts know."""

from __future__ import annotations

from copy import deepcopy

from unibody.core.batch.tendon import FixedTendon, TendonGains
from unibody.isaacgym.models.model import Model, TendonInfo
from unibody.isaacgym.types.properties import TendonProperties


class Tendon(FixedTendon):
    """A fixed tendon of an actor.

    Attributes:
        name: Its name.
        joints: Names of its joints.
        properties: Gains, length at rest, and bounds of the length.
    """

    def __init__(self, actor: int, model: Model, info: TendonInfo) -> None:
        self.name: str = info.name
        self.joints: list[str] = list(info.joints)
        self.properties: TendonProperties = deepcopy(info.properties)
        links = {joint.name: joint.link for joint in model.joints}
        links |= {dof.name: dof.link for dof in model.dofs}
        own = [links[name] for name in self.joints]
        super().__init__(actor, own, info.coefficients, _gains(self.properties))

    def take(self, properties: TendonProperties) -> None:
        """Take over properties."""
        self.properties = deepcopy(properties)
        self.gains: TendonGains = _gains(self.properties)


def _gains(own: TendonProperties) -> TendonGains:
    bounds = (float(own.fixed_lower_limit), float(own.fixed_upper_limit))
    return TendonGains(
        stiffness=own.stiffness,
        damping=own.damping,
        rest_length=float(own.fixed_spring_rest_length),
        limits=bounds if own.is_fixed_limited else None,
        limit_stiffness=own.limit_stiffness,
    )
