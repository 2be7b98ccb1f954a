"""Fixed tendons of a stage's articulations."""

from __future__ import annotations

from unibody.core.assets import description
from unibody.core.assets.description import Asset
from unibody.core.batch.tendon import FixedTendon, TendonGains

NUMBERS = ("stiffness", "damping", "limit_stiffness", "rest_length", "offset")


class StageTendon(FixedTendon):
    """A fixed tendon of an actor, with the numbers that PhysX's schema gives it.

    Attributes:
        name: Its name.
        stiffness, damping, limit_stiffness: Of its springs, before the ratio of its forces.
        rest_length: Length without force.
        limits: Bounds of the length; infinite: there is none.
    """

    def __init__(self, actor: int, own: description.FixedTendon, links: list[int]) -> None:
        """Make one.

        Args:
            actor: Number of the actor in its environment.
            own: As it was read.
            links: The links below its joints.
        """
        self.name: str = own.name
        self.stiffness: float = own.stiffness
        self.damping: float = own.damping
        self.limit_stiffness: float = own.limit_stiffness or 0.0
        self.rest_length: float = own.rest_length
        self.limits: tuple[float, float] = own.limits or (-float("inf"), float("inf"))
        self._ratio = own.force_ratio
        super().__init__(actor, links, own.coefficients, TendonGains())
        self.offset: float = own.offset
        self.take()

    def take(self) -> None:
        """Let the numbers act."""
        self.gains: TendonGains = TendonGains(
            self._ratio * self.stiffness,
            self._ratio * self.damping,
            self.rest_length,
            self.limits,
            self._ratio * self.limit_stiffness,
        )


def tendons_of(tree: Asset, actor: int) -> list[StageTendon]:
    """The tendons of a tree, for an actor with a number."""
    joints = {link.joint.name: number for number, link in enumerate(tree.links)}
    return [StageTendon(actor, own, [joints[name] for name in own.joints]) for own in tree.tendons]
