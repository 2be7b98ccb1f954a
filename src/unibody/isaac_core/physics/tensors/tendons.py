"""Tendons of articulations: a stage that has some is refused."""

from __future__ import annotations

from unibody.isaac_core.physics.tensors.absent import AbsentTendons
from unibody.isaac_core.physics.tensors.base import View


class TendonView(AbsentTendons, View):
    """The tendons of articulations."""

    @property
    def max_fixed_tendons(self) -> int:
        """Fixed tendons of the articulation with the most."""
        return 0

    @property
    def max_spatial_tendons(self) -> int:
        """Spatial tendons of the articulation with the most."""
        return 0
