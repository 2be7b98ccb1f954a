"""Links whose inertia follows from their mass and shapes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from unibody.bullet.geometry.inertia import solid

if TYPE_CHECKING:
    from unibody.bullet.geometry.inertia import Solid
    from unibody.core.assets.description import Link, Vec3
    from unibody.core.engine.records.body import LinkRecord


class SolidLink:
    """The inertia that PyBullet gives a link by its mass.

    Attributes:
        link: The link.
        moments_of: Its principal moments [kg m^2] for a mass [kg] that is not 0.
        moments: They, when they were last asked for.
    """

    __slots__ = ("link", "moments", "moments_of")

    def __init__(self, state: LinkRecord, file: str, use_implicit_cylinder: bool) -> None:
        self.link: Link = state.link
        self.moments_of: Solid = solid(
            state.link.collisions, state.com, file, use_implicit_cylinder=use_implicit_cylinder
        )
        self.moments: Vec3 = (0.0, 0.0, 0.0)
