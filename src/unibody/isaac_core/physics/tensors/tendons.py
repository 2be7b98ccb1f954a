"""Tendons of articulations: there are none yet."""

from __future__ import annotations

from unibody.isaac_core.physics.tensors.base import View


class TendonView(View):
    """The tendons of articulations."""

    @property
    def max_fixed_tendons(self) -> int:
        """Fixed tendons of the articulation with the most."""
        return 0

    @property
    def max_spatial_tendons(self) -> int:
        """Spatial tendons of the articulation with the most."""
        return 0
